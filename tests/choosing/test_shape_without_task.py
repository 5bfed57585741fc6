import numpy as np

from kinfolk.choosing import shape_without_task

S = np.array([[1.0, 0.99], [0.99, 1.0]])


def long_clusters(root_of_third):
    """Two clusters side by side in each of three tasks; a matrix turns those of the third one."""
    random = np.random.RandomState(0)
    truth = np.tile([0, 1], 120)
    X = random.multivariate_normal([0, 0], 25 * S, 240) + 2.2 * truth[:, None] * [1, -1]
    codes = np.repeat([0, 1, 2], 80)
    X[codes == 2] = X[codes == 2] @ root_of_third
    return X + 40.0 * codes[:, None], codes, truth


def test_clusters_of_a_common_shape_are_found_again_in_each_task():
    Z, codes, truth = long_clusters(np.eye(2))
    assert shape_without_task.found_again(Z, codes, truth, 0).all()


def test_clusters_of_a_shape_that_other_tasks_lack_are_not_found_again():
    Z, codes, truth = long_clusters(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert not shape_without_task.found_again(Z, codes, truth, 0)[2]


def test_other_names_of_clusters_change_nothing():
    Z, codes, truth = long_clusters(np.eye(2))
    named = np.where(codes == 1, 1 - truth, truth + 5)
    np.testing.assert_allclose(
        shape_without_task.agreement(Z, codes, named, 0),
        shape_without_task.agreement(Z, codes, truth, 0),
    )


def test_halves_of_one_cluster_are_not_found_again():
    random = np.random.RandomState(1)
    Z = random.normal(size=(60, 8))
    codes = np.repeat([0, 1], 30)
    halves = (Z[:, 0] > 0).astype(int)
    assert not shape_without_task.found_again(Z, codes, halves, 0).any()


def test_columns_that_vary_in_one_task_alone_are_no_obstacle():
    Z, codes, truth = long_clusters(np.eye(2))
    only = np.where(codes == 0, np.random.RandomState(0).normal(size=240), 3.0)
    found = shape_without_task.agreement(np.column_stack([Z, only]), codes, truth, 0)
    assert (found > 0.9).all()
