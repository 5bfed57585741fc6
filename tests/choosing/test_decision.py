from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import (
    changes,
    consensus,
    cross_task,
    decision,
    null_model,
    own_answers,
    scores,
)
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.decision import Options
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from redrawn_runs import TRUTH, X, redrawn

OTHER = np.tile([0, 1, 2], 15)
ROWS = np.arange(100, 145)


def runs_of(*labels, joint=False):
    labels = np.array([row for group in labels for row in group])
    n = len(labels)
    return BaseClusterings(
        labels, ["joint" if joint else "own"] * n, list(range(n)), np.full(n, joint)
    )


def tasks_of(own, joint, scorer=None, elsewhere=((X, TRUTH),)):
    """Options of a task and of others, each with its rows and its own clusters."""
    scorer = TaskScorer(X, 3) if scorer is None else scorer
    own_result = own_answers.own_result(runs_of(own), scorer)
    others = [own_answers.own_result(runs_of([l]), TaskScorer(rows, 3)) for rows, l in elsewhere]
    transferred = {s: own_result.labels_from_each([other])[0] for s, other in enumerate(others, 1)}
    options = [decision.options(own_result, runs_of(joint, joint=True), transferred)]
    for other, (_, labels) in zip(others, elsewhere, strict=True):
        runs = runs_of([labels], joint=True)
        options.append(decision.options(other, runs, {0: other.labels_from_each([own_result])[0]}))
    return options


def decided(*args, cautious=False, **given):
    return decision.decide(tasks_of(*args, **given), cautious)[0]


def by_itself(own_result):
    return decision.decide([decision.options(own_result)])[0]


def options_of(*criteria, agreement=0.5):
    """Make options whose answers have these criteria (modularity first); the first is own."""
    none = np.array([], dtype=int)
    runs = runs_of([TRUTH])
    kinds = [("own", "voting"), ("joint", "voting"), ("joint", "evidence accumulation")]
    answers = [
        Answer(TRUTH, combiner, source, none, *values)
        for (source, combiner), values in zip(kinds, criteria, strict=False)
    ]
    found = own_answers.own_result(runs, TaskScorer(X, 3)).run_scores
    return Options(TaskScorer(X, 3), runs, found, np.full(1, agreement), answers[0], answers, {})


GOOD = [redrawn(0.3, seed) for seed in range(10)]
BAD = [redrawn(0.8, seed) for seed in range(20, 30)]


def test_the_own_answer_is_that_of_the_runs_of_the_task_alone():
    runs = runs_of(BAD)
    W = scores.neighbor_graph(X, 3)
    run_scores = scores.score_runs(runs, scores.modularities(runs.labels, W))
    combined = np.array(list(consensus.combine(runs, run_scores, 3).values()))
    made = decided(BAD, GOOD)
    own = combined[scores.modularities(combined, W).argmax()]
    np.testing.assert_array_equal(made.own.labels, own)
    assert adjusted_rand_score(TRUTH, made.own.labels) < 0.7


def test_the_answer_uses_runs_that_know_other_tasks_where_they_are_better():
    made = decided(BAD, GOOD)
    assert not made.own_runs_only
    assert (made.answer.kept >= 10).all()
    assert adjusted_rand_score(TRUTH, made.answer.labels) > 0.9


@pytest.mark.parametrize("cautious", [True, False])
def test_the_own_answer_stands_where_they_are_worse(cautious):
    made = decided(GOOD, BAD, cautious=cautious)
    assert made.own_runs_only
    assert (made.answer.kept < 10).all()
    record = changes.change_record("a", made, ROWS)
    assert record["own_runs_only"]
    assert record["joint_share"] == 0
    assert made.evidence < decision.MIN_EVIDENCE


def test_without_other_tasks_the_own_answer_is_the_answer():
    made = by_itself(own_answers.own_result(runs_of(GOOD), TaskScorer(X, 3)))
    assert made.own.labels is made.answer.labels
    record = changes.change_record("a", made, ROWS)
    assert record["meaning"] == "The clusters are those of this data set by itself."
    assert np.isnan(record["agreement_with_joint_runs"])
    assert record["joint_share"] == 0


def test_cross_task_agreement_may_decide():
    random = np.random.default_rng(3)
    both = np.hstack([np.eye(3)[TRUTH], np.eye(3)[OTHER] * 1.1])
    scorer = TaskScorer(both + random.normal(size=(45, 6)) * 0.1, 3)
    own = [redrawn(0.3, seed, OTHER) for seed in range(10)]
    joint = [redrawn(0.0, seed) for seed in range(20)]
    weak = np.where(np.arange(45) < 26, TRUTH, random.integers(3, size=45))
    outside = decided(own, joint, scorer, elsewhere=[(X, redrawn(0.0, 5)), (X, weak)])
    assert adjusted_rand_score(TRUTH, outside.answer.labels) > 0.9
    best_agreement = max(
        adjusted_rand_score(divided, outside.answer.labels)
        for divided in outside.transferred.values()
    )
    assert outside.answer.cross_task_agreement == pytest.approx(best_agreement)
    assert outside.agreement.max() == pytest.approx(best_agreement)
    inside = decided(own, joint, scorer, elsewhere=[(X[:, [3, 4, 5, 0, 1, 2]], TRUTH)])
    assert adjusted_rand_score(OTHER, inside.answer.labels) > 0.9


def test_the_own_answer_is_kept_without_support_from_outside():
    unsupported = [(np.eye(6)[3 + OTHER], OTHER)]  # in columns that hold nothing but noise here
    made = decided(BAD, GOOD, elsewhere=unsupported)
    assert made.answer is made.own
    assert not made.has_cross_task_support
    assert made.evidence < decision.MIN_EVIDENCE
    record = changes.change_record("a", made, ROWS)
    assert (record["source"], record["joint_share"]) == ("own", 0)
    assert len(record["changed_rows"]) == 0
    refused = len(record["refused_rows"])
    assert refused > 10
    assert record["meaning"] == (
        f"An answer that changes {refused} of 45 rows scored higher, but the clusters of the other "
        "data sets do not support it: this data set keeps its own."
    )
    y = np.where(np.arange(45) % 2 == 0, TRUTH, -1)
    with_labels = decided(BAD, GOOD, TaskScorer(X, 3, y=y), elsewhere=unsupported)
    assert not with_labels.own_runs_only
    assert "the known labels support it" in changes.change_record("a", with_labels, ROWS)["meaning"]


def evidence_by_loops(tasks, made):
    """Evidence of each proposal by the printed formulas, in loops."""
    gains = []
    for t, found in enumerate(made):
        total, weights = 0.0, 0.0
        rises = found.proposal.modularity - found.own.modularity > 0.03
        for s in found.transferred:
            if tasks[s].scorer.n_clusters <= tasks[t].scorer.n_clusters / 2 and not rises:
                continue
            theirs = made[s].own.labels
            h = []
            for labels in (found.own.labels, found.proposal.labels):
                forth = adjusted_rand_score(
                    labels,
                    cross_task.transferred_labels(tasks[t].scorer.X, tasks[s].scorer.X, theirs),
                )
                back = adjusted_rand_score(
                    theirs,
                    cross_task.transferred_labels(tasks[s].scorer.X, tasks[t].scorer.X, labels),
                )
                h.append((forth + back) / 2)
            w = max(*h, 0.0) + 0.02
            total += w * (h[1] - h[0])
            weights += w
        gains.append(total / weights if weights else 0.0)
    return [(gain + sum(gains) / len(gains)) / 2 for gain in gains]


def test_evidence_is_the_gain_in_agreement_in_both_directions():
    other_rows = X + np.random.default_rng(5).normal(size=X.shape) * 0.3
    first = own_answers.own_result(runs_of(BAD), TaskScorer(X, 3))
    second = own_answers.own_result(runs_of([redrawn(0.2, 8)]), TaskScorer(other_rows, 3))
    tasks = [
        decision.options(
            first, runs_of(GOOD, joint=True), {1: first.labels_from_each([second])[0]}
        ),
        decision.options(
            second, runs_of([TRUTH], joint=True), {0: second.labels_from_each([first])[0]}
        ),
    ]
    made = decision.decide(tasks)
    np.testing.assert_allclose([m.evidence for m in made], evidence_by_loops(tasks, made))
    assert made[0].evidence > decision.CAUTIOUS_EVIDENCE


def four_tasks():
    """Options of four tasks of the same classes, whose own runs differ in their errors."""
    random = np.random.default_rng(6)
    owns = [
        own_answers.own_result(
            runs_of([redrawn(share, 8)]),
            TaskScorer(X + random.normal(size=X.shape) * 0.3, 3),
        )
        for share in (0.5, 0.2, 0.1, 0.7)
    ]
    transferred = own_answers.transfers(owns)
    return [
        decision.options(own, runs_of(GOOD, joint=True), labels)
        for own, labels in zip(owns, transferred, strict=True)
    ]


def test_evidence_of_many_tasks_takes_each_pair_in_both_directions():
    tasks = four_tasks()
    made = decision.decide(tasks)
    assert sum(one.proposal is not one.own for one in made) > 1
    np.testing.assert_allclose([m.evidence for m in made], evidence_by_loops(tasks, made))


def test_coarser_tasks_are_evidence_only_where_modularity_rises():
    first, *others = four_tasks()
    coarse = [replace(one, scorer=replace(one.scorer, n_clusters=1)) for one in others]
    rising = decision.decide([first, *coarse])
    proposal = rising[0].proposal
    clear = replace(first, own=replace(first.own, modularity=proposal.modularity - 0.02))
    level = decision.decide([clear, *coarse])
    for tasks, made in (([first, *coarse], rising), ([clear, *coarse], level)):
        np.testing.assert_allclose([m.evidence for m in made], evidence_by_loops(tasks, made))
    assert rising[0].evidence > decision.CAUTIOUS_EVIDENCE
    assert level[0].evidence < rising[0].evidence / 2


@pytest.mark.parametrize(
    ("evidence", "modularity", "bold", "cautious"),
    [
        (0.04, 0.29, 0, 0),
        (0.06, 0.29, 1, 0),
        (0.2, 0.29, 1, 1),
        (0.02, 0.4, 0, 0),
        (0.04, 0.3, 1, 0),
        (0.06, 0.4, 1, 0),
        (0.2, 0.4, 1, 1),
    ],
)
def test_a_proposal_needs_evidence_less_if_it_is_clear_and_twice_as_much_if_cautious(
    evidence, modularity, bold, cautious, monkeypatch
):
    monkeypatch.setattr(decision, "_evidence", lambda tasks, _: np.full(len(tasks), evidence))
    options = options_of((0.3, 0.8), (modularity, 0.9))
    (made,) = decision.decide([options])
    assert made.answer is options.answers[bold]
    (made,) = decision.decide([options], cautious=True)
    assert made.answer is options.answers[cautious]
    assert made.proposal is options.answers[1]


@pytest.mark.parametrize(("few", "clear", "bold"), [(1, 0, 0), (1, 1, 1), (0, 0, 1)])
def test_few_rows_without_clear_clusters_need_twice_the_evidence(few, clear, bold, monkeypatch):
    monkeypatch.setattr(decision, "_evidence", lambda tasks, _: np.full(len(tasks), 0.08))
    monkeypatch.setattr(decision, "FEW_ROWS", 16 if few else 15)  # there are 15 per cluster
    options = options_of((0.3, 0.8), (0.4, 0.9))
    level = NullLevel(0.0, 0.0) if clear else NullLevel(1.0, 1.0)
    options = replace(options, scorer=replace(options.scorer, null_level=level))
    (made,) = decision.decide([options])
    assert made.answer is options.answers[bold]


def test_known_labels_take_part():
    random = np.random.default_rng(3)
    both = np.hstack([np.eye(3)[TRUTH], np.eye(3)[OTHER] * 1.2])
    rows = both + random.normal(size=(45, 6)) * 0.2
    own = [redrawn(0.1, seed, t) for seed in range(10) for t in (TRUTH, OTHER)]
    y = np.where(np.arange(45) % 2 == 0, TRUTH, -1)
    for known, truth in ((None, OTHER), (y, TRUTH)):
        own_result = own_answers.own_result(runs_of(own), TaskScorer(rows, 3, y=known))
        assert adjusted_rand_score(truth, own_result.answer.labels) > 0.9
    record = changes.change_record("a", by_itself(own_result), ROWS)
    assert record["known_rows"] == 23
    assert "23 known labels took part in the choice." in record["meaning"]


@pytest.mark.parametrize(("share", "best"), [(22, "other"), (3, "truth")])
def test_known_labels_count_by_how_many_there_are(share, best):
    y = np.where(np.arange(45) % share == 0, TRUTH, -1)
    scorer, none = TaskScorer(X, 3, y=y), np.array([], dtype=int)
    answers = [scorer.answer(labels, "voting", "own", none) for labels in (OTHER, TRUTH)]
    levelled = [replace(answers[0], modularity=0.6), replace(answers[1], modularity=0.5)]
    assert consensus.best(levelled) is levelled[best == "truth"]


def test_a_proposal_that_fits_known_labels_better_is_the_answer():
    known = options_of((0.3, 0.3), (0.3, 0.3, 0.1))
    assert decision.decide([known])[0].answer.label_fit == 0.1


def test_one_real_run_is_the_one_with_the_best_score():
    made = decided(BAD, GOOD, TaskScorer(X, 3, combine=False))
    best = made.run_scores.total.argmax()
    np.testing.assert_array_equal(made.answer.labels, [*BAD, *GOOD][best])
    assert made.answer.kept.tolist() == [best]
    assert made.answer.combiner == "single run"
    assert made.answer.modularity == pytest.approx(made.run_scores.separation[best])


def test_large_tasks_are_scored_on_a_sample():
    sample = np.sort(np.random.default_rng(1).choice(45, 30, replace=False))
    made = decided(BAD, GOOD, TaskScorer(X[sample], 3, sample))
    seen = replace(made.runs, labels=made.runs.labels[:, sample])
    clear = scores.modularities(seen.labels, scores.neighbor_graph(X[sample], 3))
    agreement = [adjusted_rand_score(made.transferred[1], labels) for labels in seen.labels]
    expected = scores.score_runs(seen, clear, cross_task=np.array(agreement))
    np.testing.assert_allclose(made.run_scores.total, expected.total)
    assert made.answer.labels.shape == (45,)
    Q = scores.modularities(made.answer.labels[None, sample], scores.neighbor_graph(X[sample], 3))
    assert made.answer.modularity == pytest.approx(Q[0])


def test_two_groups_of_runs_give_two_answers():
    others = [redrawn(0.15, seed, OTHER) for seed in range(40, 52)]
    similar = [redrawn(0.15, seed) for seed in range(12)]
    runs = runs_of(similar, others, BAD)
    even = scores.score_runs(runs, np.r_[np.ones(24), np.zeros(10)])
    scorer = TaskScorer(np.hstack([X, np.eye(3)[OTHER]]), 3)
    second = decision.second_answer(runs, even, TRUTH, scorer)
    assert adjusted_rand_score(OTHER, second) > 0.9
    first = decision.second_answer(runs, even, OTHER, scorer)
    assert adjusted_rand_score(TRUTH, first) > 0.9
    assert (
        decision.second_answer(runs, even, TRUTH, replace(scorer, null_level=NullLevel(0.9, 0.9)))
        is None
    )


def test_a_second_answer_differs_from_the_first_as_much_as_the_two_votes_do():
    first, other = (redrawn(0.25, seed) for seed in (2, 6))
    groups = [[redrawn(0.05, seed, vote) for seed in range(start, start + 12)]
              for vote, start in ((first, 0), (other, 40))]  # fmt: skip
    runs = runs_of(*groups)
    even = scores.score_runs(runs, np.ones(24))
    scorer = TaskScorer(np.hstack([X, np.eye(3)[OTHER]]), 3)
    assert adjusted_rand_score(first, other) < decision.MAX_BETWEEN
    assert adjusted_rand_score(TRUTH, other) > decision.MAX_BETWEEN
    assert decision.second_answer(runs, even, TRUTH, scorer) is None
    assert decision.second_answer(runs, even, first, scorer) is not None


@pytest.mark.parametrize("share", [0.15, 0.3, 0.9])
def test_one_group_of_runs_gives_no_second_answer(share):
    runs = runs_of([redrawn(share, seed) for seed in range(40)])
    assert by_itself(own_answers.own_result(runs, TaskScorer(X, 3))).second is None


def test_a_table_without_groups_is_reported():
    noise = np.random.default_rng(0).normal(size=(45, 6))
    runs = runs_of([redrawn(1.0, seed) for seed in range(12)])
    level = null_model.null_level(noise, 3, kind=null_model.COPULA)
    own = own_answers.own_result(runs, TaskScorer(noise, 3, null_level=level))
    assert not own.has_clusters
    record = changes.change_record("a", by_itself(own), ROWS)
    assert not record["has_clusters"]
    assert record["meaning"].startswith("No clusters found that are clearer than chance: ")


def test_options_of_a_task_that_does_not_share_are_its_own_answer_alone():
    own = own_answers.own_result(runs_of(GOOD), TaskScorer(X, 3))
    options = decision.options(own)
    assert options.answers == []
    assert options.own is own.answer
    assert not options.has_cross_task_support
    np.testing.assert_array_equal(options.agreement, np.zeros(10))


def test_options_hold_nine_answers_own_ones_first():
    own = own_answers.own_result(runs_of(GOOD), TaskScorer(X, 3))
    options = decision.options(own, runs_of(BAD, joint=True), {1: TRUTH})
    assert [a.source for a in options.answers] == ["own"] * 3 + ["all"] * 3 + ["joint"] * 3
    assert len({a.combiner for a in options.answers}) == 3
    assert (options.answers[-1].kept >= 10).all()
    assert any(options.own is answer for answer in options.answers[:3])
    for answer in options.answers:
        expected = adjusted_rand_score(TRUTH, answer.labels)
        assert answer.cross_task_agreement == pytest.approx(expected)


def test_decisions_do_not_depend_on_the_order_of_tasks():
    tasks = [options_of((0.3, 0.3), (0.32, 0.3), (0.31, 0.3)),
             options_of((0.3, 0.3), (0.1, 0.3), (0.5, 0.3)),
             options_of((0.2, 0.6), (0.4, 0.5), (0.1, 0.1))]  # fmt: skip
    forward = [made.proposal for made in decision.decide(tasks)]
    backward = [made.proposal for made in decision.decide(tasks[::-1])][::-1]
    assert all(a is b for a, b in zip(forward, backward, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_the_proposal_has_the_largest_sum_of_criteria_in_its_own_task(seed):
    random = np.random.default_rng(seed)
    tasks = [random.uniform(0, 0.3, size=(3, 3)) for _ in range(4)]
    given = [options_of(*criteria.tolist()) for criteria in tasks]
    found = [each.answers.index(each.proposal) for each in decision.decide(given)]
    assert found == [criteria.sum(axis=1).argmax() for criteria in tasks]


def test_the_first_of_equal_answers_is_proposed():
    made = decision.decide([options_of((0.1, 0.2), (0.3, 0.3), (0.3, 0.3 + 1e-14))])[0]
    assert made.proposal is made.answers[1]
