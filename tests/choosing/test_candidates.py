import warnings

import numpy as np
import pytest

from kinfolk import progress
from kinfolk.choosing import candidates
from kinfolk.choosing.candidates import FAMILIES, Candidate, Trial
from kinfolk.choosing.representations import Spaces
from kinfolk.errors import InputError

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1], 12)
X = RANDOM.normal(size=(24, 4)) * 0.2 + 3 * np.eye(4)[np.arange(24) % 3]
SPACES = Spaces.of(X, CODES)


def planned(families, k=(3, 3), seed=0):
    return candidates.plan(families, SPACES, dict(enumerate(k)), np.random.RandomState(seed))


class Stub:
    """A clusterer that does as it is told."""

    def __init__(self, outcome=None):
        self.outcome = outcome

    def fit(self, X, tasks):
        if self.outcome:
            raise self.outcome
        warnings.warn("nothing to worry about", stacklevel=1)
        self.labels_ = np.arange(len(X)) % 3
        return self


def stubs(*outcomes, joint=False):
    return [Candidate("stub", "", "raw", s, joint, Stub(o)) for s, o in enumerate(outcomes)]


def run(plan, budget=None, codes=CODES):
    trial = Trial(budget)
    candidates.run(plan, SPACES, X, codes, trial)
    return trial


def test_every_family_has_its_turn_before_one_has_a_second():
    plan = planned(list(FAMILIES))
    seen = [(c.family, c.setting, c.space) for c in plan]
    turns = list(dict.fromkeys(seen))
    assert [family for family, _, _ in turns[: len(FAMILIES)]] == list(FAMILIES)
    for turn in turns:
        places = [i for i, other in enumerate(seen) if other == turn]
        assert places == list(range(places[0], places[0] + FAMILIES[turn[0]].starts))


def test_own_families_come_first():
    joint = [family.joint for family in FAMILIES.values()]
    assert joint == sorted(joint)


def test_every_run_has_a_seed_of_its_own():
    plan = planned(["symnmf", "mtcfir"])
    seeds = [
        getattr(c.estimator, "estimator", c.estimator).get_params()["random_state"] for c in plan
    ]
    assert len(set(seeds)) == len(plan)
    again = [c.estimator.get_params() for c in planned(["symnmf", "mtcfir"])]
    assert str(again) == str([c.estimator.get_params() for c in plan])


def test_every_candidate_runs_on_all_tasks():
    trial = run(planned(list(FAMILIES)))
    assert trial.left_out == []
    assert {f.candidate.family for f in trial.finished} == set(FAMILIES)
    for finished in trial.finished:
        assert finished.labels.shape == (24,)
        assert finished.candidate.estimator.task_names_.tolist() == [0, 1]
        assert finished.seconds > 0


def test_candidates_that_need_equal_numbers_say_so():
    trial = run(planned(["kmeans", "pooled", "lssmtc"], k=(3, 2)))
    assert {f.candidate.family for f in trial.finished} == {"kmeans"}
    assert {record["family"] for record in trial.left_out} == {"pooled", "lssmtc"}
    assert all("same number of clusters" in record["reason"] for record in trial.left_out)


def test_a_refusal_is_kept_with_its_reason_and_warnings_are_not_passed_on():
    trial = run(stubs(None, InputError("too few"), FloatingPointError("overflow"), None))
    assert [f.candidate.start for f in trial.finished] == [0, 3]
    assert [r["reason"] for r in trial.left_out] == ["too few", "overflow"]
    assert trial.left_out[0]["start"] == 1


def test_a_defect_is_no_refusal():
    with pytest.raises(TypeError, match="broken"):
        run(stubs(None, TypeError("broken")))


def test_a_spent_budget_leaves_whole_runs():
    trial = run(stubs(None, None, None), budget=1e-9)
    assert len(trial.finished) == 1
    assert [r["reason"] for r in trial.left_out] == ["the budget of 1e-09 s was spent"] * 2


def test_who_interrupts_gets_the_runs_until_then():
    with pytest.warns(UserWarning, match="interrupted after 2 runs"):
        trial = run(stubs(None, None, KeyboardInterrupt(), None))
    assert len(trial.finished) == 2
    assert [r["reason"] for r in trial.left_out] == ["interrupted"] * 2


def test_an_interruption_before_the_first_run_stays_one():
    with pytest.raises(KeyboardInterrupt):
        run(stubs(KeyboardInterrupt(), None))


def test_what_was_stopped_stays_stopped():
    trial = run(stubs(None, None), budget=1e-9)
    candidates.run(stubs(None), SPACES, X, CODES, trial)
    assert len(trial.finished) == 1
    assert [r["reason"] for r in trial.left_out] == ["the budget of 1e-09 s was spent"] * 2


def test_tasks_that_do_not_share_are_not_seen():
    (finished,) = run(stubs(None), codes=np.where(CODES == 0, 0, -1)).finished
    assert (finished.labels[:12] >= 0).all()
    assert (finished.labels[12:] == -1).all()


def test_progress_counts_candidates():
    heard = []
    with progress.listening(lambda *state: heard.append(state)):
        run(planned(["mec", "pooled"]))
    assert {what for what, _, _ in heard} == {"trying candidates"}
    assert heard[-1][1] == heard[-1][2] == len(planned(["mec", "pooled"]))
