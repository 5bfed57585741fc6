"""Measures how many rows have the right matched cluster number across tasks.

python -m benchmarks.matching --data DIR [--only NAME ...] [--answers NAME ...] [--markdown FILE]

true       the clusters are the true classes
k-means    of each task (3 seeds); the number of its classes is given
answer     of `Kinfolk(random_state=0)`, for the sets named after --answers
within     accuracy of the clusters of each task, mean over rows; 1 for true classes
by means   accuracy of matched labels over all rows, less within: matched by profiles alone
by rows    the same, matched by votes of nearest rows
"""

import argparse
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD

import kinfolk as kf
from benchmarks import heldout, made_customers, ordinary, text_tables
from kinfolk.choosing.representations import Representations
from kinfolk.errors import MissingDataError
from kinfolk.estimators import correspondence, neighbor_votes
from kinfolk.measures import accuracy
from kinfolk.preparation import Preparation
from kinfolk.tables import Tasks

SEEDS = 3
DIMENSIONS = 50
"""Of documents, in which k-means clusters them."""


def _prepared(data):
    """Rows, tasks and classes of a data set."""
    is_table = isinstance(data, ordinary.Ordinary)
    X = data.X if is_table else Preparation().fit_transform(data)
    return X.astype(float), data.tasks, np.asarray(data.target).astype(str)


def _named(name, folder, rows=None):
    data = kf.datasets.load(name, folder)
    return _prepared(data if rows is None else heldout.drawn(data, rows, 0))


def _held_out(name, folder):
    return _prepared(heldout.SETS[name](folder))


def _ordinary(name, folder):
    return _prepared(ordinary.SETS[name](folder))


def _customers(kind, seed, folder):
    """Simulated customers in a table of numbers only."""
    frame, tasks, target = made_customers.draw(kind, seed)
    return frame.to_numpy(dtype=float), tasks, target


def _without(make, first, last, folder):
    """The data set with some classes removed from its first and last tasks."""
    X, tasks, target = make(folder)
    names = list(dict.fromkeys(tasks.tolist()))
    kinds = np.unique(target)
    gone = (tasks == names[-1]) & np.isin(target, kinds[:last])
    if first:
        gone |= (tasks == names[0]) & np.isin(target, kinds[-first:])
    kept = np.flatnonzero(~gone)
    return X[kept], tasks[kept], target[kept]


DIGITS = partial(_named, "digits-two-sources")
HANDDIGITS = partial(_named, "handdigits", rows=60)
SPLIT = partial(_held_out, "newsgroups-split")
TOPICS = partial(_held_out, "topics-by-date")
FACTORS = partial(_held_out, "mfeat-fac")
CUSTOMERS = partial(_customers, "numbers", 0)

SAME = {
    "webkb4": partial(_named, "webkb4"),
    "digits-two-sources": DIGITS,
    "penguins": partial(_named, "penguins"),
    "vowel": partial(_named, "vowel"),
    "heart": partial(_named, "heart"),
    "compvssci": partial(_named, "compvssci", rows=150),
    "recvstalk": partial(_named, "recvstalk", rows=150),
    "handdigits": HANDDIGITS,
    "3sources-tasks": partial(_named, "3sources-tasks"),
    "newsgroups-split": SPLIT,
    "topics-by-date": TOPICS,
    "webkb-without-projects": partial(_held_out, "webkb-without-projects"),
    "five-digits": partial(_held_out, "five-digits"),
    "mfeat-kar": partial(_held_out, "mfeat-kar"),
    "mfeat-fac": FACTORS,
    "mfeat-zer": partial(_held_out, "mfeat-zer"),
    "msrc-gist": partial(_held_out, "msrc-gist"),
    "caltech-hog": partial(_held_out, "caltech-hog"),
    "iris": partial(_ordinary, "iris"),
    "wine": partial(_ordinary, "wine"),
    "cancer": partial(_ordinary, "cancer"),
    "digits": partial(_ordinary, "digits"),
    "customers, draw 0": CUSTOMERS,
    "customers, draw 1": partial(_customers, "numbers", 1),
}
"""Sets whose classes are the same in all tasks."""
LACKING = {
    "digits-two-sources: 1 lacks": partial(_without, DIGITS, 0, 1),
    "digits-two-sources: 2 and 2 lack": partial(_without, DIGITS, 2, 2),
    "handdigits: 2 and 2 lack": partial(_without, HANDDIGITS, 2, 2),
    "newsgroups-split: 2 and 2 lack": partial(_without, SPLIT, 2, 2),
    "topics-by-date: 2 and 2 lack": partial(_without, TOPICS, 2, 2),
    "mfeat-fac: 2 and 2 lack": partial(_without, FACTORS, 2, 2),
    "customers, draw 0: 1 lacks": partial(_without, CUSTOMERS, 0, 1),
    "customers, draw 2: 1 lacks": partial(_without, partial(_customers, "numbers", 2), 0, 1),
}
"""The same where the last task, or the first and the last, lack classes."""


def main():
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="+", default=[*SAME, *LACKING], metavar="NAME")
    parser.add_argument("--answers", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    given = parser.parse_args()
    head = ("set", "true: by means", "by rows", "k-means: within", "by means", "by rows",
            "answer: within", "by means", "by rows")  # fmt: skip
    page = []
    for title, sets in {"the same classes": SAME, "some lack": LACKING}.items():
        found = {}
        for name in [name for name in sets if name in given.only]:
            try:
                found[name] = measured(sets[name](given.data), name in given.answers)
            except MissingDataError as error:
                print(f"{name}: {error}")
                continue
            print(text_tables.text([_row(name, found[name])]), flush=True)
        if not found:
            continue
        rows = [_row(name, found[name]) for name in sets if name in found]
        mean = np.mean([found[name][:5] for name in found], axis=0)
        page.append(f"Mean over the {len(found)} sets with {title} in the last row.")
        page.append(text_tables.markdown([head, *rows, _row("mean", [*mean, *[np.nan] * 3])]))
    text = "\n\n".join(page) + "\n"
    if given.markdown is None:
        print(text)
    else:
        text_tables.put(given.markdown, text)


def measured(made, with_answer):
    """The figures of a row: accuracy within tasks and losses by matching; nan without an answer."""
    X, names, target = made
    tasks = Tasks.of(names)
    k = [len(np.unique(target[rows])) for rows in tasks.rows()]
    truth = np.empty(len(target), dtype=int)
    for rows in tasks.rows():
        truth[rows] = np.unique(target[rows], return_inverse=True)[1]
    found = [*judged(X, truth, tasks, k, target)[1:]]
    seeds = [judged(X, labels, tasks, k, target) for labels in _by_kmeans(X, tasks, k)]
    found += np.mean(seeds, axis=0).tolist()
    answer = [np.nan] * 3
    if with_answer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbers = dict(zip(tasks.names, k, strict=True))
            labels = kf.Kinfolk(numbers, random_state=0).fit(X, tasks=names).labels_
        answer = judged(X, labels, tasks, k, target)
    return [0.0 if abs(x) < 5e-4 else x for x in (*found, *answer)]


def judged(X, labels, tasks, k, target):
    """Accuracy within tasks, and the loss by matching by means and by rows."""
    sizes = np.array(tasks.sizes)
    own = [accuracy(target[rows], labels[rows]) for rows in tasks.rows()]
    within = float(np.average(own, weights=sizes))
    positions = (np.cumsum(k) - k)[tasks.codes] + labels
    votes = neighbor_votes.agreement(X, labels, tasks.codes, k)
    ways = [
        correspondence.correspond(X, labels, tasks.codes, tasks.names, k, given).groups
        for given in (None, votes)
    ]
    return [within, *(accuracy(target, groups[positions]) - within for groups in ways)]


def _by_kmeans(X, tasks, k):
    """Labels of k-means of each task, for each seed, on rows that suit it."""
    seen = Representations.of(X, tasks.codes)
    Z = seen.transform("z-scores" if seen.kind == "measurements" else seen.for_kmeans[0],
                       X, tasks.codes)  # fmt: skip
    for seed in range(SEEDS):
        labels = np.empty(len(tasks.codes), dtype=int)
        for t, rows in enumerate(tasks.rows()):
            part = Z[rows]
            if sp.issparse(part):
                part = TruncatedSVD(DIMENSIONS, random_state=seed).fit_transform(part)
            labels[rows] = KMeans(k[t], n_init=3, random_state=seed).fit_predict(part)
        yield labels


def _row(name, numbers):
    cells = ["" if np.isnan(x) else f"{x:.3f}" for x in numbers]
    return [name, *cells]


if __name__ == "__main__":
    main()
