"""A million boxes of 50,000 images and four raters, in bounded memory."""

import resource
import time

from benchmarks import workloads
from kalos_core import Configuration, compute_agreement


def main():
    import fiftyone as fo

    work = workloads.million()
    made = workloads.annotations(work)
    before = memory()
    start = time.process_time()
    with fo.ProgressBar(total=len(made)) as bar:
        found = compute_agreement(
            made, Configuration(), lambda done, total: bar.set_iteration(done)
        )
    print(
        f"{len(made):,} boxes, {work.n_pairs():,} cross-rater pairs: "
        f"{time.process_time() - start:.1f} CPU seconds, "
        f"{memory() - before:.0f} MB on top of {before:.0f} MB of data; "
        f"mean alpha {found.mean_alpha:.3f}, {found.reliability.n_units:,} units"
    )


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
