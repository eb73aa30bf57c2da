import numpy as np
import pytest

from kalos_core import (
    NO_OBJECT,
    UNASSIGNED,
    AnnotationError,
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    compute_agreement,
)


def test_hand_worked_image(annotations):
    # Three units: a cat all three found; a cat that cho missed; ben's dog against
    # ana's and cho's cat. Rows ana, ben, cho; cat = 0, dog = 1.
    made = annotations(
        "ana: cat 0 0 10 10",
        "ben: cat 0 0 10 10",
        "cho: cat 0 0 10 10",
        "ana: cat 40 0 10 10",
        "ben: cat 40 0 10 10",
        "ana: cat 80 0 10 10",
        "ben: dog 80 0 10 10",
        "cho: cat 80 0 10 10",
    )
    found = compute_agreement(made, Configuration())
    assert sorted(found.reliability.values.T.tolist()) == [
        [0, 0, NO_OBJECT],
        [0, 0, 0],
        [0, 1, 0],
    ]
    # n = 9, n_cat = 7, n_dog = 1, n_none = 1, sum n_c (n_c - 1) = 42; agreeing
    # ordered pairs / (m - 1): 6/2 + 2/2 + 2/2 = 5. alpha = (8 * 5 - 42) / (72 - 42).
    assert found.alpha[0] == pytest.approx(-2 / 30)
    assert found.status.tolist() == ["computed"]
    assert found.mean_alpha == found.global_alpha == found.alpha[0]


@pytest.mark.parametrize("configuration", [None, "greedy", {"tau": 0.5}])
def test_a_configuration_is_needed(annotations, configuration):
    made = annotations("ana: cat 0 0 10 10", "ben: cat 0 0 10 10")
    with pytest.raises(KalosError, match=r"^configuration must be a Configurati"):
        compute_agreement(made, configuration)


def test_statuses_and_means(annotations):
    made = annotations(
        "disputed ana: cat 0 0 10 10",
        "disputed ben: dog 0 0 10 10",
        "disputed ana: dog 50 0 10 10",
        "disputed ben: dog 50 0 10 10",
        "empty ana:",
        "empty ben:",
        "lonely ana: cat 0 0 10 10",
        "uniform ana: cat 0 0 10 10",
        "uniform ben: cat 0 0 10 10",
        "unseen cho:",
    )
    found = compute_agreement(made, Configuration())
    by_image = dict(zip(made.images, found.status.tolist(), strict=True))
    assert by_image == {
        "disputed": "computed",
        "empty": "empty_agreed",
        "lonely": "undefined",
        "uniform": "uniform",
        "unseen": "undefined",
    }
    # disputed: (cat dog) (dog dog): n = 4, n_c = 1, 3, chance 6, o = 2: (6 - 6) / 6.
    alpha = dict(zip(made.images, found.alpha.tolist(), strict=True))
    assert alpha["disputed"] == 0
    assert alpha["empty"] == alpha["uniform"] == 1
    assert np.isnan(alpha["lonely"])
    assert found.mean_alpha == pytest.approx(2 / 3)
    # Globally: (cat dog) (dog dog) (cat cat) (none none): n = 8, n_cat = 3,
    # n_dog = 3, n_none = 2, chance 6 + 6 + 2 = 14, o = 6: (42 - 14) / (56 - 14).
    assert found.global_alpha == pytest.approx(28 / 42)


def test_not_assigned_is_missing_data_and_not_a_miss(annotations):
    made = annotations(
        "x ana: cat 0 0 10 10",
        "x ben: cat 0 0 10 10",
        "y ana: cat 0 0 10 10",
        "y ben: cat 0 0 10 10",
        "y cho:",
    )
    found = compute_agreement(made, Configuration())
    assert found.reliability.values.T.tolist() == [
        [0, 0, UNASSIGNED],
        [0, 0, NO_OBJECT],
    ]
    assert found.reliability.image_of.tolist() == [0, 1]
    assert found.alpha[0] == 1
    assert found.alpha[1] < 1


def test_one_miss_among_six_equal_objects_gives_zero(annotations):
    # The README's example. n = 30, n_cell = 29, chance 29 * 28, and five agreed units
    # of 5 plus one of 4 * 3 / 4 make 28: (29 * 28 - 29 * 28) / ... = 0.
    raters = ["ana", "ben", "cho", "dee", "eli"]
    lines = [f"{r}: cell {15 * n} 0 10 10" for r in raters for n in range(6)]
    made = annotations(*lines[:-1])
    assert compute_agreement(made, Configuration()).alpha[0] == 0


def test_a_rater_who_was_not_asked_for_a_class_is_missing_data(annotations):
    # Rows ana, ben; classes car, cat. ben was asked for cars only: ana's lone cat says
    # nothing about him, her lone car does.
    made = annotations(
        "ana: cat 0 0 10 10",
        "ana: car 50 0 10 10",
        "ana: car 80 0 10 10",
        "ben: car 80 0 10 10",
    )
    parts = {name: getattr(made, name) for name in made.__slots__}
    asked = Annotations(**{**parts, "asked": [[True, True], [True, False]]})
    found = compute_agreement(asked, Configuration())
    assert sorted(found.reliability.values.T.tolist()) == [
        [0, NO_OBJECT],
        [0, 0],
        [1, UNASSIGNED],
    ]
    with pytest.raises(AnnotationError, match="'car', for which rater 'ben' was not"):
        Annotations(**{**parts, "asked": [[True, True], [False, True]]})


def test_no_image_and_no_pairable_image_give_nan_not_a_number(annotations):
    for made in (annotations(), annotations("ana: cat 0 0 9 9")):
        found = compute_agreement(made, Configuration())
        assert np.isnan(found.mean_alpha)
        assert np.isnan(found.global_alpha)


def test_scalars_leave_as_floats(annotations):
    found = compute_agreement(annotations("ana:", "ben:"), Configuration())
    assert type(found.mean_alpha) is float
    assert type(found.global_alpha) is float


def test_chunks_do_not_change_the_units_and_tell_the_progress(monkeypatch):
    rng = np.random.default_rng(3)
    image = np.repeat(np.arange(12), rng.integers(0, 9, 12))
    n = len(image)
    corner = rng.uniform(0, 0.3, (n, 2))
    made = Annotations(
        image=image,
        rater=rng.integers(0, 4, n),
        label=rng.integers(0, 2, n),
        geometry=Boxes(np.c_[corner, rng.uniform(0.1, 0.4, (n, 2))]),
        annotation_id=[f"{k:03}" for k in range(n)],
        assigned=np.ones((12, 4), bool),
        images=[f"{i:02}" for i in range(12)],
        raters=list("abcd"),
        classes=["cat", "dog"],
    )
    whole = compute_agreement(made, Configuration(tau=0.7))
    for chunk in (1, 5, 17):
        monkeypatch.setattr("kalos_core.agreement.CHUNK", chunk)
        calls = []

        def note(done, total, calls=calls):
            calls.append((done, total))

        found = compute_agreement(made, Configuration(tau=0.7), note)
        assert np.array_equal(found.reliability.values, whole.reliability.values)
        assert np.array_equal(found.reliability.unit_of, whole.reliability.unit_of)
        assert calls[-1] == (n, n)
        assert len(calls) > 1
        assert calls == sorted(calls)
