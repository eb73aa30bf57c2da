"""Operator: create the demo data set, six raters with known habits."""

from typing import ClassVar

import fiftyone as fo
from fiftyone.core.odm import ActiveFields

from ..demo.dataset import LABEL_FIELD, N_SCENES, create_dataset, render_images
from ..demo.raters import RATERS
from ..kalos_core import KalosError
from . import data_set_names, simulation
from .layouts import FieldPerRater, OneField
from .long_operator import LongOperator
from .palette import colour_by_rater
from .parameters import checked, flag, text
from .progress import until_stopped
from .workspace import save_workspace

NAME = "kalos-demo"


def load(name, field_per_rater=False, tell=None):
    """Paint the images that are missing, and return the data set.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    """
    data_set_names.check_free(name)
    tell = tell or (lambda done, label: None)
    for done in render_images():
        tell(0.8 * done / N_SCENES, f"Painting smear {done} of {N_SCENES}")
    tell(0.8, "Storing the raters' boxes")
    dataset = _create(field_per_rater)
    simulation.simulate(dataset, _synthetic(field_per_rater))
    dataset.name, dataset.persistent = name, True
    tell(1, "Done")
    return dataset


def _synthetic(field_per_rater):
    """Return five synthetic raters of two conventions, from what ana drew."""
    source = (
        {"label_field": "ana"}
        if field_per_rater
        else {"label_field": LABEL_FIELD, "rater": "ana"}
    )
    return simulation.Request(**source, groups=(3, 2))


class LoadDemo(LongOperator):
    about: ClassVar = {
        "name": "load_demo",
        "label": "KαLOS: load the demo data set",
        "description": "160 blood smears, labelled by six raters with known habits",
        "icon": "science",
    }
    title: ClassVar = "Load the demo data set"
    takes: ClassVar = {"name": text(NAME), "field_per_rater": flag, "delegate": flag}

    @checked(takes)
    def __call__(self, name=NAME, field_per_rater=False, delegate=False):
        """Create the demo data set and return it.

        Parameters
        ----------
        field_per_rater : a field for each rater, instead of one whose labels name
            their rater.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        if delegate:
            data_set_names.check_free(name)
            params = {"name": name, "field_per_rater": field_per_rater}
            return self.delegated({}, params)
        with fo.ProgressBar(total=100) as bar:
            return load(
                name,
                field_per_rater,
                lambda done, _: bar.set_iteration(int(100 * done)),
            )

    def describe(self, inputs, ctx):
        inputs.md(
            "160 rendered blood smears with boxes by six raters, generated on this "
            "computer in about half a minute."
        )
        name = inputs.str("name", default=NAME, label="Name")
        try:
            data_set_names.check_free(ctx.params.get("name", NAME))
        except KalosError as error:
            name.invalid, name.error_message = True, str(error)
        inputs.bool(
            "field_per_rater",
            default=False,
            label="A field per rater",
            description="Instead of one field whose labels name their rater",
        )

    def run(self, ctx, tell, stoppable=None):
        name = ctx.params.get("name", NAME)
        field_per_rater = ctx.params.get("field_per_rater", False)
        made = load(name, field_per_rater, until_stopped("demo", tell, stoppable))
        return {"name": made.name, "n_images": len(made)}

    def show(self, ctx, made):
        yield ctx.ops.set_progress(progress=1, label="Done")
        yield ctx.ops.open_dataset(made["name"])


def _create(field_per_rater):
    dataset = create_dataset(field_per_rater)
    raters = [rater.name for rater in RATERS]
    layout = FieldPerRater(tuple(raters)) if field_per_rater else OneField(LABEL_FIELD)
    dataset.app_config.color_scheme = colour_by_rater(layout, raters)
    dataset.app_config.active_fields = ActiveFields(
        paths=[*layout.label_fields, "kalos_alpha"]
    )
    dataset.save()
    save_workspace(dataset)
    return dataset
