"""`kinfolk run`: cluster the user's related data sets, or a named one."""

import json
import re
import shlex
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from kinfolk import catalogue, datasets, sources, storage
from kinfolk.cli import outcome, terminal
from kinfolk.errors import InputError
from kinfolk.experiments import comparison
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

ROLES = {"tasks": "--tasks", "text": "--text", "target": "--target", "row_id": "--id"}
OWN_OPTIONS = {"n_clusters": "--clusters", "random_state": "--seed"}


def run(
    context: typer.Context,
    source: Annotated[
        list[str],
        typer.Argument(help="A table with a task column, several files (each a task), or a name."),
    ],
    clusters: Annotated[
        list[str], typer.Option(help="A number, or task=number pairs divided by commas.")
    ],
    tasks: Annotated[str | None, typer.Option(help="Column that names the task of a row.")] = None,
    method: Annotated[str, typer.Option(help="See `kinfolk methods`.")] = "mtcfir",
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-report"),
    text: Annotated[str | None, typer.Option(help="Column of texts to turn into terms.")] = None,
    target: Annotated[str | None, typer.Option(help="Column of true classes, to score.")] = None,
    row_id: Annotated[str | None, typer.Option("--id", help="Column that names a row.")] = None,
    weighting: Annotated[str, typer.Option(help="Terms: counts or tfidf.")] = "counts",
    stop_words: Annotated[str, typer.Option(help="Terms: english or none.")] = "english",
    terms: Annotated[int, typer.Option(help="Terms kept, by document frequency; 0: all.")] = 2500,
    columns: Annotated[
        str, typer.Option(help="Tables that differ: strict, intersect or union.")
    ] = "strict",
    scale: Annotated[str, typer.Option(help="none, unit or standard.")] = "none",
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the method, name=value.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Data directory; else KINFOLK_DATA.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="For every random draw.")] = 0,
    quiet: Annotated[bool, typer.Option(help="No progress bars.")] = False,
) -> None:
    """Cluster related data sets together; write labels, a model and a report."""
    preparation = Preparation(
        text_weighting=weighting,
        stop_words=None if stop_words == "none" else stop_words,
        n_terms=terms or None,
        scale=scale,
    )
    out, entry = outcome.folder(out), catalogue.method(method)
    parameters = dict(_pair(pair) for pair in setting or [])
    roles = dict(zip(ROLES, (tasks, text, target, row_id), strict=True))
    with terminal.bars(quiet):
        table, notes = _read(source, roles, columns, data)
        k = _clusters(clusters)
        shown = catalogue.tasks_estimator(entry, k, seed, **parameters).get_params()
        study = comparison.study(
            table,
            method,
            k,
            preparation=preparation,
            parameters=parameters,
            random_state=seed,
            settings=outcome.settings(method, shown, preparation, seed),
            command=shlex.join(context.obj),
            notes=notes,
        )
    model = storage.Model(study.model, method, preparation, {**roles, "target": None})
    outcome.keep(study, model, out)


def _read(
    source: list[str], roles: dict[str, str | None], columns: str, data: Path | None
) -> tuple[RelatedData, list[str]]:
    """A named data set, or files."""
    if len(source) == 1 and not Path(source[0]).suffix and not Path(source[0]).exists():
        given = [ROLES[role] for role, column in roles.items() if column is not None]
        if given and source[0] in datasets.AVAILABLE:
            raise InputError(f"{source[0]} is a named data set and takes no {', '.join(given)}.")
        if given:
            raise InputError(f"There is no file {source[0]}: check its name and its ending.")
        return datasets.load(source[0], data), []
    return sources.read(source, columns=columns, **roles)


def _clusters(given: list[str]) -> Any:
    """One number, or task -> number."""
    if len(given) == 1 and "=" not in given[0]:
        return _whole(given[0])
    found: dict[str, int] = {}
    for part in chain.from_iterable(re.split(r"(?<=\d)\s*,", item) for item in given):
        task, equals, number = part.rpartition("=")
        if not equals or task.strip() in found:
            raise InputError(
                f"--clusters names {task.strip() or part!r} twice or without a number; give a "
                "number such as 4, or one for each task such as a=4,b=3."
            )
        found[task.strip()] = _whole(number)
    return found


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"--clusters has {text!r}; give a number such as 4, or pairs such as a=4,b=3."
        ) from None


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals:
        raise InputError(f"--set has {text!r}; give a name and a value such as noise=0.7.")
    if name in OWN_OPTIONS:
        raise InputError(f"--set has {text!r}; say this by {OWN_OPTIONS[name]}.")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except ValueError:
        return name, value
