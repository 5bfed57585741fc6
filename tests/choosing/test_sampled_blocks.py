"""Kinfolk of rows in blocks: labels of all rows from samples, sureness, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.choosing import sampled_blocks, sampling
from kinfolk.errors import InputError
from kinfolk.estimators import task_blocks
from kinfolk.tables import Tasks

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
pytest.importorskip("pyarrow", reason="the extra parquet is not there")

RANDOM = np.random.default_rng(0)
GROUPS = RANDOM.integers(0, 3, size=600)
SITES = np.array(["north", "south"])[RANDOM.integers(0, 2, size=600)]
X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[GROUPS] + (SITES == "north")[:, None]
X = X + RANDOM.normal(scale=0.3, size=(600, 2))
MODEL = {"n_clusters": 3, "families": ["kmeans", "pooled"], "random_state": 0, "rows": 30}


def fitted(blocks, **given):
    return kf.Kinfolk(**{**MODEL, **given}).fit(blocks)


def test_every_row_of_a_file_gets_the_cluster_of_its_group(tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(site=SITES)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    model = fitted(Blocks(tmp_path / "rows.parquet", tasks="site", block_rows=100))
    assert kf.measures.accuracy(GROUPS, model.matched_labels_) == 1.0
    for task in ("north", "south"):
        assert kf.measures.accuracy(GROUPS[task == SITES], model.labels_[task == SITES]) == 1.0
    assert model.sure_.all()
    assert model.sampling_["meaning"].startswith("The methods saw 60 of 600 rows")
    assert model.profiles_.sizes[-1, -1] == 600
    site = SITES[0]
    own = X[(GROUPS[0] == GROUPS) & (site == SITES)]
    position = model.clusters_.index((site, int(model.labels_[0])))
    np.testing.assert_allclose(model._moments[1][position], own.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model._moments[2][position], own.std(axis=0), rtol=1e-10)
    new = frame[["u", "v"]][:20]
    np.testing.assert_array_equal(model.predict(new, SITES[:20]), model.labels_[:20])


def test_blocks_change_no_label():
    whole = fitted(Blocks(X, tasks=SITES))
    for rows in (
        Blocks(X, tasks=SITES, block_rows=70),
        Blocks(da.from_array(X, chunks=(110, 2)), tasks=SITES),
    ):
        found = fitted(rows)
        for name in ("labels_", "matched_labels_", "own_labels_", "sure_"):
            np.testing.assert_array_equal(np.asarray(getattr(found, name)), getattr(whole, name))
            assert isinstance(getattr(found, name), da.Array) == rows.is_dask


def test_rows_without_groups_are_not_sure():
    noise = np.random.default_rng(1).normal(size=(400, 2))
    model = fitted(Blocks(noise, tasks=np.repeat(["a", "b"], 200), block_rows=90))
    assert not model.sure_.all()
    assert model.sampling_["moved"] == pytest.approx(1 - model.sure_.mean())
    assert all(len(record["changed_rows"]) == 0 for record in model.guard_)


def test_small_tables_in_blocks_are_fitted_whole():
    found = fitted(Blocks(X, tasks=SITES, block_rows=70), rows="auto")
    expected = kf.Kinfolk(**{**MODEL, "rows": "auto"}).fit(X, tasks=SITES)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert "sampling_" not in vars(found)


def test_large_tables_in_blocks_are_sampled_whatever_the_sizes_of_tasks():
    found = Blocks(np.zeros((sampling.AUTO_ROWS + 1, 1)))
    assert sampling.sample_size("auto", task_blocks.sizes_of(found)) == sampling.FIRST_ROWS
    assert sampling.sample_size(15_000, task_blocks.sizes_of(found)) == 15_000


def test_a_row_is_placed_by_its_nearest_rows(monkeypatch):
    """A block's clusters are those its rows get in one table with the sample."""
    seen = []

    def nearest(model, X, tasks, sample, labels, *, answer):
        seen.append((X, tasks.codes, sample, answer))
        D = np.square(X[:, None] - X[sample]).sum(axis=2)
        D[tasks.codes[:, None] != tasks.codes[sample]] = np.inf
        return labels[D.argmin(axis=1)]

    monkeypatch.setattr(sampling, "placed", nearest)
    by = sampled_blocks.Placing(None, X[:50], Tasks(["a", "b"], GROUPS[:50] % 2), GROUPS[:50])
    block = kf.blocks.Block(X[50:90], None, GROUPS[50:90] % 2)
    found = sampled_blocks.placed(block, by)
    np.testing.assert_array_equal(found, GROUPS[50:90])
    np.testing.assert_array_equal(seen[0][2], np.arange(50))


def test_a_short_budget_takes_smaller_samples(monkeypatch):
    monkeypatch.setattr(sampling, "AUTO_ROWS", 500)
    asked = []

    def in_time(table, found, n_clusters, families, kind, size):
        asked.append((table.shape, found.names, families, size))
        return 20

    monkeypatch.setattr(sampling, "in_time", in_time)
    model = fitted(Blocks(X, tasks=SITES, block_rows=70), rows="auto", budget=60.0)
    assert asked == [((600, 2), [*dict.fromkeys(SITES)], ["kmeans", "pooled"], asked[0][3])]
    assert model.sampling_["meaning"].startswith("The methods saw 40 of 600 rows")


def test_what_blocks_cannot_have_is_told(monkeypatch):
    with pytest.raises(InputError, match="in blocks.*Kinfolk takes no weights"):
        fitted(Blocks(X, tasks=SITES, sample_weight=np.ones(600)))
    with pytest.raises(InputError, match="takes no known classes y"):
        kf.Kinfolk(**MODEL).fit(Blocks(X, tasks=SITES), np.full(600, -1))
    with pytest.raises(InputError, match="takes no views"):
        fitted(Blocks(X, tasks=SITES), views={"a": [0], "b": [1]})
    monkeypatch.setattr(sampling, "AUTO_ROWS", 500)
    with pytest.raises(InputError, match="rows is None and X has 600 rows in blocks"):
        fitted(Blocks(X, tasks=SITES), rows=None)
    with pytest.raises(InputError, match="rows is 900 and X has 600 rows in blocks"):
        fitted(Blocks(X, tasks=SITES), rows=900)
