"""Denoising layers of rows in blocks, task weights counted on them, and MTCFIR."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import common_features, task_weights
from kinfolk.errors import InputError
from kinfolk.numerics import associations, distances, geometry
from kinfolk.numerics import common_features as in_memory
from kinfolk.numerics.affinities import Cosine
from kinfolk.numerics.features import Features

da = pytest.importorskip("dask.array", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
N, D, LAYERS = 150, 8, 2
SITES = np.array(["a", "b", "c"])[np.repeat([0, 1, 2, 1], [60, 40, 30, 20])]
GROUPS = RANDOM.integers(0, 3, size=N)
X = RANDOM.poisson(0.4, size=(N, D)) + 2.0 * np.kron(np.eye(3), np.ones(3))[GROUPS, :D]
W = RANDOM.integers(0, 4, size=N).astype(float)
CODES = np.searchsorted(["a", "b", "c"], SITES)
SIZES = [60, 60, 30]
MODEL = kf.MTCFIR(
    3, affinity="cosine", share_features=True, n_layers=LAYERS, n_init=2, random_state=0
)
FRAME = pd.DataFrame(X, columns=[f"c{j}" for j in range(D)]).assign(site=SITES)


def rows(**more):
    """The rows in blocks of 40, with their tasks."""
    return Blocks(X, tasks=SITES, block_rows=40, **more)


def layers_in_memory(weight=None):
    return in_memory.fit(X, 0.5, LAYERS, 1e-5, weight)


def unit_tasks():
    """Unit rows of each task with the outputs of the layers."""
    Z = distances.unit_rows(np.hstack(layers_in_memory()[1]))
    return [Z[t == CODES] for t in range(3)]


def mapped(**more):
    own = rows(**more)
    return common_features.with_outputs(own, common_features.layers(own, 0.5, LAYERS, 1e-5))


@pytest.mark.parametrize("weight", [None, W], ids=["", "weights"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_layers_of_blocks_are_those_of_the_table(make, weight):
    expected, outputs = layers_in_memory(weight)
    own = Blocks(make(X), block_rows=40, sample_weight=weight)
    found = common_features.layers(own, 0.5, LAYERS, 1e-5)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.core, other.core, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(one.b, other.b, rtol=1e-10, atol=1e-12)
    Z = common_features.with_outputs(own, found)
    assert Z.shape == (N, D * (1 + LAYERS))
    read = Z.gathered(lambda block: block.x)
    np.testing.assert_allclose(read, np.hstack(outputs), rtol=1e-10, atol=1e-12)
    lengths = np.square(np.hstack(outputs)) * (1.0 if weight is None else weight[:, None])
    share = lengths[:, D:].sum() / lengths.sum()
    assert common_features.layer_share(Z, D) == pytest.approx(share, rel=1e-12)


def test_layers_with_weights_are_those_of_the_repeated_rows():
    repeated = np.repeat(X, W.astype(int), axis=0)
    _, expected = in_memory.fit(repeated, 0.5, LAYERS, 1e-3)
    _, found = in_memory.fit(X, 0.5, LAYERS, 1e-3, W)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.repeat(one, W.astype(int), axis=0), other, rtol=1e-10)


def test_gram_matrices_are_those_of_each_task():
    found = common_features.triangles(mapped(), 3, np.float64)
    for one, z in zip(found, unit_tasks(), strict=True):
        np.testing.assert_allclose(one, geometry.triangle(Features([z])), rtol=1e-10)


@pytest.mark.parametrize("m", [60, 20])
def test_task_weights_are_those_of_the_same_sampled_rows(m):
    Z = [Features([z]) for z in unit_tasks()]
    l = [9, 8, 7]
    expected = associations.sampled_weights(Cosine(), Z, l, m, np.random.RandomState(3))
    seed = int(np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=1)[0])
    sampled = [z.rows(associations.drawn(z.shape[0], m, seed)).dense() for z in Z]
    found = task_weights.sampled_weights(mapped(), SIZES, sampled, l)
    np.testing.assert_allclose(found.alpha, expected.alpha, rtol=1e-12)
    errors = found.relatedness_error
    np.testing.assert_allclose(errors, expected.relatedness_error, rtol=1e-9, atol=1e-14)
    assert (errors.max() > 0) == (m < 60)
    if m == 60:
        exact = associations.exact_weights(Cosine(), Z, l)
        np.testing.assert_allclose(found.alpha, exact.alpha, rtol=1e-12)


VARIANTS = {
    "mtcfir": {},
    "single precision": {"precision": "single"},
    "no features": {"share_features": False},
    "no instances": {"share_instances": False},
    "no instances, printed": {
        "share_instances": False,
        "share_features": False,
        "update": "multiplicative",
    },
    "no weights": {"weigh_tasks": False},
    "sampled weights": {"weight_rows": 20},
}


@pytest.fixture
def parquet(tmp_path):
    """A Parquet file of the rows."""
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=30)
    return tmp_path / "rows.parquet"


def check_equal(found, expected, precise=1e-10):
    """Compare what two fits found for the same rows."""
    np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
    np.testing.assert_array_equal(np.asarray(found.matched_labels_), expected.matched_labels_)
    relatedness = found.task_relatedness_
    np.testing.assert_allclose(relatedness, expected.task_relatedness_, rtol=1e-10)
    for name, trace in expected.objective_traces_.items():
        np.testing.assert_allclose(found.objective_traces_[name][-1], trace[-1], rtol=precise)
    assert found.layer_share_ == pytest.approx(expected.layer_share_, rel=1e-10)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
def test_a_fit_of_blocks_is_that_of_the_table(settings):
    model = clone(MODEL).set_params(max_iter=8, **settings)
    expected = clone(model).fit(X, tasks=SITES)
    found = clone(model).fit(rows())
    check_equal(found, expected, 1e-5 if model.precision == "single" else 1e-10)
    new = X[:40] + RANDOM.uniform(size=(40, D))
    labels = expected.predict(new, SITES[:40])
    np.testing.assert_array_equal(found.predict(new, SITES[:40]), labels)


@pytest.mark.parametrize("share_instances", [True, False])
def test_nothing_is_left_of_a_fit_of_blocks_after_one_of_a_table(share_instances):
    model = clone(MODEL).set_params(max_iter=8, share_instances=share_instances)
    other = X[::-1] + RANDOM.uniform(size=(N, D))
    again = clone(model).fit(rows()).fit(other, tasks=SITES)
    expected = clone(model).fit(other, tasks=SITES)
    new = 3.0 * RANDOM.uniform(size=(400, D))
    np.testing.assert_array_equal(again.predict(new, "a"), expected.predict(new, "a"))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("share_instances", [True, False])
def test_all_sources_and_engines_give_the_fit_of_the_table(share_instances, parquet):
    model = clone(MODEL).set_params(max_iter=3, n_init=1, share_instances=share_instances)
    expected = clone(model).fit(X, tasks=SITES)
    traces = []
    for own in (
        Blocks(sp.csr_array(X), tasks=SITES, block_rows=60),
        Blocks(parquet, tasks="site", block_rows=60),
        Blocks(parquet, tasks="site", block_rows=60, engine="joblib"),
        Blocks(parquet, tasks="site", block_rows=60, engine="dask"),
        Blocks(da.from_array(X, chunks=(60, 3)), tasks=da.from_array(SITES, chunks=50)),
    ):
        found = clone(model).fit(own)
        check_equal(found, expected)
        assert isinstance(found.labels_, da.Array) == own.is_dask
        traces.append(found.objective_trace_)
    for other in traces[2:4]:
        np.testing.assert_array_equal(other, traces[1])


def test_more_rows_than_landmarks_are_assigned_by_their_nearest_landmarks():
    model = clone(MODEL).set_params(landmarks=20, max_iter=20)
    found = model.fit(rows())
    assert len(vars(found)["_X"]) == 60
    assert found.labels_.shape == (N,)
    whole = clone(MODEL).fit(X, tasks=SITES)
    # The layers are those of all rows, however few the landmarks are.
    assert found.layer_share_ == pytest.approx(whole.layer_share_, rel=1e-10)
    for one, other in zip(vars(found)["_layers"], layers_in_memory()[0], strict=True):
        np.testing.assert_allclose(one.core, other.core, rtol=1e-10, atol=1e-12)
    C = vars(found)["_triangles"]
    for one, z in zip(C, unit_tasks(), strict=True):
        np.testing.assert_allclose(one, geometry.triangle(Features([z])), rtol=1e-10)
    for name in "abc":
        own = name == SITES
        assert adjusted_rand_score(found.labels_[own], whole.labels_[own]) > 0.5
    np.testing.assert_array_equal(found.predict(rows()), found.labels_)
    np.testing.assert_array_equal(found.predict(X, SITES), found.labels_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_of_blocks_with_weights_is_that_of_the_table_with_weights(tmp_path):
    model = clone(MODEL).set_params(share_instances=False, max_iter=6)
    expected = clone(model).fit(X, tasks=SITES, sample_weight=W)
    check_equal(clone(model).fit(rows(sample_weight=W)), expected)
    assert abs(expected.objective_trace_[-1] / model.fit(rows()).objective_trace_[-1] - 1) > 0.1
    # A stored model learns its layers again, with the weights.
    kf.save(expected, tmp_path / "model")
    new = 3.0 * RANDOM.uniform(size=(400, D))
    loaded = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(loaded.predict(new, "a"), expected.predict(new, "a"))
    Z, Y = (own._reference().Z[0].tables[-1] for own in (loaded, expected))
    np.testing.assert_allclose(Z, Y, rtol=1e-12)


def test_landmarks_are_compared_by_the_rows_of_all_tasks():
    model = clone(MODEL).set_params(landmarks=7, max_iter=2).fit(rows())
    Z = unit_tasks()
    for t, alpha in enumerate(vars(model)["_alpha"]):
        C = sum(a * z.T @ z for a, z in zip(alpha, Z, strict=True))
        near = in_memory_rows(model, t)
        found = model._reference().geometry(alpha, t)
        np.testing.assert_allclose(found.sizes, np.diag(near @ C @ near.T), rtol=1e-10)
        # Fewer landmarks than columns: they would not be told from each other without all rows.
        assert len(found.sizes) * 3 < Z[0].shape[1]


def in_memory_rows(model, t):
    """Unit rows of the landmarks of task t with the outputs of the layers."""
    own = vars(model)["_X"][vars(model)["_codes"] == t]
    return distances.unit_rows(common_features.Outputs(tuple(vars(model)["_layers"]))(own))


@pytest.mark.parametrize("share_instances", [True, False])
def test_a_model_of_blocks_can_be_saved(share_instances, tmp_path):
    model = clone(MODEL).set_params(max_iter=5, share_instances=share_instances, landmarks=30)
    model.fit(rows())
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(loaded.predict(X, SITES), model.labels_)


def test_new_rows_in_blocks_get_the_labels_of_the_table():
    model = clone(MODEL).fit(X, tasks=SITES)
    np.testing.assert_array_equal(model.predict(rows()), model.predict(X, SITES))


def test_what_layers_of_blocks_cannot_do_is_told(monkeypatch):
    with pytest.raises(InputError, match="affinity is 'gaussian', which compares all pairs"):
        clone(MODEL).set_params(affinity="gaussian").fit(rows())
    with pytest.raises(InputError, match="landmarks is 3 and .* 3 rows of a task with 5 clusters"):
        clone(MODEL).set_params(landmarks=3, n_clusters=5).fit(rows())
    for fit in (
        lambda model: model.fit(rows(sample_weight=W)),
        lambda model: model.fit(X, tasks=SITES, sample_weight=W),
    ):
        with pytest.raises(InputError, match="sample_weight is given, .* share_instances=False"):
            fit(clone(MODEL))
    alone = {"share_instances": False, "update": "multiplicative"}
    with pytest.raises(InputError, match="give update='exact'"):  # layers have negative outputs
        clone(MODEL).set_params(**alone).fit(rows())
    monkeypatch.setattr(common_features.gram, "WIDEST", 30)
    with pytest.raises(InputError, match="24 numbers a row, .* for 3 tasks .* at most 17"):
        clone(MODEL).fit(rows())
    monkeypatch.setattr(common_features.gram, "WIDEST", 7)
    with pytest.raises(InputError, match="has 8 columns"):
        clone(MODEL).fit(rows())
