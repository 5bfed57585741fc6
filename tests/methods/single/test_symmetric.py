import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from scipy.spatial.distance import pdist

import oracles
from kinfolk.errors import InputError
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import memberships, starts

RANDOM = np.random.default_rng(0)
X = abs(RANDOM.normal(size=(14, 4)) * 0.4 + 2 * np.eye(4)[np.arange(14) % 3])


def cosines(X):
    return np.array([[oracles.cosine(a, b) for b in X] for a in X])


def kernel(X, h):
    return np.array([[oracles.gaussian(h)(a, b) for b in X] for a in X])


def swept(M, labels, k, sweeps):
    Y = memberships.indicator(labels, k, 0.2)
    for _ in range(sweeps):
        Y = oracles.symmetric_step(M, Y)
    return Y


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("affinity", ["cosine", "gaussian", "precomputed"])
def test_sweeps_and_objective_are_the_printed_formulas(affinity):
    M = kernel(X, 1.5) if affinity == "gaussian" else cosines(X)
    table = M if affinity == "precomputed" else X
    settings = {"affinity": affinity, "bandwidth": 1.5, "n_init": 1, "tol": 0, "random_state": 3}
    model = SymNMF(3, max_iter=2, update="multiplicative", **settings).fit(table)
    rows = {"cosine": X / np.linalg.norm(X, axis=1)[:, None]}.get(affinity, table)
    first = starts.kmeans(rows, 3, starts.seeds(np.random.RandomState(3), 1)[0])
    for sweeps, value in enumerate(model.objective_trace_):
        Y = swept(M, first, 3, sweeps)
        assert value == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-10)
    np.testing.assert_allclose(model.memberships_, Y, rtol=1e-9)
    np.testing.assert_array_equal(model.labels_, Y.argmax(axis=1))
    assert np.ptp(model.objective_trace_) > 0.1


@pytest.mark.usefixtures("rows_as_given")
def test_the_printed_steps_may_start_from_the_best_of_several_k_means_and_divide_by_degrees():
    settings = {"affinity": "cosine", "n_init": 1, "max_iter": 2, "tol": 0, "random_state": 3}
    printed = {"update": "multiplicative", "divide_by_degrees": True, "kmeans_n_init": 12}
    model = SymNMF(3, **settings, **printed).fit(X)
    seed = starts.seeds(np.random.RandomState(3), 1)[0]
    first = starts.means(X / np.linalg.norm(X, axis=1)[:, None], 3, seed, n_init=12).labels_
    M = cosines(X)
    d = M.sum(axis=1)
    balanced = d.mean() * M / np.sqrt(np.outer(d, d))
    np.testing.assert_allclose(model.memberships_, swept(balanced, first, 3, 2), rtol=1e-9)


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_cosines_do_not_see_the_length_of_a_row(scale):
    lengths = scale * RANDOM.uniform(0.1, 10, size=(14, 1))
    a, b = (SymNMF(3, affinity="cosine", n_init=1, random_state=0).fit(T) for T in (X, lengths * X))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-9)


def test_a_kernel_does_not_see_the_unit_of_length():
    settings = {"affinity": "gaussian", "n_init": 1, "random_state": 0}
    a, b = (SymNMF(3, **settings).fit(c * X) for c in (1.0, 40.0))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.bandwidth_ == pytest.approx(40 * a.bandwidth_)
    assert a.bandwidth_ == pytest.approx(np.median(pdist(X)))


def test_blocks_of_ones_are_factored_exactly():
    labels = np.array([0, 0, 1, 1, 1, 2, 2])
    M = (labels[:, None] == labels[None, :]).astype(float)
    for table in (M, sp.csr_array(M)):
        model = SymNMF(3, affinity="precomputed", tol=0, random_state=0).fit(table)
        assert model.objective_trace_[-1] == pytest.approx(0, abs=1e-6)
        assert len(set(zip(labels, model.labels_, strict=True))) == 3


def test_the_similarity_may_be_given_instead_of_the_table():
    for divide in (True, False):
        settings = {"n_init": 8, "random_state": 0, "divide_by_degrees": divide}
        a = SymNMF(3, affinity="cosine", **settings).fit(X)
        b = SymNMF(3, affinity="precomputed", **settings).fit(cosines(X))
        assert len(set(zip(a.labels_, b.labels_, strict=True))) == 3
        assert a.objective_trace_[-1] == pytest.approx(b.objective_trace_[-1], rel=1e-3)


@pytest.mark.parametrize("affinity", ["cosine", "gaussian", "precomputed"])
def test_rows_like_those_of_a_group_join_it(affinity):
    M = kernel(X, 1.5) if affinity == "gaussian" else cosines(X)
    table = M if affinity == "precomputed" else X
    model = SymNMF(3, affinity=affinity, bandwidth=1.5, random_state=0).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    if affinity != "precomputed":
        near = X * (1 + 0.01 * RANDOM.normal(size=X.shape))
        np.testing.assert_array_equal(model.predict(near), model.labels_)


@pytest.mark.parametrize("table", [X, np.triu(cosines(X))], ids=["not square", "not symmetric"])
def test_a_precomputed_similarity_must_be_symmetric(table):
    with pytest.raises(InputError, match=r"affinity is 'precomputed'.*give a symmetric \(n, n\)"):
        SymNMF(affinity="precomputed").fit(table)


@pytest.mark.parametrize("affinity", ["cosine", "gaussian"])
def test_a_new_row_gets_the_memberships_that_minimise_its_part_of_the_objective(affinity):
    model = SymNMF(3, affinity=affinity, bandwidth=1.5, n_init=1, random_state=0).fit(X)
    new = abs(RANDOM.normal(size=(12, 4)))
    Z = np.vstack([X, new])
    M = (kernel(Z, 1.5) if affinity == "gaussian" else cosines(Z))[14:, :14]
    expected = [nnls(model.memberships_, m)[0].argmax() for m in M]
    assert model.predict(new).tolist() == expected


def test_a_similarity_with_negative_entries_descends_by_the_fourth_root():
    signed = X - X.mean(axis=0)
    M = cosines(signed)
    assert M.min() < -0.3
    settings = {"n_init": 1, "tol": 0, "max_iter": 60, "random_state": 0}
    model = SymNMF(3, affinity="cosine", update="multiplicative", **settings).fit(signed)
    assert np.diff(model.objective_trace_).max() <= 1e-9 * model.objective_trace_[0]
    Y = model.memberships_
    assert model.objective_trace_[-1] == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-9)


def test_rows_of_zeros_have_no_similarity_and_cluster_0():
    table = np.vstack([X, np.zeros((2, 4))])
    model = SymNMF(3, affinity="cosine", n_init=2, random_state=0).fit(table)
    np.testing.assert_array_equal(model.labels_[14:], 0)
    np.testing.assert_array_equal(model.memberships_[14:], 0)


def test_rounding_of_a_similarity_is_taken_for_symmetric():
    M = cosines(X)
    model = SymNMF(3, affinity="precomputed", n_init=1, random_state=0)
    model.fit(M + 1e-10 * np.triu(np.ones_like(M)))
    with pytest.raises(InputError, match="give a symmetric"):
        model.fit(M + 1e-6 * np.triu(np.ones_like(M)))


def test_only_what_new_rows_need_is_kept():
    cosine = SymNMF(3, affinity="cosine", n_init=1, random_state=0).fit(X)
    assert cosine._profiles.shape == (4, 3)
    assert cosine._rows is None
    gaussian = SymNMF(3, affinity="gaussian", n_init=1, random_state=0).fit(X)
    assert gaussian._profiles is None
    assert gaussian._rows.shape == X.shape


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"affinity": "sine"}, "affinity is 'sine'; choose one of 'auto', 'cosine', "),
        ({"affinity": "gaussian", "bandwidth": 0}, "bandwidth is 0; give a number greater than 0"),
        ({"neighbors": 0}, "neighbors is 0; give a number greater than 0"),
        ({"update": "slow"}, "update is 'slow'; choose one of 'exact', 'multiplicative'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1}, "tol is -1; give a number of at least 0"),
        ({"n_clusters": 15}, "n_clusters is 15 but X has only 14 rows"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        SymNMF(**parameters).fit(X)


AFFINITIES = ["cosine", "gaussian", "local-gaussian", "local-neighbors", "precomputed"]


@pytest.mark.parametrize("affinity", AFFINITIES)
@pytest.mark.parametrize("max_iter", [1, 5, 300])
def test_rows_of_the_fit_are_predicted_as_they_were_clustered(affinity, max_iter):
    """Also for cut-short descents: labels solve each row's problem."""
    random = np.random.default_rng(3)
    table = random.normal(size=(40, 5)) + 1.0
    table = np.vstack([table, table[:3], np.zeros((1, 5))])
    M = kernel(table, 1.5) if affinity == "gaussian" else cosines(table)
    given = M if affinity == "precomputed" else table
    settings = {"bandwidth": 1.5, "n_init": 2, "random_state": 0}
    model = SymNMF(4, affinity=affinity, max_iter=max_iter, **settings).fit(given)
    np.testing.assert_array_equal(model.predict(given), model.labels_)
    found = model.memberships_.any(axis=1)
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1)[found], model.labels_[found])


def test_measurements_are_compared_with_their_nearest_rows():
    table = RANDOM.normal(size=(60, 3)) + 3.0 * np.eye(3)[np.arange(60) % 3]
    model = SymNMF(3, random_state=0).fit(table)
    assert (model.affinity_, model.n_neighbors_) == ("local-neighbors", 10)
    affinity = oracles.local_neighbors([table], 10)
    M = np.array([[affinity(a, b) for b in table] for a in table])
    same = SymNMF(3, affinity="precomputed", divide_by_degrees=True, random_state=0).fit(M)
    # Starts differ, as k-means sees the rows here and M there.
    assert model.objective_trace_[-1] == pytest.approx(same.objective_trace_[-1], rel=1e-6)
    one, two = (SymNMF(3, neighbors=share, random_state=0).fit(table) for share in (0.25, 99))
    assert (one.n_neighbors_, two.n_neighbors_) == (5, 59)
    whole = SymNMF(3, affinity="local-gaussian", random_state=0).fit(table)
    np.testing.assert_array_equal(two.labels_, whole.labels_)


def test_exact_updates_end_lower_in_fewer_sweeps():
    settings = {"n_init": 3, "max_iter": 3000, "tol": 1e-9, "random_state": 0}
    settings["divide_by_degrees"] = False  # as the printed steps have it
    exact, printed = (SymNMF(3, update=u, **settings).fit(X) for u in ("exact", "multiplicative"))
    assert exact.objective_trace_[-1] <= printed.objective_trace_[-1] * (1 + 1e-4)
    assert exact.n_iter_ < printed.n_iter_
    assert exact.converged_
