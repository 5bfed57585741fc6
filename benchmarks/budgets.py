"""Seconds that `Kinfolk` and `kinfolk run` take with a budget, beside the limit of each case.

    python -m benchmarks.budgets [--most ROWS]

Made rows, as of `benchmarks.slopes`: groups that overlap, at other places in each task. Up to
`FROM_PYTHON` rows a budget is that of a fit from Python; above, of the command from its start to
the report, read from Parquet. The limit is 1.2 times the budget and 5 seconds, by the clock on the
wall. `load` is that clock over the processor's, about 1 on a machine without other work.
"""

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd

import kinfolk as kf
from benchmarks import slopes, text_tables

CASES = (
    (1_000, 20, 2, 3),
    (1_000, 20, 8, 10),
    (3_200, 20, 32, 10),
    (4_000, 50, 4, 20),
    (6_400, 20, 64, 20),
    (8_000, 20, 2, 3),
    (100_000, 20, 10, 30),
    (300_000, 20, 10, 40),
)
"""Rows, columns, tasks and seconds."""
CLUSTERS = 5
FROM_PYTHON = 10_000
"""Most rows of a fit from Python."""
RUN = "import sys, kinfolk_command; sys.exit(kinfolk_command.main())"


def limit(budget):
    """Most seconds that a call with a budget may take.

    >>> limit(40)
    53.0
    """
    return 1.2 * budget + 5.0


def fitted(X, tasks, budget):
    """Seconds on the wall and of the processor, and the fitted model."""
    begin = time.perf_counter()
    worked = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kf.Kinfolk(CLUSTERS, budget=budget, random_state=0).fit(X, tasks=tasks)
    return time.perf_counter() - begin, time.process_time() - worked, model


def commanded(X, tasks, budget, folder):
    """Wall and processor seconds, and the model, of `kinfolk run` on a Parquet file."""
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table.insert(0, "site", [f"s{t}" for t in tasks])
    table.to_parquet(folder / "rows.parquet", index=False)
    words = ["rows.parquet", "--tasks", "site", "--clusters", str(CLUSTERS), "--quiet"]
    before = os.times()
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", RUN, "run", *words, "--budget", str(budget)],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    seconds = time.perf_counter() - begin
    after = os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return seconds, worked, kf.load(folder / "kinfolk-report" / "model").estimator


def row(n, d, n_tasks, budget):
    """Run a case and return its row of text."""
    X, tasks, _ = slopes.made(n, d, n_tasks, CLUSTERS)
    if n <= FROM_PYTHON:
        seconds, worked, model = fitted(X, tasks, budget)
    else:
        with tempfile.TemporaryDirectory() as folder:
            seconds, worked, model = commanded(X, tasks, budget, Path(folder))
    joint = {record["family"] for record in model.evidence_ if record["joint"]}
    runs = {(r["family"], r["setting"], r["representation"], r["start"]) for r in model.evidence_}
    figures = [f"{seconds:.1f}", f"{limit(budget):.1f}", f"{seconds / worked:.1f}"]
    return [f"{n:,}", str(n_tasks), str(budget), *figures, str(len(runs)), str(len(joint))]


def main():
    """Run the cases, of so many rows at most, and print their table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=CASES[-1][0], metavar="ROWS")
    most = parser.parse_args().most
    rows = [["rows", "tasks", "budget", "seconds", "limit", "load", "runs", "joint methods"]]
    with contextlib.redirect_stderr(io.StringIO()):
        fitted(*slopes.made(200, 5, 2, 2)[:2], None)  # loads what a fit needs
    for case in [case for case in CASES if case[0] <= most]:
        rows.append(row(*case))
        print(*rows[-1], flush=True)
    print("\n" + text_tables.markdown(rows))


if __name__ == "__main__":
    main()
