"""OWL-ViT by FiftyOne's zoo, with a small model of random weights in a folder."""

import json
import string
import sys

import numpy as np
import pytest
from plugin_builders import detection, detections, plugin_module

proxies = plugin_module("operators.proxies")
read_labels = plugin_module("operators.proxies.labels").read_labels
KalosError = plugin_module("kalos_core").KalosError

needs_transformers = pytest.mark.transformers
TOWER = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Return a folder as ``save_pretrained`` leaves it: letters are its words."""
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("owl")
    letters = [*string.ascii_lowercase, *(f"{c}</w>" for c in string.ascii_lowercase)]
    words = ["!", *letters, "<|startoftext|>", "<|endoftext|>"]  # in CLIP's order
    vocabulary, merges = folder / "vocab.json", folder / "merges.txt"
    vocabulary.write_text(json.dumps({word: n for n, word in enumerate(words)}))
    merges.write_text("#version: 0.2\n")
    n = len(words)
    text = {"vocab_size": n, "max_position_embeddings": 16}
    marks = {"bos_token_id": n - 2, "eos_token_id": n - 1, "pad_token_id": 0}
    config = transformers.OwlViTConfig(
        text_config={**TOWER, **text, **marks},
        vision_config={**TOWER, "image_size": 64, "patch_size": 16},
        projection_dim=16,
    )
    torch.manual_seed(0)
    transformers.OwlViTForObjectDetection(config).save_pretrained(folder)
    transformers.OwlViTProcessor(
        image_processor=transformers.OwlViTImageProcessor(
            size={"height": 64, "width": 64}
        ),
        tokenizer=transformers.CLIPTokenizer(
            str(vocabulary), str(merges), pad_token="!", model_max_length=16
        ),
    ).save_pretrained(folder)
    return folder


@pytest.fixture
def noisy(pictured):
    rng = np.random.default_rng(0)
    labels = detections(detection("cat", 10, 10, 30, 30), detection("dog", 50, 5, 9, 9))
    sizes = [(40, 60), (50, 30), (64, 64)]
    return pictured(*((rng.integers(0, 255, (*size, 3)), labels) for size in sizes))


@needs_transformers
def test_boxes_in_all_images_become_proposals(noisy, checkpoint):
    told, before = [], noisy.get_field_schema()
    found = proxies.owl_proposals(
        noisy,
        ["cat", "dog"],
        name_or_path=checkpoint,
        confidence=0.0,
        most=7,
        batch_size=2,
        tell=lambda *what: told.append(what),
    )
    assert noisy.get_field_schema() == before
    assert len(found) == 21  # of 4 x 4 patches in each image
    assert set(found.sample_id) == set(noisy.values("id"))
    assert np.isfinite(found.bounds).all()
    assert (found.bounds[:, 2:] >= found.bounds[:, :2]).all()
    assert [part for part, _ in told] == [0, 2 / 3, 1]
    reference = read_labels(noisy, "gt")
    proposals = found.proposals(reference)
    proposals.check(reference)
    assert len(proposals)
    again = proxies.owl_proposals(
        noisy, ["cat", "dog"], name_or_path=checkpoint, confidence=0.0, most=7
    )
    assert np.allclose(again.bounds, found.bounds, atol=1e-5)


@needs_transformers
def test_what_it_is_unsure_of_is_left_out(noisy, checkpoint):
    found = proxies.owl_proposals(noisy, ["cat"], name_or_path=checkpoint, confidence=1)
    assert len(found) == 0
    with pytest.raises(KalosError, match="OWL-ViT: must have boxes in the images"):
        found.proposals(read_labels(noisy, "gt"))


@needs_transformers
def test_a_checkpoint_that_is_not_there_says_what_to_do(noisy, monkeypatch, tmp_path):
    # As on a machine without a network, which would be tried for a minute.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for asked in ("nobody/owl-that-never-was", str(tmp_path)):
        with pytest.raises(KalosError) as raised:
            proxies.owl_proposals(noisy, ["cat"], name_or_path=asked)
        assert f"OWL-ViT cannot be loaded from {asked!r}: " in str(raised.value)
        assert "name_or_path='/path/to/folder'" in str(raised.value)


def test_odd_input_is_refused(noisy):
    with pytest.raises(KalosError, match="must be told what to look for"):
        proxies.owl_proposals(noisy, [])
    with pytest.raises(KalosError, match="most must be at least 1, got 0"):
        proxies.owl_proposals(noisy, ["cat"], most=0)


@pytest.mark.parametrize(
    "library",
    [
        "torch",
        pytest.param("torchvision", marks=needs_transformers),
        pytest.param("transformers", marks=needs_transformers),
    ],
)
def test_a_missing_library_is_named(noisy, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(KalosError, match=rf"library {library}, which.*pip install"):
        proxies.owl_proposals(noisy, ["cat"])
