"""The part of forms that asks which classes are mistaken for each other."""

import fiftyone.operators.types as types

from .parameters import path_like, text
from .proxies import CLIP, CLIP_MODEL, CLIP_WEIGHTS

TAKES = {
    "similarity": path_like(CLIP, f"'{CLIP}' or the path of a JSON file"),
    "clip_model": text(CLIP_MODEL),
    "clip_weights": path_like(CLIP_WEIGHTS, "a name of weights or their path"),
}
"""The rules of all parameters that say which classes are alike."""


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
