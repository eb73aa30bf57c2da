"""The seven workloads of the engine, as raw numbers for us and for the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from kalos_core import Annotations, Boxes, Keypoints, Polygons, Volumes


@dataclass
class Workload:
    """A data set before either implementation has touched it."""

    name: str
    d_loc: str
    tau: float
    image: np.ndarray
    rater: np.ndarray
    label: np.ndarray
    raw: list | np.ndarray
    assigned: np.ndarray
    n_classes: int
    n_images: int  # the first so many are given to the reference
    n_raters: int = 99  # and of them the first so many raters

    def part(self):
        """Return which annotations the reference is given."""
        return (self.image < self.n_images) & (self.rater < self.n_raters)

    def n_pairs(self, part=slice(None)):
        """Return the cross-rater pairs, all of which the reference measures."""
        n_images, n_raters = self.assigned.shape
        cell = (self.image * n_raters + self.rater)[part]
        drawn = np.bincount(cell, minlength=n_images * n_raters)
        drawn = drawn.reshape(n_images, n_raters).astype(np.int64)
        return int((drawn.sum(1) ** 2 - (drawn**2).sum(1)).sum()) // 2


def annotations(work):
    """Return a workload as annotations, shapes built from raw numbers."""
    n = len(work.image)
    if work.d_loc == "box_iou":
        shapes = Boxes(work.raw)
    elif work.d_loc == "polygon_iou":
        shapes = Polygons.from_rings(work.raw, np.arange(n), n)
    elif work.d_loc == "keypoint_mpjpe":
        shapes = Keypoints(work.raw[:, :, :2], work.raw[:, :, 2] > 0)
    else:
        owner = np.repeat(np.arange(n), [len(stack) for stack in work.raw])
        z = [z for stack in work.raw for z, _ in stack]
        contours = [outline for stack in work.raw for _, outline in stack]
        shapes = Volumes.from_contours(contours, z, np.zeros(len(z), bool), owner, n)
    n_images, n_raters = work.assigned.shape
    return Annotations(
        image=work.image,
        rater=work.rater,
        label=work.label,
        geometry=shapes,
        annotation_id=ids(n),
        assigned=work.assigned,
        images=names("i", n_images),
        raters=names("r", n_raters),
        classes=names("c", work.n_classes),
    )


@cache
def ids(n):
    """Return n ids, made once like names."""
    return np.arange(n).astype("U8")


@cache
def names(prefix, n):
    """Return n names, made once: with real data they are given."""
    return tuple(f"{prefix}{number:06}" for number in range(n))


def reference_data(work):
    """Return the reference's part in the structure of the reference."""
    who = [
        np.flatnonzero(assigned[: work.n_raters]).tolist()
        for assigned in work.assigned[: work.n_images]
    ]
    data = {
        i: {"rater_list": own, "annotations_by_rater": {r: [] for r in own}}
        for i, own in enumerate(who)
    }
    for n in np.flatnonzero(work.part()).tolist():
        raw, rater = work.raw[n], int(work.rater[n])
        made = {"id": n, "rater_id": rater, "category_id": int(work.label[n])}
        if work.d_loc == "box_iou":
            made["bbox"] = raw.tolist()
        elif work.d_loc == "polygon_iou":
            made["segmentation"] = [raw.ravel().tolist()]
        elif work.d_loc == "keypoint_mpjpe":
            made["keypoints"] = raw.ravel().tolist()
        else:
            made["segmentation_3d"] = [
                {"z_position": z, "points": outline.tolist()} for z, outline in raw
            ]
        data[int(work.image[n])]["annotations_by_rater"][rater].append(made)
    return data


def cohort(rng, assigned, n_objects, n_classes, miss=0.1, swap=0.05):
    """Return image, rater, class and object of annotations of the same objects.

    ``n_objects`` (I,) objects per image; each assigned rater misses and swaps some.
    """
    image_of_object = np.repeat(np.arange(len(assigned)), n_objects)
    label_of_object = rng.integers(0, n_classes, len(image_of_object))
    obj, rater = np.nonzero(assigned[image_of_object])
    seen = rng.random(len(obj)) > miss
    obj, rater = obj[seen], rater[seen]
    label = label_of_object[obj]
    other = rng.random(len(obj)) < swap
    label[other] = rng.integers(0, n_classes, int(other.sum()))
    return image_of_object[obj], rater, label, obj


def drawn_boxes(rng, obj, size, jitter=0.08):
    """Return the boxes of objects, drawn a little differently each time."""
    n = int(obj.max(initial=-1)) + 1
    side = rng.uniform(*size, (n, 2))
    corner = rng.uniform(0, 1 - side)
    boxes = np.hstack([corner, side])[obj]
    return boxes + rng.normal(0, jitter, boxes.shape) * np.tile(boxes[:, 2:], 2) * 0.5


def boxes(name, seed, shape, n_objects, n_classes, size, part, seen=None):
    """Return a workload of boxes; ``seen`` raters see each image, else all."""
    rng = np.random.default_rng(seed)
    assigned = np.ones(shape, bool)
    if seen is not None:
        assigned[:] = rng.random(shape).argsort(1).argsort(1) < seen
    image, rater, label, obj = cohort(rng, assigned, n_objects(rng), n_classes)
    raw = drawn_boxes(rng, obj, size)
    raw[:, 2:] = np.maximum(raw[:, 2:], 1e-4)
    return Workload(
        name, "box_iou", 0.5, image, rater, label, raw, assigned, n_classes, *part
    )


def lvis():
    def n_objects(rng):
        return rng.poisson(11.1, 5000)

    return boxes("lvis-like", 0, (5000, 2), n_objects, 300, (0.03, 0.3), (5000,))


def vindr():
    def n_objects(rng):
        return np.where(rng.random(15000) < 0.3, 1 + rng.poisson(2.2, 15000), 0)

    size, part = (0.05, 0.3), (15000,)
    return boxes("vindr-like", 1, (15000, 17), n_objects, 14, size, part, seen=3)


def nucls():
    def n_objects(rng):
        return np.full(50, 66)

    return boxes("nucls-like", 2, (50, 35), n_objects, 13, (0.02, 0.06), (2, 12))


def dense():
    def n_objects(rng):
        return np.full(20, 1111)

    return boxes("dense", 3, (20, 10), n_objects, 20, (0.01, 0.03), (2, 3))


def million():
    def n_objects(rng):
        return np.full(50000, 6)

    return boxes("million", 4, (50000, 4), n_objects, 80, (0.05, 0.4), (0,))


def keypoints():
    rng = np.random.default_rng(5)
    assigned = np.ones((5000, 5), bool)
    image, rater, label, obj = cohort(rng, assigned, np.full(5000, 2), 2, 0.05)
    centre = rng.uniform(0.2, 0.8, (10000, 1, 2))
    joints = centre + rng.normal(0, 0.06, (10000, 9, 2))
    xy = joints[obj] + rng.normal(0, 0.01, (len(obj), 9, 2))
    visible = 2 * (rng.random((len(obj), 9)) < 0.95)
    raw = np.dstack([xy, visible])
    return Workload(
        "keypoints",
        "keypoint_mpjpe",
        0.1,
        image,
        rater,
        label,
        raw,
        assigned,
        2,
        1000,
    )


def outlines(rng, n, radius, n_points):
    """Return star-shaped outlines around 0."""
    made = []
    for count in rng.integers(*n_points, n).tolist():
        angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
        reach = rng.uniform(*radius) * rng.uniform(0.8, 1.2, count)
        made.append(np.stack([reach * np.cos(angle), reach * np.sin(angle)], 1))
    return made


def texbig():
    rng = np.random.default_rng(6)
    assigned = np.ones((2000, 4), bool)
    image, rater, label, obj = cohort(rng, assigned, np.full(2000, 8), 19)
    shape = outlines(rng, 16000, (0.06, 0.16), (20, 61))
    cell = np.tile(np.arange(8), 2000)  # regions of a page, in three rows
    centre = np.stack([cell % 3, cell // 3], axis=1) / 3 + rng.uniform(
        0.1, 0.25, (16000, 2)
    )
    raw = [
        shape[o] + centre[o] + rng.normal(0, 0.003, shape[o].shape)
        for o in obj.tolist()
    ]
    return Workload(
        "texbig-like", "polygon_iou", 0.5, image, rater, label, raw, assigned, 19, 20
    )


def volumes():
    rng = np.random.default_rng(7)
    assigned = np.ones((300, 4), bool)
    image, rater, label, obj = cohort(rng, assigned, np.full(300, 3), 1)
    shape = outlines(rng, 900, (0.02, 0.06), (12, 40))
    centre = rng.uniform(0.2, 0.8, (900, 2))
    middle, half = rng.uniform(0.2, 0.8, 900), rng.integers(2, 8, 900)
    raw = [
        [
            (
                float(middle[o] + step / 127),
                shape[o] + centre[o] + rng.normal(0, 0.002, shape[o].shape),
            )
            for step in range(-int(half[o]), int(half[o]) + 1)
        ]
        for o in obj.tolist()
    ]
    return Workload(
        "volumes", "volume_iou", 0.5, image, rater, label, raw, assigned, 1, 2
    )


WORKLOADS = (lvis, vindr, keypoints, texbig, volumes, nucls, dense)
