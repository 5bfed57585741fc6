"""Compares the answer without labels with the best that labels would choose.

    python -m benchmarks.labelfree --data DIR --runs FOLDER [--only NAME ...] [--seeds 5]
    python -m benchmarks.labelfree --runs FOLDER --markdown FILE

The first makes the runs that are not yet in the folder, one file each, so that it may be stopped
and several may work side by side; the second writes the table of all that are there. Labels judge,
and choose the yardsticks; Kinfolk does not see them.

    answer, own    accuracy of `labels_` and `own_labels_`
    setting        the candidate setting with the best mean accuracy, picked WITH labels
    single         the same among settings that see one task at a time
    papers'        the same without our two spectral families, which no paper has
    published      the same among k-means and SymNMF alone, the single-task methods of the papers
    worst task     the least answer - own of a task, by its mean over seeds, and of a single seed
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

import kinfolk as kf
from benchmarks import heldout, text_tables
from benchmarks.related.recording import RecordedKinfolk
from kinfolk.datasets import alterations
from kinfolk.disk import writing
from kinfolk.errors import MissingDataError
from kinfolk.measures import accuracy
from kinfolk.preparation import Preparation

NAMED = ("webkb4", "reuters", "20newsgroups", "compvssci", "recvstalk", "handdigits",
         "digits-two-sources")  # fmt: skip
ASIDE = ("3sources-tasks", "orl-faces-rotated", "simulated-transfer-x1", "simulated-transfer-x2")
"""Further sets of several tasks."""
ANEW = tuple(f"{name}-anew" for name in kf.datasets.ADVERSARIAL)
"""Adversarial cases with other rows, made once the rule stood."""
GROUPS = {"named": NAMED, "adversarial": tuple(kf.datasets.ADVERSARIAL), "aside": ASIDE,
          "adversarial cases made anew": ANEW, "held out": tuple(heldout.SETS)}  # fmt: skip
ROWS_A_CLASS = {"20newsgroups": 60, "compvssci": 300, "recvstalk": 300, "handdigits": 60}
"""Rows of each class of a task that are drawn, always the same, to save time."""
POSITIONS = ("changed_rows", "refused_rows")
"""What the records of the guard say of single rows, which is not stored."""
ALONE = ("kmeans", "symnmf")
OURS = ("spectral", "joint-spectral")


def main():
    """Make the runs, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    if given.markdown is not None:
        writing.write_atomically(given.markdown, _page(given.runs).encode())
        return
    given.runs.mkdir(parents=True, exist_ok=True)
    for seed in range(given.seeds):
        for name in given.only or [name for names in GROUPS.values() for name in names]:
            place = given.runs / f"{name}-{seed}.json"
            if place.exists():
                continue
            try:
                data = _data(name, given.data)
            except MissingDataError as error:
                print(f"{name}: {error}")
                continue
            found = measured(data, seed)
            writing.write_atomically(place, json.dumps(found).encode())
            print(f"{name} {seed}: {found['seconds']:.0f} s", flush=True)


def _data(name, folder):
    if name in ANEW:
        return kf.datasets.ADVERSARIAL[name.removesuffix("-anew")](random_state=3)
    if name in heldout.SETS:
        return heldout.SETS[name](folder)
    data = kf.datasets.load(name, folder)
    rows = ROWS_A_CLASS.get(name)
    return data if rows is None else heldout.drawn(data, rows, 0)


def measured(data, seed):
    """Accuracy per task of one fit, and of every candidate."""
    names = data.task_names
    rows = {name: np.flatnonzero(data.tasks == name) for name in names}
    k = {name: len(np.unique(data.target[rows[name]])) for name in names}
    k = {name: max(k.values()) if number == 1 else number for name, number in k.items()}
    X = Preparation().fit_transform(data)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RecordedKinfolk(k, random_state=seed).fit(X, tasks=data.tasks)
    seconds = time.perf_counter() - begin

    def judged(labels):
        return {
            name: accuracy(data.target[rows[name]], labels[rows[name]])
            for name in names
            if name != alterations.NOISE and (labels[rows[name]] >= 0).all()
        }

    second = {
        str(name): accuracy(data.target[rows[name]], labels)
        for name, labels in model.second_labels_.items()
    }
    # A fit sorts its rows by their content: `back` gives them in the order of the table.
    back = np.argsort(model.given_rows_)
    runs = [{**run.candidate.described(), "accuracy": judged(run.labels[back])}
            for run in model.fitted_]  # fmt: skip
    guard = [
        {key: value for key, value in record.items() if key not in POSITIONS}
        for record in model.guard_
    ]
    return {
        "answer": judged(model.labels_), "own": judged(model.own_labels_), "second": second,
        "runs": runs, "guard": guard, "seconds": seconds, "rows": len(data),
    }  # fmt: skip


def _best(runs, tasks, wanted=lambda run: True):
    """Best mean accuracy of a setting that ran on all tasks."""
    settings = {}
    for run in runs:
        if wanted(run) and set(tasks) <= set(run["accuracy"]):
            mean = np.mean([run["accuracy"][task] for task in tasks])
            settings.setdefault((run["family"], run["setting"], run["representation"]), []).append(
                mean
            )
    return max((np.mean(means) for means in settings.values()), default=np.nan)


def _line(found):
    tasks, runs = list(found["answer"]), found["runs"]
    answer, own = (np.mean(list(found[side].values())) for side in ("answer", "own"))
    setting, single = _best(runs, tasks), _best(runs, tasks, lambda run: not run["joint"])
    papers = _best(runs, tasks, lambda run: run["family"] not in OURS)
    alone = _best(runs, tasks, lambda run: not run["joint"] and run["family"] not in OURS)
    published = _best(runs, tasks, lambda run: run["family"] in ALONE)
    return [answer, own, setting, answer / setting, papers, answer / papers, answer - own,
            answer - single, answer - alone, answer - published, found["seconds"]]  # fmt: skip


TITLES = ("data", "answer", "own", "setting", "answer / setting", "papers' setting",
          "answer / papers' setting", "answer - own", "answer - single", "answer - papers' single",
          "answer - published", "seconds", "worst task", "in one seed")  # fmt: skip


def _worst(seeds):
    """Lowest gain of the answer over the own answer of a task: mean over seeds, and in one seed."""
    gaps = np.array([[f["answer"][task] - f["own"][task] for task in f["answer"]] for f in seeds])
    return [gaps.mean(axis=0).min(), gaps.min()]


def _page(folder):
    """Markdown tables per group of data sets: means, and the worst of all tasks."""
    parts = []
    for group, names in GROUPS.items():
        lines = []
        for name in names:
            seeds = [json.loads(f.read_text()) for f in sorted(folder.glob(f"{name}-[0-9].json"))]
            if seeds:
                means = np.mean([_line(found) for found in seeds], axis=0)
                lines.append((f"{name} ({len(seeds)})", [*means, *_worst(seeds)]))
        if not lines:
            continue
        every = np.array([line for _, line in lines])
        mean = [*every[:, :-2].mean(axis=0), *every[:, -2:].min(axis=0)]
        shown = [[name, *_shown(line)] for name, line in [*lines, ("mean", mean)]]
        parts.append(f"### {group}\n\n" + text_tables.markdown([list(TITLES), *shown]))
    return "\n\n".join(parts) + "\n"


def _shown(line):
    signed = {6, 7, 8, 9, 11, 12}
    return [f"{v:.0f}" if i == 10 else f"{v:+.3f}" if i in signed else f"{v:.3f}"
            for i, v in enumerate(line)]  # fmt: skip


if __name__ == "__main__":
    main()
