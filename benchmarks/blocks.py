"""Rows in blocks: time and memory of a fit from files, by engine, and with a worker that is killed.

    python -m benchmarks.blocks [--rows 2000000] [--columns 20] [--folder FOLDER] [--workers 2]
    python -m benchmarks.blocks --rows 200000 --landmarks 1000

Makes a table of groups in FOLDER (a temporary one by default), as .npy and as Parquet, and fits MEC
to it; with --landmarks MTCFIR, to four tasks. Seconds are those of the processor, of this process
and its workers; memory is the highest one that is not shared with files, above that before the fit.
"""

import argparse
import os
import resource
import tempfile
import threading
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

from kinfolk import MEC, MTCFIR, Blocks

K = 5


def made(folder, n, d):
    """Write n rows of d columns as a .npy file and as Parquet; return both paths."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    npy, parquet = folder / "rows.npy", folder / "rows.parquet"
    if npy.exists() and parquet.exists():
        return npy, parquet
    random = np.random.default_rng(0)
    V = 3.0 * random.normal(size=(K, d))
    table = np.lib.format.open_memmap(npy, "w+", float, (n, d))
    names = [f"c{j}" for j in range(d)]
    with pq.ParquetWriter(parquet, pa.schema([(name, pa.float64()) for name in names])) as file:
        for start in range(0, n, 100_000):
            m = min(100_000, n - start)
            rows = V[random.integers(0, K, m)] + random.normal(size=(m, d))
            table[start : start + m] = rows
            file.write_table(pa.table(dict(zip(names, rows.T, strict=True))))
    table.flush()
    return npy, parquet


class Memory:
    """Peak anonymous memory of this process in MB above the start, in a `with` block."""

    def __enter__(self):
        """Start sampling the memory every few milliseconds."""
        self.first, self.most, self.done = self.read(), 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        """Stop sampling."""
        self.done.set()
        self.thread.join()

    def watch(self):
        """Sample the memory and keep the maximum."""
        while not self.done.wait(0.005):
            self.most = max(self.most, self.read() - self.first)

    def read(self):
        """Current anonymous memory in MB."""
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
        return 0.0


def seconds():
    """Processor time of this process and of workers that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in found)


def fitted(source):
    """Fit ten sweeps of one start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MEC(K, temperature=20.0, n_init=1, max_iter=10, tol=0.0, random_state=0).fit(source)


def by_landmarks(source, landmarks):
    """Fit MTCFIR of one start by some rows of each task."""
    settings = {"affinity": "cosine", "share_features": True, "n_init": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MTCFIR(K, landmarks=landmarks, **settings).fit(source)


def row(name, make, fitted=fitted):
    """Print a line: seconds, memory, sweeps."""
    before, wall = seconds(), time.perf_counter()
    with Memory() as memory:
        model = fitted(make())
    print(
        f"{name:34} {seconds() - before:7.1f} s {time.perf_counter() - wall:7.1f} s wall"
        f" {memory.most:7.0f} MB, {model.n_iter_} sweeps, labels {model.labels_.nbytes >> 20} MB",
        flush=True,
    )
    return model


def killed(path, workers):
    """Fit with Dask in several processes, one of them killed after two seconds; print its line."""
    from dask.distributed import Client

    with Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
        pids = list(client.run(os.getpid).values())
        threading.Timer(2.0, os.kill, (pids[0], 9)).start()
        model = row(f"dask, {workers} processes, one killed", lambda: Blocks(path, engine="dask"))
        left = set(client.run(os.getpid).values())
        print(f"  {len(set(pids) - left)} of {workers} processes was replaced")
        return model


def main():
    """Make the table and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--landmarks", type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        npy, parquet = made(folder, given.rows, given.columns)
        print(f"{given.rows} x {given.columns}: {npy.stat().st_size >> 20} MB")
        if given.landmarks:
            sites = np.arange(given.rows) % 4
            fit = partial(by_landmarks, landmarks=given.landmarks)
            row("mtcfir, npy, serial", lambda: Blocks(npy, tasks=sites), fit)
            return
        first = row("npy, serial", lambda: Blocks(npy))
        models = [row("parquet, serial", lambda: Blocks(parquet)), killed(npy, given.workers)]
        away = max(abs(m.cluster_centers_ - first.cluster_centers_).max() for m in models)
        print(f"centers differ by {away:.1e}")


if __name__ == "__main__":
    main()
