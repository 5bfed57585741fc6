"""Measures models without rows, membership inference and rounding.

python -m benchmarks.privacy [rows] [members] [rounding] [--data DIR] [--only NAME ...]

rows      share of held-out rows (30 %, 3 seeds) that the model without rows labels otherwise, and
          the accuracy of both
members   success of an attacker (AUC of `kinfolk.knowledge.membership`) on centers of k-means, by
          number of clusters and digits
rounding  accuracy of KT-MEC with the centers of another task, by digits: mean over ordered pairs of
          tasks, and the largest change of one pair
"""

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge, membership
from kinfolk.measures import accuracy
from kinfolk.models import without_rows
from kinfolk.preparation import Preparation

METHODS = ("kinfolk", "mtcfir", "joint-spectral", "symnmf", "ncut", "clr", "mtctki")
SETS = ("penguins", "olive", "vowel", "heart", "digits-two-sources", "3sources-tasks")
DIGITS = {"not rounded": None, "1/30 of the error": None, "3": 3, "2": 2, "1": 1}
SEEDS = 3
HELD_OUT = 0.3
MOST_TASKS = 4
"""Tasks of which pairs are made."""


def prepared(name, folder=None):
    """Rows (n, d), measurements scaled, counts as they are; tasks and classes (n,)."""
    data = kf.datasets.load(name, folder)
    counts = data.texts is not None or sp.issparse(data.X) or name.startswith("digits")
    X = Preparation(scale="none" if counts else "standard").fit_transform(data)
    return X, data.tasks, np.asarray(data.target)


def by_task(truth, labels, tasks):
    """Mean over tasks of the accuracy of labels (m,)."""
    scores = [accuracy(truth[tasks == t], labels[tasks == t]) for t in np.unique(tasks)]
    return float(np.mean(scores))


def cost(name, X, tasks, target, seed):
    """Share of held-out rows labeled otherwise without rows; accuracy with and without."""
    held = np.random.default_rng(seed).random(len(tasks)) < HELD_OUT
    k = {task: len(set(target[tasks == task])) for task in np.unique(tasks)}
    full = catalogue.tasks_estimator(catalogue.method(name), k, seed)
    full.fit(X[~held], tasks=tasks[~held])
    reduced = without_rows.of(full, minimum_cluster_size=1)
    with_rows = full.predict(X[held], tasks=tasks[held])
    without = reduced.predict(X[held], tasks=tasks[held])
    scores = [by_task(target[held], labels, tasks[held]) for labels in (with_rows, without)]
    return [float(np.mean(with_rows != without)), *scores]


def knowledge(Z, k, center, spread):
    """k-means centers of scaled rows, without a minimum cluster size."""
    fitted = KMeans(k, n_init=5, random_state=0).fit(Z)
    return Knowledge.of(
        fitted, scaling="standard", center=center, spread=spread, minimum_cluster_size=1
    )


def standard(X):
    """Standardize rows; also return means and deviations."""
    center = X.mean(axis=0)
    spread = X.std(axis=0)
    return np.where(spread > 0, (X - center) / np.where(spread > 0, spread, 1.0), 0), center, spread


def members(X, k):
    """Table line: attack AUC, interval, rows found at 1 % false alarms, by digits."""
    Z, *scale = standard(X)
    known = knowledge(Z, k, *scale)
    base = membership.of_halves(known, Z)
    fewer = [f"{membership.of_halves(known, Z, digits=n).auc:.2f}" for n in (3, 2, 1)]
    interval = f"{base.auc:.2f} ({base.low:.2f} to {base.high:.2f})"
    return [f"{len(Z)} x {Z.shape[1]}", str(k), interval, f"{100 * base.found:.0f} %", *fewer]


def transfers(X, tasks, target):
    """Accuracy of each ordered pair of tasks of equal numbers of classes, by rounding."""
    names = np.unique(tasks)[:MOST_TASKS]
    found = {rounding: [] for rounding in DIGITS}
    for source, other in itertools.permutations(names, 2):
        k = len(set(target[tasks == source]))
        if len(set(target[tasks == other])) != k:
            continue
        Z, *scale = standard(X[tasks == source])
        whole = knowledge(Z, k, *scale)
        for rounding, digits in DIGITS.items():
            known = whole if rounding == "not rounded" else whole.rounded(digits)
            model = kf.KTMEC(k, knowledge=known, random_state=0)
            labels = model.fit(known.scaled(X[tasks == other])).labels_
            found[rounding].append(accuracy(target[tasks == other], labels))
    return found


def line(cells):
    """Format a line of a Markdown table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def print_rows(sets, folder):
    """Print the cost of models without rows."""
    line(["set", "method", "labeled otherwise", "accuracy with rows", "without"])
    line(["---"] * 5)
    for name in sets:
        data = prepared(name, folder)
        for method in METHODS:
            try:
                figures = np.mean([cost(method, *data, seed) for seed in range(SEEDS)], axis=0)
            except InputError as error:
                line([name, method, f"refused: {error}", "", ""])
                continue
            changed, with_rows, without = figures
            line([name, method, f"{100 * changed:.0f} %", f"{with_rows:.2f}", f"{without:.2f}"])


def print_members(sets, folder):
    """Print how well members are recognized."""
    line(["set", "rows x columns", "k", "AUC (95 %)", "found", "3 digits", "2", "1"])
    line(["---"] * 8)
    for name in sets:
        X, _, target = prepared(name, folder)
        if sp.issparse(X):
            continue
        k = len(set(target))
        for number in (k, 3 * k):
            line([name, *members(X, number)])


def print_rounding(sets, folder):
    """Print the effect of rounding on transfer."""
    line(["set", "pairs", *DIGITS])
    line(["---"] * (2 + len(DIGITS)))
    for name in sets:
        X, tasks, target = prepared(name, folder)
        found = {} if sp.issparse(X) else transfers(X, tasks, target)
        if not found or not found["not rounded"]:
            continue
        whole = found["not rounded"]
        cells = [
            f"{np.mean(scores):.3f} ({np.max(np.abs(np.subtract(scores, whole))):.2f})"
            for scores in found.values()
        ]
        line([name, str(len(whole)), *cells])


TABLES = {"rows": print_rows, "members": print_members, "rounding": print_rounding}


def main(arguments=None):
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.privacy")
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="+", default=SETS)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for name in given.tables:
        TABLES[name](given.only, given.data)
        print()


if __name__ == "__main__":
    main()
