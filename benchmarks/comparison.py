"""One case measured: the literal side, ours and the needed products, as a row of each table."""

import os
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks import answers, measuring

COLUMNS = [
    "case",
    "literal s",
    "ours s",
    "times faster",
    "times faster per sweep",
    "times less core time",
    "literal MB",
    "ours MB",
    "times less",
    "same labels",
    "answers differ by",
    "needed products s",
    "ours / needed",
    "ours / needed per sweep",
]
STEPS = ["where our time goes, s", *answers.STEPS, "other"]
ROOM = 0.8
"""The share of this machine's memory that a literal form may ask for."""


class Found(NamedTuple):
    """Measurements of both sides of a case (literal may be None), and needed seconds.

    `needed` are those before the sweeps and within them.
    """

    literal: measuring.Measurement | None
    ours: measuring.Measurement
    needed: tuple[float, float]


def measured(case, path, known, repeats):
    """Measure both sides of a case, fastest of several runs; `known` caches literal runs."""
    printed, ours, needed = [], [], []
    if known.get(case.literal_key) is not None:
        printed.append(known[case.literal_key])
    run = not printed and runs(case, path)
    for _ in range(repeats):
        if run:
            printed.append(measuring.measure(case, path, "literal"))
        ours.append(measuring.measure(case, path, "ours"))
        needed.append(measuring.products(case, path, ours[-1].answer.sweeps))
    literal = measuring.fastest(printed) if printed else None
    known[case.literal_key] = literal
    return Found(literal, measuring.fastest(ours), min(needed, key=sum))


def runs(case, path):
    """True if a case's literal form would end in minutes and fit in memory."""
    return not case.hours and measuring.held(case, path) < ROOM * memory()


def memory():
    """Megabytes of this machine; without end where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
    except (AttributeError, ValueError):
        return np.inf


def row(found, tasks):
    """Table entries of a measured case; "-" where there is nothing to compare."""
    a, b = found.literal, found.ours
    needed, (_, within) = sum(found.needed), found.needed
    sweeping = b.answer.sweeping
    return [
        _entry(a and a.seconds, ".2f"),
        f"{b.seconds:.2f}",
        _entry(a and a.seconds / b.seconds, ".1f"),
        _entry(a and sweeping and _each(a.answer) / _each(b.answer), ".1f"),
        _entry(a and a.core_seconds / b.core_seconds, ".1f"),
        _entry(a and a.megabytes, ".0f"),
        f"{b.megabytes:.0f}",
        _entry(a and a.megabytes / b.megabytes, ".1f"),
        _agreement(a, b, tasks) if a else "-",
        _entry(a and _gap(a.answer, b.answer), ".0e"),
        f"{needed:.2f}",
        f"{b.seconds / needed:.1f}",
        _entry(sweeping and sweeping / within, ".1f"),
    ]


def shares(found):
    """Seconds of each step of our side, and of the rest."""
    steps = found.ours.answer.steps
    seconds = [steps.get(name, 0.0) for name in answers.STEPS]
    return [f"{s:.2f}" for s in [*seconds, max(found.ours.seconds - sum(seconds), 0.0)]]


def notes(case, path, found):
    """Sentences about a row: a side not run, or errors of sampled weights."""
    if found.literal is None:
        gigabytes = measuring.held(case, path) / 1024
        why = "is not run" if case.hours else "does not fit here"
        return [f"{case.title}: the literal form {why}; its arrays alone need {gigabytes:.1f} GB."]
    if "weight_rows" not in case.variant:
        return []
    exact, sampled = found.literal.answer, found.ours.answer
    off = ~np.eye(len(exact.relatedness), dtype=bool)
    gap, error = np.abs(exact.relatedness - sampled.relatedness)[off], sampled.error[off]
    within = np.mean(gap <= 2 * error)
    return [
        f"{case.title}: largest standard error {error.max():.1e}, largest deviation "
        f"{gap.max():.1e}; root mean square of deviation / standard error "
        f"{np.sqrt(np.mean((gap / error) ** 2)):.2f}; {within:.0%} within 2 standard errors."
    ]


def _entry(value, form):
    return "-" if value is None else format(value, form)


def _each(answer):
    return answer.sweeping / answer.sweeps


def _agreement(a, b, tasks):
    """Return "yes" if both label all tasks alike, else the lowest adjusted Rand index."""
    pairs = [(a.answer.labels[tasks == t], b.answer.labels[tasks == t]) for t in np.unique(tasks)]
    lowest = min(adjusted_rand_score(*pair) for pair in pairs)
    return "yes" if lowest == 1.0 else f"ARI {lowest:.4f}"


def _gap(a, b):
    """Largest difference of relatedness, or relative difference of objectives."""
    if b.relatedness.size:
        return np.abs(a.relatedness - b.relatedness).max()
    return None if b.objective is None else abs(a.objective - b.objective) / abs(a.objective)
