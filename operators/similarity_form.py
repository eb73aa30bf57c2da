"""The part of forms that asks which classes are mistaken for each other."""

import fiftyone.operators.types as types

from .proxies import CLIP, CLIP_MODEL, CLIP_WEIGHTS


def ask_similarity(inputs, given, label, otherwise):
    """Offer CLIP besides what happens otherwise; of a model ask which one."""
    alike = types.DropdownView()
    alike.add_choice("", label=otherwise)
    alike.add_choice(CLIP, label="As they look alike to CLIP")
    if given not in (None, "", CLIP):  # from Python
        alike.add_choice(given, label=f"As '{given}' says")
    inputs.enum("similarity", alike.values(), default="", label=label, view=alike)
    if given == CLIP:
        for name, default, what in (
            ("clip_model", CLIP_MODEL, "CLIP model"),
            ("clip_weights", CLIP_WEIGHTS, "Its weights: a name or a path"),
        ):
            inputs.str(name, default=default, label=what)
