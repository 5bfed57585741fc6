"""Turns of runs under a budget: order, seconds, and time kept for judging."""

import math

import numpy as np
import pytest

from kinfolk.choosing import costs, null_model, sampling
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.choosing.costs import Costs, Effort
from kinfolk.choosing.turns import Turns
from kinfolk.running import deadlines


@pytest.fixture
def clock(monkeypatch):
    """Fixture: a fake clock that stands still until it is set."""
    time = [100.0]
    monkeypatch.setattr(deadlines, "clock", lambda: time[0])
    return time


def known(seconds, sizes=(500, 500)):
    """Cost model with given seconds per run of each family."""
    made = Costs(sizes, 50.0, 5.0, "amounts", 50)
    for family, value in seconds.items():
        made.taken[family] = [(value * 1e6, made._planned(family) * 1e6)]
    return made


def test_without_a_budget_runs_go_as_planned_and_are_not_limited():
    turns = Turns(None, known({}))
    assert turns.begin(["b", "a", "b"]) == [0, 1, 2]
    assert turns.take("b") == math.inf
    assert turns.prepare_own(["pooled"]) == costs.FULL


def test_the_first_of_every_family_comes_first_and_the_cheapest_before_all(clock):
    turns = Turns(9.0, known({"mtcfir": 3.0, "kmeans": 0.1, "mec": 0.2}))
    assert turns.begin(["mtcfir", "mtcfir", "mec", "kmeans", "kmeans"]) == [3, 2, 0, 1, 4]


def test_a_first_run_has_its_share_or_what_the_others_are_expected_to_leave(clock):
    turns = Turns(10.0, known({"soft-kmeans": 1.0, "lssmtc": 2.0, "mtcmrl": 3.0}))
    turns.begin(["soft-kmeans", "lssmtc", "mtcmrl"])
    assert turns.take("soft-kmeans") == pytest.approx(10 - 2 - 3, rel=1e-3)
    clock[0] += 9.0
    assert turns.take("lssmtc") == pytest.approx(1 / 2, rel=1e-3)


def test_a_run_that_no_deadline_can_end_in_time_is_left_out(clock):
    turns = Turns(2.0, known({"kmeans": 3.0, "mtcmrl": 3.0}))
    turns.begin(["kmeans", "mtcmrl"])
    assert turns.take("kmeans") is None
    assert turns.take("mtcmrl") == pytest.approx(2.0)


def test_a_further_start_runs_only_if_its_end_is_expected_in_time(clock):
    turns = Turns(2.0, known({"mtcmrl": 1.5}))
    turns.begin(["mtcmrl"] * 3)
    turns.take("mtcmrl")
    assert turns.take("mtcmrl") == pytest.approx(2.0)
    clock[0] += 0.6
    assert turns.take("mtcmrl") is None


def test_further_own_runs_leave_joint_ones_a_first_run_and_half_of_the_rest(clock):
    turns = Turns(20.0, known({"kmeans": 1.0, "pooled": 2.0}))
    turns.prepare_own(["pooled"])
    turns.later = float
    turns.begin(["kmeans"] * 9)
    turns.take("kmeans")
    assert turns.take("kmeans") == pytest.approx(18, rel=1e-3)
    clock[0] += 6.0
    assert turns.take("kmeans") == pytest.approx(20 - 6 - 2 - 6, rel=1e-3)


def test_first_own_runs_that_take_longer_than_expected_leave_half_to_joint_ones(clock):
    turns = Turns(20.0, known({"kmeans": 0.1, "soft-kmeans": 0.2, "pooled": 0.1}))
    turns.prepare_own(["pooled"])
    half = turns.left / 2
    turns.begin(["kmeans", "soft-kmeans"])
    assert turns.take("kmeans") == pytest.approx(half)
    clock[0] += half + 1
    assert turns.take("soft-kmeans") is None
    turns.prepare_joint(0.1, 0.1, costs.FULL)
    turns.begin(["pooled"])
    assert turns.take("pooled") > 5


def test_time_is_kept_for_judging_and_then_for_combining(clock):
    turns = Turns(20.0, known({}))
    effort = turns.prepare_own([])
    assert effort == costs.FULL
    assert turns.left < 20.0 - turns.costs.judging()
    turns.prepare_joint(judged=2.0, combined=1.5, effort=effort)
    assert turns.left == 20.0 - 3 * 1.5
    assert turns.allow(15.0)
    assert not turns.allow(16.0)
    turns.prepare_joint(judged=2.0, combined=9.0, effort=effort)
    assert turns.left == 10.0


def test_with_less_time_fewer_rows_are_scored_and_then_fewer_null_tables_made():
    table = known({}, sizes=(4000, 4000))
    efforts = [table.effort(seconds) for seconds in (1e9, 20.0, 0.12, 1e-9)]
    assert efforts[0] == costs.FULL
    assert costs.LEAST_SCORED < efforts[1].rows < 4000
    assert efforts[1].tables == 1.0
    assert efforts[2].rows == costs.LEAST_SCORED
    assert 0 < efforts[2].tables < 1
    assert efforts[3] == Effort(costs.LEAST_SCORED, 0.0)
    spent = [table.judging(effort) for effort in efforts]
    assert spent == sorted(spent, reverse=True)


def test_every_family_has_a_power_and_larger_tables_cost_more():
    small = Costs([300, 300], 20.0, 3.0, "counts", 200)
    large = Costs([3000, 3000], 20.0, 3.0, "counts", 200)
    for family in FAMILIES:
        assert family in costs.POWERS
        assert family in costs.WHOLE
        assert 0 < small.of(family) < large.of(family) < 10 * 11 * small.of(family)
    assert small.sampled(200).sizes == [200, 200]


def test_a_slow_machine_is_noticed_by_its_first_long_runs():
    table = known({})
    before = table.of("mtcfir")
    table.learn("kmeans", table.of("kmeans"))
    assert table.of("mtcfir") == pytest.approx(before)
    table.learn("mtcmrl", 5 * table.of("mtcmrl"))
    assert table.of("mtcfir") > 1.5 * before
    assert table.of("mtcmrl") > 4 * known({}).of("mtcmrl")


@pytest.mark.usefixtures("all_null_tables")
def test_a_smaller_share_of_null_tables_is_a_level_and_none_always_is_exceeded():
    X = np.random.default_rng(0).uniform(size=(40, 3))
    some = null_model.null_level(X, 2, kind=null_model.PERMUTED, share=0.25)
    assert np.isfinite(some.modularity)
    assert some != null_model.null_level(X, 2, kind=null_model.PERMUTED)
    assert null_model.null_level(X, 2, kind=null_model.PERMUTED, share=0.0).modularity == -1.0


def test_time_for_comparing_pairs_of_tasks_grows_with_their_number_and_is_kept(clock):
    few, many, long = (known({}, [m] * T) for T, m in ((10, 100), (40, 100), (40, 200)))
    assert many.pairs() == pytest.approx(few.pairs() * 40 * 39 / 90)
    a, b, c = costs.PAIRS
    assert long.pairs() == pytest.approx(40 * 39 * (a + 200 * b + 200**2 * c))
    assert known({}, [500]).pairs() == 0
    turns = Turns(90.0, many)
    effort = turns.prepare_own([])
    kept = 1.5 * many.judging(effort) + many.pairs(effort)
    assert turns.left == pytest.approx(90 - kept)


@pytest.mark.parametrize(("pair", "part"), [(0.0, 0.5), (0.01, 0.5), (0.035, None)])
def test_own_runs_leave_more_than_half_of_the_time_if_comparing_takes_longer(
    clock, monkeypatch, pair, part
):
    monkeypatch.setattr(costs, "PAIRS", (pair, 0.0, 0.0))
    many = known({}, [100] * 40)
    turns = Turns(90.0, many)
    turns.begin(["mtcmrl"])
    turns.prepare_own(["pooled"])
    expected = turns.left - many.pairs() if part is None else part * turns.left
    assert turns.take("mtcmrl") == pytest.approx(expected, rel=1e-3)


def test_samples_are_smaller_where_many_tasks_are_compared(monkeypatch):
    tasks = known({}, [400] * 60)
    smaller = sampling.affordable(tasks, ["kmeans"], 400, 60.0)
    monkeypatch.setattr(costs, "PAIRS", (0.0, 0.0, 0.0))
    larger = sampling.affordable(tasks, ["kmeans"], 400, 60.0)
    assert smaller < (larger or 400)


def test_one_run_of_several_tasks_is_made_even_if_no_time_is_left(clock):
    turns = Turns(2.0, known({"pooled": 1.0, "lssmtc": 2.0, "mtcmrl": 3.0}))
    turns.prepare_own(["pooled", "lssmtc", "mtcmrl"])
    clock[0] += 9.0
    turns.prepare_joint(1.0, 1.0, costs.FULL)
    turns.begin(["mtcmrl", "lssmtc", "pooled"])
    assert turns.take("pooled") == pytest.approx(1.0, rel=1e-3)  # all of it is before any sweep
    turns.fail("pooled")
    assert turns.take("lssmtc") == pytest.approx(0.2, rel=1e-3)
    turns.learn("lssmtc", 0.2)
    assert turns.take("mtcmrl") is None


def test_where_other_work_shares_the_cores_runs_are_expected_to_take_longer(monkeypatch):
    quiet = known({}).of("mec")
    monkeypatch.setattr(deadlines, "slowness", lambda: 3.0)
    assert known({}).of("mec") == pytest.approx(3 * quiet)
