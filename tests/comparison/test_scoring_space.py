"""One space in which all results of a comparison are scored, by the kind of the table."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import silhouette_score

from kinfolk.comparison import scoring_space as spaces
from kinfolk.comparison.scoring_space import scoring_space

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1], 15)


def test_counts_are_scored_by_cosines_of_tfidf():
    X = RNG.poisson(0.4, (30, 8))
    space = scoring_space(sp.csr_array(X.astype(float)), CODES)
    assert space.metric == "cosine"
    np.testing.assert_allclose(space.Z.toarray(), TfidfTransformer().fit_transform(X).toarray())


def test_amounts_are_scored_by_cosines_as_they_are():
    X = np.maximum(RNG.standard_normal((30, 16)) * 3, 0)
    space = scoring_space(X, CODES)
    assert space.metric == "cosine"
    assert space.Z is X


def test_scaled_columns_keep_their_scale_and_lose_the_mean_of_their_task():
    X = RNG.standard_normal((30, 3)) * [1.0, 0.5, 0.1] + CODES[:, None]
    space = scoring_space(X, CODES, columns_are_scaled=True)
    means = np.array([X[t == CODES].mean(axis=0) for t in (0, 1)])
    np.testing.assert_allclose(space.Z, X - means[CODES])
    assert "scaled columns" in space.description


def test_a_large_task_is_scored_by_the_same_sample_each_time(monkeypatch):
    monkeypatch.setattr(spaces, "MOST_ROWS", 20)
    labels = np.tile([0, 1, 2], 20)
    X = RNG.standard_normal((60, 2)) + 4 * labels[:, None]
    space = scoring_space(X, np.zeros(60, dtype=int))
    found = space.silhouettes(["a"] * 60, labels)["a"]
    assert found == space.silhouettes(["a"] * 60, labels)["a"]
    everything = silhouette_score(space.Z, labels)
    assert found != everything
    assert found == pytest.approx(everything, abs=0.1)


def test_a_sample_of_one_cluster_has_no_silhouette(monkeypatch):
    monkeypatch.setattr(spaces, "MOST_ROWS", 20)
    X = RNG.standard_normal((60, 2))
    space = scoring_space(X, np.zeros(60, dtype=int))
    seen = np.random.default_rng(0).choice(60, 20, replace=False)
    labels = np.isin(np.arange(60), np.setdiff1d(np.arange(60), seen)[:1]).astype(int)
    assert np.isnan(space.silhouettes(["a"] * 60, labels)["a"])


def test_principal_components_are_compared_at_their_scale():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 12)) / np.arange(1, 13)
    space = scoring_space(X, np.zeros(200, dtype=int))
    np.testing.assert_allclose(space.Z, X - X.mean(axis=0), atol=1e-12)
    assert "principal components" in space.description
