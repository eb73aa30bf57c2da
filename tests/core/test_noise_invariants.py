"""What holds of synthetic raters whatever the reference and the magnitude."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_checks import CODE, check_fates, check_shapes, check_sources, named
from noisy import LOUD, random_reference

from kalos_core import Annotations, Boxes, KalosError
from kalos_core.noise import simulate_raters
from kalos_core.noise.candidates import STAGES

KINDS = ("Boxes", "Polygons", "Keypoints")

references = st.builds(
    random_reference,
    st.sampled_from(KINDS),
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 7), max_size=5),
    st.integers(1, 3),
)
seeds = st.integers(0, 2**32 - 1)
magnitudes = st.floats(0, 10) | st.sampled_from([0.0, 1e-300, 1.0, 10.0])


def simulate(reference, seed, parameters=LOUD, **arguments):
    rng = np.random.default_rng(seed)
    return simulate_raters(reference, parameters, rng=rng, **arguments)


COLUMNS = ("image", "rater", "label", "annotation_id", "error", "first")
COUNTS = ("reference_index", "n_attempted", "n_lost", "n_unpaired")


def same(one, other):
    """Whether two results are equal to the last bit."""
    pairs = [*zip(one.geometry.content(), other.geometry.content(), strict=True)]
    pairs += [(getattr(one, n), getattr(other, n)) for n in (*COLUMNS, *COUNTS)]
    return all(np.array_equal(a, b) for a, b in pairs)


@settings(max_examples=25)
@given(references, seeds, magnitudes)
def test_labels_are_valid_and_inside_and_fates_agree_with_them(
    reference, seed, magnitude
):
    made = simulate(reference, seed, n_raters=2, magnitude=magnitude)
    check_shapes(made, inside=magnitude > 0)
    check_sources(made)
    check_fates(made)


@settings(max_examples=12)
@given(references, seeds, magnitudes, magnitudes)
def test_so_they_are_with_groups(reference, seed, magnitude, convention):
    made = simulate(
        reference, seed, magnitude=magnitude, groups=(3, 1, 1), convention=convention
    )
    check_shapes(made, inside=magnitude > 0)
    label, source = named(made)
    assert (made.image[label] == reference.image[source]).all()
    assert ((np.diff(made.first) == 0) == (made.error == CODE["added"])).all()
    missing = np.ones((5, len(reference)), bool)
    missing[made.rater[label], source] = False
    assert (missing == (made.fate == CODE["deleted"])).all()
    assert (made.n_lost <= made.n_attempted).all()


@settings(max_examples=15)
@given(references, seeds)
def test_magnitude_0_is_the_identity(reference, seed):
    made = simulate(
        reference, seed, n_raters=2, magnitude=0, groups=(1, 1), convention=0
    )
    assert len(made) == 2 * len(reference)
    for rater in range(2):
        own = np.flatnonzero(made.rater == rater)
        assert (made.reference_index[own] == np.arange(len(reference))).all()
        for name in ("image", "label", "annotation_id"):
            assert (getattr(made, name)[own] == getattr(reference, name)).all()
        content = made.geometry.take(own).content(), reference.geometry.content()
        for one, other in zip(*content, strict=True):
            assert np.array_equal(one, other)
    assert (made.fate == CODE["none"]).all()
    assert (made.error == CODE["none"]).all()
    assert made.n_attempted.sum() == made.signal_loss == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_says_it_all(kind, monkeypatch):
    monkeypatch.setattr("kalos_core.noise.generator.CHUNK", 16)
    reference = random_reference(kind, 3, [5, 0, 6, 1, 4, 7, 3], 3)
    told = []
    one = simulate(reference, 1, groups=(2, 3), progress=lambda *n: told.append(n))
    assert same(one, simulate(reference, 1, groups=(2, 3)))
    assert not same(one, simulate(reference, 2, groups=(2, 3)))
    done, total = zip(*told, strict=True)
    assert len(told) > 1
    assert (sorted(done), done[-1], set(total)) == (list(done), 7, {7})


def test_the_order_of_the_reference_does_not_matter():
    reference = random_reference("Boxes", 4, [5, 0, 6, 1, 4], 3)
    order = np.random.default_rng(0).permutation(len(reference))
    names = ("image", "rater", "label", "annotation_id")
    other = Annotations(
        **{name: getattr(reference, name)[order] for name in names},
        geometry=reference.geometry.take(order),
        assigned=reference.assigned,
        images=reference.images,
        raters=reference.raters,
        classes=reference.classes,
    )
    assert same(simulate(reference, 1), simulate(other, 1))


@pytest.mark.parametrize("by_file", [False, True])
def test_nor_does_that_of_the_images(by_file, monkeypatch):
    """By file the images have other names too, as a data set that is read anew."""
    monkeypatch.setattr("kalos_core.noise.generator.CHUNK", 16)
    reference = random_reference("Polygons", 4, [5, 0, 6, 1, 4, 5, 2], 3)
    order = np.random.default_rng(0).permutation(7)
    files = [f"{name}.jpg" for name in reference.images]
    shuffled = Annotations(
        image=np.argsort(order)[reference.image],
        rater=reference.rater,
        label=reference.label,
        geometry=reference.geometry,
        annotation_id=reference.annotation_id,
        assigned=reference.assigned,
        images=[f"n{n}" if by_file else reference.images[n] for n in order],
        raters=reference.raters,
        classes=reference.classes,
    )
    options = {"groups": (2, 1), "n_raters": 3}
    names = (files, [files[n] for n in order]) if by_file else (None, None)
    one = simulate(reference, 1, names=names[0], **options)
    other = simulate(shuffled, 1, names=names[1], **options)
    check_shapes(other, inside=True)
    image, source = order[other.image], other.reference_index
    place = np.lexsort((other.annotation_id, other.rater, image))
    for name in ("rater", "label", "annotation_id", "error"):
        assert (getattr(other, name)[place] == getattr(one, name)).all()
    assert (image[place] == one.image).all()
    for a, b in zip(
        other.geometry.take(place).content(), one.geometry.content(), strict=True
    ):
        assert np.array_equal(a, b)
    ids = shuffled.annotation_id[source]
    expected = reference.annotation_id[one.reference_index]
    assert sorted(ids.tolist()) == sorted(expected.tolist())
    assert [other.reference_ids()[n] for n in place] == one.reference_ids()


def test_names_are_those_of_all_images():
    with pytest.raises(KalosError, match="names must be those of 2 images, got 1"):
        simulate(random_reference("Boxes", 4, [1, 2], 3), 0, names=["a"])


def test_ids_with_dots_stay_apart():
    ids = ["", "a", "a.", "a.part1", "a..part1", ".added0", "a..combined"]
    xywh = [[0.1 * k, 0.1 * k, 0.3, 0.3] for k in range(len(ids))]
    reference = Annotations(
        image=[0] * 7,
        rater=[0] * 7,
        label=[0] * 7,
        geometry=Boxes(xywh),
        annotation_id=ids,
        assigned=[[True]],
        images=["x"],
        raters=["ana"],
        classes=["cat"],
    )
    for seed in range(6):
        made = simulate(reference, seed, magnitude=2, groups=(2, 3))
        assert len(made.annotations()) == len(made)  # ids twice are refused
    assert {name.split(".")[-1].rstrip("0123456789") for name in made.annotation_id} > {
        "part",
        "added",
    }


def test_images_that_nobody_was_asked_for_stay_empty():
    reference = random_reference("Boxes", 5, [4, 0, 3], 2)
    assigned = np.array([[True], [False], [True]])
    names = ("image", "rater", "label", "geometry", "annotation_id", "images")
    part = Annotations(
        **{name: getattr(reference, name) for name in names},
        assigned=assigned,
        raters=["ana"],
        classes=reference.classes,
    )
    made = simulate(part, 0, n_raters=40, magnitude=10)
    assert set(made.image.tolist()) == {0, 2}
    assert (made.annotations().assigned == assigned).all()


def test_stages_are_named_in_their_order():
    assert STAGES == ("unmatched", "topology", "category", "localization")
