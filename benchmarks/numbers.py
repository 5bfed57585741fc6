"""Numbers of clusters that are suggested beside the true ones: `python -m benchmarks.numbers`."""

import argparse
import time
from functools import partial

import numpy as np

import kinfolk as kf
from benchmarks import text_tables
from kinfolk.choosing import cluster_count
from kinfolk.datasets import makers
from kinfolk.errors import MissingDataError
from kinfolk.preparation import Preparation

NAMED = {
    "webkb4": None,
    "reuters": None,
    "20newsgroups": 120,
    "compvssci": 300,
    "recvstalk": 300,
    "handdigits": 60,
    "digits-two-sources": None,
}
"""Data sets, and the rows of each class in each task that are drawn; None: all."""

APART = {
    "3sources-tasks": None,
    "simulated-transfer-x1": None,
    "simulated-transfer-x2": None,
    "orl-faces-rotated": None,
}
"""Looked at later; `docs/numbers.md` says which of them decided something."""

VIEWS = {"20newsgroups-500": 100, "mfeat": 40, "msrc-v1": None}
"""The same, each view as a task."""

HEADING = ["task", "true", "number", "interval", "how sure", "signs"]


def main():
    """Print a line a task, and how often each confidence was right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numbers", description=__doc__)
    parser.add_argument("--data", help="the data directory; default: KINFOLK_DATA")
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--seed", type=int, default=0, help="of halves and starts")
    arguments = parser.parse_args()
    found = {}
    for group, cases in _groups(arguments.data).items():
        for name, make in cases.items():
            if arguments.only not in name:
                continue
            try:
                parts = make()
            except MissingDataError as error:
                print(f"{name} is left out: {error}")
                continue
            found.setdefault(group, []).extend(_case(name, parts, arguments.seed))
    for group, pairs in found.items():
        print(f"\n{group}\n{text_tables.text(_hits(pairs))}")


def _case(name, parts, seed):
    """Suggestions with the true numbers of the tasks in one or several tables, printed."""
    begin, pairs = time.process_time(), []
    for X, tasks, truth in parts:
        suggested = kf.suggest_clusters(X, tasks, random_state=seed)
        pairs += [(s, len(np.unique(truth[tasks == s.task]))) for s in suggested]
    seconds = time.process_time() - begin
    lines = [
        [str(s.task), str(k), str(s.number), f"{s.low} to {s.high}", s.confidence]
        + [f"{s.first} {s.second}"]
        for s, k in pairs
    ]
    print(f"\n{name}, {seconds:.0f} s\n{text_tables.text([HEADING, *lines])}", flush=True)
    return pairs


def _hits(pairs):
    """How often the number was right, within one, and the interval held the truth."""
    rows = [["how sure", "tasks", "exact", "within 1", "in interval"]]
    for level in (cluster_count.SURE, cluster_count.LIKELY, cluster_count.GUESS, "all"):
        chosen = [(s, k) for s, k in pairs if level in (s.confidence, "all")]
        exact = sum(s.number == k for s, k in chosen)
        near = sum(abs(s.number - k) <= 1 for s, k in chosen)
        inside = sum(s.low <= k <= s.high for s, k in chosen)
        rows.append([level, *map(str, (len(chosen), exact, near, inside))])
    return rows


def _groups(data):
    """Group -> name -> function that makes a list of (X, tasks, truth)."""
    return {
        "named": {name: partial(_named, name, n, data) for name, n in NAMED.items()},
        "made": {f"{n} {k}": m for k in range(1, 9) for n, m in _made(k).items()}
        | {f"one cloud, {kind}": partial(_cloud, kind) for kind in CLOUDS},
        "others": {name: partial(_named, name, n, data) for name, n in APART.items()}
        | {name: partial(_views, name, n, data) for name, n in VIEWS.items()}
        | {name: partial(_tables, name) for name in ("iris", "wine", "breast_cancer")},
    }


def _made(k):
    shape = {"n_clusters": k, "shared": min(k, 2), "random_state": k}
    documents, blobs = makers.make_related_documents, makers.make_related_blobs
    short = {"length": 30.0, "purity": 0.7}
    return {
        "documents": partial(_maker, documents, n_samples=30 * max(k, 2), **shape),
        "short documents": partial(_maker, documents, n_samples=30 * max(k, 2), **short, **shape),
        "blobs": partial(_maker, blobs, 40 * max(k, 2), 5, separation=4.0, **shape),
        "plane blobs": partial(_maker, blobs, 40 * max(k, 2), 2, separation=4.0, **shape),
    }


def _maker(make, *args, **kwargs):
    data = make(*args, **kwargs)
    return [(data.X, data.tasks, data.target)]


CLOUDS = {
    "normal": lambda random: random.standard_normal((200, 8)) @ random.standard_normal((8, 8)),
    "uniform": lambda random: random.uniform(size=(200, 8)),
    "skewed": lambda random: np.exp(random.standard_normal((200, 5))),
    "words": lambda random: random.poisson(random.gamma(0.3, 0.5, 300), size=(200, 300)) * 1.0,
}


def _cloud(kind):
    X = CLOUDS[kind](np.random.RandomState(3))
    return [(X, np.repeat("all", 200), np.zeros(200))]


def _named(name, each, data):
    loaded = kf.datasets.load(name, data)
    X, tasks, truth = Preparation().fit_transform(loaded), loaded.tasks, loaded.target
    rows = _rows(tasks, truth, each)
    return [(X[rows], tasks[rows], truth[rows])]


def _views(name, each, data):
    loaded = kf.datasets.load(name, data)
    rows = _rows(loaded.tasks, loaded.target, each)
    parts = [(view, loaded.X[rows][:, columns]) for view, columns in loaded.views.items()]
    return [(X, np.repeat(view, len(rows)), loaded.target[rows]) for view, X in parts]


def _tables(name):
    from sklearn import datasets

    X, truth = getattr(datasets, f"load_{name}")(return_X_y=True)
    return [(X, np.repeat(name, len(X)), truth)]


def _rows(tasks, truth, each):
    """Positions of at most `each` rows of every class in every task, drawn without looking."""
    random, kept = np.random.default_rng(0), []
    for task in dict.fromkeys(tasks):
        for kind in np.unique(truth[tasks == task]):
            own = np.flatnonzero((tasks == task) & (truth == kind))
            kept.append(random.permutation(own)[:each])
    return np.sort(np.concatenate(kept))


if __name__ == "__main__":
    main()
