"""A similarity of classes that the user brings, and one that is kept."""

import json

import numpy as np
import pytest
from plugin_builders import plugin_module

proxies = plugin_module("operators.proxies")
KalosError = plugin_module("kalos_core").KalosError

PETS = {
    "classes": ["cat", "dog", "car"],
    "similarity": [[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]],
}


def test_a_mapping_and_a_file_say_the_same(write_json):
    for source in (PETS, write_json(PETS), str(write_json(PETS))):
        found = proxies.read_similarity(source)
        assert found.classes == ("cat", "dog", "car")
        assert found.similarity.tolist() == PETS["similarity"]
        assert not found.similarity.flags.writeable


def test_it_is_aligned_to_the_classes_of_the_labels():
    found = proxies.read_similarity(PETS, classes=("car", "cat"))
    assert found.classes == ("car", "cat")
    assert found.similarity.tolist() == [[1, 0.1], [0.1, 1]]


def test_what_was_written_is_read(tmp_path):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(3, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    made = proxies.ClassSimilarity(("ä", "b", "c"), vectors @ vectors.T, (3, 2, 1))
    path = proxies.write_similarity(tmp_path / "new" / "kept.json", made)
    found = proxies.read_similarity(path, ("c", "ä"))
    assert found.n_crops == (1, 3)
    assert np.array_equal(found.similarity, made.similarity[np.ix_([2, 0], [2, 0])])
    with pytest.raises(KalosError, match=r"holds kept\.json already"):
        proxies.write_similarity(path, made)
    proxies.write_similarity(path, made.of(["b"]), overwrite=True)
    assert json.loads((tmp_path / "new" / "kept.json").read_text()) == {
        "classes": ["b"],
        "similarity": [[made.similarity[1, 1]]],
        "n_crops": [2],
    }


def test_rounded_numbers_are_made_symmetric():
    rough = {"classes": ["a", "b"], "similarity": [[1, 0.5], [0.5000004, 1]]}
    found = proxies.read_similarity(rough).similarity
    assert np.array_equal(found, found.T)


def changed(**values):
    return {**PETS, **values}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "must be a file or a mapping"),
        ("", "must be a file or a mapping"),
        ([[1]], "must be a file or a mapping"),
        ({"classes": ["cat"]}, "must have 'similarity'"),
        (changed(classes="cat"), "must list its classes"),
        (changed(classes=[]), "must have classes, got none"),
        (changed(classes=["cat", "dog", 3]), "must name classes by text, got 3"),
        (changed(classes=["cat", "cat", "dog"]), "has the class 'cat' twice"),
        (changed(classes=["cat", "dog"]), "each of its 2 classes, got 3 x 3"),
        (changed(similarity=1), "each of its 3 classes, got a single number"),
        (changed(similarity=[[1, 0], [0]]), "must have 3 rows of 3 numbers"),
        (changed(similarity="nan"), "must have 3 rows of 3 numbers"),
        (
            changed(similarity=[[1, 0.8, 0], [0.1, 1, 0], [0, 0, 1]]),
            "must be the same in both directions, got 0.8 and 0.1 between 'cat' and",
        ),
        (
            changed(similarity=[[1, float("nan"), 0], [0, 1, 0], [0, 0, 1]]),
            "must be finite numbers, got nan and 0 between 'cat' and 'dog'",
        ),
        (
            changed(similarity=[[0, 0.2, 0.9], [0.2, 0, 0.9], [0.9, 0.9, 0]]),
            "must be largest between a class and itself (of distances take the neg",
        ),
    ],
)
def test_what_is_no_similarity_is_refused(source, message):
    with pytest.raises(KalosError) as raised:
        proxies.read_similarity(source)
    assert message in str(raised.value)


def test_a_class_that_it_lacks_is_named():
    with pytest.raises(KalosError) as raised:
        proxies.read_similarity(PETS, ("cat", "bus", "cart"))
    assert str(raised.value) == (
        "similarity: must have all classes of the labels, lacks 'bus', 'cart'."
    )
    with pytest.raises(KalosError, match=r"lacks 'dogs'\. Did you mean 'dog'"):
        proxies.read_similarity(PETS, ("dogs",))


def test_files_that_cannot_be_read_are_named(tmp_path, write_json):
    with pytest.raises(KalosError, match=r"none\.json': cannot be read"):
        proxies.read_similarity(tmp_path / "none.json")
    with pytest.raises(KalosError, match=r"x\.json': is not valid JSON at line 1"):
        proxies.read_similarity(write_json("{"))
    with pytest.raises(KalosError, match=r"x\.json': has the class 'a' twice"):
        proxies.read_similarity(
            write_json({"classes": ["a", "a"], "similarity": [[1, 0], [0, 1]]})
        )
