"""The workspace "KαLOS audit": the images and the panels side by side."""

import fiftyone as fo

WORKSPACE = "KαLOS audit"


def save_workspace(dataset):
    """Save the workspace with the data set, where the App offers it by name."""
    dataset.save_workspace(
        WORKSPACE,
        fo.Space(
            orientation="horizontal",
            children=[
                _pane(fo.Panel(type="Samples", pinned=True)),
                _pane(fo.Panel(type="kalos_agreement")),
            ],
            sizes=[0.58, 0.42],
        ),
        description="Images beside the panels of KαLOS",
        overwrite=True,
    )


def _pane(panel):
    # Without an active child the App leaves the pane blank.
    return fo.Space(children=[panel], active_child=panel.component_id)
