"""Shapes stored in FiftyOne and read again give what the core computes from them."""

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import NAN, in_a_field_each, in_one_field, plugin_module

core = plugin_module("kalos_core")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")

RATERS = ("ana", "ben", "cho")
N_IMAGES, N_EACH, N_JOINTS, GRID, TAU = 4, 3, 5, 64, 0.4
PLACES = [(i, r, n) for i in range(N_IMAGES) for r in range(3) for n in range(N_EACH)]


def jitter(rng, place):
    """Return corner and size in pixels, alike for the raters of one object."""
    image, _, n = place
    object_rng = np.random.default_rng([image, n])
    corner = object_rng.integers(4, 30, 2) + rng.integers(-2, 3, 2)
    return corner, object_rng.integers(12, 20, 2) + rng.integers(-2, 3, 2)


def boxes(rng):
    xywh = np.array([np.concatenate(jitter(rng, place)) for place in PLACES]) / GRID
    labels = [fo.Detection(bounding_box=box.tolist()) for box in xywh]
    return fo.Detections, labels, core.Boxes(xywh)


def polygons(rng):
    rings, owner, labels = [], [], []
    for k, place in enumerate(PLACES):
        corner, size = jitter(rng, place)
        angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
        around = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        parts = [(corner + size * (shift + around / 2)) / GRID for shift in (0.5, 0.8)]
        rings, owner = rings + parts, [*owner, k, k]
        points = [part.tolist() for part in parts]
        labels.append(fo.Polyline(points=points, closed=True, filled=True))
    return fo.Polylines, labels, core.Polygons.from_rings(rings, owner, len(PLACES))


def masks(rng):
    corners, crops, labels = [], [], []
    for place in PLACES:
        corner, size = jitter(rng, place)
        mask = rng.random(size[::-1]) < 0.9
        box = (np.concatenate([corner, size]) / GRID).tolist()
        labels.append(fo.Detection(bounding_box=box, mask=mask))
        corners.append(corner[::-1])
        crops.append(mask)
    grid = np.full((len(PLACES), 2), GRID)
    return fo.Detections, labels, core.Masks(np.array(corners), crops, grid)


def keypoints(rng):
    xy, visible = [], rng.random((len(PLACES), N_JOINTS)) < 0.8
    visible[:, 0] = True
    for place in PLACES:
        corner, size = jitter(rng, place)
        pose = np.random.default_rng(place[2]).random((N_JOINTS, 2))
        xy.append((corner + pose * size) / GRID)
    stored = np.where(visible[:, :, None], xy, NAN)
    labels = [fo.Keypoint(points=points.tolist()) for points in stored]
    return fo.Keypoints, labels, core.Keypoints(np.array(xy), visible)


@pytest.mark.parametrize("build", [in_one_field, in_a_field_each])
@pytest.mark.parametrize("shapes", [boxes, polygons, masks, keypoints])
def test_what_is_read_is_what_was_drawn(build, shapes):
    rng = np.random.default_rng(7)
    kind, labels, geometry = shapes(rng)
    classes = rng.integers(0, 2, len(PLACES))
    drawn = {f"{i}": {rater: [] for rater in RATERS} for i in range(N_IMAGES)}
    for (image, rater, _), label, n in zip(PLACES, labels, classes, strict=True):
        label.label = ("cat", "dog")[n]
        drawn[str(image)][RATERS[rater]].append(label)
    size = {"metadata": fo.ImageMetadata(width=GRID, height=GRID)}
    made = build(kind, drawn, **(size if shapes is masks else {}))
    layout = layouts.detect_layout(made)
    found = fields.read_annotations(made, layout, shapes.__name__)
    image, rater, _ = np.array(PLACES).T
    expected = core.Annotations(
        image=image,
        rater=rater,
        label=classes,
        geometry=geometry,
        annotation_id=[label.id for label in labels],
        assigned=np.ones((N_IMAGES, 3), dtype=bool),
        images=made.values("id"),
        raters=RATERS,
        classes=("cat", "dog"),
    )
    same_labels(found, expected)
    for d_loc, distance in core.DISTANCES.items():
        if distance.shapes is type(geometry):
            same_distances(found, expected, distance)
            same_agreement(found, expected, core.Configuration(d_loc, tau=TAU))
    made.delete()


def same_labels(found, expected):
    for name in ("image", "rater", "label", "annotation_id", "assigned"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    for column, known in zip(
        found.geometry.content(), expected.geometry.content(), strict=True
    ):
        assert np.array_equal(column, known)


def same_distances(found, expected, distance):
    k, l = np.triu_indices(len(found), 1)
    measured = distance.measure(found.geometry, k, l)
    assert np.array_equal(measured, distance.measure(expected.geometry, k, l))
    assert (measured < TAU).sum() > 2  # there is something to compare


def same_agreement(found, expected, configuration):
    one = core.compute_agreement(found, configuration)
    other = core.compute_agreement(expected, configuration)
    assert np.array_equal(one.alpha, other.alpha)
    assert one.global_alpha == other.global_alpha
