"""Accuracy of the default answer for rows of several views, beside single views and other methods.

    python -m benchmarks.views SET ... --data DIR [--rows 800] [--seeds 1]
    python -m benchmarks.views SET ... --data DIR --missing 0 0.2 0.4

Prints a line for each set, seed and share of missing blocks, with the accuracy in % of

    answer   kf.Kinfolk(k, views=views)
    support  the best supported view by itself, as Kinfolk chooses it without labels
    single   the best view by itself, chosen with the true classes
    joined   the best multi-view method with its defaults, chosen with the true classes

and with the accuracy of each method. Methods see rows of unit length in each view.

SHAPING sets shaped the rule (`kinfolk.choosing.view_support`, `view_fusion`); JUDGING sets decided
nothing. Each row that is cut keeps at least one view.
"""

import argparse
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.preparation import scaling

JUDGING = "3sources", "msrc-v1", "caltech101-7", "handwritten-rnsp", "hw2sources"
SHAPING = ("mfeat",)
METHODS: dict[str, dict[str, Any]] = {
    "joined-kmeans": {},
    "joined-kmeans-balanced": {},
    "cofkm": {},
    "multinmf": {},
    "comvcf": {},
    "coregularized-spectral": {},
    "nemo": {},
}


def main() -> None:
    """Print the accuracies of all sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[*JUDGING, *SHAPING])
    parser.add_argument("--data", help="folder of the named data sets")
    parser.add_argument("--rows", type=int, default=800, help="most rows of a set, drawn")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--missing", type=float, nargs="*", default=[0.0])
    asked = parser.parse_args()
    for name in asked.sets:
        data = kf.datasets.load(name, asked.data)
        for seed in range(asked.seeds):
            X, target = sampled(data, asked.rows, seed)
            for share in asked.missing:
                cut = with_gaps(X, data.views, share, seed)
                print(
                    name, f"seed {seed}", f"missing {share:g}", *line(cut, target, data.views, seed)
                )


def sampled(data: Any, n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return at most so many rows of a set, and their classes as numbers."""
    rows = np.arange(len(data))
    if len(rows) > n_rows:
        rows = np.sort(np.random.RandomState(seed).choice(rows, n_rows, replace=False))
    return data.X[rows], np.unique(data.target[rows], return_inverse=True)[1]


def with_gaps(X: Any, views: Mapping[str, slice], share: float, seed: int) -> Any:
    """Return dense X with NaN in a share of its blocks; every row keeps one view at least.

    >>> X = with_gaps(np.ones((40, 4)), {"a": slice(0, 2), "b": slice(2, 4)}, 0.4, 0)
    >>> np.isnan(X).mean().round(2), np.isnan(X).all(axis=1).any()
    (0.4, False)
    """
    if not share:
        return X
    random = np.random.RandomState(seed)
    X = np.array(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    n, V = len(X), len(views)
    kept = np.zeros((n, V), dtype=bool)
    kept[np.arange(n), random.randint(V, size=n)] = True
    # Of the other blocks so many go that the share of all is as asked.
    others = random.permutation(np.flatnonzero(~kept.ravel()))
    gone = others[: min(round(share * n * V), len(others))]
    for block in gone:
        X[block // V, list(views.values())[block % V]] = np.nan
    return X


def line(X: Any, target: Any, views: Mapping[str, slice], seed: int) -> list[str]:
    """Return the accuracies of one table in words."""
    k = int(target.max()) + 1
    warnings.simplefilter("ignore")
    begin = time.process_time()
    model = kf.Kinfolk(k, views=views, random_state=seed).fit(X)
    seconds = time.process_time() - begin
    of = kf.measures.accuracy
    single = {view: of(target, model.own_view_labels_[:, v]) for v, view in enumerate(views)}
    others = {name: score(name, X, target, views, k, seed) for name in METHODS}
    shown = {
        "answer": of(target, model.labels_),
        "support": of(target, model.own_labels_),
        "single": max(single.values()),
        "joined": np.nanmax(list(others.values())),
        **others,
        **{f"view {view}": value for view, value in single.items()},
    }
    return [*(f"{name} {100 * value:.1f}" for name, value in shown.items()), f"{seconds:.0f} s"]


def score(name: str, X: Any, target: Any, views: Mapping[str, slice], k: int, seed: int) -> float:
    """Return the accuracy of another method with its defaults; nan if it refuses the rows."""
    ends = [columns.stop for columns in views.values()]
    method = kf.catalogue.method(name)
    estimator = method.seeded(seed, n_clusters=k, views=views, **METHODS.get(name, {}))
    try:
        labels = estimator.fit(scaling.unit(X, ends)).labels_
    except InputError:
        return float("nan")
    return float(kf.measures.accuracy(target, labels))


if __name__ == "__main__":
    main()
