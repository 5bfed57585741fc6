"""Weights of rows: each method that takes them fits what it fits to a table of repeated rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.numerics import starts

K = 3
RANDOM = np.random.default_rng(0)
GROUPS = RANDOM.integers(0, K, size=60)
X = RANDOM.gamma(1.0, size=(60, 5)) + 3.0 * np.eye(5)[GROUPS]
TASKS = np.array(["a", "b"])[RANDOM.integers(0, 2, size=60)]
W = RANDOM.integers(1, 4, size=60)
WITH_ZEROS = RANDOM.integers(0, 4, size=60)
MASKED = np.ma.masked_equal(W, 2)
NEW = RANDOM.gamma(1.0, size=(400, 5))  # many of them between the clusters
MOSTLY_ZEROS = np.where(RANDOM.uniform(size=60) < 0.6, 0, W)
KNOWN = kf.Knowledge(3.0 * np.eye(K, 5) + 1.0, [20.0, 20.0, 20.0])
FEW = {"n_init": 1, "max_iter": 6, "tol": 0.0, "random_state": 0}
PRINTED = {"update": "multiplicative"}
COSINES_OF_LAYERS = {
    "affinity": "cosine",
    "share_features": True,
    "share_instances": False,
    "divide_by_degrees": False,  # "auto" looks at the signs of rows of weight 0 as well
}


def similar(A, B):
    """Similarity of rows of A and B, for the methods that take a function."""
    return np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2) / 9.0)


ALONE = {
    "mec": kf.MEC(K, temperature=2.0, **FEW),
    "kt-mec": kf.KTMEC(knowledge=KNOWN, temperature=2.0, **FEW),
    "soft k-means": kf.SoftKMeans(K, **FEW),
    "soft k-means, mixed": kf.SoftKMeans(K, mixed=True, **FEW),
    "soft k-means, printed": kf.SoftKMeans(K, **PRINTED, **FEW),
    "symnmf": kf.SymNMF(K, affinity="cosine", **FEW),
    "symnmf, not divided": kf.SymNMF(K, affinity="cosine", divide_by_degrees=False, **FEW),
    "symnmf, printed": kf.SymNMF(K, affinity="cosine", **PRINTED, **FEW),
    "symnmf, centered": kf.SymNMF(K, affinity="centered-cosine", **FEW),
    "symnmf, centered, printed": kf.SymNMF(K, affinity="centered-cosine", **PRINTED, **FEW),
    "symnmf, gaussian": kf.SymNMF(K, affinity="gaussian", **FEW),
    "symnmf, local": kf.SymNMF(K, affinity="local-gaussian", **FEW),
    "symnmf, local, near": kf.SymNMF(K, affinity="local-neighbors", **FEW),
    "concepts": kf.ConceptFactorization(K, **FEW),
    "concepts, any length": kf.ConceptFactorization(K, normalize=False, **FEW),
    "concepts, printed": kf.ConceptFactorization(K, **PRINTED, **FEW),
}
TOGETHER = {
    "lssmtc": kf.LSSMTC(K, **FEW),
    "lssmtc, printed": kf.LSSMTC(K, init="kmeans", **PRINTED, **FEW),
    "lssmtc, published": kf.LSSMTC(K, init="kmeans", mixed=True, subspace="published", **FEW),
    "lssmtc, close means": kf.LSSMTC(K, init="kmeans", gap_weight=1.0, **FEW),
    "mtcmrl": kf.MTCMRL(K, affinity="cosine", **FEW),
    "mtcmrl, each alone": kf.MTCMRL(K, affinity="cosine", relation_weight=0.0, **FEW),
    "mtcmrl, centered": kf.MTCMRL(K, affinity="centered-cosine", **FEW),
    "mtcmrl, printed": kf.MTCMRL(K, affinity="cosine", **PRINTED, **FEW),
    "mtcmrl, local": kf.MTCMRL(K, affinity="local-gaussian", **FEW),
    "mtcmrl, spectra": kf.MTCMRL(K, affinity="itakura-saito", **FEW),
    "mtcmrl, function": kf.MTCMRL(K, affinity=similar, **FEW),
    "mtcfir, each alone": kf.MTCFIR(K, **COSINES_OF_LAYERS, **FEW),
    "mtcfir, each alone, printed": kf.MTCFIR(K, **COSINES_OF_LAYERS, **PRINTED, **FEW),
    "mtcfir, each alone, no layers": kf.MTCFIR(
        K, affinity="cosine", share_instances=False, share_features=False, **FEW
    ),
    "per task": kf.PerTask(kf.MEC(K, temperature=2.0, **FEW)),
    "pooled": kf.Pooled(kf.MEC(K, temperature=2.0, **FEW)),
}
MODELS = ALONE | TOGETHER
OWN_SCALE = ("mtcmrl", "mtcfir, each alone", "symnmf, gaussian", "symnmf, local")
"""The 7th nearest row and the median distance change as rows are repeated, and mu |W|^2 and the
relations of MTCMRL do not grow with the rows."""
KEEP_THEIR_SCALE = [name for name in MODELS if not name.startswith(OWN_SCALE)]
LBFGS = ["concepts", "concepts, any length"]
"""The first step of L-BFGS-B has the length 1, so that others follow where weights are scaled."""
SPLIT = "symnmf, centered, printed"
"""Its steps split M into P - N, in one of two ways that depends on how large the table is."""
DENSE = ["symnmf, centered", "symnmf, centered, printed"]
DENSE += ["mtcmrl, centered", "mtcmrl, spectra", "mtcmrl, function"]

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*unit length"),
]


@pytest.fixture
def equal_starts(monkeypatch):
    """Starts that depend on a row alone, and not on random draws."""

    def labels(rows, k, seed, n_init=1, *, overwrite=False, weight=None):
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows)[:, :k].argmax(axis=1)

    def centers(rows, k, seed, weight=None):
        return 3.0 * np.eye(k, rows.shape[1]) + 1.0

    monkeypatch.setattr(starts, "kmeans", labels)
    monkeypatch.setitem(starts.CENTRES, "k-means++", centers)


def fitted(name, rows, tasks, **more):
    """Fit a method to rows of two tasks, or of one if it knows none."""
    model = clone(MODELS[name])
    return model.fit(rows, tasks=tasks, **more) if name in TOGETHER else model.fit(rows, **more)


def assigned(name, model):
    """Clusters of new rows."""
    return model.predict(NEW, tasks="a") if name in TOGETHER else model.predict(NEW)


def traces(name, model):
    """Objectives of a fit, of estimators inside it too."""
    inner = getattr(model, "estimators_", [getattr(model, "estimator_", model)])
    return np.concatenate([own.objective_trace_ for own in inner])


def of_rows(model, tasks):
    """Memberships (n, k) in the order of the rows, for those methods that have them."""
    found = getattr(model, "memberships_", None)
    if not isinstance(found, list):
        return [] if found is None else [found]
    Y = np.empty((len(tasks), K))
    for name, own in zip(model.task_names_, found, strict=True):
        Y[tasks == name] = own
    return [Y]


def test_all_methods_with_weights_are_here():
    takes = {
        entry.cls
        for entry in kf.catalogue.METHODS.values()
        if entry.cls.__module__.startswith("kinfolk.")
        and has_fit_parameter(entry.cls, "sample_weight")
    }
    assert takes == {type(model) for model in MODELS.values()}


@pytest.mark.usefixtures("equal_starts")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_the_descent_is_that_of_the_repeated_rows(name, make):
    if make is sp.csr_array and name in DENSE:
        pytest.skip("dense tables only")
    heavy = fitted(name, make(X), TASKS, sample_weight=W)
    copies = np.repeat(TASKS, W)
    repeated = fitted(name, make(np.repeat(X, W, axis=0)), copies)
    np.testing.assert_allclose(traces(name, heavy), traces(name, repeated), rtol=1e-10)
    first = np.cumsum(W) - W
    np.testing.assert_array_equal(heavy.labels_, repeated.labels_[first])
    np.testing.assert_array_equal(assigned(name, heavy), assigned(name, repeated))
    for found, expected in zip(of_rows(heavy, TASKS), of_rows(repeated, copies), strict=True):
        np.testing.assert_allclose(found, expected[first], rtol=1e-6, atol=1e-8)
    alone = fitted(name, make(X), TASKS)
    assert abs(traces(name, heavy)[0] / traces(name, alone)[0] - 1.0) > 0.1  # weights count


@pytest.mark.parametrize("name", MODELS)
def test_weights_of_one_change_nothing(name):
    plain = fitted(name, X, TASKS)
    ones = fitted(name, X, TASKS, sample_weight=np.ones(60))
    np.testing.assert_array_equal(ones.labels_, plain.labels_)
    np.testing.assert_array_equal(traces(name, ones), traces(name, plain))


@pytest.mark.parametrize("name", KEEP_THEIR_SCALE)
def test_weights_times_a_constant_give_the_same_clusters(name):
    model = fitted(name, X, TASKS, sample_weight=W)
    scaled = fitted(name, X, TASKS, sample_weight=2.5 * W)
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    factor = 2.5**2 if name.startswith("symnmf") else 2.5  # that sums over pairs of rows
    found = traces(name, scaled)
    expected = factor * traces(name, model)
    if name in LBFGS:
        np.testing.assert_allclose(found[-1], expected[-1], rtol=1e-7)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    equal = fitted(name, X, TASKS, sample_weight=np.full(60, 2.5))
    np.testing.assert_array_equal(equal.labels_, fitted(name, X, TASKS).labels_)


@pytest.mark.usefixtures("equal_starts")
@pytest.mark.parametrize("weight", [WITH_ZEROS, MOSTLY_ZEROS], ids=["some", "most"])
@pytest.mark.parametrize("name", MODELS)
def test_a_row_of_weight_0_has_no_part_in_the_fit_and_gets_the_label_of_a_new_row(name, weight):
    there = weight > 0
    model = fitted(name, X, TASKS, sample_weight=weight)
    without = fitted(name, X[there], TASKS[there], sample_weight=weight[there])
    if name == SPLIT:
        assert traces(name, model)[0] == pytest.approx(traces(name, without)[0], rel=1e-10)
        return
    np.testing.assert_allclose(traces(name, model), traces(name, without), rtol=1e-10)
    np.testing.assert_array_equal(model.labels_[there], without.labels_)
    np.testing.assert_array_equal(assigned(name, model), assigned(name, without))
    more = {"tasks": TASKS[~there]} if name in TOGETHER else {}
    np.testing.assert_array_equal(model.labels_[~there], model.predict(X[~there], **more))


@pytest.mark.parametrize("name", MODELS)
def test_weights_stay_with_their_rows_in_any_order(name):
    order = RANDOM.permutation(60)
    model = fitted(name, X, TASKS, sample_weight=W)
    moved = fitted(name, X[order], TASKS[order], sample_weight=W[order])
    np.testing.assert_array_equal(moved.labels_, model.labels_[order])
    if name == "mtcmrl, printed":
        return  # its steps go from task to task, in the order in which they occur
    for found, expected in zip(of_rows(moved, TASKS[order]), of_rows(model, TASKS), strict=True):
        np.testing.assert_allclose(found, expected[order], atol=1e-6)


@pytest.mark.parametrize("name", ["lssmtc", "mtcmrl", "per task", "pooled"])
def test_labels_come_with_weights_in_one_call(name):
    found = clone(MODELS[name]).fit_predict(X, tasks=TASKS, sample_weight=W)
    np.testing.assert_array_equal(found, fitted(name, X, TASKS, sample_weight=W).labels_)


@pytest.mark.parametrize("name", MODELS)
def test_weights_with_an_index_go_to_the_rows_of_that_index(name):
    order = RANDOM.permutation(60)
    weight = pd.Series(W)[order]
    moved = fitted(name, pd.DataFrame(X), TASKS, sample_weight=weight)
    model = fitted(name, X, TASKS, sample_weight=W)
    np.testing.assert_array_equal(moved.labels_, model.labels_)
    np.testing.assert_allclose(traces(name, moved), traces(name, model))


@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"mtcmrl, function"}))
def test_a_stored_model_assigns_new_rows_as_before(name, tmp_path):
    model = clone(MODELS[name] if name in TOGETHER else kf.PerTask(MODELS[name], n_clusters=K))
    model.fit(X, tasks=TASKS, sample_weight=W)
    kf.save(model, tmp_path / "model")
    stored = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(stored.predict(NEW, tasks="b"), model.predict(NEW, tasks="b"))


IN_BLOCKS = ["mec", "kt-mec", "soft k-means", "symnmf", "symnmf, not divided", "symnmf, printed"]
IN_BLOCKS += ["concepts", "concepts, any length", "concepts, printed", "lssmtc"]
IN_BLOCKS += ["lssmtc, close means", "mtcmrl", "mtcmrl, each alone", "per task", "pooled"]


@pytest.mark.parametrize("weight", [W, WITH_ZEROS], ids=["", "zeros"])
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_blocks_with_weights_are_the_table_with_weights(name, weight):
    expected = fitted(name, X, TASKS, sample_weight=weight)
    tasks = TASKS if name in TOGETHER else None
    rows = kf.Blocks(X, tasks=tasks, sample_weight=weight, block_rows=17)
    found = clone(MODELS[name]).fit(rows)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(traces(name, found), traces(name, expected), rtol=1e-9)
    np.testing.assert_array_equal(assigned(name, found), assigned(name, expected))


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_a_column_of_the_file_has_the_weights(name, tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    place = tmp_path / "rows.parquet"
    frame = pd.DataFrame(X, columns=list("vwxyz")).assign(times=W, site=TASKS)
    frame.to_parquet(place, row_group_size=13)
    tasks = "site" if name in TOGETHER else None
    rows = kf.Blocks(place, columns=list("vwxyz"), tasks=tasks, sample_weight="times")
    found = clone(MODELS[name]).fit(rows)
    expected = fitted(name, X, TASKS, sample_weight=W)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(traces(name, found), traces(name, expected), rtol=1e-9)


@pytest.mark.parametrize(
    "weight", [-W, 0 * W, W * np.nan, MASKED, W[:5], W[:, None], "abc", ["x"] * 60, [[1], 2]]
)
@pytest.mark.parametrize("name", MODELS)
def test_weights_that_cannot_be_used_get_a_sentence(name, weight):
    with pytest.raises(InputError, match=r"sample_weight.* give"):
        fitted(name, X, TASKS, sample_weight=weight)


@pytest.mark.parametrize("weight", [1e-150, 1e150])
@pytest.mark.parametrize("name", ["symnmf", "concepts", "mtcmrl"])
def test_weights_whose_products_are_no_numbers_are_refused(name, weight):
    with pytest.raises(InputError, match=r"has the sum 6e.*, and products .* divide all"):
        fitted(name, X, TASKS, sample_weight=np.full(60, weight))
    tasks = TASKS if name in TOGETHER else None
    with pytest.raises(InputError, match="divide all weights by their mean"):
        clone(MODELS[name]).fit(kf.Blocks(X, tasks=tasks, sample_weight=np.full(60, weight)))


@pytest.mark.parametrize("name", ["soft k-means", "symnmf", "concepts", "lssmtc", "mtcmrl"])
def test_as_many_rows_as_clusters_need_weights(name):
    weight = np.zeros(60)
    weight[TASKS == "a"] = 1.0
    weight[np.flatnonzero(TASKS == "b")[:2]] = 1.0
    if name in ALONE:
        weight = np.arange(60) < 2
    where = " of task 'b'" if name in TOGETHER else ""
    with pytest.raises(InputError, match=f"n_clusters is 3 but only 2 rows{where} have a"):
        fitted(name, X, TASKS, sample_weight=weight)


def test_a_graph_takes_no_weights():
    model = kf.ConceptFactorization(K, graph_weight=1.0, **FEW)
    with pytest.raises(InputError, match=r"graph_weight is 1: copies .* give graph_weight=0"):
        model.fit(X, sample_weight=W)
    plain = clone(model).fit(X)
    np.testing.assert_array_equal(model.fit(X, sample_weight=np.ones(60)).labels_, plain.labels_)


def test_a_given_similarity_has_on_its_diagonal_how_similar_copies_are(monkeypatch):
    M = similar(X, X)
    np.fill_diagonal(M, 0.7)

    def descent(rows, weight):
        monkeypatch.setattr(starts, "kmeans", lambda *_, **__: GROUPS[rows])
        model = kf.SymNMF(K, affinity="precomputed", **FEW)
        return model.fit(M[np.ix_(rows, rows)], sample_weight=weight).objective_trace_

    repeated = descent(np.repeat(np.arange(60), W), None)
    np.testing.assert_allclose(descent(np.arange(60), W), repeated, rtol=1e-10)
