"""Compares each descent's default end with that after ten times as many sweeps.

    python -m benchmarks.convergence --data DIR --runs FOLDER [--only SET ...] [--methods NAME ...]
    python -m benchmarks.convergence --runs FOLDER --markdown FILE [--before OTHER]

The first makes the runs that are not yet in the folder, one file each, so that it may be stopped
and several may work side by side; the second writes the table of all that are there. With both
--data and --markdown it does one after the other. OTHER has the runs of another version, whose
figures stand beside the summary.

Each run is one start (n_init=1) with the default `max_iter` and `tol`, and again from the same
start with ten times the sweeps that it took and tol=0. Of three starts the one that ends lowest is
the answer of a fit with n_init=3: the table shows its sweeps, bold where it does not pass, and in
brackets the labels that change in the worst of the three, where these are more than 1 %.

    sweeps     of the default run; of a method that is fitted to each task, the most of a task
    fall       by which share of itself J, summed over tasks, falls with ten times more sweeps
    labels     rows whose label changes, after the clusters of each task are matched: some methods
               number them anew at the end (MultiNMF by k-means)
    rises      sweeps of either run in which J rose
    passes     J falls by less than .1 %, at most 1 % of the labels change, and J never rises
"""

import json
import time

import numpy as np

from benchmarks import folders, ordinary, text_tables
from kinfolk import catalogue, measures
from kinfolk.errors import InputError

SETS = ("webkb4", "reuters", "mfeat", "iris", "iris raw", "wine", "digits")
ROWS_A_CLASS = {"webkb4": 20, "mfeat": 12, "digits": 12}
"""Rows of each class of a task that are drawn, always the same, to save time."""
SEEDS = 3
MORE = 10
FALL = 0.1
LABELS = 1.0
"""The most by which J, and the most labels that, may change, in %."""


def descends(name):
    """True for our methods that take sweeps."""
    cls = catalogue.method(name).cls
    ours = cls.__module__.startswith("kinfolk")
    # MTL-GMM has no objective: its penalty changes from sweep to sweep.
    return ours and name != "mtl-gmm" and {"max_iter", "tol"} <= set(cls().get_params(deep=False))


METHODS = [name for name in ordinary.METHODS if descends(name)]


def main():
    """Make the runs, then write the table."""
    folders.work(folders.parser(__doc__, SETS, METHODS).parse_args(), _make, _page)


def _make(given):
    """Make the runs that are missing."""

    def measure(name, method, seed, data):
        return [measured(method, data, start) for start in range(SEEDS)]

    folders.make(given, _data, measure, lambda found: found[0]["refusal"] or "done")


def _data(name, folder):
    data = ordinary.SETS[name](folder)
    return ordinary.drawn(data, ROWS_A_CLASS[name]) if name in ROWS_A_CLASS else data


def measured(method, data, seed):
    """Compare the default descent from one start with one of ten times as many sweeps."""
    begin = time.process_time()
    try:
        first = ordinary.fitted(method, data, seed, n_init=1)
    except InputError as error:
        return {"refusal": str(error)}
    seconds = time.process_time() - begin
    sweeps = int(first.model.n_iter_)
    more = ordinary.fitted(method, data, seed, n_init=1, max_iter=max(1, MORE * sweeps), tol=0.0)
    before = float(first.model.objective_trace_[-1])
    after = float(more.model.objective_trace_[-1])
    return {
        "refusal": "", "sweeps": sweeps, "seconds": seconds,
        "converged": bool(first.model.converged_), "objective": before,
        "fall": 100 * (before - after) / abs(before) if before else 0.0,
        "labels": 100 * moved(first.model.labels_, more.model.labels_, first.data.tasks),
        "rises": first.rises + more.rises,
    }  # fmt: skip


def moved(before, after, tasks):
    """Share of rows whose cluster changes, with clusters matched one to one in each task.

    >>> moved(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]), np.array(["a"] * 4))
    0.25
    """
    kept = 0
    for task in dict.fromkeys(tasks.tolist()):
        rows = tasks == task
        kept += measures.accuracy(before[rows], after[rows]) * rows.sum()
    return float(1.0 - kept / len(tasks))


def passes(run):
    """True if J never rises, and more sweeps change J and labels by at most FALL and LABELS %."""
    return run["fall"] < FALL and run["labels"] <= LABELS and not run["rises"]


def _cell(runs):
    """Sweeps of the start that ends lowest; bold if it does not pass, with labels of the worst."""
    if runs[0]["refusal"]:
        return "refused"
    kept = min(runs, key=lambda run: run["objective"])
    rises = sum(run["rises"] for run in runs)
    labels = max(run["labels"] for run in runs)
    text = f"{kept['sweeps']} ({labels:.1f} %)" if labels > LABELS else str(kept["sweeps"])
    return text if passes({**kept, "rises": rises}) else f"**{text}**"


def _stored(folder, name):
    """Stored runs of a data set in the folder: {method: runs}."""
    places = {method: folders.file(folder, name, method) for method in METHODS}
    return {
        method: json.loads(place.read_text()) for method, place in places.items() if place.exists()
    }


def _page(folder, before=None):
    """A summary of all sets, then a table of all methods on all sets."""
    stored = {name: found for name in SETS if (found := _stored(folder, name))}
    methods = [name for name in METHODS if any(name in found for found in stored.values())]
    cells = [
        [name, *(_cell(found[name]) if name in found else "" for found in stored.values())]
        for name in methods
    ]
    table = text_tables.markdown([["sweeps", *stored], *cells])
    return f"{_summary(list(stored), folder, before)}\n\n{table}\n"


def _summary(names, folder, before):
    """Table by data set: methods that pass and median changes, also of an older folder."""
    sides = [("", folder)] if before is None else [(", before", before), (", now", folder)]
    titles = ("pass", "fall of J, %", "labels, %", "rises")
    rows = [["", *(f"{title}{side}" for title in titles for side, _ in sides)]]
    for name in names:
        found = [_figures(_stored(place, name)) for _, place in sides]
        rows.append([name, *(figure for pair in zip(*found, strict=True) for figure in pair)])
    return f"Of each set: methods that pass, medians over methods.\n\n{text_tables.markdown(rows)}"


def _figures(stored):
    """Figures of one set: methods that pass, median fall and labels, all rises."""
    measured = [runs for runs in stored.values() if not runs[0]["refusal"]]
    if not measured:
        return ["", "", "", ""]
    kept = [min(runs, key=lambda run: run["objective"]) for runs in measured]
    rises = [sum(run["rises"] for run in runs) for runs in measured]
    passed = [passes({**run, "rises": n}) for run, n in zip(kept, rises, strict=True)]
    fall = np.median([run["fall"] for run in kept])
    labels = np.median([run["labels"] for run in kept])
    return [f"{sum(passed)} of {len(kept)}", f"{fall:.2g}", f"{labels:.1f}", str(sum(rises))]


if __name__ == "__main__":
    main()
