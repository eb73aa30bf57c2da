"""Synthetic raters that err like people: the paper's empirical noise generator."""
