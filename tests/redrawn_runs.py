"""Rows of three clear groups, and runs that have these groups but for some redrawn rows."""

import numpy as np

from kinfolk.choosing.scores import BaseClusterings

TRUTH = np.repeat([0, 1, 2], 15)
X = np.random.default_rng(1).normal(size=(45, 6)) * 0.25 + np.eye(6)[TRUTH]


def redrawn(share, seed, truth=TRUTH):
    """Copy true labels (45,) with a share of rows redrawn, and clusters renamed."""
    random = np.random.default_rng(seed)
    drawn = random.uniform(size=45) < share
    return random.permutation(3)[np.where(drawn, random.integers(3, size=45), truth)]


def runs_of(*shares):
    """Make runs of one family each: the truth with these shares of rows redrawn."""
    labels = [np.where(np.random.default_rng(r).uniform(size=45) < share,
                       np.random.default_rng(r + 99).integers(3, size=45), TRUTH)
              for r, share in enumerate(shares)]  # fmt: skip
    R = len(shares)
    return BaseClusterings(np.array(labels), [str(r) for r in range(R)], [0] * R, np.zeros(R, bool))
