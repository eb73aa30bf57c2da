"""The rendered scenes of the demo and their hidden truth."""

import hashlib
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PIL import Image, ImageDraw

from demo.cells import Stain, stain_cell
from demo.scenes import (
    CLASSES,
    HEIGHT,
    WIDTH,
    is_hard,
    lay_out,
    render_scene,
    truth,
)

N_SCENES = 160


@cache
def cells_of(index):
    return tuple(lay_out(index))


@cache
def truth_of(index):
    return truth(list(cells_of(index)))


def outline_mask(cell, margin=0):
    """Pixels of a cell on the image plus `margin`, drawn without the painter."""
    angle = np.linspace(0, 2 * np.pi, 240)
    reach = cell.reach(angle)
    x = cell.x + reach * np.cos(angle) + margin
    y = cell.y + reach * np.sin(angle) + margin
    image = Image.new("1", (WIDTH + 2 * margin, HEIGHT + 2 * margin))
    points = np.stack((x, y), axis=1).ravel().tolist()
    ImageDraw.Draw(image).polygon(points, fill=1)
    return np.asarray(image)


def one_cell(label, **changes):
    """Some cell of a class, moved to the middle of the image."""
    cell = next(c for i in range(N_SCENES) for c in cells_of(i) if c.label == label)
    return replace(cell, **{"x": 320.3, "y": 240.7, "group": -1, **changes})


def painted(cell):
    """Optical density (3, H, W) of one cell on an empty slide."""
    density = np.zeros((3, HEIGHT, WIDTH), np.float32)
    stain_cell(density, cell, Stain(1, 1, np.ones(3)), np.random.default_rng(0))
    return density


def test_a_scene_depends_on_its_arguments_only():
    first, again = render_scene(3), render_scene(3)
    np.testing.assert_array_equal(first.pixels, again.pixels)
    np.testing.assert_array_equal(first.boxes, again.boxes)
    assert first.labels == again.labels
    for other in (render_scene(4), render_scene(3, seed=1)):
        assert first.boxes.shape != other.boxes.shape or (
            np.abs(first.boxes - other.boxes).max() > 0.01
        )


def test_truth_is_pinned():
    digest = hashlib.sha256()
    for index in (0, 1, 7, 159):
        boxes, labels, group = truth_of(index)
        millionths = np.rint(boxes * 1e6).astype("<i8")
        digest.update(millionths.tobytes() + group.astype("<i8").tobytes())
        digest.update("|".join(labels).encode())
    assert digest.hexdigest()[:16] == "dd6ccc6f15d168e6"


def test_painting_does_not_touch_the_truth():
    scene = render_scene(1)
    boxes, labels, group = truth_of(1)
    np.testing.assert_array_equal(scene.boxes, boxes)
    np.testing.assert_array_equal(scene.group, group)
    assert scene.labels == labels
    assert scene.boxes.shape == (len(labels), 4)
    assert scene.pixels.shape == (HEIGHT, WIDTH, 3)
    assert scene.pixels.dtype == np.uint8


def test_boxes_lie_in_the_image():
    boxes = np.vstack([truth_of(i)[0] for i in range(N_SCENES)])
    assert boxes.min() >= 0
    assert (boxes[:, 2:] * (WIDTH, HEIGHT)).min() > 8
    assert (boxes[:, :2] + boxes[:, 2:]).max() <= 1 + 1e-12


def test_density_and_classes():
    counts = [len(cells_of(i)) for i in range(N_SCENES)]
    assert min(counts) >= 6
    assert max(counts) <= 27
    assert 12 <= np.mean(counts) <= 15
    classes = Counter(c.label for i in range(N_SCENES) for c in cells_of(i))
    assert set(classes) == set(CLASSES)
    assert min(classes.values()) >= 60
    assert classes["platelet"] >= 250


def test_groups_are_touching_red_cells():
    numbers = 0
    for index in range(N_SCENES):
        _, labels, group = truth_of(index)
        members = Counter(group[group >= 0].tolist())
        numbers += len(members)
        assert all(2 <= size <= 4 for size in members.values())
        assert all(labels[i] == "red cell" for i in np.flatnonzero(group >= 0))
    assert numbers > 100


@pytest.mark.parametrize("index", [1, 12, 27])
def test_only_members_of_a_group_overlap(index):
    parts = {}
    for position, cell in enumerate(cells_of(index)):
        key = cell.group if cell.group >= 0 else -1 - position
        parts.setdefault(key, []).append(outline_mask(cell))
    union = {key: np.any(masks, axis=0) for key, masks in parts.items()}
    assert np.sum(list(union.values()), axis=0).max() == 1
    for key, masks in parts.items():
        if key >= 0:
            # Every member shares pixels with another one of its group.
            shared = np.sum(masks, axis=0) > 1
            assert all((mask & shared).any() for mask in masks)


def test_cut_cells_are_visible_and_their_boxes_end_on_the_border():
    cut, margin = 0, 110
    window = (slice(margin, -margin), slice(margin, -margin))
    for index in range(0, N_SCENES, 5):
        for cell, box in zip(cells_of(index), truth_of(index)[0], strict=True):
            beyond = min(cell.x, cell.y, WIDTH - cell.x, HEIGHT - cell.y)
            if beyond > cell.radius:
                continue
            mask = outline_mask(cell, margin)
            if mask[window].sum() < 0.95 * mask.sum():
                cut += 1
                assert mask[window].sum() >= 0.4 * mask.sum()
                edges = (box[0], box[1], 1 - box[0] - box[2], 1 - box[1] - box[3])
                assert min(map(abs, edges)) < 1e-12
    assert cut > 20


@pytest.mark.parametrize("x", [320.3, 9.0])
@pytest.mark.parametrize("label", CLASSES)
def test_box_is_tight_around_the_painted_cell(label, x):
    cell = one_cell(label, x=x)
    seen = painted(cell).max(axis=0) > 0.06
    columns, rows = np.flatnonzero(seen.any(axis=0)), np.flatnonzero(seen.any(axis=1))
    left, top, width, height = truth([cell])[0][0] * (WIDTH, HEIGHT, WIDTH, HEIGHT)
    found = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    expected = (left, top, left + width, top + height)
    np.testing.assert_allclose(found, expected, atol=3)


def test_pixels_differ_from_the_background_inside_the_boxes():
    scene = render_scene(1)
    inside = np.zeros((HEIGHT, WIDTH), bool)
    for left, top, width, height in scene.boxes * (WIDTH, HEIGHT, WIDTH, HEIGHT):
        rows = slice(int(top), int(top + height) + 1)
        inside[rows, int(left) : int(left + width) + 1] = True
    background = np.median(scene.pixels[~inside], axis=0)
    contrast = np.abs(scene.pixels - background).mean(axis=2)
    assert contrast[inside].mean() > 3 * contrast[~inside].mean()
    assert np.quantile(contrast[~inside], 0.99) < 30


def test_red_cells_are_pale_in_the_centre_and_darken_where_they_overlap():
    cell = one_cell("red cell", waves=())
    radius = int(cell.radius)
    green = painted(cell)[1]
    ring = green[240, [320 - radius + 4, 320 + radius - 4]]
    assert green[238:243, 318:323].mean() < 0.8 * ring.min()
    group = [c for c in cells_of(1) if c.group == 0]
    shared = np.sum([outline_mask(c) for c in group], axis=0)
    light = render_scene(1).pixels.mean(axis=2)
    assert light[shared > 1].mean() < 0.9 * light[shared == 1].mean()


def test_empty_scenes_have_no_cells_but_a_background():
    scene = render_scene(6, empty=True)
    assert scene.boxes.shape == (0, 4)
    assert scene.group.shape == (0,)
    assert scene.labels == ()
    assert scene.pixels.min() > 150
    assert 1 < scene.pixels.std(axis=(0, 1)).mean() < 12


def test_hard_scenes_are_crowded():
    hard = [i for i in range(N_SCENES) if is_hard(i)]
    assert 12 <= len(hard) <= 20
    easy = [i for i in range(N_SCENES) if not is_hard(i)]

    def mean(indices, wanted):
        return np.mean([sum(map(wanted, cells_of(i))) for i in indices])

    def is_platelet(cell):
        return cell.label == "platelet"

    def is_grouped(cell):
        return cell.group >= 0

    assert mean(hard, is_platelet) > 2 * mean(easy, is_platelet)
    assert mean(hard, is_grouped) > 2 * mean(easy, is_grouped)
