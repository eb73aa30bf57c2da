"""What the What-if panel says of a change, in words; no name of the data is in them."""

import numpy as np

from ..kalos_core import compare, interpret
from .numbers import in_digits, with_interval

N_BOOT = 200
"""Rounds of the interval of a difference; few, so that it is there at once."""


def summary(before, found, notation):
    """Return what changed in a few lines of Markdown."""
    reading = interpret(found.mean_alpha)
    n_before, n_now = len(defined(before.alpha)), len(defined(found.alpha))
    mean = before_and_after(before.mean_alpha, found.mean_alpha)
    lines = [
        f"##### Mean α {mean}, {reading}",
        f"{difference_in_words(before.alpha, found.alpha)}  ",
        f"Global α {before_and_after(before.global_alpha, found.global_alpha)}  ",
        f"{before_and_after(n_before, n_now)} images have a value, of which everyone "
        f"left {before_and_after(before.n_empty, found.n_empty)} empty  ",
        f"`{notation}`",
    ]
    return "\n".join(lines)


def before_and_after(before, after):
    """Return two numbers with an arrow between them, or one if they look alike."""
    was, now = (
        f"{number:,}" if isinstance(number, int) else in_digits(number)
        for number in (before, after)
    )
    return now if was == now else f"{was} → {now}"


def difference_in_words(before, after):
    """Return how far the mean rose where both are defined, and how surely."""
    if np.array_equal(before, after, equal_nan=True):
        return "All images are as in the run"
    images = [str(n) for n in range(len(before))]
    rng = np.random.default_rng(0)
    found = compare(images, before, images, after, rng=rng, n_boot=N_BOOT)
    rise, n_both = found.difference, int(np.isfinite(found.change).sum())
    changed = f"{found.n_better:,} better, {found.n_worse:,} worse"
    value, low, high = rise.value[0], rise.low[0], rise.high[0]
    if np.isnan(low):
        return f"Of {n_both:,} images {changed}"
    told = "" if rise.told_from_zero[0] else ", not told from zero"
    mean = with_interval(value, low, high, sign=True)
    return f"{mean}{told}, over {n_both:,} images: {changed}"


def why_not_kept(state):
    """Return in words why this cannot become a run; None if it can."""
    if state.change == state.own:
        return "This is the run as it is: change something above."
    if state.change["classes"] or state.change["sizes"]:
        return (
            "This cannot be kept as a run: a run compares labels of all classes and "
            "sizes."
        )
    return state.refused


def defined(alpha):
    """Return the numbers that are not nan."""
    return alpha[~np.isnan(alpha)].tolist()
