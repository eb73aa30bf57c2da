"""Known laws of errors, references for them, and whether intervals hold them."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
from noisy import SHIFT, noise

from kalos_core import Annotations, Boxes
from kalos_core.noise.carry import joined
from kalos_core.noise.laws import FoldedT, Logistic, PoissonRate

N_CLASSES = 14

KNOWN = noise(
    unmatched={
        "rate": PoissonRate(-0.7, 0.08),
        "susceptibility": Logistic(-5.6, -0.6),
        "added": 0.4,
    },
    topology={"susceptibility": Logistic(-0.5, 0.5), "fragmented": 0.6},
    category={
        "rate": 0.05,
        "shift": replace(SHIFT, translation=FoldedT(0.008, 0.05, 4.0, 0.005)),
    },
)
"""All errors are frequent enough to be fitted, and no two laws are alike."""


def scattered(rng, n_images, side=(0.03, 0.2)):
    """Return boxes of many sizes in the cells of a grid, away from edge and others."""
    image, cell = np.indices((n_images, 9)).reshape(2, -1)
    there = rng.random(len(image)) < np.repeat(rng.random(n_images), 9)
    image, cell = image[there], cell[there]
    centre = 0.3 * np.stack(np.divmod(cell, 3), axis=1) + 0.2
    size = sizes(rng, len(image), side)
    return annotated(rng, n_images, image, cell, centre, size)


def anywhere(rng, n_images, side=(0.03, 0.4)):
    """Return boxes of more sizes, over each other, so far inside that few are cut.

    How shifts and who is split depend on the area can be told only where areas differ.
    """
    image, nth = np.indices((n_images, 9)).reshape(2, -1)
    there = nth < np.repeat(rng.integers(0, 10, n_images), 9)
    image, nth = image[there], nth[there]
    size = sizes(rng, len(image), side)
    centre = 0.5 + rng.uniform(-1, 1, size.shape) * np.maximum(0.5 - 1.2 * size, 0.02)
    return annotated(rng, n_images, image, nth, centre, size)


def sizes(rng, n, side):
    """Return (n, 2) widths and heights."""
    size = np.exp(rng.uniform(*np.log(side), (n, 1)))
    return size * np.exp(rng.normal(0, 0.15, (n, 2)))


def annotated(rng, n_images, image, number, centre, size):
    """Return boxes of random classes as a reference."""
    return Annotations(
        image=image,
        rater=np.zeros(len(image), int),
        label=rng.integers(0, N_CLASSES, len(image)),
        geometry=Boxes(np.hstack([centre - size / 2, size])),
        annotation_id=number.astype(str),
        assigned=np.ones((n_images, 1), bool),
        images=[f"i{n:04}" for n in range(n_images)],
        raters=["reference"],
        classes=[f"c{n:02}" for n in range(N_CLASSES)],
    )


def similarity(rng):
    """Return how alike classes are, as cosines."""
    vector = rng.normal(size=(N_CLASSES, 6))
    vector /= np.linalg.norm(vector, axis=1, keepdims=True)
    return vector @ vector.T


def with_reference(made):
    """Return the annotations of the reference and of its synthetic raters."""
    one, others = made.reference, made.annotations()

    def column(name):
        return np.append(getattr(one, name), getattr(others, name))

    return Annotations(
        image=column("image"),
        rater=np.append(one.rater, others.rater + 1),
        label=column("label"),
        geometry=joined([one.geometry, others.geometry]),
        annotation_id=column("annotation_id"),
        assigned=np.hstack([one.assigned, others.assigned]),
        images=one.images,
        raters=(*one.raters, *others.raters),
        classes=one.classes,
    )


def numbers(parameters):
    """Return {component: numbers} as a fit of them is to estimate.

    Of children only what remains after kappa can be seen, with a kappa of 0. The
    intercept of who is unmatched cancels out: the rate tells how many.
    """
    unmatched, topology = parameters.unmatched, parameters.topology
    found = {
        "unmatched.rate": (unmatched.rate.intercept, unmatched.rate.slope),
        "unmatched.susceptibility": (None, unmatched.susceptibility.slope),
        "unmatched.added": (unmatched.added,),
        "topology.susceptibility": (
            topology.susceptibility.intercept,
            topology.susceptibility.slope,
        ),
        "topology.angle": (topology.angle.a, topology.angle.b),
        "topology.kappa": (0.0,),
        "topology.fragmented": (topology.fragmented,),
        "category.rate": (parameters.category.rate,),
        "category.temperature": (parameters.category.temperature,),
        "category.direction": (
            parameters.category.direction.mu,
            parameters.category.direction.kappa,
        ),
    }
    width, height = topology.sides
    shifts = {
        "topology": replace(topology.shift, width=width, height=height),
        "category": parameters.category.shift,
        "localization": parameters.localization.shift,
    }
    for group, shift in shifts.items():
        for name in ("translation", "width", "height"):
            law = getattr(shift, name)
            trend = law.intercept, law.slope
            found[f"{group}.shift.{name}"] = (*trend, law.sigma, law.nu)
    for group in ("topology", "localization"):
        law = getattr(parameters, group).direction
        found[f"{group}.direction"] = (*law.weights, *law.kappas)
    return found


def held(parameters, fits):
    """Return {(component, number): [(held or None, value, true), ...]} of fits.

    None is an interval that is not known, as where a law has nothing to tell it by.
    """
    truth, found = numbers(parameters), defaultdict(list)
    for fit in fits:
        for row in fit.table:
            for estimate, true in zip(
                row.estimates, truth.get(row.component, ()), strict=False
            ):
                if true is not None:
                    holds = estimate.low - 1e-9 <= true <= estimate.high + 1e-9
                    known = None if np.isnan(estimate.low) else holds
                    place = row.component, estimate.name
                    found[place].append((known, estimate.value, true))
    return found


def coverage(rows):
    """Return which part of known intervals holds the truth."""
    known = [holds for holds, *_ in rows if holds is not None]
    return np.mean(known) if known else np.nan
