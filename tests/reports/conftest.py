"""Studies made from numbers with known groups, so that no method is needed to test a page."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.experiments.comparison import Contender, Study
from kinfolk.tables import RelatedData

TASKS = ("cornell", "texas", "wisconsin")
KINDS = ((0, 1, 2), (0, 1, 3), (0, 1, 2, 4))
TOPICS = (
    "course lecture homework exam syllabus grading semester reading",
    "student advisor graduate hobby resume thesis friends homepage",
    "project laboratory research grant software publications system goal",
    "staff office phone secretary contact hours building fax",
    "faculty professor conference journal award committee editor tenure",
)


def _rows(kind, rng):
    """Return X (n, d) whose row i is of kind[i], and the names of its columns."""
    words = tuple(word for topic in TOPICS for word in topic.split())
    rates = np.full((5, len(words)), 0.15)
    for topic in range(5):
        rates[topic, 8 * topic : 8 * topic + 8] = np.linspace(2.5, 0.8, 8)
    return rng.poisson(rates[kind]).astype(float), words


def _table(looks, kind, rng):
    X, words = _rows(kind, rng)
    if looks == "terms":
        return sp.csr_array(X), words
    if looks == "numbers":
        return X[:, ::4] + rng.standard_normal((len(X), 10)), tuple(
            f"size {j} (cm)" for j in range(10)
        )
    names = tuple(f"pixel_{r}_{c}" for r in range(8) for c in range(8))
    return np.pad(X, ((0, 0), (12, 12))), names


def _scores(rng, better):
    measures = {"accuracy": 0.6, "nmi": 0.4, "silhouette": 0.1}
    return {
        measure: {task: float(base + better + 0.05 * rng.random()) for task in TASKS}
        for measure, base in measures.items()
    }


def make(looks="terms", truth=True, relatedness=True, rows=180, names=None, tasks=TASKS):
    rng = np.random.default_rng(0)
    where = np.sort(rng.integers(0, 3, rows))
    matched = np.array([KINDS[t][i] for t, i in zip(where, rng.integers(0, 3, rows), strict=True)])
    matched[(where == 2) & (rng.random(rows) < 0.2)] = 4
    X, columns = _table(looks, matched, rng)
    clusters = [
        (task, c) for task, kinds in zip(tasks, KINDS, strict=True) for c in range(len(kinds))
    ]
    groups = np.array([kind for kinds in KINDS for kind in kinds])
    links = np.clip((groups[:, None] == groups) * 0.9 - 0.2 * rng.random((10, 10)), -1, 1)
    alone = np.array([np.sum(groups == group) == 1 for group in groups])
    labels = np.array([KINDS[t].index(kind) for t, kind in zip(where, matched, strict=True)])
    traces = {
        task: 100 + 50 * np.exp(-0.5 * (t + 1) * np.arange(12 + 6 * t))
        for t, task in enumerate(tasks)
    }
    model = SimpleNamespace(
        labels_=labels,
        matched_labels_=matched,
        task_names_=np.array(tasks),
        clusters_=clusters,
        cluster_links_=links,
        matched_clusters_=groups,
        match_strength_=np.where(alone, np.nan, 0.82),
        n_iter_=24,
        converged_=True,
        objective_traces_=traces,
    )
    if relatedness:
        model.task_relatedness_ = np.array([[1, 0.42, 0.18], [0.31, 1, 0.07], [0.25, 0.12, 1]])
    data = RelatedData(
        name="University web pages",
        tasks=np.array(tasks)[where],
        row_ids=np.arange(rows),
        texts=("…",) * rows if looks == "terms" else None,
        target=matched.astype(str) if truth else None,
        origin="Made by a formula; free to use.",
    )
    ways = {"alone": 0.0, "pooled": -0.03, "together": 0.03}
    contenders = [
        Contender(name, f"MTCFIR, {name}", labels, 0.31, "", _scores(rng, better))
        for name, better in ways.items()
    ]
    return Study(
        data=data,
        X=X,
        feature_names=columns if names is None else tuple(names),
        model=model,
        method="mtcfir",
        relation="several tasks",
        contenders=contenders,
        settings={"n_clusters": "3, 3, 4", "random_state": "7", "numpy": "2.4.0"},
        command="kinfolk run pages.csv --method mtcfir --seed 7",
        notes=["The tables share 36 of 40 columns."],
    )


@pytest.fixture
def make_study():
    """Return a function that makes a study: terms, numbers or pixels; with truth or without."""
    return make
