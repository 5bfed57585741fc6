"""Co-regularized runs of the default answer: settings, views that count, missing views."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import view_coregularized, view_support
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.view_support import ViewGraph
from kinfolk.methods.multiview import coregularized_spectral as method

LABELS = np.repeat([0, 1, 2], 20)
N = len(LABELS)


def blobs(spread, seed):
    random = np.random.RandomState(seed)
    return 5 * random.randn(3, 4)[LABELS] + spread * random.randn(N, 4)


def prepared(tables, own, there):
    """Support of the views' clusters (-1 where a row lacks a view) in the views' graphs."""
    rows = [np.flatnonzero(has) for has in there.T]
    graphs = [ViewGraph(TaskScorer(Z, 3).graph, r) for Z, r in zip(tables, rows, strict=True)]
    own = [np.where(has, labels, -1) for labels, has in zip(own, there.T, strict=True)]
    return view_support.support(own, graphs)


def runs(tables, there, found):
    return view_coregularized.runs(view_coregularized.linked(tables, there, found.order, 3), 3, 0)


@pytest.fixture(scope="module")
def noisy():
    """Make two clear views of the same clusters and one of noise, with their support."""
    tables = [blobs(0.8, 0), blobs(0.8, 1), np.random.RandomState(2).randn(N, 4)]
    own = [LABELS, LABELS, np.random.RandomState(3).permutation(LABELS)]
    there = np.ones((N, 3), dtype=bool)
    return tables, there, prepared(tables, own, there)


def test_each_setting_is_run_once_on_the_views_that_others_support(noisy):
    made = runs(*noisy)
    settings = [run.setting for run in made]
    sizes = 2  # numbers of nearest rows: 10 and 5
    assert len(set(settings)) == len(settings)
    assert len(made) == sizes * len(method.KINDS) * len(view_coregularized.AGREEMENTS)
    assert {run.views for run in made} == {tuple(noisy[2].order)}
    assert 2 not in noisy[2].order
    assert all(adjusted_rand_score(LABELS, run.labels) == 1 for run in made)


def test_a_run_is_that_of_the_method(noisy):
    tables, there, found = noisy
    run = runs(tables, there, found)[-1]
    assert run.setting == "neighbors 10, centroid, agreement 0.2"
    rows = np.hstack([tables[v] for v in found.order])
    views = {"a": slice(0, 4), "b": slice(4, 8)}
    model = method.CoregularizedSpectral(
        3, views, consensus="centroid", n_neighbors=10, random_state=0
    ).fit(rows)
    assert adjusted_rand_score(run.labels, model.labels_) == 1


def test_rows_that_lack_views_take_part():
    there = np.ones((N, 2), dtype=bool)
    there[::3, 1] = False
    there[1::6, 0] = False
    tables = [blobs(0.8, seed)[has] for seed, has in enumerate(there.T)]
    found = prepared(tables, [LABELS, LABELS], there)
    for run in runs(tables, there, found):
        assert adjusted_rand_score(LABELS, run.labels) > 0.9
