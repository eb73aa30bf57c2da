"""The spellings of names in YOLO's data.yaml."""

import pytest

from kalos_core import AnnotationError, KalosError, read_coco, read_lidc, read_yolo
from kalos_core.readers.names import class_names


@pytest.mark.parametrize(
    "text",
    [
        "names: [cat, 'big dog', \"it's\"]",
        "names: ['cat',  # tame\n  big dog,\n  \"it's\",\n]\nnc: 3",
        "names:\n- cat\n- 'big dog'\n- it's\nnc: 3",
        "nc: 3\nnames: # three\n  - cat # tame\n\n  - big dog\n  - 'it''s'",
        "names:\n  0: cat\n  1: big dog\n  2: it's\n\nval: x\n",
        "names: {0: cat, 1: 'big dog', 2: it's}",
        'names: {0: cat,\n  1: big dog,  # tame\n  2: "it\'s",\n}\nnc: 3',
        "path: ../names: [x]\n# names: [y]\nnames:\n  0: cat\n  1: big dog\n  2: it's",
    ],
)
def test_spellings_of_names(text):
    assert class_names(text) == {0: "cat", 1: "big dog", 2: "it's"}


def test_numbers_of_a_mapping_are_kept():
    assert class_names("names:\n  7: a\n  2: b") == {7: "a", 2: "b"}


@pytest.mark.parametrize(
    "text",
    [
        "names: []",
        "names:",
        "names:\nnc: 2",
        "names: cat",
        "names: {0: cat, 0: dog}",
        "names: {cat: 0}",
        "names: {0: cat, dog}",
        "names: {0: cat",
        "names: {}",
        "names:\n  " + "9" * 5000 + ": cat",
        "names: [cat, dog",
        "names: [cat, [dog]]",
        "names: [cat,, dog]",
        "names: ['cat, dog]",
        "names: [cat dog: 2]",
        "names: &anchor [cat]",
        "names:\n  - cat\n  1: dog",
        "names:\n  - cat\n - dog",
        "names:\n  0: cat\n  0: dog",
        "names:\n  cat: 0",
        "names:\n  - [cat]",
        "names:\n  - name: cat",
        "names:\n  - |\n    cat",
        'names:\n  - "\\x41"',
        "names: [a]\nnames: [b]",
    ],
)
def test_other_spellings_are_refused(text):
    with pytest.raises(AnnotationError, match="names"):
        class_names(text)


@pytest.mark.parametrize("read", [read_coco, read_lidc, read_yolo])
@pytest.mark.parametrize("path", [None, 7, b"x.json"])
def test_a_path_is_needed(read, path):
    with pytest.raises(KalosError, match=f"^path must be text or a Path, got {path}"):
        read(path)
