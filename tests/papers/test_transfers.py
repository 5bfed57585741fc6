"""A transfer sees two tasks, and only the rows of its target are scored."""

from dataclasses import replace

import numpy as np
import pytest

from kinfolk import catalogue
from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.papers import transfers

DATA = makers.make_related_blobs(n_samples=20, n_tasks=3, random_state=0)


def fit(method, way, data=DATA, **parameters):
    return transfers.fit(catalogue.method(method), way, data, data.X, 3, 0, parameters)


@pytest.mark.parametrize("method", ["kt-mec", "lssttc", "gfhf", "tsvm"])
def test_the_rows_of_the_target_are_scored_in_their_order(method):
    found = fit(method, "task-2 to task-0")
    np.testing.assert_array_equal(found.rows, np.flatnonzero(DATA.tasks == "task-0"))
    assert found.labels.shape == found.rows.shape


@pytest.mark.parametrize("method", ["kt-mec", "lssttc", "gfhf", "tsvm"])
def test_other_tasks_are_not_seen(method):
    X = DATA.X.copy()
    X[DATA.tasks == "task-1"] = 1e6
    changed = replace(DATA, X=X)
    before = fit(method, "task-2 to task-0").labels
    np.testing.assert_array_equal(fit(method, "task-2 to task-0", changed).labels, before)


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_classes_of_the_target_are_not_seen():
    target = np.where(DATA.tasks == "task-0", DATA.target[::-1], DATA.target)
    before = fit("lssttc", "task-1 to task-0").labels
    after = fit("lssttc", "task-1 to task-0", replace(DATA, target=target)).labels
    np.testing.assert_array_equal(after, before)


def test_knowledge_comes_from_mec_on_the_source_at_the_same_temperature():
    found = fit("kt-mec", "task-1 to task-0", temperature=0.5, own_share=0.3)
    source, target = (DATA.X[DATA.tasks == name] for name in ("task-1", "task-0"))
    mec = catalogue.method("mec").seeded(0, n_clusters=3, temperature=0.5).fit(source)
    knowledge = Knowledge.of(mec, minimum_cluster_size=1)
    parameters = {"temperature": 0.5, "own_share": 0.3, "knowledge": knowledge}
    by_hand = catalogue.method("kt-mec").seeded(0, n_clusters=3, **parameters).fit(target)
    np.testing.assert_array_equal(found.labels, by_hand.labels_)


@pytest.mark.parametrize(
    ("method", "way", "why"),
    [
        ("kt-mec", "task-9 to task-0", "no task 'task-9'; it has task-0, task-1, task-2"),
        ("kt-mec", "task-0 to nowhere", "no task 'nowhere'"),
        ("mtcfir", "task-1 to task-0", "mtcfir takes nothing from one task to another"),
        ("kmeans", "task-1 to task-0", "choose strategy together"),
    ],
)
def test_a_transfer_that_is_none_is_refused(method, way, why):
    with pytest.raises(InputError, match=why):
        fit(method, way)
