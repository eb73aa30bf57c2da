"""Synthetic raters from one reference: the paper's empirical noise generator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, as_array
from ..errors import KalosError, at_least_one
from ..progress import Progress
from ..ranges import pieces
from .candidates import STAGES, Candidates
from .carry import Movable
from .confusable import Confusable, transition_by_frequency
from .drawn import Drawn, together
from .parameters import NoiseParameters, default_parameters
from .proposals import Pool, Proposals, moved_proposals
from .rater import Noise
from .scene import Scene
from .simulated import Simulated

CHUNK = 1 << 14
"""Annotations of the reference that one rater is given at a time."""


def simulate_raters(
    reference: Annotations,
    parameters: NoiseParameters | None = None,
    *,
    n_raters: int = 5,
    magnitude: float | Sequence[float] = 1.0,
    groups: Sequence[int] | None = None,
    convention: float = 1.0,
    transition: npt.ArrayLike | None = None,
    proposals: Proposals | None = None,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Simulated:
    """Return raters who err like people, and the truth about each of their labels.

    Errors are made in the order unmatched, topology, category, localization. Each
    stage chooses among all annotations, but changes only what none before it has
    changed. All is done on the box around a shape, and the shape goes along. Where this
    differs from the paper, the docstring of the stage says so.

    Parameters
    ----------
    reference : annotations of one rater: boxes, polygons or keypoints, of which the
        last are neither split nor combined.
    parameters : how people err; by default those that come with KαLOS.
    magnitude : the paper's lambda, for all or for each rater: 0 copies the reference, 1
        errs as people do. It multiplies chances, up to 1, and all of a shift.
    groups : how many raters share each convention. Noise of magnitude ``convention``
        is added to the reference once for each group, and the group's raters start from
        that. By default there are no conventions.
    transition : (C, C) chances of classes to be mistaken for others; by default by the
        frequency of the others.
    proposals : where objects may be seen that are not there; by default
        ``moved_proposals``.
    progress : called with how many images are done.

    Raises
    ------
    KalosError
        If the reference has two raters, or shapes that cannot be moved or whose middle
        is not in the image, or if another argument is not as above.
    """
    _check_reference(reference)
    at_least_one("n_raters", n_raters)
    magnitudes = _magnitudes("magnitude", magnitude, n_raters)
    sizes = [n_raters] if groups is None else _sizes(groups, n_raters)
    shared = (
        None if groups is None else float(_magnitudes("convention", convention, 1)[0])
    )
    if proposals is not None:
        proposals.check(reference)
    if transition is None:
        transition = transition_by_frequency(_class_counts(reference))
    noise = Noise(
        reference,
        parameters or default_parameters(),
        Confusable(transition, len(reference.classes)),
        moved_proposals(reference, rng) if proposals is None else proposals,
        _mark(reference),
        rng,
    )
    made = [(0, Drawn.copied(reference, 0, 0), Candidates(0))]
    for scene in _scenes(noise):
        for members in np.split(np.arange(n_raters), np.cumsum(sizes)[:-1]):
            own = scene if shared is None else _by_convention(noise, scene, shared)
            for rater in members.tolist():
                made.append((rater, *noise.applied(own, magnitudes[rater])))
        if progress is not None:
            progress(scene.start + len(scene.asked), reference.n_images)
    group = (
        np.arange(n_raters) if groups is None else np.repeat(range(len(sizes)), sizes)
    )
    return _simulated(reference, magnitudes, group, made)


def _check_reference(reference: Annotations) -> None:
    if reference.n_raters != 1:
        raise KalosError(
            f"the reference must be the annotations of one rater, got "
            f"{reference.n_raters}"
        )
    if not isinstance(reference.geometry, Movable):
        raise KalosError(
            "the reference must be Boxes, Polygons or Keypoints, got "
            f"{type(reference.geometry).__name__}"
        )
    low, high = np.split(Drawn.copied(reference, 0, len(reference)).bounds, 2, axis=1)
    middle = (low + high) / 2
    outside = (middle != middle.clip(0, 1)).any(axis=1)
    if outside.any():
        reference.refuse(
            outside,
            "must have its middle in the image, in coordinates relative to it, got "
            f"{reference.geometry.describe(int(outside.argmax()))}",
        )


def _magnitudes(name: str, magnitude: float | Sequence[float], n: int) -> FloatArray:
    """Return (n,) magnitudes from one for all or one for each."""
    given = as_array(magnitude, np.float64, name)
    right = given.shape in ((), (n,)) and np.isfinite(given).all()
    if not right or (given < 0).any():
        raise KalosError(
            f"{name} must be a number of at least 0, or {n} of them, got {magnitude}"
        )
    return np.broadcast_to(given, n)


def _sizes(groups: Sequence[int], n_raters: int) -> list[int]:
    for size in groups:
        at_least_one("the size of a group", size)
    if sum(groups) != n_raters:
        raise KalosError(
            f"groups must add up to {n_raters} raters, got {list(groups)}, which is "
            f"{sum(groups)}"
        )
    return list(groups)


def _class_counts(reference: Annotations) -> IntArray:
    return np.bincount(reference.label, minlength=len(reference.classes))


def _mark(reference: Annotations) -> str:
    """Return dots, as many as occur in no id, so that no two new ids are alike."""
    mark = "."
    while (np.char.find(reference.annotation_id, mark) >= 0).any():
        mark += "."
    return mark


def _scenes(noise: Noise) -> Iterator[Scene]:
    """Yield all images, some at a time, which bounds the memory."""
    reference, proposals = noise.reference, noise.proposals
    n_drawn = np.bincount(reference.image, minlength=reference.n_images)
    asked = reference.assigned[:, 0]
    for start, stop in pieces(n_drawn + 1, CHUNK):
        ends = np.searchsorted(reference.image, (start, stop)).tolist()
        drawn = Drawn.copied(reference, *ends)
        index = np.arange(*np.searchsorted(proposals.image, (start, stop)))
        pool = Pool(proposals, index, drawn)
        yield Scene(drawn, pool, start, asked[start:stop])


def _by_convention(noise: Noise, scene: Scene, magnitude: float) -> Scene:
    """Return the images as a group of raters understands them."""
    drawn, _ = noise.applied(scene, magnitude)
    drawn = drawn.take(np.lexsort((drawn.annotation_id, drawn.image)))
    pool = Pool(noise.proposals, scene.pool.index, drawn)
    return Scene(drawn, pool, scene.start, scene.asked)


def _simulated(
    reference: Annotations,
    magnitude: FloatArray,
    group: IntArray,
    made: Sequence[tuple[int, Drawn, Candidates]],
) -> Simulated:
    """Return what all raters drew, in the order of annotations."""
    drawn = together([part for _, part, _ in made])
    rater = np.repeat([r for r, _, _ in made], [len(part) for _, part, _ in made])
    order = np.lexsort((drawn.annotation_id, rater, drawn.image))
    drawn = drawn.take(order)
    counts = np.zeros((2, len(magnitude), len(STAGES)), dtype=np.int64)
    for number, _, left in made:
        counts[:, number] += left.n_attempted, left.n_lost
    width = len(str(len(magnitude)))
    return Simulated(
        reference=reference,
        raters=tuple(f"rater_{n:0{width}}" for n in range(1, len(magnitude) + 1)),
        group=group,
        magnitude=magnitude,
        image=drawn.image,
        rater=rater[order],
        label=drawn.label,
        geometry=drawn.shapes,
        annotation_id=drawn.annotation_id,
        error=drawn.error,
        first=np.append(0, np.cumsum(drawn.n_references)),
        reference_index=drawn.reference,
        n_attempted=counts[0],
        n_lost=counts[1],
    )
