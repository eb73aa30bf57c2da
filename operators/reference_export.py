"""A run in the layout of the authors' implementation, from its labels read again."""

import numpy as np

from ..kalos_core import diagnose, reference_results
from .live_run import read_again
from .progress import between


def reference_layout(run, tell):
    """Return the results of a stored run as the reference names and nests them.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.

    Raises
    ------
    KalosError
        If the labels are not those of the run any more.
    """
    annotations, measured, agreement = read_again(
        run, lambda done, label: tell(0.3 * done, label)
    )
    diagnosis = diagnose(
        annotations,
        agreement.configuration,
        agreement,
        rng=np.random.default_rng(run.config.seed),
        progress=between(tell, 0.3, 0.7, "Comparing raters"),
        measured=measured,
    )
    return reference_results(
        annotations,
        agreement,
        diagnosis,
        progress=between(tell, 0.7, 1, "Matching again for each image"),
        measured=measured,
    )
