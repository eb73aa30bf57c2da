"""The labels of the demo as a COCO-style file: python -m demo.coco labels.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .labels import N_SCENES, drawn
from .scenes import HEIGHT, WIDTH


def document() -> dict[str, list[dict[str, Any]]]:
    """Return images with their ``rater_list``, and what the raters drew, in pixels."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    names: dict[str, int] = {}
    for index in range(N_SCENES):
        image = {"id": index, "file_name": f"smear_{index:03}.jpg", "rater_list": []}
        images.append(image | {"width": WIDTH, "height": HEIGHT})
        for rater, labels in drawn(index):
            image["rater_list"].append(rater)
            annotations += [
                {
                    "image_id": index,
                    "rater_id": rater,
                    "category_id": names.setdefault(name, len(names)),
                    "bbox": [x * WIDTH, y * HEIGHT, w * WIDTH, h * HEIGHT],
                }
                for name, (x, y, w, h) in labels
            ]
    for number, annotation in enumerate(annotations):
        annotation["id"] = number
    categories = [{"id": number, "name": name} for name, number in names.items()]
    return {"images": images, "categories": categories, "annotations": annotations}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(document()))
