"""Sums over rows that several methods need, of one block or of many."""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Rows
from kinfolk.numerics import distances, entropic, operators
from kinfolk.numerics.entropic import Moments, Rule


class Summary(NamedTuple):
    """Weight of all rows, their mean (d,), and their scatter sum_i w[i] |X[i] - mean|^2."""

    mass: float
    mean: Vector
    scatter: float

    def plus(self, other: "Summary") -> "Summary":
        """Summary of both sets of rows together."""
        mass = self.mass + other.mass
        if not mass:
            return self
        away = other.mean - self.mean
        between = float(away @ away) * self.mass * other.mass / mass
        mean = self.mean + away * (other.mass / mass)
        return Summary(mass, mean, self.scatter + other.scatter + between)


def summary(rows: Rows) -> Summary:
    """Weight, mean and scatter of all rows.

    >>> summary(Block(np.array([[0.0], [3.0]]), np.array([2.0, 1.0])))
    Summary(mass=3.0, mean=array([1.]), scatter=6.0)
    """
    found: Summary = rows.total(_summary, combine=Summary.plus)
    return found


def moments(rows: Rows, rule: Rule, origin: Vector) -> tuple[Moments, float]:
    """Moments of entropic memberships and the sum of their log-scales, as `entropic.moments`."""
    found: tuple[Moments, float] = rows.total(_moments, rule, origin)
    return found


def rounding(rows: Rows, gamma: float) -> float:
    """Bound on the rounding of an entropic objective, as `entropic.rounding`."""
    return float(rows.total(_rounding, gamma))


def nearest(block: Block, V: Matrix, offsets: Vector) -> Labels:
    """Column (m,) of the smallest |X[i] - V[k]|^2 + c[k]."""
    return entropic.nearest(block.x, V, offsets)


def mixture(block: Block, parts: list[tuple[float, Rule]]) -> Matrix:
    """Weighted sum (m, k) of the memberships by several rules."""
    return entropic.mixture(block.x, parts)


def _summary(block: Block) -> Summary:
    if block.weight is None:
        return Summary(block.shape[0], operators.mean(block.x), distances.scatter(block.x))
    mass = float(block.weight.sum())
    if not mass:
        return Summary(0.0, np.zeros(block.shape[1]), 0.0)
    mean = operators.crossed(block.x, block.weight[:, None])[:, 0] / mass
    squares = float(block.weight @ distances.squared_norms(block.x))
    return Summary(mass, mean, max(squares - mass * float(mean @ mean), 0.0))


def _moments(block: Block, rule: Rule, origin: Vector) -> tuple[Moments, float]:
    return entropic.moments(block.x, rule, origin, block.weight)


def _rounding(block: Block, gamma: float) -> float:
    return entropic.rounding(block.x, gamma, block.weight)
