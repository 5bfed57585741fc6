"""Sums over rows that several methods need, for one block or many."""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Rows
from kinfolk.numerics import backend, distances, entropic, operators
from kinfolk.numerics.entropic import Moments, Rule


class Summary(NamedTuple):
    """Total and largest weight, mean (d,), scatter and sum of squared lengths of rows.

    The scatter is sum_i w[i] |X[i] - mean|^2.
    """

    mass: float
    mean: Vector
    scatter: float
    squares: float
    heaviest: float = 1.0

    def plus(self, other: "Summary") -> "Summary":
        """Merge with the summary of other rows."""
        mass = self.mass + other.mass
        if not mass:
            return self
        away = other.mean - self.mean
        between = float(away @ away) * self.mass * other.mass / mass
        mean = self.mean + away * (other.mass / mass)
        scatter = self.scatter + other.scatter + between
        heaviest = max(self.heaviest, other.heaviest)
        return Summary(mass, mean, scatter, self.squares + other.squares, heaviest)

    def rounding(self, gamma: float, kind: np.dtype) -> float:
        """Bound on the rounding error of an entropic objective over these rows."""
        return entropic.rounding_of(self.squares, self.scatter, self.mass, gamma, kind)


def summary(rows: Rows) -> Summary:
    """Compute weight, mean and scatter of all rows.

    >>> summary(Block(np.array([[0.0], [3.0]]), np.array([2.0, 1.0])))
    Summary(mass=3.0, mean=array([1.]), scatter=6.0, squares=9.0, heaviest=2.0)
    """
    found: Summary = rows.total(_summary, combine=Summary.plus)
    return found


def moments(rows: Rows, rule: Rule, origin: Vector) -> tuple[Moments, float]:
    """Sums of rows by softmax membership, and the log-partition function; see `entropic`."""
    found: tuple[Moments, float] = rows.total(_moments, rule, origin)
    return found


def nearest(block: Block, V: Matrix, offsets: Vector) -> Labels:
    """Index (m,) of the center k with the smallest |X[i] - V[k]|^2 + c[k]."""
    return entropic.nearest(block.x, V, offsets)


def mixture(block: Block, parts: list[tuple[float, Rule]]) -> Matrix:
    """Weighted sum (m, k) of softmax memberships under several rules."""
    return entropic.mixture(block.x, parts)


def _summary(block: Block) -> Summary:
    """Weight, mean, scatter and sum of squared lengths of a block's rows."""
    norms = distances.squared_norms(block.x)
    if block.weight is None:
        mass = float(block.shape[0])
        heaviest = 1.0
        mean = operators.mean(block.x)
        squares = backend.total(norms)
    else:
        mass = float(block.weight.sum())
        heaviest = float(block.weight.max(initial=0.0))
        sums = operators.crossed(block.x, block.weight[:, None])[:, 0]
        mean = sums / (mass or 1.0)  # rows of no weight have no mean
        squares = backend.total(norms, block.weight)
    scatter = distances.scatter_about(block.x, mean, block.weight)
    return Summary(mass, mean, scatter, squares, heaviest)


def _moments(block: Block, rule: Rule, origin: Vector) -> tuple[Moments, float]:
    return entropic.moments(block.x, rule, origin, block.weight)
