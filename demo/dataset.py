"""The demo as a FiftyOne data set, in either rater layout."""

from pathlib import Path

import fiftyone as fo
from PIL import Image

from .labels import N_SCENES, SEED, drawn
from .raters import RATERS, assigned_raters, is_empty
from .scenes import render_scene

EDITION = "2"  # raise it when labels change, and the next one when paintings do
PAINTING = "1"
LABEL_FIELD = "ratings"


def render_images():
    """Render the missing images of the demo, yielding how many are there."""
    for index in range(N_SCENES):
        path = _image_path(index)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            scene = render_scene(index, empty=is_empty(index), seed=SEED)
            unfinished = path.with_suffix(".part")
            Image.fromarray(scene.pixels).save(unfinished, "JPEG", quality=90)
            unfinished.replace(path)  # a kill never leaves half an image
        yield index + 1


def create_dataset(field_per_rater=False):
    """Create the data set of rendered images; whoever completes it gives it a name."""
    dataset = fo.Dataset()
    sample = _sample_with_field_per_rater if field_per_rater else _sample_with_one_field
    for rater in RATERS if field_per_rater else ():
        dataset.add_sample_field(
            rater.name, fo.EmbeddedDocumentField, embedded_doc_type=fo.Detections
        )
    dataset.add_samples([sample(index) for index in range(N_SCENES)], dynamic=True)
    habits = {rater.name: rater.habit for rater in RATERS}
    dataset.info = {"edition": EDITION, "raters": habits}
    dataset.save()
    return dataset


def _image_path(index):
    """Return where an image lies; all data sets made of the demo share them."""
    directory = Path(fo.config.default_dataset_dir, "kalos-demo-images", PAINTING)
    return directory / f"smear_{index:03}.jpg"


def _sample_with_one_field(index):
    detections = []
    for rater, labels in _drawn(index):
        for detection in labels:
            detection["rater"] = rater
            detections.append(detection)
    return fo.Sample(
        filepath=str(_image_path(index)),
        raters=list(assigned_raters(index, N_SCENES)),
        **{LABEL_FIELD: fo.Detections(detections=detections)},
    )


def _sample_with_field_per_rater(index):
    fields = {rater: fo.Detections(detections=drew) for rater, drew in _drawn(index)}
    return fo.Sample(filepath=str(_image_path(index)), **fields)


def _drawn(index):
    """Yield each assigned rater of a scene with the rater's labels."""
    for rater, labels in drawn(index):
        yield (
            rater,
            [fo.Detection(label=name, bounding_box=box) for name, box in labels],
        )
