"""Tasks with views: clusters transferred between tasks, and answers that both vote on."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import view_answer, view_sharing
from kinfolk.choosing.view_representations import ViewRepresentations

LABELS = np.tile([0, 1, 2], 16)
CENTERS = 5 * np.random.RandomState(9).randn(2, 6, 4)


def rows_of(classes, seed, spread=1.0):
    """Make rows of some of six classes in two views, 4 columns each."""
    random = np.random.RandomState(seed)
    labels = np.asarray(classes)[LABELS]
    return np.hstack([C[labels] + spread * random.randn(len(labels), 4) for C in CENTERS])


def answers(tables, k=(3, 3)):
    """Answers of tasks by themselves, from rows of two views."""
    X = np.vstack(tables)
    codes = np.repeat(np.arange(len(tables)), [len(T) for T in tables])
    there = ~np.isnan(X[:, [0, 4]])
    X = np.nan_to_num(X)
    seen = ViewRepresentations.of(X, codes, [np.arange(4), np.arange(4, 8)], there=there)
    random = np.random.RandomState(0)
    return [
        view_answer.answer(X, codes, t, k[t], seen, there, "ab", ["kmeans"], random)
        for t in range(len(tables))
    ]


def shared(made):
    return view_sharing.shared(made, view_sharing.transferred_to_each(made), 0)


@pytest.fixture(scope="module")
def alike():
    return answers([rows_of([0, 1, 2], 0), rows_of([0, 1, 2], 1)])


def test_clusters_are_carried_to_the_rows_of_the_same_class(alike):
    source, target = alike
    transferred = view_sharing.transferred(source, target)
    of_class = [np.unique(source.labels[c == LABELS]) for c in range(3)]
    assert all(len(own) == 1 for own in of_class)
    np.testing.assert_array_equal(transferred, np.concatenate(of_class)[LABELS])
    r = view_sharing.modularity_ratios(alike, view_sharing.transferred_to_each(alike))
    assert r[0, 1] == pytest.approx(1.0)
    assert r[0, 0] == r[1, 1] == 0


def test_the_share_is_that_of_carried_clusters_in_the_graphs_that_they_have_not_seen():
    noise = [rows_of([0, 1, 2], 0), rows_of([0, 1, 2], 1, spread=6.0)]
    source, target = answers(noise)
    transferred = view_sharing.transferred(source, target)
    parts = []
    for labels in (transferred, target.labels):
        Q = [view.graph.modularities(labels[None])[0] for view in target.views]
        parts.append(sum(w * q for w, q in zip(target.support.weights, Q, strict=True)))
    r = view_sharing.modularity_ratios([source, target], [{1: source.labels}, {0: transferred}])
    assert r[0, 1] == pytest.approx(max(parts[0], 0) / parts[1])
    assert r[0, 1] != pytest.approx(1.0, abs=0.02)


def test_partners_vote_on_each_others_rows_and_strangers_do_not(alike):
    found = shared(alike)
    assert [each.partners for each in found] == [1, 1]
    assert len(found[0].fusions) > len(alike[0].fusions)
    assert "rows of 2 tasks" in found[0].fusions[-1].setting
    strangers = answers([rows_of([0, 0, 1], 0), rows_of([3, 4, 5], 1)])
    assert shared(strangers) == strangers
    more = answers([rows_of([0, 1, 2], 0), rows_of([0, 1, 2], 1)], k=(3, 2))
    assert shared(more) == more


def test_runs_on_all_rows_are_cut_into_the_tasks(alike):
    first, second = view_sharing.together(alike, 0)
    for one, other in zip(first, second, strict=True):
        for c in range(3):
            assert set(one.labels[c == LABELS]) == set(other.labels[c == LABELS])
    assert len(view_sharing.together(alike[:1], 0)[0]) == len(first)


def test_rows_that_lack_a_view_are_carried_by_the_other():
    tables = [rows_of([0, 1, 2], 0), rows_of([0, 1, 2], 1)]
    tables[1][::5, :4] = np.nan
    tables[0][1::7, 4:] = np.nan
    found = shared(answers(tables))
    assert found[0].partners == 1
    for each in found:
        assert len({tuple(np.unique(each.labels[c == LABELS])) for c in range(3)}) == 3


def test_the_answer_says_that_another_data_set_took_part():
    X = np.vstack([rows_of([0, 1, 2], 0), 3 + rows_of([0, 1, 2], 1)])
    tasks = np.repeat(["x", "y"], len(LABELS))
    views = {"a": slice(0, 4), "b": slice(4, 8)}
    model = kf.Kinfolk(3, views=views, families=["kmeans"], random_state=0).fit(X, tasks=tasks)
    for record in model.guard_:
        assert "on the rows of another data set too" in record["meaning"]
        assert record["cross_task_agreement"] > view_sharing.LEAST_SHARED
    np.testing.assert_allclose(model.task_agreement_, 1.0)


def test_agreement_of_tasks_is_that_of_carried_and_own_clusters_in_both_directions():
    first, second = answers([rows_of([0, 1, 2], 0), rows_of([0, 0, 1], 1)], k=(3, 2))
    A = view_sharing.agreement([first, second], view_sharing.transferred_to_each([first, second]))
    both = [
        adjusted_rand_score(first.labels, view_sharing.transferred(second, first)),
        adjusted_rand_score(second.labels, view_sharing.transferred(first, second)),
    ]
    assert 0.1 < np.mean(both) < 0.9
    np.testing.assert_allclose(A, [[1.0, np.mean(both)], [np.mean(both), 1.0]])
