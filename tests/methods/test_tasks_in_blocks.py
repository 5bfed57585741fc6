"""Several tasks in blocks: the fit, the labels and the matches are those of the same table."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import Block, blocks, lloyd
from kinfolk.errors import EmptyClusterWarning, InputError, UnknownTaskError
from kinfolk.estimators import task_blocks

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
SITES = np.repeat(["south", "north", "east"], 120)
RANDOM.shuffle(SITES[:200])
X = RANDOM.normal(size=(360, 4)) + 5 * np.eye(4)[RANDOM.integers(0, 4, size=360)]
X += (SITES == "north")[:, None]
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(site=SITES)

MODELS = {
    "k-means per task": kf.PerTask(n_clusters=4),
    "k-means per task of other numbers": kf.PerTask(
        KMeans(n_init=3, random_state=1), {"south": 4, "north": 4, "east": 3}
    ),
    "mec per task": kf.PerTask(kf.MEC(4, n_init=2, random_state=0)),
    "k-means of all": kf.Pooled(KMeans(4, n_init=3, random_state=1)),
    "mec of all": kf.Pooled(kf.MEC(4, n_init=2, random_state=0)),
}


def sources(folder):
    FRAME.to_parquet(folder / "rows.parquet", row_group_size=50)
    return [
        Blocks(X, tasks=SITES, block_rows=70),
        Blocks(folder / "rows.parquet", tasks="site", block_rows=100),
        Blocks(dd.from_pandas(FRAME, npartitions=4), tasks="site"),
    ]


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_of_blocks_is_that_of_the_table(name, tmp_path):
    expected = MODELS[name].fit(X, tasks=SITES)
    parts = ["matched_clusters_", "n_clusters_", "match_strength_", "cluster_profiles_"]
    for rows in sources(tmp_path):
        found = type(expected)(expected.estimator, expected.n_clusters).fit(rows)
        np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
        np.testing.assert_array_equal(np.asarray(found.matched_labels_), expected.matched_labels_)
        assert found.task_names_.tolist() == expected.task_names_.tolist()
        for part in parts:
            np.testing.assert_allclose(getattr(found, part), getattr(expected, part), rtol=1e-9)
        for own, other in zip(found._moments, expected._moments, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(np.asarray(expected.predict(rows)), expected.labels_)
        new = X[:9] if rows.feature_names is None else FRAME[:9][rows.feature_names]
        np.testing.assert_array_equal(found.predict(new, SITES[:9]), expected.labels_[:9])
        assert isinstance(found.labels_, da.Array) == rows.is_dask


@pytest.mark.parametrize("name", ["k-means per task", "mec per task", "k-means of all"])
def test_weights_of_tasks_are_those_of_the_estimator(name):
    weight = RANDOM.integers(1, 4, size=360).astype(float)
    model = clone(MODELS[name])
    expected = clone(model).fit(X, tasks=SITES, sample_weight=weight)
    found = clone(model).fit(Blocks(X, tasks=SITES, sample_weight=weight, block_rows=90))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    own = expected.task_names_[0] == SITES if hasattr(found, "estimators_") else SITES != ""
    of_first = getattr(expected, "estimators_", [getattr(expected, "estimator_", None)])[0]
    V = of_first.cluster_centers_
    if "k-means" in name:
        nearest = np.square(X[own][:, None] - V).sum(axis=2).argmin(axis=1)
        means = [np.average(X[own][nearest == k], 0, weight[own][nearest == k]) for k in range(4)]
        np.testing.assert_allclose(V, means, rtol=1e-3)
    plain = clone(model).fit(X, tasks=SITES)
    other = getattr(plain, "estimators_", [getattr(plain, "estimator_", None)])[0]
    assert abs(other.cluster_centers_ - V).max() > 1e-3


def test_weights_that_an_estimator_does_not_take_are_refused():
    with pytest.raises(InputError, match="AgglomerativeClustering takes no sample_weight"):
        kf.PerTask(AgglomerativeClustering()).fit(X, tasks=SITES, sample_weight=np.ones(360))
    with pytest.raises(InputError, match="sample_weight has the smallest number 0 and the sum 0"):
        kf.PerTask().fit(X, tasks=SITES, sample_weight=1.0 * (SITES == "east"))


def test_descents_of_blocks_are_those_of_the_table():
    expected = MODELS["mec per task"].fit(X, tasks=SITES)
    found = kf.PerTask(expected.estimator).fit(Blocks(X, tasks=SITES, block_rows=50))
    for task, trace in expected.objective_traces_.items():
        np.testing.assert_allclose(found.objective_traces_[task], trace, rtol=1e-10)


def test_blocks_without_rows_of_a_task_are_not_read_for_it():
    rows = Blocks(X, tasks=SITES, block_rows=60)
    assert rows.n_blocks == 6
    assert rows.of_task(2).n_blocks < rows.n_blocks
    for t, name in enumerate(rows.task_names):
        own = rows.of_task(t)
        assert own.shape == ((name == SITES).sum(), 4)
        np.testing.assert_array_equal(own.each(lambda block: block.x), X[name == SITES])
    assert rows.shape == X.shape


def test_k_means_of_blocks_ends_where_that_of_scikit_learn_does():
    model = KMeans(4, n_init=2, random_state=3, tol=0)
    found = lloyd.fitted(model, Blocks(X, block_rows=90, sample_weight=1.0 + np.arange(360) % 3))
    order = Blocks(X, sample_weight=1.0 + np.arange(360) % 3).sample()
    expected = model.fit(order.x, sample_weight=order.weight)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-10)
    assert found.inertia_ == pytest.approx(expected.inertia_)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


def test_the_parts_of_k_means_are_the_sums_of_its_formula():
    V = X[:3]
    found = lloyd.by_nearest(Block(X[:50], np.arange(50.0)), V)
    sizes, sums, inertia = np.zeros(3), np.zeros((3, 4)), 0.0
    for i in range(50):
        away = [float(sum((X[i] - v) ** 2)) for v in V]
        k = int(np.argmin(away))
        sizes[k] += i
        sums[k] += i * X[i]
        inertia += i * away[k]
    np.testing.assert_allclose(found.sizes, sizes)
    np.testing.assert_allclose(found.sums, sums)
    assert found.inertia == pytest.approx(inertia)


def test_a_cluster_without_rows_keeps_its_center_and_is_told_of():
    V = np.array([[0.0], [1.0], [99.0]])
    found, _, _ = lloyd.descended(Blocks(np.array([[0.0], [1.0], [1.2]]), block_rows=1), V, 9, 0.0)
    np.testing.assert_allclose(found.ravel(), [0.0, 1.1, 99.0])
    same = np.repeat([[0.0, 1.0], [9.0, 2.0]], 20, axis=0)
    with pytest.warns(EmptyClusterWarning, match="only 2 of 3 clusters in task 'a'"):
        kf.PerTask(n_clusters=3).fit(Blocks(same, tasks=["a", "b"] * 20, block_rows=9))


@pytest.mark.filterwarnings("error")
def test_any_model_of_tasks_assigns_blocks():
    model = kf.LSSMTC(4, n_init=1, random_state=0).fit(FRAME, tasks="site")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = model.predict(Blocks(dd.from_pandas(FRAME, npartitions=3), tasks="site"))
    np.testing.assert_array_equal(found.compute(), model.labels_)
    order = np.argsort(SITES, kind="stable")  # tasks come in another order
    again = model.predict(Blocks(X[order], tasks=SITES[order], block_rows=40))
    np.testing.assert_array_equal(again, model.labels_[order])
    named = model.predict(da.from_array(X), tasks=SITES)
    np.testing.assert_array_equal(named.compute(), model.labels_)


@pytest.mark.parametrize(
    "make", [da.from_array, lambda own: dd.from_pandas(pd.DataFrame(own), npartitions=2)]
)
def test_rows_of_dask_may_all_be_of_one_task_by_its_name(make):
    model = kf.PerTask(n_clusters=4).fit(X, tasks=SITES)
    for site in np.unique(SITES):
        own = X[site == SITES]
        found = model.predict(make(own), tasks=site)
        np.testing.assert_array_equal(found.compute(), model.predict(own, tasks=site))
    with pytest.raises(UnknownTaskError, match="task 'west' was not there"):
        model.predict(make(X), tasks="west")


@pytest.mark.parametrize("name", ["k-means per task", "mec of all"])
def test_a_model_of_dask_is_saved_with_its_labels(name, tmp_path):
    model = clone(MODELS[name]).fit(Blocks(da.from_array(X, chunks=(90, 4)), tasks=SITES))
    kf.save(model, tmp_path / "model")
    found = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(found.labels_, model.labels_.compute())
    np.testing.assert_array_equal(found.predict(X, tasks=SITES), found.labels_)


def test_what_blocks_cannot_do_is_told():
    rows = Blocks(X, tasks=SITES, block_rows=90)
    with pytest.raises(InputError, match="X is in blocks, and DBSCAN needs all rows in memory"):
        kf.PerTask(DBSCAN()).fit(rows)
    with pytest.raises(InputError, match="Pooled needs the same number of clusters in every"):
        kf.Pooled(n_clusters={"south": 2, "north": 2, "east": 3}).fit(rows)
    with pytest.raises(InputError, match="n_clusters of task 'east' is 500 .* only 120 rows"):
        kf.PerTask(n_clusters={"south": 2, "north": 2, "east": 500}).fit(rows)
    model = kf.PerTask(n_clusters=2).fit(rows)
    with pytest.raises(UnknownTaskError, match="task 'west' was not there"):
        model.predict(Blocks(X[:3], tasks=["west", "east", "east"]))
    with pytest.raises(InputError, match="the blocks name none"):
        model.predict(Blocks(X[:3]))


def test_more_clusters_than_sampled_rows_are_told(monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 80)
    with pytest.raises(InputError, match="n_clusters is 21, and starts are drawn from the 20 rows"):
        kf.PerTask(n_clusters=21).fit(Blocks(X, tasks=SITES))


@pytest.mark.parametrize(
    "method",
    [
        kf.LSSMTC(19, update="exact", mixed=False),
        kf.MTCMRL(19, update="exact", affinity="cosine"),
        kf.MTCFIR(19, share_instances=False, affinity="cosine"),
    ],
    ids=lambda method: type(method).__name__,
)
def test_a_task_with_fewer_sampled_rows_than_clusters_is_told(method, monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 80)
    rows = Blocks(abs(X), tasks=SITES)
    with pytest.raises(InputError, match="^task '.*': n_clusters is 19, and starts"):
        method.fit(rows)


def test_a_number_of_clusters_is_checked_against_all_rows_of_large_tasks():
    large = Blocks(np.zeros((10_002, 1)))
    assert task_blocks.clusters(10_001, large) == [10_001]
    with pytest.raises(InputError, match="n_clusters is 10003 but X has only 10002 rows"):
        task_blocks.clusters(10_003, large)


def test_a_task_too_small_for_the_sample_is_told(monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 80)
    names = SITES.astype(object).copy()
    names[7] = "rare"
    with pytest.raises(InputError, match="task 'rare' has so few of all rows"):
        kf.PerTask(n_clusters=2).fit(Blocks(X, tasks=names))


@pytest.mark.parametrize("n_init", ["auto", 4])
def test_given_centers_are_one_start(n_init):
    model = KMeans(4, init=X[:4], n_init=n_init, tol=0)
    found = lloyd.fitted(model, Blocks(X, block_rows=90))
    expected = clone(model).set_params(n_init=1).fit(X)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-10)
    assert found.n_iter_ >= 1
    random = KMeans(4, init="random", random_state=0, tol=0)
    best = clone(random).set_params(n_init=10).fit(Blocks(X).sample().x)
    assert lloyd.fitted(random, Blocks(X)).inertia_ == pytest.approx(best.inertia_)


@pytest.mark.parametrize("wrapper", [kf.Pooled, kf.PerTask])
def test_single_precision_is_fitted_in_double(wrapper):
    model = wrapper(KMeans(4, n_init=2, random_state=0))
    expected = clone(model).fit(X.astype(np.float32), tasks=SITES)
    found = clone(model).fit(Blocks(X.astype(np.float32), tasks=SITES, block_rows=90))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    of_first = getattr(found, "estimators_", [getattr(found, "estimator_", None)])[0]
    near = getattr(expected, "estimators_", [getattr(expected, "estimator_", None)])[0]
    assert of_first.inertia_ == pytest.approx(near.inertia_, rel=1e-10)


@pytest.mark.parametrize("wrapper", [kf.Pooled, kf.PerTask])
@pytest.mark.parametrize("away", [5e8, 1e6 * np.arange(4.0)], ids=["all", "some columns"])
def test_rows_far_from_zero_are_clustered_as_near_it(wrapper, away):
    model = wrapper(KMeans(4, n_init=2, random_state=0))
    expected = clone(model).fit(X, tasks=SITES)
    found = clone(model).fit(Blocks(X + away, tasks=SITES, block_rows=90))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.predict(X + away, SITES), expected.labels_)
    of_first = getattr(found, "estimators_", [getattr(found, "estimator_", None)])[0]
    near = getattr(expected, "estimators_", [getattr(expected, "estimator_", None)])[0]
    assert of_first.inertia_ == pytest.approx(near.inertia_, rel=1e-6)
    assert of_first.n_iter_ <= near.n_iter_ + 1
    np.testing.assert_allclose(of_first.cluster_centers_ - away, near.cluster_centers_, atol=1e-6)


def test_sparse_rows_stay_sparse_in_k_means():
    dense = np.where(abs(X) > 1, X, 0.0)
    rows = Blocks(sp.csr_array(dense), block_rows=90)
    found = lloyd.fitted(KMeans(4, n_init=2, random_state=0, tol=0), rows)
    assert sp.issparse(lloyd.centered(rows.sample(), np.zeros(4)).x)
    sizes, sums, inertia = rows.total(lloyd.by_nearest, found.cluster_centers_)
    np.testing.assert_allclose(sums / sizes[:, None], found.cluster_centers_)
    assert inertia == pytest.approx(found.inertia_)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_init": 0}, "'n_init' parameter of KMeans must be"),
        ({"init": X[:3]}, "shape of the initial centers .3, 4. does not match the number"),
        ({"init": X[:2, :3]}, "shape of the initial centers .2, 3. does not match the number"),
    ],
    ids=str,
)
def test_wrong_arguments_of_k_means_get_the_sentences_of_scikit_learn(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        kf.Pooled(KMeans(2, **settings)).fit(Blocks(X, block_rows=90))
