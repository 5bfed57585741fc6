"""The runs that assign new rows: few, quick ones if there are any, those closest to the answer."""

import numpy as np
import pytest

from kinfolk import Kinfolk
from kinfolk.choosing import run_voters
from kinfolk.datasets import makers

DATA = makers.make_related_documents(40, shared=3, purity=0.5, length=30.0, random_state=0)
NEW = makers.make_related_documents(9, shared=3, purity=0.5, length=30.0, random_state=1)


@pytest.fixture(scope="module")
def model():
    families = ["kmeans", "graph", "mtcfir"]
    return Kinfolk(3, families, random_state=0).fit(DATA.X, tasks=DATA.tasks)


def test_the_runs_that_agree_best_vote():
    agreement = np.linspace(0, 1, 20)[::-1]
    mixed = np.random.RandomState(0).permutation(20)
    found = run_voters.best_runs(agreement[mixed], np.zeros(20, dtype=bool))
    assert mixed[found].tolist() == list(range(9))


@pytest.mark.parametrize("n_quick", [0, 1, 2, 3, 12])
def test_slow_runs_vote_only_where_there_are_few_others(n_quick):
    slow = np.repeat([True, False], [10, n_quick])
    agreement = np.repeat([0.9, 0.5], [10, n_quick])
    found = run_voters.best_runs(agreement, slow)
    assert len(found) == (9 if n_quick < 3 else min(n_quick, 9))
    assert slow[found].all() == (n_quick < 3)
    assert slow[found].any() == (n_quick < 3)


def test_runs_that_agree_equally_vote_in_their_order():
    assert run_voters.best_runs(np.ones(12), np.zeros(12, dtype=bool)).tolist() == list(range(9))


def test_runs_with_layers_do_not_vote_beside_others(model):
    ran = {record["family"] for record in model.evidence_ if record["kept"]}
    assert "mtcfir" in ran
    for voters in model.voters_.values():
        assert 3 <= len(voters) <= 9
        assert not any(getattr(estimator, "layer_share_", 0.0) for _, estimator in voters)


def test_new_rows_get_the_cluster_that_most_runs_assign(model):
    expected = []
    for i, task in enumerate(NEW.tasks):
        t = list(model.task_names_).index(task)
        votes = np.zeros(3)
        for (name, estimator), maps in zip(model._kept_runs, model._cluster_maps, strict=True):
            if (name, estimator) in model.voters_[task]:
                seen = model._representations.transform(name, NEW.X[[i]], np.array([t]))
                votes[maps[t, estimator.predict(seen, tasks=[t])[0]]] += 1
        expected.append(votes.argmax())
    found = model.predict(NEW.X, tasks=NEW.tasks)
    np.testing.assert_array_equal(found, expected)
    one_by_one = [model.predict(NEW.X[[i]], tasks=task)[0] for i, task in enumerate(NEW.tasks)]
    np.testing.assert_array_equal(found, one_by_one)
