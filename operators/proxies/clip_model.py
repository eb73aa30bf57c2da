"""A CLIP model that turns pictures into vectors, by the optional open_clip."""

import os
from pathlib import Path

import numpy as np

from ...kalos_core import KalosError
from ..parameters import nearest

INSTALL = "pip install open-clip-torch"


def import_clip():
    """Return the modules open_clip and torch.

    Raises
    ------
    KalosError
        If they are not installed, or do not fit together.
    """
    try:
        import open_clip
        import torch
    except ModuleNotFoundError as error:
        raise KalosError(
            f"CLIP needs the library open_clip, which is not installed "
            f"({error}). Install it, {INSTALL}, or bring a similarity of your own."
        ) from error
    except Exception as error:  # builds of torch and torchvision that do not fit
        raise KalosError(
            f"The library open_clip is installed but cannot be used: {error}. Install "
            f"it anew, {INSTALL}, or bring a similarity of your own."
        ) from error
    return open_clip, torch


class ClipModel:
    """Pictures to vectors of length one.

    Parameters
    ----------
    model : a name that open_clip knows, "ViT-B-32" say.
    pretrained : the tag of its weights, "openai" say, or a file that holds them. None
        leaves the weights random, which is for tests of what is around them.
    device : of torch; None takes a GPU where there is one.
    """

    def __init__(self, model, pretrained, device=None):
        library, self._torch = import_clip()
        if ":" not in model:  # hf-hub:... and local-dir:... are paths
            model = model.replace("/", "-")
        _check_known(library, model, pretrained)
        if device is None:
            device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self._device = device
        try:
            self._network, _, self._prepare = library.create_model_and_transforms(
                model,
                pretrained=None if pretrained is None else str(pretrained),
                device=device,
                require_pretrained=pretrained is not None,
                # The weights of some tags, OpenAI's among them, were trained with
                # another activation than the model of that name has.
                force_quick_gelu=quick_gelu(library, model, pretrained),
            )
        except Exception as error:  # of the network, the file or torch
            raise KalosError(_unloaded(model, pretrained, error)) from error
        self._network.eval()

    def embed(self, pictures):
        """Return (n, D) vectors of pictures."""
        batch = self._torch.stack([self._prepare(picture) for picture in pictures])
        with self._torch.inference_mode():
            vectors = self._network.encode_image(batch.to(self._device))
        vectors = vectors.float().cpu().numpy().astype(np.float64)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(length) & (length > 0)).all():
            raise KalosError(
                "This model makes no numbers of some crops (nan or 0). Are its weights "
                "complete? Choose others: pretrained='openai', say."
            )
        return vectors / length


def _check_known(library, model, pretrained):
    """Raise for a model or weights that do not exist; cheap."""
    if ":" in model:  # it brings its weights along
        return
    known = library.list_models()
    if model not in known:
        raise KalosError(
            f"open_clip knows no model {model!r}.{nearest(model, known)} All are "
            "listed by open_clip.list_models()"
        )
    if pretrained is None or library.get_pretrained_cfg(model, str(pretrained)):
        return
    if not Path(pretrained).is_file():
        tags = library.list_pretrained_tags_by_model(model)
        raise KalosError(
            f"pretrained={os.fspath(pretrained)!r} is neither a file nor weights that "
            f"open_clip has of {model!r}, which are: {', '.join(tags) or 'none'}"
        )


def quick_gelu(library, model, pretrained):
    """Return whether weights need that activation; of a file nobody knows."""
    tag = library.get_pretrained_cfg(model, str(pretrained)) if pretrained else {}
    return bool(tag.get("quick_gelu", False))


def _unloaded(model, pretrained, error):
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if pretrained is not None and Path(pretrained).is_file():
        return (
            f"The weights in '{pretrained}' cannot be loaded into CLIP model {model!r}:"
            f" {first}. Is it a checkpoint of that model?"
        )
    return (
        f"The weights {pretrained!r} of CLIP model {model!r} cannot be loaded: {first}."
        " They are downloaded when first used. Without a network, download them "
        "elsewhere and name the file: pretrained='/path/to/weights.safetensors'"
    )
