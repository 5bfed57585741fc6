import numpy as np
import pytest
from sklearn.cluster import KMeans

import oracles
from kinfolk.blocks import Block
from kinfolk.errors import EmptyClusterWarning, InputError
from kinfolk.methods.single import entropy
from kinfolk.methods.single.entropy import MEC, State
from kinfolk.methods.transfer.entropy_transfer import KTMEC
from kinfolk.numerics import distances, entropic, memberships, starts

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3)) + 2.5 * np.eye(3)[np.arange(40) % 3]


def free_energy(X, V, gamma):
    """Free energy -gamma sum log sum exp(-D/gamma), the minimum over memberships."""
    D = np.square(X[:, None] - V[None]).sum(axis=2)
    return -gamma * np.log(np.exp(-D / gamma).sum(axis=1)).sum()


@pytest.mark.parametrize("gamma", [0.3, 2.0, 10.0])
def test_one_sweep_and_the_objective_are_the_printed_formulas(gamma):
    mean, scatter = X.mean(axis=0), distances.scatter(X)
    s = entropy.with_memberships(Block(X), RANDOM.normal(size=(4, 3)), gamma, mean)
    U = entropic.mixture(X, [(1.0, entropy.membership_rule(s.V, gamma))])
    found = entropy.sweep(Block(X), s, gamma, mean)
    U_next, V_next = oracles.mec_sweep(X, U, gamma)
    assert abs(U_next - U).max() > 0.1
    np.testing.assert_allclose(found.V, V_next, rtol=1e-12)
    np.testing.assert_allclose(found.U.mass, U_next.sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(found.U.sums, U_next.T @ X, rtol=1e-10, atol=1e-12)
    for state, expected in ((s, U), (found, U_next)):
        assert entropy.objective(state, gamma, scatter) == pytest.approx(
            oracles.mec_objective(X, expected, state.V, gamma), rel=1e-12
        )


@pytest.mark.parametrize("gamma", [0.5, 3.0, 20.0])
def test_the_last_objective_is_the_free_energy_of_the_centers(gamma):
    model = MEC(3, temperature=gamma, random_state=0).fit(X)
    assert model.objective_trace_[-1] == pytest.approx(
        free_energy(X, model.cluster_centers_, gamma), rel=1e-12
    )
    U = model.memberships_
    stationary = memberships.centers(X, U)
    strict = MEC(3, temperature=gamma, tol=0, max_iter=5000, random_state=0).fit(X)
    np.testing.assert_allclose(
        strict.cluster_centers_, memberships.centers(X, strict.memberships_), atol=1e-6
    )
    np.testing.assert_allclose(U.sum(axis=1), 1)
    assert abs(stationary - model.cluster_centers_).max() < 0.05


def test_a_cold_temperature_is_k_means():
    cold = MEC(3, temperature=1e-6, n_init=1, random_state=0, tol=0).fit(X)
    start = MEC(3, temperature=1e-6, n_init=1, max_iter=1, random_state=0).fit(X)
    lloyd = KMeans(3, init=start.cluster_centers_, n_init=1, tol=0, max_iter=1000).fit(X)
    np.testing.assert_allclose(cold.cluster_centers_, lloyd.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(cold.labels_, lloyd.labels_)
    assert cold.objective_trace_[-1] == pytest.approx(lloyd.inertia_, rel=1e-9)


def test_centers_meet_at_the_mean_above_the_critical_temperature_only():
    critical = 2 * np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    settings = {"tol": 0, "max_iter": 3000, "random_state": 0, "n_init": 1}
    hot = MEC(3, temperature=1.05 * critical, **settings).fit(X)
    np.testing.assert_allclose(hot.cluster_centers_, np.tile(X.mean(axis=0), (3, 1)), atol=1e-3)
    warm = MEC(3, temperature=0.8 * critical, **settings).fit(X)
    assert abs(warm.cluster_centers_ - X.mean(axis=0)).max() > 0.1


@pytest.mark.parametrize("gamma", [1.0, 5.0])
def test_a_change_of_units_changes_units_only(gamma):
    c = 7.0
    a = MEC(3, temperature=gamma, random_state=0).fit(X)
    b = MEC(3, temperature=c**2 * gamma, random_state=0).fit(c * X)
    np.testing.assert_allclose(b.memberships_, a.memberships_, atol=1e-9)
    np.testing.assert_allclose(b.cluster_centers_, c * a.cluster_centers_, atol=1e-8)
    np.testing.assert_allclose(b.objective_trace_, c**2 * a.objective_trace_, rtol=1e-10)


def test_the_automatic_temperature_has_the_units_of_the_data():
    a, b = (MEC(3, random_state=0).fit(c * X).temperature_ for c in (1.0, 10.0))
    assert b == pytest.approx(100 * a)
    hard = KMeans(3, n_init=1, random_state=0).fit(X)
    assert a == pytest.approx(2 * hard.inertia_ / X.size, rel=0.1)


@pytest.mark.usefixtures("rows_as_given")
def test_shifts_and_rotations_change_nothing():
    Q = np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]
    a, b = (MEC(3, temperature=1.0, random_state=0).fit(T) for T in (X, X @ Q + 5))
    np.testing.assert_allclose(a.memberships_, b.memberships_, atol=1e-7)


def test_predicted_memberships_are_equation_3():
    model = MEC(3, temperature=2.0, random_state=0).fit(X)
    new = RANDOM.normal(size=(6, 3))
    D = np.square(new[:, None] - model.cluster_centers_[None]).sum(axis=2)
    expected = np.exp(-D / 2) / np.exp(-D / 2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_memberships(new), expected)
    np.testing.assert_array_equal(model.predict(new), D.argmin(axis=1))
    np.testing.assert_allclose(model.predict_memberships(X), model.memberships_, atol=1e-12)


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 5.0, 100.0, 1e6])
def test_rows_of_the_fit_keep_their_labels_at_any_temperature(gamma):
    model = MEC(3, temperature=gamma, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_an_empty_cluster_gets_the_mean_and_does_not_stop_the_descent():
    mean = X.mean(axis=0)
    mass, sums = np.array([40.0, 0.0, 0.0]), np.zeros((3, 3))
    sums[0] = X.sum(axis=0)
    alone = State(np.zeros((3, 3)), entropic.Moments(mass, sums), 0.0)
    following = entropy.sweep(Block(X), alone, 1.0, mean)
    np.testing.assert_allclose(following.V, np.tile(mean, (3, 1)))
    np.testing.assert_allclose(following.U.mass, 40 / 3)


def test_one_cluster_has_the_mean_and_the_scatter():
    model = MEC(1, temperature=2.0, random_state=0).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, X.mean(axis=0, keepdims=True))
    np.testing.assert_array_equal(model.memberships_, 1)
    assert model.objective_trace_[-1] == pytest.approx(distances.scatter(X))


def test_rows_far_from_all_centers_have_finite_memberships():
    model = MEC(3, temperature=1e-3, random_state=0).fit(X)
    U = model.predict_memberships(np.array([[1e6, -1e6, 0.0], [0.0, 0.0, 1e9]]))
    assert np.isfinite(U).all()
    np.testing.assert_allclose(U.sum(axis=1), 1)


def test_copies_of_all_rows_change_the_objective_only():
    a, b = (MEC(3, temperature=2.0, n_init=2, tol=0, max_iter=500, random_state=0)
            .fit(np.vstack([X] * m)) for m in (1, 3))  # fmt: skip
    order = distances.squared(a.cluster_centers_, b.cluster_centers_).argmin(axis=1)
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_[order], atol=1e-5)
    assert b.objective_trace_[-1] == pytest.approx(3 * a.objective_trace_[-1], rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"temperature": 0}, "temperature is 0; give a number greater than 0"),
        ({"temperature": "warm"}, "temperature is 'warm'; give a number greater than 0"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1}, "tol is -1; give a number of at least 0"),
        ({"n_clusters": 41}, "n_clusters is 41 but X has only 40 rows"),
        ({"random_state": -2.5}, "random_state is -2.5"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        MEC(**parameters).fit(X)


@pytest.mark.usefixtures("rows_as_given")
def test_random_memberships_are_the_start_that_the_paper_names():
    U = np.random.RandomState(starts.seeds(np.random.RandomState(4), 1)[0]).uniform(
        size=(len(X), 3)
    )
    U /= U.sum(axis=1, keepdims=True)
    V = np.array(
        [sum(u * x for u, x in zip(U[:, c], X, strict=True)) / U[:, c].sum() for c in range(3)]
    )
    settings = {"temperature": 3.0, "n_init": 1, "max_iter": 1, "tol": 0.0, "random_state": 4}
    model = MEC(3, init="random", **settings).fit(X)
    distances = ((X[:, None] - V) ** 2).sum(axis=2)
    B = np.exp(-distances / 3.0)
    B /= B.sum(axis=1, keepdims=True)
    J = (B * distances).sum() + 3.0 * (B * np.log(B)).sum()
    assert model.objective_trace_[0] == pytest.approx(J, rel=1e-9)
    np.testing.assert_allclose(model.cluster_centers_, (B.T @ X) / B.sum(axis=0)[:, None])
    assert MEC(3, **settings).fit(X).objective_trace_[0] != pytest.approx(J, rel=1e-3)


def test_an_unknown_start_is_refused():
    with pytest.raises(InputError, match="init is 'warm'; choose"):
        MEC(3, init="warm").fit(X)


@pytest.mark.parametrize("cls", [MEC, KTMEC])
def test_a_constant_added_to_a_column_changes_neither_labels_nor_the_objective(cls):
    X = np.random.default_rng(0).normal(size=(60, 3)) + 6.0 * (np.arange(60) % 2)[:, None]
    near, far = (cls(2, random_state=0).fit(X + move) for move in (0.0, [5e8, 0.0, -2e8]))
    assert far.objective_trace_[-1] == pytest.approx(near.objective_trace_[-1], rel=1e-6)
    np.testing.assert_array_equal(far.labels_, near.labels_)


def test_fewer_distinct_rows_than_clusters_end_in_a_few_sweeps():
    X = np.repeat([[1.0, 0.0], [0.0, 1.0]], 5, axis=0)
    with pytest.warns(EmptyClusterWarning):
        model = MEC(3, random_state=0).fit(X)
    assert model.converged_
    assert model.n_iter_ < 20
