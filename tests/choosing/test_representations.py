import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler

from kinfolk.choosing.representations import Representations
from kinfolk.errors import InputError
from kinfolk.measures import silhouette

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1], 15)
COUNTS = RANDOM.poisson(0.35, size=(30, 6)).astype(float)
BRIGHTNESS = np.maximum(RANDOM.integers(-8, 17, size=(30, 18)), 0).astype(float)
LENGTHS = RANDOM.uniform(1, 9, size=(30, 6))


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (sp.csr_array(np.where(LENGTHS > 8.5, LENGTHS, 0.0)), "counts"),
        (sp.csr_array(LENGTHS), "measurements"),
        (COUNTS, "counts"),
        ((COUNTS > 0).astype(float), "counts"),
        (BRIGHTNESS, "amounts"),
        (LENGTHS, "measurements"),
        (LENGTHS - 5, "measurements"),
        (COUNTS - 1, "measurements"),
        (np.zeros((30, 2)), "measurements"),
    ],
)
def test_the_kind_of_a_table_follows_from_its_zeros_and_ones(table, kind):
    assert Representations.of(table, CODES).kind == kind


def test_counts_are_weighed_as_scikit_learn_does():
    spaces = Representations.of(COUNTS, CODES)
    expected = TfidfTransformer().fit_transform(COUNTS).toarray()
    np.testing.assert_allclose(spaces.transform("tf-idf", COUNTS, CODES).toarray(), expected)
    np.testing.assert_allclose(spaces.for_scoring(COUNTS, CODES).toarray(), expected)


def test_methods_see_the_logarithms_of_counts():
    spaces = Representations.of(COUNTS, CODES)
    long, unit = (spaces.transform(name, COUNTS, CODES) for name in ("log weights", "log tf-idf"))
    np.testing.assert_allclose(long.toarray(), np.log(1 + COUNTS) * spaces.idf)
    lengths = np.linalg.norm(long.toarray(), axis=1, keepdims=True)
    np.testing.assert_allclose(unit.toarray() * lengths, long.toarray())
    assert {"tf-idf", "weights"}.isdisjoint({*spaces.for_kmeans, *spaces.weighted_by_length})


def test_entries_below_zero_of_a_sparse_table_keep_their_sign():
    few = np.where(abs(LENGTHS - 5) > 3.6, LENGTHS - 5, 0.0)
    table = sp.csr_array(few)
    spaces = Representations.of(table, CODES)
    seen = spaces.transform("log weights", table, CODES).toarray()
    assert few.min() < 0 < few.max()
    np.testing.assert_allclose(seen, np.sign(few) * np.log(1 + abs(few)) * spaces.idf)


@pytest.mark.parametrize("table", [BRIGHTNESS, LENGTHS], ids=["amounts", "measurements"])
def test_a_sparse_table_that_is_not_mostly_zeros_looks_as_a_dense_one_does(table):
    spaces = Representations.of(table, CODES)
    held = sp.csr_array(table)
    for name in spaces.for_kmeans:
        seen = Representations.of(held, CODES).transform(name, held, CODES)
        np.testing.assert_array_equal(seen, spaces.transform(name, table, CODES))


def test_z_scores_are_those_of_each_task():
    spaces = Representations.of(LENGTHS, CODES)
    expected = [StandardScaler().fit_transform(rows) for rows in np.split(LENGTHS, 2)]
    np.testing.assert_allclose(spaces.transform("z-scores", LENGTHS, CODES), np.vstack(expected))


@pytest.mark.parametrize("table", [COUNTS, BRIGHTNESS, LENGTHS], ids=["counts", "amounts", "other"])
def test_a_row_looks_the_same_alone_and_among_others(table):
    spaces = Representations.of(table, CODES)
    for name in (*spaces.for_kmeans, *spaces.weighted_by_length):
        whole = spaces.transform(name, table, CODES)[20:21]
        np.testing.assert_array_equal(
            *(sp.csr_array(x).toarray() for x in (whole, spaces.transform(name, table[20:21], [1])))
        )


def test_judges_of_measurements_see_squared_euclidean_distances():
    spaces = Representations.of(LENGTHS, CODES)
    seen = spaces.for_scoring(LENGTHS[:15], CODES[:15])
    Z = StandardScaler().fit_transform(LENGTHS[:15])
    cosines, squares = pairwise_distances(seen, metric="cosine"), pairwise_distances(Z) ** 2
    np.testing.assert_allclose(cosines * 2 * 100 * 6, squares, atol=0.05 * squares.max())
    shifted = Representations.of(LENGTHS + 70, CODES).for_scoring(LENGTHS[:15] + 70, CODES[:15])
    labels = np.arange(15) % 3
    assert silhouette(seen, labels) == pytest.approx(silhouette(shifted, labels))


def test_a_constant_column_says_nothing():
    table = np.column_stack([LENGTHS, np.full(30, 0.3)])
    assert not Representations.of(table, CODES).transform("z-scores", table, CODES)[:, -1].any()


def test_columns_that_are_scaled_already_are_only_centered():
    table = np.column_stack([LENGTHS, BRIGHTNESS[:, 0] > 0, np.full(30, 0.3)])
    spaces = Representations.of(table, CODES, columns_are_scaled=True)
    assert spaces.kind == "measurements"
    centered = np.vstack([rows - rows.mean(axis=0) for rows in np.split(table, 2)])
    np.testing.assert_allclose(spaces.transform("z-scores", table, CODES), centered, atol=1e-12)
    scored = spaces.for_scoring(table, CODES)
    np.testing.assert_allclose(scored[:, :-1], centered, atol=1e-12)


def test_only_columns_said_to_be_scaled_keep_their_scale():
    plain = Representations.of(LENGTHS, CODES)
    scaled = Representations.of(LENGTHS, CODES, columns_are_scaled=True)
    np.testing.assert_array_equal(plain.means, scaled.means)
    np.testing.assert_array_equal(plain.spreads[0], LENGTHS[:15].std(axis=0))
    np.testing.assert_array_equal(scaled.spreads, 1.0)


def test_answers_of_scaled_columns_are_no_counts():
    answers = (COUNTS > 0).astype(float)
    assert Representations.of(answers, CODES, columns_are_scaled=True).kind == "measurements"


def test_a_sparse_table_is_not_centered():
    with pytest.raises(InputError, match="columns_are_scaled is True and X is sparse"):
        Representations.of(sp.csr_array(LENGTHS), CODES, columns_are_scaled=True)


def test_components_keep_their_scale_as_columns_that_are_scaled_do():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 12)) / np.sqrt(np.arange(1, 13))
    codes = np.repeat([0, 1], 100)
    X[codes == 1] += 3.0
    seen = Representations.of(X - 3 * codes[:, None] + 5.0, codes)
    np.testing.assert_array_equal(seen.spreads, np.ones((2, 12)))
    told = Representations.of(X, codes, columns_are_scaled=True)
    np.testing.assert_allclose(
        seen.for_scoring(X - 3 * codes[:, None] + 5.0, codes), told.for_scoring(X, codes)
    )
    mixed = Representations.of(X[:, ::-1], codes)
    assert not np.allclose(mixed.spreads, 1.0)


def test_counts_and_amounts_are_never_taken_for_components():
    random = np.random.default_rng(0)
    amounts = np.abs(random.normal(size=(300, 24))) / np.sqrt(np.arange(1, 25))
    amounts[random.random(size=amounts.shape) < 0.2] = 0.0
    seen = Representations.of(amounts, np.repeat([0, 1], 150))
    assert seen.kind == "amounts"
    assert not np.allclose(seen.spreads, 1.0)


def test_skewed_measurements_are_logarithms_in_all_forms():
    random = np.random.default_rng(0)
    X = np.column_stack([np.exp(random.normal(size=90)), random.normal(size=90)])
    codes = np.repeat([0, 1], 45)
    found = Representations.of(X, codes)
    L = np.column_stack([np.log(X[:, 0]), X[:, 1]])
    plain = Representations.of(L, codes)
    for name in (*plain.for_kmeans, *plain.for_neighbors):
        Z = plain.transform(name, L, codes)
        np.testing.assert_allclose(found.transform(name, X, codes), Z, rtol=1e-12)
    assert not Representations.of(X, codes, columns_are_scaled=True).logs.size
