"""Instance masks: their grids, resolutions and places, and what is refused."""

import cv2
import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    detection,
    in_one_field,
    make_dataset,
    masked,
    plugin_module,
    sample,
)

KalosError = plugin_module("kalos_core").KalosError
read_annotations = plugin_module("operators.fields").read_annotations
OneField = plugin_module("operators.layouts").OneField


def read(*labels, **fields):
    """Return the masks of ana's labels in one sample, in the order given."""
    made = in_one_field(
        fo.Detections, {"x": {"ana": list(labels), "ben": []}}, **fields
    )
    try:
        found = read_annotations(made, OneField("gt"), "masks")
        place = found.annotation_id.tolist()
        return found.geometry.take(np.array([place.index(x.id) for x in labels]))
    finally:
        made.delete()


def size(width, height):
    return {"metadata": fo.ImageMetadata(width=width, height=height)}


def pixels(masks, n):
    """Return the whole image of mask ``n`` as text, one row after the other."""
    image = np.zeros(masks.grid[n], dtype=int)
    (top, left), crop = masks.corner[n], masks.crops[n]
    image[top : top + crop.shape[0], left : left + crop.shape[1]] = crop
    return [" ".join(".#"[cell] for cell in row).replace(" ", "") for row in image]


def test_a_mask_lies_in_the_box_of_its_image():
    mask = [[1, 0], [1, 1]]
    found = read(masked("cat", 25, 50, 50, 50, mask=mask), **size(4, 4))
    assert pixels(found, 0) == ["....", "....", ".#..", ".##."]


def test_a_mask_is_stretched_to_the_pixels_of_its_box():
    found = read(masked("cat", 0, 0, 100, 50, mask=[[1, 0]]), **size(4, 4))
    assert pixels(found, 0) == ["##..", "##..", "....", "...."]
    # Coarser: each pixel has the cell of its centre, columns 1 and 3 of four here.
    found = read(masked("cat", 0, 0, 100, 100, mask=[[1, 0, 0, 1]] * 4), **size(2, 2))
    assert pixels(found, 0) == [".#", ".#"]


def test_no_mask_vanishes_between_pixels():
    speck = np.zeros((8, 8))
    speck[0, 0] = 1
    found = read(masked("cat", 0, 0, 100, 100, mask=speck), **size(2, 2))
    assert pixels(found, 0) == ["#.", ".."]
    found = read(masked("cat", 50, 50, 1, 1, mask=[[1]]), **size(4, 4))
    assert pixels(found, 0) == ["....", "....", "..#.", "...."]


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, float])
def test_masks_of_any_numbers(kind):
    mask = np.array([[0, 1]], dtype=kind) * kind(1 if kind is bool else 200)
    found = read(masked("cat", 0, 0, 100, 100, mask=mask), **size(2, 1))
    assert pixels(found, 0) == [".#"]


def test_without_metadata_the_largest_mask_tells_the_grid():
    coarse = masked("cat", 0, 0, 50, 50, mask=[[1, 0], [1, 1]])
    fine = masked("cat", 50, 50, 50, 25, mask=[[1, 0, 0, 1], [1, 0, 0, 1]])
    found = read(coarse, fine)
    assert found.grid.tolist() == [[8, 8], [8, 8]]
    assert pixels(found, 0)[:4] == ["##......", "##......", "####....", "####...."]
    assert pixels(found, 1)[4:] == ["....#..#", "....#..#", "........", "........"]
    # Half of the metadata is as good as none.
    assert read(coarse, **size(100, None)).grid.tolist() == [[4, 4]]


def test_grids_are_those_of_each_image():
    made = make_dataset(
        sample("a", raters=["ana"], **size(10, 20), **gt(100, 100)),
        sample("b", raters=["ana"], **gt(50, 25)),
    )
    found = read_annotations(made, OneField("gt"), "masks")
    assert found.geometry.grid.tolist() == [[20, 10], [8, 4]]
    made.delete()


def gt(width, height):
    label = masked("cat", 0, 0, width, height, mask=[[1, 1], [1, 1]], rater="ana")
    return {"gt": fo.Detections(detections=[label])}


def test_small_boxes_do_not_blur_the_grid():
    # 1.4 pixels of 100 became a mask of 2, which alone would tell of 143.
    small = masked("cat", 10, 10, 1.4, 1.4, mask=[[1, 1], [1, 1]])
    large = masked("cat", 20, 20, 40, 40, mask=np.ones((40, 40)))
    assert read(small, large).grid.tolist() == [[100, 100]] * 2


def test_what_lies_outside_of_the_image_is_cut_off():
    mask = [[1, 1, 0, 1]] * 4
    left = read(masked("cat", -50, 0, 100, 100, mask=mask), **size(4, 4))
    assert pixels(left, 0) == [".#.."] * 4
    right = read(masked("cat", 50, 0, 100, 100, mask=mask), **size(4, 4))
    assert pixels(right, 0) == ["..##"] * 4


def test_masks_on_disk(tmp_path):
    path = str(tmp_path / "mask.png")
    cv2.imwrite(path, np.array([[0, 255], [255, 255]], dtype=np.uint8))
    found = read(detection("cat", 0, 0, 100, 100, mask_path=path), **size(2, 2))
    assert pixels(found, 0) == [".#", "##"]


ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            detection("cat", 0, 0, 50, 50),
            "must have a mask, got none. Add it, or compare boxes: shapes='boxes'",
        ),
        (
            detection("cat", 0, 0, 50, 50, mask_path="/nowhere/mask.png"),
            "must have its mask in file '/nowhere/mask.png', which cannot be read",
        ),
        (
            masked("cat", 0, 0, 50, 50, mask=np.zeros((2, 2))),
            "must have a mask with at least one pixel set, got none",
        ),
        (
            masked("cat", 0, 0, 50, 50, mask=np.ones((2, 2, 3))),
            "must have a mask of two axes, got shape (2, 2, 3)",
        ),
        (
            masked("cat", -60, 0, 50, 50, mask=ONES),
            "must have a mask inside its image, got the box [-0.6, 0.0, 0.5, 0.5]",
        ),
        (
            masked("cat", 0, 0, 0, 50, mask=ONES),
            "must have a box of positive width and height, got [0.0, 0.0, 0.0, 0.5]",
        ),
        (
            masked("cat", float("nan"), 0, 50, 50, mask=ONES),
            "must have a box of positive width and height, got [nan,",
        ),
        (masked("cat", 0, 0, 5000, 5000, mask=ONES), "which looks like pixels"),
        (masked("cat", 0, 0, 50, mask=ONES), "must have a box [x, y, w, h], got"),
    ],
)
def test_bad_masks_are_named(bad, message):
    good = masked("cat", 0, 0, 50, 50, mask=ONES)
    made = in_one_field(fo.Detections, {"003": {"ana": [good], "ben": [bad]}})
    with pytest.raises(KalosError) as caught:
        read_annotations(made, OneField("gt"), "masks")
    error = str(caught.value)
    assert message in error
    assert f"annotation '{bad.id}' (image '{made.first().id}')" in error
    assert "The file is 003.jpg" in error
    made.delete()


def test_a_slice_of_a_group():
    made = fo.Dataset()
    made.add_group_field("group", default="left")
    group = fo.Group().element("left")
    one = sample("x", group=group, **gt(50, 50))
    made.add_samples([one], dynamic=True)
    view = made.select_group_slices("left")
    found = read_annotations(view, OneField("gt", assigned="@all"), "masks")
    assert found.geometry.grid.tolist() == [[4, 4]]
    made.delete()
