"""The engine against the reference: CPU seconds and memory on seven workloads.

Both run in one process, one workload each, on the agreement alone and on the whole job:
D_o and D_e, KS and tau*, mean and global alpha, vitality (of classes too), class
difficulty, collaboration, and eight more thresholds. Where the reference would take
minutes it is given a part of the data and its time is scaled by cross-rater pairs; such
rows have x. Ours, which is over too soon to be measured well, is the median of five
runs. The reference has no intervals; benchmarks.diagnosis has what ours cost.
"""

import multiprocessing
import os
import random
import resource
import statistics
import sys
import time
from dataclasses import replace

import numpy as np

from benchmarks import workloads
from kalos_core import (
    DISTANCES,
    Configuration,
    calibrate,
    compute_agreement,
    measure_pairs,
)
from kalos_core.alpha import coincidences
from kalos_core.class_sums import PerClass, class_sums
from kalos_core.diagnostics import collaboration, vitality
from kalos_core.diagnostics.class_difficulty import difficulty_of_classes
from kalos_core.pairs import candidate_pairs
from kalos_core.rematch import Problems, per_problem, rematch
from kalos_core.resampling import Resampling

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
RUNS = 5
TAUS = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)


def main():
    print("CPU seconds; x: the reference scaled from a part of the data by pairs.")
    print("Of all cross-rater pairs the reference measures each, we the measured ones.")
    print(
        f"{'':<38}{'agreement alone':^25}{'whole job':^25}\n"
        f"{'workload':<14}{'pairs':>12}{'measured':>12}"
        f"{'reference':>12}{'ours':>7}{'ratio':>7}"
        f"{'reference':>11}{'ours':>7}{'ratio':>7}{'goal':>7}{'memory':>10}"
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
    alone, whole = (
        statistics.median(seconds(part) for _ in range(RUNS))
        for part in (
            lambda: compute_agreement(workloads.annotations(work), configuration),
            lambda: our_job(work, configuration),
        )
    )
    memory, measured = peak(), count_measured(work)
    total, part = work.n_pairs(), work.n_pairs(work.part())
    theirs_alone, theirs_whole = their_seconds(work)
    scaled = " x" if part < total else "  "
    theirs_alone *= total / part
    theirs_whole *= total / part
    print(
        f"{work.name:<14}{total:>12,}{measured:>12,}"
        f"{theirs_alone:>10,.1f}{scaled}{alone:>7.2f}{theirs_alone / alone:>7,.0f}"
        f"{theirs_whole:>9,.1f}{scaled}{whole:>7.2f}{theirs_whole / whole:>7,.0f}"
        f"{GOALS[name]:>7,}{memory:>7.0f} MB",
        flush=True,
    )


def our_job(work, configuration):
    annotations = workloads.annotations(work)
    measured = measure_pairs(annotations, work.d_loc)
    rng = np.random.default_rng(0)
    calibrate(annotations, work.d_loc, rng=rng, measured=measured)
    agreement = compute_agreement(annotations, configuration, measured=measured)
    values, image_of = agreement.reliability.values, agreement.reliability.image_of
    images = np.arange(annotations.n_images)
    left_out = vitality.problems(annotations, configuration)
    in_pairs = collaboration.problems(annotations, configuration)
    at_taus = Problems(images, annotations.assigned, TAUS)
    by_class, matched = PerClass(), collaboration.among_others(annotations, in_pairs)
    without, some_pairs, *others = rematch(
        annotations,
        configuration,
        [left_out, in_pairs.where(matched), at_taus],
        [by_class, per_problem, per_problem],
        known=coincidences(values, image_of, annotations.n_images),
        measured=measured,
    )
    classes = class_sums(agreement.reliability)
    no_rounds = Resampling(annotations.assigned.sum(axis=1) >= 2, n_boot=0, seed=0)
    lacking = by_class.of(without)
    vitality.vitality(annotations, agreement, classes, left_out, lacking, no_rounds)
    difficulty_of_classes(classes, work.n_classes, no_rounds)
    pairs = collaboration.with_left_out(some_pairs, matched, left_out, lacking)
    collaboration.collaboration(in_pairs, pairs, no_rounds)
    for sums in others:
        sums.alpha()
        sums.summed(np.zeros(len(sums), dtype=np.int64), 1).alpha()


def their_seconds(work):
    """Return what the reference takes for the agreement and for the whole job."""
    os.environ["TQDM_DISABLE"] = "1"
    from kalos.correspondence.correspondence_algorithms import THRESHOLD_FUNCTIONS
    from kalos.iaa import core
    from kalos.iaa.empirical_disagreement import calculate_do_de
    from kalos.iaa.principled_configuration import (
        calculate_ks_statistic,
        find_bayesian_boundary,
    )

    data = workloads.reference_data(work)
    categories = {number: str(number) for number in range(work.n_classes)}
    raters = list(range(work.assigned.shape[1]))
    similarity = SIMILARITIES[work.d_loc]

    def agreement(tau, more=False):
        core.calculate_iaa(
            data,
            categories,
            "greedy",
            similarity,
            "category_lenient",
            1 - tau,
            more,
            more,
            more,
            raters,
        )

    def rest():
        random.seed(0)
        if len(data) > 1:  # one image has no other to compare with
            found = calculate_do_de(data, THRESHOLD_FUNCTIONS[similarity])
            d_o, d_e = (np.array(found[name]) for name in ("d_o", "d_e"))
            calculate_ks_statistic(d_o, d_e)
            find_bayesian_boundary(d_o, d_e)
        agreement(work.tau, more=True)
        for tau in TAUS:
            agreement(tau)

    return seconds(lambda: agreement(work.tau)), seconds(rest)


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
