"""Compares suggested numbers of clusters with the true ones.

python -m benchmarks.numbers [--data DIR] [--only WORD] [--seed 0]
python -m benchmarks.numbers --split shaping|judging --runs FOLDER [--data DIR] [--store FILE]

The first form takes the sets named here. The second one takes the sets of `benchmarks.related`,
whose split is frozen: those for shaping may decide a constant, those for judging are looked at
after it. Beside them stands what others take: HDBSCAN, the gap statistic, k-means' silhouette.
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import silhouette_score

import kinfolk as kf
from benchmarks import text_tables
from benchmarks.related import files, prepared
from kinfolk.choosing import cluster_count
from kinfolk.choosing.representations import Representations
from kinfolk.datasets import alterations, makers
from kinfolk.errors import MissingDataError
from kinfolk.numerics import distances, operators
from kinfolk.preparation import Preparation

GAP_TABLES = 5
"""Uniform tables of the gap statistic."""

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
"""Looked at later; `docs/numbers-measured.md` says which of them decided something."""

VIEWS = {"20newsgroups-500": 100, "mfeat": 40, "msrc-v1": None}
"""The same, each view as a task."""

HEADING = ["task", "true", "number", "interval", "how sure", "signs"]


def main():
    """Print a line a task, and how often each confidence was right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numbers", description=__doc__)
    parser.add_argument("--data", help="the data directory; default: KINFOLK_DATA")
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--seed", type=int, default=0, help="of halves and starts")
    parser.add_argument("--split", choices=files.SPLITS, help="sets of benchmarks.related")
    parser.add_argument("--runs", type=Path, help="folder that keeps the prepared sets")
    parser.add_argument("--store", type=Path, help="JSON file of results, to be continued")
    arguments = parser.parse_args()
    if arguments.split:
        related(arguments)
        return
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


def related(arguments):
    """Measure the sets of a split, each kept in a file as soon as it is done, and print tables."""
    store = arguments.store or Path(f"numbers-{arguments.split}.json")
    kept = json.loads(store.read_text()) if store.exists() else {}
    for path in sorted(files.FOLDER.glob("*.toml")):
        wanted = files.read(path)
        if wanted.split != arguments.split or wanted.name in kept:
            continue
        try:
            made = prepared.table(wanted, arguments.runs, arguments.data)
        except MissingDataError as error:
            print(f"{wanted.name} is left out: {error}")
            continue
        kept[wanted.name] = _related_set(made, wanted, arguments.seed)
        store.write_text(json.dumps(kept))
        print(wanted.name, *kept[wanted.name], sep="\n  ", flush=True)
    for kind in (*files.KINDS, "all"):
        tasks = [task for found in kept.values() for task in found if kind in (task["kind"], "all")]
        if tasks:
            print(f"\n{kind}\n{text_tables.text(_beside_others(tasks))}")
    tasks = [task for found in kept.values() for task in found]
    print(f"\n{text_tables.text(_by_confidence(tasks))}")


def _related_set(made, wanted, seed):
    """Records per task: suggested number, and those of other criteria."""
    begin = time.process_time()
    suggested = kf.suggest_clusters(
        made.X, made.tasks, random_state=seed, columns_are_scaled=made.columns_are_scaled
    )
    seconds = time.process_time() - begin
    codes = np.unique(made.tasks, return_inverse=True)[1]
    seen = Representations.of(made.X, codes, made.columns_are_scaled)
    found = []
    for s in suggested:
        rows = made.rows(str(s.task))
        if s.task == alterations.NOISE:
            continue
        true = len(np.unique(made.target[rows]))
        record = {"task": str(s.task), "kind": wanted.kind, "rows": len(rows), "true": true}
        record |= {"number": s.number, "low": s.low, "high": s.high, "confidence": s.confidence}
        record |= {"also": s.also, "preferred": [s.first, s.second, s.third]}
        record["seconds"] = round(seconds / len(suggested), 1)
        found.append(record | _others(seen.for_scoring(made.X[rows], codes[rows]), s, seed))
    return found


def _others(X, suggestion, seed):
    """Numbers chosen by silhouette, gap statistic and HDBSCAN."""
    Z = distances.unit_rows(X)
    most = min(50, min(Z.shape) - 1)
    Z = TruncatedSVD(most, random_state=seed).fit_transform(Z) if most > 1 else operators.dense(Z)
    numbers = [int(record["clusters"]) for record in suggestion.curve]
    clusters = HDBSCAN(min_cluster_size=max(5, len(Z) // 20), copy=True).fit_predict(Z)
    made = {"hdbscan": max(len(set(clusters.tolist()) - {-1}), 1)}
    if not numbers:
        return made | {"silhouette": 1, "gap": 1}
    runs = [KMeans(k, n_init=3, random_state=seed).fit(Z) for k in numbers]
    values = [silhouette_score(Z, run.labels_) for run in runs]
    return made | {"silhouette": numbers[int(np.argmax(values))], "gap": _gap(Z, runs, seed)}


def _gap(Z, runs, seed):
    """The smallest k with Gap(k) >= Gap(k + 1) - s(k + 1) (Tibshirani et al. 2001, section 3)."""
    random = np.random.RandomState(seed)
    low, high = Z.min(axis=0), Z.max(axis=0)
    whole = np.log(np.sum((Z - Z.mean(axis=0)) ** 2))
    own = np.array([whole, *(np.log(run.inertia_) for run in runs)])
    drawn = []
    for _ in range(GAP_TABLES):
        U = random.uniform(low, high, size=Z.shape)
        fits = [KMeans(run.n_clusters, n_init=1, random_state=seed).fit(U) for run in runs]
        drawn.append(
            [np.log(np.sum((U - U.mean(axis=0)) ** 2)), *(np.log(f.inertia_) for f in fits)]
        )
    gap = np.mean(drawn, axis=0) - own
    s = np.std(drawn, axis=0) * np.sqrt(1 + 1 / GAP_TABLES)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - s[1:])
    return int(enough[0]) + 1 if len(enough) else runs[-1].n_clusters


def _beside_others(tasks):
    """Table rows: exact, within 1 and mean error, by suggestion and other criteria."""
    rows = [["", "tasks", "exact", "within 1", "mean error"]]
    true = np.array([task["true"] for task in tasks])
    for name in ("number", "hdbscan", "gap", "silhouette"):
        error = np.abs(np.array([task[name] for task in tasks]) - true)
        shares = [f"{np.mean(error <= most):.2f}" for most in (0, 1)]
        rows.append([name, str(len(tasks)), *shares, f"{error.mean():.2f}"])
    return rows


def _by_confidence(tasks):
    """Table rows by confidence: numbers of suggestions that are exact, within 1, in interval."""
    rows = [["how sure", "tasks", "exact", "within 1", "in interval"]]
    levels = (cluster_count.SURE, cluster_count.LIKELY, cluster_count.GUESS, "one", "two numbers")
    for level in levels:
        chosen = [task for task in tasks if _is(task, level)]
        numbers = [[task["number"], task["also"] or task["number"]] for task in chosen]
        errors = [min(abs(k - t["true"]) for k in pair[: 1 + (level == "two numbers")])
                  for pair, t in zip(numbers, chosen, strict=True)]  # fmt: skip
        inside = sum(task["low"] <= task["true"] <= task["high"] for task in chosen)
        counts = len(chosen), sum(e == 0 for e in errors), sum(e <= 1 for e in errors), inside
        rows.append([level, *map(str, counts)])
    return rows


def _is(task, level):
    """True if a task has this confidence, is suggested as one cluster, or has a second number."""
    if level == "one":
        return task["number"] == 1
    return task["also"] is not None if level == "two numbers" else task["confidence"] == level


def _case(name, parts, seed):
    """Suggest for one or several tables, and print beside true numbers."""
    begin, pairs = time.process_time(), []
    for X, tasks, truth in parts:
        suggested = kf.suggest_clusters(X, tasks, random_state=seed)
        pairs += [(s, len(np.unique(truth[tasks == s.task]))) for s in suggested]
    seconds = time.process_time() - begin
    lines = [
        [str(s.task), str(k), str(s.number), f"{s.low} to {s.high}", s.confidence]
        + [f"{s.first} {s.second} {s.third or '-'}"]
        for s, k in pairs
    ]
    print(f"\n{name}, {seconds:.0f} s\n{text_tables.text([HEADING, *lines])}", flush=True)
    return pairs


def _hits(pairs):
    """Table rows by confidence: numbers of exact hits, hits within 1, and hits of the interval."""
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
