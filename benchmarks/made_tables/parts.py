"""Draws the parts that made tables share: tasks and groups of rows, centers, categories."""

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from benchmarks.mixed_tables import MixedTable

TASKS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def members(random, sizes, shares):
    """Task (n,) and group (n,) of rows: tasks of these sizes, groups of these shares in each."""
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    group = random.choice(len(shares), len(tasks), p=np.array(shares) / np.sum(shares))
    return tasks, group


def centers(random, number, columns, distance):
    """Normal centers (number, columns) with this median distance."""
    drawn = random.normal(size=(number, columns))
    return drawn * distance / np.median(pdist(drawn))


def clusters(random, tasks, group, columns, distance, shift=0.0):
    """Spherical normal clusters (n, columns) of variance 1, at the same centers in all tasks.

    Parameters
    ----------
    distance : the median distance of two centers
    shift : standard deviation of a shift of each task in each column
    """
    rows = centers(random, group.max() + 1, columns, distance)[group]
    rows = rows + random.normal(size=rows.shape)
    if shift:
        rows = rows + shift * random.normal(size=(tasks.max() + 1, columns))[tasks]
    return rows


def categories(random, group, numbers, clarity):
    """Frame of categorical columns with these numbers of values; groups differ in their values.

    With probability `clarity` a row has the value of its group, else any.
    """
    columns = {}
    k = group.max() + 1
    for j, m in enumerate(numbers):
        own = random.permutation(np.arange(k) % m)
        shares = (1 - clarity) * np.ones((k, m)) / m + clarity * np.eye(m)[own]
        columns[f"c{j}"] = np.array([f"v{j}{random.choice(m, p=shares[g])}" for g in group])
    return pd.DataFrame(columns)


def named(X, stem="x"):
    """Rows X (n, d) as a frame with columns stem0, stem1 and so on."""
    return pd.DataFrame({f"{stem}{j}": X[:, j] for j in range(X.shape[1])})


def table(frame, tasks, group):
    """A table of this frame with named tasks and groups."""
    return MixedTable(frame, TASKS[tasks], group.astype(str))
