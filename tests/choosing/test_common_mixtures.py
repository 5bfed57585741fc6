"""Clusters that small tasks get from one mixture of all tasks."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import common_mixtures

SIZES = (28, 25, 30, 22, 35, 26, 40, 24)
NAMES = [f"clinic {t}" for t in range(len(SIZES))]
TASKS = np.repeat(NAMES, SIZES)
CODES = np.repeat(np.arange(len(SIZES)), SIZES)
FEW_FAMILIES = pytest.mark.usefixtures("three_families_in_one_test")


def clinics(seed, centers=None):
    """Patients of eight clinics in three groups, all shifted by clinic; their groups."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=len(TASKS))
    if centers is None:
        centers = random.normal(scale=1.5, size=(3, 6))
    places = np.repeat(random.normal(scale=0.8, size=(len(SIZES), 6)), SIZES, axis=0)
    return centers[y] + places + random.normal(size=(len(TASKS), 6)), y


def fitted(X, **given):
    return kf.Kinfolk(3, random_state=0, **given).fit(X, tasks=TASKS)


def accuracy(y, labels):
    """Adjusted Rand index of each clinic."""
    return np.array([adjusted_rand_score(y[n == TASKS], labels[n == TASKS]) for n in NAMES])


@pytest.fixture(scope="module")
def helped():
    X, y = clinics(6)
    return fitted(X), X, y


def test_tasks_of_few_rows_get_clusters_that_all_have_in_common(helped):
    model, _, y = helped
    own, now = accuracy(y, model.own_labels_), accuracy(y, model.labels_)
    changed = [t for t, record in enumerate(model.guard_) if record["support"] == "common mixture"]
    assert len(changed) >= 4
    assert now[changed].mean() > own[changed].mean() + 0.15
    assert (now >= own - 0.05).all()
    assert not {NAMES[t] for t in changed} & set(model.unclustered_tasks_)
    said = model.guard_[changed[0]]["meaning"]
    assert "clusters common to all data sets describe these rows better than any of their" in said


def test_new_rows_get_these_clusters_also_after_storing(helped, tmp_path):
    model, X, _ = helped
    kf.save(model, tmp_path / "model")
    for one in (model, kf.load(tmp_path / "model").estimator):
        assert np.array_equal(one.predict(X, tasks=TASKS), model.labels_)


def test_units_that_all_tasks_share_do_not_matter(helped):
    _, X, _ = helped
    units = np.array([100.0, 0.01, 3.0, 1.0, 7.0, 0.5])
    found = [
        common_mixtures.fitted(table, CODES, range(8), 3, 0).found for table in (X, X * units - 5)
    ]
    one, other = (each.memberships.argmax(axis=1) for each in found)
    assert adjusted_rand_score(one, other) == 1.0


@FEW_FAMILIES
def test_a_task_with_groups_of_its_own_keeps_them():
    X, y = clinics(6)
    other = np.random.default_rng(5).normal(scale=1.5, size=(3, 6))
    odd = NAMES[2] == TASKS
    X[odd] = clinics(6, other)[0][odd]
    model = fitted(X)
    assert model.guard_[2]["support"] != "common mixture"
    assert np.array_equal(model.labels_[odd], model.own_labels_[odd])
    assert sum(record["support"] == "common mixture" for record in model.guard_) >= 4


@FEW_FAMILIES
def test_a_task_of_noise_takes_no_part_in_the_mixture_of_the_others(monkeypatch):
    X, _ = clinics(6)
    noise = NAMES[4] == TASKS
    random = np.random.default_rng(0)
    X[noise] = np.column_stack([random.permutation(column) for column in X[noise].T])
    asked = []
    usual = common_mixtures.is_sound
    monkeypatch.setattr(common_mixtures, "is_sound", lambda c: asked.append(c) or usual(c))
    model = fitted(X)
    assert model.guard_[4]["support"] == ""
    assert np.unique(asked[-1].codes).tolist() == [0, 1, 2, 3, 5, 6, 7]


@FEW_FAMILIES
def test_tasks_with_nothing_in_common_get_no_common_clusters():
    X, _ = clinics(6)
    for t, name in enumerate(NAMES):
        own = np.random.default_rng(t).normal(scale=1.5, size=(3, 6))
        X[name == TASKS] = clinics(t, own)[0][name == TASKS]
    assert not any(record["support"] == "common mixture" for record in fitted(X).guard_)


@FEW_FAMILIES
@pytest.mark.usefixtures("all_null_tables")
@pytest.mark.filterwarnings("error")  # what was tried in vain is no concern of the user
def test_skewed_columns_without_groups_show_no_common_clusters():
    random = np.random.default_rng(0)
    turned = np.eye(5) + 0.6 * random.normal(size=(5, 5))
    X = random.gamma(2.0, size=(len(TASKS), 5)) @ turned
    model = fitted(X)
    assert not any(record["support"] == "common mixture" for record in model.guard_)
    assert len(model.unclustered_tasks_) >= len(NAMES) - 1


@FEW_FAMILIES
def test_answers_of_yes_and_no_have_common_clusters():
    random = np.random.default_rng(2)
    y = random.integers(3, size=len(TASKS))
    X = (random.random((len(TASKS), 12)) < random.beta(0.5, 0.8, size=(3, 12))[y]).astype(float)
    model = fitted(X, columns_are_scaled=True)
    own, now = accuracy(y, model.own_labels_), accuracy(y, model.labels_)
    assert sum(record["support"] == "common mixture" for record in model.guard_) >= 6
    assert now.mean() > own.mean() + 0.1
    assert np.array_equal(model.predict(X, tasks=TASKS), model.labels_)


@pytest.mark.usefixtures("all_null_tables")
def test_categories_without_meaning_make_no_common_clusters():
    random = np.random.default_rng(0)
    n = len(TASKS)
    made = np.eye(4)[random.choice(4, size=(n, 3), p=[0.4, 0.3, 0.2, 0.1])].reshape(n, -1)
    numbers = random.normal(size=(n, 2))
    common = common_mixtures.fitted(np.hstack([numbers, made]), CODES, range(8), 3, 0)
    assert not common_mixtures.exceeds_chance(common)


def test_the_mixture_for_a_task_is_learned_without_it(helped):
    _, X, _ = helped
    common = common_mixtures.fitted(X, CODES, range(8), 3, 0)
    without = common.without(2)
    far = X.copy()
    far[CODES == 2] = 0.0
    again = common._replace(X=far).without(2)
    assert np.array_equal(without.cluster_centers_, again.cluster_centers_)
    assert not np.array_equal(without.cluster_centers_, common.model.cluster_centers_)


def test_of_many_rows_an_even_sample_is_fitted():
    codes = np.repeat([0, 1, 2], [10, 200, 40])
    kept = common_mixtures._sample(codes, [0, 1, 2], 60, np.random.RandomState(0))
    sizes = np.bincount(codes[kept])
    assert len(kept) <= 60
    assert sizes[0] == 10
    assert sizes[1] == sizes[2] >= 20


@FEW_FAMILIES
def test_rows_of_too_many_columns_for_few_steps_are_not_asked(monkeypatch):
    monkeypatch.setattr(common_mixtures, "MOST_STEPS", 3 * 6**2 * 41)
    monkeypatch.setattr(common_mixtures, "fitted", lambda *_: pytest.fail("asked"))
    assert common_mixtures.most_rows(6, 3) == 41  # of 42 that a covariance of six columns needs
    fitted(clinics(6)[0])


@FEW_FAMILIES
def test_the_cautious_guard_asks_for_twice_the_evidence(monkeypatch):
    asked = []
    monkeypatch.setattr(
        common_mixtures, "_describes_better", lambda *given: asked.append(given[-1])
    )
    fitted(clinics(6)[0], guard="both")
    assert set(asked) == {20.0}
