"""Rows in blocks: every source gives the same rows, every engine the same sums."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import BaseEstimator

import kinfolk as kf
from kinfolk.blocks import Block, Blocks, blocks
from kinfolk.errors import BlockError, FileFormatError, InputError

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")
pa = pytest.importorskip("pyarrow", reason="the extra parquet is not there")
pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not there")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3))
W = RANDOM.integers(1, 4, size=50).astype(float)
SITES = np.array(["south", "north", "east"])[RANDOM.integers(0, 3, size=50)]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(w=W, site=SITES)


def parquet(folder, group=7, frame=FRAME, name="rows.parquet"):
    path = folder / name
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=group)
    return path


def named(source, **more):
    return Blocks(source, tasks="site", sample_weight="w", **more)


def given(source, **more):
    return Blocks(source, tasks=SITES, sample_weight=W, **more)


def npy(folder, order="C"):
    np.save(folder / "rows.npy", np.asarray(X, order=order))
    return folder / "rows.npy"


def folder_of(folder):
    (folder / "parts").mkdir()
    parquet(folder / "parts", frame=FRAME[:20], name="1.parquet")
    parquet(folder / "parts", frame=FRAME[20:], name="2.parquet")
    return folder / "parts"


SOURCES = {
    "array": lambda folder: given(X, block_rows=8),
    "array by joblib": lambda folder: given(X, block_rows=8, engine="joblib"),
    "array by dask": lambda folder: given(X, block_rows=8, engine="dask"),
    "list of rows": lambda folder: given(X.tolist(), block_rows=8),
    "csr": lambda folder: given(sp.csr_array(X), block_rows=8),
    "npy": lambda folder: given(npy(folder), block_rows=8),
    "npy by columns": lambda folder: given(npy(folder, "F"), block_rows=8),
    "memory map": lambda folder: given(np.load(npy(folder), mmap_mode="r"), block_rows=8),
    "parquet": lambda folder: named(parquet(folder), block_rows=16),
    "parquet in one group": lambda folder: named(parquet(folder, 50), block_rows=16),
    "parquet by joblib": lambda folder: named(parquet(folder), block_rows=16, engine="joblib"),
    "parquet by dask": lambda folder: named(parquet(folder), block_rows=16, engine="dask"),
    "folder of parquet": lambda folder: named(folder_of(folder), block_rows=16),
    "parquet with values": lambda folder: given(
        parquet(folder), columns=["a", "b", "c"], block_rows=16
    ),
    "dask array": lambda folder: given(da.from_array(X, chunks=(9, 2))),
    "dask array of unknown lengths": lambda folder: given(
        dd.from_pandas(FRAME[["a", "b", "c"]], npartitions=4).to_dask_array()
    ),
    "dask values": lambda folder: Blocks(
        da.from_array(X, chunks=(9, 3)),
        tasks=da.from_array(SITES, chunks=20),
        sample_weight=da.from_array(W, chunks=7),
    ),
    "dask frame": lambda folder: named(dd.from_pandas(FRAME, npartitions=4)),
    "dask frame with empty parts": lambda folder: named(
        dd.from_pandas(FRAME.assign(i=np.arange(50)), npartitions=10).query("i < 60"),
        columns=["a", "b", "c"],
    ),
}


def sums(block):
    x = block.x.toarray() if sp.issparse(block.x) else block.x
    by_task = np.zeros((3, 3))
    np.add.at(by_task, block.codes, x * block.weight[:, None])
    return block.weight @ x, by_task


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_same_rows_weights_and_tasks(name, tmp_path):
    rows = SOURCES[name](tmp_path)
    assert rows.shape == (50, 3)
    assert rows.n_blocks > 2 or name == "parquet in one group"
    assert rows.task_names == list(dict.fromkeys(SITES))
    whole, by_task = rows.total(sums)
    np.testing.assert_allclose(whole, W @ X, rtol=1e-12)
    codes = pd.Categorical(SITES, categories=rows.task_names).codes
    expected = pd.DataFrame(X * W[:, None]).groupby(codes).sum()
    np.testing.assert_allclose(by_task, expected, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(rows.each(lambda block: block.weight)), W)
    sample = rows.sample()
    found = sample.x.toarray() if sp.issparse(sample.x) else sample.x
    np.testing.assert_allclose(np.sort(found, axis=0), np.sort(X, axis=0))
    np.testing.assert_allclose(sample.weight @ found, W @ X, rtol=1e-12)


def test_engines_add_in_one_order_to_the_last_digit():
    totals = [
        Blocks(X, block_rows=2, engine=engine).total(lambda block: block.x.sum(axis=0))
        for engine in ("serial", "joblib", "dask")
    ]
    np.testing.assert_array_equal(totals[0], totals[1])
    np.testing.assert_array_equal(totals[0], totals[2])


def test_a_sample_has_the_same_rows_whatever_the_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 30)
    first, second = (Blocks(X, block_rows=size, sample_weight=W).sample(3) for size in (4, 50))
    assert first.x.shape == (10, 3)
    np.testing.assert_array_equal(first.x, second.x)
    np.testing.assert_array_equal(first.weight, second.weight)
    places = [np.flatnonzero((row == X).all(axis=1))[0] for row in first.x]
    np.testing.assert_array_equal(W[places], first.weight)
    assert (Blocks(X, block_rows=4).sample(4).x != first.x).any()


def test_functions_of_rows_are_applied_one_after_the_other():
    rows = Blocks(X, block_rows=7).mapped(lambda x: x[:, :2] + 1, 2).mapped(lambda x: x * 10, 2)
    assert rows.shape == (len(X), 2)
    np.testing.assert_array_equal(rows.each(lambda block: block.x), (X[:, :2] + 1) * 10)


def test_of_dask_comes_dask_and_of_files_an_array(tmp_path):
    lazy = Blocks(da.from_array(X, chunks=(9, 3))).each(lambda block: block.x > 0)
    assert isinstance(lazy, da.Array)
    assert (lazy.shape, lazy.dtype, lazy.chunks[0][0]) == ((50, 3), bool, 9)
    np.testing.assert_array_equal(lazy.compute(), X > 0)
    assert isinstance(Blocks(npy(tmp_path)).each(lambda block: block.x), np.ndarray)


def test_no_engine_holds_more_than_a_block_of_a_file(tmp_path):
    big = tmp_path / "big.npy"
    np.save(big, np.ones((1000, 5)))
    largest = Blocks(big, block_rows=30).total(lambda block: block.shape[0], combine=max)
    assert largest == 30
    path = parquet(tmp_path, 50)
    assert Blocks(path, columns=["a"], block_rows=20).total(len_of, combine=max) <= 20


def len_of(block):
    return block.shape[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"block_rows": 0}, "block_rows is 0; give a whole number from 1 on"),
        ({"engine": "spark"}, "engine is 'spark'; choose one of 'serial', 'joblib', 'dask'"),
        ({"columns": ["a"]}, "columns names columns, and an array has none"),
        ({"tasks": "site"}, "tasks is 'site', which is no column: an array has no columns by name"),
        ({"sample_weight": [1, 2]}, "sample_weight has shape .2,. and X has 50 rows"),
        ({"sample_weight": ["x"] * 50}, "sample_weight has entries that are no numbers"),
        ({"tasks": ["x"]}, "tasks"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        Blocks(X, **arguments).sample()


def test_wrong_sources_get_a_sentence(tmp_path):
    with pytest.raises(InputError, match="source has 1 dimension; give rows and columns"):
        Blocks(da.ones(4))
    with pytest.raises(InputError, match="no files that end in .parquet"):
        Blocks(tmp_path)
    (tmp_path / "rows.parquet").write_text("a,b\n")
    with pytest.raises(FileFormatError, match="cannot be read as Parquet"):
        Blocks(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="different columns"):
        Blocks([parquet(tmp_path), parquet(tmp_path, frame=FRAME[["a"]], name="b.parquet")])
    with pytest.raises(InputError, match="columns has 'z'; give some of 'a', 'b'"):
        Blocks(parquet(tmp_path), columns=["a", "z"])
    with pytest.raises(InputError, match="column 'site' holds object values.*columns=.*row groups"):
        Blocks(parquet(tmp_path)).facts  # noqa: B018
    with pytest.raises(InputError, match="engine is 'serial'; only engine='dask'"):
        Blocks(da.ones((4, 2)), engine="serial")
    with pytest.raises(InputError, match="source has no rows"):
        Blocks(da.ones((0, 2))).facts  # noqa: B018


def test_an_unreadable_block_is_named(tmp_path):
    path = parquet(tmp_path)
    rows = Blocks(path, columns=["a", "b"], block_rows=7)
    content = bytearray(path.read_bytes())
    content[200:1200] = bytes(1000)
    path.write_bytes(bytes(content))
    with pytest.raises(BlockError, match="row groups . to . of .*rows.parquet cannot be read"):
        rows.facts  # noqa: B018


def test_blocks_do_not_become_an_array_unasked():
    for call in (np.asarray, kf.NCut(2).fit, kf.JointSpectral(2).fit):
        with pytest.raises(InputError, match="X is in blocks, and this needs all rows in memory"):
            call(Blocks(X))


@pytest.mark.parametrize("lazy", [da.from_array(X), dd.from_pandas(FRAME[["a"]], npartitions=2)])
def test_what_needs_all_rows_refuses_what_dask_holds(lazy):
    for call in (kf.NCut(2).fit, kf.JointSpectral(2).fit, kf.describe):
        with pytest.raises(InputError, match="of Dask, and this needs all rows in memory"):
            call(lazy)


READERS = (
    kf.MEC,
    kf.KTMEC,
    kf.SoftKMeans,
    kf.LSSMTC,
    kf.SymNMF,
    kf.ConceptFactorization,
    kf.MTCFIR,
    kf.MTCMRL,
    kf.PerTask,
    kf.Pooled,
    kf.Kinfolk,
)
OTHERS = [
    found
    for name in kf.__all__
    if isinstance(found := getattr(kf, name), type)
    and issubclass(found, BaseEstimator)
    and found not in READERS
]


@pytest.mark.parametrize("estimator", OTHERS, ids=lambda cls: cls.__name__)
def test_every_other_estimator_refuses_rows_in_blocks(estimator):
    labels = {"y": [0, 1] * 25} if hasattr(estimator(), "classes_") else {}
    for rows in (Blocks(abs(X)), da.from_array(abs(X))):
        with pytest.raises(InputError, match="this needs all rows in memory at once"):
            estimator().fit(rows, **labels)


@pytest.mark.parametrize(
    "call",
    [
        lambda rows: kf.suggest_clusters(rows),
        lambda rows: kf.profile(rows, [0, 1] * 25),
        lambda rows: kf.stack({"a": rows, "b": rows}),
        lambda rows: kf.join({"a": rows, "b": rows}),
        lambda rows: kf.by_task(rows, SITES),
        lambda rows: kf.search(kf.PerTask(n_clusters=2), {"n_clusters": [2, 3]}, rows),
        lambda rows: kf.replicability(rows, SITES, [0, 1] * 25),
    ],
    ids=["suggest_clusters", "profile", "stack", "join", "by_task", "search", "replicability"],
)
def test_every_other_function_refuses_rows_in_blocks(call):
    for rows in (Blocks(abs(X)), da.from_array(abs(X))):
        with pytest.raises((InputError, TypeError), match="this needs all rows in memory at once"):
            call(rows)


def test_one_table_is_one_block():
    block = Block(X, W)
    assert block.total(len_of) == 50
    np.testing.assert_array_equal(block.each(lambda b: b.weight), W)
    assert block.sample() is block


def test_a_process_that_dies_and_a_block_too_large_get_a_sentence(monkeypatch):
    def dies(*_, **__):
        raise TerminatedWorkerError("a worker was killed")

    def fills(block):
        raise MemoryError

    with pytest.raises(BlockError, match="rows 0 to 20 .* do not fit in memory: make blocks small"):
        Blocks(X, block_rows=20).total(fills)
    monkeypatch.setattr("joblib.Parallel.__call__", dies)
    with pytest.raises(BlockError, match="a process that worked on a block died"):
        Blocks(X, block_rows=20, engine="joblib").total(sums)


def test_an_error_of_the_work_itself_stays_as_it_is():
    def wrong(block):
        raise ZeroDivisionError("of the method")

    with pytest.raises(ZeroDivisionError, match="of the method"):
        Blocks(X, block_rows=20).total(wrong)


@pytest.mark.parametrize("engine", [np.array([]), "", 0])
def test_an_engine_that_is_no_name_is_refused(engine):
    with pytest.raises(InputError, match="engine is .* choose one of"):
        Blocks(np.eye(3), engine=engine)


def test_repeated_entries_and_long_indices_of_a_sparse_table_do_not_mislead():
    parts = ([1.0, 2.0, 3.0, 4.0], np.array([2, 0, 1, 1]), np.array([0, 2, 4]))
    rows = sp.csr_array(parts, shape=(2, 3))
    seen = Blocks(rows).sample().x
    assert seen.has_canonical_format
    assert seen.indices.dtype == np.int32
    assert sorted(seen.toarray().tolist()) == [[0.0, 7.0, 0.0], [2.0, 0.0, 1.0]]
    assert rows.data.tolist() == parts[0]
