"""Fits to samples of large tasks: the rows that are drawn, the place of the others, the words."""

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.choosing import sampling
from kinfolk.errors import InputError
from kinfolk.running import deadlines, interruptions
from kinfolk.tables import Tasks

CHEAP = ["kmeans", "pooled"]


def groups(n, tasks=2, k=3, seed=0, spread=0.3):
    """Draw rows of k groups in each task; return rows, tasks and groups."""
    random = np.random.default_rng(seed)
    y = np.tile(np.arange(k), n // k)
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[:k]
    X = [centers[y] + t + random.normal(scale=spread, size=(len(y), 2)) for t in range(tasks)]
    return np.vstack(X), np.tile(y, tasks), np.repeat([f"t{i}" for i in range(tasks)], len(y))


def fitted(X, tasks, **given):
    parameters = {"families": CHEAP, "random_state": 0, "rows": 30, **given}
    return kf.Kinfolk(3, **parameters).fit(X, tasks=tasks)


def test_every_row_of_a_sampled_task_gets_the_cluster_of_its_group():
    X, y, tasks = groups(300)
    model = fitted(X, tasks)
    for task in ("t0", "t1"):
        assert kf.measures.accuracy(y[tasks == task], model.labels_[tasks == task]) == 1.0
    assert kf.measures.accuracy(y, model.matched_labels_) == 1.0
    assert len(model.sampling_["rows"]) == 60
    assert model.sure_.all()
    assert model.sampling_["moved"] == 0.0
    assert model.sampling_["meaning"] == (
        "The methods saw 60 of 600 rows; the others were placed by their nearest rows. Another "
        "sample would move 0.0 % of all rows."
    )


def test_profiles_of_a_sampled_fit_count_all_rows():
    X, _, tasks = groups(300)
    assert fitted(X, tasks).profiles_.sizes[-1, -1] == 600


def test_rows_without_groups_are_not_sure():
    X = np.random.default_rng(1).normal(size=(400, 2))
    model = fitted(X, np.repeat(["a", "b"], 200))
    assert not model.sure_.all()
    assert model.sampling_["moved"] == pytest.approx(1 - model.sure_.mean())


def test_positions_in_the_guard_are_those_of_sampled_rows():
    X, _, tasks = groups(300, spread=4.0)
    model = fitted(X, tasks)
    for record in model.guard_:
        for which in ("changed_rows", "refused_rows"):
            assert set(record[which]) <= set(model.sampling_["rows"])
            assert (tasks[record[which]] == record["task"]).all()


def test_small_tables_are_fitted_whole():
    X, _, tasks = groups(60)
    model = fitted(X, tasks, rows="auto")
    assert not hasattr(model, "sampling_")
    whole = fitted(X, tasks, rows=None)
    np.testing.assert_array_equal(model.labels_, whole.labels_)


def test_a_fit_to_all_rows_forgets_the_samples_before():
    X, _, tasks = groups(300)
    model = fitted(X, tasks)
    assert hasattr(model, "sure_")
    model.set_params(rows=None).fit(X[::10], tasks=tasks[::10])
    assert not hasattr(model, "sure_")
    assert len(model.labels_) == 60


def test_known_labels_are_in_both_samples():
    X, y, tasks = groups(300)
    known = np.full(600, -1)
    known[::20] = y[::20]
    first, second = sampling.drawn(Tasks.of(tasks), 40, known, np.random.RandomState(0))
    assert set(np.flatnonzero(known >= 0)) <= set(first) & set(second)


def test_two_samples_of_a_large_task_share_no_row():
    first, second = sampling.drawn(Tasks.single(100), 50, None, np.random.RandomState(3))
    assert sorted([*first, *second]) == list(range(100))


def test_the_order_of_tasks_changes_no_sample():
    given = Tasks.of(["a"] * 40 + ["b"] * 60)
    turned = Tasks.of(["b"] * 60 + ["a"] * 40)
    samples = (sampling.drawn(t, 10, None, np.random.RandomState(0)) for t in (given, turned))
    for one, other in zip(*samples, strict=True):
        np.testing.assert_array_equal(one, np.sort((other + 40) % 100))


def test_a_small_task_is_whole_in_both_samples():
    found = Tasks.of(["a"] * 5 + ["b"] * 50)
    for sample in sampling.drawn(found, 20, None, np.random.RandomState(0)):
        assert np.bincount(found.codes[sample]).tolist() == [5, 20]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([8000, 8000], None),
        ([8001, 8000], 2000),
        ([20_000, 100], 3900),
        ([90_000], 4000),
        ([420] * 40, 100),
        ([420] * 41, None),  # 97 rows of each task show too little of it
        ([100] * 320, None),
        ([100] * 321, 12),
    ],
)
def test_the_first_samples_have_about_four_thousand_rows(sizes, expected):
    found = Tasks([*range(len(sizes))], np.repeat(np.arange(len(sizes)), sizes))
    assert sampling.sample_size("auto", found) == expected


@pytest.mark.parametrize("rows", ["all", 9, 2.5, True, -4])
def test_other_numbers_of_rows_are_refused(rows):
    with pytest.raises(InputError, match=r'rows is .*; give "auto", None for all rows, or a whole'):
        sampling.sample_size(rows, Tasks.single(100))


class Grown:
    """Stand-in for a fitted model of a sample of a given size."""

    def __init__(self, size):
        self.size = size


def grown(monkeypatch, agreements, make=lambda rows, seconds: Grown(len(rows)), **given):
    """Sizes of the samples that are fitted, for these agreements of two fits."""
    sizes = []
    values = iter(agreements)

    def compared(X, found, first, second):
        sizes.append(len(first[1]))
        value = np.array([next(values)])
        other = sampling.Second(*second, [])
        return sampling.Sampled(first[0], first[1], None, None, np.ones(1, bool), value, other)

    monkeypatch.setattr(sampling, "_compared", compared)
    random = np.random.RandomState(0)
    found = Tasks.single(5000)
    sampling.fitted(make, None, None, found, 100, random, **given)
    return sizes


def test_samples_are_doubled_until_two_of_them_agree(monkeypatch):
    assert grown(monkeypatch, [0.5, 0.8, 0.96, 1.0]) == [100, 200, 400]


def test_samples_are_not_doubled_beyond_the_largest(monkeypatch):
    assert grown(monkeypatch, [0.5, 0.6, 0.7, 0.8], largest=400) == [100, 200, 400]


def test_samples_are_not_doubled_again_where_larger_ones_agree_no_better(monkeypatch):
    assert grown(monkeypatch, [0.8, 0.87, 0.875, 0.9]) == [100, 200, 400]


@pytest.mark.parametrize("in_fit", [1, 2])
def test_after_ctrl_c_no_further_sample_is_fitted_and_the_second_one_is_short(monkeypatch, in_fit):
    seconds = []

    def make(rows, share):
        seconds.append(share)
        if len(seconds) == in_fit:
            assert interruptions.is_first()
        return Grown(len(rows))

    with interruptions.keeping():
        assert grown(monkeypatch, [0.5] * 9, make=make) == [100]
    assert seconds == [None, sampling.EARLIEST if in_fit == 1 else None]


def test_samples_are_not_doubled_if_no_time_is_left(monkeypatch):
    with deadlines.ending(deadlines.clock()):
        assert grown(monkeypatch, [0.5] * 9) == [100]
