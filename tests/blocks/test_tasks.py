"""Tasks of rows in blocks: their names, sizes and positions, from files and in memory."""

import numpy as np
import pandas as pd
import pytest

from kinfolk import Blocks
from kinfolk.blocks.reading import encoded
from kinfolk.errors import InputError

dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")
pa = pytest.importorskip("pyarrow", reason="the extra parquet is not there")
pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not there")

NAMES = list("ppppqq")
X = np.arange(6.0)[:, None]
FRAME = pd.DataFrame({"x": X[:, 0], "site": NAMES})


def parquet(folder, frame=FRAME):
    pq.write_table(pa.Table.from_pandas(frame), folder / "rows.parquet", row_group_size=2)
    return folder / "rows.parquet"


def sources(folder):
    return [
        Blocks(X, tasks=NAMES, block_rows=2),
        Blocks(parquet(folder), columns=["x"], tasks="site", block_rows=2),
        Blocks(dd.from_pandas(FRAME, npartitions=3), tasks="site"),
    ]


def values(rows):
    return np.asarray(rows.each(lambda block: block.x))[:, 0]


def test_tasks_in_another_order_keep_their_rows_and_sizes(tmp_path):
    for rows in sources(tmp_path):
        assert rows.task_sizes == [4, 2]
        other = rows.with_tasks(["z", "q", "p"])
        assert other.task_names == ["z", "q", "p"]
        assert other.task_sizes == [0, 2, 4]
        codes = np.asarray(other.each(lambda block: block.codes))
        np.testing.assert_array_equal(codes, [2, 2, 2, 2, 1, 1])
        np.testing.assert_array_equal(values(other.of_task(1)), X[4:, 0])
        np.testing.assert_array_equal(values(other.of_task(2)), X[:4, 0])
        np.testing.assert_array_equal(values(other.with_tasks(["q", "p"]).of_task(0)), X[4:, 0])
        with pytest.raises(InputError, match="task 'z' has no rows here"):
            other.of_task(0)


def twice(x):
    return np.hstack([x, 2 * x])


def test_mapped_rows_stay_mapped_without_tasks_and_with_others(tmp_path):
    for rows in sources(tmp_path):
        mapped = rows.mapped(twice, 2)
        for other in (mapped.pooled(), mapped.with_tasks(["q", "p"])):
            assert other.shape == (6, 2)
            found = np.asarray(other.each(lambda block: block.x))
            np.testing.assert_array_equal(found, twice(X))


def test_names_of_tasks_that_do_not_fit_the_rows_get_a_sentence(tmp_path):
    for rows in sources(tmp_path):
        with pytest.raises(InputError, match="names is without task 'q' of the rows"):
            rows.with_tasks(["p", "r"])
        with pytest.raises(InputError, match="names has a task twice"):
            rows.with_tasks(["p", "q", "q"])


def test_rows_of_one_task_are_one_task_of_all_its_rows(tmp_path):
    for rows in sources(tmp_path):
        own = rows.of_task(1)
        assert (own.task_names, own.task_sizes, own.shape) == (None, [2], (2, 1))
        assert own.of_task(0) is own
        assert own.pooled() is own
        assert own.sample().codes is None
        whole = rows.pooled()
        assert (whole.task_names, whole.task_sizes, whole.shape) == (None, [6], (6, 1))
    plain = Blocks(X, block_rows=2)
    assert plain.task_sizes == [6]
    assert plain.of_task(0) is plain


def test_rows_without_a_task_get_a_sentence(tmp_path):
    for column in (["p", None, "p", "q", "q", "q"], [1.0, np.nan, 1.0, 2.0, 2.0, 2.0]):
        frame = FRAME.assign(site=column)
        for rows in (
            Blocks(parquet(tmp_path, frame), columns=["x"], tasks="site"),
            Blocks(dd.from_pandas(frame, npartitions=1), tasks="site"),
            Blocks(parquet(tmp_path, frame.astype({"site": "category"})), tasks="site"),
        ):
            sentence = "'site' of tasks is missing .null or NaN. in 1 rows.*This is so in"
            with pytest.raises(InputError, match=sentence):
                rows.facts  # noqa: B018


def test_categories_are_numbered_by_their_rows_not_in_their_own_order(tmp_path):
    kinds = pd.Categorical(list("qqqppp"), categories=["unused", "p", "q"])
    frame = FRAME.assign(site=kinds)
    for rows in (
        Blocks(parquet(tmp_path, frame), columns=["x"], tasks="site", block_rows=2),
        Blocks(dd.from_pandas(frame, npartitions=2), tasks="site"),
    ):
        assert rows.task_names == ["q", "p"]
        assert rows.task_sizes == [3, 3]
        np.testing.assert_array_equal(values(rows.of_task(1)), X[3:, 0])
    names, codes = encoded(pa.array(["b", "a", "b"]))
    assert (names, codes.tolist()) == (["b", "a"], [0, 1, 0])


def test_names_of_several_types_are_different_tasks():
    names, codes = encoded(np.array([2, "2", 1, "2"], dtype=object))
    assert (names, codes.tolist()) == ([2, "2", 1], [0, 1, 2, 1])
