"""Candidates side by side: the same outcomes in any number of workers."""

import math

import joblib
import numpy as np
import pytest

from kinfolk import Kinfolk
from kinfolk.choosing import candidate_runs, candidates, chains
from kinfolk.choosing.candidate_runs import CandidateRuns
from kinfolk.choosing.costs import Costs
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.turns import Turns
from kinfolk.errors import InputError
from kinfolk.running import deadlines

CODES = np.repeat([0, 1], 30)
X = np.abs(np.random.default_rng(0).normal(size=(60, 4)) + 3 * np.eye(4)[np.arange(60) % 3])
SEEN = Representations.of(X, CODES)
FAMILIES = ["kmeans", "mec", "pooled"]


class Slow:
    """A clusterer whose fit advances a fake clock."""

    def __init__(self, time, seconds):
        self.time = time
        self.seconds = seconds

    def fit(self, X, tasks):
        self.time[0] += self.seconds
        self.labels_ = np.zeros(len(X), dtype=int)
        self.ended = deadlines.moment()
        return self


@pytest.fixture
def clock(monkeypatch):
    """Fixture: a fake clock that stands still until it is set."""
    time = [0.0]
    monkeypatch.setattr(deadlines, "clock", lambda: time[0])
    return time


def ran(n_jobs, budget=None):
    """Run a small plan with this number of workers and budget."""
    plan = candidates.plan(FAMILIES, SEEN, {0: 3, 1: 3}, np.random.RandomState(0))
    runs = CandidateRuns(budget, Costs.of_table(X, [30, 30], [3, 3], SEEN.kind), n_jobs)
    candidate_runs.run(plan, SEEN, X, CODES, runs)
    return plan, runs


@pytest.mark.parametrize("budget", [None, 900.0])
def test_any_number_of_workers_gives_the_same_runs_in_the_order_of_the_plan(budget):
    plan, one = ran(None, budget)
    _, two = ran(2, budget)
    for runs in (one, two):
        assert [f.candidate[:5] for f in runs.fitted] == [c[:5] for c in plan]
        assert runs.left_out == []
    for mine, other in zip(one.fitted, two.fitted, strict=True):
        np.testing.assert_array_equal(mine.labels, other.labels)
        assert other.candidate.estimator.labels_.shape == (60,)


def test_a_spent_budget_leaves_one_run_with_workers_too():
    plan, runs = ran(2, 1e-9)
    assert len(runs.fitted) == 1
    assert len(runs.left_out) == len(plan) - 1


def test_a_model_of_two_workers_is_that_of_one():
    models = [
        Kinfolk(3, FAMILIES, n_jobs=n_jobs, random_state=0).fit(X, tasks=CODES)
        for n_jobs in (None, 2)
    ]
    one, two = ([r | {"seconds": 0} for r in model.evidence_] for model in models)
    assert one == two
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    np.testing.assert_array_equal(
        models[0].predict(X, tasks=CODES), models[1].predict(X, tasks=CODES)
    )


def test_workers_of_a_dask_cluster_give_the_answer_of_one():
    distributed = pytest.importorskip("dask.distributed", reason="the extra dask is not there")
    one = Kinfolk(3, FAMILIES, random_state=0).fit(X, tasks=CODES)
    settings = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(**settings, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        several = Kinfolk(3, FAMILIES, n_jobs=-1, random_state=0).fit(X, tasks=CODES)
    np.testing.assert_array_equal(several.labels_, one.labels_)
    assert len(several.evidence_) == len(one.evidence_)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True, 2**32])
def test_other_numbers_of_workers_are_refused(n_jobs):
    with pytest.raises(InputError, match="n_jobs=.* must be a whole number other than 0"):
        Kinfolk(3, n_jobs=n_jobs).fit(X, tasks=CODES)


def test_a_chain_starts_no_candidate_without_the_seconds_it_needs(clock):
    chain = [chains.Work(i, Slow(clock, 2.0), math.inf, needed=2.5) for i in range(4)]
    done = chains.fit_chain(chain, X, CODES, 5.0, chains.memo.Memory())
    assert [each.place for each in done] == [0, 1]
    assert done[0].outcome.labels.tolist() == [0] * 60
    assert done[0].estimator.ended == 5.0


def test_a_candidate_has_its_own_seconds(clock):
    (done,) = chains.fit_chain(
        [chains.Work(7, Slow(clock, 1.0), 3.0)], X, CODES, math.inf, chains.memo.Memory()
    )
    assert (done.place, done.estimator.ended) == (7, 3.0)


def test_a_chain_is_a_family_on_a_representation():
    plan = chains.Plan([None] * 4, list("abab"), list("xxyx"), {}, CODES)
    assert plan.chains(range(4)) == [[0], [1, 3], [2]]


def test_one_by_one_leaves_out_what_has_no_time(clock):
    known = Costs([30, 30], 4.0, 3.0, "amounts", 4)
    turns = Turns(10.0, known)
    slow = Slow(clock, 20.0)
    plan = chains.Plan([slow, slow], ["mtcmrl", "mec"], ["raw"] * 2, {"raw": X}, CODES)
    assert [done.place for done in chains.one_by_one(plan, turns, lambda: False, "")] == [1]


class Failing:
    """A clusterer whose fit always raises an error."""

    def fit(self, X, tasks):
        raise InputError("no table will do.")


def test_a_first_run_without_a_limit_is_the_turn_of_its_family(clock):
    turns = Turns(10.0, Costs([30, 30], 4.0, 3.0, "amounts", 4))
    quick = [Slow(clock, 0.0), Slow(clock, 0.0)]
    plan = chains.Plan(quick, ["mec", "mtcmrl"], ["raw"] * 2, {"raw": X}, CODES)
    none_yet = [True, False]
    done = list(chains.one_by_one(plan, turns, lambda: none_yet.pop(0), ""))
    # The second family is the last that waits, so that all of the time is its own.
    assert [each.estimator.ended for each in done] == [math.inf, 10.0]


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_runs_without_a_limit_go_on_until_one_succeeds(clock, n_jobs):
    turns = Turns(1.0, Costs([30, 30], 4.0, 3.0, "amounts", 4))
    clock[0] += 2.0  # the budget is spent
    given = [Failing(), Failing(), Slow(clock, 1.0), Slow(clock, 1.0)]
    plan = chains.Plan(given, ["mec"] * 4, ["raw"] * 4, {"raw": X}, CODES)
    fitted = []

    def obliged():
        return not fitted

    runs = (
        chains.one_by_one(plan, turns, obliged, "")
        if n_jobs is None
        else chains.side_by_side(plan, turns, obliged, "", n_jobs)
    )
    done = []
    for each in runs:
        done.append(each.place)
        if each.outcome.labels is not None:
            fitted.append(each)
    assert done == [0, 1, 2]


def test_results_of_mapped_are_in_order_for_any_number_of_workers():
    items = [(7, 2), (9, 4), (1, 1)]
    assert chains.mapped(divmod, items, 2, "dividing") == [divmod(*item) for item in items]
