"""Sources of rows in blocks: files, frames of Dask, and the arguments that go with them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.errors import BlockError, FileFormatError, InputError

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")
pa = pytest.importorskip("pyarrow", reason="the extra parquet is not there")
pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not there")

X = np.random.default_rng(0).normal(size=(20, 3))


def values(rows):
    return np.asarray(rows.each(lambda block: block.x))


def saved(folder, name, table):
    np.save(folder / name, table)
    return folder / name


def test_frames_of_dask_may_have_numbers_for_names():
    frame = pd.DataFrame(X).assign(**{"site": ["p", "q"] * 10})
    rows = Blocks(dd.from_pandas(frame, npartitions=3), tasks="site")
    assert rows.feature_names == ["0", "1", "2"]
    np.testing.assert_array_equal(values(rows), X)
    one = Blocks(dd.from_pandas(frame, npartitions=3), columns=1)
    np.testing.assert_array_equal(values(one), X[:, [1]])
    some = Blocks(dd.from_pandas(frame, npartitions=3), columns=[2, 0])
    np.testing.assert_array_equal(values(some), X[:, [2, 0]])
    both = frame.rename(columns={1: "0"})
    with pytest.raises(InputError, match="two columns of the name '0'; rename one"):
        Blocks(dd.from_pandas(both, npartitions=3))


def test_a_list_of_npy_files_is_one_table(tmp_path):
    paths = [saved(tmp_path, "1.npy", X[:12]), saved(tmp_path, "2.npy", np.asfortranarray(X[12:]))]
    rows = Blocks(paths, block_rows=5)
    assert (rows.shape, rows.n_blocks) == ((20, 3), 5)
    np.testing.assert_array_equal(values(rows), X)
    with pytest.raises(InputError, match="source has files of 2 and 3 columns"):
        Blocks([paths[0], saved(tmp_path, "3.npy", X[:, :2])])
    with pytest.raises(InputError, match="1.npy and others such as .*rows.parquet; give files of"):
        Blocks([paths[0], tmp_path / "rows.parquet"])


@pytest.mark.parametrize("dtype", ["float16", ">f8", ">f4", "longdouble", ">i4", "uint8", "bool"])
def test_numbers_of_any_width_and_byte_order_are_taken_from_files_and_dask(dtype, tmp_path):
    table = np.round(X).astype(dtype)
    for source in (saved(tmp_path, "rows.npy", table), da.from_array(table, chunks=(8, 3)), table):
        rows = Blocks(source, block_rows=8)
        assert rows.dtype == np.float64
        np.testing.assert_array_equal(values(rows), table.astype(float))


def test_files_that_are_missing_or_damaged_get_a_sentence(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        Blocks(tmp_path / "absent.npy")
    whole = saved(tmp_path, "rows.npy", X).read_bytes()
    for part in (b"", whole[:40], whole[:-9], b"a,b\n1,2\n"):
        (tmp_path / "rows.npy").write_bytes(part)
        with pytest.raises(FileFormatError, match="rows.npy cannot be read as .npy"):
            Blocks(tmp_path / "rows.npy")
    with pytest.raises(FileFormatError, match="cannot be read as .npy"):
        Blocks(saved(tmp_path, "words.npy", np.array([["a", 1]], dtype=object)))
    with open(tmp_path / "several.npy", "wb") as file:
        np.savez(file, a=X, b=X)
    with pytest.raises(FileFormatError, match="several.npy holds no single array"):
        Blocks(tmp_path / "several.npy")
    with pytest.raises(InputError, match="source has 1 dimension"):
        Blocks(saved(tmp_path, "line.npy", X[0]))


@pytest.mark.parametrize("engine", ["serial", "joblib", "dask"])
def test_weights_and_tasks_of_dask_go_with_rows_in_memory(engine):
    W = np.arange(1.0, 21.0)
    sites = np.array(["q", "p"] * 10)
    rows = Blocks(
        X,
        tasks=da.from_array(sites, chunks=6),
        sample_weight=dd.from_pandas(pd.Series(W), npartitions=2),
        block_rows=8,
        engine=engine,
    )
    assert (rows.task_names, rows.task_sizes) == (["q", "p"], [10, 10])
    np.testing.assert_allclose(rows.total(weighted), W @ X)
    with pytest.raises(InputError, match="sample_weight has shape .3,. and X has 20 rows"):
        Blocks(X, sample_weight=da.ones(3), engine=engine).facts  # noqa: B018


def weighted(block):
    return block.weight @ block.x


def test_weights_of_dask_that_cannot_be_computed_get_a_sentence():
    import dask

    @dask.delayed
    def read():
        raise OSError("disk")

    with pytest.raises(BlockError, match="Dask could not compute a block .OSError: disk"):
        Blocks(X, sample_weight=da.from_delayed(read(), (20,), float))


def test_numbers_of_rows_may_be_of_numpy_and_no_flags():
    assert Blocks(X, block_rows=np.int64(7)).n_blocks == 3
    for wrong in (True, 2.0, 0, "7"):
        with pytest.raises(InputError, match="give a whole number from 1 on"):
            Blocks(X, block_rows=wrong)


def test_a_name_alone_is_one_column(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "ab"])
    rows = Blocks(dd.from_pandas(frame, npartitions=2), columns="ab")
    np.testing.assert_array_equal(values(rows), X[:, 2:])
    with pytest.raises(InputError, match="columns has 'ba'; give some of"):
        Blocks(dd.from_pandas(frame, npartitions=2), columns="ba")


def test_the_index_of_pandas_in_a_parquet_file_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "site": ["p", "q"] * 10})
    kept = frame[frame["a"] > 0]  # its index has gaps, so that it is written
    kept.to_parquet(tmp_path / "kept.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "kept.parquet").names
    rows = Blocks(tmp_path / "kept.parquet", tasks="site")
    assert rows.feature_names == ["a", "b"]
    np.testing.assert_array_equal(values(rows), kept[["a", "b"]])
    frame.to_parquet(tmp_path / "whole.parquet")
    both = Blocks([tmp_path / "kept.parquet", tmp_path / "whole.parquet"], tasks="site")
    assert both.shape == (len(kept) + 20, 2)


def test_two_columns_of_one_name_in_a_parquet_file_get_a_sentence(tmp_path):
    pq.write_table(pa.table([X[:, 0], X[:, 1]], names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(InputError, match="two columns of the name 'a'; rename one"):
        Blocks(tmp_path / "twice.parquet")


def test_decimals_of_a_parquet_file_are_numbers(tmp_path):
    prices = pa.array([Decimal("1.50"), Decimal("2.25"), Decimal("9.00")])
    pq.write_table(pa.table({"price": prices, "n": [1, 2, 3]}), tmp_path / "prices.parquet")
    rows = Blocks(tmp_path / "prices.parquet")
    np.testing.assert_array_equal(values(rows), [[1.5, 1.0], [2.25, 2.0], [9.0, 3.0]])


def test_a_large_row_group_of_parquet_is_one_block_read_in_pieces(tmp_path):
    frame = pd.DataFrame(X, columns=list("abc"))
    for group, n_blocks, largest in ((20, 1, 4), (4, 5, 4)):
        frame.to_parquet(tmp_path / "rows.parquet", row_group_size=group)
        rows = Blocks(tmp_path / "rows.parquet", block_rows=4)
        assert rows.n_blocks == n_blocks
        assert rows.total(lambda block: block.shape[0], combine=max) == largest


def test_joblib_uses_the_processes_of_its_configuration(monkeypatch):
    import joblib

    asked = []
    monkeypatch.setattr(joblib, "Parallel", noted(joblib.Parallel, asked))
    rows = Blocks(X, block_rows=5, engine="joblib")
    rows.facts  # noqa: B018
    with joblib.parallel_config("threading", n_jobs=2):
        rows.total(len_of)
    assert asked == [1, 2]


def len_of(block):
    return block.shape[0]


def noted(Parallel, asked):
    def make(*args, **kwargs):
        made = Parallel(*args, **kwargs)
        asked.append(made.n_jobs)
        return made

    return make


def test_a_frame_of_dask_can_be_standardized_on_the_way():
    table = pd.DataFrame(X * [1.0, 50.0, 900.0], columns=list("abc"))
    frame = dd.from_pandas(table.assign(site=["p", "q"] * 10), npartitions=3)
    columns = ["a", "b", "c"]
    frame[columns] = (frame[columns] - frame[columns].mean()) / frame[columns].std()
    rows = Blocks(frame, tasks="site")
    np.testing.assert_allclose(values(rows), (X - X.mean(axis=0)) / X.std(axis=0, ddof=1))
    assert rows.task_sizes == [10, 10]


def test_a_model_of_a_sample_assigns_rows_in_blocks(tmp_path):
    table = pd.DataFrame(X + 9 * (X[:, :1] > 0), columns=list("abc")).assign(site=["p", "q"] * 10)
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=6)
    sample = table[:12]
    model = kf.Kinfolk(2, random_state=0, families=["kmeans"])
    model.fit(sample[list("abc")], tasks=sample["site"])
    labels = model.predict(Blocks(tmp_path / "rows.parquet", tasks="site", block_rows=6))
    expected = model.predict(table[list("abc")], table["site"])
    np.testing.assert_array_equal(labels, expected)
