"""Answers from the reliability matrix: who and what disagrees (paper, Step 3)."""

from .diagnose import Diagnosis, diagnose

__all__ = ["Diagnosis", "diagnose"]
