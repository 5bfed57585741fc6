"""Fits `Kinfolk` to a file larger than memory: seconds, memory and accuracy.

    python -m benchmarks.out_of_core [--rows 10000000] [--columns 20] [--sites 10] [--folder FOLDER]
                                     [--run [--budget SECONDS]]

Makes a file of Parquet in FOLDER (a temporary one by default), of five groups that overlap in each
site, at other places in each, and fits `Kinfolk(5)` to its blocks; with --run the command line
does it, which takes the file in parts where memory is little. Seconds are those of the
processor; memory is the highest one that no file backs, above that before the fit. The file is
deleted at the end.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.blocks import Memory, seconds
from kinfolk import Blocks, Kinfolk

K = 5
ROW_GROUP = 100_000


def made(path, n, d, sites):
    """Write n rows of d columns and their site; return the group of each row (n,)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    centers = 0.7 * random.normal(size=(K, d)) + 0.2 * random.normal(size=(sites, 1, d))
    names = [f"c{j}" for j in range(d)]
    groups = np.empty(n, dtype=np.int8)
    schema = pa.schema([*((name, pa.float64()) for name in names), ("site", pa.string())])
    with pq.ParquetWriter(path, schema) as file:
        for start in range(0, n, ROW_GROUP):
            m = min(ROW_GROUP, n - start)
            t = (start + np.arange(m)) * sites // n
            groups[start : start + m] = random.integers(0, K, m)
            rows = centers[t, groups[start : start + m]] + random.normal(size=(m, d))
            columns = dict(zip(names, rows.T, strict=True))
            file.write_table(pa.table({**columns, "site": [f"site {i}" for i in t]}, schema))
    return groups


def measured(path, groups):
    """Fit, and print time, memory and accuracy."""
    before, wall = seconds(), time.perf_counter()
    with Memory() as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Kinfolk(K, random_state=0).fit(Blocks(path, tasks="site"))
    print(f"{seconds() - before:.0f} s of the processor, {time.perf_counter() - wall:.0f} s wall")
    held = sum(getattr(model, name).nbytes for name in ("labels_", "matched_labels_", "sure_"))
    print(f"{memory.most:.0f} MB above the start, of them {held >> 20} MB labels")
    print(model.sampling_["meaning"])
    print(f"matched adjusted Rand index {adjusted_rand_score(groups, model.matched_labels_):.3f}")


def commanded(path, groups, budget):
    """Run `kinfolk run`, and print time, memory and accuracy."""
    import pandas as pd

    from kinfolk.cli import main as kinfolk

    out = path.parent / "results"
    given = ["run", path, "--tasks", "site", "--clusters", K, "--out", out, "--quiet"]
    given += [] if budget is None else ["--budget", budget]
    before, wall = seconds(), time.perf_counter()
    with Memory() as memory:
        kinfolk([str(part) for part in given])
    print(f"{seconds() - before:.0f} s of the processor, {time.perf_counter() - wall:.0f} s wall")
    print(f"{memory.most:.0f} MB above the start")
    found = pd.read_csv(out / "labels.csv", usecols=["row", "matched_cluster"])
    print(f"{len(found)} rows, in order: {bool((found['row'].diff().dropna() == 1).all())}")
    matched = found["matched_cluster"]
    print(f"matched adjusted Rand index {adjusted_rand_score(groups, matched):.3f}")


def main():
    """Make the file, fit, and delete it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--sites", type=int, default=10)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--budget", type=float)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as temporary:
        path = Path(temporary) / "rows.parquet"
        groups = made(path, given.rows, given.columns, given.sites)
        print(f"{given.rows} x {given.columns}: {path.stat().st_size >> 20} MB on disk", flush=True)
        if given.run:
            commanded(path, groups, given.budget)
        else:
            measured(path, groups)


if __name__ == "__main__":
    main()
