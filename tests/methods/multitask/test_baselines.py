import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.single.entropy import MEC

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3)) + 6 * np.eye(3)[np.arange(40) % 3]
TASKS = np.where(np.arange(40) < 22, "a", "b")
INNER = {"k-means": KMeans(3, n_init=2, random_state=0), "mec": MEC(3, random_state=0)}


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
@pytest.mark.parametrize("wrap", [PerTask, Pooled])
def test_with_one_task_it_is_the_clusterer_itself(wrap, inner):
    alone, wrapped = inner.fit(X), wrap(inner).fit(X)
    np.testing.assert_array_equal(wrapped.labels_, alone.labels_)
    new = RANDOM.normal(size=(9, 3)) * 5
    np.testing.assert_array_equal(wrapped.predict(new), alone.predict(new))
    assert np.isnan(wrapped.match_strength_).all()


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_per_task_is_the_clusterer_on_each_task(inner):
    model = PerTask(inner).fit(X, tasks=TASKS)
    for task, fitted in zip("ab", model.estimators_, strict=True):
        alone = inner.fit(X[task == TASKS])
        np.testing.assert_array_equal(model.labels_[task == TASKS], alone.labels_)
        assert fitted is not inner


def test_pooled_is_the_clusterer_on_all_rows():
    model = Pooled(INNER["k-means"]).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(model.labels_, INNER["k-means"].fit(X).labels_)


@pytest.mark.parametrize("wrap", [PerTask, Pooled])
def test_the_clusterer_that_is_handed_over_stays_unfitted(wrap):
    inner = KMeans(2, n_init=1, random_state=0)
    wrap(inner, n_clusters=3).fit(X, tasks=TASKS)
    assert inner.n_clusters == 2
    assert not hasattr(inner, "labels_")


@pytest.mark.parametrize("wrap", [PerTask, Pooled])
def test_rows_called_noise_form_a_cluster_of_their_own(wrap):
    table = np.vstack([X[:20], [[90.0, 90, 90]], X[20:], [[-90.0, 90, 90]]])
    tasks = np.where(np.arange(42) < 21, "a", "b")
    inner = DBSCAN(eps=4, min_samples=3)
    model = wrap(inner).fit(table, tasks=tasks)
    assert set(model.labels_) == {0, 1, 2, 3}
    np.testing.assert_array_equal(model.labels_[[20, 41]], 0)


def test_a_clusterer_without_prediction_says_so():
    model = PerTask(AgglomerativeClustering(2)).fit(X, tasks=TASKS)
    with pytest.raises(InputError, match="AgglomerativeClustering cannot assign new rows"):
        model.predict(X, tasks=TASKS)
