"""Scores of models on rows: mean silhouettes of the clusters that rows are assigned to."""

import numpy as np
import pytest
import sklearn
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kinfolk as kf
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.estimators import scored

X = np.random.default_rng(0).normal(size=(60, 3)) + 5.0 * np.eye(3)[np.arange(60) % 3]
TASKS = np.repeat(["lab", "field"], 30)


def silhouette_by_loops(X, labels, distance):
    """Mean silhouette by the definition, row by row."""
    values = []
    for i, x in enumerate(X):
        to = {c: [] for c in set(labels)}
        for j, z in enumerate(X):
            if j != i:
                to[labels[j]].append(distance(x, z))
        own = to.pop(labels[i])
        a = np.mean(own) if own else None
        b = min(np.mean(others) for others in to.values())
        values.append(0.0 if a is None else (b - a) / max(a, b))
    return np.mean(values)


def test_the_score_is_the_mean_silhouette_of_the_tasks():
    model = kf.PerTask(KMeans(n_init=3, random_state=0), 3).fit(X, tasks=TASKS)
    labels = model.predict(X, tasks=TASKS)
    expected = [
        silhouette_by_loops(X[rows], labels[rows], lambda x, z: np.linalg.norm(x - z))
        for rows in (TASKS == "lab", TASKS == "field")
    ]
    assert model.score(X, tasks=TASKS) == pytest.approx(np.mean(expected))
    assert model.score(X[:30], tasks="lab") == pytest.approx(expected[0])


def test_methods_of_directions_are_scored_by_cosines():
    model = kf.PerTask(kf.SymNMF(affinity="cosine", random_state=0), 3).fit(X)
    labels = model.predict(X)
    assert model.score(X) == pytest.approx(silhouette_score(X, labels, metric="cosine"))


def test_the_default_method_is_scored_as_it_scores_itself():
    model = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0).fit(X, tasks=TASKS)
    codes = np.array([list(model.task_names_).index(t) for t in TASKS])
    Z = model._representations.for_scoring(X, codes)
    labels = model.predict(X, tasks=TASKS)
    expected = [
        silhouette_score(Z[codes == t], labels[codes == t], metric="cosine") for t in (0, 1)
    ]
    assert model.score(X, tasks=TASKS) == pytest.approx(np.mean(expected))


def test_rows_that_lack_a_view_are_scored_with_means_in_its_place():
    whole = np.hstack([X, X])
    views = {"left": slice(0, X.shape[1]), "right": slice(X.shape[1], None)}
    model = kf.PerTask(kf.JoinedKMeans(3, views=views, random_state=0)).fit(whole)
    gapped = whole.copy()
    gapped[0, X.shape[1] :] = np.nan
    filled = gapped.copy()
    filled[0, X.shape[1] :] = np.nanmean(gapped, axis=0)[X.shape[1] :]
    expected = silhouette_score(filled, model.predict(gapped), metric="cosine")
    assert model.score(gapped) == pytest.approx(expected)


def test_one_cluster_and_a_cluster_for_each_row_score_zero():
    model = kf.PerTask(KMeans(n_init=3, random_state=0), 3).fit(X)
    assert model.score(X[:1]) == 0.0
    assert model.score(X[:3]) == 0.0


def test_large_tasks_are_scored_by_a_sample(monkeypatch):
    model = kf.PerTask(KMeans(n_init=3, random_state=0), 3).fit(X)
    whole = model.score(X)
    monkeypatch.setattr(scored, "MOST_SCORED", 40)
    assert model.score(X) != whole
    assert model.score(X) == model.score(X) == pytest.approx(whole, abs=0.1)


def test_scikit_learn_chooses_parameters_by_the_score():
    with sklearn.config_context(enable_metadata_routing=True):
        model = kf.PerTask(KMeans(n_init=3, random_state=0))
        search = GridSearchCV(model, {"n_clusters": [2, 3, 5]}, cv=2)
        search.fit(X, tasks=np.tile(["a", "b"], 30))
    assert search.best_params_ == {"n_clusters": 3}


def test_rows_of_a_task_that_is_not_known_are_refused():
    model = kf.PerTask(n_clusters=3).fit(X, tasks=TASKS)
    with pytest.raises(UnknownTaskError, match="'moon'"):
        model.score(X, tasks="moon")


@pytest.mark.parametrize("make", [KMeans, kf.SymNMF], ids=["distances", "cosines"])
def test_a_weight_counts_a_row_as_so_many(make):
    model = kf.PerTask(make(3, random_state=0), 3).fit(X, tasks=TASKS)
    weight = np.arange(60) % 4
    repeated = model.score(X.repeat(weight, axis=0), tasks=TASKS.repeat(weight))
    assert model.score(X, tasks=TASKS, sample_weight=weight) == pytest.approx(repeated)
    each = model.score(X, tasks=TASKS, sample_weight=np.ones(60))
    assert each == pytest.approx(model.score(X, tasks=TASKS))
    with pytest.raises(InputError, match="sample_weight"):
        model.score(X, tasks=TASKS, sample_weight=[1.0])


def test_a_search_over_a_pipeline_scores_it_with_tasks():
    folds = KFold(2, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), kf.MTCFIR(random_state=0, n_init=1))
        search = GridSearchCV(pipeline, {"mtcfir__n_clusters": [2, 3]}, cv=folds)
        search.fit(X, tasks=TASKS)
    assert search.best_params_ == {"mtcfir__n_clusters": 3}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
