import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import affinities, kinds

RANDOM = np.random.default_rng(0)
COUNTS = RANDOM.poisson(0.4, size=(60, 6)).astype(float)
BRIGHTNESS = np.maximum(RANDOM.integers(-8, 17, size=(30, 6)), 0).astype(float)
LENGTHS = RANDOM.uniform(1, 9, size=(30, 6))
TABLES = [
    (sp.csr_array(np.where(LENGTHS > 8.5, LENGTHS, 0.0)), "counts", "cosine"),
    (COUNTS, "counts", "cosine"),
    ((COUNTS > 0).astype(float), "counts", "cosine"),
    (BRIGHTNESS, "amounts", "local-gaussian"),
    (np.where(LENGTHS > 8.5, LENGTHS, 0.0), "amounts", "cosine"),
    (LENGTHS, "measurements", "local-gaussian"),
    (LENGTHS - 5, "measurements", "local-gaussian"),
    (COUNTS - 1, "measurements", "local-gaussian"),
    (np.zeros((30, 2)), "amounts", "cosine"),
]


@pytest.mark.parametrize(("table", "kind", "affinity"), TABLES)
def test_zeros_and_ones_of_a_table_say_its_kind_and_its_affinity(table, kind, affinity):
    assert kinds.kind(table) == kind
    assert kinds.affinity("auto", table) == affinity


@pytest.mark.parametrize("table", [COUNTS, BRIGHTNESS, LENGTHS, LENGTHS - 5, COUNTS - 1])
def test_the_kind_of_a_table_that_is_not_mostly_zeros_does_not_depend_on_how_it_is_held(table):
    assert kinds.kind(sp.csr_array(table)) == kinds.kind(table)
    assert sp.issparse(kinds.dense_unless_words(sp.csr_array(table))) == kinds.like_words(table)


@pytest.mark.parametrize(("table", "kind", "affinity"), TABLES[1:])
def test_the_affinity_does_not_depend_on_how_a_table_is_held(table, kind, affinity):
    assert kinds.affinity("auto", sp.csr_array(table)) == affinity


def ratings(scale):
    """Answers from 1 on, of which 1 is the commonest."""
    return 1.0 + np.minimum(RANDOM.geometric(0.4, size=(200, 9)) - 1, scale - 1)


def patients():
    """Ages, and whole numbers and answers beside them, among which 1 is the commonest."""
    answers = RANDOM.integers(0, 2, size=(200, 6))
    ages = RANDOM.integers(20, 80, size=(200, 1))
    pressures = RANDOM.integers(90, 180, size=(200, 1))
    return np.column_stack([ages, answers, pressures, 1 + RANDOM.integers(0, 4, size=(200, 3))])


@pytest.mark.parametrize("scale", [3, 5, 10])
def test_answers_on_a_scale_that_begins_with_1_are_no_counts(scale):
    table = ratings(scale)
    assert kinds.kind(table) == "measurements"
    assert kinds.affinity("auto", table) == "local-gaussian"


def test_whole_numbers_with_ages_and_answers_are_no_counts_and_no_amounts():
    table = patients().astype(float)
    assert kinds.kind(table) == "measurements"
    # With a pressure in other units and decimals, zeros are still those of the answers.
    table[:, 7] /= 7.5
    assert kinds.kind(table) == "measurements"


def test_amounts_in_units_of_their_own_are_measurements():
    units = 10.0 ** np.arange(BRIGHTNESS.shape[1])
    assert kinds.kind(BRIGHTNESS * units) == "measurements"
    assert kinds.kind(np.column_stack([BRIGHTNESS, 400 + 10 * LENGTHS])) == "measurements"


@pytest.mark.parametrize("name", affinities.NAMES[1:])
def test_an_affinity_that_is_named_is_taken(name):
    for table, _, _ in TABLES:
        assert kinds.affinity(name, table) == name


@pytest.mark.parametrize("scale", [1e-3, 1.0, 255.0])
def test_the_unit_of_measurements_and_brightness_does_not_matter(scale):
    for table in (BRIGHTNESS / 16, LENGTHS, LENGTHS - 5):
        assert kinds.affinity("auto", scale * table) == "local-gaussian"


def test_scales_are_local_but_where_half_of_the_columns_are_answers():
    assert kinds.affinity("auto", LENGTHS) == "local-gaussian"
    d = LENGTHS.shape[1]
    answers = np.where(LENGTHS.mean(axis=0) < LENGTHS, 1.0, -1.0)
    few, half = (np.column_stack([LENGTHS, answers[:, :m]]) for m in (d - 1, d))
    assert not kinds.mostly_yes_no(few)
    assert kinds.affinity("auto", few) == "local-gaussian"
    for table in (half, sp.csr_array(half)):
        assert kinds.mostly_yes_no(table)
        assert kinds.affinity("auto", table) == "gaussian"


def test_columns_that_do_not_vary_and_tables_of_two_rows_have_no_answers():
    assert not kinds.mostly_yes_no(np.column_stack([LENGTHS, np.ones((30, 9))]))
    assert not kinds.mostly_yes_no(LENGTHS[:2])


def test_measurements_take_local_scales_whatever_their_numbers_are():
    for table, _, _ in TABLES:
        assert kinds.affinity("measurements", table) == "local-gaussian"
        assert kinds.affinity("measurements", table, "local-neighbors") == "local-neighbors"


def components(n, d, classes, seed=0):
    """Draw correlated columns of several classes, and compute principal components."""
    random = np.random.default_rng(seed)
    target = np.arange(n) % classes
    means = 2 * random.normal(size=(classes, 2 * d))
    X = means[target] + random.normal(size=(n, 2 * d)) @ random.normal(size=(2 * d, 2 * d)) / 3
    _, _, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (X - X.mean(axis=0)) @ V[:d].T, target


def test_components_are_seen_also_in_some_of_the_classes():
    X, target = components(400, 20, 8)
    assert kinds.like_components(X)
    assert kinds.like_components(X[target < 5])
    assert kinds.like_components(1e-3 * X[::-1] + 7.0)
    assert kinds.like_components(X.astype(np.float32))


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X / X.std(axis=0),  # at one scale
        lambda X: X[:, ::-1],  # in another order
        lambda X: X @ np.tri(X.shape[1]),  # correlated
        lambda X: X[:, :9],  # too few to tell
        lambda X: np.column_stack([X, np.ones(len(X))]),  # a column that does not vary
        lambda X: X[:1],
        sp.csr_array,
    ],
)
def test_other_columns_are_no_components(change):
    X, _ = components(400, 20, 8)
    assert not kinds.like_components(change(X))


def test_correlations_are_those_of_numpy_and_of_some_columns_where_there_are_many(monkeypatch):
    X, _ = components(300, 20, 8)
    mixed = X @ (np.eye(20) + 0.05)
    C = np.corrcoef(mixed.T)
    level = np.sqrt(np.square(C[~np.eye(20, dtype=bool)]).mean())
    monkeypatch.setattr(kinds, "FALLING", -1.0)
    for factor, seen in ((1.001, True), (0.999, False)):
        monkeypatch.setattr(kinds, "UNCORRELATED", factor * level)
        assert kinds.like_components(mixed) is seen
    monkeypatch.setattr(kinds, "MOST_COLUMNS", 10)
    kept = np.linspace(0, 19, 10).astype(int)
    C = np.corrcoef(mixed[:, kept].T)
    level = np.sqrt(np.square(C[~np.eye(10, dtype=bool)]).mean())
    for factor, seen in ((1.001, True), (0.999, False)):
        monkeypatch.setattr(kinds, "UNCORRELATED", factor * level)
        assert kinds.like_components(mixed) is seen


def test_noise_of_one_unit_is_no_component():
    random = np.random.default_rng(0)
    assert not any(kinds.like_components(random.normal(size=(200, 12))) for _ in range(50))


def test_one_column_that_holds_most_of_all_squares_makes_amounts_measurements():
    units = np.ones(6)
    kinds_ = []
    for factor in (1e-200, 1.0, 2.0, 4.0, 1e200):
        units[2] = factor
        kinds_.append(kinds.kind(BRIGHTNESS * units))
    shares = [np.square(BRIGHTNESS * np.where(np.arange(6) == 2, f, 1.0)) for f in (2.0, 4.0)]
    assert [s[:, 2].sum() > 0.6 * s.sum() for s in shares] == [False, True]
    assert kinds_ == ["amounts", "amounts", "amounts", "measurements", "measurements"]


def test_amounts_in_few_columns_are_compared_as_measurements():
    random = np.random.default_rng(0)
    amounts = np.maximum(random.integers(-8, 17, size=(30, 16)), 0).astype(float)
    assert (kinds.kind(amounts), kinds.compared(amounts)) == ("amounts", "amounts")
    few = amounts[:, :15]
    assert (kinds.kind(few), kinds.compared(few)) == ("amounts", "measurements")
    for table in (COUNTS, LENGTHS):
        assert kinds.compared(table) == kinds.kind(table)


def test_amounts_of_a_single_column_stay_amounts():
    assert kinds.kind(BRIGHTNESS[:, :1]) == "amounts"


@pytest.mark.parametrize("factor", [1e-150, 7.0, 1e150])
def test_a_unit_of_all_columns_does_not_change_the_kind(factor):
    for table in (BRIGHTNESS, BRIGHTNESS * [1, 1, 9, 1, 1, 1], LENGTHS):
        assert kinds.kind(table * factor) == kinds.kind(table)


def test_columns_of_a_sparse_table_are_not_looked_for_row_by_row(monkeypatch):
    tables = [sp.csr_array(table) for table in (COUNTS > 0, COUNTS, LENGTHS)]
    expected = [kinds.mostly_yes_no(table.toarray()) for table in tables]

    def slow(*_):
        raise AssertionError("a pass over the whole table for one column")

    monkeypatch.setattr(sp.csr_array, "__getitem__", slow)
    assert [kinds.mostly_yes_no(table) for table in tables] == expected


def test_a_column_of_equal_numbers_is_no_component_whatever_the_rounding_of_its_mean():
    X = np.random.default_rng(0).normal(size=(2000, 12)) / np.arange(1, 13)
    for number in (0.1, 0.5):
        assert not kinds.like_components(np.hstack([X, np.full((2000, 1), number)]))
