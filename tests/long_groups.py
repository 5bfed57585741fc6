"""Rows of two long groups side by side, which k-means cuts across."""

import numpy as np


def two_groups(n=60, seed=0):
    """Draw rows (n, 2) of two long groups side by side, and their groups (n,)."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    length = 4 * random.normal(size=n)
    return np.column_stack([length, length + random.normal(size=n) / 2 + 4 * y]), y
