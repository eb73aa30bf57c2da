"""A small COCO-style document, and ways to change it."""


def document():
    """Return two images; ana and kim see the first, only kim the second."""
    return {
        "images": [
            {
                "id": 7,
                "file_name": "b.jpg",
                "width": 200,
                "height": 100,
                "rater_list": ["kim", "ana"],
            },
            {
                "id": 3,
                "file_name": "a.jpg",
                "width": 100,
                "height": 50,
                "rater_list": ["kim"],
            },
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}],
        "annotations": [
            annotation(11, rater_id="kim", category_id=2),
            annotation(12, rater_id="ana", bbox=[30, 20, 40, 50]),
        ],
    }


def annotation(number, **changes):
    return {
        "id": number,
        "image_id": 7,
        "category_id": 1,
        "rater_id": "kim",
        "bbox": [20, 10, 50, 25],
        "segmentation": [[20, 10, 70, 10, 70, 35]],
        "keypoints": [20, 10, 2, 0, 0, 0],
    } | changes


def sessions(rater_list):
    made = document()
    made["images"][0]["rater_list"] = rater_list
    for number, entry in enumerate(made["annotations"]):
        entry |= {"rater_id": "ana", "session_id": number + 1}
    return made


def change(*keys, to=None, remove=False):
    """Return a function that sets or removes a value deep in a document."""

    def apply(made):
        *path, last = keys
        for key in path:
            made = made[key]
        if remove:
            del made[last]
        else:
            made[last] = to

    return apply
