"""Time over rows, columns, tasks and clusters: ours beside k-means, Harmony and faiss, in one run.

    python -m benchmarks.slopes [--methods NAME ...] [--seconds 5] [--picture FILE.svg]

Made rows: groups that overlap, at other places in each task. Each figure is one fit with one thread
and, where a method takes several, one start; seconds are those of the processor. A method that took
more than --seconds is not tried for more. harmonypy and faiss-cpu are left out where they are not
installed. The rand index is that of the clusters of all tasks together, at the middle point; MB is
the peak of memory above that before the fit, there, where the system tells it.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from benchmarks import growth, text_tables
from kinfolk import catalogue
from kinfolk.papers import peak_memory

MIDDLE = {"n": 2000, "d": 20, "T": 4, "k": 5}
FIRST = {"n": 200, "d": 5, "T": 2, "k": 2}
"""A fit that is not counted: it loads what a method needs."""
SERIES = {
    "n": (500, 2000, 8000),
    "d": (10, 20, 80),
    "T": (2, 4, 16),
    "k": (2, 5, 20),
}
"""Numbers of rows in all, columns, tasks and clusters; one differs from the middle at a time."""
NAMES = {"n": "rows", "d": "columns", "T": "tasks", "k": "clusters of each task"}
OURS = ("per-task", "lssmtc", "mtcmrl", "joint-spectral", "mtcfir", "kinfolk")


def made(n, d, T, k):
    """Rows (n, d), their tasks (n,), and the group of each row (n,)."""
    random = np.random.default_rng(0)
    centers = random.normal(size=(k, d)) + 0.5 * random.normal(size=(T, 1, d))
    tasks = np.arange(n) * T // n
    groups = random.integers(0, k, n)
    return centers[tasks, groups] + random.normal(size=(n, d)), tasks, groups


def kmeans(X, tasks, k):
    """Labels of scikit-learn's k-means of all rows."""
    return KMeans(k, n_init=1, random_state=0).fit_predict(X)


def faiss_kmeans(X, tasks, k):
    """Labels of faiss's k-means of all rows, in single precision."""
    import faiss

    faiss.omp_set_num_threads(1)
    X = X.astype(np.float32)
    model = faiss.Kmeans(X.shape[1], k, niter=100, seed=1, max_points_per_centroid=len(X))
    model.train(X)
    return model.index.search(X, 1)[1].ravel()


def harmony(X, tasks, k):
    """Labels of k-means after Harmony has drawn the tasks together."""
    import harmonypy
    import pandas as pd

    about = pd.DataFrame({"task": tasks.astype(str)})
    found = harmonypy.run_harmony(X, about, "task", verbose=False, ncores=1).Z_corr
    return kmeans(found if len(found) == len(X) else found.T, tasks, k)


def ours(name):
    """Make a function that fits a method of the catalogue and returns its matched labels."""

    def fitted(X, tasks, k):
        entry = catalogue.method(name)
        one = {"n_init": 1} if "n_init" in entry.cls().get_params(deep=False) else {}
        model = catalogue.tasks_estimator(entry, k, 0, **one)
        return model.fit(X, tasks=tasks.astype(str)).matched_labels_

    return fitted


METHODS = {
    "k-means": kmeans,
    "faiss k-means": faiss_kmeans,
    "Harmony, k-means": harmony,
    **{name: ours(name) for name in OURS},
}


class Fit(NamedTuple):
    """Processor seconds of a fit, rand index of its labels, and megabytes of its memory."""

    seconds: float
    index: float
    megabytes: float


def fitted(method, point):
    """Fit a method once to made rows."""
    X, tasks, groups = made(**point)
    before = peak_memory.start()
    begin = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        labels = METHODS[method](X, tasks, point["k"])
    took = time.process_time() - begin
    megabytes = (peak_memory.rise_since(before) or 0) / 2**20
    return Fit(took, adjusted_rand_score(groups, labels), megabytes)


def measured(methods, limit):
    """Seconds {(method, letter, size): s} and fits at the middle {method: fit}; prints each."""
    found = {}
    middles = {}
    for method in methods:
        try:
            fitted(method, FIRST)
        except ImportError as absent:
            print(f"{method} is left out: {absent}")
            continue
        middle = fitted(method, MIDDLE)
        middles[method] = middle
        print(f"{method}: {middle.seconds:.2f} s, {middle.megabytes:.0f} MB", flush=True)
        for letter, sizes in SERIES.items():
            for size in sizes:
                took = middle.seconds
                if size != MIDDLE[letter]:
                    took = fitted(method, {**MIDDLE, letter: size}).seconds
                    print(f"{method}, {size} {NAMES[letter]}: {took:.2f} s", flush=True)
                found[method, letter, size] = took
                if took > limit:
                    break
    return found, middles


def slope(found, method, letter):
    """The power by which seconds grow over a series as text; "" with fewer than two figures."""
    pairs = [(size, found[method, letter, size]) for size in SERIES[letter]
             if found.get((method, letter, size), 0.0) > 0]  # fmt: skip
    if len(pairs) < 2:
        return ""
    power = round(growth.exponent(*zip(*pairs, strict=True)), 1)
    return f"{power + 0.0:.1f}"  # -0.0, a slope of 0 but for rounding, becomes 0.0


def table(found, middles):
    """Rows of text: seconds at the middle and for most rows, slopes, memory, rand index."""
    most = SERIES["n"][-1]
    rows = [["", "s", f"s, {most} rows", *NAMES.values(), "MB", "rand index"]]
    for method, middle in middles.items():
        last = found.get((method, "n", most))
        rows.append(
            [
                method,
                f"{middle.seconds:.2f}",
                "" if last is None else f"{last:.2f}",
                *(slope(found, method, letter) for letter in SERIES),
                f"{middle.megabytes:.0f}",
                f"{middle.index:.2f}",
            ]
        )
    return rows


def picture(found, file):
    """Draw seconds over each of the four sizes, on logarithmic axes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained")
    axes = figure.subplots(1, 4, sharey=True)
    for at, (letter, sizes) in zip(axes, SERIES.items(), strict=True):
        for method in dict.fromkeys(name for name, _, _ in found):
            points = [(size, found[method, letter, size]) for size in sizes
                      if (method, letter, size) in found]  # fmt: skip
            if points:
                at.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=method)
        at.set_xlabel(NAMES[letter])
        at.set_xticks(sizes, [str(size) for size in sizes])
        at.minorticks_off()
    axes[0].set_ylabel("seconds of the processor")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=8)
    # Letters as text, and the same file for the same figures.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "slopes"}):
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def main():
    """Measure, print the table, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    found, middles = measured(given.methods, given.seconds)
    print("\n" + text_tables.markdown(table(found, middles)))
    if given.picture is not None:
        picture(found, given.picture)


if __name__ == "__main__":
    main()
