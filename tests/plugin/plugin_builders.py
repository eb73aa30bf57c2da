"""What plugin tests build with; imported after the sandbox was entered."""

import importlib
import os
import warnings
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
from bson import ObjectId

PLUGIN = "@kalos/audit"
NAN = float("nan")


def operator(name):
    return foo.get_operator(f"{PLUGIN}/{name}")


def plugin_module(name):
    """Return a module of the plugin as FiftyOne loaded it."""
    operator("compute_agreement")  # every lookup loads the plugin
    return importlib.import_module(f"fiftyone.plugins.orgs.kalos.audit.{name}")


def detection(label, *xywh, **attributes):
    """Return a box in percent of the image."""
    return fo.Detection(label=label, bounding_box=[v / 100 for v in xywh], **attributes)


def detections(*boxes):
    return fo.Detections(detections=list(boxes))


def sample(name, **fields):
    return fo.Sample(filepath=f"/nowhere/{name}.jpg", **fields)


def make_dataset(*samples, **options):
    dataset = fo.Dataset(**options)
    dataset.add_samples(list(samples), dynamic=True)
    return dataset


def masked(label, *xywh, mask, **attributes):
    """Return a box in percent of the image with its instance mask."""
    return detection(label, *xywh, mask=np.array(mask), **attributes)


def polygon(label, *parts, **attributes):
    """Return a closed polyline; each part is x, y, x, y, ... in percent."""
    points = [(np.reshape(part, (-1, 2)) / 100).tolist() for part in parts]
    return fo.Polyline(
        label=label, points=points, **{"closed": True, "filled": True, **attributes}
    )


def square(x, y, side):
    """Return the corners of a square, for ``polygon``."""
    return [x, y, x + side, y, x + side, y + side, x, y + side]


def keypoint(label, *joints, **attributes):
    """Return joints (x, y) in percent; None for one that was not drawn."""
    points = [(NAN, NAN) if j is None else (j[0] / 100, j[1] / 100) for j in joints]
    return fo.Keypoint(label=label, points=points, **attributes)


def label_list(labels, kind):
    """Return labels as the list that a field holds, fo.Polylines say."""
    return kind(**{kind._LABEL_LIST_FIELD: labels})


def in_one_field(kind, drawn, **fields):
    """Return a data set of {rater: labels} per sample, all in the field "gt"."""
    made = []
    for name, by_rater in drawn.items():
        labels = [_by(rater, label) for rater in by_rater for label in by_rater[rater]]
        held = {"gt": label_list(labels, kind), "raters": list(by_rater)}
        made.append(sample(name, **held, **fields))
    return make_dataset(*made)


def _by(rater, label):
    """Return a copy of a label that names its rater, with the same id."""
    copy = label.copy()
    copy.id, copy["rater"] = label.id, rater
    return copy


def in_a_field_each(kind, drawn, **fields):
    """Return the same with a field for each rater."""
    return make_dataset(
        *(
            sample(
                name, **{r: label_list(own, kind) for r, own in by.items()}, **fields
            )
            for name, by in drawn.items()
        )
    )


def drawn(*said):
    """Return objects side by side, each with what ana and ben say it is."""
    return detections(
        *(
            detection(label, 10 + 25 * n, 10, 20, 20, rater=rater)
            for n, labels in enumerate(said)
            for rater, label in zip(("ana", "ben"), labels, strict=True)
            if label
        )
    )


def grouped():
    """Return groups of two slices; the right ones are agreed, a class, and a miss."""
    right = {
        "agreed": drawn(("cat", "cat"), ("dog", "dog")),
        "class": drawn(("cat", "cat"), ("cat", "dog")),
        "missed": drawn(("cat", "cat"), ("cat", None), ("dog", "dog")),
    }
    made = fo.Dataset()
    made.add_group_field("group", default="left")
    for name, labels in right.items():
        group, both = fo.Group(), {"raters": ["ana", "ben"]}
        left = sample(f"left {name}", group=group.element("left"), **both)
        left["gt"] = drawn(("cat", "dog"))
        own = sample(name, group=group.element("right"), gt=labels, **both)
        made.add_samples([left, own], dynamic=True)
    return made


def multiply(template, changes):
    """Return a data set of one sample with others like it instead, a change each.

    They are written without FiftyOne's objects, in seconds rather than minutes.

    Parameters
    ----------
    changes : of each sample, what its document has instead, by name of the field.
    """
    made = make_dataset(template)
    like = made._sample_collection.find_one()
    made._sample_collection.delete_many({})
    made._sample_collection.insert_many(
        [{**like, "_id": ObjectId(), **changed} for changed in changes]
    )
    made.reload()
    return made


def box_document(label, *xywh, rater):
    """Return the document of a box in percent of the image."""
    return {
        "_id": ObjectId(),
        "_cls": "Detection",
        "attributes": {},
        "tags": [],
        "label": label,
        "bounding_box": [v / 100 for v in xywh],
        "rater": rater,
    }


def names(view):
    """Return the names that ``sample`` was given, in the order of a view."""
    return [Path(path).stem for path in view.values("filepath")]


def stored(dataset, less=()):
    """Return the samples as stored, less what runs under the keys ``less`` wrote."""
    prefixes = tuple(f"{key}_" for key in less)
    found = []
    for record in dataset._sample_collection.find().sort("_id"):
        record.pop("last_modified_at")
        found.append(_without(record, prefixes))
    return found


def _without(value, prefixes):
    if isinstance(value, dict):
        return {
            name: _without(inner, prefixes)
            for name, inner in value.items()
            if not prefixes or not name.startswith(prefixes)
        }
    if isinstance(value, list):
        return [_without(inner, prefixes) for inner in value]
    return value


class Shown:
    """What the panel asked the App to do."""

    def __init__(self, ctx):
        self.requests = [
            (request.operator_uri.split("/")[-1], request.params)
            for request in ctx.executor._requests
        ]
        self.state = {}
        for patch in self["patch_panel_state"]:
            self.state.update(patch["state"])

    def __getitem__(self, name):
        return [params for uri, params in self.requests if uri == name]

    @property
    def properties(self):
        return self["show_panel_output"][-1]["output"]["type"]["properties"]


def panel_request(panel, context, dataset, method, state=None, **params):
    """Return what a panel does when the App calls one of its methods."""
    ctx = context(dataset, {"__method__": method, **params}, panel_state=state or {})
    panel.execute(ctx)
    return Shown(ctx)


def start(work):
    """Run ``work`` in a process of its own and return its number."""
    child = os.fork()
    if child:
        return child
    try:
        warnings.simplefilter("ignore")  # of clients that were opened before the fork
        work()
    finally:
        os._exit(0)
