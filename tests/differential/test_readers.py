"""Files as the authors' implementation, kalos 0.8.0, reads them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from kalos.iaa import core
from kalos.utils.data_loading import load_and_preprocess_data
from random_data import rings

from kalos_core import (
    Configuration,
    compute_agreement,
    read_coco,
    read_lidc,
    read_yolo,
)

DATA = Path(__file__).parents[3] / "shared" / "data"
SIMILARITIES = {
    "box_iou": "bbox_iou_similarity",
    "polygon_iou": "segm_iou_similarity",
    "keypoint_mpjpe": "in-mpjpe_similarity",
    "volume_iou": "3D_IoU_similarity",
}
TAUS = {"keypoint_mpjpe": 0.2}
DISTANCE_OF = {
    "boxes": "box_iou",
    "polygons": "polygon_iou",
    "keypoints": "keypoint_mpjpe",
}
SEEDS = range(6)

needs_data = pytest.mark.skipif(not DATA.exists(), reason="no shared data here")


def check(made, path, kind, d_loc):
    """Compare agreement from our reader with the reference's own reading."""
    tau = TAUS.get(d_loc, 0.5)
    loaded = load_and_preprocess_data(path, kind)  # afresh: it divides in place
    mean, overall, *_, alphas, _, _ = core.calculate_iaa(
        loaded["processed_data"],
        loaded["categories"],
        "greedy",
        SIMILARITIES[d_loc],
        "category_lenient",
        1 - tau,
        False,
        False,
        False,
        loaded["all_raters"],
    )
    found = compute_agreement(made, Configuration(d_loc, tau))
    expected = np.array(list(alphas.values()))
    defined = found.status != "undefined"
    assert sorted(made.raters) == loaded["all_raters"]
    assert np.abs(found.alpha[defined] - expected[defined]).max(initial=0) < 1e-9
    # By decision: what cannot be computed is undefined and not in the mean.
    assert (expected[~defined] == 1).all()
    if defined.all():
        assert found.mean_alpha == pytest.approx(mean, abs=1e-9)
    elif defined.any():
        assert found.mean_alpha == pytest.approx(expected[defined].mean(), abs=1e-9)
    if not np.isnan(found.global_alpha):
        assert found.global_alpha == pytest.approx(overall, abs=1e-9)
    return found


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
    check(made, path, "coco-json", DISTANCE_OF[shapes])


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


def lidc(rng):
    """Return two scans with nodules of several slices, some of them missed."""
    document = {}
    for number in range(2):
        size = rng.integers(200, 512, 2)
        annotators = {f"session_{n}": [] for n in (3, 1, 2)}
        for _ in range(int(rng.integers(0, 3))):
            (outline,) = rings(rng, rng.uniform(0.3, 0.7, (1, 2)))
            depth = int(rng.integers(1, 5))
            for nodules in annotators.values():
                if rng.random() < 0.8:
                    slices = [
                        {
                            "z_position": -200.0 + 2.5 * (n + int(rng.integers(0, 2))),
                            "points": (outline * rng.uniform(0.97, 1.03) * size)
                            .clip(0, size)
                            .tolist(),
                        }
                        for n in range(depth)
                    ]
                    nodules.append({"contours": slices})
        document[f"1.2.{number}"] = {
            "study_instance_uid": f"1.2.{number}",
            "file_paths": ["a.xml"],
            "width": int(size[0]),
            "height": int(size[1]),
            "depth": 99,
            "annotators": annotators,
        }
    return document


@pytest.mark.parametrize("seed", range(4))
def test_lidc(tmp_path, seed):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(lidc(np.random.default_rng([3, seed]))))
    check(read_lidc(path), path, "lidc-idri-json", "volume_iou")


@needs_data
@pytest.mark.parametrize("shapes", ["boxes", "polygons"])
def test_cars_labelme(shapes):
    path = DATA / "cars_labelme" / "annotations.json"
    before = path.read_bytes()
    made = read_coco(path, shapes=shapes)
    assert made.n_images == 20
    assert made.n_raters == 4
    check(made, path, "coco-json", DISTANCE_OF[shapes])
    assert path.read_bytes() == before


@needs_data
def test_eight_scans_of_lidc(tmp_path):
    document = json.loads((DATA / "lidc_sample" / "annotations.json").read_text())
    kept = dict(list(document.items())[:8])
    path = tmp_path / "x.json"
    path.write_text(json.dumps(kept))
    made = read_lidc(path)
    found = check(made, path, "lidc-idri-json", "volume_iou")
    assert Counter(found.status)["computed"] > 1


@needs_data
def test_all_scans_of_lidc():
    made = read_lidc(DATA / "lidc_sample" / "annotations.json")
    assert (made.n_images, made.n_raters, len(made)) == (60, 4, 509)
    found = compute_agreement(made, Configuration("volume_iou"))
    assert -1 < found.mean_alpha < 1
