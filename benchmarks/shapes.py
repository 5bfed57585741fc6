"""Tests the rule for one covariance of all tasks on simulated tables.

    python -m benchmarks.shapes --runs FOLDER [--tables 36] [--first 0] [--markdown FILE]

Table number i is of the kind `KINDS[i % 6]`, drawn with random state i. Each is clustered once with
a guard that refuses nothing and notes what the guard would have seen; so its figures are those of
the shape in all its tasks, and any guard can be judged on them (`RULES`). Tables in which no shape
makes clusters clearer are as they are with any guard; they are left out.
"""

import json
import warnings
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

import kinfolk as kf
from benchmarks import folders, text_tables
from kinfolk.choosing import mixtures, shared_metric
from kinfolk.measures import accuracy

KINDS = (
    "one shape",
    "one shape, close clusters",
    "a shape for each task",
    "a shape for each cluster",
    "half of it for each cluster",
    "classes of two parts",
)
HARM = 0.02
"""A task that loses more accuracy is harmed."""


class Made(NamedTuple):
    """Simulated rows X (n, d) with tasks (n,) and classes (n,)."""

    X: np.ndarray
    tasks: np.ndarray
    target: np.ndarray


def table(number):
    """Long clusters of 2 to 4 tasks at the same places in each, but for a shift of the task."""
    random = np.random.RandomState(number)
    kind = KINDS[number % len(KINDS)]
    close = kind not in KINDS[::2] or kind == "half of it for each cluster"
    d = random.randint(5, 11) if close else random.randint(3, 9)
    k = random.randint(3, 9)
    distance = random.uniform(1.8, 3.2) if close else random.uniform(2.5, 5.0)
    means = random.normal(size=(k, d))
    means *= distance / np.sqrt(np.square(means).sum(axis=1).mean())
    common = _root(random, d)
    X, tasks, target = [], [], []
    for task in range(random.randint(2, 5)):
        of_task = _root(random, d) if kind == "a shape for each task" else common
        shift = 2 * random.normal(size=d)
        for c in range(k):
            n = random.randint(8, 60)
            root = _of_cluster(kind, of_task, random)
            places = np.tile(means[c], (n, 1))
            if kind == "classes of two parts":
                places[n // 2 :] = means[c] + 0.8 * distance * root[0]
            X.append(places + shift + random.normal(size=(n, d)) @ root.T)
            tasks += [f"task {task + 1}"] * n
            target += [f"class {c + 1}"] * n
    return Made(np.vstack(X), np.array(tasks), np.array(target))


def _root(random, d):
    """Square root (d, d) of a random correlation matrix."""
    root = np.eye(d) + 0.6 * random.normal(size=(d, d))
    return root / np.sqrt(np.square(root).sum(axis=1))[:, None]


def _of_cluster(kind, root, random):
    if kind == "a shape for each cluster":
        return _root(random, len(root))
    if kind == "half of it for each cluster":
        return (root + _root(random, len(root))) / 2
    return root


def measured(made, seed=0):
    """Accuracy gain per task by the shared covariance, and what guards see; None if not tried.

    Returns
    -------
    gains : [task], accuracy less that of the own answer
    D : [task], gain in agreement between tasks
    agreement : of the starts
    """
    seen = {}
    gains = shared_metric.agreement_gains

    def noted(states, scorers, labels):
        seen["D"] = gains(states, scorers, labels).tolist()
        return np.ones(len(states))

    def taken(_, agreement):
        seen["agreement"] = agreement
        return True

    k = {str(t): len(set(made.target[made.tasks == t])) for t in np.unique(made.tasks)}
    noting = mock.patch.multiple(shared_metric, agreement_gains=noted, supported=taken)
    # The own answers of the page are without mixtures, which find many of these clusters, too.
    alone = mock.patch.object(mixtures, "improve", return_value=None)
    with noting, alone, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kf.Kinfolk(k, random_state=seed).fit(made.X, tasks=made.tasks)
    if not seen:
        return None
    found = []
    for rows in (made.tasks == t for t in np.unique(made.tasks)):
        y = made.target[rows]
        own = accuracy(y, model.own_labels_[rows])
        found.append(accuracy(y, model.labels_[rows]) - own)
    return {"gains": found, **seen}


RULES = {
    "none": lambda _D, _agreement: True,
    "mean D > .01": lambda D, _: shared_metric.accepted(D),
    "mean D > .05": lambda D, _: shared_metric.accepted(D) and D.mean() > 0.05,
    "as it is": shared_metric.supported,
}
"""Guards: do they take the shape, given D (T,) and the agreement of the starts?"""


def page(runs):
    """Markdown tables of gains and harm by rule and kind of table."""
    heading = ["tables", "number", "guard", "taken", "mean gain", "harmed tasks", "worst set"]
    rows = []
    for kind in ("all", *KINDS):
        chosen = [run for run in runs if kind in ("all", run["kind"])]
        for rule in RULES if kind == "all" else ("none", "as it is"):
            if chosen:
                rows.append([kind, str(len(chosen)), rule, *_figures(chosen, rule)])
    return text_tables.markdown([heading, *rows]) + "\n"


def _figures(runs, rule):
    """Number of tables changed, mean gain, tasks harmed, and the worst."""
    gains = [_gains(run, rule) for run in runs]
    harmed = sum(int((each < -HARM).sum()) for each in gains)
    means = np.array([each.mean() for each in gains])
    taken = sum(bool(each.any()) for each in gains)
    number = sum(map(len, gains))
    return [str(taken), f"{means.mean():+.3f}", f"{harmed} of {number}", f"{means.min():+.3f}"]


def _gains(run, rule):
    """Gain (T,) of the tasks by a guard; without one every task follows."""
    D = np.array(run["D"])
    gains = np.array(run["gains"])
    if not RULES[rule](D, run["agreement"]):
        return np.zeros(len(D))
    return gains if rule == "none" else np.where(D > 0, gains, 0.0)


def main():
    """Make the runs that are missing, then write the table of all that are there."""
    parser = folders.parser(__doc__, (), ())
    parser.add_argument("--tables", type=int, default=36)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    given.runs.mkdir(parents=True, exist_ok=True)
    for number in range(given.first, given.first + given.tables):
        place = folders.file(given.runs, "shapes", number)
        if not place.exists():
            kind = KINDS[number % len(KINDS)]
            found = {"kind": kind, "found": measured(table(number))}
            folders.write(place, found, f"{number} {kind}: {found['found']}")
    text = page(stored(given.runs))
    print(text)
    if given.markdown is not None:
        Path(given.markdown).write_text(text, encoding="utf-8")


def stored(folder):
    """Load the runs of a folder in which a shape was found, with the kind of the table."""
    runs = [json.loads(place.read_text()) for place in sorted(folder.glob("shapes_*.json"))]
    return [{"kind": run["kind"], **run["found"]} for run in runs if run["found"]]


if __name__ == "__main__":
    main()
