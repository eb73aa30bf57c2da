"""Importing: which image is which file."""

import fiftyone as fo
import pytest
from import_builders import boxes_only, coco, write
from plugin_builders import make_dataset, operator, plugin_module, sample

KalosError = plugin_module("kalos_core").KalosError
match_images = plugin_module("operators.image_matching").match_images


def test_names_are_matched_and_folders_decide():
    files = ["/d/train/a.jpg", "/d/val/a.jpg", "/d/b.jpg", "/d/c.jpg"]
    found = match_images(["val/a.jpg", "train\\a.jpg", "x/b.jpg", "no.jpg"], files)
    assert found.file_of == (1, 0, 2, None)
    assert found.other_folder == ("x/b.jpg",)
    assert match_images(["./c.jpg", "/"], files).file_of == (3, None)
    assert match_images(["test/a.jpg"], files).file_of == (None,)
    composed, apart = "/d/\u00fc.jpg", "u\u0308.jpg"
    assert match_images([apart], [composed]).file_of == (0,)


@pytest.mark.parametrize(
    ("images", "files", "stems", "message"),
    [
        (["a.jpg"], ["/x/a.jpg", "/y/a.jpg"], False, "image 'a.jpg' could be any of"),
        (["a"], ["/x/a.jpg", "/x/a.png"], True, "'/x/a.jpg', '/x/a.png'"),
        (["a.jpg", "x/a.jpg"], ["/x/a.jpg"], False, "file '/x/a.jpg' could be any of"),
    ],
)
def test_nothing_is_guessed(images, files, stems, message):
    with pytest.raises(KalosError) as raised:
        match_images(images, files, stems)
    assert message in str(raised.value)


def test_duplicate_samples_are_refused(tmp_path):
    document = boxes_only(coco(["ana", "ben"], ["a.jpg", "b.jpg"]))
    file = write(tmp_path / "x.json", document)
    made = make_dataset(
        fo.Sample(filepath="/x/a.jpg"), fo.Sample(filepath="/y/a.jpg"), sample("b")
    )
    with pytest.raises(KalosError, match=r"'a\.jpg' could be any of '/x/a\.jpg'"):
        operator("import_annotations")(made, file)
    made.delete()
