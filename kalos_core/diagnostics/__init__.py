"""Answers from the reliability matrix: who and what disagrees (paper, Step 3)."""
