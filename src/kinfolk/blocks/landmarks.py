"""Landmarks: some rows of each task, in memory, that stand for all rows in blocks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Table
from kinfolk.blocks.block import Block
from kinfolk.errors import InputError
from kinfolk.numerics import associations, operators


class Landmarks(NamedTuple):
    """Rows X (m, d) of all tasks, one task after the other, and the tasks' positions (m,)."""

    X: Table
    codes: Labels


def drawn(samples: Sequence[Block], k: Sequence[int], most: int, seed: int) -> Landmarks:
    """Draw at most `most` of the sampled rows of each task, which has k_t clusters.

    Raises
    ------
    InputError : fewer rows of a task than clusters, or than 3

    >>> samples = [Block(np.arange(8.0)[:, None]), Block(np.ones((3, 1)))]
    >>> found = drawn(samples, [2, 2], 5, 0)
    >>> found.X.ravel(), found.codes
    (array([1., 2., 3., 6., 7., 1., 1., 1.]), array([0, 0, 0, 0, 0, 1, 1, 1]))
    """
    own = [near.taken(associations.drawn(near.shape[0], most, seed)).on_host() for near in samples]
    sizes = [near.shape[0] for near in own]
    for size, clusters in zip(sizes, k, strict=True):
        if size < max(3, clusters):
            raise InputError(
                f"landmarks is {most} and the sample for them has {size} rows of a task with "
                f"{clusters} clusters; give as many landmarks as clusters and at least 3, or leave "
                "out tasks that have few of all rows."
            )
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return Landmarks(operators.vstack([near.x for near in own]), codes)
