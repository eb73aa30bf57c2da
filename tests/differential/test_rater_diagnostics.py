"""Vitality, difficulty, collaboration and intra-rater agreement of kalos 0.8.0."""

from dataclasses import replace

import numpy as np
import pytest
import test_engine
from diagnosing import diagnose_parts, find_intra
from kalos.iaa import kalos_execution
from pipeline import run_pipeline
from reference import answers, ours, random_rows, theirs_by_name

from kalos_core import Configuration, compute_agreement, diagnose


def data_sets(*case):
    """Yield the data sets of the engine's tests, named for the reference."""
    for made, data, configuration in test_engine.data_sets(
        *case, for_them=theirs_by_name
    ):
        if configuration.solver != "shm" or keeps_order(made.assigned):
            yield made, data, configuration


def keeps_order(assigned):
    """Return whether raters are in order whenever the reference walks a set of them.

    Its sequential matching adds them to a set one by one, and compares the next one
    with each that comes out of it. Of an image's raters one may have been left out.
    """
    for who in assigned:
        raters = np.flatnonzero(who).tolist()
        for left_out in (None, *raters):
            walked = set()
            for place, rater in enumerate(r for r in raters if r != left_out):
                walked.add(rater)
                if [*walked] != [r for r in raters if r != left_out][: place + 1]:
                    return False
    return True


@pytest.mark.parametrize(("d_loc", "solver", "psi", "seed"), test_engine.EXACT)
def test_diagnoses_are_equal(d_loc, solver, psi, seed):
    for nth, (made, data, configuration) in enumerate(
        data_sets(d_loc, solver, psi, seed)
    ):
        agreement = compute_agreement(made, configuration)
        if nth:
            found = diagnose_parts(made, configuration, agreement)
        else:
            rng = np.random.default_rng(seed)
            found = diagnose(made, configuration, agreement, rng=rng, n_boot=2)
            check_budget(found.budget, made, agreement)
        raters = list(range(made.n_raters))
        theirs = answers(data, configuration, raters, diagnostics=True)
        check_vitality(found.vitality, made, agreement.global_alpha, theirs)
        check_class_vitality(found.vitality.by_class, theirs)
        check_difficulty(found.difficulty, made, theirs)
        check_pairs(found.collaboration, theirs)
        check_thresholds(found.sensitivity, made, data, configuration, seed)


def check_thresholds(found, made, data, configuration, seed):
    several = made.assigned.sum(axis=1) >= 2
    for nth in range(seed % 5, len(found.tau), 5):  # all of them, over the seeds
        other = replace(configuration, tau=float(found.tau[nth]))
        _, overall, *_, by_image, _, _ = answers(data, other)
        # By decision: an image of one rater is undefined. The reference says 1.
        alphas = np.array([by_image[image] for image in data])
        if several.any():
            assert found.mean.value[nth] == close(alphas[several].mean())
            assert found.overall[nth] == close(overall)


def check_budget(found, made, agreement):
    # As many raters as half of the images have; with all of them it is mean alpha.
    n_seen = made.assigned.sum(axis=1)
    n_seen = n_seen[n_seen >= 2]
    if len(n_seen) and (n_seen == made.n_raters).all():
        assert found.alpha.value[-1] == close(agreement.mean_alpha)


def close(value):
    return pytest.approx(value, abs=1e-9)


def check_vitality(found, made, global_alpha, theirs):
    mean, overall = theirs[2], theirs[3]
    for rater in range(made.n_raters):
        expected = mean.get(rater, [])
        assert found.mean.n_images[rater] == len(expected)
        if expected:
            assert found.mean.value[rater] == close(np.mean(expected))
        else:
            assert np.isnan(found.mean.value[rater])
        value = found.overall.value[rater]
        if not np.isnan(value):
            assert value == close(overall[rater])
        elif made.n_raters >= 3:
            # By decision: what cannot be told is undefined. The reference says 1 for
            # alpha without the rater, or 0 for one who saw no image with another.
            shared = made.assigned.sum(axis=1) >= 2
            alone = not (made.assigned[:, rater] & shared).any()
            undefined = 1 if np.isnan(global_alpha) else global_alpha
            assert overall[rater] == close(0 if alone else undefined - 1)
        else:
            assert not overall


def check_class_vitality(found, theirs):
    labels = {"a": 0, "b": 1, "c": 2}
    for estimates, expected in (
        (found.mean, {labels[c]: f["alpha_ki"] for c, f in theirs[4].items()}),
        (found.overall, {labels[c]: f["alpha_ki"] for c, f in theirs[5].items()}),
    ):
        ours = {}
        for nth, pair in enumerate(zip(found.label, found.rater, strict=True)):
            if estimates.n_images[nth]:
                ours[pair] = estimates.value[nth], estimates.n_images[nth]
            else:
                assert np.isnan(estimates.value[nth])
        for label, by_rater in expected.items():
            for rater, their in by_rater.items():
                value, n_images = ours.pop((label, rater), (None, 0))
                if value is not None:
                    assert value == close(np.mean(their))
                    assert isinstance(their, float) or n_images == len(their)
                else:  # whom no image of the class has, or nothing left: alpha 1
                    own = theirs[5]["abc"[label]]["alpha"]
                    assert np.isclose(np.mean(their), [0, own - 1], atol=1e-9).any()
        assert not ours


def check_difficulty(found, made, theirs):
    n_assigned = made.assigned.sum(axis=1)
    for label, name in enumerate(made.classes):
        images = np.unique(made.image[made.label == label])
        defined = n_assigned[images] >= 2
        expected = np.array(theirs[4][name]["alphas"] if len(images) else [])
        assert (expected[~defined] == 1).all()  # by decision undefined
        assert found.mean.n_images[label] == defined.sum()
        if defined.any():
            assert found.mean.value[label] == close(expected[defined].mean())
            assert found.overall.value[label] == close(theirs[5][name]["alpha"])
        else:
            assert np.isnan([found.mean.value[label], found.overall.value[label]]).all()


def check_pairs(found, theirs):
    mean, overall = theirs[7], theirs[8]
    for nth, (a, b) in enumerate(zip(found.a.tolist(), found.b.tolist(), strict=True)):
        expected = mean.get(a, {}).get(b, [])
        assert found.mean.n_images[nth] == found.overall.n_images[nth] == len(expected)
        if expected:
            assert found.mean.value[nth] == close(np.mean(expected))
            assert found.overall.value[nth] == close(overall[a][b])
        else:
            assert np.isnan([found.mean.value[nth], overall[a][b]]).all()


def test_two_thousand_data_sets_say_something():
    n_sets = n_vitality = n_classes = 0
    for case in test_engine.EXACT:
        for made, _, _ in data_sets(*case):
            n_sets += 1
            n_vitality += (made.assigned.sum(axis=1) >= 3).any()
            n_classes += len(np.unique(made.label)) > 1
    assert n_sets >= 2000
    assert n_vitality > n_sets / 2
    assert n_classes > n_sets / 2


NAMES = [
    f"{person} (S{session})" for person in ("ana", "ben", "cho") for session in "12"
]


@pytest.mark.parametrize("seed", range(30))
def test_sessions_are_equal(seed, monkeypatch):
    rng, rows, n_raters = np.random.default_rng([seed, 77]), [], 0
    while not rows or n_raters != len(NAMES):
        assigned, rows = random_rows("box_iou", rng)
        n_raters = assigned.shape[1]
    configuration = Configuration("box_iou", 0.5)
    persons = [name[:3] for name in NAMES]
    made = replace(ours("box_iou", assigned, rows), raters=NAMES, identity=persons)
    theirs = reference_sessions(assigned, rows, configuration, monkeypatch)
    found = find_intra(made, configuration)
    for teams, key in (
        (found.persons, "intra_iaa_results"),
        (found.sessions, "session_iaa_results"),
    ):
        defined = ~np.isnan(teams.mean.value)
        names = [name.removeprefix("S") for name in teams.names]
        values = dict(zip(names, teams.mean.value, strict=True))
        assert {
            n for n, is_known in zip(names, defined, strict=True) if is_known
        } == set(theirs[key])
        for name, value in theirs[key].items():
            assert values[name] == close(value)


def reference_sessions(assigned, rows, configuration, monkeypatch):
    """Return what the reference's pipeline would write to a file."""
    written = {}
    monkeypatch.setattr(
        kalos_execution, "export_iaa_results", lambda **results: written.update(results)
    )
    run_pipeline(assigned, rows, NAMES, configuration, monkeypatch)
    return written
