from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_comvcf as oracles
from kinfolk.catalogue import METHODS
from kinfolk.errors import InputError
from kinfolk.methods.multiview.concept_collaboration import CoMVCF
from kinfolk.methods.single.concept import ConceptFactorization
from kinfolk.numerics import graphs, memberships, starts, visible_latent
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.view_patterns import ViewPatterns
from kinfolk.numerics.visible_latent import Problem, State
from kinfolk.tables import join

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(18) % 3
THERE = np.ones((18, 2))
THERE[[1, 5, 9, 12], 0] = 0.0
THERE[[0, 2, 10], 1] = 0.0
A = RANDOM.normal(size=(18, 4)) * 0.4 + 2 * np.eye(4)[TRUTH]
B = RANDOM.normal(size=(18, 3)) * 0.6 - 3 * np.eye(3)[TRUTH]
X, VIEWS = join({"a": A, "b": B})
WEIGHTS = {"alpha": 0.5, "beta": 0.4, "gamma": 1.5, "eta": 20.0}
PARAMETERS = {
    "factor_weight": 0.5,
    "latent_share": 0.4,
    "graph_weight": 1.5,
    "view_temperature": 20.0,
}

PRINTED = {"update": "multiplicative", "normalize": False}


def problem_of(views, k=3, normalize=False, l=3, there=None, **weights):
    weights = {**WEIGHTS, **weights}
    graph = graphs.heat_graph(np.hstack(views), l, 1.5) if weights["gamma"] > 0 else None
    kernels = [GramKernel(v) for v in views]
    patterns = ViewPatterns(there)
    return Problem(kernels, graph, k, normalize=normalize, patterns=patterns, **weights)


def state_of(problem, views, r, seed=0):
    random = np.random.default_rng(seed)
    Y, *G = random.uniform(size=(1 + len(views), len(views[0]), r))
    KG = [K.times(g) for K, g in zip(problem.kernels, G)]
    p = random.permutation(np.arange(len(Y)) % problem.k)
    M = visible_latent.mean_weights(p, problem.k)
    D = visible_latent.distances_by_view(problem, p)
    E = np.array([d[np.arange(len(p)), p].sum() for d in D])
    w = random.dirichlet(np.ones(len(views)))
    w = w / (problem.patterns.shares(len(w)) @ w)
    return State(Y, G, KG, p, M.T @ Y, E, w)


ENTRY = replace(
    METHODS["comvcf"],
    preset={"views": {"first": [0], "all": slice(None)}},
    grid={"latent_share": (0.0, 1.0), "graph_weight": (0.0, 1e6)},
)


# Views name columns by position, so that columns in another order are other views.
@pytest.mark.usefixtures("short_sweeps_in_one_test")
@pytest.mark.parametrize(
    "law",
    [
        law
        for law, applies in laws.LAWS
        if applies(ENTRY) and law is not laws.no_draw_depends_on_the_order_of_columns
    ],
)
def test_law_holds_for_two_views(law):
    law(ENTRY)


@pytest.mark.parametrize("table", laws.AWKWARD)
def test_awkward_tables_give_usable_answers(table):
    laws.awkward_tables_give_usable_answers(ENTRY, table)


@pytest.mark.usefixtures("short_sweeps_in_one_test")
@parametrize_with_checks([CoMVCF(n_init=1, max_iter=3)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("gamma", [0.0, 1.5])
@pytest.mark.parametrize("sign", ["any", "positive"])
def test_one_sweep_and_the_objective_are_the_printed_formulas(sign, gamma):
    views = [A, B] if sign == "any" else [abs(A), abs(B)]
    problem = problem_of(views, gamma=gamma)
    s = state_of(problem, views, r=4)
    S = oracles.nearest_graph(np.hstack(views), 3, 1.5)
    weights = {**WEIGHTS, "gamma": gamma}
    z = [oracles.means(v, s.p, 3) for v in views]
    expected = oracles.objective(views, S, s.Y, s.G, s.p, s.Z, z, s.w, **weights)
    assert visible_latent.objective(problem, s) == pytest.approx(expected, rel=1e-10)
    found = visible_latent.sweep(problem, s)
    Y, G, p, Z, z, w = oracles.sweep(
        views, S, s.Y, s.G, s.p, s.w, 3, printed=sign == "positive", **weights
    )
    assert (p != s.p).sum() > 3
    assert abs(w - s.w).max() > 1e-3
    np.testing.assert_array_equal(found.p, p)
    np.testing.assert_allclose(found.Z, Z, rtol=1e-10)
    np.testing.assert_allclose(found.Y, Y, rtol=1e-10)
    np.testing.assert_allclose(found.G, G, rtol=1e-10)
    np.testing.assert_allclose(found.w, w, rtol=1e-10)
    expected = oracles.objective(views, S, Y, G, p, Z, z, w, **weights)
    assert visible_latent.objective(problem, found) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("gamma", [0.0, 1.5])
@pytest.mark.parametrize("sign", ["any", "positive"])
def test_rows_that_lack_views_leave_them_out_of_each_formula(sign, gamma):
    views = [v * o[:, None] for v, o in zip((A, B), THERE.T)]
    views = views if sign == "any" else [abs(v) for v in views]
    problem = problem_of(views, gamma=gamma, there=THERE)
    s = state_of(problem, views, r=4)
    S = oracles.nearest_graph(np.hstack(views), 3, 1.5)
    weights = {**WEIGHTS, "gamma": gamma, "there": THERE}
    z = [oracles.means(v, s.p, 3, o) for v, o in zip(views, THERE.T)]
    expected = oracles.objective(views, S, s.Y, s.G, s.p, s.Z, z, s.w, **weights)
    assert visible_latent.objective(problem, s) == pytest.approx(expected, rel=1e-10)
    found = visible_latent.sweep(problem, s)
    Y, G, p, Z, z, w = oracles.sweep(
        views, S, s.Y, s.G, s.p, s.w, 3, printed=sign == "positive", **weights
    )
    np.testing.assert_array_equal(found.p, p)
    for ours, theirs in ((found.Z, Z), (found.Y, Y), (found.G, G), (found.w, w)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    expected = oracles.objective(views, S, Y, G, p, Z, z, w, **weights)
    assert visible_latent.objective(problem, found) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("beta", [0.0, 0.5])
@pytest.mark.parametrize("gamma", [0.0, 1.5])
def test_exact_sweeps_with_missing_views_end_where_no_sweep_moves(gamma, beta):
    views = [v * o[:, None] for v, o in zip((A, B), THERE.T)]
    problem = problem_of(views, normalize=True, gamma=gamma, beta=beta, size=100.0, there=THERE)
    s = first = state_of(problem, views, r=3)
    J = visible_latent.objective(problem, s)
    for _ in range(60):
        s = visible_latent.exact_sweep(problem, s)
        last, J = J, visible_latent.objective(problem, s)
        assert last >= J
    steep = abs(slopes_of(problem, first)).max()
    assert abs(slopes_of(problem, s)).max() < 1e-3 * steep


def test_a_view_has_no_more_weight_because_few_rows_have_it():
    random = np.random.default_rng(2)
    truth = np.arange(150) % 3
    rows = random.normal(size=(150, 4)) * 0.4 + 2 * np.eye(4)[truth]
    table, columns = join({"whole": rows, "copy": rows})
    table[random.uniform(size=150) < 0.7, 4:] = np.nan
    model = CoMVCF(3, views=columns, random_state=0).fit(table)
    assert model.view_weights_[1] == pytest.approx(0.5, abs=0.05)
    assert laws.same_clusters(model.labels_, truth)


@pytest.mark.parametrize("normalize", [False, True])
def test_every_block_lowers_the_objective(normalize):
    for seed in range(4):
        random = np.random.default_rng(seed)
        views = [random.normal(size=(20, d)) for d in (3, 6)]
        weights = {
            "alpha": 10.0 ** random.uniform(-3, 1),
            "beta": random.choice([0.0, 0.3, 1.0]),
            "gamma": 10.0 ** random.uniform(-2, 4),
            "eta": 10.0 ** random.uniform(0, 3),
        }
        problem = problem_of(views, 4, normalize, l=1 + seed % 3, **weights)
        s = state_of(problem, views, r=3, seed=seed)
        J = visible_latent.objective(problem, s)
        for _ in range(25):
            for block in ("clusters", "factors", "weights"):
                s = getattr(visible_latent, f"update_{block}")(problem, s)
                last, J = J, visible_latent.objective(problem, s)
                assert J - last <= 1e-11 * abs(last), block


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("sign", ["any", "positive"])
@pytest.mark.parametrize("n_concepts", [None, 2])
def test_the_exact_form_is_the_literal_one(sign, n_concepts):
    from benchmarks import literal_comvcf as literal

    views = [A, B] if sign == "any" else [abs(A), abs(B)]
    table, columns = join(dict(enumerate(views)))
    names = {"n_concepts": n_concepts, "n_neighbors": 4, "n_init": 1, "max_iter": 15, "tol": 0}
    names |= PRINTED
    model = CoMVCF(3, views=columns, random_state=5, **names, **PARAMETERS).fit(table)
    seed = starts.seeds(np.random.RandomState(5), 1)[0]
    rule = "split" if sign == "any" else "printed"
    labels, trace = literal.fit(
        views, 3, l=4, h=None, seed=seed, sweeps=model.n_iter_, rule=rule,
        n_concepts=n_concepts, **WEIGHTS,
    )  # fmt: skip
    assert model.n_iter_ > 5
    np.testing.assert_allclose(model.objective_trace_, trace, rtol=1e-10)
    np.testing.assert_array_equal(model.labels_, labels)


def test_the_printed_steps_lose_sign_and_descent_on_data_of_any_sign():
    views = [A - 1, B + 1]
    problem = problem_of(views, gamma=0.0, alpha=1.0)
    s = state_of(problem, views, r=3)
    S = np.zeros((18, 18))
    Y, G, *_ = oracles.sweep(views, S, s.Y, s.G, s.p, s.w, 3, 1.0, 0.4, 0.0, 20.0, printed=True)
    assert min(Y.min(), min(g.min() for g in G)) < 0


@pytest.mark.usefixtures("rows_as_given")
def test_one_view_without_factors_and_latent_space_is_k_means():
    model = CoMVCF(
        3, factor_weight=0, latent_share=0, graph_weight=0, n_init=1, tol=0, random_state=2
    )
    table = RANDOM.normal(size=(60, 3))
    model.fit(table)
    first = starts.kmeans(table, 3, starts.seeds(np.random.RandomState(2), 1)[0], n_init=5)
    centers = memberships.centers(table, memberships.indicator(first, 3))
    lloyd = KMeans(3, init=centers, n_init=1, tol=0).fit(table)
    np.testing.assert_array_equal(model.labels_, lloyd.labels_)
    np.testing.assert_allclose(model.cluster_centers_, lloyd.cluster_centers_, atol=1e-9)
    assert model.objective_trace_[-1] == pytest.approx(lloyd.inertia_, rel=1e-9)


@pytest.mark.parametrize("graph_weight", [0.0, 3.0])
def test_one_view_without_latent_share_factors_like_concept_factorization(graph_weight):
    settings = {"n_init": 1, "max_iter": 20, "tol": 0, "random_state": 0}
    settings |= {"update": "multiplicative"}
    alone = ConceptFactorization(3, graph_weight=graph_weight, **settings).fit(A)
    model = CoMVCF(
        3, factor_weight=1.0, latent_share=0.0, graph_weight=graph_weight, **settings
    ).fit(A)
    np.testing.assert_allclose(model._factor, alone._factor, rtol=1e-9)
    np.testing.assert_allclose(model.concepts_[0], alone.concepts_, rtol=1e-9, atol=1e-12)


# L-BFGS-B sees twice as many factors and takes another path, to the same place.
@pytest.mark.parametrize(
    ("update", "max_iter", "rtol"), [("multiplicative", 10, 1e-8), ("exact", 100, 1e-2)]
)
def test_copies_of_a_view_share_its_weight(update, max_iter, rtol):
    settings = {**PARAMETERS, "n_init": 1, "max_iter": max_iter, "tol": 0, "random_state": 0}
    settings |= {"affinity": "binary", "update": update}
    one = CoMVCF(3, **settings).fit(A)
    two, columns = join({"once": A, "again": A})
    both = CoMVCF(3, views=columns, **settings).fit(two)
    np.testing.assert_allclose(both.view_weights_, 0.5)
    size = one.memberships_.max()
    np.testing.assert_allclose(both.memberships_, one.memberships_, rtol=0, atol=rtol * size)
    shift = PARAMETERS["view_temperature"] * np.log(2)
    ends = both.objective_trace_[-1], one.objective_trace_[-1] - shift
    assert ends[0] == pytest.approx(ends[1], rel=0.1 * rtol)
    if update == "multiplicative":
        np.testing.assert_allclose(both.objective_trace_, one.objective_trace_ - shift, rtol=1e-9)


def test_a_high_temperature_gives_equal_weights_and_a_low_one_picks_the_tightest_view():
    noisy, columns = join({"a": A, "noise": 5 * RANDOM.normal(size=(18, 4)), "b": B})
    hot, warm, cold = (
        CoMVCF(3, views=columns, view_temperature=t, n_init=1, random_state=0)
        .fit(noisy)
        .view_weights_
        for t in (1e9, 50.0, 1e-3)
    )
    np.testing.assert_allclose(hot, 1 / 3, atol=1e-6)
    assert warm[1] < 0.2 * min(warm[0], warm[2])
    assert cold.max() == pytest.approx(1)
    assert cold.argmax() != 1


def test_without_a_graph_the_method_is_its_variant_n():
    a = CoMVCF(3, views=VIEWS, graph_weight=0.0, n_neighbors=1, random_state=0).fit(X)
    b = CoMVCF(3, views=VIEWS, graph_weight=1e-12, n_neighbors=9, random_state=0).fit(X)
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-8)
    assert not hasattr(a, "bandwidth_")


@pytest.mark.usefixtures("rows_as_given")
def test_normalized_concepts_have_unit_length_and_the_objective_of_the_trace():
    model = CoMVCF(3, views=VIEWS, normalize=True, n_init=1, tol=0, max_iter=200, random_state=0)
    model.set_params(**PARAMETERS).fit(X)
    lengths = [np.sum(np.square(C), axis=1) for C in model.concepts_]
    np.testing.assert_allclose(model.view_weights_ @ lengths, 1)
    Y, p, w = model._factor, model.labels_, model.view_weights_
    J = 1.5 * oracles.roughness(oracles.nearest_graph(X, 5, model.bandwidth_), Y)
    J += 0.4 * np.sum(np.square(Y - model.latent_centers_[p])) + 20 * w @ np.log(w)
    for v, table in enumerate((A, B)):
        J += w[v] * 0.5 * np.sum(np.square(table - Y @ model.concepts_[v]))
    J += (
        0.6
        * w
        @ [np.sum(np.square(X[:, c] - model.cluster_centers_[p][:, c])) for c in VIEWS.values()]
    )
    assert model.objective_trace_[-1] == pytest.approx(J, rel=1e-5)


def test_a_change_of_units_changes_units_only():
    settings = {"views": VIEWS, "latent_share": 0.0, "factor_weight": 0.5, "random_state": 0}
    settings |= {"n_init": 1, "max_iter": 50, **PRINTED}
    a = CoMVCF(3, graph_weight=2.0, view_temperature=20.0, **settings).fit(X)
    b = CoMVCF(3, graph_weight=200.0, view_temperature=2000.0, **settings).fit(10 * X)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.view_weights_, b.view_weights_, rtol=1e-9)
    np.testing.assert_allclose(b.objective_trace_, 100 * a.objective_trace_, rtol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"graph_weight": 0.0}, {"update": "multiplicative"}])
def test_the_default_has_no_units(settings):
    settings = {"views": VIEWS, "random_state": 0, "n_init": 1, "max_iter": 3, **settings}
    a = CoMVCF(3, **settings).fit(X)
    b = CoMVCF(3, **settings).fit(8 * X)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.view_weights_, b.view_weights_, rtol=1e-6)
    np.testing.assert_allclose(b.objective_trace_, 64 * a.objective_trace_, rtol=1e-5)


TABLES = {
    "plain": X,
    "single precision": X.astype(np.float32),
    "sparse": sp.csr_array(np.where(abs(X) > 0.3, X, 0.0)),
    "duplicate rows": np.repeat(X[:7], 4, axis=0),
    "zero rows": X * (np.arange(18) % 4 > 0)[:, None],
    "a far outlier": np.vstack([X, np.full((1, 7), 1e4)]),
}


@pytest.mark.parametrize("settings", [{}, {"graph_weight": 0.0}, {"update": "multiplicative"}])
@pytest.mark.parametrize("table", TABLES)
def test_rows_of_the_fit_keep_their_labels(table, settings):
    settings = {"views": VIEWS, "random_state": 0, "n_init": 1, "max_iter": 2, **settings}
    model = CoMVCF(3, **settings).fit(TABLES[table])
    np.testing.assert_array_equal(model.predict(TABLES[table]), model.labels_)
    found = model.predict_memberships(TABLES[table])
    np.testing.assert_array_equal(found, model.memberships_)


def test_exact_steps_end_lower_after_fewer_sweeps():
    settings = {"views": VIEWS, "n_init": 1, "random_state": 0, "tol": 0, **PARAMETERS}
    exact = CoMVCF(3, max_iter=4, **settings).fit(X)
    printed = CoMVCF(3, update="multiplicative", max_iter=100, **settings).fit(X)
    laws.assert_never_rises(exact)
    assert exact.objective_trace_[-1] < printed.objective_trace_[-1]


def test_the_default_ends_where_printed_steps_are_still_far_from_it():
    table = load_iris().data[::2]
    first = CoMVCF(3, n_init=1, random_state=0).fit(table)
    settings = {"n_init": 1, "random_state": 0, "tol": 0.0}
    more = CoMVCF(3, max_iter=10 * first.n_iter_, **settings).fit(table)
    assert first.converged_
    assert more.objective_trace_[-1] > 0.999 * first.objective_trace_[-1]
    np.testing.assert_array_equal(more.labels_, first.labels_)
    printed = CoMVCF(3, update="multiplicative", max_iter=80, **settings).fit(table)
    assert printed.objective_trace_[-1] > 2 * first.objective_trace_[-1]


@pytest.mark.parametrize("gamma", [0.0, 1.5])
@pytest.mark.parametrize("sign", ["any", "positive"])
def test_the_end_of_exact_sweeps_meets_the_conditions_of_the_minimum(sign, gamma):
    views = [A, B] if sign == "any" else [abs(A), abs(B)]
    problem = problem_of(views, normalize=True, gamma=gamma, size=100.0)
    s = first = state_of(problem, views, r=3)
    for _ in range(60):
        s = visible_latent.exact_sweep(problem, s)
    # No cluster and weight changes any more, and no step of the printed sweep lowers J.
    last = visible_latent.sweep(problem, s)
    np.testing.assert_array_equal(last.p, s.p)
    np.testing.assert_allclose(last.w, s.w, rtol=1e-4)
    J = visible_latent.objective(problem, s)
    assert J - visible_latent.objective(problem, last) < 1e-5
    # The slope is 0 where an entry is positive, and not below 0 where it is 0.
    slopes = slopes_of(problem, s)
    steep = abs(slopes_of(problem, first)).max()
    assert abs(slopes).max() < 1e-3 * steep
    assert visible_latent.objective(problem, first) > J


def slopes_of(problem, s):
    """Numerical derivatives of the objective in the logarithms of some entries."""

    def value(Y, G):
        KG = [K.times(g) for K, g in zip(problem.kernels, G)]
        Z = visible_latent.mean_weights(s.p, problem.k).T @ Y
        return visible_latent.objective(problem, s._replace(Y=Y, G=G, KG=KG, Z=Z))

    found = []
    for part in range(3):
        for i, j in ((0, 0), (4, 1), (7, 2), (11, 0), (16, 1)):
            sides = []
            for factor in (1 - 1e-4, 1 + 1e-4):
                Y, *G = (M.copy() for M in (s.Y, *s.G))
                (Y, *G)[part][i, j] *= factor
                sides.append(value(Y, G))
            found.append((sides[1] - sides[0]) / 2e-4)
    return np.array(found)


def test_descents_in_vain_become_rare(monkeypatch):
    problem = problem_of([A, B], normalize=True, size=100.0)
    s = state_of(problem, [A, B], r=3)
    for _ in range(30):
        s = visible_latent.exact_sweep(problem, s)
    made = []
    n_sweeps = [0]
    descend = visible_latent.descend
    monkeypatch.setattr(
        visible_latent, "descend", lambda *given: made.append(n_sweeps[0]) or descend(*given)
    )
    s = s._replace(wait=0, pause=1)
    for n_sweeps[0] in range(30):
        s = visible_latent.exact_sweep(problem, s)
    assert made == [0, 2, 5, 10, 19]


def cost_of(model, x, y, c, links=()):
    """Objective's share of a row x with coordinates y in cluster c."""
    J = 0.4 * np.sum((y - model.latent_centers_[c]) ** 2)
    for w, C, view in zip(model.view_weights_, model.concepts_, VIEWS.values()):
        J += w * 0.5 * np.sum((x[view] - y @ C) ** 2)
        J += w * 0.6 * np.sum((x[view] - model.cluster_centers_[c, view]) ** 2)
    for i, weight in links:
        J += weight * np.sum((y - model._factor[i]) ** 2)
    return J


def links_of(model, x, gamma):
    """The five nearest training rows, each with gamma times its Gaussian weight."""
    nearest = sorted(range(len(X)), key=lambda i: np.sum((x - X[i]) ** 2))[:5]
    h = model.bandwidth_
    return [(i, gamma * np.exp(-np.sum((x - X[i]) ** 2) / (2 * h**2))) for i in nearest]


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("gamma", [0.0, 1.5])
def test_new_rows_get_the_cluster_and_place_that_lower_their_part_of_the_objective(gamma):
    settings = {**PARAMETERS, "graph_weight": gamma, "n_init": 1, "random_state": 0}
    model = CoMVCF(3, views=VIEWS, **settings).fit(X)
    rows = X + RANDOM.normal(size=X.shape)
    for x, c, y in zip(rows, model.predict(rows), model.predict_memberships(rows)):
        links = links_of(model, x, gamma) if gamma else []
        best = cost_of(model, x, y, c, links)
        for other in range(3):
            for _ in range(10):
                nearby = np.maximum(y + 0.1 * RANDOM.normal(size=3), 0)
                assert best <= cost_of(model, x, nearby, other, links) + 1e-9


def test_rows_of_the_fit_come_back_unless_another_cluster_is_cheaper_for_them_alone():
    random = np.random.default_rng(3)
    table = random.normal(size=X.shape) + 0.4 * X
    settings = {**PARAMETERS, "graph_weight": 0.0, "random_state": 0, "n_init": 1, "tol": 0}
    settings |= {"max_iter": 100, **PRINTED}
    model = CoMVCF(3, views=VIEWS, **settings).fit(table)
    labels, places = model.predict(table), model.predict_memberships(table)
    for x, y, c, own, label in zip(table, places, labels, model.memberships_, model.labels_):
        kept = cost_of(model, x, own, label)
        assert cost_of(model, x, y, c) <= kept + 1e-9 * kept
    assert np.mean(labels == model.labels_) > 0.8
    clear = CoMVCF(3, views=VIEWS, random_state=0).fit(X)
    np.testing.assert_array_equal(clear.predict(X), clear.labels_)


def test_without_latent_share_every_row_of_the_fit_comes_back():
    table = RANDOM.normal(size=(40, 7))
    model = CoMVCF(4, views=VIEWS, latent_share=0.0, random_state=0, max_iter=3).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_views_may_be_slices_positions_or_names():
    settings = {"n_init": 1, "max_iter": 30, "random_state": 0}
    expected = CoMVCF(3, views=VIEWS, **settings).fit(X)
    assert expected.view_names_.tolist() == ["a", "b"]
    names = [f"c{j}" for j in range(7)]
    frame = pd.DataFrame(X, columns=names)
    for table, views in (
        (X, {"a": [0, 1, 2, 3], "b": np.array([4, 5, 6])}),
        (X, {"a": slice(None, 4), "b": slice(-3, None)}),
        (frame, {"a": names[:4], "b": names[4:]}),
        (frame, VIEWS),
        (sp.csr_array(X), VIEWS),
    ):
        found = CoMVCF(3, views=views, **settings).fit(table)
        np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-9)
        np.testing.assert_array_equal(found.predict(table), expected.predict(X))
    assert CoMVCF(3, views={"a": "c0", "b": slice(None)}, n_init=1).fit(frame).n_features_in_ == 7


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"views": ["a"]}, r"views is \['a'\]; give a mapping.*kinfolk.join"),
        ({"views": {}}, r"views is \{\}; give a mapping"),
        ({"views": {"a": []}}, "view 'a' has no columns"),
        ({"views": {"a": [0, 9]}}, "view 'a' asks for column 9 of X, which has 7 columns;"),
        ({"views": {"a": ["x"]}}, "view 'a' asks for column 'x' of X.*names of columns"),
        ({"views": {"a": [True]}}, "view 'a' asks for column True"),
        ({"views": {"a": slice(0, 5)}}, "2 columns of X are in no view, the first is column 5"),
        ({"latent_share": 1.5}, "latent_share is 1.5; give a number from 0 to 1"),
        ({"latent_share": -1}, "latent_share is -1; give a number of at least 0"),
        ({"factor_weight": -1}, "factor_weight is -1"),
        ({"graph_weight": "much"}, "graph_weight is 'much'"),
        ({"view_temperature": 0}, "view_temperature is 0; give a number greater than 0"),
        ({"n_concepts": 19}, "n_concepts is 19 but X has only 18 rows"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"affinity": "cosine"}, "affinity is 'cosine'; choose one of 'gaussian', 'binary'"),
        ({"bandwidth": 0.0}, "bandwidth is 0.0"),
        ({"init": "zeros"}, "init is 'zeros'; choose one of 'kmeans', 'random'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        CoMVCF(3, **settings).fit(X)


def test_new_rows_without_the_columns_of_a_view_are_refused():
    model = CoMVCF(3, views=VIEWS, n_init=1, random_state=0).fit(X)
    with pytest.raises(InputError, match=r"X has 4 features.*all views \('a': 4, 'b': 3\); give"):
        model.predict(A)
    frame = pd.DataFrame(X, columns=list("tuvwxyz"))
    model.fit(frame)
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*missing.*- z"):
        model.predict(frame[list("tuvwxy")])


def test_random_starts_reach_the_groups_too():
    model = CoMVCF(3, views=VIEWS, init="random", n_init=1, random_state=0).fit(X)
    assert laws.same_clusters(model.labels_, TRUTH)
    laws.assert_never_rises(model)


def test_more_concepts_than_clusters_rebuild_better():
    few, many = (
        CoMVCF(3, views=VIEWS, n_concepts=r, graph_weight=0.0, random_state=0).fit(X)
        for r in (3, 7)
    )
    assert many.memberships_.shape == (18, 7)
    assert many.latent_centers_.shape == (3, 7)
    lost = [
        sum(np.sum(np.square(X[:, c] - m.memberships_ @ C))
            for c, C in zip(VIEWS.values(), m.concepts_))
        for m in (few, many)
    ]  # fmt: skip
    assert lost[1] < lost[0]
