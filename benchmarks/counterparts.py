"""Measures how often matched clusters are right, on simulated data and true classes.

    python -m benchmarks.counterparts
    python -m benchmarks.counterparts --data DIR

The clusters are the true classes, so that only the matching is judged. *halves*: that many of the
shared classes are cut in two in the second task, by 2-means.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from kinfolk import datasets
from kinfolk.datasets import makers
from kinfolk.estimators import correspondence, neighbor_votes
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData, Tasks

DRAWS = 20
CASES = [(2, 0, 0), (2, 1, 0), (2, 2, 0), (3, 0, 1), (3, 2, 0), (3, 2, 1), (3, 3, 2)] + [
    (6, 0, 0), (6, 4, 0), (6, 4, 2), (6, 6, 3)
]  # fmt: skip
"""Clusters of each task, shared ones, and how many of these come in halves."""
REAL = ["webkb4", "digits-two-sources", "newsgroups-compvssci-500", "reuters", "20newsgroups"]


def judged(data: RelatedData, halves: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Match clusters of a data set, and count right and wrong records and pairs.

    Returns
    -------
    records : has a counterpart, said right, said none, has several
    pairs : of one kind, of one number
    """
    tasks, labels, truth = Tasks.of(data.tasks), np.empty(len(data.tasks), dtype=int), []
    for t, rows in enumerate(tasks.rows()):
        kinds, found = np.unique(data.target[rows], return_inverse=True)
        names = kinds.tolist()
        for c in range(halves if t == 1 else 0):
            own = np.flatnonzero(found == c)
            side = KMeans(2, n_init=3, random_state=seed).fit(data.X[rows[own]]).labels_
            found[own[side == 1]] = len(names)
            names.append(kinds[c])
        labels[rows] = found
        truth.append(names)
    k = [len(names) for names in truth]
    votes = neighbor_votes.agreement(data.X, labels, tasks.codes, k)
    found = correspondence.correspond(data.X, labels, tasks.codes, tasks.names, k, votes)
    records = []
    for record in correspondence.counterparts(found):
        other = truth[tasks.names.index(record["other_task"])]
        kind = truth[tasks.names.index(record["task"])][record["cluster"]]
        wanted = [c for c, name in enumerate(other) if name == kind]
        said = record["other_clusters"]
        records.append((bool(wanted), said == wanted, not said, len(wanted) > 1))
    kinds = np.concatenate(truth)
    a, b = np.nonzero(found.owner[:, None] < found.owner)
    pairs = np.column_stack([kinds[a] == kinds[b], found.groups[a] == found.groups[b]])
    return np.array(records, dtype=bool), pairs


def shown(name: str, made: list[tuple[np.ndarray, np.ndarray]]) -> str:
    """Format one row of the table."""
    records, pairs = (np.concatenate(parts) for parts in zip(*made, strict=True))
    has, right, none, several = records.T
    same, said = pairs.T
    cells = [right[has], none[has], right[several], none[~has], same[said], said[same]]
    return f"| {name} | " + " | ".join(_mean(cell) for cell in cells) + " |"


def _mean(cell: np.ndarray) -> str:
    return f"{cell.mean():.2f}" if len(cell) else ""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the real data sets")
    given = parser.parse_args()
    print("| case | right | none | several: right | none said | one number: right | found |")
    print("|---|---|---|---|---|---|---|")
    for kind, make in {
        "blobs, 2 columns": lambda **o: makers.make_related_blobs(n_features=2, **o),
        "blobs, 10 columns": lambda **o: makers.make_related_blobs(n_features=10, **o),
        "blobs, 50 columns": lambda **o: makers.make_related_blobs(n_features=50, **o),
        "documents of 30 words": lambda **o: makers.make_related_documents(
            length=30, purity=0.5, **o
        ),
    }.items():
        for k, shared, halves in CASES:
            draws = [
                make(n_samples=30 * k, n_clusters=k, shared=shared, random_state=seed)
                for seed in range(DRAWS)
            ]
            made = [judged(data, halves, seed) for seed, data in enumerate(draws)]
            title = f"{kind}: {shared} of {k} shared" + f", {halves} in halves" * (halves > 0)
            print(shown(title, made), flush=True)
    for name in REAL if given.data else ["digits-two-sources"]:
        data = datasets.load(name, given.data)
        X = Preparation().fit_transform(data)
        data = replace(data, X=X, texts=None, target=np.asarray(data.target).astype(str))
        print(shown(name, [judged(data)]), flush=True)


if __name__ == "__main__":
    main()
