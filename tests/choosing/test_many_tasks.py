"""Many tasks get fewer starts, null tables and eigenvectors each, and few tasks what they had."""

import numpy as np
import pytest

from kinfolk import Kinfolk
from kinfolk.choosing import candidates, costs, null_model
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.choosing.null_model import NullScores
from kinfolk.choosing.representations import Representations
from kinfolk.datasets import makers

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.gamma(2.0, size=(12, 5))
SEEN = Representations.of(TABLE, np.zeros(12, dtype=int))


def planned(n_tasks, families=FAMILIES):
    k = dict.fromkeys(range(n_tasks), 3)
    return candidates.plan(list(families), SEEN, k, np.random.RandomState(0))


@pytest.mark.parametrize("family", FAMILIES)
def test_up_to_32_tasks_get_all_starts_and_more_tasks_fewer_but_a_third(family):
    made = FAMILIES[family]
    assert made.starts_for(1) == made.starts_for(32) == made.starts
    counts = [made.starts_for(T) for T in range(32, 300)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == -(-made.starts // 3)


def test_a_plan_for_many_tasks_has_fewer_runs_and_asks_every_family():
    few = planned(4)
    many = planned(100)
    assert {c.family for c in many} == {c.family for c in few} == set(FAMILIES)
    assert len(many) < 0.5 * len(few)


def test_as_many_eigenvectors_as_all_clusters_are_asked_for_only_where_they_are_few():
    def widths(n_tasks):
        return {c.estimator.n_components for c in planned(n_tasks, ["joint-spectral"])}

    assert widths(42) == {"largest", "all"}  # 126 clusters
    assert widths(43) == {"largest"}


@pytest.mark.parametrize(("n_tasks", "share"), [(1, 1.0), (32, 1.0), (40, 0.8), (1000, 0.3)])
def test_share_of_null_tables(n_tasks, share):
    assert costs.share_of_tables(n_tasks) == pytest.approx(share)


def test_null_levels_of_many_tables_are_those_of_each_task_alone():
    best = RANDOM.uniform(size=(2, 10, 3))
    tasks = [NullScores(best[0], 30, 10), NullScores(best[1], 900, 10, own=9.0)]
    for task, level in zip(tasks, null_model.levels(tasks), strict=True):
        Q, S, r = task.best.mean(axis=0) + [2, 5, 2.5] * task.best.std(axis=0, ddof=1)
        assert level[:2] == pytest.approx((Q, max(S, 0)))
        assert level.assortativity == pytest.approx(np.inf if np.isnan(task.own) else r)
    assert null_model.levels(tasks)[1].exceeded


def test_null_levels_of_few_tables_share_the_variance_per_row():
    tasks = [
        NullScores(RANDOM.uniform(size=(B, 3)), n, 10) for B, n in ((2, 20), (3, 50), (5, 400))
    ]
    total = np.zeros(3)
    freedom = 0
    for task in tasks:
        B = len(task.best)
        for row in task.best:
            total += task.n_rows * (row - task.best.mean(axis=0)) ** 2
        freedom += B - 1
    for task, level in zip(tasks, null_model.levels(tasks), strict=True):
        B = len(task.best)
        spread = np.sqrt(total / freedom / task.n_rows * (1 + 1 / B) / (1 + 1 / 10))
        expected = task.best.mean(axis=0) + [2, 5, 2.5] * spread
        assert level[:2] == pytest.approx(expected[:2])


def test_a_task_without_null_tables_has_no_level_and_lends_no_variance():
    known = NullScores(RANDOM.uniform(size=(3, 3)), 40, 10)
    none = NullScores(np.empty((0, 3)), 99, 10)
    alone = null_model.levels([known])[0]
    assert null_model.levels([none, known]) == [null_model.NullLevel(-1.0, -1.0), alone]
    assert null_model.levels([none])[0].modularity == -1.0


def test_a_fit_of_many_tasks_makes_fewer_starts_and_finds_their_clusters(monkeypatch):
    monkeypatch.setattr(costs, "MANY", 3)
    data = makers.make_related_blobs(40, 4, 2, 6, separation=8.0, random_state=0)
    model = Kinfolk(2, families=["kmeans", "pooled"], random_state=0)
    model.fit(data.X, tasks=data.tasks)
    seen = [r for r in model.evidence_ if r["task"] == model.task_names_[0]]
    starts = {r["start"] for r in seen if r["family"] == "kmeans"}
    assert starts == set(range(3))  # 6 * 3 / 6
    assert model.unclustered_tasks_ == []
