import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import literal_mtcmrl
from scipy.optimize import nnls
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles
import oracles_mtcmrl
from kinfolk.errors import InputError, ScaleWarning
from kinfolk.methods.multitask import model_relation
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import model_relations, operators, similarities, simplex
from kinfolk.numerics.model_relations import Problem, RelationTask, State
from kinfolk.numerics.ridge import Ridge
from kinfolk.numerics.symmetric_factorization import Factor, factor, point

SIZES, K = (6, 5, 7), (3, 2, 2)
TASKS = np.repeat(["a", "b", "c"], SIZES)
WEIGHTS = {"lam": 0.7, "mu": 0.4, "alpha": 1.3, "beta": 0.2}
NAMES = {
    "regression_weight": 0.7,
    "shrinkage": 0.4,
    "relation_weight": 1.3,
    "evenness": 0.2,
}


QUICK = {"n_init": 1, "max_iter": 20}


def table(d=4, signed=False, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(sum(SIZES), d)) * 0.4
    X[np.arange(len(X)), np.arange(len(X)) % min(d, 3)] += 1.5
    return X if signed else abs(X)


def tables(X):
    return [X[t == TASKS] for t in "abc"]


def cosines(X):
    return np.array([[oracles.cosine(a, b) for b in X] for a in X])


def problem(X, M, weights=None, solver="projection", form=np.asarray, update="multiplicative"):
    ends = np.cumsum(K)
    return Problem(
        ridges=[Ridge(form(x)) for x in X],
        M=[operators.Explicit(m) for m in M],
        sizes=[float(np.sum(m**2)) for m in M],
        own=[slice(int(e) - k, int(e)) for e, k in zip(ends, K)],
        solver=solver,
        update=update,
        **(weights or WEIGHTS),
    )


def drawn(X, M, seed=1):
    """Draw a random state: lists of Y and W, and a dict of G."""
    random = np.random.default_rng(seed)
    Y = [random.uniform(0.1, 1.2, size=(len(x), k)) for x, k in zip(X, K)]
    W = [0.3 * random.normal(size=(X[0].shape[1], k)) for k in K]
    pairs = [(t, s) for t in range(3) for s in range(t + 1, 3)]
    G = {(t, s): random.dirichlet(np.ones(K[t] * K[s])).reshape(K[t], K[s]) for t, s in pairs}
    return Y, W, G


def state(p, X, Y, W, G):
    whole = np.zeros((sum(K), sum(K)))
    for (t, s), g in G.items():
        whole[p.own[t], p.own[s]], whole[p.own[s], p.own[t]] = g, g.T
    complete = point if p.update == "exact" else factor
    points = [RelationTask(x @ w, complete(m, y)) for y, x, w, m in zip(Y, X, W, p.M)]
    return State(tuple(points), np.hstack(W), whole)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("d", [4, 20], ids=["more rows than features", "fewer"])
def test_one_sweep_and_the_objective_are_the_printed_formulas(d, form):
    X = tables(table(d))
    M = [cosines(x) for x in X]
    Y, W, G = drawn(X, M)
    p = problem(X, M, form=form)
    s = state(p, X, Y, W, G)
    for _ in range(2):
        expected = oracles_mtcmrl.objective(X, M, Y, W, G, *WEIGHTS.values())
        assert model_relations.objective(p, s) == pytest.approx(expected, rel=1e-10)
        s = model_relations.sweep(p, s)
        Y, W, G = oracles_mtcmrl.sweep(X, M, Y, W, G, *WEIGHTS.values())
        for a, y in zip(s.tasks, Y):
            np.testing.assert_allclose(a.factor.Y, y, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(s.W, np.hstack(W), rtol=1e-9, atol=1e-11)
        for (t, u), g in G.items():
            np.testing.assert_allclose(s.G[p.own[t], p.own[u]], g, atol=1e-10)
            np.testing.assert_array_equal(s.G[p.own[u], p.own[t]], s.G[p.own[t], p.own[u]].T)


def test_each_term_weighs():
    """At the test's state every term of the objective is a visible share."""
    X = tables(table())
    M = [cosines(x) for x in X]
    Y, W, G = drawn(X, M)
    whole = oracles_mtcmrl.objective(X, M, Y, W, G, *WEIGHTS.values())
    for name in WEIGHTS:
        without = oracles_mtcmrl.objective(X, M, Y, W, G, *{**WEIGHTS, name: 0.0}.values())
        assert whole - without > 1e-3 * whole


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("first_weights", [0.0, 1.0])
@pytest.mark.parametrize("d", [4, 20], ids=["more rows than features", "fewer"])
def test_the_exact_form_is_the_literal_one(d, first_weights, monkeypatch):
    starts = []
    plain = model_relation.start

    def spied(p, labels, first_weights, weights):
        starts.append(labels)
        return plain(p, labels, first_weights, weights)

    monkeypatch.setattr(model_relation, "start", spied)
    X = table(d)
    k = dict(zip("abc", K))
    settings = {"n_init": 1, "max_iter": 12, "tol": 0, "random_state": 2}
    settings |= {"update": "multiplicative", "affinity": "cosine"}
    model = MTCMRL(k, first_weights=first_weights, **NAMES, **settings).fit(X, tasks=TASKS)
    codes = np.unique(TASKS, return_inverse=True)[1]
    labels, trace = literal_mtcmrl.fit(
        sp.csr_array(X), codes, K, starts[0], max_iter=12, first_weights=first_weights, **WEIGHTS
    )
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.objective_trace_, trace, rtol=1e-7)
    np.testing.assert_array_equal(model.objective_traces_["all tasks"], model.objective_trace_)


def test_the_sylvester_equation_gives_the_regression():
    for d in (4, 20):
        X = tables(table(d))
        Y, W, G = drawn(X, None)
        p = problem(X, [cosines(x) for x in X])
        s = state(p, X, Y, W, G)
        H = s.G[p.own[1]].sum(axis=1)
        Z = s.W @ s.G[p.own[1]].T
        expected = literal_mtcmrl.dual(X[1], X[1] @ X[1].T, Y[1], H, Z, 0.7, 0.4, 1.3)
        found = model_relations.regression(p, 1, Y[1], s.W, s.G)
        np.testing.assert_allclose(found.W, expected, atol=1e-10)


@pytest.mark.parametrize(
    ("solver", "tolerance"), [("quadratic-program", 1e-8), ("frank-wolfe", 0.1)]
)
def test_the_solvers_of_the_paper_lead_to_the_same_relations(solver, tolerance):
    X = table(5)
    settings = {**NAMES, "n_init": 1, "max_iter": 30, "tol": 0, "random_state": 0}
    a, b = (
        MTCMRL(2, solver=name, **settings).fit(X, tasks=TASKS) for name in ("projection", solver)
    )
    laws.assert_never_rises(b)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.objective_trace_[-1] == pytest.approx(a.objective_trace_[-1], rel=tolerance * 1e-2)
    for pair, G in a.cluster_relatedness_.items():
        np.testing.assert_allclose(b.cluster_relatedness_[pair], G, atol=tolerance)


@pytest.mark.parametrize("update", ["exact", "multiplicative"])
def test_without_relations_every_task_is_by_itself(update):
    X = table(5, signed=True)
    settings = {"relation_weight": 0.0, "max_iter": 15, "tol": 0, "random_state": 3}
    settings["affinity"] = "cosine"
    # One of several starts is kept for all tasks by printed sweeps, for each task by exact ones.
    settings |= {"update": update, "n_init": 1 if update == "multiplicative" else 4}
    together = MTCMRL(2, **settings).fit(X, tasks=TASKS)
    total = 0.0
    for t, name in enumerate("abc"):
        alone = MTCMRL(2, **settings).fit(X[name == TASKS])
        np.testing.assert_allclose(together.memberships_[t], alone.memberships_[0], rtol=1e-9)
        np.testing.assert_allclose(together.coef_[t], alone.coef_[0], rtol=1e-8, atol=1e-10)
        total += alone.objective_trace_[-1]
        assert alone.cluster_relatedness_ == {}
    assert together.objective_trace_[-1] == pytest.approx(total, rel=1e-10)
    A = oracles_mtcmrl.relation(together.coef_[0], together.coef_[1], together.evenness)
    if update == "exact":
        np.testing.assert_allclose(together.cluster_relatedness_["a", "b"], A, atol=1e-9)


@pytest.mark.parametrize("update", ["exact", "multiplicative"])
def test_without_regression_it_is_symmetric_factorization(update):
    X = table(5)[TASKS == "c"]
    X /= np.linalg.norm(X, axis=1)[:, None]  # SymNMF starts from k-means of unit rows
    settings = {"update": update, "n_init": 1, "max_iter": 9, "tol": 0, "random_state": 1}
    settings["affinity"] = "local-gaussian"  # the default of MTCMRL alone
    a = SymNMF(2, **settings).fit(X)
    b = MTCMRL(2, regression_weight=0.0, **settings).fit(X)
    np.testing.assert_allclose(b.memberships_[0], a.memberships_, rtol=1e-10)
    np.testing.assert_allclose(2 * b.objective_trace_, a.objective_trace_, rtol=1e-10)
    np.testing.assert_array_equal(b.predict(X), a.predict(X))


def test_evenness_is_what_it_says():
    X = table(5)
    settings = {"n_init": 1, "random_state": 0}
    even, one = (MTCMRL(2, evenness=e, **settings).fit(X, tasks=TASKS) for e in (1e9, 1e-9))
    for pair in [("a", "b"), ("c", "a")]:
        np.testing.assert_allclose(even.cluster_relatedness_[pair], 0.25, atol=1e-6)
        G, W = one.cluster_relatedness_, dict(zip("abc", one.coef_))
        assert np.sort(G[pair], axis=None) == pytest.approx([0, 0, 0, 1])
        A = oracles_mtcmrl.squared_gaps(W[pair[0]], W[pair[1]])
        assert G[pair].argmax() == A.argmin()


def test_relations_of_a_pair_are_one_matrix_with_sum_one():
    model = MTCMRL(dict(zip("abc", K)), n_init=1, random_state=0).fit(table(), tasks=TASKS)
    G = model.cluster_relatedness_
    assert set(G) == {(t, s) for t in "abc" for s in "abc" if t != s}
    for (t, s), g in G.items():
        assert g.shape == (K["abc".index(t)], K["abc".index(s)])
        assert g.sum() == pytest.approx(1)
        assert g.min() >= 0
        np.testing.assert_array_equal(g, G[s, t].T)


def test_clusters_of_one_kind_are_the_most_related():
    X, tasks, _ = laws.related(sizes=(30, 24), noise=0.2, d=9, signed=False)
    X /= np.linalg.norm(X, axis=1)[:, None]
    model = MTCMRL(3, random_state=0).fit(X, tasks=tasks)
    first, second = model.task_names_
    matched = model.matched_clusters_
    for i, related in enumerate(model.cluster_relatedness_[first, second]):
        assert matched[3 + related.argmax()] == matched[i]


def random_part(random, signed):
    """Draw a one-task problem and a state with Q of both signs."""
    n, k, d = random.integers(2, 9), random.integers(1, 4), random.integers(1, 6)
    M = random.normal(size=(n, n)) if signed else random.exponential(size=(n, n))
    M = random.choice([0.1, 1.0, 10.0]) * (M + M.T)
    lam = random.choice([0.0, 0.01, 0.25, 4.0, 50.0])
    X, W = random.normal(size=(n, d)), random.choice([1.0, 300.0]) * random.normal(size=(d, k))
    p = Problem(
        [Ridge(X)], [operators.Explicit(M)], [float(np.sum(M**2))], [slice(0, k)], lam, 1, 0, 1
    )
    Y = random.uniform(0, 2, size=(n, k)) ** random.choice([1, 4])
    return p, M, RelationTask(X @ W, factor(p.M[0], Y)), lam


@pytest.mark.parametrize("signed", [True, False])
def test_no_step_of_the_memberships_raises_the_objective(signed):
    random = np.random.default_rng(8)
    for _ in range(200):
        p, _, a, _ = random_part(random, signed)
        size = p.sizes[0] + abs(model_relations.membership_cost(p, a))
        for _ in range(6):
            b = model_relations.update_memberships(p, 0, a)
            before, after = (model_relations.membership_cost(p, x) for x in (a, b))
            assert after <= before + 1e-12 * size
            assert b.factor.Y.min() >= 0
            a = b


@pytest.mark.parametrize("signed", [True, False])
def test_the_fourth_root_never_raises_the_objective(signed):
    random = np.random.default_rng(9)
    for _ in range(60):
        p, M, a, lam = random_part(random, signed)
        size = p.sizes[0] + abs(model_relations.membership_cost(p, a))
        for _ in range(3):
            with np.errstate(invalid="ignore"):
                Y = np.nan_to_num(oracles_mtcmrl.membership_step(M, a.factor.Y, a.Q, lam, 0.25))
            b = RelationTask(a.Q, factor(p.M[0], Y))
            before, after = (model_relations.membership_cost(p, x) for x in (a, b))
            assert after <= before + 1e-12 * size
            a = b


def test_where_the_square_root_raises_the_objective_the_fourth_is_taken():
    random = np.random.default_rng(10)
    taken = 0
    for _ in range(400):
        p, M, a, lam = random_part(random, True)
        square, fourth = (
            oracles_mtcmrl.membership_step(M, a.factor.Y, a.Q, lam, power) for power in (0.5, 0.25)
        )
        trial = RelationTask(a.Q, factor(p.M[0], square))
        before, after = (model_relations.membership_cost(p, x) for x in (a, trial))
        if abs(after - before) < 1e-6 * (p.sizes[0] + abs(before)):
            continue
        raised = after > before
        taken += raised
        expected = fourth if raised else square
        np.testing.assert_allclose(
            model_relations.update_memberships(p, 0, a).factor.Y, expected, rtol=1e-8, atol=1e-12
        )
    assert taken >= 3


def test_without_a_root_the_objective_oscillates():
    X = table(5)[TASKS == "c"]
    M, lam = cosines(X), 0.25
    p = problem(tables(table(5)), [M, M, M], {**WEIGHTS, "lam": lam})
    Y, Q = np.random.default_rng(0).uniform(0.2, 1.2, size=(7, 2)), np.full((7, 2), 0.3)
    values = []
    for _ in range(40):
        values.append(model_relations.membership_cost(p, RelationTask(Q, factor(p.M[0], Y))))
        Y = oracles_mtcmrl.membership_step(M, Y, Q, lam, 1.0)
    assert np.count_nonzero(np.diff(values) > 1e-6) >= 5


def test_a_long_descent_ends_where_the_conditions_hold():
    X = table(5, signed=True)
    model = MTCMRL(2, affinity="cosine", **NAMES, n_init=1, max_iter=10_000, tol=0, random_state=0)
    model.fit(X, tasks=TASKS)
    X, W, G = tables(X), dict(zip("abc", model.coef_)), model.cluster_relatedness_
    for t, name in enumerate("abc"):
        Y, Q, M = model.memberships_[t], X[t] @ W[name], cosines(X[t])
        others = [s for s in "abc" if s != name]
        slope = 0.7 * X[t].T @ (Q - Y) + 0.4 * W[name]
        for s in others:
            slope += 1.3 * (W[name] * G[name, s].sum(axis=1) - W[s] @ G[name, s].T)
        assert abs(slope).max() <= 1e-4
        slope = -M @ Y + Y @ Y.T @ Y + 0.7 * (Y - Q)
        assert abs(slope * Y).max() <= 1e-4
    np.testing.assert_array_equal(model.predict(np.vstack(X), tasks=TASKS), model.labels_)


AFFINITIES = {
    "cosine": lambda A, B: np.array([[oracles.cosine(a, b) for b in B] for a in A]),
    "gaussian": lambda A, B: np.array([[oracles.gaussian(1.3)(a, b) for b in B] for a in A]),
    "itakura-saito": lambda A, B: np.exp(
        [[-(2 * np.sinh(np.log(a / b) / 2) ** 2).sum() / 1.3**2 for b in B] for a in A]
    ),
}


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("name", AFFINITIES)
def test_a_named_affinity_a_function_and_matrices_give_the_same_fit(name):
    X = table(5) + 0.1
    function = AFFINITIES[name]
    settings = {**NAMES, "n_init": 2, "max_iter": 20, "tol": 0, "random_state": 0}
    settings["divide_by_degrees"] = True  # by default similarities of the user stay as they are
    given = {t: function(X[t == TASKS], X[t == TASKS]) for t in "abc"}
    named = MTCMRL(2, affinity=name, bandwidth=1.3, **settings).fit(X, tasks=TASKS)
    for affinity in (function, given, {t: sp.csr_array(M) for t, M in given.items()}):
        other = MTCMRL(2, affinity=affinity, **settings).fit(X, tasks=TASKS)
        np.testing.assert_allclose(other.objective_trace_, named.objective_trace_, rtol=1e-10)
        np.testing.assert_array_equal(other.labels_, named.labels_)
        if callable(affinity):
            new = X + 0.2 * np.random.default_rng(1).uniform(size=X.shape)
            expected = named.predict(new, tasks=TASKS)
            np.testing.assert_array_equal(other.predict(new, tasks=TASKS), expected)


@pytest.mark.parametrize("name", AFFINITIES)
def test_a_new_row_gets_the_memberships_that_minimise_its_part_of_the_objective(name):
    X = table(5) + 0.1
    model = MTCMRL(3, affinity=name, bandwidth=1.3, **NAMES, n_init=1, random_state=0)
    model.fit(X, tasks=TASKS)
    new = np.random.default_rng(2).uniform(0.05, 2, size=(25, 5))
    found = model.predict(new, tasks="b")
    Y, W = model.memberships_[1], model.coef_[1]
    m = AFFINITIES[name](new, X[TASKS == "b"])
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1.5, 31)] * 3), axis=-1).reshape(-1, 3)
    for i in range(25):
        part = np.sum((m[i] - grid @ Y.T) ** 2, axis=1)
        part += 0.7 * np.sum((grid - new[i] @ W) ** 2, axis=1)
        best = np.sort(grid[part.argmin()])
        if best[-1] - best[-2] > 0.15:  # farther apart than the grid is coarse
            assert grid[part.argmin()].argmax() == found[i]
    assert len(set(found.tolist())) == 3


def test_where_only_matrices_are_given_the_regression_places_new_rows():
    X = table(5)
    given = {t: cosines(X[t == TASKS]) for t in "abc"}
    model = MTCMRL(2, affinity=given, n_init=1, random_state=0).fit(X, tasks=TASKS)
    new = table(5, seed=7)
    np.testing.assert_array_equal(model.predict(new, tasks="c"), (new @ model.coef_[2]).argmax(1))


def test_the_median_bandwidth_is_kept():
    X = table(5) + 0.1
    for name in ("gaussian", "itakura-saito"):
        model = MTCMRL(2, affinity=name, n_init=1, random_state=0).fit(X, tasks=TASKS)
        random = np.random.RandomState(0)
        assert model.bandwidth_ == similarities.median_bandwidth(name, X, random)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"regression_weight": -1}, "regression_weight is -1; give a number of at least 0"),
        ({"relation_weight": np.nan}, "relation_weight is nan; give a number of at least 0"),
        ({"shrinkage": 0}, "shrinkage is 0; give a number greater than 0"),
        ({"evenness": 0}, "evenness is 0; give a number greater than 0"),
        ({"first_weights": np.inf}, "first_weights is inf; give a number"),
        ({"solver": "guess"}, "solver is 'guess'; choose one of 'projection', 'quadratic-program'"),
        ({"affinity": "sine"}, "affinity is 'sine'; choose one of 'auto', 'cosine', "),
        ({"affinity": np.eye(3)}, "affinity is an array"),
        ({"affinity": {"a": np.eye(6)}}, "affinity has no entry for task 'b'; give a symmetric"),
        ({"affinity": dict.fromkeys("abc", np.eye(6))}, r"give a symmetric \(5, 5\) matrix"),
        ({"affinity": lambda A, B: A}, r"give a symmetric \(6, 6\) matrix"),
        ({"affinity": "itakura-saito"}, "entries that are 0 or negative; give positive numbers"),
        ({"affinity": "gaussian", "bandwidth": 0}, "bandwidth is 0; give a number greater than 0"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1}, "tol is -1; give a number of at least 0"),
    ],
)
def test_a_parameter_out_of_range_is_refused(parameters, told):
    with pytest.raises(InputError, match=told):
        MTCMRL(2, **parameters).fit(table(signed=True), tasks=TASKS)


def test_sparse_tables_have_no_divergence():
    with pytest.raises(InputError, match="entries that are 0 or negative"):
        MTCMRL(2, affinity="itakura-saito").fit(sp.csr_array(table()), tasks=TASKS)


@parametrize_with_checks([MTCMRL(**QUICK), MTCMRL(**QUICK, affinity="gaussian")])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def exact_problem(seed=1, weights=None, order=(0, 1, 2)):
    """Draw a problem with signed X and M and a state, with tasks in any order."""
    X = tables(table(5, signed=True))
    M = [cosines(x) for x in X]
    Y, W, G = drawn(X, M, seed)
    p = problem(X, M, weights, update="exact")
    s = state(p, X, Y, W, G)
    columns = np.concatenate([np.arange(p.own[t].start, p.own[t].stop) for t in order])
    ends = np.cumsum([K[t] for t in order])
    own = [slice(int(e) - K[t], int(e)) for e, t in zip(ends, order)]
    ordered = [[items[t] for t in order] for items in (p.ridges, p.M, p.sizes)]
    p = Problem(*ordered, own, p.lam, p.mu, p.alpha, p.beta)
    tasks = tuple(s.tasks[t] for t in order)
    return p, State(tasks, s.W[:, columns], s.G[np.ix_(columns, columns)]), columns


def literal_objective(p, s):
    """Objective from Y, W and G by the oracle's loops."""
    X = tables(table(5, signed=True))
    W = [s.W[:, own] for own in p.own]
    pairs = [(t, u) for t in range(3) for u in range(t + 1, 3)]
    G = {(t, u): s.G[p.own[t], p.own[u]] for t, u in pairs}
    Y = [task.factor.Y for task in s.tasks]
    M = [cosines(x) for x in X]
    return oracles_mtcmrl.objective(X, M, Y, W, G, p.lam, p.mu, p.alpha, p.beta)


@pytest.mark.parametrize("alpha", [0.0, 1.3, 40.0])
@pytest.mark.parametrize("lam", [0.0, 0.7, 20.0])
def test_no_exact_sweep_raises_the_objective(lam, alpha):
    p, s, _ = exact_problem(weights={**WEIGHTS, "lam": lam, "alpha": alpha})
    before = literal_objective(p, s)
    for _ in range(8):
        s = model_relations.sweep(p, s)
        after = literal_objective(p, s)
        assert after <= before * (1 + 1e-12)
        assert min(task.factor.Y.min() for task in s.tasks) >= 0
        assert model_relations.objective(p, s) == pytest.approx(after, rel=1e-10)
        before = after


def test_an_exact_sweep_goes_to_the_solutions_of_rows_and_regressions():
    p, s, _ = exact_problem()
    X = tables(table(5, signed=True))
    W = [s.W[:, own] for own in p.own]
    swept = model_relations.sweep(p, s)
    for t in range(3):
        others = [(W[u], swept.G[p.own[t], p.own[u]]) for u in range(3) if u != t]
        for V, g in others:
            np.testing.assert_allclose(g, oracles_mtcmrl.relation(W[t], V, 0.2), atol=1e-10)
        Y = s.tasks[t].factor.Y
        V = oracles_mtcmrl.regression(X[t], Y, others, 0.7, 0.4, 1.3)
        np.testing.assert_allclose(swept.last.D[-1][:, p.own[t]], V - W[t], atol=1e-10)
        wide = np.vstack([Y, np.sqrt(0.7) * np.eye(K[t])])
        rows = [np.append(m, np.sqrt(0.7) * q) for m, q in zip(cosines(X[t]), s.tasks[t].Q)]
        np.testing.assert_allclose(swept.last.D[t], [nnls(wide, r)[0] for r in rows] - Y, atol=1e-9)


def test_an_exact_sweep_goes_as_far_as_the_objective_falls():
    p, s, _ = exact_problem()
    for _ in range(2):
        before, s = s, model_relations.sweep(p, s)
    shares = np.linspace(0.5, 1.0, 21)  # beyond may be Y < 0
    values = []
    for share in shares:
        between = [
            a._replace(factor=Factor(a.factor.Y + share * (b.factor.Y - a.factor.Y), None, None))
            for a, b in zip(before.tasks, s.tasks)
        ]
        W = before.W + share * (s.W - before.W)
        values.append(literal_objective(p, State(tuple(between), W, s.G)))
    assert literal_objective(p, s) <= min(values) + 1e-9
    assert np.ptp(values) > 1e-4


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_the_order_of_tasks_does_not_matter(order):
    p, s, _ = exact_problem()
    other, turned, columns = exact_problem(order=order)
    for _ in range(4):
        s = model_relations.sweep(p, s)
        turned = model_relations.sweep(other, turned)
        np.testing.assert_allclose(turned.W, s.W[:, columns], atol=1e-10)
        for i, t in enumerate(order):
            a, b = turned.tasks[i].factor.Y, s.tasks[t].factor.Y
            np.testing.assert_allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("affinity", AFFINITIES)
@pytest.mark.parametrize("max_iter", [1, 6, 300])
def test_rows_of_the_fit_are_predicted_as_they_were_clustered(affinity, max_iter):
    """Also for cut-short descents and repeated rows."""
    X = table(5) + 0.1
    X[1] = X[0]
    settings = {"bandwidth": 1.3, "n_init": 2, "random_state": 0}
    model = MTCMRL(2, affinity=affinity, max_iter=max_iter, **settings).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(model.predict(X, tasks=TASKS), model.labels_)
    largest = np.concatenate([Y.argmax(axis=1) for Y in model.memberships_])
    np.testing.assert_array_equal(largest, model.labels_)


def test_rows_far_from_unit_length_are_told():
    with pytest.warns(ScaleWarning, match="rows of X have length .* shrinkage is meant for"):
        MTCMRL(2, n_init=1, max_iter=1).fit(30.0 * table(5), tasks=TASKS)


@pytest.mark.parametrize("k", [[2, 2, 2, 2], [2, 3, 3, 2, 2], [4], [1, 2]])
def test_relations_found_at_once_are_those_of_each_pair(k):
    random = np.random.default_rng(0)
    ends = np.cumsum(k)
    own = [slice(end - k_t, end) for end, k_t in zip(ends.tolist(), k, strict=True)]
    p = Problem([], [], [], own, 1.0, 1.0, 1.0, beta=0.7)
    W = random.normal(size=(5, sum(k)))
    found = model_relations.relations(p, W, model_relations.even(k))
    for t, a in enumerate(own):
        for b in own[:t]:
            A = np.array([[np.sum((x - y) ** 2) for y in W[:, b].T] for x in W[:, a].T])
            g = simplex.project(-A.ravel() / (2 * 0.7)).reshape(A.shape)
            np.testing.assert_allclose(found[a, b], g, atol=1e-14)
            np.testing.assert_array_equal(found[b, a], found[a, b].T)
        np.testing.assert_array_equal(found[a, a], 0.0)


def test_a_sweep_projects_the_relations_of_a_task_with_all_tasks_at_once(monkeypatch):
    calls = []
    project = simplex.project
    monkeypatch.setattr(
        simplex, "project", lambda V, axis=None: calls.append(1) or project(V, axis)
    )
    own = [slice(3 * t, 3 * t + 3) for t in range(6)]
    p = Problem([], [], [], own, 1.0, 1.0, 1.0, beta=0.7)
    W = np.random.default_rng(0).normal(size=(4, 18))
    model_relations.relations(p, W, model_relations.even([3] * 6))
    assert len(calls) == 6


def test_a_second_fit_forgets_the_affinity_of_the_first():
    def kernel(A, B):
        return np.exp(-np.square(A[:, None] - B).sum(axis=2))

    rows = np.abs(np.random.default_rng(0).normal(size=(24, 3)))
    tasks = np.repeat(["a", "b"], 12)
    few = {"n_init": 2, "max_iter": 20, "random_state": 0}
    again = MTCMRL(2, affinity="gaussian", **few).fit(rows, tasks=tasks)
    again.set_params(affinity=kernel).fit(rows, tasks=tasks)
    fresh = MTCMRL(2, affinity=kernel, **few).fit(rows, tasks=tasks)
    assert not hasattr(again, "affinity_")
    assert again.bandwidth_ is None
    # Cosines are divided by degrees by default, and a function is not.
    again.set_params(affinity="cosine").fit(rows, tasks=tasks)
    again.set_params(affinity=kernel).fit(rows, tasks=tasks)
    np.testing.assert_allclose(again.objective_trace_, fresh.objective_trace_)
