"""Files as the authors' implementation, kalos 0.8.0, reads them."""

import json

import numpy as np
import pytest
from kalos.utils.data_loading import load_and_preprocess_data
from random_data import rings
from reading import DATA, check, coco_id, needs_data

from kalos_core import read_coco, read_yolo

DISTANCE_OF = {
    "boxes": "box_iou",
    "polygons": "polygon_iou",
    "keypoints": "keypoint_mpjpe",
}
SEEDS = range(6)


def shape(rng, size):
    """Return one object in pixels, and a function that draws it again."""
    centre = rng.uniform(0.3, 0.7, (1, 2))
    (outline,) = rings(rng, centre)
    joints = centre + rng.normal(0, 0.1, (5, 2))

    def draw():
        ring = (outline + rng.normal(0, 0.01, outline.shape)) * size
        low, high = ring.min(axis=0), ring.max(axis=0)
        visible = np.r_[2, rng.integers(0, 3, 4)]
        drawn = (joints + rng.normal(0, 0.05, joints.shape)) * size * visible[:, None]
        # A small part of its own makes a polygon of two, which may overlap.
        part = low + (high - low) * [[0, 0], [0.3, 0], [0.3, 0.3]]
        parts = [ring, part] if rng.random() < 0.3 else [ring]
        return {
            "bbox": np.r_[low, high - low].tolist(),
            "segmentation": [part.ravel().tolist() for part in parts],
            "keypoints": np.c_[drawn / visible.clip(1)[:, None], visible]
            .ravel()
            .tolist(),
        }

    return draw


def coco(rng, in_sessions):
    """Return a document with misses, class swaps and raters who were not asked."""
    people = ["ana", "kim", "lee", "eve"]
    raters = [(p, s) for p in people[:2] for s in (1, 2)] if in_sessions else people
    images, annotations = [], []
    for number in range(6):
        size = rng.integers(50, 400, 2)
        asked = [rater for rater in raters if rng.random() < 0.8]
        listed = asked
        if in_sessions:
            listed = {p: [s for q, s in asked if q == p] for p, _ in asked}
        images.append(
            {
                "id": 10 + number,
                "file_name": f"{9 - number}.jpg",
                "width": int(size[0]),
                "height": int(size[1]),
                "rater_list": listed,
            }
        )
        for _ in range(int(rng.integers(0, 4))):
            draw, label = shape(rng, size), int(rng.integers(1, 4))
            for rater in asked:
                if rng.random() < 0.85:
                    person, session = rater if in_sessions else (rater, None)
                    other = int(rng.integers(1, 4))
                    annotations.append(
                        {
                            "id": len(annotations),
                            "image_id": 10 + number,
                            "category_id": label if rng.random() < 0.8 else other,
                            "rater_id": person,
                            "session_id": session,
                        }
                        | draw()
                    )
    rng.shuffle(annotations)
    names = [{"id": n, "name": name} for n, name in enumerate("cba", 1)]
    return {"images": images, "annotations": annotations, "categories": names}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("in_sessions", [False, True])
@pytest.mark.parametrize("shapes", DISTANCE_OF)
def test_coco(tmp_path, shapes, in_sessions, seed):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(coco(np.random.default_rng([1, seed]), in_sessions)))
    made = read_coco(path, shapes=shapes)
    assert len(made) > 5
    check(made, path, "coco-json", DISTANCE_OF[shapes], coco_id)


@pytest.mark.parametrize("shapes", DISTANCE_OF)
def test_coordinates_are_the_same_floats(tmp_path, shapes):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(coco(np.random.default_rng(3), False)))
    made = read_coco(path, shapes=shapes).geometry
    key = {"boxes": "bbox", "polygons": "segmentation"}.get(shapes, shapes)
    images = load_and_preprocess_data(path, "coco-json")["processed_data"].values()
    rows = [
        entry[key]
        for image in images
        for _, entries in sorted(image["annotations_by_rater"].items())
        for entry in sorted(entries, key=lambda entry: str(entry["id"]))
    ]
    assert rows
    if shapes == "boxes":
        assert made.xywh.tolist() == rows
    elif shapes == "keypoints":
        theirs = np.array(rows).reshape(len(rows), -1, 3)
        assert np.array_equal(made.visible, theirs[:, :, 2] > 0)
        assert np.array_equal(made.xy[made.visible], theirs[theirs[:, :, 2] > 0, :2])
    else:
        outlines = [np.array(row[0]).reshape(-1, 2) for row in rows if len(row) == 1]
        single = [n for n, row in enumerate(rows) if len(row) == 1]
        for n, outline in zip(single, outlines, strict=True):
            assert set(made.shapes[n].exterior.coords) == set(map(tuple, outline))


def test_unassigned_annotations_are_dropped_as_in_the_reference(tmp_path):
    document = coco(np.random.default_rng(5), False)
    image = document["images"][0]
    before = len(document["annotations"])
    stray = {"id": "stray", "image_id": image["id"], "rater_id": "nobody"}
    drawn = shape(np.random.default_rng(5), np.array([50, 50]))()
    document["annotations"].append(stray | {"category_id": 1} | drawn)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    with pytest.warns(UserWarning, match=r"dropped 1 annotations .* 'nobody' \(1\)"):
        made = read_coco(path, on_unassigned="drop")
    assert len(made) == before
    check(made, path, "coco-json", "box_iou")


@pytest.mark.parametrize("seed", SEEDS)
def test_yolo(tmp_path, seed):
    rng = np.random.default_rng([2, seed])
    folders = ["ana_S1", "ana_S2", "kim", "lee"]
    (tmp_path / "data.yaml").write_text(
        ["names: [x, y, z]", "names:\n- x\n- y\n- z\n", "names:\n 0: x\n 1: y\n 2: z"][
            seed % 3
        ]
    )
    for folder in folders:
        (tmp_path / folder).mkdir()
    for image in range(5):
        asked = [folder for folder in folders if rng.random() < 0.8]
        lines = {folder: [] for folder in asked}
        for _ in range(int(rng.integers(0, 4))):
            box = np.r_[rng.uniform(0.2, 0.8, 2), rng.uniform(0.1, 0.3, 2)]
            for folder in asked:
                drawn = box * rng.uniform(0.9, 1.1, 4)
                text = " ".join(f"{value:.6f}" for value in drawn)
                lines[folder].append(f"{rng.integers(0, 3)} {text}")
        for folder in asked:
            (tmp_path / folder / f"{image}.txt").write_text("\n".join(lines[folder]))
    made = read_yolo(tmp_path)
    assert len(made)
    check(made, tmp_path, "yolo", "box_iou")


@needs_data
@pytest.mark.parametrize("shapes", ["boxes", "polygons"])
def test_cars_labelme(shapes):
    path = DATA / "cars_labelme" / "annotations.json"
    before = path.read_bytes()
    made = read_coco(path, shapes=shapes)
    assert made.n_images == 20
    assert made.n_raters == 4
    check(made, path, "coco-json", DISTANCE_OF[shapes], coco_id)
    assert path.read_bytes() == before
