"""A task that comes after the fit of `Kinfolk`."""

from copy import deepcopy

import numpy as np
import pytest

from kinfolk import Kinfolk
from kinfolk.datasets import makers
from kinfolk.errors import InputError, LeftOutWarning
from laws import same_clusters

DATA = makers.make_related_documents(40, n_tasks=3, shared=3, length=60.0, random_state=0)
LATE = DATA.tasks == "task-2"
FEW = {"families": ["mec", "pooled"], "random_state": 0}


def known(**parameters):
    return Kinfolk(**{"n_clusters": 3, **FEW, **parameters}).fit(
        DATA.X[~LATE], tasks=DATA.tasks[~LATE]
    )


@pytest.fixture(scope="module")
def before():
    return known()


@pytest.fixture
def model(before):
    return deepcopy(before)


def test_the_new_task_is_clustered_by_the_same_rule_on_its_own(model):
    new = model.add_task(DATA.X[LATE], "task-2")
    alone = Kinfolk(3, **FEW).fit(DATA.X[LATE])
    np.testing.assert_array_equal(new.labels, alone.labels_)
    assert new.estimator.guard_[0]["task"] == "task-2"
    assert not any(record["joint"] for record in new.estimator.evidence_)


def test_its_clusters_get_the_numbers_of_the_kinds_that_are_known(model):
    new = model.add_task(DATA.X[LATE], "task-2")
    assert same_clusters(model.matched_labels_, DATA.target[~LATE])
    everything = np.concatenate([model.matched_labels_, new.matched_labels])
    assert same_clusters(everything, np.concatenate([DATA.target[~LATE], DATA.target[LATE]]))
    assert all(len(record["other_clusters"]) == 1 for record in new.counterparts)


def test_the_answer_for_the_others_stays(model, before):
    model.add_task(DATA.X[LATE], "task-2")
    np.testing.assert_array_equal(model.labels_, before.labels_)
    np.testing.assert_array_equal(model.matched_labels_, before.matched_labels_)
    assert len(model.guard_) == 2
    assert len(model.evidence_) == len(before.evidence_)


def test_new_rows_of_old_and_new_tasks_can_be_assigned_together(model, before):
    new = model.add_task(DATA.X[LATE], "task-2")
    old = before.predict(DATA.X[~LATE], DATA.tasks[~LATE])
    order = np.random.default_rng(0).permutation(len(DATA.tasks))
    labels = model.predict(DATA.X[order], DATA.tasks[order])
    late = LATE[order]
    np.testing.assert_array_equal(labels[late], new.estimator.predict(DATA.X[order][late]))
    expected = np.empty(len(order), dtype=int)
    expected[~LATE] = old
    np.testing.assert_array_equal(labels[~late], expected[order][~late])


def test_different_numbers_of_clusters_must_be_said_again():
    with pytest.warns(LeftOutWarning, match="No run of 'pooled' took part"):
        model = known(n_clusters={"task-0": 3, "task-1": 2})
    with pytest.raises(InputError, match="give n_clusters, the number for task 'task-2'"):
        model.add_task(DATA.X[LATE], "task-2")
    assert set(model.add_task(DATA.X[LATE], "task-2", n_clusters=2).labels) == {0, 1}
