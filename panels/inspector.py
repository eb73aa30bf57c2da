"""Panel beside one image: what each rater said of each of its objects."""

import json
from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import interpret
from ..kalos_core.diagnostics.kinds import DISAGREEMENTS, LOOSE
from ..kalos_core.model import COMPUTED, EMPTY_AGREED, UNDEFINED, UNIFORM
from ..operators import palette
from ..operators.inspection import Inspection, sample_of
from . import inspector_figures as figures
from .numbers import in_digits
from .run_panel import UNCHANGED, RunPanel, buttons

HELP = (
    "Each row is an object of this image, the most disputed first, with the class that "
    "each rater gave it, or 'no object' where a rater was asked and drew nothing. "
    "'α lost' is what the image's agreement would rise by were all raters of one mind "
    "about the object."
)

STATUSES = {
    COMPUTED: "",
    UNIFORM: "only one class occurs and everyone gave it, so it is 1 by convention",
    EMPTY_AGREED: "everyone left this image empty, so it is 1 by convention",
    UNDEFINED: "fewer than two raters were asked, so there is nothing to compare",
}

HINT = (
    "Click an object to select its labels on the image. Underlined is who stands alone "
    "against the others."
)

NOT_IN_RUN = "This image is not part of the run."
LEADS_TO = "The buttons lead to disputed images that are."
NONE_DISPUTED = "No image that is shown is disputed."


class InspectorPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_inspector",
        "label": "Inspector",
        "icon": "table_view",
        "surfaces": "modal",
    }
    how_to_read: ClassVar = HELP
    asks: ClassVar = Inspection

    def show(self, ctx, key, config, results):
        return self._image(ctx, Inspection.recent(ctx.dataset, key)), {}

    def on_change_current_sample(self, ctx):
        state = ctx.panel.state
        if ctx.current_sample in (None, state.shown_id) or not state.run_key:
            return UNCHANGED
        found = self.run(ctx)
        if found is not None:
            state.set(self._image(ctx, found))
        return None

    def on_change_group_slice(self, ctx):
        return self.on_change_current_sample(ctx)

    def on_click_unit(self, ctx):
        """Select the labels of a unit on the image; a second click lets go of them."""
        state, row = ctx.panel.state, ctx.params["row"]
        image = json.loads(state.image)
        if row < 0 or not image:  # the heads of the columns
            return UNCHANGED
        unit = image["unit"][row]
        if unit == state.chosen:
            state.chosen = None
            ctx.ops.clear_selected_labels()
            return None
        found = self.run(ctx)
        if found is not None:
            state.chosen = unit
            ctx.ops.set_selected_labels(found.labels_of(state.sample_id, unit))
        return None

    def on_next(self, ctx):
        return self._go(ctx, 1)

    def on_previous(self, ctx):
        return self._go(ctx, -1)

    def describe(self, panel, ctx):
        state = ctx.panel.state
        image, place, last = json.loads(state.image), state.place, state.n_disputed
        panel.md(_summary(image, place, last), name="summary")
        steps = buttons(panel, "steps")
        steps.btn(
            "previous",
            label="Previous disputed",
            on_click=self.on_previous,
            disabled=place == 1 or not last,
        )
        steps.btn(
            "next",
            label="Next disputed",
            on_click=self.on_next,
            disabled=place == last or not last,
        )
        if image and image["unit"]:
            self._describe_matrix(panel, ctx, image)

    def _describe_matrix(self, panel, ctx, image):
        state = ctx.panel.state
        looks = figures.matrix_looks(image, state.colours, state.chosen)
        table = types.TableView(
            on_click_row=self.on_click_unit,
            componentsProps={
                "tableContainer": {"sx": looks},
                "table": {"sx": figures.table_looks(image)},
            },
        )
        for key, label in figures.matrix_columns(image):
            table.add_column(key, label=label)
        # The App keeps the rows of a table under its name, so each image has its own.
        panel.list(
            f"units_{state.sample_id}",
            types.Object(),
            default=figures.matrix_rows(image),
            view=table,
        )
        panel.md(HINT, name="hint")

    def _image(self, ctx, found):
        """Return the state of the image that the App shows."""
        if ctx.panel.state.chosen is not None:
            ctx.ops.clear_selected_labels()
        sample_id = sample_of(ctx.view, ctx.current_sample)
        disputed = found.disputed(ctx.view)
        layout = found.config.layout
        return {
            "shown_id": ctx.current_sample,
            "sample_id": sample_id,
            "chosen": None,
            "colours": palette.shown(ctx.dataset, layout, found.raters),
            # As one text: the App merges lists into those that were there before.
            "image": json.dumps(found.about(sample_id)),
            "place": disputed.index(sample_id) + 1 if sample_id in disputed else None,
            "n_disputed": len(disputed),
        }

    def _go(self, ctx, step):
        found = self.run(ctx)
        if found is None:
            return None
        place = found.next_disputed(ctx.view, ctx.panel.state.sample_id, step)
        if place is None:  # the view has changed since
            ctx.ops.notify("There is no other disputed image in this view.")
            return UNCHANGED
        if place.get("slice"):
            ctx.ops.set_group_slice(place["slice"])
        ctx.ops.open_sample(id=place["id"], group_id=place["group_id"])
        return UNCHANGED


def _summary(image, place, n_disputed):
    """Return the image in a few lines of Markdown, without any text of the data."""
    if image is None:
        return f"{NOT_IN_RUN} {LEADS_TO if n_disputed else NONE_DISPUTED}"
    alpha, why = image["alpha"], STATUSES[image["status"]]
    value = (
        "undefined" if alpha is None else f"{in_digits(alpha, 3)}, {interpret(alpha)}"
    )
    loose = image["kind"].count(LOOSE)
    disputed = sum(kind in DISAGREEMENTS for kind in image["kind"]) - loose
    lines = [
        f"##### α {value}",
        *([f"{why[0].upper()}{why[1:]}.  "] if why else []),
        f"{_count(image['n_asked'], 'rater')} asked, "
        f"{_count(len(image['unit']), 'object')}, {disputed} in dispute"
        f"{f', {loose} drawn loosely, which costs no α' if loose else ''}  ",
    ]
    if place and n_disputed > 1:
        lines.append(f"Number {place} of {n_disputed} disputed images, worst first")
    elif place:
        lines.append("The only disputed image that is shown")
    elif not n_disputed:
        lines.append(NONE_DISPUTED)
    return "\n".join(lines)


def _count(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
