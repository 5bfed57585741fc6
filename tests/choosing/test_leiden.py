"""Leiden communities as a family; the parts that need no package run everywhere."""

import sys

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.choosing import given_families, leiden
from kinfolk.choosing.leiden import Leiden, shared_neighbors
from kinfolk.errors import InputError, MissingExtraError

X = np.random.default_rng(0).normal(size=(60, 3)) * 0.5 + 4.0 * np.eye(3)[np.arange(60) % 3]
TRUTH = np.arange(60) % 3


def weights_by_loops(X, m):
    """Shared-neighbor weights by loops over pairs of rows."""
    n = len(X)
    D = np.array([[np.sum((a - b) ** 2) for b in X] for a in X])
    N = [{i, *sorted((j for j in range(n) if j != i), key=lambda j: D[i, j])[:m]} for i in range(n)]  # noqa: B023
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and (j in N[i] or i in N[j]):
                W[i, j] = len(N[i] & N[j]) / len(N[i] | N[j])
    return W


def test_weights_are_shares_of_common_neighbors():
    W = shared_neighbors(X[:20], 4, "euclidean").toarray()
    np.testing.assert_allclose(W, weights_by_loops(X[:20], 4), atol=1e-12)
    np.testing.assert_array_equal(W, W.T)


def test_equal_rows_are_neighbors_of_each_other_and_once_of_themselves():
    W = shared_neighbors(np.zeros((4, 1)), 3, "euclidean").toarray()
    np.testing.assert_allclose(W, 1 - np.eye(4))


def test_its_absence_is_said_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(MissingExtraError, match=r"need igraph, .*\[leiden\]"):
        Leiden(3).fit(X)


def test_what_is_installed_changes_no_answer_unless_it_is_named():
    assert "leiden" not in given_families.of(None)
    assert "leiden" not in given_families.of(["all"])
    family = given_families.of(["kmeans", "leiden"])["leiden"]
    assert not family.joint
    assert family.make({0: 4}, 7).estimator.clusterer.get_params() == {
        **{"n_clusters": 8, "n_neighbors": 15, "metric": "cosine", "random_state": 7},
    }


def test_more_communities_than_rows_are_refused():
    with pytest.raises(InputError, match="n_clusters is 99 and there are 60 rows"):
        Leiden(99).fit(X)


@pytest.fixture
def packages():
    pytest.importorskip("leidenalg")
    return pytest.importorskip("igraph")


def test_communities_are_the_groups(packages):
    model = Leiden(3, random_state=0).fit(X)
    assert len(set(zip(model.labels_, TRUTH, strict=True))) == 3
    again = Leiden(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, again.labels_)


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_the_resolution_is_found_that_gives_the_number(packages, k):
    spread = np.random.default_rng(1).normal(size=(200, 2))
    labels = Leiden(k, random_state=0).fit_predict(spread)
    assert abs(len(set(labels)) - k) <= (0 if k <= 5 else 1)


def test_the_modularity_is_that_of_its_formula(packages):
    model = Leiden(4, random_state=0).fit(X)
    W = shared_neighbors(X, 15, "euclidean").toarray()
    d = W.sum(axis=1)
    same = model.labels_[:, None] == model.labels_[None]
    Q = np.sum((W - model.resolution_ * np.outer(d, d) / d.sum()) * same) / W.sum()
    assert model.modularity_ == pytest.approx(Q, abs=1e-10)


def test_it_takes_part_beside_other_families(packages):
    tasks = np.repeat(["lab", "field"], 30)
    model = kf.Kinfolk(3, families=["kmeans", "leiden"], random_state=0).fit(X, tasks=tasks)
    ran = [r["family"] for r in model.evidence_]
    assert ran.count("leiden") == 2 * 3 * 2  # tasks, starts, representations
    assert len(set(zip(model.matched_labels_, TRUTH, strict=True))) == 3
    np.testing.assert_array_equal(model.predict(X, tasks=tasks), model.labels_)


def test_resolutions_are_tried_until_one_is_right(monkeypatch):
    class Found(list):
        resolution = 0.0

    tried = []

    def made(graph, resolution, seed):
        tried.append(resolution)
        return Found(range(int(4 * resolution)))

    monkeypatch.setattr(leiden, "communities", made)
    assert len(leiden._nearest_number(None, 5, 0)) == 5
    assert tried[:2] == [1.0, 2.0]
    assert len(tried) <= 5
    tried.clear()
    assert len(leiden._nearest_number(None, 0, 0)) == 0
