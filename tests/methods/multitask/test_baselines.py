import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, FeatureAgglomeration, KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kinfolk import PLCMF, Blocks, CoFKM, SymNMF
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.single.entropy import MEC
from made_views import related_views, with_gaps

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3)) + 6 * np.eye(3)[np.arange(40) % 3]
TASKS = np.where(np.arange(40) < 22, "a", "b")
INNER = {"k-means": KMeans(3, n_init=2, random_state=0), "mec": MEC(3, random_state=0)}


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
@pytest.mark.parametrize("wrap", [PerTask, Pooled])
def test_with_one_task_it_is_the_clusterer_itself(wrap, inner):
    alone, wrapped = inner.fit(X), wrap(inner).fit(X)
    np.testing.assert_array_equal(wrapped.labels_, alone.labels_)
    new = RANDOM.normal(size=(9, 3)) * 5
    np.testing.assert_array_equal(wrapped.predict(new), alone.predict(new))
    assert np.isnan(wrapped.match_strength_).all()


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_per_task_is_the_clusterer_on_each_task(inner):
    model = PerTask(inner).fit(X, tasks=TASKS)
    for task, fitted in zip("ab", model.estimators_, strict=True):
        alone = inner.fit(X[task == TASKS])
        np.testing.assert_array_equal(model.labels_[task == TASKS], alone.labels_)
        assert fitted is not inner


@pytest.mark.usefixtures("rows_as_given")
def test_pooled_is_the_clusterer_on_all_rows():
    model = Pooled(INNER["k-means"]).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(model.labels_, INNER["k-means"].fit(X).labels_)


@pytest.mark.parametrize("given", [np.array, lambda V: lambda X, k, random_state: V])
@pytest.mark.parametrize("wrap", [PerTask, Pooled])
def test_first_centers_that_are_given_have_columns_in_the_order_of_the_table(wrap, given):
    rows = np.array([[5.0, 0.1], [6.0, 0.0], [5.5, 5.0], [0.0, 5.1], [1.0, 4.9], [0.4, 0.2]])
    first = given(np.array([[5.0, 0.0], [0.0, 5.0]]))
    inner = KMeans(2, init=first, n_init=1, max_iter=1)
    np.testing.assert_array_equal(wrap(inner).fit(rows).labels_, inner.fit(rows).labels_)


def test_a_clusterer_of_columns_is_refused():
    with pytest.raises(InputError, match=r"FeatureAgglomeration has no labels_ of the rows after"):
        PerTask(FeatureAgglomeration(2)).fit(X, tasks=TASKS)


@pytest.mark.parametrize("wrap", [PerTask, Pooled])
@pytest.mark.parametrize("labels", [["a", "b"], [0.0, 0.5], [np.nan, 1.0], [None, 1]])
def test_a_clusterer_whose_labels_are_no_whole_numbers_is_refused(wrap, labels):
    class Odd(AgglomerativeClustering):
        def fit(self, X, y=None):
            self.labels_ = np.resize(labels, len(X))
            return self

    with pytest.raises(InputError, match="Odd has .* among its labels_ after a fit"):
        wrap(Odd()).fit(X, tasks=TASKS)


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


@pytest.mark.parametrize("wrap", [PerTask, Pooled])
@pytest.mark.parametrize("estimator", ["k-means", KMeans, 3])
def test_only_clusterers_can_be_wrapped(wrap, estimator):
    with pytest.raises(InputError, match="give a clusterer such as KMeans"):
        wrap(estimator).fit(X, tasks=TASKS)


def test_without_a_clusterer_it_is_k_means_from_a_fixed_seed():
    for wrap in (PerTask, Pooled):
        a, b = (wrap(n_clusters=3).fit(X, tasks=TASKS) for _ in range(2))
        np.testing.assert_array_equal(a.labels_, b.labels_)
    assert isinstance(a.estimator_, KMeans)


def test_tasks_may_have_different_numbers_of_clusters_unless_they_are_pooled():
    numbers = {"a": 3, "b": 2}
    model = PerTask(n_clusters=numbers).fit(X, tasks=TASKS)
    assert dict(zip(model.task_names_, model.n_clusters_, strict=True)) == numbers
    assert [fitted.n_clusters for fitted in model.estimators_] == [3, 2]
    with pytest.raises(InputError, match="Pooled needs the same number of clusters in every task"):
        Pooled(n_clusters=numbers).fit(X, tasks=TASKS)


@pytest.mark.parametrize("wrap", [PerTask, Pooled])
@pytest.mark.parametrize(
    "inner",
    [
        DBSCAN(eps=4, min_samples=3),
        AgglomerativeClustering(n_clusters=None, distance_threshold=9.0),
    ],
)
def test_a_clusterer_that_finds_its_own_number_may(inner, wrap):
    model = wrap(inner).fit(X, tasks=TASKS)
    assert model.n_clusters_.tolist() == [3, 3]


def test_clusters_that_stay_empty_keep_their_number():
    table = np.repeat(np.eye(3)[:2], 10, axis=0)
    model = PerTask(MEC(3, temperature=0.1, random_state=0)).fit(table)
    assert model.n_clusters_.tolist() == [3]
    assert set(model.labels_) < {0, 1, 2}


def test_the_traces_of_own_methods_are_added_over_tasks():
    model = PerTask(MEC(3, temperature=1.0, random_state=0)).fit(X, tasks=TASKS)
    assert set(model.objective_traces_) == {"a", "b"}
    last = sum(trace[-1] for trace in model.objective_traces_.values())
    assert model.objective_trace_[-1] == pytest.approx(last)
    assert model.n_iter_ == max(fitted.n_iter_ for fitted in model.estimators_)
    assert not hasattr(PerTask(INNER["k-means"]).fit(X, tasks=TASKS), "objective_trace_")


def test_single_precision_is_clustered_as_double():
    a, b = (PerTask(INNER["k-means"]).fit(X.astype(kind), tasks=TASKS) for kind in ("f4", "f8"))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.estimators_[0].cluster_centers_.dtype == np.float64


def test_new_rows_go_to_clusters_of_their_own_task():
    shifted = X + np.where(TASKS == "b", 100.0, 0.0)[:, None]
    model = PerTask(INNER["k-means"]).fit(shifted, tasks=TASKS)
    for task, fitted in zip("ab", model.estimators_, strict=True):
        np.testing.assert_array_equal(model.predict(X[:5], tasks=task), fitted.predict(X[:5]))


class Strict(ClusterMixin, BaseEstimator):
    """Clusters 0 and 2 by sign; new rows at 0 are in neither."""

    def fit(self, X, y=None):
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return np.sign(X[:, 0]).astype(int) + 1


def test_a_cluster_without_rows_of_the_fit_is_not_taken_for_another():
    model = PerTask(Strict()).fit([[-1.0], [-2.0], [1.0], [2.0]])
    assert model.predict([[-3.0], [3.0]]).tolist() == [0, 1]
    with pytest.raises(InputError, match="Strict assigns a row to cluster 1, .* are in 0, 2:"):
        model.predict([[3.0], [0.0]])


def test_too_few_rows_are_refused_by_the_name_of_the_task():
    with pytest.raises(InputError, match="n_clusters of task 'b' is 19 but task 'b' has only 18"):
        PerTask(n_clusters=19).fit(X, tasks=TASKS)


@pytest.mark.usefixtures("rows_as_given")
def test_per_task_gives_rows_that_lack_views_to_a_clusterer_that_takes_them():
    rows, views, truth = related_views(n=48)
    holed = with_gaps(rows, views, 0.4)
    kept = holed.copy()
    tasks = np.repeat(["p", "q"], 24)
    inner = CoFKM(3, views=views, n_init=2, random_state=0)
    model = PerTask(inner).fit(holed, tasks=tasks)
    for task in "pq":
        own = task == tasks
        alone = inner.fit(holed[own])
        np.testing.assert_array_equal(model.labels_[own], alone.labels_)
        new, _, _ = related_views(n=9, seed=5)
        new = with_gaps(new, views, 0.9)
        np.testing.assert_array_equal(model.predict(new, tasks=task), alone.predict(new))
    kinds = model.matched_labels_
    assert len(set(zip(kinds.tolist(), truth.tolist(), strict=True))) == 3  # of both tasks alike
    assert np.isfinite(model.cluster_profiles_).all()
    np.testing.assert_array_equal(holed, kept)


def test_per_task_names_the_task_whose_rows_a_clusterer_refuses():
    rows, views, _ = related_views(n=48)
    rows[30, views["b"]] = np.nan
    tasks = np.repeat(["p", "q"], 24)
    with pytest.raises(InputError, match=r"^task 'q': view 'b' is missing \(NaN\) from row 6 of X"):
        PerTask(PLCMF(3, views=views)).fit(rows, tasks=tasks)
    with pytest.raises(InputError, match=r"^view 'b' is missing \(NaN\) from row 30 of X"):
        PerTask(PLCMF(3, views=views)).fit(rows)


def test_new_rows_may_all_be_of_one_task_whose_name_is_a_tuple():
    names = [("north", task) for task in TASKS]
    model = PerTask(n_clusters=2).fit(X, tasks=names)
    np.testing.assert_array_equal(model.predict(X[:22], tasks=("north", "a")), model.labels_[:22])
    np.testing.assert_array_equal(model.predict(X, tasks=tuple(names)), model.labels_)


def test_per_task_names_the_task_whose_weights_are_all_zero():
    with pytest.raises(InputError, match="task 'b': sample_weight has the smallest number 0 and"):
        PerTask(n_clusters=2).fit(X, tasks=TASKS, sample_weight=TASKS == "a")


def test_per_task_refuses_gaps_for_a_clusterer_without_views():
    holed = X.copy()
    holed[3, 1] = np.nan
    with pytest.raises(InputError, match=r"1 entry that is NaN .*, NaN in row 3, column 1"):
        PerTask(INNER["k-means"]).fit(holed)
    with pytest.raises(InputError, match=r"1 entry that is NaN .*, NaN in row 3, column 1"):
        PerTask(INNER["k-means"]).fit(X).predict(holed)


@pytest.mark.parametrize("wrapper", [PerTask, Pooled])
def test_estimators_without_labels_or_parameters_are_refused_in_a_sentence(wrapper):
    class Bare:
        def fit(self, X):
            return self

    for estimator in (Bare(), PCA(1)):
        with pytest.raises(InputError, match="give a clusterer such as KMeans"):
            wrapper(estimator, 2).fit(np.arange(8.0)[:, None], tasks=list("aaaabbbb"))


@pytest.mark.parametrize("wrapper", [PerTask, Pooled])
@pytest.mark.parametrize(
    "estimator",
    [GaussianMixture(random_state=0), make_pipeline(StandardScaler(), GaussianMixture(2))],
)
def test_mixtures_and_pipelines_have_the_clusters_that_they_predict(wrapper, estimator):
    rows = np.array([[0.0], [0.1], [9.0], [9.1]] * 2)
    model = wrapper(estimator, 2).fit(rows, tasks=list("aaaabbbb"))
    assert (model.labels_[::4] != model.labels_[2::4]).all()
    assert (model.labels_[::2] == model.labels_[1::2]).all()
    np.testing.assert_array_equal(model.predict(rows, tasks=list("aaaabbbb")), model.labels_)


def test_errors_of_a_task_in_blocks_name_it():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [7.0], [8.0]])
    tasks = ["few", "few", "many", "many", "many", "many"]
    model = PerTask(SymNMF(), n_clusters=2)
    with pytest.raises(InputError, match="task 'few': X is in blocks, and SymNMF needs all rows"):
        model.fit(Blocks(X, tasks=tasks, block_rows=3))
