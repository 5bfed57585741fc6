"""Clusters that a task of few rows gets from the mixture of another task."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import moved_mixtures
from kinfolk.choosing.mixtures import MIN_EVIDENCE, MixedMixture

FEW = 12
STEPS = np.array([0.0, 3.0, 8.0])


def long_groups(n, seed, move=0.0):
    """Rows of three long groups side by side, and their groups."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    length = 3 * random.normal(size=n)
    side = length + 0.4 * random.normal(size=n) + STEPS[y]
    return np.column_stack([length, side, random.normal(size=n)]) + move, y


def fitted(few, many, **given):
    rows = np.vstack([few, many])
    tasks = np.repeat(["few", "many"], [len(few), len(many)])
    return kf.Kinfolk(3, random_state=0, **given).fit(rows, tasks=tasks)


@pytest.fixture(scope="module")
def helped():
    """A model of twelve rows beside 150 of the same groups, and the groups of the twelve."""
    few, y = long_groups(FEW, 1, 0.5)
    many, _ = long_groups(150, 0)
    return fitted(few, many), few, y


def test_few_rows_get_the_clusters_of_many_that_describe_them_better(helped):
    model, _, y = helped
    record = model.guard_[0]
    assert record["support"] == "mixture"
    assert adjusted_rand_score(y, model.own_labels_[:FEW]) < 0.7
    assert adjusted_rand_score(y, model.labels_[:FEW]) == 1.0
    assert "describe these rows better than any of their own do." in record["meaning"]
    assert "few" not in model.unclustered_tasks_
    assert record["cases"] == 0
    assert model.guard_[1]["support"] == ""


def test_new_rows_of_the_task_get_these_clusters_also_after_storing(helped, tmp_path):
    model, few, _ = helped
    kf.save(model, tmp_path / "model")
    for one in (model, kf.load(tmp_path / "model").estimator):
        assert np.array_equal(one.predict(few, tasks="few"), model.labels_[:FEW])


def test_units_that_all_tasks_share_do_not_matter(helped):
    model, few, _ = helped
    many, _ = long_groups(150, 0)
    units = np.array([100.0, 0.01, 3.0])
    other = fitted(few * units + 7, many * units + 7)
    assert adjusted_rand_score(model.labels_, other.labels_) == 1.0


def columns_turned(rows):
    return rows * [1.0, -1.0, 1.0]


def without_groups(rows):
    random = np.random.default_rng(3)
    return np.column_stack([random.permutation(column) for column in rows.T])


def narrow_and_far(rows):
    return rows / 50 + 90


@pytest.mark.usefixtures("three_families_in_one_test")
@pytest.mark.parametrize("unrelated", [columns_turned, without_groups, narrow_and_far])
def test_rows_that_do_not_fit_keep_their_own_clusters(unrelated):
    many, _ = long_groups(150, 0)
    model = fitted(unrelated(long_groups(24, 1)[0]), many)
    assert model.guard_[0]["support"] == ""
    assert np.array_equal(model.labels_, model.own_labels_)


def test_a_mixture_that_agrees_far_less_with_other_tasks_is_refused(helped, monkeypatch):
    model, few, _ = helped
    record = model.guard_[0]
    loss = record["own_cross_task_agreement"] - record["cross_task_agreement"]
    assert loss <= moved_mixtures.MOST_DISAGREEMENT
    monkeypatch.setattr(moved_mixtures, "MOST_DISAGREEMENT", loss - 0.01)
    assert fitted(few, long_groups(150, 0)[0]).guard_[0]["support"] == ""


@pytest.mark.usefixtures("three_families_in_one_test")
def test_a_task_with_a_fitting_mixture_keeps_it():
    model = fitted(long_groups(60, 1)[0], long_groups(150, 0)[0])
    assert [record["combiner"] for record in model.guard_] == ["mixture", "mixture"]


@pytest.mark.usefixtures("three_families_in_one_test")
def test_more_rows_than_a_mixture_is_fitted_to_ask_for_none_of_others(monkeypatch):
    few, many = long_groups(FEW, 1, 0.5)[0], long_groups(150, 0)[0]
    monkeypatch.setattr(moved_mixtures, "best_moved", lambda *_: pytest.fail("asked"))
    with pytest.raises(pytest.fail.Exception, match="asked"):
        fitted(few, many)
    monkeypatch.setattr(moved_mixtures, "MOST_ROWS", FEW - 1)
    assert fitted(few, many).guard_[0]["support"] == ""


def test_the_evidence_is_that_over_the_best_mixture_of_the_rows_alone():
    helper = MixedMixture(3, random_state=0).fit(long_groups(150, 0)[0])
    few, y = long_groups(FEW, 1, 0.5)
    moved = helper.moved_to(few)
    lead = moved.evidence_ - helper.evidence_of(few, 3)
    assert lead > MIN_EVIDENCE
    found = moved_mixtures.best_moved([helper], few, (3, 3), 0.0)
    assert adjusted_rand_score(y, found.labels_) == 1.0
    own = MixedMixture(3, random_state=0).fit(few)
    assert moved_mixtures.support(found, own, few, 3, lead - 0.01) == "mixture"
    assert moved_mixtures.support(found, own, few, 3, lead + 0.01) == ""
    assert moved_mixtures.best_moved([helper], few, (1, 2), 0.0) is None


@pytest.mark.parametrize(
    ("own", "moved", "fits", "agrees"),
    [
        *((0.7, 0.61, False, True), (0.7, 0.59, False, False)),
        # Others have found clusters such as the own ones by themselves.
        *((0.96, 0.95, False, False), (0.96, 0.96, False, True), (0.94, 0.9, False, True)),
        # A mixture of its own that fits gives way only to a better agreement.
        *((0.7, 0.79, True, False), (0.7, 0.81, True, True)),
        *((np.nan, np.nan, False, True), (np.nan, np.nan, True, False)),
    ],
)
def test_what_other_tasks_have_to_say(own, moved, fits, agrees, monkeypatch):
    monkeypatch.setattr(moved_mixtures.cross_task, "cross_task_agreement", lambda *_: (own, moved))
    answer = SimpleNamespace(labels=np.zeros(3, dtype=int))
    scorer = SimpleNamespace(on_sample=lambda labels: labels)
    result = SimpleNamespace(answer=answer, scorer=scorer, fitted=answer if fits else None)
    state = SimpleNamespace(own=result, transferred={})
    assert moved_mixtures._agrees(state, np.zeros(3, dtype=int)) is agrees


def unequal_groups(n, sizes, seed):
    """Rows of three round groups of these sizes in 60, and their groups."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], np.array(sizes) * n // 60)
    return random.normal(size=(n, 2)) + np.array([[0, 0], [6, 0], [0, 6]])[y], y


def test_clusters_too_small_for_a_test_count_where_another_data_set_has_them():
    few, y = unequal_groups(60, [48, 10, 2], 1)
    own = MixedMixture(3, random_state=0).fit(few)
    assert not own.fits_  # two rows are too few for it
    helper = MixedMixture(3, random_state=0).fit(unequal_groups(240, [45, 9, 6], 0)[0])
    moved = helper.moved_to(few)
    lead = moved.evidence_ - helper.evidence_of(few, 3)
    assert adjusted_rand_score(y, moved.labels_) > 0.9
    assert moved_mixtures.support(moved, own, few, 3, lead + 0.01) == "found twice"
    other = MixedMixture(2, random_state=0).fit(few)
    assert moved_mixtures.support(moved, other, few, 3, lead + 0.01) == ""


def test_clusters_with_gaps_help_too_if_a_mixture_has_them():
    few, y = unequal_groups(60, [48, 10, 2], 1)
    many, _ = unequal_groups(240, [45, 9, 6], 2)
    model = fitted(few + 2, many)
    assert model.guard_[1]["combiner"] == "gaps"
    assert model.guard_[0]["support"] == "mixture"
    assert adjusted_rand_score(y, model.labels_[:60]) > 0.9


def test_many_rows_of_their_own_need_no_mixture_of_others():
    helper = MixedMixture(3, random_state=0).fit(long_groups(150, 0)[0])
    rows, _ = long_groups(150, 1)
    stretched = rows * [1.0, 1.0, 2.0]
    assert helper.moved_to(stretched).evidence_ < helper.evidence_of(stretched, 3)


def test_clusters_without_a_row_are_left_out():
    helper = MixedMixture(3, random_state=0).fit(long_groups(150, 0)[0])
    few, y = long_groups(36, 1)
    moved = helper.moved_to(few[y < 2])
    assert len(moved.weights_) == 2
    assert moved.weights_.sum() == pytest.approx(1.0)
    assert np.array_equal(moved.predict(few[y < 2]), moved.labels_)


@pytest.mark.usefixtures("three_families_in_one_test")
@pytest.mark.parametrize(("n_few", "seed"), [(6, 2), (25, 6)])
def test_few_rows_do_not_refuse_the_mixture_of_many(n_few, seed):
    few, _ = long_groups(n_few, seed + 1, 0.5)
    many, y = long_groups(150, seed)
    assert adjusted_rand_score(y, fitted(few, many).labels_[n_few:]) == 1.0


@pytest.mark.usefixtures("three_families_in_one_test")
@pytest.mark.parametrize(("n_others", "given"), [(75, True), (76, False)])
def test_the_form_of_one_task_is_given_to_more_only_if_these_are_smaller(
    n_others, given, monkeypatch
):
    monkeypatch.setattr(
        moved_mixtures,
        "best_moved",
        lambda helpers, X, *_: next((h.moved_to(X) for h in helpers), None),
    )
    monkeypatch.setattr(moved_mixtures, "support", lambda *_: "mixture")
    monkeypatch.setattr(moved_mixtures, "MOST_DISAGREEMENT", 2.0)
    random = np.random.default_rng(0)
    many, _ = long_groups(150, 0)
    others = random.uniform(-9, 9, size=(2 * n_others, 3))  # no mixture fits them
    tasks = np.repeat(["one", "two", "many"], [n_others, n_others, 150])
    model = kf.Kinfolk(3, random_state=0).fit(np.vstack([others, many]), tasks=tasks)
    assert [record["support"] == "mixture" for record in model.guard_] == [given, given, False]


def corners(n, seed):
    """Rows about four corners of a cube, half of them about the first, and their groups."""
    y = np.repeat([0, 1, 2, 3], np.array([30, 12, 12, 6]) * n // 60)
    places = 3.8 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]])
    return np.random.default_rng(seed).normal(size=(len(y), 3)) + places[y], y


@pytest.mark.usefixtures("three_families_in_one_test")
def test_a_mixture_that_fits_gives_way_to_a_likelier_one_of_more_rows_alone():
    few, y = corners(60, 86)
    many, _ = corners(300, 100)
    assert MixedMixture(4, random_state=0).fit(few).fits_
    model = kf.Kinfolk(4, random_state=0).fit(
        np.vstack([few, many]), tasks=np.repeat(["few", "many"], [60, 300])
    )
    assert model.guard_[0]["own_combiner"] == "mixture"
    assert adjusted_rand_score(y, model.own_labels_[:60]) < 0.8
    assert model.guard_[0]["support"] == "mixture"
    assert adjusted_rand_score(y, model.labels_[:60]) > 0.9
    assert model.guard_[1]["support"] == ""


@pytest.mark.usefixtures("all_null_tables")
def test_clusters_that_another_task_has_as_well_are_no_chance():
    y = np.repeat([0, 1, 2], [80, 15, 5])  # five rows are too few to see gaps about them
    few = np.random.default_rng(1).normal(size=(100, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    many, _ = unequal_groups(240, [45, 9, 6], 0)
    noise = np.random.default_rng(2).normal(size=(100, 2))
    assert fitted(few, noise).unclustered_tasks_ == ["few", "many"]
    assert fitted(few, many).unclustered_tasks_ == []
    assert fitted(noise, many).unclustered_tasks_ == ["few"]


@pytest.mark.usefixtures("all_null_tables")
@pytest.mark.parametrize(("seed", "unclear"), [(0, ["a", "b", "c"]), (4, ["a", "c"])])
def test_a_task_that_is_no_clearer_than_chance_gives_its_clusters_to_no_other(seed, unclear):
    random = np.random.default_rng(seed)
    sizes = random.integers(80, 140, 3)
    halves = random.random((sizes.sum(), 2))  # two halves of a square fit some of the tasks
    model = kf.Kinfolk(2, random_state=0).fit(halves, tasks=np.repeat(["a", "b", "c"], sizes))
    assert model.unclustered_tasks_ == unclear
    assert np.array_equal(model.labels_, model.own_labels_)
