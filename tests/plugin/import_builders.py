"""Files and data sets for tests of import_annotations."""

import json
from pathlib import Path

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import make_dataset, plugin_module, sample

RATERS = ("ana", "ben", "cho")
NAMES = tuple(f"{n:03}" for n in range(12))
FILES = tuple(f"{name}.jpg" for name in NAMES)
WIDTH, HEIGHT = 200, 100


def coco(raters, images, n_labels=4, seed=0, classes=("cat", "dog")):
    """Return a COCO-style document; each rater sees most of the images."""
    rng = np.random.default_rng(seed)
    made = {
        "images": [
            {"id": n, "file_name": name, "width": WIDTH, "height": HEIGHT}
            for n, name in enumerate(images)
        ],
        "categories": [{"id": n, "name": name} for n, name in enumerate(classes)],
        "annotations": [],
    }
    for image in made["images"]:
        true = rng.uniform(0, 60, (n_labels, 2))
        seen = [r for r in raters if rng.random() < 0.8] or list(raters)
        image["rater_list"] = seen
        for rater in seen:
            for x, y in true[rng.random(n_labels) < 0.8]:
                made["annotations"].append(_annotation(made, image, rater, x, y, rng))
    return made


def _annotation(made, image, rater, x, y, rng):
    x, y = x + rng.normal(0, 1), y + rng.normal(0, 1)
    width, height = 20 + rng.normal(0, 1), 15 + rng.normal(0, 1)
    right, bottom = x + width, y + height
    return {
        "id": len(made["annotations"]),
        "image_id": image["id"],
        "rater_id": rater,
        "category_id": int(rng.integers(len(made["categories"]))),
        "bbox": [x, y, width, height],
        "segmentation": [[x, y, right, y, right, bottom], [x, y, x, bottom, x - 5, y]],
        "keypoints": [x, y, 2, right, bottom, int(rng.integers(2))],
    }


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


def boxes_only(document):
    """Return a document whose annotations have a bbox and nothing else."""
    for entry in document["annotations"]:
        entry.pop("segmentation", None)
        entry.pop("keypoints", None)
    return document


def empty_samples(*names, **options):
    return make_dataset(*(sample(name) for name in names), **options)


def image_files(folder, *names):
    """Write files that look like images by their names; nobody opens them."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


def forget(name):
    if fo.dataset_exists(name):
        fo.delete_dataset(name)


def agreements(dataset, layout, path, **options):
    """Return alphas by file name, of the data set and of the file itself."""
    core, fields = plugin_module("kalos_core"), plugin_module("operators.fields")
    configuration = core.Configuration(tau=0.4)
    stored = fields.read_annotations(dataset, layout)
    whole = core.read_coco(path, **options)
    name_of = dict(zip(*dataset.values(["id", "filepath"]), strict=True))
    found = []
    for made, name in ((stored, lambda n: Path(name_of[n]).name), (whole, str)):
        alpha = core.compute_agreement(made, configuration)
        by_name = zip(map(name, made.images), alpha.alpha, strict=True)
        found.append((dict(by_name), alpha.mean_alpha, alpha.global_alpha))
    return found


def assert_same(dataset, layout, path):
    """Assert that a data set has the alphas of the file that it was imported from."""
    (stored, *means), (whole, *expected) = agreements(dataset, layout, path)
    assert means == expected
    assert stored.keys() == whole.keys()
    for name, alpha in whole.items():
        assert stored[name] == pytest.approx(alpha, abs=0, nan_ok=True)
