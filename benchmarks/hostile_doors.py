"""Doors of Kinfolk beyond `fit` and `predict`, for `benchmarks.hostile_calls`.

Rows in blocks, weights of rows, missing views, families of the user, pipelines, displays, models
that are saved and loaded, and command lines.
"""

import io
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

import kinfolk as kf
from benchmarks.hostile_models import fitted_model
from benchmarks.hostile_values import COLUMNS, PARAMETERS, PATHS, TABLES, TASKS, TRUTH, D, N, X

WEIGHTS = {
    **COLUMNS,
    **PARAMETERS,
    "ones": lambda: np.ones(N),
    "zeros": lambda: np.zeros(N),
    "one weight": lambda: np.eye(N)[3],
    "negative weight": lambda: np.arange(N) - 1.0,
    "huge weights": lambda: np.full(N, 1e308),
    "tiny weights": lambda: np.full(N, 5e-324),
    "infinite weight": lambda: np.where(np.arange(N) == 2, np.inf, 1.0),
}
"""Weights of 16 rows."""


class Broken(ClusterMixin, BaseEstimator):
    """A clusterer whose labels are its parameter `labels`, or that raises."""

    def __init__(self, n_clusters: int = 2, labels: Any = None) -> None:
        self.n_clusters = n_clusters
        self.labels = labels

    def fit(self, X: Any, y: Any = None) -> "Broken":
        """Set the labels."""
        if isinstance(self.labels, str) and self.labels == "error":
            raise ValueError("a refusal of the user's clusterer")
        if not isinstance(self.labels, str) or self.labels != "none":
            self.labels_ = self.labels
        return self


FAMILIES = {
    **PARAMETERS,
    **{
        f"labels {name}": (lambda make=make: ["mec", Broken(labels=make())])
        for name, make in PARAMETERS.items()
    },
    "error": lambda: [Broken(labels="error"), "mec"],
    "no labels": lambda: [Broken(labels="none")],
    "labels too short": lambda: [Broken(labels=[0, 1])],
    "labels of all rows": lambda: [Broken(labels=TRUTH)],
    "labels of NaN": lambda: [Broken(labels=np.full(N // 2, np.nan))],
    "noise alone": lambda: [Broken(labels=np.full(N // 2, -1))],
    "pairs": lambda: [("a", Broken(labels=np.zeros(N // 2, int))), ("a", kf.MEC())],
    "a class": lambda: [Broken],
    "twice": lambda: ["mec", "mec"],
    "itself": lambda: [kf.Kinfolk(2)],
    "a fitted model": lambda: [_kinfolk()],
}
"""Families of base clusterings of `Kinfolk`."""


def with_gaps(*cells: tuple[Any, Any]) -> Any:
    """Return the rows with NaN in these cells."""
    table = X.copy()
    for place in cells:
        table[place] = np.nan
    return table


GAPS = {
    **TABLES,
    "a view of one row": lambda: with_gaps((3, slice(0, 2))),
    "half a view": lambda: with_gaps((3, 0)),
    "a whole view": lambda: with_gaps((slice(None), slice(0, 2))),
    "a view of a task": lambda: with_gaps((slice(0, N // 2), slice(0, 2))),
    "all but one row of a view": lambda: with_gaps((slice(1, None), slice(0, 2))),
    "a row without views": lambda: with_gaps((3, slice(None))),
    "no row with both views": lambda: with_gaps(
        (slice(0, 5), slice(0, 2)), (slice(5, None), slice(2, 4))
    ),
}
"""Tables of two views, of which rows may lack one."""

VIEWS = {
    **PARAMETERS,
    "two": lambda: {"a": slice(0, 2), "b": [2, 3]},
    "a step of zero": lambda: {"a": slice(0, 2, 0), "b": [2, 3]},
    "slices of texts": lambda: {"a": slice("a", "b"), "b": [2, 3]},
    "twice": lambda: {"a": [0, 0, 1], "b": [2, 3]},
    "overlap": lambda: {"a": [0, 1, 2], "b": [2, 3]},
    "a view without columns": lambda: {"a": slice(0, 4), "b": []},
    "a float": lambda: {"a": [0.0, 1.0], "b": [2, 3]},
    "marks": lambda: {"a": np.arange(D) < 2, "b": np.arange(D) >= 2},
    "a name of None": lambda: {None: [0, 1], "b": [2, 3]},
    "names that cannot be sorted": lambda: {1: [0, 1], "b": [2, 3]},
}
"""Views of four columns."""


@cache
def _kinfolk() -> Any:
    return kf.Kinfolk(2, families=["mec"], random_state=0).fit(X, tasks=TASKS)


@cache
def _compared() -> Any:
    return kf.compare(X, tasks=TASKS, n_clusters=2, method="joint-spectral")


def in_blocks(method: str, **given: Any) -> None:
    """Cluster rows in blocks by a method."""
    rows = kf.Blocks(**given)
    models = {
        "mec": kf.MEC(2, random_state=0, n_init=1),
        "per-task": kf.PerTask(kf.MEC(2, random_state=0, n_init=1)),
        "symnmf": kf.SymNMF(2, affinity="cosine", random_state=0, n_init=1, max_iter=5),
        "lssmtc": kf.LSSMTC(2, n_components=2, random_state=0, n_init=1, max_iter=5),
    }
    models[method].fit(rows).predict(rows)


def weighted(method: str, X: Any, tasks: Any, sample_weight: Any) -> None:
    """Fit with weights of rows."""
    few = {"n_init": 1, "random_state": 0}
    alone = {
        "mec": kf.MEC(2, **few),
        "kt-mec": kf.KTMEC(2, **few),
        "soft-kmeans": kf.SoftKMeans(2, max_iter=5, **few),
        "symnmf": kf.SymNMF(2, max_iter=5, **few),
        "cf": kf.ConceptFactorization(2, max_iter=5, **few),
    }
    together = {
        "per-task": kf.PerTask(alone["mec"]),
        "pooled": kf.Pooled(alone["mec"]),
        "lssmtc": kf.LSSMTC(2, n_components=2, max_iter=5, **few),
        "mtcmrl": kf.MTCMRL(2, max_iter=5, **few),
    }
    if method in alone:
        alone[method].fit(X, sample_weight=sample_weight)
    else:
        together[method].fit(X, tasks=tasks, sample_weight=sample_weight)


def of_families(families: Any, X: Any, tasks: Any, **parameters: Any) -> None:
    """Fit and use `Kinfolk` with families of the user."""
    model = kf.Kinfolk(2, families=families, random_state=0, **parameters).fit(X, tasks=tasks)
    model.predict(X, tasks=tasks)


def of_views(X: Any, views: Any, tasks: Any, budget: Any, n_jobs: Any) -> None:
    """Fit and use `Kinfolk` of views."""
    model = kf.Kinfolk(2, views=views, budget=budget, n_jobs=n_jobs, random_state=0)
    model.fit(X, tasks=tasks).predict(X, tasks=tasks)


def piped(which: str, X: Any, tasks: Any, y: Any, kind: Any) -> None:
    """Call `transform`, `score` or `fit_transform`, as a pipeline of scikit-learn does."""
    model = _kinfolk()
    if which == "transform":
        model.transform(X, tasks=tasks)
    elif which == "score":
        model.score(X, y, tasks=tasks)
    else:
        again = kf.Kinfolk(2, families=["mec"], random_state=0).set_output(transform=kind)
        again.fit_transform(X, tasks=tasks)


def displayed(which: str, model: Any, tasks: Any, X: Any, ax: Any, option: Any) -> None:
    """Plot a display, and close its figure."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    calls = {
        "numbers": lambda: kf.ClusterNumbersDisplay.from_suggestions(model, ax=ax),
        "evidence": lambda: kf.EvidenceDisplay.from_estimator(model, ax=ax),
        "matched": lambda: kf.MatchedClustersDisplay.from_estimator(model, tasks, ax=ax),
        "profiles": lambda: kf.ProfilesDisplay.from_estimator(
            model, X, tasks, columns=option, ax=ax
        ),
        "of profiles": lambda: kf.ProfilesDisplay.from_profiles(model, columns=option, ax=ax),
        "relatedness": lambda: kf.RelatednessDisplay.from_estimator(model, kind=option, ax=ax),
        "rows": lambda: kf.RowsDisplay.from_estimator(model, X, tasks, projection=option, ax=ax),
        "scores": lambda: kf.ScoresDisplay.from_comparison(model, measure=option, ax=ax),
    }
    try:
        calls[which]()
    finally:
        pyplot.close("all")


def kept(name: str, rows: Any, X: Any, tasks: Any) -> None:
    """Save a fitted model, load it, and assign rows."""
    from kinfolk import catalogue

    folder = tempfile.mkdtemp() + "/m"
    kf.save(fitted_model(name), folder, rows=rows)
    given = {"tasks": tasks} if catalogue.METHODS[name].relation.of_tasks else {}
    kf.load(folder).estimator.predict(X, **given)


WORDS = {
    **{str(i): (lambda v=v: v) for i, v in enumerate(["", " ", "-1", "0", "1.5", "1e400", "nan"])},
    **{
        v: (lambda v=v: v)
        for v in ("auto", "site", "a", "a,b", "--help", "-", "\x1b[31m", "é" * 99)
    },
    "half a character": lambda: "\ud800",
    "no such file": lambda: "no/such.csv",
    "a folder": lambda: ".",
    "a character 0": lambda: "a\0b",
    "a device": lambda: "/dev/zero",
    "braces": lambda: "{x} %s [bold]",
    "json": lambda: '{"a": [1]}',
    "pair": lambda: "lab=2,field=3",
    "setting": lambda: "n_init=-1",
}
"""Words of a command line."""

OPTIONS = {
    "run": "--tasks --clusters --method --ignore --views --id --text --target --scale --budget "
    "--jobs --set --labels --knowledge --missing-views --only --seed --embeddings --columns",
    "suggest": "--tasks --at-most --views --id --text --scale --seed",
    "assign": "--tasks --out --id",
    "methods": "",
    "datasets": "",
    "results": "",
    "name": "",
    "knowledge": "",
}
"""Command -> options that take a value."""


def typed(command: str, source: str, option: int, word: str, more: str) -> None:
    """Run a command line in this process, in a folder of its own."""
    from kinfolk.cli import main

    options = OPTIONS[command].split()
    words = [command, source]
    if command in ("run", "suggest"):
        words += ["--tasks", "site"]
    if command == "run":
        words += ["--clusters", "2", "--method", "per-task", "--out", tempfile.mkdtemp() + "/out"]
    if options:
        words += [options[option % len(options)], word]
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        code = main([*words, *([more] if more else [])])
    if code == 1 or "Traceback" in said.getvalue():
        raise AssertionError(f"code {code}: {said.getvalue()[-200:]}")


def _names(*names: str) -> dict[str, Any]:
    return {name: (lambda name=name: name) for name in names}


def targets(table: Any) -> list[tuple[str, Any, dict[str, Any], dict[str, Any]]]:
    """Return name, call, good arguments and pools of each door; `table` makes a file of rows."""
    rows = {"X": lambda: X}
    column = {"tasks": lambda: TASKS}
    sources = {**TABLES, **PATHS, "list of tables": lambda: [X, X[:3]], "a file": table}
    return [
        (
            "Blocks",
            in_blocks,
            {"method": lambda: "mec", "source": lambda: X},
            {
                "method": _names("per-task", "symnmf", "lssmtc"),
                "source": sources,
                "columns": PARAMETERS,
                "tasks": COLUMNS,
                "sample_weight": WEIGHTS,
                "block_rows": PARAMETERS,
                "engine": PARAMETERS,
            },
        ),
        (
            "sample_weight",
            weighted,
            {"method": lambda: "mec", "sample_weight": lambda: np.ones(N), **rows, **column},
            {
                "method": _names(
                    *("kt-mec", "soft-kmeans", "symnmf", "cf"),
                    *("per-task", "pooled", "lssmtc", "mtcmrl"),
                ),
                "X": TABLES,
                "tasks": COLUMNS,
                "sample_weight": WEIGHTS,
            },
        ),
        (
            "families",
            of_families,
            {"families": lambda: ["mec"], **rows, **column},
            {"families": FAMILIES, "X": TABLES, "budget": PARAMETERS, "n_jobs": PARAMETERS},
        ),
        (
            "views",
            of_views,
            {
                "views": lambda: {"a": slice(0, 2), "b": [2, 3]},
                "budget": lambda: None,
                "n_jobs": lambda: None,
                **rows,
                **column,
            },
            {"X": GAPS, "views": VIEWS, "tasks": COLUMNS, "budget": PARAMETERS},
        ),
        (
            "pipelines",
            piped,
            {"which": lambda: "transform", "y": lambda: TRUTH, "kind": lambda: None}
            | {**rows, **column},
            {
                "which": _names("score", "set_output"),
                "X": TABLES,
                "tasks": COLUMNS,
                "y": COLUMNS,
                "kind": PARAMETERS,
            },
        ),
        (
            "displays",
            displayed,
            {"which": lambda: "rows", "model": _kinfolk, "ax": lambda: None}
            | {"option": lambda: "principal", **rows, **column},
            {
                "which": _names(
                    "numbers", "evidence", "matched", "profiles", "of profiles", "relatedness"
                ),
                "model": {**PARAMETERS, "not fitted": lambda: kf.MEC(), "comparison": _compared},
                "ax": PARAMETERS,
                "option": PARAMETERS,
                "X": TABLES,
                "tasks": COLUMNS,
            },
        ),
        (
            "save and load",
            kept,
            {"name": lambda: "per-task", "rows": lambda: True, **rows, **column},
            {
                "name": _names(*_own_names()),
                "rows": PARAMETERS,
                "X": TABLES,
                "tasks": COLUMNS,
            },
        ),
        (
            "command line",
            typed,
            {"command": lambda: "run", "source": lambda: str(table()), "option": lambda: 0}
            | {"word": lambda: "site", "more": lambda: ""},
            {
                "command": _names(*OPTIONS),
                "source": WORDS,
                "option": {str(i): (lambda i=i: i) for i in range(18)},
                "word": WORDS,
                "more": WORDS,
            },
        ),
    ]


def _own_names() -> list[str]:
    from kinfolk import catalogue

    return [e.name for e in catalogue.METHODS.values() if e.cls.__module__.startswith("kinfolk")]
