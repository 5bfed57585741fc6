"""Runs, outcomes and a table for tests of plans and stores."""

import numpy as np

from kinfolk.datasets import makers
from kinfolk.papers import execution
from kinfolk.papers.store import Outcome, RunSpec

BLOBS = makers.make_related_blobs(n_samples=20, random_state=0)
RUN = RunSpec(
    "blobs",
    "mtcfir",
    seed=3,
    n_clusters={"a": 2, "b": 3},
    parameters={"noise": 0.5},
    preparation={"scale": "unit"},
    data_options={"draw": 1},
)
OUTCOME = Outcome(
    "done",
    notes=("An objective rose.",),
    seconds=1.5,
    peak_memory=2**20,
    objective=-0.25,
    n_iter=7,
    converged=True,
    scores={"nmi": {"b": 0.5, "a": 0.25}, "silhouette": {"b": 0.1, "a": -0.1}},
)
ARRAYS = {"labels": np.array([0, 1, 2, 0]), "task_relatedness": np.eye(2)[:, ::-1]}


def blobs(name, **options):
    """Make `BLOBS`, whatever the name, with other options if any are given."""
    return makers.make_related_blobs(n_samples=20, random_state=0, **options)


def one(store, run, load=blobs):
    """Execute one run, and return it as the store has it."""
    execution.execute([run], store, load=load)
    return store.runs()[-1]
