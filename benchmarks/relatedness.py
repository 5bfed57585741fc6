"""Prints how far learned relatedness of tasks is from the printed one, for several preparations.

    python -m benchmarks.relatedness reuters [--data DIR] [--share .3]

The printed tables 8, 10 and 11 of MTCFIR follow from its first two steps: no clustering and no
labels come in. So they tell preparations apart without a look at any accuracy. Noise and neighbors
are not printed for them; shown is the least mean difference off the diagonal over the paper's grid,
which is therefore partly fitted, and where it is.
"""

import argparse
import itertools

import numpy as np

from kinfolk import MTCFIR, catalogue, datasets
from kinfolk.numerics import memo
from kinfolk.papers import published
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

ITEMS = {"webkb4": 8, "20newsgroups": 10, "reuters": 11}
"""Data set -> number of the table of its relatedness."""
N_TERMS = {"webkb4": 2500, "20newsgroups": 3000, "reuters": 5000}
PREPARATIONS = tuple(itertools.product(("counts", "tfidf"), ("smart", "english", None)))
PRINTED = {
    "update": "multiplicative",
    "affinity": "cosine",
    "share_features": True,
    "max_neighbors": None,
}


def nearest(data: RelatedData, weighting: str, stop_words: str | None) -> tuple[float, dict]:
    """Least mean difference from the printed relatedness, and its setting."""
    item = published.item(f"mtcfir-table-{ITEMS[data.name]}")
    printed = np.array([[cell.mean for cell in row.cells] for row in item.rows])
    away = ~np.eye(len(printed), dtype=bool)
    X = Preparation(weighting, stop_words, N_TERMS[data.name]).fit_transform(data)
    grid = catalogue.method("mtcfir").grid
    found = []
    for noise, neighbors in itertools.product(grid["noise"], grid["neighbors"]):
        model = MTCFIR(
            {t: len(np.unique(data.target[data.tasks == t])) for t in data.task_names},
            noise=noise,
            neighbors=neighbors,
            n_init=1,
            max_iter=1,
            random_state=0,
            **PRINTED,
        ).fit(X, tasks=data.tasks)
        gap = float(np.abs(model.task_relatedness_ - printed)[away].mean())
        found.append((gap, {"noise": noise, "neighbors": neighbors}))
    return min(found, key=lambda pair: pair[0])


def sample(data: RelatedData, share: float) -> RelatedData:
    """Pick an evenly spaced share of the rows."""
    if share >= 1:
        return data
    kept = np.flatnonzero(np.random.default_rng(0).uniform(size=len(data)) < share)
    return data.take(kept)


def main() -> None:
    """Print one line per preparation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=ITEMS)
    parser.add_argument("--data")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    asked = parser.parse_args()
    data = sample(datasets.load(asked.name, data=asked.data), asked.share)
    with memo.remembering():
        for weighting, stop_words in PREPARATIONS:
            gap, setting = nearest(data, weighting, stop_words)
            print(
                f"| {asked.name} | {weighting} | {stop_words or 'none'} | {gap:.3f} | {setting} |"
            )


if __name__ == "__main__":
    main()
