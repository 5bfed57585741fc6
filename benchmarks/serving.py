"""Measures the size of a saved model and the time to assign new rows.

    python -m benchmarks.serving [webkb4] [--clusters 4] [--data DIR]

Fits the default method, stores and loads the model, and prints its size, the processor time of
loading and that of 100 rows and of one row, at the first call and at the later ones.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import kinfolk as kf
from kinfolk.models import sizes
from kinfolk.preparation import Preparation


def milliseconds(function):
    """Return the processor time of a call, and its result."""
    begin = time.process_time()
    result = function()
    return 1e3 * (time.process_time() - begin), result


def main(arguments=None):
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="webkb4", help="a data set of Kinfolk")
    parser.add_argument("--clusters", type=int, default=4)
    parser.add_argument("--data", help="the data directory")
    given = parser.parse_args(arguments)
    data = kf.datasets.load(given.name, data=given.data)
    X = Preparation().fit_transform(data)
    fitted = kf.Kinfolk(given.clusters, random_state=0).fit(X, tasks=data.tasks)
    with tempfile.TemporaryDirectory() as folder:
        kf.save(fitted, Path(folder) / "model")
        print(sizes.of_folder(Path(folder) / "model").sentence())
        took, model = milliseconds(lambda: kf.load(Path(folder) / "model").estimator)
    print(f"loading        {took:7.0f} ms")
    order = np.random.RandomState(0).permutation(X.shape[0])
    for m in (100, 1):
        rows = order[:m]
        calls = [milliseconds(lambda: model.predict(X[rows], tasks=data.tasks[rows]))[0]  # noqa: B023
                 for _ in range(4)]  # fmt: skip
        print(f"{m:4} new rows  {calls[0]:7.1f} ms, then {np.median(calls[1:]):.1f} ms")


if __name__ == "__main__":
    main()
