"""Operator: arrange the images and the panels side by side."""

from typing import ClassVar

import fiftyone.operators.types as types

from . import journal
from .checked_operator import CheckedOperator
from .parameters import checked, data_set
from .workspace import WORKSPACE, save_workspace

LABEL, ICON = "KαLOS: open the audit", "/assets/kalos.svg"

CONSEQUENCE = (
    "Shows the images and the panels of KαLOS side by side. The arrangement is saved "
    f"with the data set as the workspace '{WORKSPACE}', where it is missing."
)


class OpenAudit(CheckedOperator):
    about: ClassVar = {
        "name": "open_audit",
        "label": LABEL,
        "description": "Arrange the images and the panels of KαLOS side by side",
        "icon": ICON,
    }
    title: ClassVar = "Open the audit"
    takes: ClassVar = {"dataset": data_set}

    @checked(takes)
    def __call__(self, dataset):
        """Return the workspace "KαLOS audit", saved with the data set if it was not.

        One that is there is taken as it is, as it may have been rearranged. The
        data set's ``delete_workspace`` removes it.
        """
        with journal.turn_to_write(dataset):  # another may just have saved it
            if not dataset.has_workspace(WORKSPACE):
                save_workspace(dataset)
        return dataset.load_workspace(WORKSPACE)

    def resolve_placement(self, ctx):
        button = types.Button(label=LABEL, icon=ICON, prompt=False)
        return types.Placement(types.Places.SAMPLES_GRID_SECONDARY_ACTIONS, button)

    def describe(self, inputs, ctx):
        inputs.view("consequence", types.Notice(label=CONSEQUENCE))

    def execute(self, ctx):
        if ctx.dataset is not None:
            ctx.ops.set_spaces(spaces=self(ctx.dataset))
