"""The part of a form that chooses shapes, distance, threshold, solver and cost."""

from dataclasses import dataclass
from importlib.util import find_spec

import fiftyone.operators.types as types

from ..kalos_core import COSTS, DISTANCES, SOLVERS
from . import calibrations, measures

LEAST_OVERLAP = 0.05
"""At 0 labels far apart could be one object."""

LONGEST = 0.5
"""Largest distance of the slider; half of the diagonal joins nearly everything."""

SHAPES = {"boxes": "Boxes", "masks": "Instance masks"}

DISTANCE_LABELS = {
    "box_iou": "Overlap of boxes (IoU)",
    "box_giou": "Overlap of boxes, nearer ones first where there is none (GIoU)",
    "box_centroid_l2": "Distance of centres",
    "polygon_iou": "Overlap of polygons (IoU)",
    "polygon_giou": "Overlap of polygons, nearer ones first where there is none (GIoU)",
    "polygon_centroid_l2": "Distance of centroids",
    "mask_iou": "Overlap of masks (IoU)",
    "keypoint_mpjpe": "Mean distance of joints (N-MPJPE)",
    "keypoint_oks": "Similarity of poses for their size (OKS)",
}

SOLVER_LABELS = {
    "greedy": "Greedy: nearest pairs first (the paper's choice)",
    "shm": "Sequential Hungarian matching",
    "ahc": "Agglomerative clustering",
    "mgm": "Multi-graph matching (slow)",
}

COST_LABELS = {
    "soft": "Prefers labels of one class (the paper's choice)",
    "neg": "Looks at places only",
}

OVERLAPS = {"iou": "IoU", "giou": "GIoU, from 0 to 1", "oks": "OKS"}
"""Endings of distances that are 1 less an overlap, and what people call it."""


@dataclass(frozen=True)
class Chosen:
    """Shapes, distance and threshold, and what shapes there are to choose from.

    ``calibration`` is the key of the calibration that the threshold is from.
    """

    shapes: str
    d_loc: str
    tau: float
    offered: tuple[str, ...]
    calibration: str | None


def chosen(params, view, layout):
    """Return what is chosen: what Python asks for, else what the form holds.

    The layout must have been checked.

    Raises
    ------
    KalosError
        If Python asks for something that does not fit the labels.
    """
    offered = tuple(measures.offered_shapes(view, layout))
    shapes, d_loc = params.get("shapes"), params.get("d_loc")
    if shapes is None and d_loc is None:
        asked = params.get("detections_as")
        shapes = asked if asked in offered else offered[0]
    shapes = measures.choose_shapes(view, layout, shapes, d_loc)
    key, known = calibrations.last_for(view._root_dataset, layout) or (None, None)
    d_loc = d_loc or params.get(f"d_loc_{shapes}")
    d_loc = d_loc or calibrations.choice(view._root_dataset, layout, shapes)[0]
    d_loc = measures.choose_distance(shapes, d_loc)
    if known is None or known.tau_star is None or known.d_loc != d_loc:
        return Chosen(shapes, d_loc, measures.usual_tau(d_loc), offered, None)
    return Chosen(shapes, d_loc, known.tau_star, offered, key)


def describe(inputs, choice, params):
    """Add the inputs for what is ``chosen``."""
    shapes, d_loc = choice.shapes, choice.d_loc
    if len(choice.offered) > 1:
        _choice(
            inputs, "detections_as", choice.offered, SHAPES, shapes, "What to compare"
        )
    fit = measures.distances(shapes)
    # A name for each kind of shape: what was chosen for another does not fit.
    _choice(inputs, f"d_loc_{shapes}", fit, DISTANCE_LABELS, d_loc, "Compare by")
    _describe_threshold(inputs, choice)
    _describe_advanced(inputs, params)


def configuration_of(params, view, layout):
    """Return the `Configuration` and the shapes that the parameters choose."""
    choice = chosen(params, view, layout)
    given = {} if params.get("advanced") is False else params
    return measures.configure(
        view,
        layout,
        choice.d_loc,
        _tau(params, choice),
        given.get("solver") or "greedy",
        given.get("psi") or "soft",
        choice.shapes,
    )


def _tau(params, choice):
    """Return tau, a distance; for overlaps the form speaks of ``tau_s``, 1 - tau."""
    if params.get("tau") is not None:
        return params["tau"]
    if DISTANCES[choice.d_loc].relative:
        farthest = params.get("farthest")
        return choice.tau if farthest is None else farthest
    tau_s = params.get("tau_s")
    return choice.tau if tau_s is None else round(1 - tau_s, 12)


def _choice(inputs, name, choices, labels, default, label):
    view = types.DropdownView()
    for choice in choices:
        view.add_choice(choice, label=labels.get(choice, choice))
    inputs.enum(name, view.values(), default=default, label=label, view=view)


def _describe_threshold(inputs, choice):
    d_loc, usual = choice.d_loc, choice.tau
    told = (
        f" From the calibration '{choice.calibration}'." if choice.calibration else ""
    )
    if DISTANCES[d_loc].relative:
        words = (
            f"Largest distance, τ, as a part of the image's diagonal.{told} Labels "
            "that are farther apart are different objects."
        )
        _slider(inputs, "farthest", usual, 0.01, LONGEST, 0.01, words)
        return
    overlap = OVERLAPS.get(d_loc.rsplit("_", 1)[-1])
    label = f"Least overlap ({overlap}), τs." if overlap else "Least similarity, τs."
    words = (
        f"{label}{told} Labels that overlap less are different objects. A low value "
        "asks whether raters found the same objects, a high one how precisely they "
        "drew them."
    )
    _slider(inputs, "tau_s", round(1 - usual, 3), LEAST_OVERLAP, 1, 0.05, words)


def _slider(inputs, name, default, least, most, step, words):
    inputs.md(words, name="threshold")  # a label would be under the slider's value
    inputs.float(
        name,
        default=default,
        min=least,
        max=most,
        view=types.SliderView(
            label="", label_position="top", value_precision=2, view_multiple_of=step
        ),
    )


def _describe_advanced(inputs, params):
    inputs.bool(
        "advanced",
        default=False,
        label="Advanced: how labels are matched",
        view=types.SwitchView(),
    )
    if params.get("advanced"):
        _choice(inputs, "solver", _solvers(), SOLVER_LABELS, "greedy", "Solver")
        _choice(inputs, "psi", list(COSTS), COST_LABELS, "soft", "Cost")


def _solvers():
    """Return the solvers that can run here."""
    missing = {"mgm"} if find_spec("pylibmgm") is None else set()
    return [name for name in SOLVERS if name not in missing]
