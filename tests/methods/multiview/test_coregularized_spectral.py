"""Co-regularized spectral clustering: steps against loops, limits, views that rows lack."""

import numpy as np
import pytest

import oracles_views as oracles
from kinfolk import CoregularizedSpectral
from kinfolk.errors import InputError
from kinfolk.measures import accuracy
from kinfolk.methods.multiview import coregularized_spectral as method
from kinfolk.numerics import raised_spectra, view_graphs
from made_views import related_views, with_gaps

X, VIEWS, TRUTH = related_views(noise=0.9)
TABLES = [X[:, own] for own in VIEWS.values()]
EVERY = np.ones((len(X), 2))
GRAPHS = view_graphs.normalized(TABLES, EVERY, 6)
KINDS = pytest.mark.parametrize("kind", method.KINDS)


def fitted(table, views=VIEWS, k=3, **parameters):
    return CoregularizedSpectral(k, views=views, random_state=0, **parameters).fit(table)


@KINDS
def test_a_sweep_and_the_objective_are_those_of_the_formulas(kind):
    s = method.start(GRAPHS, 3, kind)
    dense = [S.toarray() for S in GRAPHS]
    center = None if s.C is None else s.C @ s.C.T
    P, center = oracles.coregularized_sweep(dense, [U @ U.T for U in s.U], center, 0.7, 3)
    new = method.sweep(GRAPHS, s, 0.7)
    for U, projection in zip(new.U, P, strict=True):
        np.testing.assert_allclose(U @ U.T, projection, atol=1e-9)
    if center is not None:
        np.testing.assert_allclose(new.C @ new.C.T, center, atol=1e-9)
    expected = oracles.coregularized_objective(dense, new.U, new.C, 0.7)
    assert method.objective(GRAPHS, new, 0.7) == pytest.approx(expected, rel=1e-12)


@KINDS
def test_the_objective_never_rises_and_falls_at_first(kind):
    for lam in (0.05, 0.5, 3.0):
        s = method.start(GRAPHS, 3, kind)
        J = [method.objective(GRAPHS, s, lam)]
        for _ in range(10):
            s = method.sweep(GRAPHS, s, lam)
            J.append(method.objective(GRAPHS, s, lam))
        assert np.diff(J).max() <= 1e-10
        assert J[1] < J[0] - 1e-6


@KINDS
def test_no_other_embedding_is_better_than_that_of_a_step(kind):
    random = np.random.default_rng(0)
    s = method.sweep(GRAPHS, method.start(GRAPHS, 3, kind), 0.5)
    # Of the last sweep the last view's step, before C moves.
    s = method.sweep(GRAPHS, s, 0.5)._replace(C=s.C)
    J = method.objective(GRAPHS, s, 0.5)
    for size in (0.01, 0.1, 1.0):
        U, _ = np.linalg.qr(s.U[-1] + size * random.normal(size=s.U[-1].shape))
        assert method.objective(GRAPHS, s._replace(U=[s.U[0], U]), 0.5) >= J


def test_without_agreement_each_view_has_its_own_eigenvectors():
    s = method.start(GRAPHS, 3, "pairwise")
    new = method.sweep(GRAPHS, s, 0.0)
    for U, own in zip(new.U, s.U, strict=True):
        np.testing.assert_allclose(U @ U.T, own @ own.T, atol=1e-9)


@KINDS
def test_equal_views_and_one_view_have_the_same_embedding_for_every_agreement(kind):
    for graphs in ([GRAPHS[0]], [GRAPHS[0]] * 3):
        s = method.start(graphs, 3, kind)
        own = s.U[0] @ s.U[0].T
        new = method.sweep(graphs, s, 2.0)
        for U in new.U:
            np.testing.assert_allclose(U @ U.T, own, atol=1e-9)


def test_lanczos_steps_find_the_same_eigenvectors(monkeypatch):
    B = np.random.default_rng(1).normal(size=(len(X), 2))
    expected = raised_spectra.leading(GRAPHS[0], B, 3)
    monkeypatch.setattr(raised_spectra, "DENSE", 5)
    found = raised_spectra.leading(GRAPHS[0], B, 3)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


@KINDS
def test_groups_that_both_views_show_are_found_also_in_other_units(kind):
    assert accuracy(TRUTH, fitted(X, consensus=kind).labels_) > 0.9
    scaled = X * np.repeat([1000.0, 0.01], [4, 3])
    np.testing.assert_array_equal(
        fitted(X, consensus=kind).labels_, fitted(scaled, consensus=kind).labels_
    )


def test_rows_that_lack_a_view_go_with_the_other_and_new_rows_may_lack_views():
    clear, views, truth = related_views(n=90, noise=0.3)
    holed = with_gaps(clear, views, 0.4)
    model = fitted(holed, views)
    assert accuracy(truth, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(holed), model.labels_)
    moved = clear + 1e-6
    half = moved.copy()
    half[:, views["b"]] = np.nan
    assert accuracy(model.labels_, model.predict(half)) > 0.9
    assert accuracy(model.labels_, model.predict(moved)) > 0.9


def test_a_refit_on_whole_rows_forgets_which_views_were_missing():
    clear, views, _ = related_views(n=30, noise=0.3)
    model = fitted(with_gaps(clear, views, 0.4), views)
    again = model.fit(clear)
    np.testing.assert_array_equal(again.predict(clear), fitted(clear, views).labels_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"agreement": -1}, "agreement is -1"),
        ({"consensus": "all"}, "consensus is 'all'"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        fitted(X, **parameters)


@pytest.mark.parametrize("gaps", [False, True])
def test_new_rows_far_from_zero_vote_as_rows_near_it(gaps):
    random = np.random.default_rng(0)
    truth = np.arange(60) % 3
    table = np.round(random.normal(size=(3, 40))[truth] * 6 + random.normal(size=(60, 40)))
    views = {"a": slice(0, 20), "b": slice(20, 40)}
    new = table + random.integers(-1, 2, size=table.shape)
    if gaps:
        table[:5, :20] = np.nan
        new[-5:, 20:] = np.nan
    far = 2.0**30
    assert accuracy(truth, fitted(table, views).predict(new)) == 1.0
    assert accuracy(truth, fitted(table + far, views).predict(new + far)) == 1.0
