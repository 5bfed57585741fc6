"""Methods that sum over rows: of blocks and in memory alike, and with weights."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import blocks
from kinfolk.errors import EmptyClusterWarning, InputError

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")

X, TRUTH = make_blobs(300, 5, centers=4, cluster_std=2.5, random_state=0)
W = np.random.default_rng(0).integers(0, 4, size=300).astype(float)
KNOWN = kf.Knowledge(X[:4] + 0.3, [30.0, 30.0, 30.0, 30.0])
THREE = kf.Knowledge(X[:3] + 0.3, [30.0, 30.0, 30.0])

MODELS = {
    "mec": kf.MEC(4, random_state=0),
    "mec from random memberships": kf.MEC(4, init="random", temperature=9.0, random_state=0),
    "kt-mec": kf.KTMEC(knowledge=KNOWN, random_state=0),
    "kt-mec of other numbers": kf.KTMEC(4, THREE, match=True, own_share=0.5, random_state=0),
}


def assert_alike(found, expected):
    np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-10)
    np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-10)
    assert found.temperature_ == pytest.approx(expected.temperature_, rel=1e-12)
    assert found.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("weight", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_of_blocks_is_that_of_the_table(name, weight):
    model = MODELS[name]
    expected = clone(model).fit(X, sample_weight=weight)
    for rows in (
        Blocks(X, block_rows=37, sample_weight=weight),
        Blocks(sp.csr_array(X), block_rows=90, sample_weight=weight),
        Blocks(da.from_array(X, chunks=(64, 2)), sample_weight=weight),
    ):
        found = clone(model).fit(rows)
        assert_alike(found, expected)
        assert isinstance(found.labels_, da.Array) == rows.is_dask
        new = X[:9] + 1.0
        np.testing.assert_array_equal(found.predict(new), expected.predict(new))
        again = np.asarray(expected.predict(Blocks(new, block_rows=2)))
        np.testing.assert_array_equal(again, expected.predict(new))


@pytest.mark.parametrize("name", ["mec", "kt-mec"])
def test_a_weight_of_two_is_two_equal_rows(name):
    model = MODELS[name].set_params(temperature=4.0)
    heavy = clone(model).fit(X, sample_weight=W)
    repeated = clone(model).fit(np.repeat(X, W.astype(int), axis=0))
    np.testing.assert_allclose(
        np.sort(heavy.cluster_centers_, axis=0),
        np.sort(repeated.cluster_centers_, axis=0),
        rtol=1e-3,
    )
    assert heavy.objective_trace_[-1] == pytest.approx(repeated.objective_trace_[-1], rel=1e-6)
    alone = clone(model).fit(X)
    assert abs(alone.cluster_centers_ - heavy.cluster_centers_).max() > 0.05


def test_weights_and_the_temperature_are_in_the_units_of_the_rows():
    model = kf.MEC(4, random_state=0).fit(X, sample_weight=W)
    scaled = kf.MEC(4, random_state=0).fit(X, sample_weight=5 * W)
    assert scaled.temperature_ == pytest.approx(model.temperature_)
    np.testing.assert_allclose(scaled.cluster_centers_, model.cluster_centers_)
    assert scaled.objective_trace_[-1] == pytest.approx(5 * model.objective_trace_[-1])
    V = model.cluster_centers_
    D = np.square(X[:, None] - V).sum(axis=2)
    gamma = model.temperature_
    free = -gamma * (W @ np.log(np.exp(-D / gamma).sum(axis=1)))
    assert model.objective_trace_[-1] == pytest.approx(free, rel=1e-10)


def test_labels_of_dask_are_of_dask_and_so_are_memberships():
    frame = pd.DataFrame(X, columns=list("abcde"))
    lazy = dd.from_pandas(frame, npartitions=3)
    found = kf.MEC(4, random_state=0).fit(lazy)
    expected = kf.MEC(4, random_state=0).fit(frame)
    assert found.feature_names_in_.tolist() == list("abcde")
    assert isinstance(found.labels_, da.Array)
    assert isinstance(found.memberships_, da.Array)
    np.testing.assert_allclose(found.memberships_.compute(), expected.memberships_, rtol=1e-8)
    assert isinstance(found.predict(lazy), da.Array)
    with pytest.raises(InputError, match="the model was fitted to 'a', 'b'"):
        found.predict(lazy[list("edcba")])
    assert not hasattr(kf.MEC(4, random_state=0).fit(Blocks(X)), "memberships_")


def test_a_start_from_a_sample_ends_where_that_of_all_rows_ends(monkeypatch):
    expected = kf.MEC(4, temperature=3.0, tol=1e-14, random_state=0).fit(X)
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 500)
    found = kf.MEC(4, temperature=3.0, tol=1e-14, random_state=0).fit(Blocks(X, block_rows=50))
    assert found.objective_trace_[0] != expected.objective_trace_[0]
    assert found.objective_trace_[-1] == pytest.approx(expected.objective_trace_[-1], rel=1e-9)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x: x.__setitem__((150, 2), np.nan), "the first is nan in row 150, column 2"),
        (lambda x: x.__setitem__((7, 0), np.inf), "the first is inf in row 7, column 0"),
        (lambda x: x.__setitem__((7, 0), 1e80), "entries as large as 1e.80, whose squares"),
    ],
)
def test_entries_that_cannot_be_used_are_named(change, sentence):
    bad = X.copy()
    change(bad)
    with pytest.raises(InputError, match=sentence):
        kf.MEC(2).fit(Blocks(bad, block_rows=40))


@pytest.mark.parametrize("weight", [-W, 0 * W, W * np.nan, W[:5], "abc"])
def test_weights_that_cannot_be_used_get_a_sentence(weight):
    with pytest.raises(InputError, match="sample_weight"):
        kf.MEC(2).fit(X, sample_weight=weight)
    with pytest.raises(InputError, match="sample_weight"):
        kf.MEC(2).fit(Blocks(X, sample_weight=weight))


def test_blocks_bring_their_weights_with_them():
    with pytest.raises(InputError, match="Blocks.*sample_weight="):
        kf.MEC(2).fit(Blocks(X), sample_weight=W)
    with pytest.raises(InputError, match="n_clusters is 4 but X has only 3 rows"):
        kf.MEC(4).fit(Blocks(X[:3]))
    with pytest.raises(InputError, match="X has 2 features, but MEC is expecting 5"):
        kf.MEC(2, random_state=0).fit(X).predict(Blocks(X[:, :2]))


def test_clusters_without_rows_are_warned_of_in_blocks_too():
    same = np.repeat([[0.0, 1.0], [9.0, 2.0]], 20, axis=0)
    for rows in (Blocks(same, block_rows=8), da.from_array(same, chunks=(7, 2))):
        with pytest.warns(EmptyClusterWarning, match="only 2 of 3 clusters"):
            kf.MEC(3, temperature=0.1, random_state=0).fit(rows)


def test_a_stream_of_blocks_is_a_stream_of_tables():
    streamed, expected = (kf.KTMEC(knowledge=KNOWN, random_state=0) for _ in range(2))
    for part in np.array_split(X, 3):
        streamed.partial_fit(Blocks(part, block_rows=21))
        expected.partial_fit(part)
    np.testing.assert_allclose(streamed.cluster_centers_, expected.cluster_centers_, rtol=1e-9)


def test_rows_of_blocks_far_from_zero_bring_the_warning_of_a_table():
    far = X + 5e8
    for rows, tasks in ((far, None), (Blocks(far), None), (Blocks(far, tasks=[0, 1] * 150), 2)):
        model = kf.LSSMTC(2, n_init=1) if tasks else kf.SoftKMeans(2, n_init=1)
        with pytest.warns(UserWarning, match="rows lie so far from 0"):
            model.fit(rows)
