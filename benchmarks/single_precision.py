"""Memory of fits to a Parquet file of float32 and of float64 columns, from reading to labels.

    python -m benchmarks.single_precision [--rows 200000] [--columns 50] [--folder FOLDER]
        [--cases lssmtc mec]

Each fit runs in a process of its own. Memory is the highest one that is not shared with files, in
MB above that before reading; the table takes 4 or 8 bytes a number. Equal labels are those of the
same rows of both precisions.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import kinfolk as kf
from benchmarks.blocks import Memory

FEW = {"n_init": 1, "max_iter": 3, "random_state": 0}
MODELS = {
    "read": None,
    "mec": kf.MEC(5, temperature=20.0, **FEW),
    "soft k-means": kf.SoftKMeans(5, **FEW),
    "per task, k-means": kf.PerTask(n_clusters=5),
    "pooled, k-means": kf.Pooled(n_clusters=5),
    "per task, mec": kf.PerTask(kf.MEC(5, temperature=20.0, **FEW)),
    "lssmtc": kf.LSSMTC(5, init="kmeans", **FEW),
    "symnmf, cosine": kf.SymNMF(5, affinity="cosine", **FEW),
    "mtcmrl, cosine": kf.MTCMRL(5, affinity="cosine", **FEW),
    "per task, mec, blocks": kf.PerTask(kf.MEC(5, temperature=20.0, **FEW)),
    "compare": None,
}


def made(folder, n, d):
    """Write n rows of d columns and four tasks as Parquet of both precisions; return the paths."""
    random = np.random.default_rng(0)
    V = 3.0 * random.normal(size=(5, d)) + 6.0
    X = np.maximum(V[random.integers(0, 5, n)] + random.normal(size=(n, d)), 0.0)
    sites = np.array(["a", "b", "c", "d"])[np.arange(n) % 4]
    paths = []
    for name in ("float32", "float64"):
        path = folder / f"{name}.parquet"
        frame = pd.DataFrame(X.astype(np.float32).astype(name), columns=[f"c{j}" for j in range(d)])
        frame.assign(site=sites).to_parquet(path, row_group_size=50_000)
        paths.append(path)
    return paths


def labels_of(case, path):
    """Read the file and fit; return the labels."""
    if case == "compare":
        found = kf.compare(path, tasks="site", n_clusters=5, method="kmeans")
        return found.labels()["cluster"].to_numpy()
    if case.endswith("blocks"):
        return MODELS[case].fit(kf.Blocks(path, tasks="site")).labels_
    data = kf.read(path, tasks="site").data
    if case == "read":
        return np.zeros(len(data))
    several = isinstance(MODELS[case], kf.PerTask | kf.Pooled | kf.LSSMTC | kf.MTCMRL)
    tasks = {"tasks": data.tasks} if several else {}
    return MODELS[case].fit(data.X, **tasks).labels_


def run(case, path):
    """Print peak memory, seconds and labels of one case as JSON."""
    warnings.simplefilter("ignore")
    # What is imported at the first use counts for neither precision.
    labels_of(case, path.parent / "small.parquet")
    start = time.process_time()
    with Memory() as memory:
        labels = labels_of(case, path)
    found = [memory.most, time.process_time() - start, np.asarray(labels).tolist()]
    print(json.dumps(found))


def main():
    """Make the files and print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--case")
    parser.add_argument("--cases", nargs="*", choices=MODELS)
    parser.add_argument("--file", type=Path)
    given = parser.parse_args()
    if given.case:
        return run(given.case, given.file)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        single, double = made(folder, given.rows, given.columns)
        pd.read_parquet(single).iloc[:2000].to_parquet(folder / "small.parquet")
        for case in given.cases or MODELS:
            command = [sys.executable, "-m", "benchmarks.single_precision", "--case", case]
            ends = [
                subprocess.run(
                    [*command, "--file", path], capture_output=True, text=True, check=False
                )
                for path in (double, single)
            ]
            if any(end.returncode for end in ends):
                print(f"{case:22} {ends[-1].stderr.splitlines()[-1][:150]}")
                continue
            a, b = (json.loads(end.stdout.splitlines()[-1]) for end in ends)
            same = np.mean(np.array(a[2]) == np.array(b[2]))
            times = f"float64 {a[0]:5.0f} MB {a[1]:5.1f} s, float32 {b[0]:5.0f} MB {b[1]:5.1f} s"
            print(f"{case:22} {times}, equal labels {same:.4f}", flush=True)
    return None


if __name__ == "__main__":
    main()
