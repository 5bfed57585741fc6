"""NEMO: similarities against loops, units, rows that lack views, rows that share none."""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score

import oracles_views as oracles
from kinfolk import NEMO
from kinfolk.errors import InputError
from kinfolk.measures import accuracy
from kinfolk.methods.multiview import neighborhood_average as method
from made_views import as_lists, related_views, with_gaps

X, VIEWS, TRUTH = related_views(noise=0.9)


def similarities(table, l, views=VIEWS):
    tables, positions = [], []
    for own in views.values():
        rows = np.flatnonzero(~np.isnan(table[:, own]).any(axis=1))
        tables.append(table[rows, own])
        positions.append(rows)
    return method.mean_similarities(tables, positions, len(table), [l] * len(views)).toarray()


@pytest.mark.parametrize("l", [1, 4, 60])
def test_similarities_are_those_of_the_formulas(l):
    expected = oracles.nemo_similarities(as_lists(X, VIEWS), l)
    np.testing.assert_allclose(similarities(X, l), expected, atol=1e-12)


def test_missing_views_count_in_no_pair():
    holed = with_gaps(X, VIEWS, 0.6)
    expected = oracles.nemo_similarities(as_lists(holed, VIEWS), 4)
    np.testing.assert_allclose(similarities(holed, 4), expected, atol=1e-12)


def test_rows_that_share_no_view_are_not_similar():
    holed = X.copy()
    holed[0, VIEWS["a"]] = np.nan
    holed[1:5, VIEWS["b"]] = np.nan
    assert not similarities(holed, 30)[0, 1:5].any()


def test_equal_rows_are_equally_similar():
    R = method.relative_similarities(np.ones((4, 2)), 3).toarray()
    np.testing.assert_allclose(R, (1 - np.eye(4)) * 2 / 3)


def test_units_of_views_do_not_count():
    scaled = X * np.repeat([1e5, 1e-5], [4, 3])
    np.testing.assert_allclose(similarities(scaled, 5), similarities(X, 5), rtol=1e-6)


def test_labels_are_those_of_spectral_clustering_of_the_similarities():
    clear, views, truth = related_views(n=60, noise=0.4)
    model = NEMO(3, views, random_state=0).fit(clear)
    assert accuracy(truth, model.labels_) == 1
    peer = SpectralClustering(3, affinity="precomputed", random_state=0)
    expected = peer.fit_predict(similarities(clear, 20, views))
    assert adjusted_rand_score(expected, model.labels_) == 1


def test_rows_and_new_rows_may_lack_views():
    clear, views, truth = related_views(n=90, noise=0.3)
    holed = with_gaps(clear, views, 0.5)
    model = NEMO(3, views, random_state=0).fit(holed)
    assert accuracy(truth, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(holed), model.labels_)


def test_rows_are_compared_with_as_many_others_as_a_cluster_has_in_a_view(monkeypatch):
    # Of 90 rows in three groups 30 lack view "a": a group has 20 rows there and 30 in view "b".
    clear, views, _ = related_views(n=90, noise=0.3)
    clear[:30, views["a"]] = np.nan
    similar = method.relative_similarities
    asked = []
    monkeypatch.setattr(
        method, "relative_similarities", lambda X, l: asked.append(l) or similar(X, l)
    )
    NEMO(3, views, random_state=0).fit(clear)
    NEMO(3, views, n_neighbors=7, random_state=0).fit(clear)
    assert asked == [20, 30, 7, 7]


def test_too_large_numbers_are_refused_in_a_sentence(monkeypatch):
    gap = method.sp.csr_array(np.full((len(X), len(X)), np.nan))
    monkeypatch.setattr(method, "mean_similarities", lambda *_: gap)
    with pytest.raises(InputError, match="too large"):
        NEMO(3, VIEWS).fit(X)
    with pytest.raises(InputError, match="n_neighbors is 0"):
        NEMO(3, VIEWS, n_neighbors=0).fit(X)


def test_similarities_of_rows_far_from_zero_are_those_of_rows_near_it():
    rows = np.random.default_rng(0).integers(-9, 9, size=(20, 2)).astype(float)
    near = method.relative_similarities(rows, 12)
    far = method.relative_similarities(rows + 2.0**32, 12)
    np.testing.assert_allclose(far.toarray(), near.toarray(), atol=1e-12)
