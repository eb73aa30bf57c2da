"""LIDC-IDRI files as the authors' implementation, kalos 0.8.0, reads them."""

import json
from collections import Counter

import numpy as np
import pytest
from kalos.utils.data_loading import load_and_preprocess_data
from random_data import rings
from reading import DATA, check, lidc_id, needs_data, our_units, reference_units
from reference import reference_clusters

from kalos_core import Configuration, compute_agreement, read_lidc


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
    check(read_lidc(path), path, "lidc-idri-json", "volume_iou", lidc_id)


LIDC = DATA / "lidc_sample" / "annotations.json"


@needs_data
def test_all_scans_of_lidc():
    made = read_lidc(LIDC)
    assert (made.n_images, made.n_raters, len(made)) == (60, 4, 509)
    found = check(made, LIDC, "lidc-idri-json", "volume_iou", lidc_id)
    assert Counter(found.status)["computed"] > 30


def first_scan_of_lidc():
    """Return a scan of several nodules, a session's name and its nodules."""
    for image, scan in json.loads(LIDC.read_text()).items():
        for rater, nodules in scan["annotators"].items():
            if len(nodules) > 1:
                return {image: scan}, rater, nodules
    raise AssertionError("no scan of several nodules")


# Where DESIGN decides otherwise, the difference is stated.


@needs_data
def test_holes_of_lidc_are_cut_out_where_the_reference_fills_them(tmp_path):
    document, _, nodules = first_scan_of_lidc()
    path = tmp_path / "x.json"
    contours = nodules[0]["contours"]
    middle = [np.mean(c["points"], axis=0) for c in contours]
    inner = [
        {
            "z_position": c["z_position"],
            "points": ((np.array(c["points"]) + m) / 2).tolist(),
            "inclusion": False,
        }
        for c, m in zip(contours, middle, strict=True)
    ]
    path.write_text(json.dumps(document))
    before = read_lidc(path)
    nodules[0]["contours"] = contours + inner
    path.write_text(json.dumps(document))
    with_holes = read_lidc(path)
    sizes = [sum(c.sum() for c in m.geometry.crops) for m in (before, with_holes)]
    assert sizes[1] < sizes[0]
    # The reference reads the same as if there were no holes.
    check(before, path, "lidc-idri-json", "volume_iou", lidc_id)


@needs_data
def test_nodules_of_lidc_marked_by_points_are_left_out_not_units_of_their_own(tmp_path):
    document, rater, nodules = first_scan_of_lidc()
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    before = read_lidc(path)
    contour = nodules[0]["contours"][0]
    nodules.append({"contours": [contour | {"points": contour["points"][:1]}]})
    path.write_text(json.dumps(document))
    with pytest.warns(UserWarning, match="left out 1 nodules that are marked by poin"):
        made = read_lidc(path)
    assert made.annotation_id.tolist() == before.annotation_id.tolist()
    data = load_and_preprocess_data(path, "lidc-idri-json")["processed_data"]
    configuration = Configuration("volume_iou")
    theirs = reference_units(data, reference_clusters(data, configuration), lidc_id)
    ours = our_units(made, compute_agreement(made, configuration).reliability.unit_of)
    (alone,) = theirs - ours
    assert ours < theirs
    assert alone == {(0, f"{rater}/{len(nodules) - 1}")}
