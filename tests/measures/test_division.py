"""Measures of each task by itself."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinfolk import measures
from kinfolk.errors import InputError

TASKS = ["texas", "cornell", "texas", "cornell", "texas", "cornell"]
LABELS = np.array([0, 0, 0, 1, 1, 0])


def test_each_task_is_measured_on_its_own_rows_in_order_of_appearance():
    truth = list("aabbbb")
    scores = measures.per_task(measures.accuracy, np.array(TASKS), truth, LABELS)
    assert list(scores.items()) == [
        ("texas", measures.accuracy(["a", "b", "b"], [0, 0, 1])),
        ("cornell", measures.accuracy(["a", "b", "b"], [0, 1, 0])),
    ]


@pytest.mark.parametrize("convert", [np.asarray, list, pd.DataFrame, sp.csr_array, sp.coo_array])
def test_tables_of_every_kind_are_divided(convert):
    X = np.random.default_rng(0).normal(size=(6, 3))
    measure = partial(measures.silhouette, metric="euclidean")
    scores = measures.per_task(measure, TASKS, convert(X), LABELS)
    for task, score in scores.items():
        own = [i for i, t in enumerate(TASKS) if t == task]
        assert score == pytest.approx(measure(X[own], LABELS[own]))


def test_tasks_are_any_hashable_values():
    tasks = [("us", 1), ("us", 2), ("us", 1)]
    scores = measures.per_task(measures.accuracy, tasks, [0, 0, 1], [0, 0, 0])
    assert scores == {("us", 1): 0.5, ("us", 2): 1.0}


def test_an_argument_with_another_number_of_rows_is_refused():
    with pytest.raises(InputError, match=r"one task per row of every argument.*\[6, 6, 5\]"):
        measures.per_task(measures.accuracy, TASKS, LABELS, LABELS[:5])
