"""Estimators and public functions that `benchmarks.hostile_calls` calls with hostile arguments.

A target is a name, its good arguments, and for each argument the pool that replaces it. `draw`
takes a target, one of its arguments (sometimes two) and a value from the pool.
"""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kinfolk as kf
from benchmarks import hostile_doors
from benchmarks import hostile_values as values
from benchmarks.hostile_models import QUICK, fitted_model
from benchmarks.hostile_values import COLUMNS, LABELS, NAMES, PARAMETERS, PATHS, TABLES, TASKS, X
from kinfolk import catalogue, datasets, measures
from kinfolk.datasets import makers

DOORS = 4
"""Times that each of `hostile_doors` counts among the targets."""

TWICE = 0.15
"""Share of calls with two hostile arguments."""


class Target(NamedTuple):
    """A function with good arguments, and a pool of hostile values for each."""

    name: str
    call: Callable[..., Any]
    good: dict[str, Callable[[], Any]]
    pools: dict[str, dict[str, Callable[[], Any]]]


class BadResultError(Exception):
    """A call returned something that is no valid result."""


def draw(target: Target, random: np.random.Generator) -> tuple[str, Callable[[], Any]]:
    """Return a description of a hostile call of a target, and the call."""
    arguments = list(target.pools)
    count = 2 if random.random() < TWICE and len(arguments) > 1 else 1
    chosen = [arguments[i] for i in random.choice(len(arguments), count, replace=False)]
    hostile = {}
    for argument in chosen:
        pool = target.pools[argument]
        hostile[argument] = list(pool)[random.integers(len(pool))]
    what = ", ".join(f"{argument}: {name}" for argument, name in hostile.items())

    def call() -> Any:
        given = {name: make() for name, make in target.good.items()}
        given |= {name: target.pools[name][value]() for name, value in hostile.items()}
        return target.call(**given)

    return what, call


@cache
def all_targets() -> list[Target]:
    """Return every estimator of the catalogue and every public function."""
    entries = [e for e in catalogue.METHODS.values() if e.cls.__module__.startswith("kinfolk")]
    doors = [Target(*door) for door in hostile_doors.targets(_table)]
    # A door counts several times, as there are many estimators and each door has many ways in.
    return [*map(_estimator, entries), *map(_fitted, entries), *_functions(), *doors * DOORS]


def _estimator(entry: Any) -> Target:
    """Target that constructs, fits and predicts with an estimator."""
    known = entry.cls().get_params(deep=False)
    quick = {name: value for name, value in QUICK.items() if name in known} | dict(entry.preset)
    of_tasks = entry.relation.of_tasks
    labelled = entry.relation == catalogue.KNOWN_LABELS

    def call(X: Any, tasks: Any, y: Any, **parameters: Any) -> None:
        model = entry.cls(**parameters)
        given = {"tasks": tasks} if of_tasks else {}
        model.fit(X, y, **given)
        _check(model.labels_, np.shape(model.labels_)[0])
        if hasattr(model, "predict"):
            n = np.shape(model.labels_)[0]
            again = model.predict(X, **given)
            if np.shape(again) != (n,):
                raise BadResultError(f"predict gave shape {np.shape(again)} for {n} rows")

    good = {name: (lambda value=value: value) for name, value in quick.items()}
    good |= {"X": lambda: X, "tasks": lambda: TASKS, "y": lambda: LABELS if labelled else None}
    pools = {"X": TABLES, **dict.fromkeys(known, PARAMETERS)}
    if of_tasks:
        pools["tasks"] = COLUMNS
    if labelled or entry.name == "kinfolk":
        pools["y"] = COLUMNS
    return Target(f"{entry.name}: fit", call, good, pools)


def _fitted(entry: Any) -> Target:
    """Target of a fitted model's methods."""
    of_tasks = entry.relation.of_tasks

    def call(
        X: Any, tasks: Any, labels: Any, name: Any, n_clusters: Any, fitted: Any, which: Any
    ) -> None:
        model = fitted_model(entry.name) if fitted else entry.make()
        if which == "predict":
            model.predict(X, **({"tasks": tasks} if of_tasks else {}))
        elif which == "transform":
            getattr(model, "transform", model.predict)(X)
        elif which == "match" and callable(getattr(model, "match", None)):
            model.match(labels, tasks)
        elif which == "add_task" and hasattr(model, "add_task"):
            model = entry.make(**model.get_params(deep=False)).fit(X=values.X, tasks=TASKS)
            model.add_task(X, name, n_clusters)
        elif which == "counterparts":
            getattr(model, "counterparts_", None)
        elif which == "set_params":
            model.get_params()
            entry.make().set_params(**{str(name): n_clusters})

    good = {
        "X": lambda: X,
        "tasks": lambda: TASKS,
        "labels": lambda: np.zeros(len(X), dtype=int),
        "name": lambda: "sea",
        "n_clusters": lambda: 2,
        "fitted": lambda: True,
    }
    methods = ["predict", "transform", "match", "add_task", "counterparts", "set_params"]
    pools = {
        "X": TABLES,
        "tasks": COLUMNS,
        "labels": COLUMNS,
        "name": PARAMETERS,
        "n_clusters": PARAMETERS,
        "fitted": {"no": lambda: False},
    }
    good["which"] = lambda: "predict"
    pools["which"] = {name: (lambda name=name: name) for name in methods}
    return Target(f"{entry.name}: fitted", call, good, pools)


def _check(labels: Any, n: int) -> None:
    """BadResultError unless labels are whole numbers from 0."""
    if np.shape(labels) != (n,) or np.asarray(labels).dtype.kind not in "iu":
        raise BadResultError(f"labels of shape {np.shape(labels)}")
    if n and not 0 <= np.min(labels) <= np.max(labels) < n:
        raise BadResultError(f"labels from {np.min(labels)} to {np.max(labels)}")


@cache
def _related() -> Any:
    return makers.make_related_blobs(8, n_features=4, random_state=0)


@cache
def _comparison() -> Any:
    return kf.compare(X, tasks=TASKS, n_clusters=2, method="joint-spectral")


@cache
def _table() -> Path:
    path = Path(tempfile.mkdtemp()) / "t.csv"
    rows = [",".join(map(str, [*row, task])) for row, task in zip(X, TASKS, strict=True)]
    path.write_text("\n".join([",".join([*NAMES, "site"]), *rows]))
    return path


@cache
def _stored() -> Path:
    folder = Path(tempfile.mkdtemp()) / "model"
    kf.save(fitted_model("per-task"), folder)
    return folder


def _functions() -> list[Target]:
    """Return the public functions, each with good arguments."""
    table = {"X": lambda: X}
    column = {"tasks": lambda: TASKS}
    truth = {"truth": lambda: values.TRUTH, "labels": lambda: values.TRUTH}
    pair = {"X": lambda: X, "labels": lambda: values.TRUTH}
    blobs = {"data": _related}
    made = {"n_samples": lambda: 10, "random_state": lambda: 0}

    def target(
        call: Callable[..., Any],
        good: dict[str, Callable[[], Any]],
        tables: tuple[str, ...] = (),
        columns: tuple[str, ...] = (),
        parameters: tuple[str, ...] = (),
        paths: tuple[str, ...] = (),
        name: str = "",
    ) -> Target:
        pools = {
            **dict.fromkeys(tables, TABLES),
            **dict.fromkeys(columns, COLUMNS),
            **dict.fromkeys(parameters, PARAMETERS),
            **dict.fromkeys(paths, PATHS),
        }
        return Target(name or call.__qualname__, call, good, pools)

    search = {
        "estimator": lambda: kf.MEC(random_state=0),
        "grid": lambda: {"n_clusters": [2, 3]},
        "n_starts": lambda: 2,
        "random_state": lambda: 0,
    }
    compare = {
        "source": lambda: X,
        "n_clusters": lambda: 2,
        "tasks": lambda: TASKS,
        "method": lambda: "joint-spectral",
    }
    return [
        target(
            kf.compare,
            compare,
            ("source",),
            ("tasks", "target", "labels"),
            (
                "n_clusters",
                "method",
                "views",
                "knowledge",
                "preparation",
                "parameters",
                "random_state",
                "roles",
                "names",
                "command",
            ),
        ),
        target(
            kf.search,
            {**search, **table, **column},
            ("X",),
            ("tasks", "y"),
            ("estimator", "grid", "n_starts", "references", "random_state", "columns_are_scaled"),
        ),
        target(
            kf.suggest_clusters,
            {**table, **column, "at_most": lambda: 3, "random_state": lambda: 0},
            ("X",),
            ("tasks",),
            ("at_most", "random_state", "columns_are_scaled"),
        ),
        target(kf.describe, {"table": values.frame}, ("table",), ("tasks",), ("kinds",)),
        target(
            kf.profile,
            {"source": values.frame, "kinds": lambda: values.TRUTH},
            ("source",),
            ("kinds", "tasks"),
            ("names",),
        ),
        target(
            lambda a, b, columns="strict": kf.stack({"lab": a, "field": b}, columns),
            {"a": lambda: X, "b": lambda: X},
            ("a", "b"),
            (),
            ("columns",),
            name="stack",
        ),
        target(kf.stack, {"tables": lambda: {"lab": X}}, (), (), ("tables",), name="stack (all)"),
        target(
            lambda a, b: kf.join({"lab": a, "field": b}),
            {"a": lambda: X, "b": lambda: X},
            ("a", "b"),
            name="join",
        ),
        target(kf.join, {"views": lambda: {"v": X}}, (), (), ("views",), name="join (all)"),
        target(kf.by_task, {"values": lambda: X, **column}, ("values",), ("tasks",)),
        target(
            kf.read,
            {"paths": _table, "tasks": lambda: "site"},
            (),
            (),
            (
                "tasks",
                "text",
                "target",
                "row_id",
                "labels",
                "views",
                "columns",
                "only",
                "ignore",
                "kinds",
                "missing",
                "header",
            ),
            ("paths",),
        ),
        target(
            kf.save,
            {
                "model": lambda: fitted_model("per-task"),
                "folder": lambda: tempfile.mkdtemp() + "/m",
            },
            (),
            (),
            ("model",),
            ("folder",),
        ),
        target(kf.load, {"folder": _stored}, paths=("folder",)),
        target(measures.accuracy, truth, (), ("truth", "labels")),
        target(measures.nmi, truth, (), ("truth", "labels"), ("average",)),
        target(measures.rand_index, truth, (), ("truth", "labels")),
        target(measures.adjusted_rand_index, truth, (), ("truth", "labels")),
        target(measures.davies_bouldin, pair, ("X",), ("labels",)),
        target(measures.dunn, pair, ("X",), ("labels",)),
        target(measures.silhouette, pair, ("X",), ("labels",), ("metric",)),
        target(measures.silhouette_samples, pair, ("X",), ("labels",), ("metric",)),
        target(measures.mmd, {**table, **column}, ("X",), ("tasks",), ("kernel", "bandwidth")),
        target(
            lambda tasks, truth, labels: measures.per_task(measures.nmi, tasks, truth, labels),
            {**column, **truth},
            (),
            ("tasks", "truth", "labels"),
            name="per_task",
        ),
        target(
            makers.make_related_blobs,
            made,
            (),
            (),
            ("n_samples", "n_features", "n_clusters", "n_tasks", "shift", "shared", "separation"),
        ),
        target(
            makers.make_related_documents,
            made,
            (),
            (),
            (
                "n_samples",
                "n_terms",
                "n_clusters",
                "n_tasks",
                "shared",
                "own_terms",
                "own_share",
                "purity",
                "length",
                "random_state",
            ),
        ),
        target(datasets.load, {"name": lambda: "penguins"}, (), (), ("name",), ("data",)),
        target(
            datasets.cut,
            {**blobs, "task": lambda: "task-0", "n": lambda: 5},
            (),
            (),
            ("data", "task", "n", "random_state"),
        ),
        target(
            datasets.unequal,
            {**blobs, "sizes": lambda: {"task-0": 5}},
            parameters=("data", "sizes", "random_state"),
        ),
        target(datasets.with_noise, {**blobs, "n_rows": lambda: 5}, (), (), ("data", "n_rows")),
        target(
            datasets.shuffled_features,
            {**blobs, "task": lambda: "task-0"},
            (),
            (),
            ("data", "task", "random_state"),
        ),
        target(catalogue.method, {"name": lambda: "mec"}, (), (), ("name",)),
        target(
            lambda data, **given: kf.Preparation(**given).fit_transform(data),
            blobs,
            (),
            (),
            ("data", "text_weighting", "stop_words", "n_terms", "scale"),
            name="Preparation.fit_transform",
        ),
        target(
            kf.Knowledge.of,
            {"estimator": lambda: fitted_model("kt-mec"), "minimum_cluster_size": lambda: 1},
            (),
            (),
            ("estimator", "feature_names", "scaling", "center", "spread", "minimum_cluster_size"),
        ),
        target(
            kf.Knowledge,
            {"cluster_centers": lambda: X[:2], "cluster_weights": lambda: np.array([8.0, 8.0])},
            ("cluster_centers",),
            (),
            ("cluster_weights", "feature_names", "scaling", "center", "spread"),
        ),
        target(kf.Knowledge.load, {}, paths=("path",)),
        target(
            lambda folder: _comparison().save(folder),
            {"folder": lambda: tempfile.mkdtemp() + "/out"},
            paths=("folder",),
            name="Comparison.save",
        ),
        target(
            kf.compare,
            {**compare, "source": values.frame, "method": lambda: "per-task"},
            (),
            ("tasks", "target", "labels"),
            (
                "text",
                "row_id",
                "embeddings",
                "columns",
                "only",
                "ignore",
                "kinds",
                "missing",
                "missing_views",
                "header",
            ),
            name="compare (frame)",
        ),
    ]
