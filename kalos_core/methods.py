"""Earlier methods that are configurations of KαLOS, under their own names."""

from __future__ import annotations

from .model import Configuration
from .registry import Registry

METHODS: Registry[tuple[str, str]] = Registry(
    "method",
    kalos=("greedy", "soft"),
    tschirschwitz2022=("shm", "neg"),
    amgad2022=("ahc", "neg"),
)
"""Solver and cost of each: KαLOS itself, sequential Hungarian matching (Tschirschwitz
et al. 2022) and agglomerative clustering (Amgad et al. 2022)."""


def method(name: str, d_loc: str = "box_iou", tau: float = 0.5) -> Configuration:
    """Return the configuration of a method.

    Examples
    --------
    >>> print(method("amgad2022"))
    KαLOS(box_iou, τ=0.5, S=AHC, ψ_neg)
    """
    solver, psi = METHODS[name]
    return Configuration(d_loc, tau, solver, psi)
