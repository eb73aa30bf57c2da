"""The fit of a whole data set: what is fitted, what falls back, and what it says."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd, rated_boxes

from kalos_core import Annotations, Boxes, KalosError
from kalos_core.noise import extract_differences, fit_noise
from kalos_core.noise.parameters import NoiseParameters, default_parameters

COMPONENTS = 21
"""Rows of the table: every law and rate, and the transition."""


@pytest.fixture(scope="module")
def fitted():
    return fit_noise(crowd(5, n=4000, n_images=250))


def rows(fit):
    return {row.component: row for row in fit.table}


def test_every_component_has_a_row_and_a_source(fitted):
    table = rows(fitted)
    assert len(table) == COMPONENTS
    assert set(table) <= set(fitted.parameters.source)
    assert {"category.temperature", "category.n_nearest"} <= set(
        fitted.parameters.source
    )


def test_boxes_at_random_are_mostly_of_another_class(fitted):
    """Of three classes, two in three are another one."""
    table = rows(fitted)
    [rate] = table["category.rate"].estimates
    assert rate.low < 2 / 3 < rate.high
    assert table["unmatched.rate"].fitted
    assert table["localization.shift.width"].fitted
    assert fitted.transition.shape == (3, 3)
    np.testing.assert_allclose(fitted.transition.sum(axis=1), 1)


def test_it_is_plain_json_and_comes_back(fitted):
    values = json.loads(json.dumps(fitted.as_json()))
    assert NoiseParameters.from_json(values["parameters"]) == fitted.parameters
    assert values["classes"] == ["a", "b", "c"]
    assert len(values["table"]) == COMPONENTS
    assert values["table"][0]["estimates"][0]["name"] == "intercept"


def test_it_reads_as_text(fitted):
    text = str(fitted)
    assert "unmatched.rate: Bayesian Poisson regression, n = " in text
    assert "Mann-Whitney U" in text
    assert " to " in text


def test_names_and_order_of_raters_do_not_matter(fitted):
    made = crowd(5, n=4000, n_images=250)
    order = np.array([4, 2, 0, 1, 3])
    other = fit_noise(
        replace(
            made,
            rater=np.argsort(order)[made.rater],
            assigned=made.assigned[:, order],
            raters=tuple("vwxyz"),
            identity=(),
        )
    )
    for name in ("unmatched.rate", "category.rate", "localization.shift.height"):
        for one, again in zip(
            rows(fitted)[name].estimates, rows(other)[name].estimates, strict=True
        ):
            assert again.value == pytest.approx(one.value, rel=1e-4), name
    np.testing.assert_allclose(other.transition, fitted.transition, atol=1e-12)


def test_one_class_without_mistakes_falls_back_and_says_so():
    fit = fit_noise(rated_boxes(np.random.default_rng(0), n_images=10))
    table, default = rows(fit), default_parameters()
    assert fit.parameters.category == default.category
    assert table["category.rate"].verdict == (
        "fell back to the defaults because there is 1 class, and a mistake needs two"
    )
    assert (
        "there are 0 values, and a fit needs 30"
        in table["category.shift.width"].verdict
    )
    assert "paper: 0.026" in fit.parameters.source["category.rate"]
    assert "as of localization" in fit.parameters.source["category.shift.width"]
    assert fit.transition.tolist() == [[0]]
    # All that are unmatched overlap with each other: they were shifted too far.
    assert "there are 0 unmatched labels" in table["unmatched.rate"].verdict
    assert table["localization.shift.width"].fitted
    right, down, left, up = fit.parameters.localization.direction.weights
    assert table["localization.direction"].fitted
    assert (right, down) == (pytest.approx(left, abs=1e-6), pytest.approx(up, abs=1e-6))


@pytest.mark.parametrize(("reference", "fragmented"), [("ana", 1), ("ben", 0)])
def test_splits_count_whichever_side_has_the_whole(annotations, reference, fragmented):
    lines = (
        "ana: train 40 5 40 20",
        "ben: train 40 5 20 20",
        "ben: train 60 5 20 20",
        *(f"{rater}: cat 5 40 10 10" for rater in ("ana", "ben")),
        *(f"{rater}: cat 50 50 40 40" for rater in ("ana", "ben")),
    )
    made = annotations(*(f"{image:02} {line}" for image in range(12) for line in lines))
    fit = fit_noise(made, reference=reference)
    assert fit.parameters.topology.fragmented == fragmented
    (row,) = [row for row in fit.table if row.component == "topology.fragmented"]
    assert row.verdict.startswith("fitted")
    # Of combinations that people made, not all can be made elsewhere.
    assert ("likely partner" in row.verdict) == (fragmented == 0)
    row = rows(fit)["topology.susceptibility"]
    assert row.fitted
    # Every label of the reference, and the wholes of whoever has them.
    assert row.n == (3 if fragmented else 5) * 12


def test_two_images_fall_back_altogether(annotations):
    fit = fit_noise(
        annotations(
            "x ana: cat 10 10 20 20",
            "x ben: cat 11 14 24 20",
            "y ana: dog 50 50 30 30",
            "y ben: dog 50 50 30 30",
        ),
        reference="ana",
    )
    default = default_parameters()
    assert replace(fit.parameters, source=default.source) == default
    assert not any(row.fitted for row in fit.table)
    assert all("because" in row.verdict for row in fit.table)
    table = rows(fit)
    assert table["category.rate"].n == 2
    assert "there is no category mistake in 2 pairs" in table["category.rate"].verdict
    assert "there are 0 splits" in table["topology.fragmented"].verdict
    assert "there are 2 pairs of raters" in table["unmatched.rate"].verdict


def test_the_unmatched_rate_is_sampled_where_emcee_is(monkeypatch):
    for name, few in (("N_CHAINS", 2), ("N_BURN_IN", 20), ("N_STEPS", 100)):
        monkeypatch.setattr(f"kalos_core.noise.fitting.poisson_sampling.{name}", few)
    made = crowd(5, n=300, n_images=20)
    sampled, best = fit_noise(made), fit_noise(made, bayesian=False)
    row = rows(sampled)["unmatched.rate"]
    assert row.model == "Bayesian Poisson regression"
    assert row.tests[0].test == "R-hat of the intercept"
    [_, slope] = rows(best)["unmatched.rate"].estimates
    assert slope.low < sampled.parameters.unmatched.rate.slope < slope.high
    assert rows(best)["unmatched.rate"].model == "Poisson regression"
    monkeypatch.setitem(sys.modules, "emcee", None)
    assert rows(fit_noise(made))["unmatched.rate"] == rows(best)["unmatched.rate"]


def test_other_defaults_are_taken():
    given = replace(
        default_parameters(),
        topology=replace(default_parameters().topology, kappa=0.7),
        source={"topology": "a guess"},
    )
    fit = fit_noise(rated_boxes(np.random.default_rng(0), n_images=4), defaults=given)
    assert fit.parameters.topology.kappa == 0.7
    assert fit.parameters.source["topology.kappa"].endswith("a guess")


@pytest.mark.parametrize("n_raters", [1, 2])
def test_nothing_at_all_falls_back(n_raters):
    nothing = Annotations(
        [],
        [],
        [],
        Boxes([]),
        [],
        np.ones((3, n_raters), bool),
        list("abc"),
        list("xy"[:n_raters]),
        ["cat"],
    )
    fit = fit_noise(nothing)
    default = default_parameters()
    assert replace(fit.parameters, source=default.source) == default


def test_with_a_reference_what_is_added_is_told_from_what_is_missed():
    """Ben adds a box to every image, and misses one in every third."""
    rng = np.random.default_rng(0)
    n_images = 60
    rows_of = []
    for image in range(n_images):
        for place in range(3):
            box = [0.05 + 0.3 * place, 0.1, 0.2, rng.uniform(0.1, 0.3)]
            rows_of.append((image, 0, box))
            if image % 3 or place:
                rows_of.append((image, 1, box))
        rows_of.append((image, 1, [0.1, 0.7, 0.1, 0.1]))
    made = Annotations(
        [row[0] for row in rows_of],
        [row[1] for row in rows_of],
        [0] * len(rows_of),
        Boxes([row[2] for row in rows_of]),
        [f"{n:04}" for n in range(len(rows_of))],
        np.ones((n_images, 2), bool),
        [f"{n:03}" for n in range(n_images)],
        ["ana", "ben"],
        ["cat"],
    )
    assert fit_noise(made, reference="ana").parameters.unmatched.added == 0.75
    assert fit_noise(made, reference="ben").parameters.unmatched.added == 0.25
    assert fit_noise(made).parameters.unmatched.added == 0.5
    assert extract_differences(made).counts.n_unmatched.sum() == 2 * 80


def test_the_defaults_shift_boxes_as_people_do():
    """Of typical boxes the median IoU is about 0.8, and few are ruined."""
    rng, n = np.random.default_rng(0), 4000
    shift = default_parameters().localization.shift
    area = np.exp(rng.uniform(np.log(0.005), np.log(0.4), n))
    angle = default_parameters().localization.direction.draw(n, rng)
    away = shift.translation.draw(area, rng) * np.array([np.cos(angle), np.sin(angle)])
    side = np.sqrt(area)
    sign = rng.choice([-1, 1], (2, n))
    laws = shift.width, shift.height
    new = side * np.exp(sign * [law.draw(area, rng) for law in laws])
    shared = np.minimum((side + new) / 2 - np.abs(away), np.minimum(side, new))
    overlap = shared.clip(0).prod(axis=0)
    iou = overlap / (area + new.prod(axis=0) - overlap)
    assert 0.78 < np.median(iou) < 0.92
    assert np.mean(iou < 0.5) < 0.03


def test_the_defaults_hold_what_the_paper_prints():
    default = default_parameters()
    assert (default.category.rate, default.category.temperature) == (0.026, 0.1)
    assert default.category.n_nearest == 10
    assert (default.topology.angle.a, default.topology.angle.b) == (4.53, 0.53)
    assert default.topology.kappa == 0.2
    assert default.unmatched.rate.slope == 0.021
    slopes = {"LVIS": 0.021, "VinDr-CXR": 0.256}
    assert default.alternatives == {"unmatched.rate.slope": slopes}
    assert "paper" in default.source["alternatives"]


@pytest.mark.parametrize(
    ("group", "name", "value", "message"),
    [
        ("unmatched", "added", 7, "a part of added labels from 0 to 1"),
        ("category", "rate", float("nan"), "a rate from 0 to 1"),
        ("category", "rate", -1, "a rate from 0 to 1"),
        ("category", "temperature", -1, "a temperature above 0"),
        ("category", "n_nearest", 0, "at least one nearest class"),
        ("category", "n_nearest", float("nan"), "n_nearest must be a whole number"),
        ("category", "n_nearest", float("inf"), "n_nearest must be a whole .* got inf"),
        ("category", "n_nearest", 2.7, "n_nearest must be a whole number, got 2.7"),
        ("category", "rate", 10**400, "rate must be a number below"),
        ("topology", "kappa", float("nan"), "a finite kappa"),
        ("topology", "fragmented", 2, "a part of splits from 0 to 1"),
        ("topology", "angle", 3, "must be an object of a, b, got 3"),
        ("localization", "speed", 1, "unknown 'speed'"),
    ],
)
def test_wrong_numbers_in_a_file_are_named(group, name, value, message):
    values = default_parameters().as_json()
    values[group][name] = value
    with pytest.raises(KalosError, match=f"parameters, {group}.*{message}"):
        NoiseParameters.from_json(values)


@pytest.mark.parametrize("n", [0, 2, 4])
def test_a_similarity_is_of_the_classes_that_there_are(n):
    message = rf"must be of shape \(3, 3\).*got shape \({n}, {n}\)"
    with pytest.raises(KalosError, match=message):
        fit_noise(crowd(5, n=40, n_images=10), similarity=np.ones((n, n)))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("areas", [0.1], r"areas must be a list of 2 numbers, got \[0.1\]"),
        ("areas", [], r"areas must be a list of 2 numbers, got \[\]"),
        ("areas", {"low": 0}, "areas must be a list of 2 numbers, got {'low'"),
        ("areas", [0.2, 0.1], "two areas from 0 to 1, the lower one first"),
        ("nu", float("inf"), "a finite nu > 0 .*got .*nu=inf"),
        ("nu", 0, "a finite nu > 0"),
    ],
)
def test_wrong_numbers_of_a_law_are_named(name, value, message):
    values = default_parameters().as_json()
    values["localization"]["shift"]["width"][name] = value
    where = "parameters, localization, shift, width"
    with pytest.raises(KalosError, match=f"{where}.*{message}"):
        NoiseParameters.from_json(values)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("source", [1, 2], r"source must be an object, got \[1, 2\]"),
        ("source", {"category": 1}, "source, category must be a text, got 1"),
        ("alternatives", [1], r"alternatives must be an object, got \[1\]"),
        ("alternatives", {"a": 1}, "alternatives, a must be an object, got 1"),
        ("alternatives", {"a": {"b": "c"}}, "alternatives, a, b must be a number"),
    ],
)
def test_wrong_words_in_a_file_are_named(name, value, message):
    with pytest.raises(KalosError, match=f"parameters, {message}"):
        NoiseParameters.from_json({**default_parameters().as_json(), name: value})


def test_a_law_of_two_ends_needs_both():
    with pytest.raises(KalosError, match="must have two areas"):
        replace(default_parameters().localization.shift.width, areas=(0.1,))


def test_of_a_whole_fit_it_is_told_what_to_take(fitted):
    with pytest.raises(KalosError, match=r"all of a fit.*Take its \['parameters'\]"):
        NoiseParameters.from_json(fitted.as_json())
