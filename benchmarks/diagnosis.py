"""What the full diagnosis costs beside one agreement, in CPU seconds.

An agreement is counted from raw numbers to alpha, the diagnosis from there on with all
its intervals, 1,000 rounds each; as in an audit, distances are measured once for both.
Both are medians of runs that take turns.
"""

import statistics
import sys
import time

import numpy as np

from benchmarks import workloads
from kalos_core import Configuration, compute_agreement, diagnose, measure_pairs

ROUNDS = 5


def main():
    print(f"{'workload':<14}{'agreement':>11}{'diagnosis':>11}{'ratio':>7}")
    for name in sys.argv[1:] or ("lvis", "vindr"):
        work = getattr(workloads, name)()
        configuration = Configuration(work.d_loc, work.tau)
        taken = [run(work, configuration, seed) for seed in range(ROUNDS)]
        one, whole = (statistics.median(column) for column in zip(*taken, strict=True))
        print(f"{work.name:<14}{one:>11.3f}{whole:>11.3f}{whole / one:>7.1f}")


def run(work, configuration, seed):
    start = time.process_time()
    annotations = workloads.annotations(work)
    measured = measure_pairs(annotations, configuration.d_loc)
    agreement = compute_agreement(annotations, configuration, measured=measured)
    agreed = time.process_time()
    rng = np.random.default_rng(seed)
    diagnose(annotations, configuration, agreement, rng=rng, measured=measured)
    return agreed - start, time.process_time() - agreed


if __name__ == "__main__":
    main()
