"""Operator: create the demo data set, six raters with known habits."""

import fiftyone as fo
import fiftyone.operators as foo
import fiftyone.operators.types as types
from fiftyone.core.odm import ActiveFields

from ..demo.dataset import LABEL_FIELD, N_SCENES, create_dataset, render_images
from ..demo.raters import RATERS
from ..kalos_core import KalosError
from .layouts import FieldPerRater, OneField
from .palette import colour_by_rater
from .workspace import save_workspace

NAME = "kalos-demo"


class LoadDemo(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="load_demo",
            label="KαLOS: load the demo data set",
            description="160 blood smears, labelled by six raters with known habits",
            icon="science",
            dynamic=True,
            execute_as_generator=True,
        )

    def __call__(self, name=NAME, field_per_rater=False):
        """Create the demo data set and return it."""
        _check_name(name)
        with fo.ProgressBar(total=N_SCENES) as bar:
            for _ in bar(render_images()):
                pass
        return _create(name, field_per_rater)

    def resolve_input(self, ctx):
        inputs = types.Object()
        inputs.md(
            "160 rendered blood smears with boxes by six raters, generated on this "
            "computer in about half a minute."
        )
        name = inputs.str("name", default=NAME, required=True, label="Name")
        try:
            _check_name(ctx.params.get("name") or NAME)
        except KalosError as error:
            name.invalid, name.error_message = True, str(error)
        inputs.bool(
            "field_per_rater",
            default=False,
            label="A field per rater",
            description="Instead of one field whose labels name their rater",
        )
        return types.Property(inputs, view=types.View(label="Load the demo data set"))

    def execute(self, ctx):
        name = ctx.params["name"]
        _check_name(name)
        for done in render_images():
            label = f"Painting smear {done} of {N_SCENES}"
            yield ctx.ops.set_progress(progress=0.8 * done / N_SCENES, label=label)
        yield ctx.ops.set_progress(progress=0.8, label="Storing the raters' boxes")
        _create(name, bool(ctx.params.get("field_per_rater")))
        yield ctx.ops.set_progress(progress=1, label="Done")
        yield ctx.ops.open_dataset(name)


def _check_name(name):
    if fo.dataset_exists(name):
        raise KalosError(f"A data set '{name}' exists already. Choose another name.")


def _create(name, field_per_rater):
    dataset = create_dataset(name, field_per_rater)
    raters = [rater.name for rater in RATERS]
    layout = FieldPerRater(tuple(raters)) if field_per_rater else OneField(LABEL_FIELD)
    dataset.app_config.color_scheme = colour_by_rater(layout, raters)
    dataset.app_config.active_fields = ActiveFields(
        paths=[*layout.label_fields, "kalos_alpha"]
    )
    dataset.save()
    save_workspace(dataset)
    return dataset
