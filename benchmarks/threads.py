"""Compares seconds with all threads and with one.

By tables of growing size, alone or beside N processes that keep a core busy each. The rule of
`kinfolk.numerics.threads` comes from here: below its `LARGE` one thread, because it loses little
on an idle machine and wins much on a busy one.
"""

import argparse
import multiprocessing
import time

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from kinfolk import MEC
from kinfolk.numerics import operators, threads

SIZES = ((1_000, 100), (10_000, 100), (100_000, 100), (300_000, 100))
"""Rows and columns."""

WORK = {
    "X'X": lambda X: operators.crossed(X, X),
    "k-means, 2 starts": lambda X: KMeans(10, n_init=2, max_iter=20, random_state=0).fit(X),
    "MEC": lambda X: MEC(10, n_init=1, max_iter=20, random_state=0).fit(X),
}


def busy():
    """Keep a core busy until the process is killed."""
    while True:
        sum(range(100_000))


def seconds(work, X, limit, repeats):
    """Median wall time under a limit of threads; None leaves all."""
    spent = []
    for _ in range(repeats):
        with threadpool_limits(limit):
            start = time.perf_counter()
            work(X)
            spent.append(time.perf_counter() - start)
    return float(np.median(spent))


def table(sizes):
    """Lines of a Markdown table."""
    yield "| rows x columns | numbers | work | all threads, s | one thread, s | ratio |"
    yield "| --- | ---: | --- | ---: | ---: | ---: |"
    random = np.random.default_rng(0)
    for n, d in sizes:
        X = random.normal(size=(n, d)) + 3 * np.eye(d)[random.integers(10, size=n)]
        repeats = 5 if n * d < threads.LARGE else 3
        for name, work in WORK.items():
            every = seconds(work, X, None, repeats)
            one = seconds(work, X, 1, repeats)
            cells = (f"{n} x {d}", f"{n * d:.0e}", name, f"{every:.3f}", f"{one:.3f}")
            yield f"| {' | '.join(cells)} | {one / every:.2f} |"


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--busy", type=int, default=0, help="processes beside the measurement")
    asked = parser.parse_args()
    beside = [multiprocessing.Process(target=busy, daemon=True) for _ in range(asked.busy)]
    for process in beside:
        process.start()
    for line in table(SIZES):
        print(line, flush=True)
    for process in beside:
        process.terminate()


if __name__ == "__main__":
    main()
