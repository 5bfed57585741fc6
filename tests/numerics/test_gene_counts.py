"""Counts of genes: logarithms of shares, and the columns that vary most within batches."""

import math
import statistics

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import InputError
from kinfolk.numerics import gene_counts


@pytest.fixture
def counts():
    random = np.random.default_rng(0)
    rates = np.exp(random.normal(size=(3, 60)))
    table = random.poisson(2 * rates[np.arange(40) % 3]).astype(float)
    table[:, 7] = 0.0
    table[:, 8] = 1.0
    table[5] = 0.0
    return table


def log_normalized_by_loops(X):
    found = np.zeros(X.shape)
    for i, row in enumerate(X):
        for j, count in enumerate(row):
            if sum(row) > 0:
                found[i, j] = math.log(1 + 10_000 * count / sum(row))
    return found


def standardized_by_loops(L):
    """Dispersions of columns of log-normalized rows in 20 bins, by loops."""
    Z = np.exp(L) - 1
    means = [statistics.mean(column) for column in Z.T]
    variances = [statistics.variance(column) for column in Z.T]
    levels = {j: math.log(1 + m) for j, m in enumerate(means) if m > 0}
    low, high = min(levels.values()), max(levels.values())
    bins = {}
    for j, level in levels.items():
        if variances[j] > 0:
            # The bin is closed above: its upper edge belongs to it.
            number = max(math.ceil(20 * (level - low) / (high - low) - 1e-12), 1)
            bins.setdefault(number, []).append(j)
    found = np.full(L.shape[1], np.nan)
    for members in bins.values():
        values = [math.log(variances[j] / means[j]) for j in members]
        for j, value in zip(members, values, strict=True):
            if len(values) == 1:
                found[j] = 1.0
            else:
                found[j] = (value - statistics.mean(values)) / statistics.stdev(values)
    return found


def test_logarithms_are_those_of_shares_written_as_loops(counts):
    expected = log_normalized_by_loops(counts)
    np.testing.assert_allclose(gene_counts.log_normalized(counts), expected, atol=1e-12)
    for form in (sp.csr_array, sp.csc_array, sp.coo_array):
        sparse = gene_counts.log_normalized(form(counts))
        np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-12)


def test_as_many_genes_as_cells_are_divided_by_the_sums_of_cells(counts):
    square = counts[:, : len(counts)]
    square = square[: square.shape[1]]
    found = gene_counts.log_normalized(sp.csc_array(square))
    np.testing.assert_allclose(found.toarray(), log_normalized_by_loops(square), atol=1e-12)


def test_sparse_counts_stay_as_they_are(counts):
    table = sp.csr_array(counts)
    before = table.data.copy()
    gene_counts.log_normalized(table)
    np.testing.assert_array_equal(table.data, before)


def test_a_cell_that_was_read_more_deeply_is_prepared_alike(counts):
    deeper = counts * np.arange(1, 41)[:, None]
    np.testing.assert_allclose(
        gene_counts.log_normalized(deeper), gene_counts.log_normalized(counts)
    )


def test_dispersions_are_those_written_as_loops(counts):
    L = gene_counts.log_normalized(counts)
    expected = standardized_by_loops(L)
    assert np.isnan(expected[7])
    np.testing.assert_allclose(gene_counts.standardized_dispersion(L), expected, atol=1e-8)
    sparse = gene_counts.standardized_dispersion(sp.csr_array(L))
    np.testing.assert_allclose(sparse, expected, atol=1e-8)


def test_columns_that_vary_in_most_batches_come_first(counts):
    L = gene_counts.log_normalized(counts)
    codes = np.arange(40) % 2
    one, other = (gene_counts.standardized_dispersion(L[codes == t]) for t in (0, 1))
    kept = gene_counts.most_variable(L, codes, 10)
    best = [set(np.argsort(-np.nan_to_num(d, nan=-9))[:10]) for d in (one, other)]
    assert best[0] & best[1] <= set(kept)
    assert set(kept) <= best[0] | best[1]
    assert (np.diff(kept) > 0).all()


def test_a_column_that_differs_between_batches_alone_is_not_chosen(counts):
    codes = np.arange(40) % 2
    counts = np.delete(counts, 5, axis=0)
    codes = np.delete(codes, 5)
    counts[:, 8] = 1 + 50 * codes
    # Without other differences between cells the share of the column is constant in a batch.
    counts[:, :8] = 3.0
    counts[:, 9:12] = 3.0
    L = gene_counts.log_normalized(counts)
    assert 8 not in gene_counts.most_variable(L, codes, 20)
    assert 8 in gene_counts.most_variable(L, np.zeros(39, dtype=int), 20)


def test_no_more_columns_are_kept_than_vary(counts):
    L = gene_counts.log_normalized(counts)
    kept = gene_counts.most_variable(L, np.zeros(40, dtype=int), 1000)
    assert 7 not in kept
    assert len(kept) == 59  # column 8 varies as a share of its cell


def test_tables_without_any_variation_are_refused():
    with pytest.raises(InputError, match="no column varies within a batch"):
        gene_counts.most_variable(np.ones((4, 3)), np.zeros(4, dtype=int), 2)


@pytest.mark.parametrize("value", [-1.0, 0.5])
def test_numbers_below_zero_and_fractions_are_no_counts(counts, value):
    assert gene_counts.are_counts(counts)
    assert gene_counts.are_counts(sp.csr_array(counts))
    counts[3, 3] = value
    assert not gene_counts.are_counts(counts)
    assert not gene_counts.are_counts(sp.csr_array(counts))


def test_scaled_columns_are_those_written_as_loops(counts):
    L = gene_counts.log_normalized(counts)
    L[0, 3] = 900.0  # more than ten deviations from the mean
    L = np.vstack([L] * 4)
    L[40:, 3] = L[1:40, 3].mean()
    expected = L.copy()
    for j, column in enumerate(L.T):
        spread = statistics.stdev(column)
        if spread > 1e-9:
            mean = statistics.mean(column)
            expected[:, j] = [min((x - mean) / spread, 10.0) + mean / spread for x in column]
    assert expected[0, 3] < L[0, 3] / statistics.stdev(L[:, 3])
    np.testing.assert_allclose(gene_counts.scaled(L), expected, atol=1e-9)
    sparse = gene_counts.scaled(sp.csr_array(L))
    np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-9)


def test_columns_that_do_not_vary_stay_as_they_are():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0)])
    np.testing.assert_array_equal(gene_counts.scaled(X)[:, 0], X[:, 0])


def test_genes_that_do_not_vary_in_a_batch_have_no_vote_there():
    random = np.random.default_rng(1)
    rates = np.exp(random.normal(size=40))
    L = gene_counts.log_normalized(random.poisson(2 * rates, size=(40, 40)).astype(float))
    codes = np.repeat([0, 1], 20)
    L[:20, 39] = 0.0
    L[20:, :39] = 0.0  # in the second batch gene 39 alone varies
    first = gene_counts.standardized_dispersion(L[:20])
    best = np.argsort(-np.nan_to_num(first, nan=-np.inf))[:12]
    # Gene 39 has the dispersion 1 of a gene alone in its bin, and is not the last of the best.
    assert first[best[-1]] < 1
    expected = sorted([*best[:11], 39])
    np.testing.assert_array_equal(gene_counts.most_variable(L, codes, 12), expected)


def test_equal_rows_and_single_rows_have_no_dispersion(counts):
    L = gene_counts.log_normalized(counts)
    for rows in (L[:1], L[[0, 0, 0]], np.full((3, 2), 0.1)):
        assert np.isnan(gene_counts.standardized_dispersion(rows)).all()


def test_a_batch_of_zeros_has_no_vote_and_no_warning(counts):
    L = gene_counts.log_normalized(np.vstack([counts, 0 * counts]))
    codes = np.repeat([0, 1], 40)
    found = gene_counts.most_variable(L, codes, 5)
    expected = gene_counts.most_variable(L[:40], codes[:40], 5)
    np.testing.assert_array_equal(found, expected)


def test_tables_of_zeros_are_counts_in_each_form():
    assert gene_counts.are_counts(np.zeros((2, 3)))
    assert gene_counts.are_counts(sp.csr_array((2, 3)))
    assert not gene_counts.are_counts(np.zeros((0, 3)))


def test_genes_of_one_dispersion_are_chosen_by_position_in_any_order_of_cells():
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = gene_counts.log_normalized(random.poisson(random.gamma(0.5, 2, size=40), (30, 40)))
        codes = random.integers(0, 2, 30)
        order = random.permutation(30)
        found = gene_counts.most_variable(X[order], codes[order], 10)
        assert found.tolist() == gene_counts.most_variable(X, codes, 10).tolist()
