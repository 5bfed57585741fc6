"""Sharing that harms a task is told, by the squared error or by the links of its own rows."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk import MBC, MKC, MTCTKI, MTSC, JointSpectral, measures
from kinfolk.datasets import makers
from kinfolk.errors import SharingWarning
from kinfolk.estimators import dear_sharing
from kinfolk.numerics import distances


def divided_along_other_columns(n=40):
    """Two clear groups in each of two tasks: along the first column, and along the second."""
    X = np.random.default_rng(0).normal(size=(2 * n, 2))
    X[:n, 0] += np.where(np.arange(n) % 2, 4.0, -4.0)
    X[n:, 1] += np.where(np.arange(n) % 8, 4.0, -4.0)
    return X, np.repeat(["wide", "tall"], n)


def rows_far_and_near(n=40):
    """Rows spread from 0 to 10, and of another task two groups at 8 and 10."""
    X = np.concatenate([np.linspace(0, 10, n), 8.0 + 2.0 * (np.arange(n) % 2)])
    return X[:, None], np.repeat(["wide", "near"], n)


def told(model, X, tasks):
    """Sentences about sharing that a fit warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, tasks=tasks)
    return [str(w.message) for w in caught if issubclass(w.category, SharingWarning)]


@pytest.mark.parametrize("method", [JointSpectral, MTCTKI, MTSC, MBC, MKC])
def test_tasks_with_the_same_groups_are_no_reason_for_a_warning(method):
    data = makers.make_related_blobs(random_state=2)
    assert told(method(3, random_state=0), data.X, data.tasks) == []


def test_a_task_whose_groups_others_tear_apart_is_told_and_those_that_they_do_not_are_not():
    right = []
    for seed in range(4):
        data = makers.make_related_blobs(random_state=seed)
        model = JointSpectral(3, random_state=0)
        sentences = told(model, data.X, data.tasks)
        own = data.tasks == "task-1"
        right.append(measures.accuracy(data.target[own], model.labels_[own]))
        assert len(sentences) == (right[-1] < 0.9)
    assert min(right) < 0.7  # of clear groups that each task finds by itself
    assert max(right) == 1.0


@pytest.mark.parametrize("method", [MBC, MKC])
def test_centers_that_leave_the_middle_of_their_rows_are_told_with_the_squared_error(method):
    X, tasks = rows_far_and_near()
    (sentence,) = told(method(2, relation_weight=3.0, random_state=0), X, tasks)
    assert sentence.startswith("sharing makes the squared error of clusters larger than without")
    assert " % in task 'wide': clusters of different tasks do not fit together" in sentence
    assert "Lower relation_weight (now 3; 0 shares nothing), or cluster each task" in sentence
    assert "'near'" not in sentence
    assert told(method(2, relation_weight=0.0, random_state=0), X, tasks) == []


@pytest.mark.parametrize(
    ("model", "without", "advice"),
    [
        (
            JointSpectral(2),
            {"other_weight": 0.0},
            r"Lower other_weight (now 0.3; 0 shares nothing)",
        ),
        (MTCTKI(2), {"share_instances": False}, r"Give share_instances=False"),
    ],
)
def test_clusters_that_cut_links_of_a_task_are_told_with_the_share_of_links(model, without, advice):
    X, tasks = divided_along_other_columns()
    model.set_params(random_state=0)
    (sentence,) = told(model, X, tasks)
    assert sentence.startswith("with sharing far more links to near rows of the same task lead out")
    assert " % in task 'tall', without it 0 %" in sentence
    assert f"do not fit together. {advice}" in sentence
    assert told(model.set_params(**without), X, tasks) == []


def test_texts_whose_words_a_few_shared_ones_do_not_tell_are_told_so():
    data = makers.make_related_documents(
        n_clusters=4, shared=0, length=15.0, purity=0.7, random_state=1
    )
    X = distances.unit_rows(data.X)
    shared = MTSC(4, random_state=0)
    single = MTSC(4, norm_power=2.0, random_state=0)
    (sentence,) = told(shared, X, data.tasks)
    assert told(single, X, data.tasks) == []
    assert sentence.startswith("with sharing more links to near rows of the same task lead out of")
    assert "29 % in task 'task-1', without it 20 %: the columns that all tasks share" in sentence
    assert "Raise norm_power (now 1; 2 shares nothing), or cluster each task" in sentence
    own = data.tasks == "task-1"
    right = [measures.accuracy(data.target[own], m.labels_[own]) for m in (shared, single)]
    assert right[0] < right[1] - 0.1
    assert told(MTSC(4, random_state=0), X[own], data.tasks[own]) == []  # one task shares nothing


def test_clusters_of_the_same_method_without_sharing_are_compared_by_the_difference_alone():
    ring = np.roll(np.eye(30), 1, axis=1)
    graph = sp.csr_array(ring + ring.T)
    halves = np.repeat([0, 1], [14, 16])
    cut = np.repeat([0, 1, 0, 1], [7, 8, 8, 7])
    assert dear_sharing.leaving(graph, cut, 2) == pytest.approx(4 / 30)
    dear_sharing.of_cuts(["a"], [graph], [cut], [2], 0, "", without=[cut])
    with pytest.warns(SharingWarning, match="with sharing more links .* 13 % .* without it 7 %"):
        dear_sharing.of_cuts(["a"], [graph], [cut], [2], 0, "", without=[halves])


def test_few_links_are_no_reason_for_a_warning_though_they_are_many_times_as_many(monkeypatch):
    # Two rings of 30 rows with one link between them: clusters that move two rows cut three links.
    ring = np.roll(np.eye(30), 1, axis=1)
    W = np.kron(np.eye(2), ring + ring.T)
    W[0, 30] = W[30, 0] = 1.0
    graph = sp.csr_array(W)
    truth = np.repeat([0, 1], 30)
    moved = truth.copy()
    moved[10:12] = 1
    assert dear_sharing.leaving(graph, truth, 2) == pytest.approx(1 / 61)
    assert dear_sharing.leaving(graph, moved, 2) > 2 / 61
    dear_sharing.of_cuts(["a"], [graph], [moved], [2], 0, "")
    monkeypatch.setattr(dear_sharing, "LEAK", 0.0)
    with pytest.warns(SharingWarning, match=r"5 % in task 'a', without it 2 %"):
        dear_sharing.of_cuts(["a"], [graph], [moved], [2], 0, "")


def test_a_cluster_without_links_loses_none():
    W = sp.csr_array((3, 3))
    assert dear_sharing.leaving(W, np.array([0, 1, 1]), 3) == 0.0
