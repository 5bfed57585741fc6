from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.datasets import makers
from kinfolk.estimators import correspondence
from kinfolk.estimators.correspondence import correspond
from kinfolk.numerics import matching


def world(sizes, kinds, d=8, noise=0.05, seed=0):
    """Draw tasks with rows of some kinds, each task shifted and with permuted cluster numbers.

    Returns the table, the clusters, the positions of the tasks, and the kind of each cluster.
    """
    random = np.random.default_rng(seed)
    centers = np.eye(d)
    parts, labels, codes, truth = [], [], [], []
    for t, (n, own) in enumerate(zip(sizes, kinds, strict=True)):
        shift = 20 * random.normal(size=d)
        names = random.permutation(len(own))
        which = np.arange(n) % len(own)
        parts.append(centers[np.array(own)[which]] + shift + noise * random.normal(size=(n, d)))
        labels.append(names[which])
        codes.append(np.full(n, t))
        truth.extend(own[i] for i in np.argsort(names))
    return np.vstack(parts), np.concatenate(labels), np.concatenate(codes), np.array(truth)


def match(X, labels, codes, k):
    names = [f"task {t}" for t in range(len(k))]
    return correspond(X, labels, codes, names, k)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_known_kinds_are_found_under_shifts_and_renaming(seed, kind):
    X, labels, codes, truth = world((30, 20, 40, 24), [[0, 1, 2, 3]] * 4, seed=seed)
    found = match(kind(X), labels, codes, [4] * 4)
    meets = matching.contingency(found.groups, truth).counts
    assert ((meets > 0).sum(axis=0) == 1).all()
    assert ((meets > 0).sum(axis=1) == 1).all()
    assert found.strength.min() > 0.95
    assert found.clusters[4] == ("task 1", 0)


def test_tasks_may_have_different_numbers_of_clusters():
    kinds = [[0, 1, 2, 3], [1, 3], [3, 2, 1]]
    X, labels, codes, truth = world((40, 20, 30), kinds, noise=0.01, seed=3)
    found = match(X, labels, codes, [4, 2, 3])
    for kind in (1, 3):
        assert len(set(found.groups[truth == kind])) == 1


def test_a_cluster_without_counterpart_has_its_own_number_and_no_strength():
    X = np.array([[3.0, 0, 0], [-3, 0, 0], [0, 5, 0], [3, 0, 9], [-3, 0, 9]]).repeat(4, axis=0)
    labels, codes = np.array([0, 1, 2, 0, 1]).repeat(4), np.array([0, 0, 0, 1, 1]).repeat(4)
    found = match(X, labels, codes, [3, 2])
    assert found.groups[0] == found.groups[3]
    assert found.groups[1] == found.groups[4]
    assert (found.groups == found.groups[2]).sum() == 1
    assert np.isnan(found.strength[2])
    assert np.isfinite(found.strength[[0, 1, 3, 4]]).all()


def test_opposite_clusters_are_not_of_one_kind():
    X = np.array([[2.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -1.0]])
    found = match(X, np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), [2, 2])
    assert len(set(found.groups)) == 4
    assert np.isnan(found.strength).all()


def test_groups_hold_at_most_one_cluster_of_each_task():
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, codes = random.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
        k = [4, 2, 5]
        labels = np.concatenate([np.arange(20) % c for c in k])
        found = match(X, labels, codes, k)
        owner = np.repeat([0, 1, 2], k)
        assert len(set(zip(found.groups, owner, strict=True))) == 11
        assert set(found.groups) == set(range(found.groups.max() + 1))


def test_groups_of_two_tasks_are_the_best_of_all_pairings():
    for seed in range(10):
        random = np.random.default_rng(seed)
        X = random.normal(size=(24, 3))
        labels, codes = np.arange(24) % 3, np.repeat([0, 1], 12)
        found = match(X, labels, codes, [3, 3])
        L = found.links[:3, 3:]
        totals = [L[[0, 1, 2], list(order)] for order in permutations(range(3))]
        best = max(totals, key=sum)
        same = found.groups[:3, None] == found.groups[None, 3:]
        np.testing.assert_allclose(np.sort(L[same]), np.sort(best[best > 0]), rtol=1e-12)


def test_numbers_go_by_size():
    X, labels, codes, _ = world((7, 7), [[0, 1]] * 2)
    big = labels[codes == 0][0]
    X, labels, codes = (np.concatenate([A, A[:1].repeat(9, axis=0)]) for A in (X, labels, codes))
    found = match(X, labels, codes, [2, 2])
    assert found.groups[big] == 0
    members = found.groups[np.array([0, 2])[codes] + labels]
    assert (np.diff(np.bincount(members)) <= 0).all()


def test_links_are_symmetric_cosines():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2, noise=1.0)
    found = match(X, labels, codes, [3, 3])
    np.testing.assert_array_equal(found.links, found.links.T)
    np.testing.assert_array_equal(found.links.diagonal(), 1.0)
    assert abs(found.links).max() <= 1
    means = [
        X[(codes == t) & (labels == c)].mean(axis=0) - X[codes == t].mean(axis=0)
        for t in range(2)
        for c in range(3)
    ]
    a, b = means[1], means[5]
    assert found.links[1, 5] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_links_do_not_change_when_a_task_is_shifted_or_all_units_change():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2, noise=1.0)
    moved = 3.0 * X + 100.0 * codes[:, None]
    a, b = (match(T, labels, codes, [3, 3]) for T in (X, moved))
    np.testing.assert_allclose(a.links, b.links, atol=1e-9)
    np.testing.assert_array_equal(a.groups, b.groups)


def test_one_task_has_no_counterparts():
    X, labels, codes, _ = world((20,), [[0, 1, 2]])
    found = match(X, labels, codes, [3])
    assert set(found.groups) == {0, 1, 2}
    assert np.isnan(found.strength).all()


def test_a_cluster_without_rows_is_like_no_other():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2)
    labels[(codes == 1) & (labels == 2)] = 0
    found = match(X, labels, codes, [3, 3])
    assert np.isnan(found.strength[5])
    np.testing.assert_array_equal(found.links[5, :5], 0)


def halved(seed, kinds=(0, 1, 2), others=(0, 0, 1, 2), d=10):
    """Draw two tasks, the second with one kind split in two halves."""
    random = np.random.default_rng(seed)
    parts = []
    for t, own in enumerate((kinds, others)):
        X = 5 * np.eye(d)[np.array(own)].repeat(20, axis=0) + 20 * t * np.arange(d)
        for half, kind in enumerate(own):
            if own.count(kind) == 2:
                X[20 * half : 20 * (half + 1), d - 1] += (-1.0) ** half
        parts.append(X + 0.3 * random.normal(size=X.shape))
    k = [len(kinds), len(others)]
    labels = np.concatenate([np.arange(n).repeat(20) for n in k])
    return match(np.vstack(parts), labels, np.repeat([0, 1], 20 * np.array(k)), k)


def found_for(found, task):
    return [
        record["other_clusters"]
        for record in correspondence.counterparts(found)
        if record["task"] == task
    ]


@pytest.mark.parametrize("seed", range(10))
def test_two_halves_together_are_the_whole(seed):
    found = halved(seed)
    assert found_for(found, "task 0") == [[0, 1], [2], [3]]
    assert found_for(found, "task 1") == [[0], [0], [1], [2]]
    records = correspondence.counterparts(found)
    assert [record["share"] for record in records] == [1, 1, 1, 0.5, 0.5, 1, 1]
    assert min(record["strength"] for record in records) > 0.95
    for record in records:
        assert record["strongest"] > record["level"]


def test_shares_are_those_of_rows_and_strength_is_that_of_all_of_them():
    X, labels, codes, _ = world((30, 38), [[0, 1, 2], [0, 0, 1, 2]], noise=0.1, seed=4)
    found = match(X, labels, codes, [3, 4])
    records = correspondence.counterparts(found)
    (whole,) = (record for record in records if len(record["other_clusters"]) == 2)
    mine = X[(codes == 0) & (labels == whole["cluster"])].mean(axis=0) - X[codes == 0].mean(axis=0)
    members = (codes == 1) & np.isin(labels, whole["other_clusters"])
    theirs = X[members].mean(axis=0) - X[codes == 1].mean(axis=0)
    cosine = mine @ theirs / np.linalg.norm(mine) / np.linalg.norm(theirs)
    assert whole["strength"] == pytest.approx(cosine)
    halves = [
        r for r in records if r["task"] == "task 1" and r["cluster"] in whole["other_clusters"]
    ]
    for half in halves:
        size = ((codes == 1) & (labels == half["cluster"])).sum()
        assert half["share"] == pytest.approx(size / members.sum())
        assert half["strength"] == whole["strength"]


def test_a_cluster_that_is_only_near_to_a_kind_is_no_part_of_it():
    joined = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        kinds = 3 * random.normal(size=(4, 12))
        near = kinds[0] + 2.4 * random.normal(size=12)
        centers = np.vstack([kinds, kinds, near])
        X = centers.repeat(25, axis=0) + random.normal(size=(225, 12))
        labels = np.concatenate([np.arange(4), np.arange(5)]).repeat(25)
        found = match(X, labels, np.repeat([0, 1], [100, 125]), [4, 5])
        assert found_for(found, "task 0")[1:] == [[1], [2], [3]]
        joined += found_for(found, "task 1")[4] != []
    assert joined <= 1


@pytest.mark.parametrize("d", [2, 5, 20])
def test_tasks_that_share_nothing_have_no_counterparts_but_for_chance(d):
    false = []
    for seed in range(30):
        data = makers.make_related_blobs(60, d, 3, 2, shared=0, random_state=seed)
        labels = np.unique(data.target, return_inverse=True)[1] % 3
        codes = np.repeat([0, 1], 60)
        found = match(data.X, labels, codes, [3, 3])
        false += [len(own) > 0 for own in found_for(found, "task 0")]
    assert np.mean(false) <= 0.07


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_what_two_tasks_do_not_share_has_no_counterpart_and_the_rest_has(kind):
    for seed in range(10):
        data = makers.make_related_documents(60, shared=2, random_state=seed)
        names = [np.unique(data.target[data.tasks == t]).tolist() for t in data.task_names]
        codes = (data.tasks == data.task_names[1]).astype(int)
        labels = np.array([names[t].index(c) for t, c in zip(codes, data.target, strict=True)])
        table = kind(data.X.toarray())
        found = match(table, labels, codes, [3, 3])
        assert found_for(found, "task 0") == [[0], [1], []]
        last = correspondence.counterparts(found)[-1]
        assert np.isnan([last["strength"], last["share"]]).all()
        assert last["strongest"] <= last["level"]


def test_directions_are_those_in_which_rows_vary_around_their_means():
    random = np.random.default_rng(0)
    spread = np.array([5.0, 1.0, 0.5, 0.0])
    X = random.normal(size=(50, 4)) * spread
    labels, codes = np.arange(50) % 2, np.repeat([0, 1], 25)
    X[labels == 1] += 100
    found = match(X, labels, codes, [2, 2])
    rest = X.copy()
    for t in range(2):
        for c in range(2):
            rest[(codes == t) & (labels == c)] -= rest[(codes == t) & (labels == c)].mean(axis=0)
    for c in range(4):
        p = found.profiles[c] / np.linalg.norm(found.profiles[c])
        for t in range(2):
            part = rest[codes == t]
            expected = np.clip((part**2).sum() / ((part @ p) ** 2).sum(), 1, 4)
            assert found.directions[c, t] == pytest.approx(expected)


def test_the_level_is_what_random_directions_pass_once_in_twenty_clusters():
    random = np.random.default_rng(0)
    d, k = 6, 4
    found = correspondence.Correspondence(
        [(t, c) for t in range(2) for c in range(k)],
        np.zeros((2 * k, 2 * k)), np.zeros(2 * k, dtype=int), np.zeros(2 * k),
        np.zeros((2 * k, d)), np.ones(2 * k, dtype=int), np.full((2 * k, 2), float(d)),
        np.zeros((2 * k, 2 * k)),
    )  # fmt: skip
    level = correspondence.counterparts(found)[0]["level"]
    draws = random.normal(size=(20000, k, d))
    cosines = draws[:, :, 0] / np.linalg.norm(draws, axis=2)
    assert (cosines.max(axis=1) > level).mean() == pytest.approx(0.05, abs=0.006)


def test_counterparts_do_not_depend_on_shifts_units_and_the_order_of_tasks():
    X, labels, codes, _ = world((30, 40), [[0, 1, 2], [0, 0, 1, 3]], noise=0.1, seed=4)
    a = match(X, labels, codes, [3, 4])
    b = match(3.0 * X + 100.0 * codes[:, None], labels, codes, [3, 4])
    assert found_for(a, "task 0") == found_for(b, "task 0")
    c = match(X, labels, 1 - codes, [4, 3])
    assert found_for(a, "task 0") == found_for(c, "task 1")
    assert found_for(a, "task 1") == found_for(c, "task 0")


def test_rows_that_do_not_vary_are_no_obstacle():
    X = np.eye(6)[[0, 1, 2, 0, 1, 2]].repeat(3, axis=0)
    found = match(X, np.tile(np.arange(3), 2).repeat(3), np.repeat([0, 1], 9), [3, 3])
    assert found_for(found, "task 0") == [[0], [1], [2]]
    assert (found.directions == 6).all()


def test_known_agreements_decide_the_groups_and_links_stand_in_for_the_others():
    X, labels, codes, _ = world((20, 20, 20), [[0, 1]] * 3)
    agreement = np.full((6, 6), np.nan)
    # Rows of tasks 0 and 1 vote against the links; task 2 has too few rows to vote.
    by_links = match(X, labels, codes, [2, 2, 2])
    swapped = by_links.groups[0] == by_links.groups[2]
    agreement[:2, 2:4] = [[-1, 3], [3, -1]] if swapped else [[3, -1], [-1, 3]]
    agreement[2:4, :2] = agreement[:2, 2:4].T
    found = correspond(X, labels, codes, ["a", "b", "c"], [2, 2, 2], agreement)
    assert (found.groups[0] == found.groups[2]) != swapped
    np.testing.assert_array_equal(found.links, by_links.links)
    kin = [c for c in range(2, 6) if found.groups[c] == found.groups[0]]
    known = np.where(np.isfinite(agreement[0]), agreement[0], found.links[0])
    assert found.strength[0] == pytest.approx(known[kin].mean())


def test_a_cluster_whose_rows_agree_with_no_other_by_more_than_chance_is_alone():
    X, labels, codes, _ = world((20, 20), [[0, 1]] * 2)
    agreement = np.full((4, 4), np.nan)
    agreement[:2, 2:] = [[0.6, 0.0], [-0.5, -0.3]]
    agreement[2:, :2] = agreement[:2, 2:].T
    found = correspond(X, labels, codes, ["a", "b"], [2, 2], agreement)
    assert found.groups[0] == found.groups[2]
    assert len(set(found.groups)) == 3
    np.testing.assert_array_equal(np.isnan(found.strength), [False, True, False, True])


def test_rows_that_agree_lower_the_level_and_rows_that_do_not_leave_it():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2, noise=1.0)
    agreement = np.full((6, 6), np.nan)
    agreement[:3, 3:] = 0.0
    agreement[3:, :3] = 0.0
    before = correspondence.counterparts(match(X, labels, codes, [3, 3]))
    place = int(match(X, labels, codes, [3, 3]).links[0, 3:].argmax()) + 3
    level = before[0]["level"]
    for share, lowered in ((0.49, False), (0.51, True)):
        agreement[0, place] = share * level
        agreement[place, 0] = share * level
        found = correspond(X, labels, codes, ["a", "b"], [3, 3], agreement)
        record = correspondence.counterparts(found)[0]
        assert (record["level"] < level - 0.01) == lowered
        assert record["level"] > 0.3
        assert record["agreement"] == share * level
        others = correspondence.counterparts(found)[1:3]
        assert [r["level"] for r in others] == [r["level"] for r in before[1:3]]


def test_rows_of_a_later_task_do_not_vote():
    X, labels, codes, _ = world((20, 20, 20), [[0, 1]] * 3)
    agreement = np.full((4, 4), np.nan)
    agreement[:2, 2:] = [[0.5, 0.1], [0.1, 0.5]]
    agreement[2:, :2] = agreement[:2, 2:].T
    early = codes < 2
    known = correspond(X[early], labels[early], codes[early], ["a", "b"], [2, 2], agreement)
    found = correspondence.with_task(known, X[~early], labels[~early], "c", 2)
    np.testing.assert_array_equal(found.votes[:4, :4], known.votes)
    assert not found.votes[4:].any()
    assert not found.votes[:, 4:].any()


def test_votes_near_chance_leave_the_match_to_a_clear_link():
    X, labels, codes, _ = world((20, 20), [[0, 1]] * 2)
    a = int(match(X, labels, codes, [2, 2]).links[0, 2:].argmax())
    agreement = np.full((4, 4), np.nan)
    agreement[:2, 2:] = -0.5
    agreement[0, 2 + a] = 0.4
    agreement[1, 2 + (1 - a)] = -0.15
    agreement[2:, :2] = agreement[:2, 2:].T
    found = correspond(X, labels, codes, ["a", "b"], [2, 2], agreement)
    assert found.groups[1] == found.groups[2 + (1 - a)]
    agreement[1, 2 + (1 - a)] = -0.25
    agreement[2 + (1 - a), 1] = -0.25
    found = correspond(X, labels, codes, ["a", "b"], [2, 2], agreement)
    assert found.groups[1] != found.groups[2 + (1 - a)]
