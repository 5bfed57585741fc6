import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.report import projection
from kinfolk.report.content import read


@pytest.mark.parametrize("width", [1, 2, 3, 12])
def test_coordinates_are_principal_components_within_tasks(width):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, width)) * np.linspace(3, 1, width) + 5
    task_of = np.repeat([0, 1, 2], 20)
    Z = X - np.array([X[task_of == t].mean(axis=0) for t in range(3)])[task_of]
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    expected = np.zeros((60, 2))
    expected[:, : min(2, width)] = (U * s)[:, :2]
    found = projection.coordinates(X, task_of)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)


def test_sparse_and_dense_tables_have_the_same_coordinates():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.4, (50, 9)).astype(float)
    task_of = np.arange(50) % 2
    dense = projection.coordinates(X, task_of)
    np.testing.assert_allclose(projection.coordinates(sp.csr_array(X), task_of), dense, atol=1e-8)


def test_at_most_two_thousand_rows_of_a_task_are_shown_and_always_the_same(make_study):
    study = make_study("numbers", rows=6900)
    once, again = projection.plane(read(study)), projection.plane(read(study))
    for task, (rows, points) in once.items():
        assert len(rows) == len(points) == len(set(rows.tolist())) == 2000
        assert set(study.data.tasks[rows]) == {task}
        np.testing.assert_array_equal(rows, again[task][0])


def test_every_task_has_its_mean_in_the_middle(make_study):
    for rows, points in projection.plane(read(make_study("numbers"))).values():
        assert len(rows) == len(points)
        np.testing.assert_allclose(points.mean(axis=0), [0, 0], atol=1e-9)


def test_the_first_direction_varies_most(make_study):
    points = np.vstack([p for _, p in projection.plane(read(make_study("numbers"))).values()])
    first, second = points.std(axis=0)
    assert first >= second > 0


def test_directions_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 7)) * np.linspace(4, 1, 7)
    task_of = np.repeat([0, 1], 20)
    order = rng.permutation(40)
    expected = projection.coordinates(X, task_of)[order]
    np.testing.assert_allclose(
        projection.coordinates(X[order], task_of[order]), expected, atol=1e-8
    )


def test_a_shift_of_one_task_changes_nothing():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((30, 5)) * np.linspace(3, 1, 5)
    task_of = np.repeat([0, 1, 2], 10)
    moved = X + 100.0 * (task_of == 1)[:, None]
    expected = projection.coordinates(X, task_of)
    np.testing.assert_allclose(projection.coordinates(moved, task_of), expected, atol=1e-6)


def test_a_table_in_other_units_is_drawn_in_those_units():
    X = np.random.default_rng(7).standard_normal((25, 6)) * np.linspace(3, 1, 6)
    task_of = np.zeros(25, dtype=int)
    expected = 1000 * projection.coordinates(X, task_of)
    np.testing.assert_allclose(projection.coordinates(1000 * X, task_of), expected, rtol=1e-8)


def test_long_texts_do_not_push_others_into_one_spot(make_study):
    study = make_study("terms")
    before = projection.plane(read(study))
    study.X.data[study.X.indptr[0] : study.X.indptr[1]] *= 1000
    after = projection.plane(read(study))
    for task, (_, points) in before.items():
        np.testing.assert_allclose(after[task][1], points, atol=1e-8)


def test_equal_rows_have_one_place():
    found = projection.coordinates(np.ones((6, 3)), np.repeat([0, 1], 3))
    np.testing.assert_allclose(found, np.zeros((6, 2)), atol=1e-12)


@pytest.mark.parametrize(("rows", "expected"), [(1400, False), (6900, True)])
def test_a_sample_is_named_where_a_task_has_too_many_rows(make_study, rows, expected):
    assert projection.sampled(read(make_study("numbers", rows=rows))) is expected
