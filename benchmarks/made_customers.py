"""Simulated customers of several countries in four segments, as mixed tables.

Each segment has a mean in every number, with the columns correlated, and its own shares of the
plans and channels. Amounts of money are log-normal, as people's are. Every draw has other means,
shares and correlations.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

SEGMENTS = np.array(["families", "students", "business", "pensioners"])
COUNTRIES = ("IT", "DE", "FR", "PT")


@dataclass(frozen=True)
class Kind:
    """Parameters of one kind of simulated table.

    Attributes
    ----------
    rows : of all countries
    numbers : columns of numbers
    categories : how clearly plan, channel and newsletter tell segments apart: 0 not at all, 1
        wholly; None: there are no such columns
    gaps : share of gaps in every column
    units : whether each country has units and zeros of its own
    absent : segments that the last country lacks
    shares : of the segments, in a mean country
    """

    rows: int = 600
    numbers: int = 6
    categories: float | None = 0.5
    gaps: float = 0.03
    units: bool = False
    absent: int = 0
    shares: tuple[float, ...] = (0.3, 0.27, 0.23, 0.2)


KINDS = {
    "numbers": Kind(categories=None, gaps=0.0),
    "plans tell": Kind(categories=0.7),
    "plans are noise": Kind(categories=0.0),
    "own units": Kind(categories=0.4, units=True),
    "unequal": Kind(shares=(0.55, 0.25, 0.13, 0.07)),
    "missing segment": Kind(absent=1),
    "small": Kind(rows=300, numbers=8, gaps=0.06, units=True),
}
N_SHAPING = 4
"""The first kinds may shape rules; the others only judge them."""
DISTANCE = 5.5
"""Between the means of two segments, in standard deviations within a segment."""
MONEY = 2
"""The first so many numbers are amounts of money."""


def draw(name, seed):
    """Draw a table: columns, country and segment of each row."""
    kind = KINDS[name]
    random = np.random.RandomState(1000 * list(KINDS).index(name) + seed)
    tasks = random.choice(len(COUNTRIES), kind.rows, p=(0.35, 0.3, 0.2, 0.15))
    segment = _segments(kind, tasks, random)
    Z = _numbers(kind, segment, random)
    columns = {}
    for j in range(kind.numbers):
        unit = np.ones(len(COUNTRIES))
        zero = np.zeros(len(COUNTRIES))
        if kind.units:
            unit = np.exp(0.7 * random.normal(size=len(COUNTRIES)))
            zero = 2.0 * random.normal(size=len(COUNTRIES))
        if j < MONEY:
            columns[f"spend_{j}"] = (200 * unit[tasks] * np.exp(0.4 * Z[:, j])).round(2)
        else:
            level = zero[tasks] + unit[tasks] * Z[:, j]
            columns[f"score_{j}"] = (50 + 10.0 ** (j - 2) * level).round(3)
    if kind.categories is not None:
        columns |= _categories(kind.categories, segment, random)
    frame = pd.DataFrame(columns)
    frame = frame.mask(random.uniform(size=frame.shape) < kind.gaps)
    return frame, np.array(COUNTRIES)[tasks], SEGMENTS[segment]


def _segments(kind, tasks, random):
    """The segment of each row; shares differ a little between countries."""
    segment = np.empty(len(tasks), dtype=int)
    for t in range(len(COUNTRIES)):
        shares = np.array(kind.shares) * np.exp(0.2 * random.normal(size=len(SEGMENTS)))
        if t == len(COUNTRIES) - 1 and kind.absent:
            shares[-kind.absent :] = 0.0
        rows = tasks == t
        segment[rows] = random.choice(len(SEGMENTS), rows.sum(), p=shares / shares.sum())
    return segment


def _numbers(kind, segment, random):
    """Latent numbers (n, d) with equal covariance in every segment, means `DISTANCE` apart."""
    d = kind.numbers
    root = np.eye(d) + 0.35 * random.normal(size=(d, d))
    covariance = root @ root.T
    covariance /= np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    axes, _ = np.linalg.qr(random.normal(size=(d, len(SEGMENTS))))
    means = axes.T * DISTANCE / np.sqrt(2)
    return means[segment] + random.multivariate_normal(np.zeros(d), covariance, len(segment))


def _categories(clarity, segment, random):
    """Draw three categorical columns that separate segments with this clarity."""

    def drawn(values):
        own = random.permutation(len(SEGMENTS)) % len(values)
        told = random.uniform(size=len(segment)) < clarity
        anyhow = random.choice(len(values), len(segment))
        return np.array(values, dtype=object)[np.where(told, own[segment], anyhow)]

    return {
        "plan": drawn(["basic", "plus", "family", "pro"]),
        "channel": drawn(["shop", "web", "phone"]),
        "newsletter": drawn(["yes", "no"]),
    }
