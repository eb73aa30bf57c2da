"""Large data sets, stored in seconds by writing MongoDB documents directly."""

import copy

import fiftyone as fo
import numpy as np
from bson import ObjectId

BATCH = 1000


def store(sample, n_samples, name):
    """Return a data set of copies of a sample, each with ids of its own."""
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    dataset = fo.Dataset(name)
    dataset.add_samples([sample], dynamic=True, progress=False)
    collection = dataset._sample_collection
    document = collection.find_one()
    rng = np.random.default_rng(0)
    for start in range(1, n_samples, BATCH):
        count = min(BATCH, n_samples - start)
        collection.insert_many([_copy(document, rng) for _ in range(count)])
    dataset.reload()
    return dataset


def _copy(document, rng):
    made = copy.deepcopy(document)
    made["_id"] = ObjectId()
    for value in made.values():
        for detection in value.get("detections", ()) if isinstance(value, dict) else ():
            detection["_id"] = ObjectId()
            detection["bounding_box"] = rng.uniform(0.1, 0.4, 4).tolist()
    return made
