"""Co-trained spectral clustering: rounds against loops, limits, units, refusals."""

import numpy as np
import pytest

import oracles_views as oracles
from kinfolk import CoregularizedSpectral, CotrainedSpectral, join
from kinfolk.errors import InputError
from kinfolk.estimators import voted_views
from kinfolk.measures import accuracy
from kinfolk.methods.multiview import cotrained_spectral as method
from made_views import related_views

X, VIEWS, TRUTH = related_views(noise=0.9)
W = [oracles.local_graph(X[:, own], 6) for own in VIEWS.values()]


@pytest.mark.parametrize("graphs", [W, [*W, oracles.local_graph(X[:, :2], 6)]])
def test_rounds_are_those_of_the_formulas(graphs):
    U = [method.embedding(own, 3) for own in graphs]
    P = [oracles.top_projection(oracles.normalized_graph(own), 3) for own in graphs]
    for _ in range(3):
        U = method.exchanged(graphs, U)
        P = oracles.cotrained_round(graphs, P, 3)
        for found, expected in zip(U, P, strict=True):
            np.testing.assert_allclose(found @ found.T, expected, atol=1e-8)


def test_similarities_are_not_negative():
    U = [method.embedding(own, 3) for own in W]
    S = method.projected(W[0], U[1:])
    assert S.min() >= 0
    np.testing.assert_allclose(S, S.T)


def test_without_rounds_it_is_coregularized_clustering_without_agreement():
    for seed in range(3):
        rows, views, _ = related_views(n=60, noise=1.0, seed=seed)
        one = CotrainedSpectral(3, views, n_rounds=0, random_state=0).fit(rows)
        other = CoregularizedSpectral(3, views, agreement=0.0, random_state=0).fit(rows)
        assert accuracy(one.labels_, other.labels_) == 1


def test_one_view_is_not_changed_by_rounds():
    U = [method.embedding(W[0], 3)]
    np.testing.assert_array_equal(method.exchanged(W[:1], U)[0], U[0])


def test_units_of_a_view_do_not_count():
    scaled = X * np.repeat([1e4, 1e-4], [4, 3])
    one, other = (CotrainedSpectral(3, VIEWS, random_state=0).fit(T).labels_ for T in (X, scaled))
    np.testing.assert_array_equal(one, other)


def test_groups_that_both_views_show_are_found():
    hard, views, truth = related_views(n=90, noise=1.0, seed=3)
    assert accuracy(truth, CotrainedSpectral(3, views, random_state=0).fit(hard).labels_) > 0.9


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"n_rounds": -1}, "n_rounds is -1"), ({"n_neighbors": 0}, "n_neighbors is 0")],
)
def test_parameters_out_of_range_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        CotrainedSpectral(3, VIEWS, **parameters).fit(X)


def test_many_rows_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(voted_views, "MOST_ROWS", 20)
    with pytest.raises(InputError, match="CotrainedSpectral forms square matrices"):
        CotrainedSpectral(3, VIEWS).fit(X)


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_a_view_whose_rows_are_all_equal_takes_no_part(value):
    truth = np.arange(16) % 2
    rows = 5 * np.eye(2)[truth] + 0.3 * np.random.RandomState(0).randn(16, 2)
    X, views = join({"a": rows, "same": np.full((16, 2), value)})
    model = CotrainedSpectral(2, views=views, random_state=0).fit(X)
    alone = CotrainedSpectral(2, random_state=0).fit(rows)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    assert len(set(zip(truth, model.labels_, strict=True))) == 2
    assert CotrainedSpectral(2, random_state=0).fit(np.full((16, 2), value)).labels_.shape == (16,)
