"""Tables of single precision: no copy in double precision is held, and the answers are the same."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

import kinfolk as kf
from kinfolk.estimators import neighbor_votes
from kinfolk.numerics import kinds, operators
from kinfolk.profiles import from_moments

RANDOM = np.random.default_rng(0)
N, D = 20_000, 50
GROUPS = RANDOM.integers(0, 5, size=N)
CENTRES = 3.0 * RANDOM.normal(size=(5, D))
DOUBLE = (CENTRES[GROUPS] + RANDOM.normal(size=(N, D))).astype(np.float32).astype(float)
SINGLE = DOUBLE.astype(np.float32)
SITES = np.array(["a", "b", "c", "d"])[np.arange(N) % 4]
TABLE = DOUBLE.nbytes
FEW = {"n_init": 1, "max_iter": 3, "random_state": 0}
MODELS = {
    "per task, k-means": (kf.PerTask(n_clusters=5), 1.2),
    "per task, mec": (kf.PerTask(kf.MEC(5, temperature=20.0, **FEW)), 1.2),
    "pooled, mec": (kf.Pooled(kf.MEC(5, temperature=20.0, **FEW)), 1.2),
    "lssmtc": (kf.LSSMTC(5, init="kmeans", **FEW), 3.6),
}
"""Each with the most memory of a fit in single precision, in tables of double precision."""

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", 2**14)
    monkeypatch.setattr(neighbor_votes, "MAX_ROWS", 50)


def fitted(model, X):
    """Fit to the table; return the model and the memory at the peak, in tables of doubles."""
    tracemalloc.start()
    found = clone(model).fit(X, tasks=SITES)
    peak = tracemalloc.get_traced_memory()[1] / TABLE
    tracemalloc.stop()
    return found, peak


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_in_single_precision_holds_no_table_in_double_precision(name):
    model, most = MODELS[name]
    expected, _ = fitted(model, DOUBLE)
    found, peak = fitted(model, SINGLE)
    assert peak < most
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.matched_labels_, expected.matched_labels_)
    for one, other in zip(found._moments, expected._moments, strict=True):
        np.testing.assert_array_equal(one, other)


def test_means_and_spreads_in_several_blocks_are_those_of_the_clusters():
    sizes, means, deviations = from_moments.moments(SINGLE, GROUPS, 6)
    for c in range(5):
        own = DOUBLE[c == GROUPS]
        assert sizes[c] == len(own)
        np.testing.assert_allclose(means[c], own.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(deviations[c], own.std(axis=0), rtol=1e-12)
    assert sizes[5] == 0
    assert not means[5].any()
    assert not deviations[5].any()


@pytest.mark.parametrize("far", [0.0, 40.0], ids=["measurements", "amounts"])
def test_clusters_of_tasks_agree_as_in_double_precision(far):
    codes = np.arange(N) % 4
    single, double = (np.maximum(X + far, 0.0) if far else X for X in (SINGLE, DOUBLE))
    found, expected = (
        neighbor_votes.agreement(X, GROUPS, codes, [5] * 4) for X in (single, double)
    )
    np.testing.assert_array_equal(found, expected)
    assert np.nanmax(found) > 0.9


def test_counts_are_told_in_any_block():
    counts = np.minimum(RANDOM.poisson(0.3, size=(5000, D)), 3).astype(np.float32)
    assert kinds.kind(counts) == "counts"
    counts[-1, -1] = 1.5
    assert kinds.kind(counts) != "counts"
    counts[:, -1] = 0.5  # no column that varies
    assert kinds.kind(counts) == "counts"
