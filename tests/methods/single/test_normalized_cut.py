import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.errors import InputError
from kinfolk.estimators.renamed import current_names
from kinfolk.methods.single import normalized_cut
from kinfolk.methods.single.normalized_cut import NCut

RANDOM = np.random.default_rng(0)


@parametrize_with_checks([NCut(n_init=2)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("d", [5, 30])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_places_are_eigenvectors_of_the_scaled_similarity(form, d, signed):
    X = RANDOM.normal(size=(12, d)) + 1.0
    X = X if signed else abs(X)
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    M = np.array([[(1 + a @ b) / 2 if signed else a @ b for b in Z] for a in Z])
    scale = 1 / np.sqrt(M.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    F = normalized_cut.factor(form(X), signed)
    E = scale[:, None] * np.asarray(F @ normalized_cut.directions(F, 3))
    np.testing.assert_allclose(E @ E.T, vectors[:, -3:] @ vectors[:, -3:].T, atol=1e-9)


def test_blocks_are_cut_apart():
    X = np.kron(np.eye(3), np.ones((4, 2))) * RANDOM.uniform(0.5, 2.0, size=(12, 6))
    labels = NCut(3, random_state=0).fit_predict(X)
    assert laws.same_clusters(labels, np.repeat(np.arange(3), 4))


GROUPS = np.repeat(np.arange(3), 5)
CONES = np.eye(4)[GROUPS] + 0.2 * abs(RANDOM.normal(size=(15, 4)))


@pytest.mark.usefixtures("rows_as_given")
def test_the_length_of_a_row_does_not_matter():
    lengths = RANDOM.uniform(0.01, 100, size=(15, 1))
    a = NCut(3, affinity="cosine", n_init=2, random_state=0).fit(CONES)
    b = NCut(3, affinity="cosine", n_init=2, random_state=0).fit(lengths * CONES)
    assert laws.same_clusters(a.labels_, GROUPS)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.predict(lengths * CONES), a.labels_)


@pytest.mark.parametrize("shift", [0.0, -0.4])
def test_sparse_and_dense_tables_give_the_same_directions(shift):
    X = np.where(CONES > 0.1, CONES + shift, 0.0)
    a = NCut(3, affinity="cosine", n_init=2, random_state=0).fit(X)
    b = NCut(3, affinity="cosine", n_init=2, random_state=0).fit(sp.csr_array(X))
    assert a.signed_ == b.signed_ == (shift < 0)
    np.testing.assert_allclose(abs(a.directions_), abs(b.directions_), atol=1e-9)
    assert laws.same_clusters(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.predict(sp.csr_array(X)), a.labels_)


def test_opposite_rows_are_dissimilar_where_entries_are_negative():
    F = normalized_cut.factor(np.array([[1.0, -2.0], [-1.0, 2.0], [2.0, 1.0]]), True)
    np.testing.assert_allclose(F @ F.T, [[1, 0, 0.5], [0, 1, 0.5], [0.5, 0.5, 1]], atol=1e-12)


def test_rows_of_zeros_are_similar_to_none_and_do_no_harm():
    X = np.vstack([CONES, np.zeros((2, 4))])
    model = NCut(3, n_init=2, random_state=0).fit(X)
    assert laws.same_clusters(model.labels_[:15], GROUPS)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": 16}, "n_clusters is 16 but X has only 15 rows"),
        ({"n_clusters": 0}, "n_clusters is 0; give at least 1"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"n_init": 1.5}, "n_init is 1.5; give a whole number"),
        ({"random_state": "today"}, "random_state is 'today'"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        NCut(**parameters).fit(CONES)


@pytest.mark.parametrize("affinity", ["centered-cosine", "gaussian", "local-gaussian"])
def test_other_affinities_find_clear_groups_and_keep_their_rows(affinity):
    X = CONES - 3.0 * (affinity != "centered-cosine")
    model = NCut(3, affinity=affinity, random_state=0).fit(X)
    assert laws.same_clusters(model.labels_, GROUPS)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X + 0.01), model.labels_)


def test_a_kernel_is_cut_by_its_eigenvectors_without_the_diagonal():
    X = RANDOM.normal(size=(12, 3))
    M = np.array([[np.exp(-((a - b) @ (a - b)) / 2 / 0.8**2) for b in X] for a in X])
    W = M - np.eye(12)
    scale = 1 / np.sqrt(W.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * W * scale)
    model = NCut(3, affinity="gaussian", bandwidth=0.8, random_state=0).fit(X)
    # Rows of W, and not of M, lie at their eigenvectors: E = D^1/2 W D^-1/2 E / lambda.
    E = scale[:, None] * (W @ model.directions_)
    np.testing.assert_allclose(abs(E), abs(vectors[:, :-4:-1]), atol=1e-9)


def test_the_default_is_cosines_for_counts_and_a_kernel_for_measurements():
    counts = RANDOM.poisson(0.5, size=(15, 8)).astype(float)
    assert NCut(2, random_state=0).fit(counts).affinity_ == "cosine"
    model = NCut(2, random_state=0).fit(CONES - 1.0)
    assert model.affinity_ == "local-gaussian"


@pytest.mark.parametrize(("n", "k", "near"), [(12, 3, 3), (24, 3, 4), (300, 2, 10)])
def test_a_scale_is_the_distance_to_half_a_cluster_within_bounds(n, k, near):
    rows = np.random.default_rng(0).normal(size=(n, 3))
    chosen, given = (
        NCut(k, affinity="local-gaussian", scale_neighbor=m, random_state=0).fit(rows)
        for m in (None, near)
    )
    np.testing.assert_array_equal(chosen.directions_, given.directions_)
    other = NCut(k, affinity="local-gaussian", scale_neighbor=near + 1, random_state=0).fit(rows)
    assert not np.array_equal(other.directions_, given.directions_)


def test_a_model_of_an_older_file_has_scales_from_the_seventh_row():
    stored = current_names(NCut, {"n_clusters": 2, "affinity": "local-gaussian"})
    assert stored["scale_neighbor"] == stored["_near"] == 7
