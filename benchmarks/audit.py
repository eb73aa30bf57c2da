"""The whole audit of 100,000 detections in FiftyOne against the bare floor.

The floor is what any audit must do: one ``values()`` of all that is read, and one
update per sample, guarded by the ids of its first and last label, that sets a unit and
a kind on each label and four numbers on the sample. Ours also measures, matches,
diagnoses with 1,000 rounds, stages all results and writes a label for every object.
"""

import statistics
import time

import numpy as np

from benchmarks import workloads
from scripts.sandbox import enter

N_REPEATS = 3
READ = ("id", "rater", "label", "bounding_box")


def main():
    enter("bench")
    import fiftyone as fo
    import fiftyone.operators as foo

    compute = foo.get_operator("@kalos/audit/compute_agreement")
    dataset = stored(fo, workloads.lvis())
    total = sum(map(len, dataset.values("gt.detections.id")))
    print(f"{len(dataset):,} samples, {total:,} detections; goal: ratio at most 3")
    print(f"{'values()':>10}{'update':>10}{'audit':>10}{'ratio':>8}{'delete':>10}")
    taken = []
    for _ in range(N_REPEATS):
        read = seconds(lambda: dataset.values(["id", "raters", *paths()]))
        written = seconds(lambda: update(dataset))
        take_back(dataset)
        audited = seconds(lambda: compute(dataset, "gt"))
        deleted = seconds(lambda: foo.get_operator(DELETE)(dataset, "kalos"))
        taken.append((read, written, audited, deleted))
    read, written, audited, deleted = map(statistics.median, zip(*taken, strict=True))
    print(
        f"{read:>9.2f}s{written:>9.2f}s{audited:>9.2f}s"
        f"{audited / (read + written):>8.2f}{deleted:>9.2f}s"
    )
    dataset.delete()


DELETE = "@kalos/audit/delete_run"


def paths():
    return [f"gt.detections.{name}" for name in READ]


def stored(fo, work):
    """Return a workload of boxes as a data set, written without FiftyOne's objects."""
    from bson import ObjectId

    name = "kalos-bench-audit"
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    dataset = fo.Dataset(name)
    box = fo.Detection(label="c", bounding_box=[0, 0, 1, 1], rater="r0")
    first = fo.Sample("x.jpg", gt=fo.Detections(detections=[box]), raters=["r0"])
    dataset.add_samples([first], dynamic=True)
    collection = dataset._sample_collection
    template = collection.find_one()
    collection.delete_many({})
    n_images, n_raters = work.assigned.shape
    raters = [f"r{number}" for number in range(n_raters)]
    order = np.argsort(work.image, kind="stable")
    ends = np.searchsorted(work.image[order], np.arange(n_images + 1))
    boxes, label, rater = work.raw.tolist(), work.label.tolist(), work.rater.tolist()
    samples = []
    for image in range(n_images):
        drawn = [
            {
                "_id": ObjectId(),
                "_cls": "Detection",
                "attributes": {},
                "tags": [],
                "label": f"class {label[n]}",
                "bounding_box": boxes[n],
                "rater": raters[rater[n]],
            }
            for n in order[ends[image] : ends[image + 1]].tolist()
        ]
        samples.append(
            {
                **template,
                "_id": ObjectId(),
                "filepath": f"/{image}.jpg",
                "raters": raters,
                "gt": {"_cls": "Detections", "detections": drawn},
            }
        )
    collection.insert_many(samples)
    dataset.reload()
    return dataset


def update(dataset):
    """Write units, kinds and four numbers, one guarded update per sample."""
    from pymongo import UpdateOne

    changes = []
    for record in dataset._sample_collection.find({}, {"gt.detections._id": 1}):
        ids = [label["_id"] for label in record["gt"]["detections"]]
        guard = {"_id": record["_id"]}
        for place in (0, len(ids) - 1) if ids else ():
            guard[f"gt.detections.{place}._id"] = ids[place]
        values = {"b_alpha": 0.5, "b_status": "computed", "b_units": 9, "b_none": 1}
        for n in range(len(ids)):
            values[f"gt.detections.{n}.b_unit"] = n
            values[f"gt.detections.{n}.b_kind"] = "agreed"
        changes.append(UpdateOne(guard, {"$set": values}))
    dataset._sample_collection.bulk_write(changes, ordered=False)


def take_back(dataset):
    """Remove what ``update`` wrote."""
    names = ("b_alpha", "b_status", "b_units", "b_none")
    removed = {name: "" for name in names}
    for name in ("b_unit", "b_kind"):
        removed[f"gt.detections.$[].{name}"] = ""
    dataset._sample_collection.update_many({}, {"$unset": removed})


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
