"""The tables of an export, each a header and rows, from what a run stored."""

import numpy as np

from ..kalos_core import NO_OBJECT
from ..kalos_core.plain import plain

RATER = "rater:"
"""Goes before the name of a rater in a header, who may be called "kind" too."""


def images(run, filepaths):
    """Return a row for each image."""
    n_images = len(run.sample_ids)
    no_object = (run.values == NO_OBJECT).sum(axis=1)
    return _table(
        filepath=_paths(run, filepaths),
        sample_id=run.sample_ids,
        alpha=run.results.alpha,
        status=run.results.status,
        n_units=np.bincount(run.image, minlength=n_images).tolist(),
        n_no_object=np.bincount(run.image, no_object, n_images).astype(int).tolist(),
    )


def units(run, filepaths):
    """Return a row for each object that somebody drew, with what each rater said."""
    stored, image = plain(run.known), run.image.tolist()
    paths = _paths(run, filepaths)
    # Codes below 0 count from the end: NO_OBJECT is the last of these, then UNASSIGNED.
    said = [*run.classes, None, no_object_mark(run.classes)]
    who = [*run.raters, None]  # nobody is -1
    header, rows = _table(
        sample_id=[run.sample_ids[n] for n in image],
        filepath=[paths[n] for n in image],
        unit=stored["unit"],
        **{"class": [run.classes[code] for code in stored["label"]]},
        kind=stored["kind"],
        outlier=[who[rater] for rater in stored["outlier"]],
        agreement=stored["agreement"],
        gain=stored["gain"],
        area=stored["area"],
    )
    header = (*header, *(f"{RATER}{name}" for name in run.raters))
    cells = ([said[code] for code in row] for row in run.values.tolist())
    return header, [(*row, *own) for row, own in zip(rows, cells, strict=True)]


def no_object_mark(classes):
    """Return what stands for "drew nothing"; no class has that name.

    Examples
    --------
    >>> no_object_mark(["cat"]), no_object_mark(["NO_OBJECT"])
    ('NO_OBJECT', 'NO_OBJECT_')
    """
    mark = "NO_OBJECT"
    while mark in classes:
        mark += "_"
    return mark


def raters(run, filepaths):
    """Return a row for each rater: counts against the majority, and diagnoses."""
    counted, diagnosis = dict(run.results.raters), run.results.diagnosis
    vitality, looseness = diagnosis["vitality"], diagnosis["looseness"]
    return _table(
        rater=counted.pop("name"),
        **counted,
        **_estimates("vitality", vitality["mean"]),
        **_estimates("vitality_relative", vitality["relative"]),
        **_estimates("vitality_overall", vitality["overall"]),
        **_estimates("looseness", looseness["distance"]),
        **_estimates("looseness_relative", looseness["relative"]),
        looseness_cliff=looseness["cliff"],
    )


def classes(run, filepaths):
    """Return a row for each class, with its alpha."""
    difficulty = run.results.diagnosis["difficulty"]
    return _table(
        **{"class": run.classes},
        n_annotations=run.results.classes["n_annotations"],
        n_units=difficulty["n_units"],
        **_estimates("alpha", difficulty["mean"]),
        **_estimates("alpha_overall", difficulty["overall"]),
    )


def pairs(run, filepaths):
    """Return a row for every two raters, with the alpha of these two."""
    found = run.results.diagnosis["collaboration"]
    return _table(
        rater_a=[run.raters[rater] for rater in found["a"]],
        rater_b=[run.raters[rater] for rater in found["b"]],
        **_estimates("alpha", found["mean"]),
        **_estimates("alpha_overall", found["overall"]),
    )


TABLES = {
    "images.csv": images,
    "units.csv": units,
    "raters.csv": raters,
    "classes.csv": classes,
    "pairs.csv": pairs,
}


def _paths(run, filepaths):
    """Return the path of each image, or None where the sample is gone."""
    return [filepaths.get(sample_id) for sample_id in run.sample_ids]


def _estimates(name, stored):
    """Return the columns of numbers with their intervals and counts."""
    return {
        name: stored["value"],
        **{f"{name}_{part}": stored[part] for part in ("low", "high", "n_images")},
    }


def _table(**columns):
    return tuple(columns), list(zip(*columns.values(), strict=True))
