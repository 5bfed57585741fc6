"""Processor time of `Kinfolk` for many tasks: `python -m benchmarks.many_tasks [T ...]`.

Made tables of amounts: 100 rows and 12 columns in each task, four clusters that all tasks share,
with means that differ between tasks.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

from kinfolk import Kinfolk

ROWS, COLUMNS, CLUSTERS = 100, 12, 4


def table(n_tasks):
    """Rows (n, d), their tasks (n,) and their classes (n,)."""
    random = np.random.default_rng(0)
    base = random.gamma(1.0, 2.0, (CLUSTERS, COLUMNS))
    rows = []
    classes = []
    for _ in range(n_tasks):
        means = base * np.exp(random.normal(0.0, 0.3, base.shape))
        own = random.integers(0, CLUSTERS, ROWS)
        noise = random.gamma(6.0, 1 / 6.0, size=(ROWS, COLUMNS))
        # A fifth of the entries is 0, as in counts and spectra.
        rows.append(means[own] * noise * (random.random((ROWS, COLUMNS)) > 0.2))
        classes.append(own)
    names = np.repeat([f"t{t}" for t in range(n_tasks)], ROWS)
    return np.vstack(rows), names, np.concatenate(classes)


def main(sizes):
    """Print one line for each number of tasks."""
    warnings.simplefilter("ignore")
    print("| tasks | processor time, s | mean adjusted Rand index |")
    print("| ---: | ---: | ---: |")
    for n_tasks in sizes:
        X, tasks, classes = table(n_tasks)
        begin = time.process_time()
        labels = Kinfolk(CLUSTERS, random_state=0).fit(X, tasks=tasks).labels_
        seconds = time.process_time() - begin
        found = [
            adjusted_rand_score(classes[tasks == t], labels[tasks == t]) for t in np.unique(tasks)
        ]
        print(f"| {n_tasks} | {seconds:.1f} | {np.mean(found):.3f} |", flush=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [4, 16, 64])
