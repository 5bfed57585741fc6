import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from kinfolk.choosing import candidate_runs, candidates
from kinfolk.choosing.candidate_runs import CandidateRuns
from kinfolk.choosing.candidates import FAMILIES, Candidate
from kinfolk.choosing.representations import Representations
from kinfolk.errors import InputError, LeftOutWarning, ScaleWarning
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.running import progress

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1], 12)
X = RANDOM.normal(size=(24, 4)) * 0.2 + 3 * np.eye(4)[np.arange(24) % 3]
REPRESENTATIONS = Representations.of(X, CODES)


def planned(families, k=(3, 3), seed=0):
    return candidates.plan(
        families, REPRESENTATIONS, dict(enumerate(k)), np.random.RandomState(seed)
    )


class Stub:
    """A clusterer that returns given labels or raises a given error."""

    def __init__(self, outcome=None, category=UserWarning):
        self.outcome = outcome
        self.category = category

    def fit(self, X, tasks):
        if self.outcome:
            raise self.outcome
        warnings.warn("nothing to worry about", self.category, stacklevel=1)
        self.labels_ = np.arange(len(X)) % 3
        return self


def stubs(*outcomes, joint=False):
    return [Candidate("stub", "", "raw", s, joint, Stub(o)) for s, o in enumerate(outcomes)]


def run(plan, budget=None, codes=CODES):
    runs = CandidateRuns(budget)
    candidate_runs.run(plan, REPRESENTATIONS, X, codes, runs)
    return runs


def test_every_family_has_its_turn_before_one_has_a_second():
    plan = planned(list(FAMILIES))
    seen = [(c.family, c.setting, c.representation) for c in plan]
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
    runs = run(planned(list(FAMILIES)))
    assert runs.left_out == []
    assert {f.candidate.family for f in runs.fitted} == set(FAMILIES)
    for fitted in runs.fitted:
        assert fitted.labels.shape == (24,)
        assert fitted.candidate.estimator.task_names_.tolist() == [0, 1]
        assert fitted.seconds > 0


def test_candidates_that_need_equal_numbers_say_so():
    runs = run(planned(["kmeans", "pooled", "lssmtc"], k=(3, 2)))
    assert {f.candidate.family for f in runs.fitted} == {"kmeans"}
    assert {record["family"] for record in runs.left_out} == {"pooled", "lssmtc"}
    assert all("same number of clusters" in record["reason"] for record in runs.left_out)


def test_a_refusal_is_recorded_with_its_reason():
    runs = run(stubs(None, InputError("too few"), np.linalg.LinAlgError("singular"), None))
    assert [f.candidate.start for f in runs.fitted] == [0, 3]
    assert [r["reason"] for r in runs.left_out] == ["too few", "singular"]
    assert runs.left_out[0]["start"] == 1


def test_warnings_of_runs_are_recorded_and_not_passed_on():
    runs = run(stubs(None, InputError("too few"), None))
    assert [(r["start"], r["message"]) for r in runs.run_warnings] == [
        (0, "UserWarning: nothing to worry about"),
        (2, "UserWarning: nothing to worry about"),
    ]
    assert runs.run_warnings[0].keys() >= {"family", "setting", "representation", "joint"}


def test_the_long_column_of_a_representation_is_no_warning():
    names = ("z-scores", "with offset")
    stub = Stub(category=ScaleWarning)
    runs = run([Candidate("stub", "", name, 0, False, stub) for name in names])
    assert [r["representation"] for r in runs.run_warnings] == ["z-scores"]


@pytest.mark.parametrize("error", [TypeError, ValueError, FloatingPointError, IndexError])
def test_a_defect_is_no_refusal(error):
    with pytest.raises(error, match="broken"):
        run(stubs(None, error("broken")))


def test_a_plain_value_error_of_a_real_method_is_a_defect(monkeypatch):
    def broken(*_, **__):
        raise ValueError("operands could not be broadcast together with shapes (3,4) (5,)")

    monkeypatch.setattr(MTCFIR, "fit", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        run(planned(["kmeans", "mtcfir"]))


def missing(runs, requested=()):
    """Sentences of the warnings about families without any successful run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runs.warn_of_left_out(requested)
    assert {w.category for w in caught} <= {LeftOutWarning}
    return [str(w.message) for w in caught]


def test_a_family_whose_runs_all_failed_is_warned_of_once():
    failed = [np.linalg.LinAlgError("singular"), MemoryError("no room.")]
    assert missing(run(stubs(*failed))) == ["No run of 'stub' took part: singular."]
    assert missing(run(stubs(None, *failed))) == []


def test_a_family_that_refuses_is_warned_of_only_if_it_was_requested():
    runs = run(stubs(InputError("unequal numbers of clusters.")))
    assert missing(runs) == []
    assert missing(runs, ["stub"]) == ["No run of 'stub' took part: unequal numbers of clusters."]


def test_a_spent_budget_is_not_warned_of():
    other = Candidate("late", "", "raw", 0, False, Stub())
    runs = run([*stubs(None), other], budget=1e-9)
    assert runs.left_out[0]["family"] == "late"
    assert missing(runs, ["stub", "late"]) == []


def test_a_spent_budget_leaves_whole_runs():
    runs = run(stubs(None, None, None), budget=1e-9)
    assert len(runs.fitted) == 1
    assert [r["reason"] for r in runs.left_out] == ["the budget of 1e-09 s was spent"] * 2


def test_who_interrupts_gets_the_runs_until_then():
    with pytest.warns(UserWarning, match="interrupted after 2 runs"):
        runs = run(stubs(None, None, KeyboardInterrupt(), None))
    assert len(runs.fitted) == 2
    assert [r["reason"] for r in runs.left_out] == ["interrupted"] * 2


def test_an_interrupted_change_of_states_is_taken_back_with_its_runs():
    runs = run(stubs(None, None))
    made = list(runs.fitted)
    state = SimpleNamespace(own="clusters")

    def change():
        with runs.kept([state]):
            runs.fitted.append("a mixture")
            state.own = "those of the mixture"
            state.decision = "half made"
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted after 2 runs"):
        change()
    assert runs.fitted == made
    assert vars(state) == {"own": "clusters"}
    assert runs.stopped == "interrupted"


def test_an_interruption_before_the_first_run_stays_one():
    with pytest.raises(KeyboardInterrupt):
        run(stubs(KeyboardInterrupt(), None))


def test_what_was_stopped_stays_stopped():
    runs = run(stubs(None, None), budget=1e-9)
    candidate_runs.run(stubs(None), REPRESENTATIONS, X, CODES, runs)
    assert len(runs.fitted) == 1
    assert [r["reason"] for r in runs.left_out] == ["the budget of 1e-09 s was spent"] * 2


def test_tasks_that_do_not_share_are_not_seen():
    (fitted,) = run(stubs(None), codes=np.where(CODES == 0, 0, -1)).fitted
    assert (fitted.labels[:12] >= 0).all()
    assert (fitted.labels[12:] == -1).all()


def test_progress_counts_candidates():
    heard = []
    with progress.listening(lambda *state: heard.append(state)):
        run(planned(["mec", "pooled"]))
    assert {what for what, _, _ in heard} == {"trying candidates"}
    assert heard[-1][1] == heard[-1][2] == len(planned(["mec", "pooled"]))
