"""MultiNMF and PLCMF: steps against loops, minima against other points, limits."""

import tracemalloc

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from sklearn.datasets import load_iris

import laws
import oracles_views as oracles
from kinfolk import PLCMF, MultiNMF
from kinfolk.errors import InputError
from kinfolk.estimators.nonnegative_views import lifted, lowest
from kinfolk.methods.multiview import pseudo_labels
from kinfolk.methods.multiview.pseudo_labels import Problem
from kinfolk.numerics import agreeing_descent, agreeing_factors, memberships
from kinfolk.numerics.agreeing_factors import State
from made_views import related_views, with_gaps

X, VIEWS, TRUTH = related_views(signed=False)
N = len(X)


def factored(seed=0, share=0.5):
    """Draw tables, masks of missing views, and factors with unit rows of H."""
    random = np.random.default_rng(seed)
    holed = with_gaps(X, VIEWS, share, seed)
    there = np.column_stack([~np.isnan(holed[:, own][:, 0]) for own in VIEWS.values()]) * 1.0
    tables = [np.nan_to_num(holed[:, own]) for own in VIEWS.values()]
    Y = [random.uniform(size=(N, 3)) * o[:, None] for o in there.T]
    H = [random.dirichlet(np.ones(T.shape[1]), size=3) for T in tables]
    return tables, there, State(Y, H, random.uniform(size=(N, 3)))


def test_the_objective_and_the_printed_steps_are_those_of_the_formulas():
    tables, there, s = factored()
    J = agreeing_factors.objective(tables, there, s, 0.3)
    expected = oracles.multinmf_objective(tables, there, s.Y, s.H, s.C, 0.3)
    np.testing.assert_allclose(J, expected, rtol=1e-12)
    found = agreeing_factors.multiplicative_sweep(tables, there, s, 0.3, inner=2)
    Y, H, C = oracles.multinmf_sweep(tables, there, s.Y, s.H, s.C, 0.3, inner=2)
    for ours, theirs in zip([*found.Y, *found.H, found.C], [*Y, *H, C], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("lam", [0.0, 0.01, 1.0, 50.0])
def test_neither_sweep_of_multinmf_raises_the_objective(lam):
    tables, there, s = factored()
    for sweep, extra in ((agreeing_factors.exact_sweep, ()),
                         (agreeing_factors.multiplicative_sweep, (3,))):  # fmt: skip
        state = s
        J = [agreeing_factors.objective(tables, there, s, lam)]
        for _ in range(15):
            state = sweep(tables, there, state, lam, *extra)
            J.append(oracles.multinmf_objective(tables, there, state.Y, state.H, state.C, lam))
        assert np.diff(J).max() <= 1e-10 * J[0]
        assert J[-1] < 0.9 * J[0]


@pytest.mark.parametrize("views", [1, 2])
@pytest.mark.parametrize("lam", [0.0, 0.01, 1.0])
def test_components_and_consensus_that_move_together_end_lower_than_many_single_updates(lam, views):
    tables, there, s = factored(share=0.0)
    tables = tables[:views]
    there = there[:, :views]
    s = agreeing_factors.exact_sweep(tables, there, State(s.Y[:views], s.H[:views], s.C), lam)
    alone = s
    for _ in range(300):
        alone = agreeing_factors.exact_sweep(tables, there, alone, lam)
    J = [oracles.multinmf_objective(tables, there, s.Y, s.H, s.C, lam)]
    for _ in range(20):
        s = agreeing_descent.descend(tables, there, s, lam)
        J.append(oracles.multinmf_objective(tables, there, s.Y, s.H, s.C, lam))
    assert np.diff(J).max() <= 1e-10 * J[0]
    end = oracles.multinmf_objective(tables, there, alone.Y, alone.H, alone.C, lam)
    assert J[-1] <= end * (1 + 1e-4)
    for H in s.H:
        np.testing.assert_allclose(H.sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_plateau_of_multinmf_does_not_pass_for_its_end(seed):
    rows, _ = load_iris(return_X_y=True)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    rows = rows[np.random.RandomState(0).permutation(150)[1::2]]  # a half where J has a plateau
    first = MultiNMF(3, n_init=1, random_state=seed).fit(rows)
    more = MultiNMF(3, n_init=1, random_state=seed, tol=0, max_iter=10 * first.n_iter_).fit(rows)
    assert first.converged_
    assert first.objective_trace_[-1] <= more.objective_trace_[-1] * (1 + 1e-5)
    assert laws.same_clusters(first.labels_, more.labels_)


def test_the_slope_of_the_descent_is_that_of_its_objective():
    tables, there, s = factored()
    p = agreeing_descent._Views(tables, there, 0.3)
    found = agreeing_descent._point(p, s.H, s.C, s.Y)
    random = np.random.default_rng(1)
    D = [random.normal(size=H.shape) for H in s.H]
    E = random.normal(size=s.C.shape)

    def value(t):
        moved = [H + t * d for H, d in zip(s.H, D, strict=True)]
        return agreeing_descent._point(p, moved, s.C + t * E, s.Y).value

    slope = sum(np.sum(a * d) for a, d in zip(found.slopes, D, strict=True))
    slope += np.sum(found.consensus_slope * E)
    assert (value(1e-6) - value(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-5)


def test_a_row_of_components_is_at_its_minimum():
    tables, there, s = factored()
    lam = 0.7
    H = agreeing_factors._components(tables[0], s.Y[0], s.H[0], s.C, lam)

    def value(h):
        other = H.copy()
        other[2] = h  # the last that moved, so all others are as it saw them
        return oracles.multinmf_objective(tables[:1], there[:, :1], s.Y[:1], [other], s.C, lam)

    best = minimize(value, H[2] + 0.1, bounds=[(0, None)] * len(H[2]), tol=1e-14)
    np.testing.assert_allclose(H[2], best.x, atol=1e-5)
    assert value(H[2]) <= best.fun + 1e-12


def test_the_consensus_of_a_row_is_that_of_the_whole_non_negative_problem():
    tables, there, s = factored()
    lam = 0.4
    C = agreeing_factors.best_consensus(tables, there, s.H, lam)
    for i in range(N):
        own = [v for v in range(2) if there[i, v]]
        A = np.zeros((0, 3 * (len(own) + 1)))
        b = []
        for place, v in enumerate(own):  # |x_v - y_v H_v|^2 and lam |y_v - c|^2 as equations
            fit = np.zeros((tables[v].shape[1], A.shape[1]))
            fit[:, 3 * place : 3 * place + 3] = s.H[v].T
            tie = np.zeros((3, A.shape[1]))
            tie[:, 3 * place : 3 * place + 3] = np.sqrt(lam) * np.eye(3)
            tie[:, -3:] = -np.sqrt(lam) * np.eye(3)
            A = np.vstack([A, fit, tie])
            b += [*tables[v][i], 0, 0, 0]
        np.testing.assert_allclose(C[i], nnls(A, np.array(b))[0][-3:], atol=1e-8)


def test_multinmf_does_not_see_units_of_views_and_lifts_negative_columns():
    parameters = {"views": VIEWS, "random_state": 0, "n_init": 1, "max_iter": 20}
    a = MultiNMF(3, **parameters).fit(X)
    b = MultiNMF(3, **parameters).fit(X * np.repeat([1.0, 1e4], [4, 3]))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.objective_trace_[-1] == pytest.approx(b.objective_trace_[-1])
    signed, views, truth = related_views()
    assert laws.same_clusters(
        MultiNMF(3, **{**parameters, "views": views}).fit(signed).labels_, truth
    )
    table = np.array([[-1.0, 2.0], [3.0, 5.0]])
    (low,) = lowest([table])
    assert low.tolist() == [-1.0, 0.0]
    (new,) = lifted([np.array([[-4.0, -1.0]])], [low], np.ones((1, 1)))
    assert new.tolist() == [[0.0, 0.0]]


def test_a_large_agreement_gives_all_views_one_table():
    tables, there, s = factored(share=0.0)
    for _ in range(30):
        s = agreeing_factors.exact_sweep(tables, there, s, 1e6)
    np.testing.assert_allclose(s.Y[0], s.Y[1], atol=1e-3)


def plcmf(seed=0, **changes):
    random = np.random.default_rng(seed)
    tables = [X[:, own] / 5 for own in VIEWS.values()]
    pseudo = [memberships.indicator(random.integers(3, size=N), 3) for _ in tables]
    weights = {"r": 2.5, "beta": 0.2, "delta": 0.3, "lam": 0.05, **changes}
    p = Problem(tables, pseudo, 3, **weights, squares=pseudo_labels.squared_sizes(tables))
    Y = random.normal(size=(N, 5))
    A = [random.normal(size=(5, T.shape[1])) for T in tables]
    B = [random.normal(size=(5, 3)) for _ in tables]
    g = random.integers(3, size=N)
    S = pseudo_labels.products(p, Y)
    s = pseudo_labels.State(Y, S, A, B, random.normal(size=(3, 5)), g, random.dirichlet([1, 1]))
    return p, s


def test_the_objective_of_plcmf_is_that_of_the_formula():
    p, s = plcmf()
    expected = oracles.plcmf_objective(*p[:2], *p[3:7], s.Y, *s[2:])
    np.testing.assert_allclose(pseudo_labels.objective(p, s), expected, rtol=1e-12)


@pytest.mark.parametrize("r", [1.2, 5.0])
def test_every_step_of_plcmf_is_a_minimum(r):
    p, s = plcmf(r=r)
    A, B = pseudo_labels.maps(p, s.Y, s.S, s.w)
    s = s._replace(A=A, B=B)
    no_lower(p, s, ("A", "B"))
    new = pseudo_labels.sweep(p, s)
    M, b = pseudo_labels.row_problem(p, A, B, s.w)
    Y = np.linalg.solve(M, (b + p.beta * s.C[s.g]).T).T
    np.testing.assert_allclose(new.Y, Y)
    s = s._replace(Y=Y, S=new.S)
    no_lower(p, s, ("Y",))
    no_lower(p, s._replace(C=new.C), ("C",))
    no_lower(p, new, ("w",))
    for i in range(N):
        costs = [np.sum((Y[i] - new.C[c]) ** 2) for c in range(3)]
        assert new.g[i] == np.argmin(costs)


def no_lower(p, s, names):
    """Assert that no nearby point in these blocks has a lower objective."""
    random = np.random.default_rng(1)
    J = pseudo_labels.objective(p, s)
    for name in names:
        blocks = getattr(s, name)
        for size in (1e-3, 0.1):
            if name == "w":
                other = (1 - size) * blocks + size * random.dirichlet(np.ones(len(blocks)))
            elif isinstance(blocks, list):
                other = [M + size * random.normal(size=M.shape) for M in blocks]
            else:
                other = blocks + size * random.normal(size=blocks.shape)
            moved = s._replace(**{name: other})
            moved = moved._replace(S=pseudo_labels.products(p, moved.Y))
            assert pseudo_labels.objective(p, moved) >= J - 1e-12 * J


def test_a_change_of_the_latent_basis_keeps_products_and_is_a_minimum():
    p, s = plcmf()
    found = pseudo_labels.rebased(p, s)
    for name in ("A", "B"):
        for M, other in zip(getattr(s, name), getattr(found, name), strict=True):
            np.testing.assert_allclose(found.Y @ other, s.Y @ M, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.C - found.Y[:3], (s.C - s.Y[:3]) @ basis(s, found), atol=1e-8)
    J = pseudo_labels.objective(p, found)
    assert pseudo_labels.objective(p, s) > J
    random = np.random.default_rng(3)
    for size in (0.3, 0.01):
        T = np.eye(5) + size * random.normal(size=(5, 5))
        inverse = np.linalg.inv(T)
        other = found._replace(
            Y=found.Y @ T,
            S=pseudo_labels.products(p, found.Y @ T),
            C=found.C @ T,
            A=[inverse @ M for M in found.A],
            B=[inverse @ M for M in found.B],
        )
        assert pseudo_labels.objective(p, other) > J


def basis(s, found):
    """Matrix T with which `found` has Y T in place of Y."""
    return np.linalg.lstsq(s.Y, found.Y, rcond=None)[0]


def test_plcmf_ends_where_the_printed_sweeps_are_far_from_their_end():
    ours = PLCMF(3, views=VIEWS, random_state=0, n_init=1).fit(X)
    more = PLCMF(3, views=VIEWS, random_state=0, n_init=1, tol=0.0, max_iter=200).fit(X)
    printed = PLCMF(3, views=VIEWS, random_state=0, n_init=1, tol=0.0, max_iter=200, balanced=False)
    assert ours.converged_
    assert ours.n_iter_ < 60
    J = ours.objective_trace_[-1]
    assert J - more.objective_trace_[-1] < 1e-3 * J
    assert printed.fit(X).objective_trace_[-1] > 1.05 * J


def test_the_label_of_a_row_is_the_cluster_that_costs_least():
    model = PLCMF(3, views=VIEWS, n_components=5, random_state=0, n_init=1).fit(X)
    p = model._problem(model._scaled(X))
    for i in (0, 5, 11):
        found = []
        for c in range(3):

            def value(y, c=c, i=i):
                J = p.beta * np.sum((y - model.latent_centers_[c]) ** 2) + p.lam * np.sum(y**2)
                for v, T in enumerate(p.tables):
                    fit = np.sum((T[i] - y @ model._maps[v]) ** 2)
                    fit += p.delta * np.sum((p.pseudo[v][i] - y @ model._label_maps[v]) ** 2)
                    J += model.view_weights_[v] ** p.r * fit
                return J

            found.append(minimize(value, np.zeros(5), tol=1e-14))
        best = int(np.argmin([each.fun for each in found]))
        assert model.labels_[i] == best
        np.testing.assert_allclose(model.latent_[i], found[best].x, atol=1e-4)


def test_new_rows_of_plcmf_need_no_table_of_rows_clusters_and_components():
    random = np.random.default_rng(0)
    small = random.uniform(size=(60, 4))
    model = PLCMF(20, n_components=100, n_init=1, max_iter=2, random_state=0).fit(small)
    new = random.uniform(size=(2000, 4))
    tracemalloc.start()
    model.predict(new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 20 * 100 * 8 / 3


def test_plcmf_weighs_the_better_view_more_and_knows_no_units():
    noise = np.random.default_rng(0).normal(size=(N, 4))
    table = np.hstack([X[:, 4:], noise])
    views = {"good": slice(0, 3), "noise": slice(3, 7)}
    model = PLCMF(3, views=views, n_components=3, random_state=0).fit(table)
    assert model.view_weights_[0] > 0.5
    assert laws.same_clusters(model.labels_, TRUTH)
    other = PLCMF(3, views=views, n_components=3, random_state=0).fit(table * 1e3)
    np.testing.assert_array_equal(other.labels_, model.labels_)


def test_parameters_out_of_range_are_refused():
    with pytest.raises(InputError, match="weight_power is 1; give a number greater than 1"):
        PLCMF(3, weight_power=1).fit(X)
    with pytest.raises(InputError, match="ridge is 0"):
        PLCMF(3, ridge=0).fit(X)
    with pytest.raises(InputError, match="update is 'slow'"):
        MultiNMF(3, update="slow").fit(X)
