"""Measures how often clusters are rightly or wrongly found again in other tasks.

python -m benchmarks.replicability --data DIR [--only NAME ...] [--markdown FILE]

true       the clusters are the true classes
k-means    of each task; the number of its classes is given
shared     comparisons of a cluster with a task that has its class. A cluster of k-means is of the
           class that most of its rows have; it counts where it and some cluster of the other task
           are of this class by a Jaccard index above 1/2: then both tasks have found the class
missing    comparisons with a task that lacks the class
found      share of these that are "found again"; partly: "partly"

Made sets and those of SHAPING chose the rule; those of JUDGING were looked at once, after it.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np

import kinfolk as kf
from benchmarks import matching, text_tables
from kinfolk.choosing.replicability import FOUND, PARTLY
from kinfolk.datasets import makers
from kinfolk.errors import MissingDataError
from kinfolk.tables import Tasks

MAKERS = {"blobs": (makers.make_related_blobs, (240, 30, 4, 2)),
          "plane blobs": (makers.make_related_blobs, (240, 2, 4, 2)),
          "documents": (makers.make_related_documents, (240, 200, 4, 2))}  # fmt: skip
SHAPED = ("handdigits", "newsgroups-split", "topics-by-date", "webkb-without-projects",
          "five-digits", "mfeat-kar", "mfeat-fac", "mfeat-zer", "msrc-gist", "caltech-hog", "iris",
          "wine", "cancer", "heart", "customers")  # fmt: skip
"""Sets of `benchmarks.matching` that shaped the rule, with all forms that lack classes."""


def _made(kind, shared, _):
    make, sizes = MAKERS[kind]
    data = make(*sizes, shared=shared, random_state=1)
    return data.X, data.tasks, data.target


def _disjoint(make, folder):
    """Data set whose first task has the first half of the classes, the second the rest."""
    X, tasks, target = make(folder)
    kinds = np.unique(target)
    first = np.isin(target, kinds[: len(kinds) // 2])
    kept = np.flatnonzero(first == (tasks == tasks[0]))
    return X[kept], tasks[kept], target[kept]


_ALL = {**matching.SAME, **matching.LACKING}
SHAPING = {
    **{f"{kind}, {n} of 4 shared": partial(_made, kind, n) for kind in MAKERS for n in (0, 2, 4)},
    **{name: make for name, make in _ALL.items() if name.startswith(SHAPED)},
    "digits": _ALL["digits"],
    **{f"{name}: disjoint": partial(_disjoint, _ALL[name])
       for name in ("handdigits", "mfeat-fac", "newsgroups-split")},
}  # fmt: skip
JUDGING = {
    **{name: make for name, make in _ALL.items() if name not in SHAPING},
    "digits-two-sources: disjoint": partial(_disjoint, matching.DIGITS),
    **{name: partial(matching._named, name) for name in ("reuters", "disjoint-digits")},
}
HEAD = ("set", *(f"{c}: {s}" for c in ("true", "k-means")
                 for s in ("shared", "found", "partly", "missing", "found", "partly")))  # fmt: skip


def main():
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    given = parser.parse_args()
    page = []
    for title, sets in {"shaping": SHAPING, "judging": JUDGING}.items():
        found = {}
        for name in [name for name in sets if not given.only or name in given.only]:
            try:
                found[name] = measured(*sets[name](given.data))
            except MissingDataError as error:
                print(f"{name}: {error}")
                continue
            print(text_tables.text([_row(name, found[name])]), flush=True)
        if found:
            lines = [_row(name, parts) for name, parts in found.items()]
            page.append(f"Sets for {title}, with sums and means over sets in the last row.")
            page.append(text_tables.markdown([HEAD, *lines, _last(list(found.values()))]))
    if given.markdown is None:
        print("\n\n".join(page))
    else:
        text_tables.put(given.markdown, "\n\n".join(page) + "\n")


def measured(X, names, target):
    """Results of four comparisons: shared and missing classes, true and by k-means."""
    tasks = Tasks.of(names)
    target = np.asarray(target).astype(str)
    k = [len(np.unique(target[rows])) for rows in tasks.rows()]
    clusters = next(iter(matching._by_kmeans(X, tasks, k)))
    return [np.array([r for r, s in judged(X, labels, tasks, target) if s is shared], dtype=str)
            for labels in (target, clusters) for shared in (True, False)]  # fmt: skip


def judged(X, labels, tasks, target):
    """Yield each result, and True if both tasks have the class, False if the other lacks it."""
    rows = dict(zip(tasks.names, tasks.rows(), strict=True))
    for record in kf.replicability(X, labels, np.array(tasks.names, dtype=object)[tasks.codes]):
        here = rows[record["task"]]
        there = rows[record["other_task"]]
        kinds, sizes = np.unique(target[here[labels[here] == record["cluster"]]],
                                 return_counts=True)  # fmt: skip
        kind = kinds[sizes.argmax()]
        if kind not in target[there]:
            yield record["result"], False
        elif min(_best(labels[part], target[part] == kind) for part in (here, there)) > 0.5:
            yield record["result"], True


def _best(labels, members):
    """Largest Jaccard index of a class with a cluster."""
    return max(np.sum(members & (labels == c)) / np.sum(members | (labels == c))
               for c in np.unique(labels))  # fmt: skip


def _row(name, parts):
    """Table row: number of comparisons, and shares found, for four kinds."""
    cells = [name]
    for results in parts:
        cells.append(str(len(results)))
        cells += [f"{x:.2f}" if len(results) else "" for x in _shares(results)]
    return cells


def _last(found):
    """Last table row: sums of comparisons and means over data sets."""
    cells = ["all"]
    for sets in zip(*found, strict=True):
        cells.append(str(sum(map(len, sets))))
        means = np.mean([_shares(results) for results in sets if len(results)], axis=0)
        cells += [f"{x:.2f}" for x in np.atleast_1d(means)]
    return cells


def _shares(results):
    """Shares of results "found again" and "partly"."""
    return [np.mean(results == result) if len(results) else np.nan for result in (FOUND, PARTLY)]


if __name__ == "__main__":
    main()
