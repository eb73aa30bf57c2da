"""CLIP itself, with random weights: all of its path but what it has learnt."""

import importlib.util
import json
import sys

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    detection,
    detections,
    keypoint,
    label_list,
    operator,
    plugin_module,
    polygon,
    square,
)

proxies = plugin_module("operators.proxies")
KalosError = plugin_module("kalos_core").KalosError

needs_clip = pytest.mark.clip

SMALL = "small-vit"
"""The architecture of ViT-B-32, but in seconds rather than minutes for all tests."""

LAYERS = {"width": 64, "layers": 2}


@pytest.fixture(scope="module", autouse=True)
def small_model(tmp_path_factory):
    if importlib.util.find_spec("open_clip") is None:
        return
    import open_clip

    path = tmp_path_factory.mktemp("models") / f"{SMALL}.json"
    vision = {**LAYERS, "image_size": 64, "patch_size": 8}
    text = {**LAYERS, "heads": 1, "context_length": 8, "vocab_size": 100}
    config = {"embed_dim": 32, "vision_cfg": vision, "text_cfg": text}
    path.write_text(json.dumps(config))
    open_clip.add_model_config(path)


def compare(dataset, seed=0, **options):
    import torch

    torch.manual_seed(seed)
    options = {"model": SMALL, "pretrained": None, **options}
    return proxies.class_similarity(dataset, "gt", **options)


def textures(seed=0, side=40):
    """Return a picture of four: red and red with a little noise, stripes, noise."""
    rng = np.random.default_rng(seed)
    red = np.full((side, side, 3), (200.0, 30.0, 30.0))
    reddish = (red + rng.normal(0, 8, red.shape)).clip(0, 255)
    stripes = np.zeros_like(red)
    stripes[::4] = stripes[1::4] = 255
    noise = rng.integers(0, 256, red.shape)
    return np.vstack([np.hstack([red, reddish]), np.hstack([stripes, noise])])


QUARTERS = {"red": (0, 0), "reddish": (50, 0), "stripes": (0, 50), "noise": (50, 50)}


def quarters(**renamed):
    return detections(
        *(
            detection(renamed.get(name, name), x, y, 50, 50)
            for name, (x, y) in QUARTERS.items()
        )
    )


@pytest.fixture
def four(pictured):
    return pictured(*((textures(seed), quarters()) for seed in range(3)))


@needs_clip
@pytest.mark.parametrize("model", [SMALL, "ViT-B-32"])
def test_classes_that_look_alike_are_alike(four, model):
    told = []
    found = compare(
        four, model=model, tell=lambda *what: told.append(what), batch_size=5
    )
    assert found.classes == ("noise", "red", "reddish", "stripes")
    assert found.n_crops == (3, 3, 3, 3)
    similarity = found.similarity
    assert np.isfinite(similarity).all()
    assert np.array_equal(similarity, similarity.T)
    assert np.diag(similarity).tolist() == [1] * 4
    assert (np.abs(similarity) <= 1).all()
    alike = similarity[1, 2]
    assert alike < 1
    assert alike > max(similarity[1, 0], similarity[1, 3], similarity[0, 3]) + 0.005
    done = [part for part, _ in told]
    assert done == sorted(done) and done[0] == 0 and done[-1] == 1
    assert (5 / 12, "Looking at crops, 5 of 12") in told


@needs_clip
def test_the_seed_decides_and_batches_do_not(four):
    one = compare(four).similarity
    assert np.array_equal(one, compare(four).similarity)
    assert np.allclose(one, compare(four, batch_size=1).similarity, atol=1e-5)
    assert not np.allclose(one, compare(four, seed=1).similarity, atol=1e-4)


@needs_clip
def test_identical_crops_are_identical(pictured):
    made = pictured((np.tile(textures(), (1, 2, 1)), detections()))
    sample = made.first()
    sample["gt"] = detections(
        detection("a", 0, 0, 50, 100), detection("b", 50, 0, 50, 100)
    )
    sample.save()
    assert np.allclose(compare(made).similarity, 1, atol=1e-6)


class Colours:
    """In place of CLIP: the average colour of a crop, as a vector of length 1."""

    def __init__(self, *_):
        pass

    def embed(self, pictures):
        colours = np.array([np.asarray(one).mean(axis=(0, 1)) for one in pictures])
        return colours / np.linalg.norm(colours, axis=1, keepdims=True)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 5])
def test_every_crop_of_a_class_counts_alike(pictured, monkeypatch, batch_size):
    """Two red ones and a green one are as far from red as 2 from the root of 5."""
    clip = plugin_module("operators.proxies.clip")
    monkeypatch.setattr(clip, "import_clip", lambda: None)
    monkeypatch.setattr(clip, "ClipModel", Colours)
    picture = np.zeros((40, 40, 3))
    picture[:, :20, 0] = picture[:, 20:, 1] = 255
    left, right = (0, 0, 50, 100), (50, 0, 50, 100)
    made = pictured(
        (
            picture,
            detections(
                detection("mixed", *left),
                detection("mixed", *right),
                detection("red", *left),
            ),
        ),
        (picture, detections(detection("mixed", *left))),
    )
    found = proxies.class_similarity(made, "gt", batch_size=batch_size)
    assert found.n_crops == (3, 1)
    assert found.similarity[0, 1] == pytest.approx(2 / 5**0.5, abs=1e-3)


@needs_clip
def test_one_class_is_alike_to_itself(pictured):
    made = pictured((textures(), detections(detection("only", 1, 1, 5, 90))))
    assert compare(made).similarity.tolist() == [[1]]


@needs_clip
def test_outlines_and_joints_show_what_their_boxes_show(pictured):
    names, corners = list(QUARTERS), list(QUARTERS.values())
    outlines = label_list(
        [
            polygon(name, square(x, y, 50))
            for name, (x, y) in zip(names, corners, strict=True)
        ],
        fo.Polylines,
    )
    joints = label_list(
        [
            keypoint(name, (x, y), None, (x + 50, y + 50))
            for name, (x, y) in zip(names, corners, strict=True)
        ],
        fo.Keypoints,
    )
    boxes, drawn, posed = (
        compare(pictured((textures(), labels))).similarity
        for labels in (quarters(), outlines, joints)
    )
    assert np.array_equal(boxes, drawn)
    assert np.array_equal(boxes, posed)


@needs_clip
def test_a_cap_looks_at_fewer_crops(four):
    capped = compare(four, max_crops=2)
    assert capped.n_crops == (2, 2, 2, 2)
    again = compare(four, max_crops=2, rng=np.random.default_rng(0))
    assert np.array_equal(capped.similarity, again.similarity)


def saved_weights(folder):
    """Return a file with the random weights of seed 5."""
    import open_clip
    import torch

    torch.manual_seed(5)
    network = open_clip.create_model(SMALL, pretrained=None)
    path = folder / "weights.pt"
    torch.save(network.state_dict(), path)
    return path


@needs_clip
def test_weights_are_read_from_a_file(four, tmp_path):
    path = saved_weights(tmp_path)
    loaded = compare(four, seed=77, pretrained=path).similarity
    assert np.array_equal(loaded, compare(four, seed=5).similarity)
    path.write_bytes(b"no weights")
    with pytest.raises(KalosError) as raised:
        compare(four, pretrained=str(path))
    assert f"The weights in '{path}' cannot be loaded into CLIP model" in str(
        raised.value
    )


@needs_clip
def test_both_operators_look_with_clip(four, tmp_path):
    """Red is now and then taken for reddish, which looks like it."""
    path = saved_weights(tmp_path)
    options = {"clip_model": SMALL, "clip_weights": path}
    near = compare(four, pretrained=path)
    for number, sample in enumerate(four):
        by_ana = quarters(**({"red": "reddish"} if number else {}))
        for rater, labels in (("truth", sample.gt), ("ana", by_ana)):
            for label in labels.detections:
                label["rater"] = rater
        sample["gt"] = detections(*sample.gt.detections, *by_ana.detections)
        sample["raters"] = ["truth", "ana"]
        sample.save()
    four.add_dynamic_sample_fields()
    found = operator("fit_noise")(
        four, "gt", reference="truth", similarity="@clip", **options
    )
    row = next(r for r in found["table"] if r["component"] == "category.similarity")
    assert row["n"] == 2 and row["tests"]
    order = [near.classes.index(name) for name in found["classes"]]
    likely = np.argmax(found["transition"], axis=1)
    away = near.similarity[np.ix_(order, order)] - 2 * np.eye(4)
    # Crops of both raters are looked at now, which changes the averages a little.
    assert likely[order.index(1)] == np.argmax(away[order.index(1)])
    made = operator("simulate_raters")(
        four, "gt", rater="truth", similarity="@clip", magnitude=10, **options
    )
    assert made["fates"]["category"] > 0


@needs_clip
def test_broken_weights_give_no_numbers(four, tmp_path):
    import open_clip
    import torch

    state = open_clip.create_model(SMALL, pretrained=None).state_dict()
    state["visual.conv1.weight"].fill_(float("nan"))
    torch.save(state, tmp_path / "broken.pt")
    with pytest.raises(KalosError, match="makes no numbers of some crops"):
        compare(four, pretrained=tmp_path / "broken.pt")


@needs_clip
def test_a_similarity_of_clip_can_be_kept(four, tmp_path):
    found = compare(four)
    path = proxies.write_similarity(tmp_path / "clip.json", found)
    kept = proxies.read_similarity(path, ("stripes", "noise"))
    assert np.array_equal(kept.similarity, found.of(("stripes", "noise")).similarity)


@needs_clip
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "ViT-B-23"}, "knows no model 'ViT-B-23'. Did you mean 'ViT-B-32'?"),
        ({"pretrained": "opnai"}, "pretrained='opnai' is neither a file nor weights"),
        ({"pretrained": "/no/w.pt"}, "pretrained='/no/w.pt' is neither a file nor"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"max_crops": 0}, "max_crops must be at least 1, got 0"),
        ({"device": "nowhere"}, "cannot be loaded"),
    ],
)
def test_what_cannot_be_is_refused(four, options, message):
    with pytest.raises(KalosError) as raised:
        compare(four, **options)
    assert message in str(raised.value)


@needs_clip
def test_weights_that_cannot_be_downloaded_say_what_to_do(four, monkeypatch, tmp_path):
    # As on a machine without a network, which would be tried for a minute.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(KalosError) as raised:
        proxies.class_similarity(four, "gt")
    told = str(raised.value)
    assert "The weights 'openai' of CLIP model 'ViT-B-32' cannot be loaded: " in told
    assert "pretrained='/path/to/weights.safetensors'" in told


@needs_clip
def test_the_activation_is_that_of_the_weights():
    # OpenAI trained with another one than the model of that name has in open_clip.
    import open_clip

    clip_model = plugin_module("operators.proxies.clip_model")
    tags = [("ViT-B-32", "openai"), ("ViT-B-32", "laion2b_s34b_b79k")]
    assert [clip_model.quick_gelu(open_clip, *tag) for tag in tags] == [True, False]
    assert not clip_model.quick_gelu(open_clip, "ViT-B-32", None)


def test_a_missing_library_is_named_with_its_remedy(four, monkeypatch):
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(KalosError, match=r"open_clip.*pip install open-clip-torch"):
        proxies.class_similarity(four, "gt")


def test_a_broken_library_is_told_apart(four, monkeypatch, tmp_path):
    broken = "raise RuntimeError('operator torchvision::nms does not exist')"
    (tmp_path / "open_clip.py").write_text(broken)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "open_clip", raising=False)
    with pytest.raises(KalosError) as raised:
        proxies.class_similarity(four, "gt")
    assert "installed but cannot be used: operator torchvision::nms" in str(
        raised.value
    )
