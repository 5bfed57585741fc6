"""Methods on arrays of other libraries: seconds and agreement with NumPy, in one run.

    python -m benchmarks.elsewhere [--rows 200000] [--columns 50] [--device cpu]

Fits a few sweeps to made groups, with rows of NumPy and of PyTorch on the device ("cuda" where
there is one); without PyTorch with those of array-api-strict. Seconds are those of a clock on the
wall, since a device has no processor time; the shorter of two fits counts.
"""

import argparse
import time
import warnings
from importlib.util import find_spec

import numpy as np

import kinfolk as kf

K = 5


def methods(sweeps):
    """Name -> an estimator that makes at most so many sweeps from one start, and its tasks."""
    few = {"n_clusters": K, "n_init": 1, "max_iter": sweeps, "tol": 0.0, "random_state": 0}
    return {
        "MEC": (kf.MEC(**few), False),
        "soft k-means": (kf.SoftKMeans(**few), False),
        "LSSMTC": (kf.LSSMTC(**few), True),
        "SymNMF, cosine": (kf.SymNMF(affinity="cosine", **few), False),
        "MTCMRL, cosine": (kf.MTCMRL(affinity="cosine", **few), True),
    }


def made(n, d):
    """Rows (n, d) of groups, none of their entries negative."""
    random = np.random.default_rng(0)
    V = 3.0 * random.normal(size=(K, d))
    return np.abs(V[np.arange(n) % K] + random.normal(size=(n, d)))


def library(device):
    """Name of the other library, and a function that converts a NumPy array to one of its own."""
    if find_spec("torch") is None:
        import array_api_strict

        return "array-api-strict", array_api_strict.asarray
    import torch

    return f"PyTorch on {device}", lambda X: torch.asarray(X, device=device)


def timed(model, X, tasks):
    """Seconds of the quicker of two fits, and the labels of the second."""
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        model.fit(X, **({} if tasks is None else {"tasks": tasks}))
        seconds.append(time.perf_counter() - began)
    return min(seconds), model.labels_.copy()


def measured(n, d, sweeps, device):
    """Yield method, seconds in blocks of NumPy and elsewhere, and the share of equal labels."""
    X = made(n, d)
    tasks = np.arange(n) % 2
    convert = library(device)[1]
    for name, (model, of_tasks) in methods(sweeps).items():
        own = tasks if of_tasks else None
        here, labels = timed(model, kf.Blocks(X, tasks=own), None)
        there, found = timed(model, convert(X), own)
        yield name, here, there, float(np.mean(labels == found))


def main():
    """Print a row of the table for each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| method | NumPy | {library(given.device)[0]} | equal labels |\n|---|---:|---:|---:|")
    for name, here, there, equal in measured(given.rows, given.columns, given.sweeps, given.device):
        print(f"| {name} | {here:.2f} s | {there:.2f} s | {equal:.1%} |", flush=True)


if __name__ == "__main__":
    main()
