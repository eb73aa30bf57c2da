"""The engine against the reference: CPU seconds and memory on seven workloads.

Both run in one process, one workload each. Where the reference would take minutes it is
given a part of the data and its time is scaled by cross-rater pairs; such rows have x.
"""

import multiprocessing
import os
import resource
import sys
import time
from dataclasses import replace

from benchmarks import workloads
from kalos_core import DISTANCES, Configuration, compute_agreement
from kalos_core.pairs import candidate_pairs

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
    print("Agreement alone, in CPU seconds; x: reference scaled from a part by pairs.")
    print("Of all cross-rater pairs the reference measures each, we the measured ones.")
    print("Goals are for the whole job, with calibration and diagnostics.")
    print(
        f"{'workload':<14}{'pairs':>12}{'measured':>12}{'reference':>12}{'ours':>9}"
        f"{'ratio':>8}{'goal':>7}{'memory':>10}"
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
    ours = seconds(
        lambda: compute_agreement(workloads.annotations(work), configuration)
    )
    memory, measured = peak(), count_measured(work)
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
        f"{work.name:<14}{total:>12,}{measured:>12,}{theirs:>10,.1f}{scaled}"
        f"{ours:>9.2f}{theirs / ours:>8,.0f}{GOALS[name]:>7,}{memory:>7.0f} MB",
        flush=True,
    )


def count_measured(work):
    """Return how many pairs get as far as the distance itself."""
    entry, counted = DISTANCES[work.d_loc], []

    def measure(shapes, k, l):
        counted.append(len(k))
        return entry.measure(shapes, k, l)

    DISTANCES[work.d_loc] = replace(entry, measure=measure)
    candidate_pairs(workloads.annotations(work), work.d_loc, work.tau)
    DISTANCES[work.d_loc] = entry
    return sum(counted)


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
