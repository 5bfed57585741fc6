import numpy as np
import pytest

from kinfolk.numerics import cluster_sizes


def assigned(X, labels):
    """Assign each row by equations (1) and (2), in loops."""
    n, d = X.shape
    found = []
    for x in X:
        best = None
        for j in np.unique(labels):
            members = X[labels == j]
            center = members.mean(axis=0)
            size = (sum(np.sum((y - center) ** 2) for y in members) + d) / (d * (len(members) + 1))
            log = np.log(len(members) / n)
            log -= np.sum((x - center) ** 2) / (2 * size) + d / 2 * np.log(size)
            if best is None or log > best[0]:
                best = log, j
        found.append(best[1])
    return np.array(found)


def narrow_and_wide(spread):
    """Draw a narrow group, and one `spread` times as wide; assign rows to the nearest mean."""
    random = np.random.RandomState(0)
    wide = np.arange(150) % 3 == 0
    X = random.normal(size=(150, 2)) * np.where(wide, spread, 1.0)[:, None] + 5.0 * wide[:, None]
    centers = np.array([X[~wide].mean(axis=0), X[wide].mean(axis=0)])
    return X, np.square(X[:, None] - centers).sum(axis=2).argmin(axis=1)


@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_rows_are_assigned_as_by_loops(spread):
    X, labels = narrow_and_wide(spread)
    np.testing.assert_array_equal(cluster_sizes.assigned(X, labels), assigned(X, labels))


def test_clusters_of_one_size_keep_their_rows_and_others_do_not():
    found = []
    for spread in (1.0, 2.0, 6.0):
        X, labels = narrow_and_wide(spread)
        found.append(cluster_sizes.kept(X, np.zeros(150), labels))
    assert found[0] > 0.95
    assert found[1] > 0.9
    assert found[2] < 0.9


def test_the_mean_is_over_tasks():
    X, labels = narrow_and_wide(6.0)
    other, kept = narrow_and_wide(1.0)
    codes = np.repeat([1, 0], 150)
    both = cluster_sizes.kept(np.vstack([X, other]), codes, np.r_[labels, kept])
    each = [
        cluster_sizes.kept(*one) for one in ((X, codes[:150], labels), (other, codes[150:], kept))
    ]
    np.testing.assert_allclose(both, np.mean(each), rtol=1e-14)


def test_a_cluster_of_equal_rows_has_a_size():
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0)
    labels = np.repeat([0, 1], 10)
    np.testing.assert_array_equal(cluster_sizes.assigned(X, labels), labels)
