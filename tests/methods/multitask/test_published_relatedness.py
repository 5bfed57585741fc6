"""The relatedness that MTCFIR learns, against the tables of its paper, with raw term counts."""

import numpy as np
import pytest

from kinfolk import MTCFIR, datasets
from kinfolk.preparation import Preparation

TABLE_8 = np.array(
    [
        [1.00, 0.39, 0.30, 0.37],
        [0.29, 1.00, 0.13, 0.19],
        [0.53, 0.37, 1.00, 0.40],
        [0.55, 0.42, 0.34, 1.00],
    ]
)
TABLE_11 = np.array([[1.00, 0.43, 0.18], [0.24, 1.00, 0.29], [0.15, 0.44, 1.00]])


def learned(name, n_terms, k, data):
    loaded = datasets.load(name, data)
    X = Preparation(n_terms=n_terms).fit_transform(loaded)
    # The share of neighbors that the printed steps have.
    model = MTCFIR(k, neighbors=0.3, n_init=1, max_iter=1, random_state=0)
    model.fit(X, tasks=loaded.tasks)
    return model.task_relatedness_


def others(R):
    return R[~np.eye(len(R), dtype=bool)]


def test_web_pages_have_the_pattern_of_table_8(data):
    R = learned("webkb4", 2500, 4, data)
    assert np.corrcoef(others(R), others(TABLE_8))[0, 1] > 0.7
    for published in (False, True):
        table = TABLE_8 if published else R
        off = np.where(np.eye(4, dtype=bool), np.nan, table)
        assert np.nanargmin(np.nanmean(off, axis=1)) == 1  # Texas takes least from the others
        assert np.nanargmin(np.nanmean(off, axis=0)) == 2  # Washington gives least to the others


def test_news_have_the_weights_of_table_11(data):
    R = learned("reuters", 5000, 3, data)
    assert np.argsort(others(R)).tolist() == np.argsort(others(TABLE_11)).tolist()
    assert others(R) == pytest.approx(others(TABLE_11), abs=0.06)
