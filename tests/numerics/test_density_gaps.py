"""Clusters with sparse space between them, beside loops over all heights of (G2)."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from kinfolk.numerics import density_gaps


def reachability(X):
    """(G1) and (G2) by loops."""
    n = len(X)
    l = min(density_gaps.NEIGHBORS, n - 1)
    apart = [[float(np.linalg.norm(a - b)) for b in X] for a in X]
    core = [sorted(apart[i][j] for j in range(n) if j != i)[l - 1] for i in range(n)]
    return [[max(core[i], core[j], apart[i][j]) for j in range(n)] for i in range(n)]


def parts(m, height):
    """Sets of rows that paths of distances up to a height join, each with its first row."""
    n = len(m)
    found = list(range(n))
    for start in range(n):
        if found[start] != start:
            continue
        waiting = [start]
        while waiting:
            i = waiting.pop()
            for j in range(n):
                if j != i and m[i][j] <= height and found[j] != start:
                    found[j] = start
                    waiting.append(j)
    return np.array(found)


def all_cuts(X):
    """All heights of (G2), and the clusters that a cut at each of them leaves."""
    m = reachability(X)
    heights = sorted({m[i][j] for i in range(len(m)) for j in range(i)})
    return heights, [parts(m, height) for height in heights]


def literal(all_cuts, k, least):
    """Clusters, (G3) and (G4), from cuts at every height; None if at no height there are k."""
    heights, cuts = all_cuts
    large = [[first for first in np.unique(cut) if np.sum(cut == first) >= least] for cut in cuts]
    at_k = [h for h in range(len(heights)) if len(large[h]) == k]
    if not at_k:
        return None
    last = first = at_k[-1]
    while first - 1 in at_k:
        first -= 1
    labels = np.full(len(cuts[0]), -1)
    for j, start in enumerate(large[last]):
        labels[cuts[last] == start] = j
    return labels, heights[last + 1] / heights[first], np.mean(labels >= 0)


def same(found, expected):
    """True if two clusterings are equal but for the numbers of clusters."""
    pairs = {*zip(found.tolist(), expected.tolist(), strict=True)}
    return len(pairs) == len(set(found.tolist())) == len(set(expected.tolist()))


def crescents(seed):
    return make_moons(60, noise=0.06, random_state=seed)[0]


def groups(seed):
    random = np.random.default_rng(seed)
    return random.normal(size=(60, 3)) + 7 * np.eye(3)[np.arange(60) % 3]


def cloud(seed):
    return np.random.default_rng(seed).normal(size=(60, 2))


def whole_numbers(seed):
    return np.rint(2 * groups(seed))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("draw", [crescents, groups, cloud])
def test_clusters_gap_and_share_are_those_of_the_formula(draw, seed):
    X = draw(seed)
    cuts = all_cuts(X)
    for k in (2, 3):
        assert_found_as_expected(density_gaps.separated(X, k, 6), literal(cuts, k, 6))


def assert_found_as_expected(found, expected):
    assert (found is None) == (expected is None)
    if expected is not None:
        labels, gap, share = expected
        assert same(found.labels, labels)
        assert (found.gap, found.share) == pytest.approx((gap, share))


def test_merges_at_one_height_count_as_one_in_any_order_of_rows():
    for seed in range(8):
        X = np.random.default_rng(seed).permutation(whole_numbers(seed))
        assert_found_as_expected(density_gaps.separated(X, 3, 3), literal(all_cuts(X), 3, 3))


def test_some_of_these_tables_have_clusters_and_some_have_none():
    tables = [draw(seed) for draw in (crescents, groups, cloud) for seed in (0, 1, 2)]
    found = [density_gaps.separated(X, k, 6) for X in tables for k in (2, 3)]
    assert 0 < sum(one is None for one in found) < len(found) / 2


def test_units_change_nothing():
    X = crescents(0)
    found, other = (density_gaps.separated(c * X, 2, 6) for c in (1.0, 1e6))
    assert np.array_equal(found.labels, other.labels)
    assert found.gap == pytest.approx(other.gap)


def test_equal_rows_are_infinitely_denser_than_the_space_between():
    found = density_gaps.separated(np.repeat([[0.0], [1.0]], 10, axis=0), 2, 6)
    assert found.gap == np.inf
    assert found.share == 1.0


def test_clusters_that_become_one_at_the_same_height_are_told_apart_by_none():
    X = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0)
    assert density_gaps.separated(X, 2, 6) is None
    assert density_gaps.separated(X, 3, 6).share == 1.0


def test_rows_between_clusters_lower_the_share():
    X = groups(0)
    between = np.linspace(X[0], X[1], 8)[1:-1]
    whole = density_gaps.separated(X, 3, 6)
    bridged = density_gaps.separated(np.vstack([X, between]), 3, 6)
    assert bridged is None or bridged.share < whole.share
