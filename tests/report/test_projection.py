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
