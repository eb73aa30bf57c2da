"""What tests of an export build, and how they read files back."""

import csv
import json
from pathlib import Path

import numpy as np
from plugin_builders import detection, detections, make_dataset, plugin_module, sample

csv_files = plugin_module("operators.csv_files")
TABLES = ["images.csv", "units.csv", "raters.csv", "classes.csv", "pairs.csv"]
ALL = ["run.json", *TABLES, "kalos_checkpoint.json"]
ODD = [
    "=1+1",
    "@x",
    "-2",
    "+3",
    "\ttab",
    "'=y",
    "'tis",
    "<b>z</b>",
    'a"b',
    "c\nd",
    "e,f",
]
ODD += ["g.h", "$i", "🐈", "None", "NO_OBJECT", "kind", "x" * 200]


def table(folder, name):
    """Return a table as dicts, as any reader of CSV would, with text as written."""
    with open(Path(folder, name), encoding=csv_files.ENCODING, newline="") as file:
        return [
            {csv_files.as_written(n): csv_files.as_written(v) for n, v in row.items()}
            for row in csv.DictReader(file)
        ]


def load(folder, name="run.json"):
    return json.loads(Path(folder, name).read_text(encoding="utf-8"))


def number(cell):
    return None if cell == "" else float(cell)


def odd_dataset():
    """Return images with raters and classes of odd names, on which they disagree."""
    rng, samples = np.random.default_rng(0), []
    for n in range(6):
        raters = [ODD[k] for k in rng.permutation(len(ODD))[:4]]
        boxes = []
        for x in (5, 40, 75):
            for rater in raters[: rng.integers(2, 5)]:
                label = ODD[rng.integers(len(ODD))]
                boxes.append(detection(label, x + rng.normal(), 5, 20, 20, rater=rater))
        samples.append(sample(f"=odd, {n}", gt=detections(*boxes), raters=raters))
    return make_dataset(*samples)
