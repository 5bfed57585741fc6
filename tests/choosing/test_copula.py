import numpy as np
import pytest
from scipy.stats import norm, spearmanr

from kinfolk.choosing import copula

RANDOM = np.random.default_rng(0)
SHAPES = RANDOM.normal(size=(200, 3)) @ RANDOM.normal(size=(3, 3))
CATEGORY = np.eye(4)[RANDOM.choice(4, size=200, p=[0.5, 0.3, 0.1, 0.1])]


def test_columns_keep_their_values_and_about_their_rank_correlations():
    X = np.column_stack([np.exp(SHAPES), SHAPES[:, 0] > 1, np.full(200, 7.0)])
    tables = [copula.drawing(X)(np.random.RandomState(seed)) for seed in range(20)]
    for made in tables:
        np.testing.assert_array_equal(np.sort(made, axis=0), np.sort(X, axis=0))
    mean = np.mean([spearmanr(made[:, :3]).statistic for made in tables], axis=0)
    np.testing.assert_allclose(mean, spearmanr(X[:, :3]).statistic, atol=0.12)


def test_a_draw_is_that_of_the_formula():
    X = np.array([[1.0, 5.0], [3.0, 6.0], [2.0, 9.0], [8.0, 7.0]])
    ranks = [[1, 1], [3, 2], [2, 4], [4, 3]]
    Z = np.array([[norm.ppf((rank - 0.5) / 4) for rank in row] for row in ranks])
    Y = np.random.RandomState(3).standard_normal((4, 4)) @ (Z - Z.mean(axis=0))
    expected = np.empty((4, 2))
    for j in range(2):
        for i, row in enumerate(sorted(range(4), key=lambda row, j=j: Y[row, j])):
            expected[row, j] = sorted(X[:, j])[i]
    made = copula.drawing(X)(np.random.RandomState(3))
    np.testing.assert_array_equal(made, expected)


def test_columns_of_few_values_keep_their_correlations():
    ability = RANDOM.normal(size=(400, 1))
    answers = RANDOM.normal(size=(400, 6)) + ability > RANDOM.normal(size=6)
    grades = np.clip(np.rint(ability + RANDOM.normal(size=(400, 1))), -1, 1)
    X = np.hstack([answers, grades, ability + RANDOM.normal(size=(400, 1))])
    draw = copula.drawing(X)
    mean = np.mean([np.corrcoef(draw(np.random.RandomState(i)).T) for i in range(30)], axis=0)
    np.testing.assert_allclose(mean, np.corrcoef(X.T), atol=0.06)


def test_equal_columns_of_two_values_can_be_drawn():
    X = np.column_stack([SHAPES[:, 0] > 0, SHAPES[:, 0] > 0, SHAPES[:, 0] < 0, SHAPES[:, 1]])
    made = copula.drawing(X.astype(float))(np.random.RandomState(0))
    assert np.corrcoef(made.T)[0, 1] > 0.9
    assert np.corrcoef(made.T)[0, 2] < -0.9


def test_every_row_has_one_value_of_a_category():
    X = np.hstack([SHAPES, CATEGORY - CATEGORY.mean(axis=0)])
    tables = [copula.drawing(X)(np.random.RandomState(seed)) for seed in range(20)]
    has = np.array([made[:, 3:] > 0 for made in tables])
    assert (has.sum(axis=2) == 1).all()
    np.testing.assert_allclose(has.mean(axis=(0, 1)), CATEGORY.mean(axis=0), atol=0.1)


def test_units_and_zeros_of_columns_do_not_matter():
    X = np.hstack([SHAPES, CATEGORY])
    made = copula.drawing(X)(np.random.RandomState(1))
    other = copula.drawing(4.0 * X + 2.0)(np.random.RandomState(1))
    np.testing.assert_allclose(other, 4.0 * made + 2.0)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (CATEGORY, [[0, 1, 2, 3]]),
        (np.hstack([SHAPES[:, :1], CATEGORY, CATEGORY]), [[1, 2, 3, 4], [5, 6, 7, 8]]),
        (np.insert(CATEGORY, 2, 0.0, axis=1), [[0, 1, 3, 4]]),  # and a value that no row has
        (CATEGORY[:, :3], []),  # rows without a value
        (np.column_stack([CATEGORY[:, 0], 1 - CATEGORY[:, 0]]), []),
        (SHAPES, []),
    ],
)
def test_categories_are_neighboring_columns_with_one_value_in_each_row(columns, found):
    assert [group.tolist() for group in copula.categories(columns)] == found


def test_a_drawing_of_columns_gives_the_same_table_as_a_draw_by_itself():
    X = np.hstack([SHAPES, CATEGORY])
    draw = copula.drawing(X)
    random = np.random.RandomState(5)
    first, second = draw(random), draw(random)
    again = np.random.RandomState(5)
    np.testing.assert_array_equal(copula.drawing(X)(again), first)
    np.testing.assert_array_equal(copula.drawing(X)(again), second)
    assert (first != second).any()


def test_a_column_with_several_peaks_becomes_normal():
    peaks = 8 * np.resize([0.0, 1.0, 2.0], 200) + RANDOM.normal(size=200)
    X = np.column_stack([peaks, SHAPES[:, 1]])
    made = copula.drawing(X)(np.random.RandomState(0))
    np.testing.assert_array_equal(np.sort(made[:, 1]), np.sort(X[:, 1]))
    ranks = (np.arange(200) + 0.5) / 200
    expected = peaks.mean() + peaks.std() * norm.ppf(ranks)
    np.testing.assert_allclose(np.sort(made[:, 0]), expected)


def test_beside_many_columns_peaks_are_kept(monkeypatch):
    monkeypatch.setattr(copula, "MOST_WITH_PEAKS", 1)
    X = np.column_stack([np.resize([0.0, 9.0], 200) + RANDOM.normal(size=200), SHAPES[:, 1]])
    made = copula.drawing(X)(np.random.RandomState(0))
    np.testing.assert_array_equal(np.sort(made, axis=0), np.sort(X, axis=0))
