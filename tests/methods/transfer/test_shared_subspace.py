import warnings

import numpy as np
import pytest
from sklearn.base import is_clusterer
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.errors import InputError, SharingWarning, UnknownTaskError
from kinfolk.methods.transfer.shared_subspace import LSSTTC
from kinfolk.numerics.subspaces import SUBSPACES
from oracles_lssmtc import CODES, table

RANDOM = np.random.default_rng(0)
FIRST_KNOWN = np.where(CODES == 0, np.cumsum(CODES == 0) % 3, -1)
"""The classes of the rows of the first task; those of the second are unknown."""


@parametrize_with_checks([LSSTTC()])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


WAYS = [
    {"mixed": False},
    {"mixed": True},
    {"centers": "all"},
    {"update": "multiplicative"},
    {"update": "multiplicative", "centers": "all"},
]
"""Memberships in one class and in several, by exact rows, centers of all rows, and the published
step."""


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("subspace", SUBSPACES)
@pytest.mark.parametrize("init", ["matched", "random", "kmeans"])
def test_the_transfer_objective_never_rises(init, subspace, way):
    for seed, counts in enumerate([False, True, True]):
        X = table(9, counts)
        model = LSSTTC(0.3, subspace=subspace, init=init, max_iter=40, random_state=seed, **way)
        laws.assert_never_rises(model.fit(X, FIRST_KNOWN, tasks=CODES))


@pytest.mark.parametrize("mixed", [False, True])
def test_rows_without_a_label_get_the_class_that_new_rows_get(mixed):
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(len(CODES), 5)) + table(5)
        model = LSSTTC(mixed=mixed, random_state=0).fit(X, FIRST_KNOWN, tasks=CODES)
        found = model.predict(X, tasks=CODES)
        np.testing.assert_array_equal(found[CODES == 1], model.transduction_[CODES == 1])
        np.testing.assert_array_equal(model.transduction_[CODES == 0], FIRST_KNOWN[CODES == 0])


def test_centers_of_known_rows_are_their_means_in_their_directions():
    X = table(6)
    model = LSSTTC(n_components=2, random_state=0).fit(X, FIRST_KNOWN, tasks=CODES)
    known = FIRST_KNOWN >= 0
    means = np.array([X[c == FIRST_KNOWN].mean(axis=0) for c in range(3)])
    # "explained": the directions with the largest part of the scatter between known classes.
    between = sum(np.outer(means[c], means[c]) for c in FIRST_KNOWN[known])
    W = np.linalg.eigh(between)[1][:, -2:]
    np.testing.assert_allclose(model.components_ @ model.components_.T, W @ W.T, atol=1e-9)
    np.testing.assert_allclose(model.shared_centers_, means @ model.components_, atol=1e-9)


def test_without_own_weight_a_row_gets_the_known_class_at_the_smallest_angle():
    X = table(6) + RANDOM.normal(size=(len(CODES), 6))
    found = LSSTTC(0.0, random_state=0).fit(X, FIRST_KNOWN, tasks=CODES)
    means = np.array([X[c == FIRST_KNOWN].mean(axis=0) for c in range(3)])
    for i in np.flatnonzero(FIRST_KNOWN < 0):
        # The means have three dimensions, which W holds.
        cosines = [X[i] @ m / np.linalg.norm(m) for m in means]
        assert found.transduction_[i] == np.argmax(cosines)


def unequal(seed):
    """Draw rows, tasks, classes: balanced in one task, one large long class in the other."""
    random = np.random.default_rng(seed)
    centers = abs(random.normal(size=(3, 6)))
    classes = np.repeat([0, 1, 2, 0, 1, 2], [20, 20, 20, 60, 8, 8])
    X = centers[classes] + 0.25 * random.normal(size=(136, 6))
    X[60:120] += np.outer(random.normal(size=60), 0.8 * (centers[1] - centers[2]))
    return X, np.repeat([0, 1], [60, 76]), classes


# One class of many rows is stretched, so that k-means divides it.
@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_centers_of_known_rows_keep_the_classes_that_those_of_all_rows_lose():
    right = {"known": [], "all": []}
    for seed in range(8):
        X, tasks, classes = unequal(seed)
        for centers, found in right.items():
            model = LSSTTC(centers=centers, random_state=0)
            model.fit(X, np.where(tasks == 0, classes, -1), tasks=tasks)
            found.append(np.mean((model.transduction_ == classes)[tasks == 1]))
    assert np.mean(right["known"]) > np.mean(right["all"]) + 0.05


def test_all_known_labels_leave_nothing_to_do():
    y = np.arange(len(CODES)) % 3
    model = LSSTTC().fit(table(6), y, tasks=CODES)
    np.testing.assert_array_equal(model.transduction_, y)
    assert model.converged_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"own_weight": 1.2}, "own_weight is 1.2; give a number from 0 to 1"),
        ({"own_weight": -0.1}, "own_weight is -0.1; give a number of at least 0"),
        ({"subspace": "eig"}, "subspace is 'eig'; choose one of 'explained', 'published', 'rel"),
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"centers": "none"}, "centers is 'none'; choose one of 'known', 'all'"),
        ({"init": "cold"}, "init is 'cold'; choose one of 'matched', 'random', 'kmeans'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1.0}, "tol is -1.0; give a number of at least 0"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        LSSTTC(**parameters).fit(table(5), FIRST_KNOWN, tasks=CODES)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "LSSTTC requires y to be passed"),
        (np.full(len(CODES), -1), "y has no known label"),
        (np.full(len(CODES), "-1"), "y has no known label"),
    ],
)
def test_missing_labels_are_refused(y, sentence):
    with pytest.raises(InputError, match=sentence):
        LSSTTC().fit(table(5), y, tasks=CODES)


def test_labels_of_another_number_of_rows_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LSSTTC().fit(table(5), FIRST_KNOWN[:-1], tasks=CODES)


def test_classes_number_the_clusters_of_all_tasks():
    y = np.where(FIRST_KNOWN < 0, -1, FIRST_KNOWN + 4)
    model = LSSTTC(random_state=0).fit(table(6), y, tasks=CODES)
    assert model.classes_.tolist() == [4, 5, 6]
    np.testing.assert_array_equal(model.matched_labels_, model.labels_)
    np.testing.assert_array_equal(model.matched_clusters_, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(model.transduction_, model.labels_ + 4)
    matched, strength = model.match(np.array([2, 0]), [1, 0])
    np.testing.assert_array_equal(matched, [2, 0])
    np.testing.assert_array_equal(strength, model.match_strength_[[5, 0]])


def test_the_strength_of_a_class_is_its_mean_link_to_the_same_class_elsewhere():
    X = np.vstack([table(6), table(6) + 0.3])
    tasks = np.concatenate([CODES, np.full(len(CODES), 2)])
    y = np.arange(len(X)) % 3
    model = LSSTTC(random_state=0).fit(X, y, tasks=tasks)
    for place, (task, c) in enumerate(model.clusters_):
        others = [
            model.cluster_links_[place, other]
            for other, (other_task, other_c) in enumerate(model.clusters_)
            if other_task != task and other_c == c
        ]
        assert len(others) == 2
        assert model.match_strength_[place] == pytest.approx(np.mean(others))


@pytest.mark.parametrize("far", [False, True])
def test_tasks_whose_rows_lie_far_from_all_known_classes_are_told(far):
    X = np.repeat([[9.0, 0.0], [0.0, 9.0]] * 2, 10, axis=0) + RANDOM.normal(size=(40, 2))
    X[20:] += 60.0 * far
    y = np.where(np.arange(40) < 20, np.arange(40) // 10, -1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LSSTTC(random_state=0).fit(X, y, tasks=np.repeat(["near", "other"], 20))
    Z = X @ model.components_
    means = [Z[y == j].mean(axis=0) for j in range(2)]
    squares = sum(min(((z - m) ** 2).sum() for m in means) for z in Z[20:])
    assert far == (squares > ((Z[20:] - Z[20:].mean(axis=0)) ** 2).sum())
    told = [str(w.message) for w in caught if issubclass(w.category, SharingWarning)]
    assert len(told) == far
    assert all("rows of task 'other' lie farther" in message for message in told)


def test_one_task_alone_has_nothing_to_match():
    y = np.where(np.arange(len(CODES)) < 6, np.arange(len(CODES)) % 3, -1)
    model = LSSTTC(random_state=0).fit(table(6), y)
    assert np.isnan(model.match_strength_).all()
    assert len(model.predict(table(6)[:4])) == 4


def test_new_rows_of_unknown_tasks_are_refused():
    model = LSSTTC(random_state=0).fit(table(6), FIRST_KNOWN, tasks=CODES)
    with pytest.raises(UnknownTaskError, match="task 5 was not there when the model was fitted"):
        model.predict(table(6), tasks=5)


def test_it_is_no_clusterer_and_takes_no_further_task():
    assert not is_clusterer(LSSTTC())
    assert not hasattr(LSSTTC(), "add_task")


def test_the_old_name_of_init_is_accepted():
    with pytest.warns(FutureWarning, match="'start' of LSSTTC is now called 'init'"):
        assert LSSTTC(start="random").init == "random"
