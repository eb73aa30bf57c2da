"""Synthetic raters from one reference: the paper's empirical noise generator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import IntArray
from ..checks import check_generator, check_type
from ..errors import KalosError
from ..progress import Progress
from ..ranges import pieces
from .candidates import Candidates
from .carry import Movable
from .cohort import Cohort
from .confusable import Confusable
from .drawn import Drawn, together
from .parameters import NoiseParameters, check_parameters, default_parameters
from .proposals import Pool, Proposals, moved_proposals
from .rater import Noise
from .scene import Scene
from .simulated import Simulated
from .tally import Tally
from .transition import transition_from_confusion

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
    names: Sequence[str] | None = None,
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
    names : of the files of images, say; by default ``reference.images``. Chance follows
        the order of names, so that the order of images does not matter.
    progress : called with how many images are done.

    Raises
    ------
    KalosError
        If the reference has two raters, or shapes that cannot be moved or whose middle
        is not in the image, or if another argument is not as above.
    """
    _check_arguments(reference, parameters, proposals, rng)
    cohort = Cohort.of(n_raters, magnitude, groups, convention)
    order = _order(reference, names)
    ordered, origin = reference.in_order(order)
    if proposals is None:
        proposals = moved_proposals(ordered, rng)
    else:
        proposals.check(reference)
        proposals = proposals.in_order(order, origin)
    if transition is None:
        n_classes = len(reference.classes)
        frequency = np.bincount(reference.label, minlength=n_classes)
        no_mistakes = np.zeros((len(frequency), len(frequency)))
        transition = transition_from_confusion(no_mistakes, frequency)
    noise = Noise(
        Drawn.copied(ordered, 0, len(ordered)),
        parameters or default_parameters(),
        Confusable(transition, len(reference.classes)),
        proposals,
        _mark(reference),
        rng,
    )
    nobody: IntArray = np.empty(0, np.int64)
    found = [(nobody, Drawn.copied(ordered, 0, 0))]
    tally = Tally(len(cohort), origin)
    for scene in _scenes(ordered, proposals):
        found.append(_by_all(noise, scene, cohort, tally))
        if progress is not None:
            progress(scene.start + len(scene.asked), reference.n_images)
    rater = np.concatenate([who for who, _ in found])
    drawn = together([what for _, what in found])
    del found  # before there is another copy
    drawn, place = drawn.as_before(order, origin)
    return Simulated(
        reference=reference,
        raters=cohort.names,
        group=cohort.group,
        magnitude=cohort.magnitude,
        image=drawn.image,
        rater=rater[place],
        label=drawn.label,
        geometry=drawn.shapes,
        annotation_id=drawn.annotation_id,
        error=drawn.error,
        first=np.append(0, np.cumsum(drawn.n_references)),
        reference_index=drawn.reference,
        n_attempted=tally.n_attempted,
        n_lost=tally.n_lost,
        combining=tally.combining,
        n_unpaired=tally.n_unpaired,
    )


def _check_arguments(
    reference: Annotations, parameters: object, proposals: object, rng: object
) -> None:
    check_type("reference", reference, Annotations, "the Annotations of one rater")
    check_parameters("parameters", parameters)
    if proposals is not None:
        check_type("proposals", proposals, Proposals)
    check_generator(rng)
    _check_reference(reference)


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


def _order(reference: Annotations, names: Sequence[str] | None) -> IntArray:
    """Return the images in the order of their names."""
    given = reference.images if names is None else tuple(names)
    if len(given) != reference.n_images:
        raise KalosError(
            f"names must be those of {reference.n_images} images, got {len(given)}"
        )
    keys = zip(given, reference.images, range(len(given)), strict=True)
    return np.array([place for *_, place in sorted(keys)], dtype=np.int64)


def _mark(reference: Annotations) -> str:
    """Return dots, as many as occur in no id, so that no two new ids are alike."""
    mark = "."
    while (np.char.find(reference.annotation_id, mark) >= 0).any():
        mark += "."
    return mark


def _scenes(reference: Annotations, proposals: Proposals) -> Iterator[Scene]:
    """Yield all images, some at a time, which bounds the memory."""
    n_drawn = np.bincount(reference.image, minlength=reference.n_images)
    asked = reference.assigned[:, 0]
    for start, stop in pieces(n_drawn + 1, CHUNK):
        ends = np.searchsorted(reference.image, (start, stop)).tolist()
        drawn = Drawn.copied(reference, *ends)
        index = np.arange(*np.searchsorted(proposals.image, (start, stop)))
        pool = Pool(proposals, index, drawn)
        yield Scene(drawn, pool, start, asked[start:stop])


def _by_all(
    noise: Noise, scene: Scene, cohort: Cohort, tally: Tally
) -> tuple[IntArray, Drawn]:
    """Return who drew what, in the order of annotations, and count the errors."""
    own, parts, previous = scene, [], -1
    shared = Candidates(len(scene.drawn))
    for rater, group in enumerate(cohort.group.tolist()):
        if cohort.convention is not None and group != previous:
            own, shared = _by_convention(noise, scene, cohort.convention)
        previous = group
        part, left = noise.applied(own, float(cohort.magnitude[rater]))
        tally.add(rater, own.drawn, left)
        tally.add_convention(rater, scene.drawn, shared)
        parts.append(part)
    who = np.repeat(np.arange(len(cohort)), [len(part) for part in parts])
    drawn = together(parts)
    order = np.lexsort((drawn.annotation_id, who, drawn.image))
    return who[order], drawn.take(order)


def _by_convention(
    noise: Noise, scene: Scene, magnitude: float
) -> tuple[Scene, Candidates]:
    """Return the images as a group of raters understands them, and what it did."""
    drawn, left = noise.applied(scene, magnitude)
    drawn = drawn.take(np.lexsort((drawn.annotation_id, drawn.image)))
    pool = Pool(noise.proposals, scene.pool.index, drawn)
    return Scene(drawn, pool, scene.start, scene.asked), left
