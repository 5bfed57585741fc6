"""Compares exact updates with multiplicative ones at equal objective.

Both descend from the same start. Multiplicative sweeps are counted until the objective is as low as
where the exact ones ended, but for a share of 1e-4.
"""

import argparse
import os
import time

from sklearn.datasets import load_iris, load_wine

from benchmarks import text_tables
from kinfolk import LSSMTC, MTCMRL, SoftKMeans, SymNMF
from kinfolk.datasets import load
from kinfolk.preparation import Preparation

HEADING = ["case", "exact sweeps", "exact s", "multiplicative sweeps", "s", "times faster", "J"]
LEVEL = 1e-4
"""Objectives this close, as a share, are equal."""
ONE = {"n_init": 1, "random_state": 0}


def cases(directory):
    """Yield title, estimator factory, rows and tasks of each case.

    Memberships are mixed on both sides, as the multiplicative step has them.
    """
    iris = load_iris().data
    wine = load_wine().data
    yield "SymNMF, iris, cosines", lambda **p: SymNMF(3, affinity="cosine", **ONE, **p), iris, None
    yield "SymNMF, wine, cosines", lambda **p: SymNMF(3, affinity="cosine", **ONE, **p), wine, None
    for name, X in (("iris", iris), ("wine", wine)):
        yield f"SoftKMeans, {name}", lambda **p: SoftKMeans(3, mixed=True, **ONE, **p), X, None
    data = load("webkb4", directory)
    X = Preparation(scale="unit").fit_transform(data)
    yield "LSSMTC, WebKB4", lambda **p: LSSMTC(4, mixed=True, **ONE, **p), X, data.tasks
    yield "MTCMRL, WebKB4", lambda **p: MTCMRL(4, **ONE, **p), X, data.tasks


def fitted(make, X, tasks, **parameters):
    """Fit an estimator; return it and its seconds."""
    model = make(**parameters)
    start = time.process_time()
    model.fit(X) if tasks is None else model.fit(X, tasks=tasks)
    return model, time.process_time() - start


def row(title, make, X, tasks, sweeps):
    """Table entries of one case, with at most this many multiplicative sweeps."""
    exact, seconds = fitted(make, X, tasks)
    goal = exact.objective_trace_[-1]
    printed, spent = fitted(make, X, tasks, update="multiplicative", max_iter=sweeps, tol=0.0)
    trace = printed.objective_trace_
    low = trace <= goal * (1 + LEVEL)
    cells = [title, exact.n_iter_, f"{seconds:.2f}"]
    if not low.any():
        above = trace[-1] / goal - 1
        return [*cells, f"> {printed.n_iter_}", f"> {spent:.2f}", "-", f"{above:.0%} above"]
    reached = int(low.argmax())
    spent *= reached / printed.n_iter_
    return [*cells, reached, f"{spent:.2f}", f"{spent / seconds:.1f}", "equal"]


def main():
    """Print the table; seconds are those of the processor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("KINFOLK_DATA", "."))
    parser.add_argument("--sweeps", type=int, default=3000)
    asked = parser.parse_args()
    rows = [row(*case, asked.sweeps) for case in cases(asked.data)]
    print(text_tables.markdown([HEADING, *([str(cell) for cell in line] for line in rows)]))


if __name__ == "__main__":
    main()
