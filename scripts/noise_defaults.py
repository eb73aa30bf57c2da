"""Fit the default noise parameters to public data: lidc_sample and cars_labelme.

    python -m scripts.noise_defaults LIDC.json CARS.json

LIDC.json holds 60 scans of LIDC-IDRI in the layout of ``read_lidc`` (CC BY 3.0; four
reading sessions each), CARS.json the four raters of 20 crops of cars that the test data
of github.com/kukuruza/shuffler come with (MIT), in the layout of ``read_coco``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from kalos_core import Annotations, Boxes, read_coco
from kalos_core.noise import extract_differences
from kalos_core.noise.fitting.circular_tests import kuiper_test
from kalos_core.noise.fitting.direction import fit_axial
from kalos_core.noise.fitting.folded_t import fit_folded_t
from kalos_core.noise.fitting.logistic import fit_logistic
from kalos_core.noise.laws import Beta, CardinalMixture, FoldedT, Logistic, PoissonRate
from kalos_core.noise.parameters import (
    DEFAULTS,
    Category,
    Localization,
    NoiseParameters,
    Shift,
    Topology,
    Unmatched,
)

N_SLICES = 3
"""Of each scan, evenly spread: neighbouring slices show the same nodule again."""

PIXELS = {"lidc": 512, "cars": 64}
"""Sides of the images. Raters drew on these grids, so that a quarter of all sides are
equal to the pixel; edges are spread over their pixel, for that says nothing of people.
"""

SLOPES = {"LVIS": 0.021, "VinDr-CXR": 0.256}
MEDIANS = 0.059, 0.088
"""Printed in the paper: two Poisson slopes, LVIS' being that of images of COCO, and
median area ratios of synthetic and real children of a split."""

AXES = CardinalMixture((0.25,) * 4, (2.0,) * 4)
"""Weak peaks at the axes, all alike: the paper finds peaks but prints no numbers."""


def main(lidc, cars):
    rng = np.random.default_rng(0)
    slices, crops = read_slices(lidc), read_coco(cars)
    found = [
        extract_differences(spread(slices, PIXELS["lidc"], rng)),
        extract_differences(spread(crops, PIXELS["cars"], rng)),
    ]
    localization = fit_localization([each.once for each in found])
    axis = fit_axial(angles([each.once for each in found]), both_ways=True).law
    # Where the data have no category mistakes, all shifts stand in for theirs.
    uniform = kuiper_test(2 * angles([each.once for each in found]))
    alone = found[0].labels.unmatched & ~found[0].labels.stray
    n_pairs = [len(each.once) for each in found]
    n_mistakes = int(found[1].once.mistaken.sum())
    data = (
        f"{n_pairs[0]} pairs of labels in {slices.n_images} slices of 60 scans of "
        f"LIDC-IDRI (CC BY 3.0, four reading sessions, boxes around contours) and "
        f"{n_pairs[1]} pairs in {crops.n_images} crops of cars of kukuruza/shuffler "
        "(MIT, four raters, boxes around polygons), together so that small and large "
        "objects are there, matched at an IoU of 0.5; edges spread over their pixel; "
        "nu is at least 2"
    )
    parameters = NoiseParameters(
        fit_unmatched(found[0]),
        assumed_topology(),
        Category(0.026, 0.1, 10, localization.shift, rounded(axis)),
        localization,
        {
            "unmatched.rate": "slope: paper, LVIS, whose images are COCO's (the other "
            "one that it prints, of VinDr-CXR, is among the alternatives); intercept: "
            "so that this slope gives as many unmatched labels as there are "
            f"in {slices.n_images} slices of LIDC-IDRI with "
            f"{len(found[0].counts.weight) // 2} pairs of readings",
            "unmatched.susceptibility": "fitted to "
            f"{int(found[0].labels.weight.sum())} labels in the same slices, of which "
            f"{int(found[0].labels.weight @ alone)} are unmatched",
            "unmatched.added": "paper: a coin",
            "topology.susceptibility": "assumed, since the data have "
            f"{found[0].children.n_events} splits: 1 in 100 labels, larger ones more "
            "often, as in the paper",
            "topology.shift": "assumed: sides shrink so that the median area ratio is "
            f"the paper's {MEDIANS[0]} before kappa, and children lie 0.3 sides of the "
            "parent from its centre, put into a linear trend",
            "topology.direction": "assumed: weak peaks at the axes, all alike",
            "topology.angle": "paper: Beta(4.53, 0.53)",
            "topology.kappa": "paper: 0.20",
            "topology.fragmented": "assumed: a coin, as without a reference",
            "category.rate": "paper: 0.026",
            "category.temperature": "paper: 0.1",
            "category.n_nearest": "paper: the ten nearest classes",
            "category.shift": "as of localization, since the data have "
            f"{n_mistakes} category mistakes",
            "category.direction": f"fitted to all directions of {data}",
            "localization.shift": f"fitted to {data}",
            "localization.direction": "assumed: weak peaks at the axes, all alike. The "
            "paper finds peaks there but prints no numbers, and these data do not tell "
            f"directions from uniform (Kuiper's p {uniform.p_value:.2f})",
            "alternatives": "paper, printed for two data sets",
        },
        {"unmatched.rate.slope": SLOPES},
    )
    parameters.write(DEFAULTS)


def spread(annotations, n_pixels, rng):
    """Return boxes around shapes, with each edge anywhere in its pixel."""
    bounds = annotations.geometry.bounds()
    bounds = bounds + rng.uniform(-0.5, 0.5, bounds.shape) / n_pixels
    low, high = np.split(bounds, 2, axis=1)
    return replace(annotations, geometry=Boxes(np.hstack([low, high - low])))


def fit_localization(samples):
    """Return the law of what was matched.

    With the likelihood of matched ones it would be wider, and have 30 % of nodules
    shifted beyond the threshold, where 8 % are: shifts of small objects are smaller.
    """
    area = np.concatenate([pairs.area for pairs in samples])
    laws = [
        fit_folded_t(
            np.abs(np.concatenate([getattr(pairs, name) for pairs in samples])),
            area,
        ).law
        for name in ("translation", "width", "height")
    ]
    return Localization(Shift(*map(rounded, laws)), AXES)


def angles(samples):
    return np.concatenate([pairs.angle for pairs in samples])


def fit_unmatched(found):
    counts, labels = found.counts, found.labels
    expected = counts.weight @ np.exp(SLOPES["LVIS"] * counts.n_source)
    n_alone = counts.weight @ (counts.n_unmatched - counts.n_stray)
    intercept = float(np.log(n_alone / expected))
    # Most slices have a single label, so that nothing can be told of who is chosen
    # beside others.
    susceptibility = fit_logistic(
        labels.area, labels.unmatched & ~labels.stray, labels.weight, "unmatched labels"
    ).law
    return Unmatched(
        rounded(PoissonRate(intercept, SLOPES["LVIS"])), rounded(susceptibility), 0.5
    )


def assumed_topology():
    """Return splits as the paper's printed numbers have them, and our guesses."""
    areas = (0.001, 0.6)
    area = np.geomspace(*areas, 50)
    # A line through what is proportional to the side, with relative errors alike.
    away = 0.3 * np.sqrt(area)
    design = np.stack([np.ones(50), area], axis=1) / away[:, None]
    intercept, slope = np.linalg.lstsq(design, np.ones(50), rcond=None)[0].tolist()
    side = FoldedT(-np.log(MEDIANS[0]) / 2, 0.0, 5.0, 0.4, areas)
    translation = FoldedT(intercept, slope, 5.0, intercept / 3, areas)
    return Topology(
        Logistic(-3.5, 0.4),
        Shift(*map(rounded, (translation, side, side))),
        AXES,
        Beta(4.53, 0.53),
        0.2,
        0.5,
    )


def rounded(law):
    """Return a law with numbers of four digits."""
    numbers = {name: getattr(law, name) for name in law.__slots__}
    return replace(law, **{name: short(value) for name, value in numbers.items()})


def short(value):
    if isinstance(value, tuple):
        return tuple(map(short, value))
    return float(f"{value:.4g}")


def read_slices(path):
    """Return the boxes around contours in some slices of each scan, by session."""
    rows = []
    for name, scan in json.loads(Path(path).read_text()).items():
        drawn = [
            (contour["z_position"], session, np.array(contour["points"]))
            for session, nodules in scan["annotators"].items()
            for nodule in nodules
            for contour in nodule["contours"]
            if len(contour["points"]) >= 3
        ]
        heights = sorted({z for z, _, _ in drawn})
        places = np.linspace(0, len(heights) - 1, N_SLICES + 2)[1:-1].round()
        size = np.array([scan["width"], scan["height"]])
        for z in {heights[int(place)] for place in places} if heights else ():
            for session in scan["annotators"]:
                rows.append((f"{name} {z}", session, None))
            for height, session, points in drawn:
                if height == z:
                    low, high = points.min(axis=0), points.max(axis=0) + 1
                    rows.append(
                        (
                            f"{name} {z}",
                            session,
                            [*(low / size), *((high - low) / size)],
                        )
                    )
    return boxes_of(rows)


def boxes_of(rows):
    """Return annotations of (image, rater, xywh or None) of one class."""
    images = sorted({image for image, _, _ in rows})
    raters = sorted({rater for _, rater, _ in rows})
    assigned = np.zeros((len(images), len(raters)), bool)
    for image, rater, _ in rows:
        assigned[images.index(image), raters.index(rater)] = True
    drawn = [row for row in rows if row[2] is not None]
    return Annotations(
        image=[images.index(row[0]) for row in drawn],
        rater=[raters.index(row[1]) for row in drawn],
        label=[0] * len(drawn),
        geometry=Boxes([row[2] for row in drawn]),
        annotation_id=[f"{n:06}" for n in range(len(drawn))],
        assigned=assigned,
        images=images,
        raters=raters,
        classes=["object"],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
