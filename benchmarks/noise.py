"""Five synthetic raters of 100,000 boxes beside writing them as JSON, in CPU seconds.

Both are medians of runs that take turns. The peak of memory is on top of the reference.
"""

import json
import statistics
import time

import numpy as np

from benchmarks import workloads
from benchmarks.million import forget_peak, memory
from kalos_core import Annotations, Boxes
from kalos_core.noise import ERRORS, signal_loss, simulate_raters

N_IMAGES, N_BOXES, N_CLASSES, N_RATERS, ROUNDS = 10_000, 100_000, 80, 5, 3
CROWDS = (10, 100, 200, 300, 400)
SMALL = (0.01, 0.04)


def main():
    made = reference()
    before = forget_peak()
    simulated = simulate_raters(made, n_raters=N_RATERS, rng=np.random.default_rng(0))
    peak, result = memory() - before, size(simulated)
    taken = [run(made, seed) for seed in range(ROUNDS)]
    generated, written = (statistics.median(row) for row in zip(*taken, strict=True))
    print(
        f"{N_BOXES:,} boxes of {N_IMAGES:,} images, {N_RATERS} raters; "
        "goal: ratio at most 5"
    )
    print(f"{'generate':>9}{'json.dumps':>12}{'ratio':>7}{'peak':>9}{'result':>9}")
    print(
        f"{generated:>8.2f}s{written:>11.2f}s{generated / written:>7.2f}"
        f"{peak:>6.0f} MB{result:>6.0f} MB"
    )
    print(signal_loss(made, rng=np.random.default_rng(0)))
    parts = ", ".join(f"{n}: {deleted(n):.1%}" for n in CROWDS)
    print(f"deleted at magnitude 1, by labels of an image: {parts}")


def deleted(n):
    """Return which part of labels is deleted where images have so many."""
    made = simulate_raters(
        reference(20, 20 * n, SMALL),
        n_raters=N_RATERS,
        rng=np.random.default_rng(0),
    )
    return float(np.mean(made.fate == ERRORS.index("deleted")))


def size(simulated):
    """Return how large the arrays of a result are, in MB."""
    names = ("image", "rater", "label", "annotation_id", "error", "first")
    arrays = [getattr(simulated, name) for name in (*names, "reference_index")]
    return sum(a.nbytes for a in (*arrays, simulated.geometry.xywh)) / 2**20


def reference(n_images=N_IMAGES, n_boxes=N_BOXES, sides=(0.03, 0.3)):
    """Return boxes of one rater."""
    rng = np.random.default_rng(0)
    side = rng.uniform(*sides, (n_boxes, 2))
    corner = rng.uniform(0, 1 - side)
    return Annotations(
        image=rng.integers(0, n_images, n_boxes),
        rater=np.zeros(n_boxes, int),
        label=rng.integers(0, N_CLASSES, n_boxes),
        geometry=Boxes(np.hstack([corner, side])),
        annotation_id=np.arange(n_boxes).astype("U8"),
        assigned=np.ones((n_images, 1), bool),
        images=workloads.names("i", n_images),
        raters=("reference",),
        classes=workloads.names("c", N_CLASSES),
    )


def run(made, seed):
    start = time.process_time()
    rng = np.random.default_rng(seed)
    simulated = simulate_raters(made, n_raters=N_RATERS, rng=rng)
    generated = time.process_time()
    rows = plain(simulated)
    listed = time.process_time()
    json.dumps(rows)
    return generated - start, time.process_time() - listed


def plain(simulated):
    """Return the result as a list of plain dicts."""
    made = simulated.reference
    columns = zip(
        simulated.annotation_id.tolist(),
        simulated.image.tolist(),
        simulated.rater.tolist(),
        simulated.label.tolist(),
        simulated.geometry.xywh.tolist(),
        simulated.reference_ids(),
        simulated.error.tolist(),
        strict=True,
    )
    return [
        {
            "id": annotation_id,
            "image": made.images[image],
            "rater": simulated.raters[rater],
            "category": made.classes[label],
            "bbox": bbox,
            "references": references,
            "error": ERRORS[error],
        }
        for annotation_id, image, rater, label, bbox, references, error in columns
    ]


if __name__ == "__main__":
    main()
