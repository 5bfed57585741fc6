"""Accuracy of every method with its defaults on ordinary tables, beside k-means.

    python -m benchmarks.defaults --data DIR --runs FOLDER [--only NAME ...] [--methods NAME ...]
    python -m benchmarks.defaults --runs FOLDER --markdown FILE [--before OTHER]

The first makes the runs that are not yet in the folder, one file each, so that it may be stopped
and several may work side by side; the second writes the tables of all that are there. With both
--data and --markdown it does one after the other. OTHER has the runs of another version. True
numbers of clusters are given, nothing else.

    alone     k-means (10 starts) of each task, the yardstick
    pooled    k-means (10 starts) of all rows, with the largest number of clusters of a task
    *         more than .05 below alone, on the same tasks
"""

import json
import re
import time

import numpy as np
from sklearn.cluster import KMeans

from benchmarks import folders, ordinary, text_tables
from kinfolk.errors import InputError
from kinfolk.measures import accuracy

SETS = ("iris", "wine", "wine raw", "cancer", "digits", "digits/16", "penguins", "olive", "vowel",
        "heart", "webkb4", "reuters", "mfeat")  # fmt: skip
YARDSTICKS = ("alone", "pooled")
ALLOWED = 0.05
"""How far below k-means of each task a method may stay."""


def main():
    """Make the runs, then write the tables."""
    parser = folders.parser(__doc__, SETS, [*YARDSTICKS, *ordinary.METHODS], seeds=5)
    folders.work(parser.parse_args(), _make, _page)


def _make(given):
    """Make the runs that are missing."""
    folders.make(
        given,
        lambda name, folder: ordinary.SETS[name](folder),
        lambda name, method, seed, data: measured(method, data, seed),
        lambda found: f"{found['seconds']:.1f} s",
    )


def measured(method, data, seed):
    """Accuracy of one default fit per task, with warnings, or its refusal."""
    begin = time.perf_counter()
    found = {"accuracy": {}, "warnings": [], "refusal": ""}
    if method in YARDSTICKS:
        labels = {"alone": _alone, "pooled": _pooled}[method](data, seed)
        judged = data.names
    else:
        try:
            fit = ordinary.fitted(method, data, seed)
            labels = fit.model.labels_
            data = fit.data
            judged = fit.judged
            found["warnings"] = fit.warnings
        except InputError as error:
            found["refusal"] = str(error)
            judged = []
    for task in judged:
        rows = data.rows(task)
        found["accuracy"][task] = accuracy(data.target[rows], labels[rows])
    return {**found, "seconds": time.perf_counter() - begin}


def _alone(data, seed):
    labels = np.empty(len(data.tasks), dtype=int)
    for task, k in data.n_clusters.items():
        rows = data.rows(task)
        labels[rows] = KMeans(k, n_init=10, random_state=seed).fit_predict(data.X[rows])
    return labels


def _pooled(data, seed):
    k = max(data.n_clusters.values())
    return KMeans(k, n_init=10, random_state=seed).fit_predict(data.X)


class Cell:
    """Runs of one method on one data set, to be compared with k-means per task."""

    def __init__(self, folder, name, method):
        self.runs = [
            json.loads(place.read_text())
            for seed in range(100)
            if (place := folders.file(folder, name, method, seed)).exists()
        ]
        self.warnings = list(dict.fromkeys(w for run in self.runs for w in run["warnings"]))
        self.refusal = next((run["refusal"] for run in self.runs if run["refusal"]), "")
        scored = [run["accuracy"] for run in self.runs if run["accuracy"]]
        self.tasks = list(scored[0]) if scored else []
        self.mean = self.over(self.tasks)

    def over(self, tasks):
        """Mean accuracy over these tasks and all seeds."""
        values = [run["accuracy"][t] for run in self.runs for t in tasks if run["accuracy"]]
        return float(np.mean(values)) if values else np.nan

    def below(self, alone):
        """True if it is below k-means on the same tasks by more than the allowed margin."""
        return self.mean < alone.over(self.tasks) - ALLOWED

    def shown(self, alone):
        """Format the accuracy, with a star if below; a dash if the method refused."""
        if not self.runs:
            return ""
        if not self.tasks:
            return "-"
        return f"{self.mean:.3f}{'*' if self.below(alone) else ''}"


def _page(folder, before=None):
    """Markdown page: accuracies, cells below k-means, and warnings."""
    names = [name for name in SETS if Cell(folder, name, "alone").runs]
    alone = {name: Cell(folder, name, "alone") for name in names}
    rows = [["", *names]]
    rows += [
        [f"k-means {side}", *(f"{Cell(folder, name, side).mean:.3f}" for name in names)]
        for side in YARDSTICKS
    ]
    below = []
    for method in ordinary.METHODS:
        cells = {name: Cell(folder, name, method) for name in names}
        if any(cell.runs for cell in cells.values()):
            rows.append([method, *(cell.shown(alone[name]) for name, cell in cells.items())])
        below += [
            (method, name, cell)
            for name, cell in cells.items()
            if cell.refusal or cell.below(alone[name])
        ]
    seeds = max(len(cell.runs) for cell in alone.values())
    silent = sum(not (cell.refusal or cell.warnings) for _, _, cell in below)
    stars = sum(not cell.refusal for _, _, cell in below)
    summary = (
        f"Means over tasks and up to {seeds} seeds. {stars} cells are more than {ALLOWED} "
        f"below k-means of each task (*), {silent} of them without a warning. A dash is a refusal."
    )
    parts = [text_tables.markdown(rows), summary]
    if before is not None:
        parts.append(_compared(names, before, folder))
    return "\n\n".join([*parts, _said(below, alone), _legend(names)]) + "\n"


def _compared(names, before, now):
    """Rows by method: means over common data sets before and now, and cells below."""
    rows = [["", "accuracy, before", "accuracy, now", "cells below, before", "cells below, now"]]
    for method in ordinary.METHODS:
        pairs = {
            name: [
                (Cell(place, name, method), Cell(place, name, "alone")) for place in (before, now)
            ]
            for name in names
        }
        both = [pair for pair in pairs.values() if all(cell.tasks for cell, _ in pair)]
        if not both:
            continue
        means = [np.mean([pair[side][0].mean for pair in both]) for side in (0, 1)]
        stars = [sum(pair[side][0].below(pair[side][1]) for pair in both) for side in (0, 1)]
        rows.append([method, *(f"{mean:.3f}" for mean in means), *map(str, stars)])
    return text_tables.markdown(rows)


def _said(below, alone):
    """Rows with an example of each message and the cells below k-means that have it."""
    examples = {}
    cells = {}
    for method, name, cell in below:
        gap = cell.mean - alone[name].over(cell.tasks)
        shown = f"{name} refused" if cell.refusal else f"{name} {gap:+.3f}"
        for words in [cell.refusal] if cell.refusal else cell.warnings or ["nothing"]:
            form = _form(words)
            examples.setdefault(form, " ".join(words.split()).replace("|", "/"))
            of_method = cells.setdefault(form, {}).setdefault(method, [])
            if shown not in of_method:
                of_method.append(shown)
    lines = [["what is said, for example", "by which methods, on which data (against k-means)"]]
    lines += [["---"] * 2]
    for form, methods in sorted(cells.items(), key=lambda item: -sum(map(len, item[1].values()))):
        where = "; ".join(f"{method}: {', '.join(names)}" for method, names in methods.items())
        lines.append([examples[form], where])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _form(sentence):
    """First words of a message without names and numbers, the same for alike messages."""
    return re.sub(r"'[^']*'|\d[\d.]*|\b[A-Z]\w+", "", sentence)[:40]


def _legend(names):
    lines = [f"- `{name}`: {ordinary.WHAT[name]}" for name in names]
    left = [f"- left out: `{name}`; {why}" for name, why in ordinary.LEFT_OUT.items()]
    return "\n".join([*lines, *left])


if __name__ == "__main__":
    main()
