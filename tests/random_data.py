"""Random data sets of every kind of shape, for us and for the reference."""

import numpy as np

from kalos_core import Annotations, Boxes, Keypoints, Masks, Polygons, Volumes

N_JOINTS = 5
GRID = (48, 64)


def boxes(rng, centres):
    size = rng.uniform(0.05, 0.35, (len(centres), 2))
    return Boxes(np.hstack([centres - size / 2, size]))


def rings(rng, centres):
    """Return star-shaped outlines, which do not cross themselves."""
    outlines = []
    for x, y in centres:
        n = int(rng.integers(3, 12))
        angle = np.sort(rng.uniform(0, 2 * np.pi, n))
        angle += np.linspace(0, 0.1, n)  # no two corners in one direction
        radius = rng.uniform(0.05, 0.2, n)
        outlines.append(
            np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], axis=1)
        )
    return outlines


def polygons(rng, centres):
    outlines = rings(rng, centres)
    made = Polygons.from_rings(outlines, np.arange(len(outlines)), len(outlines))
    return made


def masks(rng, centres):
    corner, crops = [], []
    for x, y in centres:
        size = rng.integers(3, 16, 2)
        crop = rng.random(size) < 0.8
        crop[0, 0] = True
        corner.append([int(y * (GRID[0] - size[0])), int(x * (GRID[1] - size[1]))])
        crops.append(crop)
    return Masks(np.array(corner).reshape(-1, 2), crops, np.tile(GRID, (len(crops), 1)))


def stacks(rng, centres):
    """Return contours, their slices and owners."""
    contours, z, owner = [], [], []
    for n, outline in enumerate(rings(rng, centres)):
        middle, half = rng.uniform(0.49, 0.51), int(rng.integers(1, 4))
        for step in range(-half, half + 1):
            contours.append((outline * 0.98).clip(0, 1))
            z.append(float(np.clip(middle + step / 127, 0, 1)))
            owner.append(n)
    return contours, z, owner


def volumes(rng, centres):
    contours, z, owner = stacks(rng, centres)
    return Volumes.from_contours(
        contours, z, np.zeros(len(z), bool), owner, len(centres)
    )


def keypoints(rng, centres):
    offset = rng.normal(0, 0.08, (len(centres), N_JOINTS, 2))
    visible = rng.random((len(centres), N_JOINTS)) < 0.85
    visible[:, 0] = True
    return Keypoints(centres[:, None] + offset, visible)


SHAPES = {
    "Boxes": boxes,
    "Polygons": polygons,
    "Masks": masks,
    "Volumes": volumes,
    "Keypoints": keypoints,
}


def random_shapes(kind, rng, n):
    return SHAPES[kind](rng, rng.uniform(0.2, 0.8, (n, 2)))


def crowd(seed, n=90, n_images=5, n_raters=5, kind="Boxes"):
    """Return shapes that overlap at random; some raters are not assigned."""
    rng = np.random.default_rng(seed)
    assigned = rng.random((n_images, n_raters)) < 0.8
    image, rater = rng.integers(0, n_images, n), rng.integers(0, n_raters, n)
    kept = assigned[image, rater] & (image != 2)  # an image that all left empty
    return Annotations(
        image=image[kept],
        rater=rater[kept],
        label=rng.integers(0, 3, int(kept.sum())),
        geometry=random_shapes(kind, rng, n).take(np.flatnonzero(kept)),
        annotation_id=[f"a{k:03}" for k in range(int(kept.sum()))],
        assigned=assigned,
        images=[f"i{i}" for i in range(n_images)],
        raters=[f"r{r}" for r in range(n_raters)],
        classes=["a", "b", "c"],
    )


def rated_boxes(rng, n_images=30, n_raters=3, n_objects=6, size=(0.05, 0.3)):
    """Return boxes that all raters draw alike, give or take a tenth."""
    shape = n_images, n_raters, n_objects
    true = np.hstack(
        [
            rng.uniform(0, 0.7, (n_images * n_objects, 2)),
            rng.uniform(*size, (n_images * n_objects, 2)),
        ]
    ).reshape(n_images, 1, n_objects, 4)
    off = rng.normal(0, 0.1, (*shape, 4)) * true[..., [2, 3, 2, 3]]
    image, rater, number = np.indices(shape).reshape(3, -1)
    return Annotations(
        image=image,
        rater=rater,
        label=np.zeros(len(image), int),
        geometry=Boxes((true + off).reshape(-1, 4)),
        annotation_id=number.astype(str),
        assigned=np.ones((n_images, n_raters), bool),
        images=[f"i{n:03}" for n in range(n_images)],
        raters=[f"r{n}" for n in range(n_raters)],
        classes=["a"],
    )
