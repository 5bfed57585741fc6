"""Rows of two long groups side by side, which k-means cuts across."""

import numpy as np


def two_groups(n=60, seed=0):
    """Draw rows (n, 2) of two long groups side by side, and their groups (n,)."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    length = 4 * random.normal(size=n)
    return np.column_stack([length, length + random.normal(size=n) / 2 + 4 * y]), y


def of_different_size(seed):
    """Draw two tasks of 100 rows (200, 8), which differ most in size, little by their two groups.

    Three columns are noise. Returns rows, tasks (200,) and groups (200,).
    """
    random = np.random.default_rng(seed)
    tasks = np.repeat([0, 1], 100)
    y = np.arange(200) % 2
    size = random.normal(size=(200, 1)) * [1.0, 1.1, 0.9, 1.2, 1.0]
    telling = size + 0.15 * random.normal(size=(200, 5))
    telling[:, 0] += 0.45 * y
    telling[:, 1] -= 0.45 * y
    X = np.hstack([telling, random.normal(size=(200, 3))])
    return X + 3.0 * tasks[:, None], tasks, y
