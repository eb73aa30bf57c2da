"""What plugin tests build with; imported after the sandbox was entered."""

import importlib

import fiftyone as fo
import fiftyone.operators as foo

PLUGIN = "@kalos/audit"


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
