"""Profiles by loops over rows, written from the definitions."""

import math


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    return math.sqrt(mean([(v - mean(values)) ** 2 for v in values]))


def quantile(values, q):
    """Quantile with linear interpolation, as NumPy's default."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def cell(values, kinds, tasks, kind=None, task=None):
    """Values, without gaps, of the rows of a kind and task; None stands for all."""
    return [
        value
        for value, k, t in zip(values, kinds, tasks, strict=True)
        if (kind is None or k == kind) and (task is None or t == task) and value == value
    ]


def effect(values, kinds, tasks, kind):
    """Effect size of a kind in a column, by the definition."""
    top = bottom = 0.0
    for task in dict.fromkeys(tasks):
        own = cell(values, kinds, tasks, kind, task)
        every = cell(values, kinds, tasks, None, task)
        rest = [
            value
            for value, k, t in zip(values, kinds, tasks, strict=True)
            if k != kind and t == task and value == value
        ]
        if not own or not rest:
            continue
        spread = deviation(every)
        d = (mean(own) - mean(rest)) / spread if spread > 1e-9 * (1 + abs(mean(every))) else 0.0
        weight = len(own) * len(rest) / len(every)
        top += weight * d
        bottom += weight
    return top / bottom if bottom else math.nan


def others(values, kinds, tasks, kind):
    """Mean of the other rows of a kind's tasks, weighted by the kind's rows."""
    top = bottom = 0.0
    for task in dict.fromkeys(tasks):
        own = cell(values, kinds, tasks, kind, task)
        rest = [
            value
            for value, k, t in zip(values, kinds, tasks, strict=True)
            if k != kind and t == task and value == value
        ]
        if own and rest:
            top += len(own) * mean(rest)
            bottom += len(own)
    return top / bottom if bottom else math.nan
