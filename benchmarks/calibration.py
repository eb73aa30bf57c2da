"""What a calibration costs beside the pair stage of the engine, in CPU seconds.

Pairs may be measured once, for the calibration and for the agreement that follows it;
by itself, a calibration measures them too. Chance is compared in as many pairs whatever
the number of raters, and the raters of an image in ever more, so that the ratio falls
with the number of raters. "work" is what it would be if every pair cost the same: with
two raters chance has twice as many pairs as the raters have, and nothing that compares
both can cost less than that.
"""

import time
from dataclasses import replace

import numpy as np

from benchmarks import workloads
from kalos_core import measure_pairs
from kalos_core.calibration import bootstrap_calibration, calibrate
from kalos_core.calibration.disagreement import draw

ROUNDS = 9


def main():
    print("Least CPU seconds of nine; ratios to the pair stage and the calibration.")
    print(
        f"{'workload':<14}{'boxes':>9}{'raters':>8}{'pairs':>9}{'calibrate':>11}"
        f"{'ratio':>7}{'work':>7}{'with pairs':>12}{'ratio':>7}"
        f"{'100 rounds':>12}{'ratio':>7}"
    )
    for work in (workloads.lvis(), four_raters(), workloads.nucls()):
        annotations = workloads.annotations(work)
        pairs, given, calibration, rounds = run(annotations)
        print(
            f"{work.name:<14}{len(annotations):>9,}{work.assigned.shape[1]:>8}"
            f"{pairs:>9.3f}{calibration:>11.3f}{calibration / pairs:>7.2f}"
            f"{work_of(annotations):>7.2f}"
            f"{given:>12.3f}{given / pairs:>7.2f}"
            f"{rounds:>12.3f}{rounds / calibration:>7.2f}",
            flush=True,
        )


def four_raters():
    """Return a tenth of the million boxes."""
    work = workloads.million()
    part = work.image < 5000
    return replace(
        work,
        name="four raters",
        image=work.image[part],
        rater=work.rater[part],
        label=work.label[part],
        raw=work.raw[part],
        assigned=work.assigned[:5000],
    )


def work_of(annotations):
    """Return all pairs that a calibration compares, in those of the raters."""
    draws = draw(annotations, np.random.default_rng(0), 1)
    drawn = np.bincount(
        annotations.block, minlength=annotations.n_images * annotations.n_raters
    ).reshape(annotations.n_images, -1)
    chance = drawn[draws.image[0], draws.rater[0]][draws.block].sum()
    total = drawn.sum(axis=1)
    observed = (total**2 - (drawn**2).sum(axis=1)).sum() / 2
    return (observed + chance) / observed


def run(annotations):
    """Return least seconds of pairs, calibration twice and bootstrap, run in turn."""
    taken = []
    for seed in range(ROUNDS):
        rng = np.random.default_rng(seed)
        times = [time.process_time()]
        measured = measure_pairs(annotations, "box_iou")
        times.append(time.process_time())
        calibration = calibrate(annotations, "box_iou", rng=rng, measured=measured)
        times.append(time.process_time())
        calibrate(annotations, "box_iou", rng=rng)
        times.append(time.process_time())
        bootstrap_calibration(annotations, calibration, rng=rng, n_boot=100)
        times.append(time.process_time())
        taken.append(np.diff(times))
    return np.min(taken, axis=0)


if __name__ == "__main__":
    main()
