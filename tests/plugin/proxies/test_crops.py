"""Crops: which labels, which pixels."""

import fiftyone as fo
import numpy as np
import pytest
from PIL import Image
from plugin_builders import (
    detection,
    detections,
    keypoint,
    label_list,
    make_dataset,
    plugin_module,
    polygon,
    square,
)

crops = plugin_module("operators.proxies.crops")
read_image = plugin_module("operators.proxies.images").read_image
KalosError = plugin_module("kalos_core").KalosError


def chosen(dataset, max_crops=100, seed=0):
    return crops.choose_crops(dataset, "gt", max_crops, np.random.default_rng(seed))


def numbered(height=10, width=20):
    """Return a picture in which each pixel tells its row and column."""
    rows, columns = np.indices((height, width))
    return np.dstack([rows, columns, rows * 0])


@pytest.mark.parametrize(
    ("labels", "rows", "columns"),
    [
        (detections(detection("x", 25, 30, 50, 40)), (3, 6), (5, 14)),
        # All pixels that a box touches, those outside of the image cut off.
        (detections(detection("x", 26, 31, 1, 1)), (3, 3), (5, 5)),
        (detections(detection("x", -10, -10, 22, 22)), (0, 1), (0, 2)),
        (detections(detection("x", 90, 95, 50, 50)), (9, 9), (18, 19)),
        (
            label_list([polygon("x", square(10, 20, 30))], fo.Polylines),
            (2, 4),
            (2, 7),
        ),
        (
            label_list([keypoint("x", (10, 20), None, (30, 50))], fo.Keypoints),
            (2, 4),
            (2, 5),
        ),
        (label_list([keypoint("x", (50, 50))], fo.Keypoints), (5, 5), (10, 10)),
    ],
)
def test_a_crop_is_the_box_around_a_label(pictured, labels, rows, columns):
    ((label, picture),) = chosen(pictured((numbered(), labels))).read()
    pixels = np.asarray(picture)
    assert label == 0
    assert (pixels[0, 0, 0], pixels[-1, -1, 0]) == rows
    assert (pixels[0, 0, 1], pixels[-1, -1, 1]) == columns


def test_no_more_than_the_cap_and_the_same_ones_every_time(pictured):
    many = [detection("cat", n, 0, 10, 10) for n in range(30)]
    few = [detection("dog", 0, n, 10, 10) for n in range(3)]
    samples = [(numbered(), detections(*many, *few)), (numbered(), detections(*many))]
    made, again = pictured(*samples), pictured(*samples)
    found = chosen(made, 5)
    assert np.bincount(found.label).tolist() == [5, 3]
    assert (np.diff(found.sample) >= 0).all()
    # Whatever ids the labels have.
    same = chosen(again, 5)
    assert (
        np.sort(same.bounds, axis=0).tolist() == np.sort(found.bounds, axis=0).tolist()
    )
    assert chosen(made, 5, seed=1).bounds.tolist() != found.bounds.tolist()


def test_every_image_is_read_once(pictured):
    labels = detections(*(detection("cat", n, 0, 10, 10) for n in range(3)))
    made = pictured((numbered(), labels), (numbered(), labels))
    reading = chosen(made).read()
    next(reading)
    for path in made.values("filepath"):  # the first is open already
        Image.new("RGB", (1, 1)).save(path)
    sizes = [picture.size for _, picture in reading]
    assert sizes[:2] == [(3, 1), (3, 1)] or sizes[0] != (1, 1)
    assert sizes[2:] == [(1, 1)] * 3


def test_pictures_are_turned_and_stretched_as_people_see_them(tmp_path):
    path = tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (20, 10)).save(path, exif=exif)
    assert read_image(path, "id").size == (10, 20)
    path = tmp_path / "deep.png"
    Image.fromarray(np.array([[1000, 1500, 2000]], np.uint16)).save(path)
    assert np.asarray(read_image(path, "id"))[0, :, 0].tolist() == [0, 127, 255]
    path = tmp_path / "clear.png"
    Image.new("RGBA", (2, 2), (9, 8, 7, 0)).save(path)
    assert read_image(path, "id").mode == "RGB"


def test_images_that_cannot_be_read_are_named(pictured, tmp_path):
    labels = detections(detection("cat", 0, 0, 50, 50))
    made = pictured((numbered(), labels))
    sample = made.first()
    (tmp_path / "0.png").write_bytes(b"no picture")
    with pytest.raises(KalosError) as raised:
        list(chosen(made).read())
    assert f"sample '{sample.id}' cannot be read from '{sample.filepath}'" in str(
        raised.value
    )
    (tmp_path / "0.png").unlink()
    with pytest.raises(KalosError, match="it does not exist"):
        list(chosen(made).read())


def test_a_label_outside_of_its_image_is_named(pictured):
    made = pictured((numbered(), detections(detection("cat", 110, 10, 20, 20))))
    with pytest.raises(KalosError) as raised:
        list(chosen(made).read())
    assert f"class 'cat' in sample '{made.first().id}' lies outside" in str(
        raised.value
    )


def test_labels_that_cover_nothing_are_refused(pictured):
    flat = pictured((numbered(), detections(detection("cat", 10, 10, 0, 20))))
    with pytest.raises(KalosError, match="positive width and height"):
        chosen(flat)
    empty = pictured((numbered(), detections()))
    with pytest.raises(KalosError, match="Field 'gt' has no labels in this view"):
        chosen(empty)
    poses = [keypoint("cat", (1, 1), (2, 2)), keypoint("dog", None, None)]
    unseen = pictured((numbered(), label_list(poses, fo.Keypoints)))
    with pytest.raises(KalosError, match="No label of class 'dog' in field 'gt'"):
        chosen(unseen)
    video = fo.Dataset()
    video.add_sample(fo.Sample(filepath="/nowhere/x.mp4"))
    with pytest.raises(KalosError, match="video"):
        chosen(video)
    video.delete()
    plain = make_dataset(fo.Sample(filepath="/nowhere/x.jpg"))
    with pytest.raises(KalosError, match="There is no field of labels"):
        chosen(plain)
    plain.delete()
