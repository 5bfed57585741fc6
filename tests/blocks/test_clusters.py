"""Rows in blocks on a cluster of Dask: two workers in this process."""

import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import engines
from kinfolk.errors import BlockError

distributed = pytest.importorskip("dask.distributed", reason="the extra dask is not there")
da = pytest.importorskip("dask.array")

X, _ = make_blobs(400, 5, centers=4, cluster_std=2.0, random_state=0)
MODEL = kf.MEC(4, n_init=1, max_iter=5, random_state=0)
EXPECTED = clone(MODEL).fit(X)


@pytest.fixture(scope="module")
def client():
    settings = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(**settings, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_workers_give_what_memory_gives(client, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    for rows in (
        Blocks(tmp_path / "rows.npy", block_rows=60, engine="dask"),
        client.persist(da.from_array(X, chunks=(70, 5))),
    ):
        found = clone(MODEL).fit(rows)
        np.testing.assert_allclose(found.cluster_centers_, EXPECTED.cluster_centers_, rtol=1e-10)
        np.testing.assert_array_equal(np.asarray(found.labels_), EXPECTED.labels_)


def test_a_worker_that_goes_in_the_middle_leaves_its_blocks_to_others(client):
    left = threading.Event()
    rows = Blocks(X, block_rows=20, engine="dask")
    expected = rows.total(summed)

    def leave():
        first = next(iter(client.scheduler_info(n_workers=-1)["workers"]))
        client.retire_workers([first], close_workers=True)
        left.set()

    thread = threading.Thread(target=leave)
    thread.start()
    found = [rows.total(summed) for _ in range(5)]
    thread.join()
    assert left.is_set()
    np.testing.assert_array_equal(found, [expected] * 5)


def test_a_block_that_ends_every_worker_gets_a_sentence(client, monkeypatch):
    def killed(*tasks):
        raise distributed.KilledWorker("task", None, 3)

    monkeypatch.setattr("dask.compute", killed)
    with pytest.raises(BlockError, match="died, most often .* too little memory.*block_rows="):
        Blocks(X, block_rows=50, engine="dask").total(summed)


def test_errors_of_a_block_on_a_worker_keep_their_sentence(client):
    broken = da.from_delayed(unreadable(), (9, 2), float)
    with pytest.raises(BlockError, match="Dask could not compute a block .OSError: disk"):
        Blocks(broken).shape  # noqa: B018


def unreadable():
    import dask

    @dask.delayed
    def read():
        raise OSError("disk")

    return read()


def summed(block):
    return block.x.sum(axis=0)


def test_a_sweep_sends_back_sums_and_no_rows():
    sent = []

    class Counting(engines.Serial):
        def fold(self, work, blocks, state, combine):
            sent.append(len(pickle.dumps(state)))
            results = [work(*block, state) for block in blocks]
            sent.append(max(len(pickle.dumps(result)) for result in results))
            return super().fold(work, blocks, state, combine)

    rows = Blocks(X, block_rows=100)
    rows.facts  # noqa: B018
    rows.engine = Counting()
    kf.MEC(4, random_state=0, n_init=1).fit(rows)
    k, d = 4, 5
    envelope = 800
    assert max(sent) <= 8 * (k * (d + 1) + d + k) + envelope
    assert max(sent) < X[:100].nbytes
