"""Measures the default answer for several views beside single views and other methods.

    python -m benchmarks.views SET ... --data DIR [--rows 800] [--seeds 1]
    python -m benchmarks.views SET ... --data DIR --missing 0 0.2 0.4 [--picture FILE.svg]
        [--python PYTHON]

Prints a line for each set, seed and share of missing blocks, with the accuracy in % of

    answer   kf.Kinfolk(k, views=views)
    support  the best supported view by itself, as Kinfolk chooses it without labels
    single   the best view by itself, chosen with the true classes
    joined   the best multi-view method with its defaults, chosen with the true classes

and with the accuracy of each method, and of those of iMML in PYTHON, which do not count among
`joined`. Methods see rows of unit length in each view. The picture has
a panel for each set: the accuracy of the answer, of the best supported view and of each method
that takes rows without a view, against the share of missing blocks.

SHAPING sets shaped the rule (`kinfolk.choosing.view_support`, `view_fusion`); JUDGING sets decided
nothing. Each row that is cut keeps at least one view.
"""

import argparse
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import kinfolk as kf
from benchmarks import view_peers
from kinfolk.errors import InputError
from kinfolk.numerics import operators
from kinfolk.preparation import scaling
from kinfolk.report import canvas

JUDGING = "3sources", "msrc-v1", "caltech101-7", "hw2sources"
SHAPING = "mfeat", "handwritten-rnsp"  # two views of mfeat
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
    parser.add_argument("--python", help="a Python that has iMML")
    parser.add_argument("--picture", type=Path, help="SVG file for accuracy against missing shares")
    asked = parser.parse_args()
    found: dict[str, dict[float, list[dict[str, float]]]] = {}
    for name in asked.sets:
        data = kf.datasets.load(name, asked.data)
        for seed in range(asked.seeds):
            X, target = sampled(data, asked.rows, seed)
            for share in asked.missing:
                cut = with_gaps(X, data.views, share, seed)
                shown, seconds = accuracies(cut, target, data.views, seed)
                if asked.python:
                    shown |= peers(asked.python, cut, target, data.views, seed)
                found.setdefault(name, {}).setdefault(share, []).append(shown)
                words = [f"{which} {100 * value:.1f}" for which, value in shown.items()]
                place = f"{name} seed {seed} missing {share:g}"
                print(place, *words, f"{seconds:.0f} s", flush=True)
    if asked.picture:
        asked.picture.write_text(picture(found), "utf-8")


def sampled(data: Any, n_rows: int, seed: int) -> tuple[Any, Any]:
    """Draw at most `n_rows` rows of a data set; classes as numbers."""
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


def accuracies(
    X: Any, target: Any, views: Mapping[str, slice], seed: int
) -> tuple[dict[str, float], float]:
    """Return the accuracies of one table by name, and the seconds that the answer took."""
    k = int(target.max()) + 1
    warnings.simplefilter("ignore")
    begin = time.process_time()
    model = kf.Kinfolk(k, views=views, random_state=seed).fit(X)
    seconds = time.process_time() - begin
    of = kf.measures.accuracy
    single = {}
    for v, view in enumerate(views):
        own = model.own_view_labels_[:, v]
        # A row without the view counts as wrong: the view says nothing about it.
        single[view] = of(target[own >= 0], own[own >= 0]) * (own >= 0).mean()
    others = {name: score(name, X, target, views, k, seed) for name in METHODS}
    shown = {
        "answer": of(target, model.labels_),
        "support": of(target, model.own_labels_),
        "single": max(single.values()),
        "joined": np.nanmax(list(others.values())),
        **others,
        **{f"view {view}": value for view, value in single.items()},
    }
    return shown, seconds


def score(name: str, X: Any, target: Any, views: Mapping[str, slice], k: int, seed: int) -> float:
    """Accuracy of another method with its defaults; nan if it refuses."""
    ends = [columns.stop for columns in views.values()]
    method = kf.catalogue.method(name)
    estimator = method.seeded(seed, n_clusters=k, views=views, **METHODS.get(name, {}))
    try:
        labels = estimator.fit(scaling.unit(X, ends)).labels_
    except InputError:
        return float("nan")
    return float(kf.measures.accuracy(target, labels))


def peers(
    python: str, X: Any, target: Any, views: Mapping[str, slice], seed: int
) -> dict[str, float]:
    """Return the accuracies of iMML's methods by name; nan where one refuses."""
    rows = scaling.unit(X, [columns.stop for columns in views.values()])
    tables = [operators.dense(rows[:, own]) for own in views.values()]
    found = view_peers.labels(python, tables, int(target.max()) + 1, seed)
    return {
        f"iMML {name}": float(kf.measures.accuracy(target, own)) if own else float("nan")
        for name, own in found.items()
    }


def picture(found: Mapping[str, Mapping[float, list[dict[str, float]]]]) -> str:
    """Draw mean accuracies against shares of missing blocks, as SVG, one panel for each set.

    Parameters
    ----------
    found : set -> share -> accuracies by name, for each seed
    """

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for axes, (name, shares) in zip(panels, found.items(), strict=True):
            for i, which in enumerate(["answer", "support", *METHODS]):
                means = [np.mean([one[which] for one in runs]) for runs in shares.values()]
                if np.isfinite(means).sum() < min(2, len(means)):
                    continue  # it takes no rows that lack a view
                width = 2.5 if which == "answer" else 1.2
                axes.plot(
                    list(shares), means, "o-", color=canvas.color(i), linewidth=width, label=which
                )
            axes.set_title(name)
            axes.set_xlabel("share of blocks that are missing")
        panels[0].set_ylabel("accuracy")
        panels[-1].legend(loc="lower left", fontsize="small")

    return canvas.svg(
        draw,
        name="views",
        title="Accuracy with missing views",
        description="Accuracy of methods against the share of blocks that are missing.",
        width=4.2 * len(found),
        height=3.6,
    )


if __name__ == "__main__":
    main()
