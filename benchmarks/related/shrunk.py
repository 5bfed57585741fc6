"""Measures what sharing gives one task that is cut to few rows, beside others that stay whole.

    python -m benchmarks.related.shrunk --runs FOLDER --split shaping [--rows 12 40] [--seed 0]
    python -m benchmarks.related.shrunk --runs FOLDER --split shaping --other

With --other the cut task has classes that no other task has: there nothing should change.
"""

import argparse
import dataclasses
import os
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from benchmarks import text_tables
from benchmarks.related import figures, files, prepared
from kinfolk.datasets import alterations
from kinfolk.errors import MissingDataError
from kinfolk.measures import accuracy


def cut(table, n_rows, seed=0, other=False):
    """Cut a task of a `prepared.Prepared` table to random rows; return the table and the task.

    None where the task has hardly more rows, fewer than two for each class, or, for other classes,
    fewer than four classes.
    """
    random = np.random.RandomState(seed)
    names = [name for name in table.names if name != alterations.NOISE]
    name = names[seed % len(names)]
    here = table.tasks == name
    kept = np.ones(len(here), dtype=bool)
    if other:
        classes = random.permutation(np.unique(table.target[here]))
        if len(classes) < 4:
            return None
        kept = np.isin(table.target, classes[: len(classes) // 2]) == here
    rows = np.flatnonzero(here & kept)
    k = len(np.unique(table.target[rows]))
    if len(rows) < 1.5 * n_rows or n_rows < 2 * k:
        return None
    kept[rows] = False
    kept[random.permutation(rows)[:n_rows]] = True
    parts = {part: getattr(table, part)[kept] for part in ("X", "tasks", "target")}
    made = dataclasses.replace(table, **parts)
    sizes = [len(made.rows(task)) for task in made.names]
    return (made, name) if min(sizes) >= 3 and len(sizes) > 1 else None


def outcome(table, name, seed):
    """Adjusted Rand index and accuracy of own and final answer of a task, and what supports it."""
    model = kf.Kinfolk(
        table.n_clusters, random_state=seed, columns_are_scaled=table.columns_are_scaled
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table.X, tasks=table.tasks)
    rows = table.rows(name)
    truth = table.target[rows]
    both = model.own_labels_[rows], model.labels_[rows]
    support = next(r["support"] for r in model.guard_ if str(r["task"]) == name)
    return (
        *(adjusted_rand_score(truth, labels) for labels in both),
        accuracy(truth, both[1]) - accuracy(truth, both[0]),
        support,
    )


def lines(found):
    """Table with a line for each (kind, rows): mean ARI, and tasks better and harmed by support."""
    rows = [["kind", "rows", "tasks", "own", "answer", "better by .02", "harmed", "supported by"]]
    for key in sorted({key for key, _ in found}):
        mine = [result for k, result in found if k == key]
        own, answer, gains = np.array([result[:3] for result in mine]).T
        support = [result[3] for result in mine if result[3]]
        told = ", ".join(f"{name} {support.count(name)}" for name in sorted(set(support)))
        rows.append(
            [
                key[0], str(key[1]), str(len(mine)), f"{own.mean():.3f}", f"{answer.mean():.3f}",
                str(int((gains > figures.ALLOWED).sum())), str(sum(map(figures.lost, gains))), told,
            ]
        )  # fmt: skip
    return rows


def main(arguments=None):
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--data", type=Path, default=os.environ.get("KINFOLK_DATA"))
    parser.add_argument("--split", choices=files.SPLITS, required=True)
    parser.add_argument("--sets", nargs="+", metavar="NAME")
    parser.add_argument("--rows", nargs="+", type=int, default=[12, 20, 40, 80])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--other", action="store_true", help="classes that no other task has")
    given = parser.parse_args(arguments)
    found = []
    for name, wanted in files.read_all().items():
        if wanted.split != given.split or name not in (given.sets or [name]):
            continue
        try:
            table = prepared.table(wanted, given.runs, given.data)
        except MissingDataError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        for n_rows in given.rows:
            if made := cut(table, n_rows, given.seed, given.other):
                found.append(((wanted.kind, n_rows), outcome(*made, given.seed)))
    print(text_tables.text(lines(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
