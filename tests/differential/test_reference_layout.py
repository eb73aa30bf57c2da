"""The layout of kalos 0.8.0, against the file that it writes itself."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from kalos import config
from kalos.iaa import plotting_execution
from pipeline import run_pipeline
from reference import ours, random_rows

from kalos_core import (
    Configuration,
    KalosError,
    compute_agreement,
    diagnose,
    reference_results,
)

SESSIONS = [f"{person} (S{n})" for person in ("ana", "ben", "cho") for n in "12"]
TAUS = {"box_iou": 0.5, "polygon_iou": 0.7, "keypoint_mpjpe": 0.2}


def write(assigned, rows, names, configuration, thresholds, folder, monkeypatch):
    """Return what the reference writes to its checkpoint."""
    run_pipeline(
        assigned,
        rows,
        names,
        configuration,
        monkeypatch,
        calculate_vitality=True,
        calculate_difficulty=True,
        collaboration_clusters=True,
        localization_sensitivity_thresholds=thresholds,
        output_results=folder,
        task={"b": "bbox", "p": "segm", "k": "keypoints"}[configuration.d_loc[0]],
    )
    return json.loads((folder / "kalos_checkpoint.json").read_text())


def both(d_loc, seed, whole, folder, monkeypatch):
    """Return annotations, our results and theirs, both as read from a file."""
    rng = np.random.default_rng([seed, len(d_loc)])
    drawn = (random_rows(d_loc, rng) for _ in itertools.count())
    assigned, rows = next(
        (assigned, rows)
        for assigned, rows in drawn
        if rows
        and assigned.shape[1] == len(SESSIONS)
        and (assigned.all() if whole else undefined_in_part(assigned))
    )
    configuration = Configuration(d_loc, TAUS[d_loc])
    made = replace(
        ours(d_loc, assigned, rows),
        raters=SESSIONS,
        identity=[name[:3] for name in SESSIONS],
    )
    agreement = compute_agreement(made, configuration)
    found = diagnose(made, configuration, agreement, rng=rng, n_boot=2)
    results = json.loads(json.dumps(reference_results(made, agreement, found)))
    thresholds = [float(name) for name in results["results"]["lsa_mean"]]
    return (
        made,
        results,
        write(assigned, rows, SESSIONS, configuration, thresholds, folder, monkeypatch),
    )


def undefined_in_part(assigned):
    several = assigned.sum(axis=1) >= 2
    return several.any() and not several.all()


def leaves(tree, path=()):
    """Yield the path and value of everything that is no dict."""
    if not isinstance(tree, dict):
        yield path, tree
        return
    for key, value in tree.items():
        yield from leaves(value, (*path, key))


@pytest.mark.parametrize("d_loc", TAUS)
@pytest.mark.parametrize("seed", range(4))
def test_where_all_is_defined_names_nesting_and_values_are_equal(
    d_loc, seed, tmp_path, monkeypatch
):
    _, found, expected = both(d_loc, seed, True, tmp_path, monkeypatch)
    # By decision: images go by name.
    alphas = expected["results"]["image_alphas"]
    expected["results"]["image_alphas"] = {f"i{n}": a for n, a in alphas.items()}
    assert found.keys() == expected.keys()
    assert found["metadata"] == expected["metadata"]
    assert found["results"].keys() == expected["results"].keys()
    theirs, own = dict(leaves(expected["results"])), dict(leaves(found["results"]))
    assert own.keys() == theirs.keys()
    for path, value in theirs.items():
        assert own[path] == pytest.approx(value, abs=1e-9), path


def test_what_is_compared_says_something(tmp_path, monkeypatch):
    _, found, _ = both("box_iou", 0, True, tmp_path, monkeypatch)
    assert all(found["results"].values())
    first = {path[0] for path, value in leaves(found["results"]) if value not in (0, 1)}
    assert first == found["results"].keys()
    assert any("alpha_ki" in path for path, _ in leaves(found["results"]))


@pytest.mark.parametrize("d_loc", TAUS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_undefined_is_left_out(d_loc, seed, tmp_path, monkeypatch):
    made, found, expected = both(d_loc, seed, False, tmp_path, monkeypatch)
    found, expected = found["results"], expected["results"]
    several = made.assigned.sum(axis=1) >= 2
    # By decision: an image of fewer than two raters is undefined. The reference says 1.
    assert list(found["image_alphas"]) == [
        f"i{n}" for n in np.flatnonzero(several).tolist()
    ]
    for n, is_known in enumerate(several.tolist()):
        alpha = expected["image_alphas"][str(n)]
        assert (
            found["image_alphas"][f"i{n}"] == close(alpha) if is_known else alpha == 1
        )
    known = [expected["image_alphas"][str(n)] for n in np.flatnonzero(several)]
    assert found["mean_alpha"] == close(np.mean(known))
    assert found["mean_alpha"] <= expected["mean_alpha"]
    assert found["global_alpha"] == close(expected["global_alpha"])
    for name, theirs in expected["mean_difficulties"].items():
        own = found["mean_difficulties"].get(name, {"alphas": [], "alpha_ki": {}})
        ones = [1.0] * (len(theirs["alphas"]) - len(own["alphas"]))
        assert sorted(own["alphas"] + ones) == close(sorted(theirs["alphas"]))
        assert own["alpha_ki"].keys() == theirs["alpha_ki"].keys()
        for rater, values in theirs["alpha_ki"].items():
            assert own["alpha_ki"][rater] == close(values)
    for name in (
        "mean_vitalities",
        "mean_collaboration_matrix",
        "global_collaboration_matrix",
        "intra_iaa_results",
        "session_iaa_results",
    ):
        own, theirs = dict(leaves(found[name])), dict(leaves(expected[name]))
        # By decision: raters who share no image have no agreement, not NaN.
        theirs = {p: v for p, v in theirs.items() if not np.isnan(v).any()}
        assert own.keys() == theirs.keys(), name
        for path, value in theirs.items():
            assert own[path] == close(value), (name, path)
    for name in ("global_vitalities", "global_difficulties"):
        own, theirs = dict(leaves(found[name])), dict(leaves(expected[name]))
        assert own.keys() <= theirs.keys()
        for path, value in own.items():
            assert theirs[path] == close(value), (name, path)


def close(value):
    return pytest.approx(value, abs=1e-9)


def test_nobody_agrees_on_nothing():
    made = ours("box_iou", np.array([[True]]), [(0, 0, 0, np.array([0, 0, 0.1, 0.1]))])
    configuration = Configuration()
    agreement = compute_agreement(made, configuration)
    rng = np.random.default_rng(0)
    found = diagnose(made, configuration, agreement, rng=rng, n_boot=2)
    results = reference_results(made, agreement, found)["results"]
    json.dumps(results, allow_nan=False)
    assert results.pop("mean_alpha") is results.pop("global_alpha") is None
    assert not any(results.values())


def test_a_diagnosis_of_another_run_is_refused():
    rng = np.random.default_rng(1)
    made = ours("box_iou", *random_rows("box_iou", rng))
    strict, lenient = Configuration(tau=0.3), Configuration(tau=0.7)
    found = diagnose(made, strict, compute_agreement(made, strict), rng=rng, n_boot=2)
    with pytest.raises(KalosError, match="diagnosis is that of KαLOS"):
        reference_results(made, compute_agreement(made, lenient), found)


def test_the_reference_draws_its_plots_from_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    _, found, _ = both("box_iou", 1, False, tmp_path, monkeypatch)
    (tmp_path / "kalos_checkpoint.json").write_text(json.dumps(found))
    plot = config.PlottingConfig(plot_all=True, plot_format="svg")
    plotting_execution.run_plotting_pipeline(
        config.KaLOSProjectConfig(
            annotation_file="",
            task="bbox",
            method="greedy",
            threshold_func="",
            cost_func="",
            similarity_threshold=0.5,
            calculate_vitality=True,
            calculate_difficulty=True,
            collaboration_clusters=True,
            localization_sensitivity_thresholds=[0.5],
            output_results=str(tmp_path),
            plotting=plot,
        )
    )
    assert len(list(tmp_path.glob("*.svg"))) == 6
