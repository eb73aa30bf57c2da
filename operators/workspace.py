"""The workspace "KαLOS audit": the images and the panels side by side."""

from pathlib import Path

import fiftyone as fo
import yaml

WORKSPACE = "KαLOS audit"

TABS = (
    "kalos_agreement",
    "kalos_raters",
    "kalos_localization",
    "kalos_classes",
    "kalos_what_if",
)
"""The panels beside the images, in their order; the first one is in front."""


def save_workspace(dataset):
    """Save the workspace with the data set, where the App offers it by name."""
    dataset.save_workspace(
        WORKSPACE,
        audit_space(),
        description="Images beside the panels of KαLOS",
        overwrite=True,
    )


def audit_space():
    """Return the panels that there are in one pane and the images in another.

    The panels are on the left, as the App covers the end of the last pane's tabs with
    its choice of workspaces, and are pinned, as all of their tabs fit without crosses.
    """
    return fo.Space(
        orientation="horizontal",
        children=[
            _pane(*(fo.Panel(type=name, pinned=True) for name in _panels())),
            _pane(fo.Panel(type="Samples", pinned=True)),
        ],
        sizes=[0.55, 0.45],
    )


def _panels():
    definition = Path(__file__).parents[1] / "fiftyone.yml"
    there = yaml.safe_load(definition.read_text(encoding="utf-8"))["panels"]
    return [name for name in TABS if name in there]


def _pane(*panels):
    # Without an active child the App leaves the pane blank.
    return fo.Space(children=list(panels), active_child=panels[0].component_id)
