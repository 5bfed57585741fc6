import numpy as np
import pytest

from kinfolk.choosing import consensus, decision, task_state
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.candidates import Candidate
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.tables import Tasks

CODES = np.repeat([0, 1], [12, 48])
TRUTH = np.arange(60) % 2
X = np.eye(4)[TRUTH] + np.random.default_rng(0).normal(size=(60, 4)) * 0.1
FOUND = Tasks(["small", "large"], CODES)


def fitted(labels, joint=False, start=0):
    candidate = Candidate("joint" if joint else "own", "", "raw", start, joint, None)
    return FittedCandidate(candidate, labels, 0.5)


NEVER_EXCEEDED = NullLevel(9.0, 9.0)


def states(level=(-1.0, -1.0), stopped=""):
    runs = CandidateRuns(fitted=[fitted(TRUTH, start=s) for s in range(3)], stopped=stopped)
    scorers = [TaskScorer(X[rows], 2, null_level=NullLevel(*level)) for rows in FOUND.rows()]
    return task_state.own_states(FOUND, scorers, runs)


def test_tasks_share_if_they_have_clusters():
    assert [state.shares for state in states()] == [True, True]


def test_without_clusters_only_small_tasks_share():
    none = states(NEVER_EXCEEDED)
    assert [(state.name, state.shares) for state in none] == [("small", True), ("large", False)]


def test_every_task_shares_once_the_runs_were_stopped():
    assert all(state.shares for state in states(NEVER_EXCEEDED, "interrupted"))


def test_a_task_without_clear_clusters_has_some_if_each_is_found_again_in_a_clear_task():
    random = np.random.default_rng(0)
    kinds = np.tile(np.arange(3), 120)[: 3 * 60]
    rows = 4 * np.eye(12)[kinds] + random.normal(size=(180, 12))
    rows[120:] = random.normal(size=(60, 12))  # the last task has no clusters
    found = Tasks(["clear", "faint", "noise"], np.repeat([0, 1, 2], 60))
    runs = CandidateRuns(fitted=[fitted(kinds, start=s) for s in range(3)])

    def shares(*levels):
        pairs = zip(found.rows(), levels, strict=True)
        scorers = [TaskScorer(rows[own], 3, null_level=level) for own, level in pairs]
        return [(s.shares, s.own.has_clusters) for s in task_state.own_states(found, scorers, runs)]

    always = NullLevel(-1.0, -1.0)
    assert shares(always, NEVER_EXCEEDED, NEVER_EXCEEDED) == [(True, True)] * 2 + [(False, False)]
    assert shares(*[NEVER_EXCEEDED] * 3) == [(False, False)] * 3  # none is clear


def test_a_state_holds_the_runs_on_the_rows_of_its_task():
    small, large = states()
    np.testing.assert_array_equal(small.rows, np.arange(12))
    np.testing.assert_array_equal(large.own.runs.labels, np.tile(TRUTH[12:], (3, 1)))


def test_base_clusterings_know_setting_and_representation():
    runs = [fitted(TRUTH), fitted(TRUTH, joint=True)]
    found = task_state.base_clusterings(runs, np.array([1, 3]))
    np.testing.assert_array_equal(found.labels, [[1, 1], [1, 1]])
    assert found.families == ["own", "joint"]
    assert found.settings == [("", "raw")] * 2
    assert found.joint.tolist() == [False, True]


def test_a_task_that_does_not_share_has_records_of_own_runs_only():
    state = states()[0]
    (state.decision,) = decision.decide([decision.options(state.own)])
    runs = [*(fitted(TRUTH, start=s) for s in range(3)), fitted(TRUTH, joint=True)]
    records = task_state.run_records(state, runs)
    assert [(r["task"], r["family"], r["start"]) for r in records] == [
        ("small", "own", 0), ("small", "own", 1), ("small", "own", 2)]  # fmt: skip
    assert all(r["kept"] and r["cross_task_agreement"] == 0 for r in records)
    assert {r["seconds"] for r in records} == {0.5}


@pytest.mark.parametrize(("most", "scored"), [(48, [None, None]), (47, [None, 30])])
def test_a_large_task_is_scored_on_a_sorted_sample(monkeypatch, most, scored):
    monkeypatch.setattr(consensus, "MAX_PAIRWISE_ROWS", most)
    monkeypatch.setattr(consensus, "SCORED_ROWS", 30)
    seen = Representations.of(X, CODES)
    random = np.random.RandomState(0)
    y = np.where(np.arange(60) % 3 == 0, TRUTH, -1)
    made = task_state.scorers(X, y, FOUND, [2, 2], seen, random, True, CandidateRuns())
    sizes = [None if scorer.sample is None else len(scorer.sample) for scorer in made]
    assert sizes == scored
    assert [scorer.X.shape[0] for scorer in made] == [12, scored[1] or 48]
    assert [len(scorer.y) for scorer in made] == [12, 48]
    for scorer in made:
        assert scorer.sample is None or (np.diff(scorer.sample) > 0).all()
