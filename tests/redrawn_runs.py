"""Rows of three clear groups, and runs that have these groups but for some redrawn rows."""

import numpy as np

from kinfolk.choosing.scores import BaseClusterings

RANDOM = np.random.default_rng(1)
TRUTH = np.repeat([0, 1, 2], 15)
X = RANDOM.normal(size=(45, 6)) * 0.25 + np.eye(6)[TRUTH]


def runs_of(*shares):
    """Make runs of one family each: the truth with these shares of rows redrawn."""
    labels = [np.where(np.random.default_rng(r).uniform(size=45) < share,
                       np.random.default_rng(r + 99).integers(3, size=45), TRUTH)
              for r, share in enumerate(shares)]  # fmt: skip
    R = len(shares)
    return BaseClusterings(np.array(labels), [str(r) for r in range(R)], [0] * R, np.zeros(R, bool))
