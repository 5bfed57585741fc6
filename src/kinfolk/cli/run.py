"""`kinfolk run`: cluster the user's related data sets, or a named one."""

import json
import re
import shlex
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from kinfolk import catalogue, datasets, sources, storage
from kinfolk.catalogue import Entry
from kinfolk.cli import knowledge, options, outcome, terminal
from kinfolk.errors import InputError
from kinfolk.experiments import comparison
from kinfolk.preparation import Preparation

ROLES = {
    "tasks": "--tasks",
    "text": "--text",
    "target": "--target",
    "row_id": "--id",
    "labels": "--labels",
    "views": "--views",
}
Source = Annotated[
    list[str],
    typer.Argument(help="A table with a task column, several files (each a task), or a name."),
]
Clusters = Annotated[
    list[str], typer.Option(help="A number, or task=number pairs divided by commas.")
]
Method = Annotated[str, typer.Option(help="See `kinfolk methods`.")]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Labels = Annotated[
    str | None, typer.Option(help="lssttc: column of known classes, empty or -1 where unknown.")
]
Views = Annotated[
    str | None,
    typer.Option(help="comvcf: `files`, each is a view of the same rows, or pix=pix_*,fou=fou_*."),
]
Known = Annotated[
    Path | None, typer.Option("--knowledge", help="kt-mec: file of another site's centres.")
]
Weighting = Annotated[str, typer.Option(help="Terms: counts or tfidf.")]
StopWords = Annotated[str, typer.Option(help="Terms: english or none.")]
Terms = Annotated[int, typer.Option(help="Terms kept, by document frequency; 0: all.")]
Columns = Annotated[str, typer.Option(help="Tables that differ: strict, intersect or union.")]
Scale = Annotated[
    str | None,
    typer.Option(
        help="none, unit or standard; else that of the knowledge, unit for views, or none."
    ),
]
Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the method, name=value.")
]
Data = Annotated[
    Path | None, typer.Option(help="Data directory; else KINFOLK_DATA.", show_default=False)
]


def run(
    context: typer.Context,
    source: Source,
    clusters: Clusters,
    tasks: options.Tasks = None,
    method: Method = "mtcfir",
    out: Out = Path("kinfolk-report"),
    text: options.Text = None,
    target: options.Target = None,
    row_id: options.RowId = None,
    labels: Labels = None,
    views: Views = None,
    known: Known = None,
    weighting: Weighting = "counts",
    stop_words: StopWords = "english",
    terms: Terms = 2500,
    columns: Columns = "strict",
    scale: Scale = None,
    setting: Setting = None,
    data: Data = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster related data sets together; write labels, a model and a report."""
    out, entry = outcome.folder(out), catalogue.method(method)
    preparation = Preparation(
        text_weighting=weighting,
        stop_words=None if stop_words == "none" else stop_words,
        n_terms=terms or None,
        scale=scale or ("unit" if entry.relation == "several views" else "none"),
    )
    _check_help(entry, {"labels": labels, "views": views, "knowledge": known})
    parameters = dict(_pair(pair) for pair in setting or [])
    roles = dict(zip(ROLES, (tasks, text, target, row_id, labels, views), strict=True))
    with terminal.bars(quiet):
        found = _read(source, roles, columns, data)
        if known is not None:
            told = knowledge.told(known, found.data.feature_names, scale)
            parameters["knowledge"] = told
            preparation = knowledge.preparation(told, preparation, found.data.texts is not None)
        study = comparison.study(
            found.data,
            method,
            _clusters(clusters),
            preparation=preparation,
            parameters=parameters,
            labels=found.labels,
            random_state=seed,
            command=shlex.join(context.obj),
            notes=found.notes,
        )
    shown = outcome.settings(method, study.model.get_params(), preparation, seed)
    roles |= {"target": None, "labels": None}
    model = storage.Model(study.model, method, preparation, roles)
    outcome.keep(replace(study, settings=shown), model, out)


HELP = {
    "labels": "tasks with labels",
    "views": "several views",
    "knowledge": "another site's centres",
}
"""What an option gives to methods of one relation only."""


def _check_help(entry: Entry, given: dict[str, Any]) -> None:
    """InputError if the method cannot use the help that is given."""
    for option, relation in HELP.items():
        if given[option] is not None and entry.relation != relation:
            able = [name for name, e in catalogue.METHODS.items() if e.relation == relation]
            raise InputError(
                f"{entry.name} takes no --{option}: leave it out, or choose --method "
                f"{' or '.join(able)}."
            )


def _read(
    source: list[str], roles: dict[str, str | None], columns: str, data: Path | None
) -> sources.Reading:
    """A named data set, or files."""
    if len(source) == 1 and not Path(source[0]).suffix and not Path(source[0]).exists():
        given = [ROLES[role] for role, column in roles.items() if column is not None]
        if given and source[0] in datasets.AVAILABLE:
            raise InputError(f"{source[0]} is a named data set and takes no {', '.join(given)}.")
        if given:
            raise InputError(f"There is no file {source[0]}: check its name and its ending.")
        return sources.Reading(datasets.load(source[0], data), [])
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
    if name in options.OF_PARAMETERS:
        raise InputError(f"--set has {text!r}; say this by {options.OF_PARAMETERS[name]}.")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except ValueError:
        return name, value
