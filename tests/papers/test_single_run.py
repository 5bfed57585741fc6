"""One run finds, scores and stores what the estimator finds by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.papers.made_runs import BLOBS, blobs, one

import kinfolk as kf
from kinfolk import measures
from kinfolk.choosing import task_scorer
from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.papers import plan, single_run
from kinfolk.papers.single_run import DataSource
from kinfolk.papers.store import RunSpec
from kinfolk.preparation import Preparation


def outcome(spec, load=blobs):
    """Execute one run without a store, and return its outcome."""
    return single_run.run(spec, DataSource("blobs", "{}", plan.checksum(load("blobs")), load))


def test_relations_of_clusters_are_kept_and_traces_of_the_first_seed_only(store):
    row = one(store, RunSpec("blobs", "mtcmrl", seed=1, parameters={"n_init": 1}))
    G = store.array(row.key, "cluster_relatedness")
    model = kf.MTCMRL(3, n_init=1, random_state=1).fit(BLOBS.X, tasks=BLOBS.tasks)
    a, b = model.task_names_
    np.testing.assert_allclose(G[:3, 3:], model.cluster_relatedness_[a, b])
    np.testing.assert_array_equal(G[:3, :3], 0)
    with pytest.raises(InputError, match="has no 'objective_trace'"):
        store.array(row.key, "objective_trace")


def test_a_run_finds_what_the_estimator_finds_by_hand(store):
    run = RunSpec(
        "blobs", "mtcfir", seed=0, parameters={"n_init": 1}, preparation={"scale": "unit"}
    )
    row = one(store, run)
    X = Preparation(scale="unit").fit_transform(BLOBS)
    model = kf.MTCFIR(3, n_init=1, random_state=0).fit(X, tasks=BLOBS.tasks)
    assert row.outcome.status == "done"
    np.testing.assert_array_equal(store.labels(row.key), model.labels_)
    np.testing.assert_allclose(store.array(row.key, "task_relatedness"), model.task_relatedness_)
    np.testing.assert_allclose(store.array(row.key, "objective_trace"), model.objective_trace_)
    assert row.outcome.n_iter == model.n_iter_
    assert row.outcome.converged == model.converged_
    assert row.outcome.objective == pytest.approx(model.objective_trace_[-1])
    by_hand = {
        "accuracy": measures.accuracy,
        "nmi": measures.nmi,
        "ri": measures.rand_index,
        "ari": measures.adjusted_rand_index,
    }
    for name, measure in by_hand.items():
        expected = measures.per_task(measure, BLOBS.tasks, BLOBS.target, model.labels_)
        assert row.outcome.scores[name] == pytest.approx(expected)
    inside = measures.per_task(measures.silhouette, BLOBS.tasks, X, model.labels_)
    assert row.outcome.scores["silhouette"] == pytest.approx(inside)
    linked = task_scorer.modularity_of_tasks(X, BLOBS.tasks, model.labels_)
    assert row.outcome.scores["modularity"] == pytest.approx(linked)
    assert row.outcome.seconds > 0


@pytest.mark.parametrize("way", ["alone", "pooled"])
def test_the_objective_of_k_means_is_its_inertia(store, way):
    row = one(store, RunSpec("blobs", "kmeans", way, parameters={"n_init": 1}))
    groups = [BLOBS.tasks == t for t in BLOBS.task_names] if way == "alone" else [slice(None)]
    fits = [KMeans(3, n_init=1, random_state=0).fit(BLOBS.X[rows]) for rows in groups]
    assert row.outcome.objective == pytest.approx(sum(fit.inertia_ for fit in fits))
    assert row.outcome.n_iter == max(fit.n_iter_ for fit in fits)
    assert row.outcome.converged is None


def test_the_weights_of_views_are_kept(store):
    def views(name):
        data = blobs(name, n_features=4, n_tasks=1)
        whole = {"first": slice(0, 2), "second": slice(2, 4)}
        return kf.RelatedData(
            name, data.tasks, data.row_ids, data.X, data.feature_names, target=data.target,
            views=whole,
        )  # fmt: skip

    row = one(store, RunSpec("blobs", "comvcf", parameters={"n_init": 1}), views)
    assert row.outcome.error == ""
    weights = store.array(row.key, "view_weights")
    assert weights.shape == (1, 2)
    np.testing.assert_allclose(weights.sum(), 1.0)


def test_the_true_numbers_of_clusters_are_taken_where_none_are_given(store):
    def uneven(name):
        data = blobs(name)
        target = np.where(data.tasks == "task-0", data.target, "all the same")
        return kf.RelatedData(
            name, data.tasks, data.row_ids, data.X, data.feature_names, target=target
        )

    row = one(store, RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1}), uneven)
    assert store.array(row.key, "n_clusters").tolist() == [3, 1]
    row = one(store, RunSpec("blobs", "kmeans", "alone", n_clusters=2, parameters={"n_init": 1}))
    assert store.array(row.key, "n_clusters").tolist() == [2, 2]


def test_data_without_classes_are_scored_by_silhouette_and_modularity(store):
    def unlabelled(name):
        return kf.RelatedData(name, BLOBS.tasks, BLOBS.row_ids, BLOBS.X, BLOBS.feature_names)

    run = RunSpec("blobs", "kmeans", "alone", n_clusters=3, parameters={"n_init": 1})
    assert list(one(store, run, unlabelled).outcome.scores) == ["silhouette", "modularity"]
    row = one(store, RunSpec("blobs", "kmeans", "alone"), unlabelled)
    assert (row.outcome.status, row.outcome.error) == (
        "refused",
        "'blobs' has no true classes; give n_clusters.",
    )


def test_data_that_differ_where_they_are_used_fail(store):
    loaded = []

    def fickle(name):
        loaded.append(name)
        return makers.make_related_blobs(n_samples=20, random_state=len(loaded))

    row = one(store, RunSpec("blobs", "kmeans", "alone"), fickle)
    assert row.outcome.status == "failed"
    assert "another here than where the plan began" in row.outcome.error


def test_warnings_are_kept_as_notes(store, monkeypatch):
    fit = KMeans.fit

    def warned(self, *args, **options):
        import warnings

        warnings.warn("It is late.", stacklevel=1)
        return fit(self, *args, **options)

    monkeypatch.setattr(KMeans, "fit", warned)
    row = one(store, RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1}))
    assert row.outcome.notes == ("It is late.",)


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (InputError("Too few rows."), "refused", "task 'task-0': Too few rows."),
        (np.linalg.LinAlgError("no convergence"), "refused", "no convergence"),
        (ValueError("shapes differ"), "failed", "ValueError: shapes differ"),
        (MemoryError("too large"), "failed", "MemoryError: too large"),
        (TypeError("not a number"), "failed", "TypeError: not a number"),
    ],
)
def test_only_refusals_of_the_library_and_of_linear_algebra_are_refusals(
    monkeypatch, error, status, text
):
    def fit(*_, **__):
        raise error

    monkeypatch.setattr(KMeans, "fit", fit)
    found = outcome(RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1}))
    assert (found.status, found.error) == (status, text)
    assert found.scores == found.arrays == {}


def test_equal_warnings_are_noted_once(monkeypatch):
    fit = KMeans.fit

    def warned(self, *arguments, **options):
        warnings.warn("It is late.", stacklevel=1)
        warnings.warn(f"Seed {self.random_state}.", stacklevel=1)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(KMeans, "fit", warned)
    found = outcome(RunSpec("blobs", "kmeans", "alone", 7, parameters={"n_init": 1}))
    assert found.notes == ("It is late.", "Seed 7.")


def test_large_arrays_of_a_model_are_not_stored(monkeypatch):
    spec = RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1})
    small = outcome(spec).arrays
    assert small["cluster_centers"].shape == (2, 3, 2)
    monkeypatch.setattr(single_run, "ARRAY_LIMIT", 11)
    assert set(small) - set(outcome(spec).arrays) == {"cluster_centers"}


def test_centers_of_unequal_numbers_of_clusters_are_not_stacked():
    spec = RunSpec("blobs", "kmeans", "alone", n_clusters={"task-0": 2, "task-1": 3})
    arrays = outcome(spec).arrays
    assert "cluster_centers" not in arrays
    np.testing.assert_array_equal(arrays["n_clusters"], [2, 3])


def test_labels_and_tasks_take_one_byte_per_row():
    arrays = outcome(RunSpec("blobs", "kmeans", "pooled", parameters={"n_init": 1})).arrays
    assert {arrays[name].dtype for name in ("labels", "task_codes")} == {np.dtype("uint8")}
    np.testing.assert_array_equal(arrays["task_codes"], BLOBS.tasks == "task-1")


def test_one_part_without_a_descent_leaves_the_whole_without():
    found = outcome(RunSpec("blobs", "ncut", "alone"))
    assert found.status == "done"
    assert (found.objective, found.n_iter, found.converged) == (None, None, None)


def test_a_transfer_is_scored_on_the_target_alone():
    found = outcome(RunSpec("blobs", "kt-mec", "task-0 to task-1", parameters={"temperature": 0.1}))
    assert {tuple(scores) for scores in found.scores.values()} == {("task-1",)}
    assert len(found.arrays["labels"]) == 20


def test_caches_are_dropped_on_request():
    loaded = []

    def load(name):
        loaded.append(name)
        return BLOBS

    single_run.clear_caches()
    source = DataSource("blobs", "{}", plan.checksum(BLOBS), load)
    spec = RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1})
    for _ in range(2):
        single_run.run(spec, source)
    assert loaded == ["blobs"]
    single_run.clear_caches()
    single_run.run(replace(spec, seed=1), source)
    assert loaded == ["blobs", "blobs"]


@pytest.mark.parametrize("method", ["mvcf", "plcmf"])
def test_runs_of_a_key_are_those_of_the_defaults_when_it_was_stored(method):
    views = {"n_init": 1}
    found = outcome(RunSpec("blobs", method, parameters=views))
    printed = {"update": "multiplicative", "max_iter": 100, "tol": 1e-3}
    before = {"mvcf": printed, "plcmf": {"balanced": False}}[method]
    same = outcome(RunSpec("blobs", method, parameters=views | before))
    now = {"mvcf": {"update": "exact"}, "plcmf": {"balanced": True}}[method]
    other = outcome(RunSpec("blobs", method, parameters=views | now))
    assert found.status == same.status == other.status == "done"
    assert found.objective == same.objective
    assert found.objective > other.objective
