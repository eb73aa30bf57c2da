"""The engine against the reference: CPU seconds and memory on seven workloads.

Both run in one process, one workload each. Where the reference would take minutes it is
given a part of the data and its time is scaled by cross-rater pairs; such rows have x.
"""

import multiprocessing
import os
import resource
import sys
import time

from benchmarks import workloads
from kalos_core import Configuration, compute_agreement

SIMILARITIES = {
    "box_iou": "bbox_iou_similarity",
    "polygon_iou": "segm_iou_similarity",
    "volume_iou": "3D_IoU_similarity",
    "keypoint_mpjpe": "in-mpjpe_similarity",
}
GOALS = dict(
    zip(
        (make.__name__ for make in workloads.WORKLOADS),
        (74, 89, 263, 194, 290, 119, 3000),
        strict=True,
    )
)


def main():
    print("agreement alone, in CPU seconds; x: reference scaled from a part by pairs")
    print(
        f"{'workload':<14}{'pairs':>12}{'reference':>12}{'ours':>9}{'ratio':>8}"
        f"{'goal':>7}{'memory':>10}"
    )
    chosen = sys.argv[1:] or GOALS
    for name in chosen:
        # A process each, so that the peak of memory is that of this workload.
        child = multiprocessing.Process(target=run, args=(name,))
        child.start()
        child.join()


def run(name):
    work = getattr(workloads, name)()
    configuration = Configuration(work.d_loc, work.tau)
    before = peak()
    ours = seconds(
        lambda: compute_agreement(workloads.annotations(work), configuration)
    )
    memory = peak()
    os.environ["TQDM_DISABLE"] = "1"
    from kalos.iaa import core

    data, part = workloads.reference_data(work), work.n_pairs(work.part())
    categories = {number: str(number) for number in range(work.n_classes)}
    raters = list(range(work.assigned.shape[1]))
    theirs = seconds(
        lambda: core.calculate_iaa(
            data,
            categories,
            "greedy",
            SIMILARITIES[work.d_loc],
            "category_lenient",
            1 - work.tau,
            False,
            False,
            False,
            raters,
        )
    )
    total = work.n_pairs()
    scaled = " x" if part < total else "  "
    theirs *= total / part
    print(
        f"{work.name:<14}{total:>12,}{theirs:>10,.1f}{scaled}{ours:>9.2f}"
        f"{theirs / ours:>8,.0f}{GOALS[name]:>7,}{memory:>7.0f} MB"
        f" (of which data and imports {before:.0f})",
        flush=True,
    )


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
