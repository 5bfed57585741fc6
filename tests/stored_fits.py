"""Fits of every method to one table of two tasks, for tests of what a stored model holds."""

import functools

import numpy as np

from kinfolk import catalogue

# Sizes that no other dimension of a model has: 3 clusters, 7 columns, 2 tasks.
SIZES, D = (37, 41), 7
PLANTED = 1.2345678912345  # in one row, and in no other place


@functools.cache
def table(seed=0):
    """Make rows of three groups, one with a planted value; tasks; known classes of task a."""
    random = np.random.default_rng(seed)
    codes = np.repeat([0, 1], SIZES)
    truth = np.concatenate([np.arange(n) % 3 for n in SIZES])
    centers = 3 * np.repeat(np.eye(3, 4), [2, 2, 2, 1], axis=1)
    X = centers[truth] + random.random((len(truth), D))
    X[4, 1] = PLANTED
    return X, np.array(["a", "b"])[codes], np.where(codes == 0, truth, -1)


@functools.cache
def fitted(name):
    """Fit a method of the catalogue from one start; tests read the model and change nothing."""
    X, tasks, labels = table()
    entry = catalogue.method(name)
    few = {"n_init": 1, "max_iter": 20}
    known = entry.cls().get_params(deep=False)
    estimator = catalogue.tasks_estimator(entry, 3, 0, **{p: few[p] for p in few if p in known})
    with np.errstate(all="ignore"):
        return estimator.fit(X, labels, tasks=tasks)
