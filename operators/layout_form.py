"""The question of a form in which of the two layouts raters are."""

import fiftyone.operators.types as types

from .layouts import FieldPerRater, OneField


def ask_layout(inputs, default, label):
    """Add the choice between one field and a field per rater."""
    kinds = types.RadioGroup(orientation="horizontal")
    kinds.add_choice(OneField.layout, label="One field for all raters")
    kinds.add_choice(FieldPerRater.layout, label="A field per rater")
    inputs.enum("layout", kinds.values(), default=default, label=label, view=kinds)
