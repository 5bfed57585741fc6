import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_comvcf as oracles
from kinfolk.errors import ConceptWarning, EmptyClusterWarning
from kinfolk.methods.single import concept
from kinfolk.methods.single.concept import ConceptFactorization, Problem, State
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.numerics import concepts, graphs
from kinfolk.numerics.concepts import GramKernel

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(18, 4)) * 0.4 + 2 * np.eye(4)[np.arange(18) % 3]


QUICK = {"n_init": 1, "max_iter": 4}


def refusals(estimator):
    """Checks that a graph does not pass, as it takes no weights but 1."""
    if estimator.graph_weight == 0:
        return {}
    kinds = ["s_list", "s_not_overwritten"]
    kinds += [f"_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return dict.fromkeys([f"check_sample_weight{kind}" for kind in kinds], "weights and a graph")


@pytest.mark.usefixtures("short_sweeps_in_one_test")
@parametrize_with_checks(
    [ConceptFactorization(**QUICK), ConceptFactorization(graph_weight=1.0, **QUICK)],
    expected_failed_checks=refusals,
)
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("gamma", [0.0, 3.0])
@pytest.mark.parametrize("table", [X, abs(X), -abs(X)], ids=["signed", "positive", "negative"])
def test_one_sweep_and_the_objective_are_the_formulas(table, gamma):
    graph = graphs.heat_graph(table, 3, 1.5)
    S = oracles.nearest_graph(table, 3, 1.5)
    problem = Problem(GramKernel(table), graph, gamma, False)
    Y, G = RANDOM.uniform(size=(2, 18, 3))
    s = State(Y, G, problem.K.times(G))
    found = concept.sweep(problem, s)
    printed = bool(table.min() >= 0)
    G = oracles.concept_step(table, Y, G, printed)
    Y = oracles.membership_step(
        [table], S, Y, [G], np.zeros(18, int), np.zeros((1, 3)), [1], 1, 0, gamma, printed
    )
    np.testing.assert_allclose(found.G, G, rtol=1e-10)
    np.testing.assert_allclose(found.Y, Y, rtol=1e-10)
    J = oracles.squares(Y, table, G) + gamma * oracles.roughness(S, Y)
    assert concept.objective(problem, found) == pytest.approx(J, rel=1e-10)
    assert abs(found.Y - s.Y).max() > 0.1


@pytest.mark.parametrize("update", ["exact", "multiplicative"])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("gamma", [0.0, 2.0, 1e4])
def test_the_objective_never_rises_from_random_factors(gamma, normalize, update):
    settings = {"graph_weight": gamma, "normalize": normalize, "init": "random", "n_init": 1}
    settings |= {"update": update, "max_iter": 60 if update == "multiplicative" else 2}
    for seed in range(2):
        table = np.random.default_rng(seed).normal(size=(30, 5))
        for n_neighbors in (1, 4):
            model = ConceptFactorization(
                3, n_neighbors=n_neighbors, tol=0, random_state=seed, **settings
            ).fit(table)
            laws.assert_never_rises(model)
            assert model.objective_trace_[-1] < 0.9 * model.objective_trace_[0]


@pytest.mark.usefixtures("rows_as_given")
def test_normalized_factors_have_concepts_of_unit_length_and_the_objective_of_the_trace():
    model = ConceptFactorization(3, graph_weight=2.0, normalize=True, random_state=0).fit(X)
    Y, G = model._factor, model.concept_weights_
    np.testing.assert_allclose(np.diag(G.T @ X @ X.T @ G), 1)
    S = oracles.nearest_graph(X, 5, model.bandwidth_)
    J = oracles.squares(Y, X, G) + 2.0 * oracles.roughness(S, Y)
    assert model.objective_trace_[-1] == pytest.approx(J, rel=1e-9)


def test_without_the_norm_the_graph_term_is_lowered_by_longer_concepts():
    settings = {"graph_weight": 50.0, "n_init": 1, "tol": 0, "max_iter": 300, "random_state": 0}
    settings |= {"update": "multiplicative"}
    free, held = (ConceptFactorization(3, normalize=n, **settings).fit(X) for n in (False, True))
    assert free._scale.min() > 1.5
    np.testing.assert_array_equal(held._scale, 1)
    S = oracles.nearest_graph(X, 5, free.bandwidth_)
    for model, share in ((free, 0.98), (held, 1.0)):
        Y, G = model.memberships_, model.concept_weights_
        J = oracles.squares(Y, X, G) + 50 * oracles.roughness(S, Y)
        assert model.objective_trace_[-1] <= share * J * (1 + 1e-9)


def test_groups_of_multiples_are_factored_exactly():
    directions = np.array([[1.0, -1, 0, 2], [1, 1, 3, 0], [0, 2, -1, 1]])
    truth = np.arange(15) % 3
    table = RANDOM.uniform(1, 3, size=(15, 1)) * directions[truth]
    model = ConceptFactorization(3, n_init=1, tol=0, max_iter=1000, random_state=0).fit(table)
    assert model.objective_trace_[-1] < 1e-6 * np.sum(table**2)
    assert laws.same_clusters(model.labels_, truth)
    rebuilt = model.memberships_ @ model.concepts_
    np.testing.assert_allclose(rebuilt, table, atol=0.02)


@pytest.mark.parametrize(
    ("settings", "weight", "factor"),
    [
        ({}, 0.0, 1.0),
        ({}, 2.0, 1.0),
        ({"update": "multiplicative"}, 2.0, 1.0),
        ({"update": "multiplicative", "normalize": False}, 2.0, 64.0),
    ],
)
def test_a_change_of_units_changes_units_only(settings, weight, factor):
    a, b = (ConceptFactorization(3, graph_weight=g, random_state=0, **settings, **QUICK).fit(c * X)
            for c, g in ((1.0, weight), (8.0, factor * weight)))  # fmt: skip
    np.testing.assert_array_equal(a.labels_, b.labels_)
    # Quasi-Newton steps magnify rounding on their way, less so at its end.
    np.testing.assert_allclose(b.objective_trace_, 64 * a.objective_trace_, rtol=1e-3)
    away = np.linalg.norm(b.memberships_ - 8 * a.memberships_)
    assert away < 0.02 * np.linalg.norm(b.memberships_)


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"graph_weight": 5.0},
        {"graph_weight": 5.0, "normalize": False, "update": "multiplicative"},
        {"graph_weight": 5.0, "affinity": "binary"},
    ],
)
def test_new_rows_get_the_memberships_that_lower_their_part_of_the_objective(settings):
    model = ConceptFactorization(3, random_state=0, n_init=1, **settings).fit(X)
    gamma = settings.get("graph_weight", 0)
    h = np.inf if settings.get("affinity") == "binary" else getattr(model, "bandwidth_", 1.0)
    rows = X + 0.2 * RANDOM.normal(size=X.shape)
    scale = 1.0 if settings.get("normalize", True) else model._scale

    def part(x, y, nearest):
        J = np.sum((x - y @ model.concepts_) ** 2)
        for i in nearest:
            weight = np.exp(-np.sum((x - X[i]) ** 2) / (2 * h**2))
            J += gamma * weight * np.sum(((y - model._factor[i]) / scale) ** 2)
        return J

    for x, y in zip(rows, model.predict_memberships(rows), strict=True):
        assert y.min() >= 0
        nearest = sorted(range(18), key=lambda i: np.sum((x - X[i]) ** 2))[:5]
        best = part(x, y, nearest)
        for _ in range(20):
            other = np.maximum(y + 0.05 * RANDOM.normal(size=3), 0)
            assert best <= part(x, other, nearest) + 1e-9
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_row_that_no_concept_helps_to_build_gets_the_least_opposed():
    model = ConceptFactorization(3, random_state=0).fit(X)
    opposed = -model.concepts_.sum(axis=0, keepdims=True)
    assert (model.predict_memberships(opposed) == 0).all()
    assert model.predict(opposed) == (opposed @ model.concepts_.T).argmax()


OUTLIER = np.vstack([X, [[1e4, -1e4, 3e3, 0.0]]])
TABLES = {
    "plain": X,
    "single precision": X.astype(np.float32),
    "sparse": sp.csr_array(np.where(abs(X) > 0.3, X, 0.0)),
    "duplicate rows": np.repeat(X[:7], 4, axis=0),
    "zero rows": X * (np.arange(18) % 4 > 0)[:, None],
    "a far outlier": OUTLIER,
    "negative": -abs(X),
    "one far mean": X + 100.0,
}


@pytest.mark.parametrize("gamma", [0.0, 1.0])
@pytest.mark.parametrize("table", TABLES)
def test_rows_of_the_fit_keep_their_labels_and_memberships(table, gamma):
    rows = TABLES[table]
    model = ConceptFactorization(3, graph_weight=gamma, random_state=0, **QUICK).fit(rows)
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    np.testing.assert_array_equal(model.predict_memberships(rows), model.memberships_)
    held = model.memberships_.any(axis=1)
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1)[held], model.labels_[held])


def test_ten_times_more_sweeps_change_nothing():
    settings = {"n_init": 1, "random_state": 0}
    model = ConceptFactorization(3, **settings).fit(X)
    more = ConceptFactorization(3, tol=0, max_iter=10 * model.n_iter_, **settings).fit(X)
    assert model.converged_
    assert model.objective_trace_[-1] <= 1.001 * more.objective_trace_[-1]
    np.testing.assert_array_equal(model.labels_, more.labels_)


def test_exact_sweeps_end_lower_than_many_multiplicative_ones():
    settings = {"n_init": 1, "random_state": 0}
    exact = ConceptFactorization(3, **settings).fit(X)
    printed = ConceptFactorization(
        3, update="multiplicative", max_iter=2000, tol=0, **settings
    ).fit(X)
    assert exact.n_iter_ <= 20
    assert exact.objective_trace_[-1] <= printed.objective_trace_[-1] * (1 + 1e-6)


def test_labels_of_a_multiplicative_fit_are_its_largest_memberships():
    model = ConceptFactorization(3, update="multiplicative", random_state=0, **QUICK).fit(X)
    np.testing.assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))


def test_clusters_that_cut_through_those_of_k_means_are_reported():
    table = np.array([[1.0, 1.0], [5.0, 5.0]]).repeat(10, axis=0) + 0.3 * RANDOM.normal(
        size=(20, 2)
    )
    with pytest.warns(ConceptWarning, match=r"clusters have .* Try graph_weight=1, or SoftKMeans"):
        ConceptFactorization(2, random_state=0).fit(table)


def test_clusters_of_k_means_without_scatter_are_told_in_words():
    with pytest.warns(EmptyClusterWarning), pytest.warns(ConceptWarning) as told:
        ConceptFactorization(2, graph_weight=1.0, random_state=0).fit([[1.0, 0.3], [5.0, 1.4]])
    said = next(str(one.message) for one in told if one.category is ConceptWarning)
    assert said.startswith("clusters join rows that differ, and k-means clusters have equal rows")


def test_concept_factorization_with_one_concept_a_row_is_soft_k_means():
    """Its centers are made of rows too, with weights Y / |Y|^2 that are not negative."""
    found = SoftKMeans(3, random_state=0).fit(X)
    Y = found.memberships_
    G = Y / np.sum(np.square(Y), axis=0)
    assert (Y > 0).sum(axis=1).max() == 1
    assert G.min() >= 0
    np.testing.assert_allclose(G.T @ X, found.cluster_centers_, atol=1e-8)
    K = GramKernel(X)
    J = concepts.residual(K, Y, G, K.times(G))
    assert pytest.approx(found.objective_trace_[-1], rel=1e-9) == J
    # A row may have several concepts here, so that the minimum is lower, and cuts through groups.
    alone = ConceptFactorization(3, n_init=10, random_state=0).fit(X)
    assert alone.objective_trace_[-1] < J
