"""Compares clusters before and after permuting rows, tasks and columns.

    python -m benchmarks.permutations [--rows 400] [--orders 3] [METHOD ...]

Handwritten digits in three tasks; every method of the catalogue that needs no labels, with its own
settings, and `Kinfolk`. Printed are the smallest adjusted Rand index of a task between the fit and
a fit to permuted rows, tasks or columns, and the share of time that the order by content takes.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from kinfolk.catalogue import KNOWN_LABELS, METHODS, Entry, tasks_estimator
from kinfolk.numerics import content_order

K = 10
TASKS = "abc"


def digits(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, 64) drawn from the digits, and the task of each, by place."""
    X = load_digits().data
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return X[rows], np.array(list(TASKS))[np.arange(n) * len(TASKS) // n]


def orders(n: int, d: int, tasks: np.ndarray, seed: int) -> dict[str, tuple[Any, Any]]:
    """Name -> a permutation of the rows and one of the columns."""
    random = np.random.default_rng(seed)
    everything = np.arange(n), np.arange(d)
    turned = np.concatenate([np.flatnonzero(tasks == t) for t in random.permutation(list(TASKS))])
    return {
        "rows": (random.permutation(n), everything[1]),
        "tasks": (turned, everything[1]),
        "columns": (everything[0], random.permutation(d)),
    }


def fitted(entry: Entry, X: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """Labels (n,) of the method with its own settings on several tasks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tasks_estimator(entry, K, 0)
        labels: np.ndarray = model.fit(X, tasks=tasks).labels_
    return labels


def least(labels: np.ndarray, others: np.ndarray, tasks: np.ndarray) -> float:
    """Smallest adjusted Rand index over the tasks."""
    return min(adjusted_rand_score(labels[tasks == t], others[tasks == t]) for t in TASKS)


def measured(entry: Entry, n: int, repeats: int) -> tuple[dict[str, float], float]:
    """The smallest ARI for each kind of permutation, and the seconds of one fit."""
    X, tasks = digits(n)
    begin = time.perf_counter()
    expected = fitted(entry, X, tasks)
    seconds = time.perf_counter() - begin
    found = dict.fromkeys(("rows", "tasks", "columns"), 1.0)
    for seed in range(repeats):
        for name, (rows, columns) in orders(*X.shape, tasks, seed).items():
            labels = fitted(entry, X[rows][:, columns], tasks[rows])
            found[name] = min(found[name], least(expected[rows], labels, tasks[rows]))
    return found, seconds


def lines(names: list[str], n: int, repeats: int) -> Iterator[str]:
    """One line of a table for each method."""
    yield "| method | rows | tasks | columns | seconds a fit |"
    yield "|---|---|---|---|---|"
    for name in names:
        found, seconds = measured(METHODS[name], n, repeats)
        values = " | ".join(f"{value:.3f}" for value in found.values())
        yield f"| `{name}` | {values} | {seconds:.2f} |"


def seconds_of(work: Callable[[], Any]) -> float:
    """The least seconds of five runs."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main(given: list[str] | None = None) -> None:
    """Print the table, and the seconds that the order takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--orders", type=int, default=3)
    asked = parser.parse_args(given)
    free = [name for name, entry in METHODS.items() if entry.relation != KNOWN_LABELS]
    for line in lines(asked.methods or free, asked.rows, asked.orders):
        print(line, flush=True)
    X, tasks = digits(asked.rows)
    codes = np.unique(tasks, return_inverse=True)[1]
    seconds = seconds_of(lambda: content_order.order(X, codes))
    print(f"\nOrder of {asked.rows} rows by content: {seconds * 1e3:.1f} ms.")


if __name__ == "__main__":
    main()
