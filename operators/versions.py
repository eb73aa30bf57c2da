"""What a run was computed with, stored so that a difference can be explained."""

import fiftyone as fo
import numpy as np


def versions():
    """Return the versions of the packages that numbers and labels come from."""
    return {"fiftyone": fo.__version__, "numpy": np.__version__}
