import dataclasses
import math

import numpy as np
import pytest

from kinfolk.report import knowledge_effect, page
from kinfolk.report.content import read


def _by_hand(study, move, rows):
    """Own center, spread and moves of one cluster, by loops."""
    own = [sum(study.X[i, j] for i in rows) / len(rows) for j in range(2)]
    squares = sum((study.X[i, j] - own[j]) ** 2 for i in rows for j in range(2))
    spread = math.sqrt(squares / len(rows))
    moved = math.sqrt(sum((move.result[j] - own[j]) ** 2 for j in range(2)))
    apart = math.sqrt(sum((move.given[j] - own[j]) ** 2 for j in range(2)))
    return own, apart / spread, moved / spread


def test_moves_are_those_of_plain_loops_over_the_rows_without_knowledge(fit_study):
    study = fit_study("another site's centers")
    (effect,) = knowledge_effect.effects(read(study))
    alone, together = study.results[0].labels, study.results[1].labels
    assert len(effect.moves) == 3
    for move in effect.moves:
        mine = np.flatnonzero(together == move.cluster.number)
        former = np.bincount(alone[mine]).argmax()
        own, apart, moved = _by_hand(study, move, np.flatnonzero(alone == former))
        np.testing.assert_allclose(move.own, own)
        assert (move.apart, move.moved) == pytest.approx((apart, moved))
        assert move.new == np.sum(alone[mine] != former)


def test_half_the_weight_covers_a_third_of_the_distance(fit_study):
    (effect,) = knowledge_effect.effects(
        read(fit_study("another site's centers", transfer_weight=0.5))
    )
    assert max(move.apart for move in effect.moves) > 1
    for move in effect.moves:
        assert move.covered == pytest.approx(1 / 3, abs=0.02)


def test_without_weight_nothing_moves_or_changes(fit_study):
    study = fit_study("another site's centers", transfer_weight=1e-12, own_share=1 - 1e-12)
    (effect,) = knowledge_effect.effects(read(study))
    for move in effect.moves:
        assert move.moved < 0.01
        assert move.new == 0
        assert move.columns == []
    assert "0 of 60 rows (0 %) changed their cluster." in knowledge_effect.sentences(effect)[0]


def test_rows_that_changed_their_cluster_are_counted(fit_study):
    study = fit_study("another site's centers")
    alone = study.results[0].labels.copy()
    moved = np.flatnonzero(alone == 0)[:4]
    alone[moved] = 1
    changed = dataclasses.replace(study.results[0], labels=alone)
    study = dataclasses.replace(study, results=[changed, *study.results[1:]])
    (effect,) = knowledge_effect.effects(read(study))
    assert sum(move.new for move in effect.moves) == 4
    assert "4 of 60 rows (7 %) changed" in knowledge_effect.sentences(effect)[0]


def test_the_column_that_moved_most_is_named_with_its_direction(fit_study):
    (effect,) = knowledge_effect.effects(read(fit_study("another site's centers")))
    most = max(effect.moves, key=lambda move: move.moved)
    assert most.columns[0].name == "fever"
    assert most.columns[0].lift > 0.2


def test_each_counterpart_has_its_rows_at_the_source_whatever_the_order_of_columns(fit_study):
    study = fit_study("another site's centers")
    known = study.model.estimators_[0].knowledge
    (straight,) = knowledge_effect.effects(read(study))
    study.model.estimators_[0].knowledge = known.aligned(("fever", "pulse"))
    (turned,) = knowledge_effect.effects(read(study))
    for a, b in zip(straight.moves, turned.moves, strict=True):
        assert a.behind == known.cluster_weights[a.source]
        np.testing.assert_array_equal(a.given, known.cluster_centers[a.source])
        np.testing.assert_array_equal(a.given, b.given)


def test_a_cluster_without_counterpart_is_said_to_come_from_the_rows_alone(fit_study):
    study = fit_study("another site's centers", centers=((0.0, 0.0), (6.0, 0.0)), match=True)
    (effect,) = knowledge_effect.effects(read(study))
    (free,) = (move for move in effect.moves if move.source is None)
    assert knowledge_effect.sentences(effect)[1] == (
        f"Kind {free.cluster.group} of ward 0 has no counterpart at the other site and was "
        "found from the rows alone."
    )
    assert math.isnan(free.covered)
    assert math.isnan(free.apart)


def test_an_unused_center_of_the_other_site_is_named(fit_study):
    centers = ((0.0, 0.0), (6.0, 0.0), (0.0, 9.0), (20.0, 20.0))
    study = fit_study("another site's centers", centers=centers, tasks=2, match=True)
    found = knowledge_effect.effects(read(study))
    assert [each.task for each in found] == ["ward 0", "ward 1"]
    for each in found:
        assert each.left_out == [(3, 43.0)]
        assert knowledge_effect.sentences(each)[-1] == (
            f"Center 3 of the other site (43 rows) has no counterpart in {each.task} and was not "
            "used."
        )


def test_the_picture_shows_each_center_where_it_was_and_where_it_went(fit_study):
    study = fit_study("another site's centers", tasks=2)
    pictures = [
        knowledge_effect.picture(read(study), each, place)
        for place, each in enumerate(knowledge_effect.effects(read(study)))
    ]
    for picture in pictures:
        for word in ("without", "with", "other site", "0", "1", "2"):
            assert f">{word}</text>" in picture
    assert "those of ward 1</title>" in pictures[1]


@pytest.mark.parametrize("lost", ["knowledge", "alone"])
def test_without_knowledge_or_a_run_to_compare_with_there_is_no_effect(fit_study, lost):
    study = fit_study("another site's centers")
    if lost == "knowledge":
        study.model.estimators_[0].knowledge = None
    else:
        alone, *others = study.results
        study = dataclasses.replace(
            study, results=[dataclasses.replace(alone, labels=None), *others]
        )
    assert knowledge_effect.effects(read(study)) == []


def test_unchanged_labels_count_no_new_rows(fit_study):
    study = fit_study("another site's centers")
    same = dataclasses.replace(study.results[0], labels=study.results[1].labels.copy())
    study = dataclasses.replace(study, results=[same, *study.results[1:]])
    (effect,) = knowledge_effect.effects(read(study))
    assert [move.new for move in effect.moves] == [0, 0, 0]
    assert "0 of 60 rows (0 %) changed their cluster." in knowledge_effect.sentences(effect)[0]


def test_renumbered_clusters_without_knowledge_are_matched_by_their_rows(fit_study):
    study = fit_study("another site's centers")
    (straight,) = knowledge_effect.effects(read(study))
    turned = dataclasses.replace(study.results[0], labels=(study.results[0].labels + 1) % 3)
    study = dataclasses.replace(study, results=[turned, *study.results[1:]])
    (other,) = knowledge_effect.effects(read(study))
    for a, b in zip(straight.moves, other.moves, strict=True):
        assert (a.moved, a.apart, a.new) == (b.moved, b.apart, b.new)


def test_a_cluster_that_exists_only_with_knowledge_has_no_distances(fit_study):
    study = fit_study("another site's centers")
    alone = study.results[0].labels.copy()
    alone[alone == 2] = 1
    fewer = dataclasses.replace(study.results[0], labels=alone)
    study = dataclasses.replace(study, results=[fewer, *study.results[1:]])
    (effect,) = knowledge_effect.effects(read(study))
    (new,) = (move for move in effect.moves if move.own is None)
    assert math.isnan(new.moved)
    assert math.isnan(new.apart)
    assert new.columns == []
    # All of its rows were in another cluster, and no distance of its center enters the mean.
    assert new.new == new.cluster.size
    (first, *_) = knowledge_effect.sentences(effect)
    assert "the 2 comparable of 3 centers with a counterpart moved by" in first
    assert f"; {sum(move.new for move in effect.moves)} of 60 rows" in first
    assert knowledge_effect.picture(read(study), effect, 0).startswith("<svg")


def test_moves_in_other_units_are_the_same_in_spreads():
    for value, by, expected in [(3.0, 2.0, 1.5), (0.0, 2.0, 0.0)]:
        assert knowledge_effect._ratio(value, by) == expected
    assert math.isnan(knowledge_effect._ratio(1.0, 0.0))


def test_several_clusters_without_counterpart_share_a_sentence(fit_study):
    study = fit_study("another site's centers", centers=((0.0, 0.0), (6.0, 0.0)), match=True)
    study.model.estimators_[0].source_clusters_ = np.array([-1, -1, 0])
    (effect,) = knowledge_effect.effects(read(study))
    sentences = knowledge_effect.sentences(effect)
    assert any("have no counterpart at the other site and were found" in s for s in sentences)


def test_an_effect_is_shown_for_each_task_on_the_page(fit_study, no_pictures):
    html = page.render(fit_study("another site's centers", tasks=2))
    assert "<h3>ward 0</h3>" in html
    assert "<h3>ward 1</h3>" in html
    assert html.count('<th scope="col">share moved</th>') == 2
