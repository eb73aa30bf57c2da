"""Fits of noise as runs: what they hold, what is simulated by them, what is refused."""

import json
from itertools import chain

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
)

KalosError = plugin_module("kalos_core").KalosError
noise = plugin_module("kalos_core.noise")
noise_fits = plugin_module("operators.noise_fits")


@pytest.fixture
def fit():
    return operator("fit_noise")


@pytest.fixture
def known():
    """Return boxes of a truth and of a rater who moves them by 2 % of the image."""
    rng = np.random.default_rng(1)

    def boxes():
        for place in range(16):
            x, y = 5 + 23 * (place % 4), 5 + 23 * (place // 4)
            angle = rng.choice(4) * np.pi / 2 + rng.normal(0, 0.2)
            step = 2 + 0.3 * rng.standard_t(4)
            yield detection("cell", x, y, 12, 12, rater="truth")
            moved = x + step * np.cos(angle), y + step * np.sin(angle)
            yield detection("cell", *moved, 12.5, 11.5, rater="ana")

    names = ["truth", "ana"]
    made = make_dataset(
        *(sample(f"{n}", gt=detections(*boxes()), raters=names) for n in range(40))
    )
    yield made
    made.delete()


def row(found, component):
    return next(one for one in found["table"] if one["component"] == component)


def test_what_was_planted_is_found_and_the_rest_says_why_not(fit, known):
    found = fit(known, "gt", reference="truth")
    translation = row(found, "localization.shift.translation")
    intercept = translation["estimates"][0]
    assert translation["fitted"] and intercept["value"] == pytest.approx(0.02, abs=2e-3)
    for component in ("topology.angle", "category.shift.translation"):
        missing = row(found, component)
        assert not missing["fitted"] and missing["n"] == 0
        assert missing["verdict"].startswith("fell back to the defaults because")
    assert noise_fits.keys(known) == ["noise"]
    stored = known.load_run_results("noise", cache=False)
    assert stored.parameters == found["parameters"]
    assert json.loads(json.dumps(found)) == found
    operator("delete_run")(known, "noise")
    assert noise_fits.keys(known) == []


def test_raters_are_simulated_by_a_fit(fit, known, tmp_path):
    found = fit(known, "gt", reference="truth", run_key="mine")
    path = tmp_path / "noise.json"
    noise.NoiseParameters.from_json(found["parameters"]).write(path)
    options = {"rater": "truth", "n_raters": 2, "seed": 4}
    simulate = operator("simulate_raters")
    simulate(known, "gt", parameters="mine", field="by_fit", **options)
    simulate(known, "gt", parameters=path, field="by_file", **options)
    simulate(known, "gt", field="by_default", **options)
    boxes = {
        name: known.values(f"{name}.detections.bounding_box")
        for name in ("by_fit", "by_file", "by_default")
    }
    assert boxes["by_fit"] == boxes["by_file"] != boxes["by_default"]
    assert median_shift(known, "by_fit") == pytest.approx(0.02, abs=0.002)
    assert abs(median_shift(known, "by_default") - 0.02) > 0.005


def median_shift(dataset, field):
    """Return how far the middles of labels were moved that were only moved."""
    ids, boxes = dataset.values(["gt.detections.id", "gt.detections.bounding_box"])
    was = dict(zip(chain(*ids), chain(*boxes), strict=True))
    view = dataset.filter_labels(field, fo.ViewField("error") == "localization")
    path = f"{field}.detections"
    references, moved = view.values([f"{path}.reference_ids", f"{path}.bounding_box"])
    old = np.array([was[one] for (one,) in chain(*references)])
    new = np.array([*chain(*moved)])
    step = (new - old)[:, :2] + (new - old)[:, 2:] / 2
    return np.median(np.hypot(*step.T))


def test_mistaken_classes_are_those_of_the_fit(fit, known):
    made = known.clone()
    raters, classes = made.values(["gt.detections.rater", "gt.detections.label"])
    for image, names in enumerate(classes):
        for n, rater in enumerate(raters[image]):
            names[n] = ("cat", "dog", "owl")[n // 2 % 3]
            if rater == "ana" and names[n] == "cat" and (image + n) % 5 == 0:
                names[n] = "dog"
    made.set_values("gt.detections.label", classes)
    found = fit(made, "gt", reference="truth")
    cat, dog, owl = (found["classes"].index(name) for name in ("cat", "dog", "owl"))
    assert found["transition"][cat][dog] > 0.9 > 0.1 > found["transition"][cat][owl]
    simulate = operator("simulate_raters")
    simulate(made, "gt", rater="truth", parameters="noise", magnitude=3)
    path = "simulated.detections"
    view = made.filter_labels("simulated", fo.ViewField("error") == "category")
    ids, names = made.values(
        [f"gt.detections.{n}" for n in ("id", "label")], unwind=True
    )
    was = dict(zip(ids, names, strict=True))
    references, labels = view.values([f"{path}.reference_ids", f"{path}.label"])
    became = zip(chain(*references), chain(*labels), strict=True)
    of_cats = [label for (old,), label in became if was[old] == "cat"]
    assert len(of_cats) > 50 and of_cats.count("dog") / len(of_cats) > 0.8
    made.delete()


def test_classes_that_the_fit_does_not_know_are_mistaken_evenly():
    transition = {"a": {"a": 0, "b": 0.25, "c": 0.75}, "b": {}, "c": {}}
    found = noise_fits.aligned(transition, ("a", "b", "x"))
    np.testing.assert_allclose(found, [[0, 1, 0], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    assert noise_fits.aligned(transition, ("x", "y")) is None
    assert noise_fits.aligned(None, ("a",)) is None
    np.testing.assert_array_equal(noise_fits.aligned(transition, ("a",)), [[0]])


def test_what_is_wrong_is_refused_and_nothing_written(fit, known, snapshot):
    fit(known, "gt")
    before = snapshot(known)
    with pytest.raises(KalosError, match="Noise fit 'noise' exists"):
        fit(known, "gt")
    with pytest.raises(KalosError, match=r"'eve'.*truth"):
        fit(known, "gt", reference="eve", overwrite=True)
    assert snapshot(known) == before
    operator("calibrate")(known, "gt")
    with pytest.raises(KalosError, match="Run 'calibration' is not a noise fit"):
        fit(known, "gt", run_key="calibration", overwrite=True)


def test_the_app_is_told_what_was_found(fit, known, context):
    ctx = context(known, {"reference": "truth"})
    told = [one.body.params for one in fit.execute(ctx)]
    assert "The fit 'noise' is stored" in told[-2]["label"]
    assert "topology.angle" in told[-2]["label"]
    form = fit.resolve_input(context(known, {})).to_json()["type"]["properties"]
    assert form["run_key"]["default"] == "noise_2"
    form = fit.resolve_input(context(known, {"run_key": "noise"})).to_json()
    assert {"problem", "overwrite"} <= set(form["type"]["properties"])


def test_similar_classes_are_tested_and_taken(fit, known, tmp_path):
    names, rng = list("abcdefgh"), np.random.default_rng(2)
    made = known.clone()
    labels = [
        # Of each two neighbours one is now and then taken for the other.
        [
            names[n // 2 % 8 ^ (by == "ana" and rng.random() < 0.3)]
            for n, by in enumerate(image)
        ]
        for image in made.values("gt.detections.rater")
    ]
    made.set_values("gt.detections.label", labels)
    near = np.kron(np.eye(4), [[1, 0.8], [0.8, 1]])
    path = tmp_path / "similarity.json"
    path.write_text(json.dumps({"classes": names, "similarity": near.tolist()}))
    found = fit(made, "gt", reference="truth", similarity=path)
    similar = row(found, "category.similarity")
    assert similar["verdict"] == "similar classes are confused: r is above 0"
    assert similar["tests"][0]["p_value"] < 0.05
    assert found["transition"][0][1] > 0.99
    made.delete()


def test_the_form_asks_how_to_fit(fit, known, context):
    def form(**params):
        shown = fit.resolve_input(context(known, params)).to_json()
        return shown["type"]["properties"]

    assert form()["bayesian"]["default"] is True  # emcee is there in tests
    assert form()["seed"]["default"] == 51
    assert form()["similarity"]["default"] == ""
    assert "clip_model" not in form()
    assert "clip_model" in form(similarity="@clip")
    ctx = context(known, {"reference": "truth", "bayesian": False, "similarity": ""})
    list(fit.execute(ctx))
    assert noise_fits.keys(known) == ["noise"]


def test_half_of_a_fit_moves_less(fit, known):
    fit(known, "gt", reference="truth")
    simulate = operator("simulate_raters")
    options = {"rater": "truth", "n_raters": 2, "seed": 4, "parameters": "noise"}
    simulate(known, "gt", field="all_of_it", **options)
    simulate(known, "gt", field="half", halved=True, **options)
    ratio = median_shift(known, "half") / median_shift(known, "all_of_it")
    assert ratio == pytest.approx(0.5**0.5, rel=0.05)
