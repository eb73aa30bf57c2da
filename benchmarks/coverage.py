"""How often the bootstrap interval of tau* holds the true crossing, and its bias.

Images are simulated: each has a few distances of D_o and of D_e, drawn from two Beta
distributions whose crossing is known. The images of a study may also differ, by an
effect that moves all distances of an image (on the scale of normal quantiles), which
leaves the distributions what they are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, norm

from kalos_core.calibration.bootstrap import bootstrap_samples
from kalos_core.calibration.separation import separate

N_REPEATS = 400
N_BOOT = 100
PER_IMAGE = 10
"""Distances of D_o and of D_e in each image."""


@dataclass(frozen=True)
class Truth:
    """Distributions of D_o and D_e, and how much images differ (0 to 1)."""

    name: str
    o: tuple[float, float]
    e: tuple[float, float]
    effect: float = 0.0

    @property
    def crossing(self):
        """The distance at which both are as likely, between their means."""
        low, high = (a / (a + b) for a, b in (self.o, self.e))
        return brentq(lambda x: beta.pdf(x, *self.o) - beta.pdf(x, *self.e), low, high)

    def sample(self, shape, rng, n_images):
        """Return (M,) distances with the same distribution, image by image."""
        if not self.effect:
            return rng.beta(*shape, n_images * PER_IMAGE)
        of_image = rng.normal(size=(n_images, 1)) * np.sqrt(self.effect)
        own = rng.normal(size=(n_images, PER_IMAGE)) * np.sqrt(1 - self.effect)
        return beta.ppf(norm.cdf(of_image + own), *shape).ravel()


TRUTHS = (
    Truth("apart, images alike", (2, 8), (8, 2)),
    Truth("apart, images differ", (2, 8), (8, 2), effect=0.3),
    Truth("narrow D_o", (3, 40), (8, 2)),
    Truth("D_e steep at 1", (2, 5), (9, 1)),
)


def main():
    print(
        f"{N_REPEATS} repeats, {PER_IMAGE} distances of each kind per image, "
        f"{N_BOOT} rounds; the interval is meant to hold the crossing in 95 %."
    )
    print(
        f"{'D_o and D_e':<22}{'crossing':>9}{'images':>8}{'found':>7}{'bias':>9}"
        f"{'spread':>8}{'width':>7}{'holds crossing':>16}{'holds mean':>12}"
    )
    for truth in TRUTHS:
        for n_images in (30, 200):
            print(row(truth, n_images), flush=True)


def row(truth, n_images):
    tau, interval = study(truth, n_images)
    bias, width = tau.mean() - truth.crossing, interval[:, 1] - interval[:, 0]
    return (
        f"{truth.name:<22}{truth.crossing:>9.3f}{n_images:>8}"
        f"{len(tau) / N_REPEATS:>7.0%}{bias:>+9.4f}{tau.std():>8.4f}"
        f"{width.mean():>7.3f}{held(interval, truth.crossing):>16.1%}"
        f"{held(interval, tau.mean()):>12.1%}"
    )


def study(truth, n_images):
    """Return tau* and its interval in each repeat that determines them."""
    image = np.repeat(np.arange(n_images), PER_IMAGE)
    found = []
    for seed in range(N_REPEATS):
        rng = np.random.default_rng([seed, n_images])
        d_o, d_e = (truth.sample(s, rng, n_images) for s in (truth.o, truth.e))
        tau = separate(d_o, d_e).tau_star
        made = bootstrap_samples(d_o, image, d_e, image, rng=rng, n_boot=N_BOOT)
        if tau is not None and made.tau_interval is not None:
            found.append((tau, made.tau_interval.low, made.tau_interval.high))
    tau, low, high = np.array(found).T
    return tau, np.stack([low, high], axis=1)


def held(interval, value):
    """Return the part of the intervals that hold ``value``."""
    return ((interval[:, 0] <= value) & (value <= interval[:, 1])).mean()


if __name__ == "__main__":
    main()
