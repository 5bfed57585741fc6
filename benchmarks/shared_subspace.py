"""The table of docs/lssmtc.md: `python -m benchmarks.shared_subspace [--data DIR]`.

Accuracy and NMI per task, mean and standard deviation over five seeds, of LSSMTC with each of its
subspaces and starts, beside what shares nothing, on the LSSMTC paper's own matrices and WebKB4.
"""

import argparse
import os

import numpy as np
from sklearn.cluster import KMeans

from kinfolk.datasets import load
from kinfolk.measures import accuracy, nmi
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.single.normalized_cut import NCut
from kinfolk.methods.single.principal import PCAKMeans
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.methods.transfer.shared_subspace import LSSTTC, fitting_classes
from kinfolk.numerics import memberships
from kinfolk.preparation import Preparation

SEEDS = range(5)
SETS = ("compvssci", "recvstalk", "webkb4")


def read(name, directory):
    """Load counts (n, d), tasks (n,) and classes (n,) of a data set."""
    data = load(name, directory)
    X = Preparation().fit_transform(data) if data.X is None else data.X
    return X, data.tasks, data.target


PRINTED = {"update": "multiplicative", "max_iter": 20, "tol": 0.0}
"""The published step and sweeps."""
MIXED = {"mixed": True}
RENEWED = {"centers": "all"}
"""Shared centers of all rows, in each sweep, as published."""


def sharing(subspace, start, weight, l=None, n_init=10, **steps):
    """Make a factory of LSSMTC estimators with these settings."""
    settings = {"n_components": l, "init": start, "n_init": n_init, **steps}
    return lambda k, seed: LSSMTC(k, weight, subspace, random_state=seed, **settings)


def by(way, cls, **settings):
    """Make a factory of a single-table clusterer, per task or pooled."""
    return lambda k, seed: way(cls(k, random_state=seed, **settings))


def alone(start="random", n_init=10, max_iter=20):
    """Make a factory of soft k-means per task."""
    steps = {**PRINTED, "max_iter": max_iter}
    return by(PerTask, SoftKMeans, init=start, n_init=n_init, **steps)


CASES = {
    "k-means of each task": by(PerTask, KMeans, n_init=10),
    "PCA + k-means of each task": by(PerTask, PCAKMeans),
    "NCut of each task": by(PerTask, NCut),
    "ASI of each task": by(PerTask, ASI, init="random", **PRINTED),
    "k-means of all": by(Pooled, KMeans, n_init=10),
    "PCA + k-means of all": by(Pooled, PCAKMeans),
    "NCut of all": by(Pooled, NCut),
    "ASI of all": by(Pooled, ASI, init="random", **PRINTED),
    "lambda = 1, start kmeans, 1 run": alone("kmeans", 1),
    "lambda = 1, start random, 1 run": alone(n_init=1),
    "lambda = 1, start random, best of 10": alone(),
    "lambda = 1, the same, 40 sweeps": alone(max_iter=40),
    "soft k-means of all, best of 10": by(Pooled, SoftKMeans, init="random", **PRINTED),
    "published, start kmeans, lambda 0.5, l 2, 1 run": sharing(
        "published", "kmeans", 0.5, 2, 1, **PRINTED
    ),
    "published, start random, lambda 0.5, l 2, 1 run": sharing(
        "published", "random", 0.5, 2, 1, **PRINTED
    ),
    "released, start random, lambda 0.5, l 2, 1 run": sharing(
        "released", "random", 0.5, 2, 1, **PRINTED
    ),
    "released, start random, lambda 0.75, l 2, 1 run": sharing(
        "released", "random", 0.75, 2, 1, **PRINTED
    ),
    "explained, start random, lambda 0.5, best of 10": sharing(
        "explained", "random", 0.5, **PRINTED
    ),
    **{
        f"explained, start matched, lambda {weight}, best of 10": sharing(
            "explained", "matched", weight, **PRINTED
        )
        for weight in (0.75, 0.5, 0.25)
    },
}
"""Title -> maker; 20 sweeps of the published step, but for k-means, PCA and NCut."""
EXACT = {
    "exact, mixed: lambda = 1": by(PerTask, SoftKMeans, **MIXED),
    "exact, mixed: explained, lambda 0.5": sharing("explained", "matched", 0.5, **MIXED),
    "exact: lambda = 1": by(PerTask, SoftKMeans),
    "exact: soft k-means of all": by(Pooled, SoftKMeans),
    "exact: explained, lambda 0.75": sharing("explained", "matched", 0.75),
    "exact: explained, lambda 0.5 (default)": sharing("explained", "matched", 0.5),
    "exact: explained, lambda 0.25": sharing("explained", "matched", 0.25),
}
"""Title -> maker; exact steps to the end, rows in one cluster or mixed, best of 10."""


def scores(make, X, tasks, target):
    """Accuracy and NMI (seeds, T, 2) of a factory's estimators."""
    names = list(dict.fromkeys(tasks.tolist()))
    found = []
    for seed in SEEDS:
        labels = make(len(np.unique(target)), seed).fit(X, tasks=tasks).labels_
        each = [(target[tasks == t], labels[tasks == t]) for t in names]
        found.append([(accuracy(*pair), nmi(*pair)) for pair in each])
    return np.array(found)


def clustering(name, directory, cases):
    """The table of one data set as lines of Markdown."""
    X, tasks, target = read(name, directory)
    names = list(dict.fromkeys(tasks.tolist()))
    columns = [f"{t} {measure}" for t in names for measure in ("acc", "NMI")]
    yield _line([name, *columns, "mean acc", "mean NMI"])
    yield _line(["---", *["---:"] * (len(columns) + 2)])
    for title, make in cases.items():
        each = scores(make, X, tasks, target)
        mean, spread = each.mean(axis=0).ravel(), each.std(axis=0, ddof=1).ravel()
        cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(mean, spread, strict=True)]
        overall = each.mean(axis=(0, 1))
        yield _line([title, *cells, *(f"{value:.3f}" for value in overall)])


def transfer(name, directory):
    """Accuracy on each task of a pair from the labels of the other, as lines of Markdown.

    Of the class mean at the smallest angle, LSSTTC, and LSSTTC by the published step.
    """
    X, tasks, target = read(name, directory)
    codes = np.unique(target, return_inverse=True)[1]
    names = list(dict.fromkeys(tasks.tolist()))
    for source in names:
        for goal in (t for t in names if t != source):
            pair = np.isin(tasks, [source, goal])
            y = np.where(tasks == source, codes, -1)[pair]
            wanted = (tasks == goal)[pair]
            angle = memberships.indicator(codes[pair][~wanted], codes.max() + 1)
            first = fitting_classes(X[pair], ~wanted, angle, mixed=False, offset=0.0)
            cells = [f"{np.mean(first.argmax(axis=1)[wanted] == codes[pair][wanted]):.3f}"]
            ways = [({}, w) for w in (0.25, 0.5)]
            ways += [(RENEWED, w) for w in (0.25, 0.5)]
            ways += [({**RENEWED, **PRINTED}, w) for w in (0.25, 0.5, 0.75)]
            for steps, weight in ways:
                model = LSSTTC(weight, random_state=0, **steps)
                found = model.fit(X[pair], y, tasks=tasks[pair]).transduction_
                cells.append(f"{np.mean(found[wanted] == codes[pair][wanted]):.3f}")
            yield _line([name, f"{source} to {goal}", *cells])


def _line(cells):
    return f"| {' | '.join(cells)} |"


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("KINFOLK_DATA", "."))
    directory = parser.parse_args().data
    for name in SETS:
        for line in clustering(name, directory, {**CASES, **EXACT}):
            print(line, flush=True)
        print()
    exact = ["known, lambda 0.25 (default)", "known, 0.5", "all, 0.25", "all, 0.5"]
    printed = ["published, lambda 0.25", "0.5", "0.75"]
    print(_line(["LSSTTC", "from, to", "angle", *exact, *printed]))
    print(_line(["---", "---", *["---:"] * 8]))
    for name in SETS:
        for line in transfer(name, directory):
            print(line, flush=True)


if __name__ == "__main__":
    main()
