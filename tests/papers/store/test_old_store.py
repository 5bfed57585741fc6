"""A store that an earlier version wrote opens, reads, resumes and is not rewritten.

`written_before.sqlite.gz` holds four runs on small blobs: two of k-means, one of MTCMRL with
prepared rows, and one of MTCFIR that was refused.
"""

import gzip
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kinfolk.datasets import makers
from kinfolk.papers import execution, overview, plan
from kinfolk.papers.store import RunSpec, Store, runs

FILE = Path(__file__).parent / "written_before.sqlite.gz"
SPECS = [
    RunSpec("blobs", "kmeans", "alone", 0, parameters={"n_init": 1}),
    RunSpec("blobs", "kmeans", "alone", 1, parameters={"n_init": 1}),
    RunSpec("blobs", "mtcmrl", parameters={"n_init": 1}, preparation={"scale": "unit"}),
    RunSpec(
        "blobs",
        "mtcfir",
        n_clusters={"task-0": 3, "task-1": 9},
        parameters={"n_init": 1, "noise": 0.5},
    ),
]
KEYS = ["64fc1d98c38a", "4da62ddb836d", "0de81a7e2d4a", "1eac3da7ca1f"]


def load(name):
    return makers.make_related_blobs(n_samples=6, random_state=0)


@pytest.fixture
def path(tmp_path):
    with gzip.open(FILE) as packed, (tmp_path / "runs.sqlite").open("wb") as file:
        shutil.copyfileobj(packed, file)
    return tmp_path / "runs.sqlite"


def test_specifications_and_outcomes_are_read(path):
    with Store(path, read_only=True) as store:
        stored = store.runs()
    assert [run.spec for run in stored] == SPECS
    assert [run.outcome.status for run in stored] == ["done", "done", "done", "refused"]
    first = stored[0].outcome
    assert first.objective == 10.040687021307763
    assert (first.n_iter, first.converged) == (2, None)
    assert first.scores["silhouette"] == {
        "task-0": 0.9960156789428404,
        "task-1": 0.9989837504247235,
    }
    assert "only 6 rows" in stored[3].outcome.error


def test_keys_are_computed_as_they_were(path, monkeypatch):
    with Store(path, read_only=True) as store:
        stored = store.runs()
    assert [run.key[:12] for run in stored] == KEYS
    assert {run.checksum for run in stored} == {plan.checksum(load("blobs"))}
    # A key holds the version that wrote it, whatever the version of today.
    monkeypatch.setattr(runs, "KINFOLK_VERSION", stored[0].version)
    assert [run.spec.key(run.checksum) for run in stored] == [run.key for run in stored]


def test_arrays_are_read(path):
    with Store(path, read_only=True) as store:
        kmeans, _, mtcmrl, _ = store.runs()
        assert len(store.labels(kmeans.key)) == 12
        np.testing.assert_array_equal(store.array(kmeans.key, "n_clusters"), [3, 3])
        assert store.array(kmeans.key, "cluster_centers").shape == (2, 3, 2)
        G = store.array(mtcmrl.key, "cluster_relatedness")
        assert G.shape == (6, 6)
        assert G[:3, 3:].sum() == pytest.approx(1)
        assert len(store.array(mtcmrl.key, "objective_trace")) == mtcmrl.outcome.n_iter + 1


def test_a_plan_goes_on_where_the_store_ends(path, monkeypatch):
    with Store(path) as store:
        monkeypatch.setattr(runs, "KINFOLK_VERSION", store.runs()[0].version)
        more = RunSpec("blobs", "kmeans", "alone", 2, parameters={"n_init": 1})
        assert execution.execute(SPECS, store, load=load) == Counter()
        assert execution.execute([*SPECS, more], store, load=load) == {"done": 1}
        assert [run.key[:12] for run in store.runs()][:4] == KEYS


@pytest.mark.usefixtures("rows_as_given")  # as every version drew that made the store
def test_a_run_of_today_finds_what_the_old_store_holds(path, tmp_path):
    with Store(path, read_only=True) as old, Store(tmp_path / "new.sqlite") as new:
        execution.execute(SPECS, new, load=load)
        for before, after in zip(old.runs(), new.runs(), strict=True):
            assert before.spec == after.spec
            assert before.outcome.status == after.outcome.status
            # Descents of MTCMRL end by another rule since, so that only k-means is the same.
            if before.spec.method == "kmeans":
                assert before.outcome.n_iter == after.outcome.n_iter
                np.testing.assert_array_equal(old.labels(before.key), new.labels(after.key))
                assert after.outcome.objective == pytest.approx(before.outcome.objective)


def test_a_reader_leaves_every_byte(path):
    before = path.read_bytes()
    with Store(path, read_only=True) as store:
        overview.by_run(store.runs())
    assert path.read_bytes() == before


def test_the_overview_counts_its_runs(path):
    with Store(path, read_only=True) as store:
        records = overview.by_method(store.runs())
    assert [(r["method"], r["runs"], r["settings"], r["not done"]) for r in records] == [
        ("kmeans", 2, 1, ""),
        ("mtcmrl", 1, 1, ""),
        ("mtcfir", 0, 0, "1 refused"),
    ]
