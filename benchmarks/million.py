"""A million boxes of 50,000 images and four raters, in bounded memory."""

import re
import time
from pathlib import Path

from tqdm import tqdm

from benchmarks import workloads
from kalos_core import Configuration, compute_agreement


def main():
    work = workloads.million()
    made = workloads.annotations(work)
    before = forget_peak()
    start = time.process_time()
    with tqdm(total=len(made), unit=" boxes") as bar:
        found = compute_agreement(
            made, Configuration(), lambda done, _: bar.update(done - bar.n)
        )
    print(
        f"{len(made):,} boxes, {work.n_pairs():,} cross-rater pairs: "
        f"{time.process_time() - start:.1f} CPU seconds, "
        f"{memory() - before:.0f} MB on top of {before:.0f} MB of data; "
        f"mean alpha {found.mean_alpha:.3f}, {found.reliability.n_units:,} units"
    )


def forget_peak():
    """Forget the peak of memory so far (Linux) and return what is in use."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory()


def memory():
    """Return the peak of memory since it was last forgotten, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024


if __name__ == "__main__":
    main()
