"""`kinfolk run`: cluster the user's related data sets, or a named one."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kinfolk import catalogue
from kinfolk.catalogue import Entry
from kinfolk.cli import inputs, knowledge, options, outputs, terminal
from kinfolk.comparison import comparison
from kinfolk.errors import InputError
from kinfolk.models import storage
from kinfolk.preparation import Preparation

Clusters = Annotated[
    list[str],
    typer.Option(help="A number, or task=number pairs divided by commas; auto: kinfolk finds it."),
]
Method = Annotated[
    str, typer.Option(help="See `kinfolk methods`; kinfolk asks many, for one answer.")
]
Budget = Annotated[
    float | None, typer.Option(help="kinfolk: seconds after which no further run begins.")
]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Labels = Annotated[
    str | None,
    typer.Option(help="kinfolk, lssttc: column of known classes, empty or -1 where unknown."),
]
Known = Annotated[
    Path | None, typer.Option("--knowledge", help="kt-mec: file of another site's centres.")
]
Weighting = Annotated[str, typer.Option(help="Terms: counts or tfidf.")]
StopWords = Annotated[str, typer.Option(help="Terms: english or none.")]
Terms = Annotated[int, typer.Option(help="Terms kept, by document frequency; 0: all.")]
Scale = Annotated[
    str | None,
    typer.Option(
        help="none, unit or standard; else that of the knowledge, unit for views, or none."
    ),
]
Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the method, name=value.")
]


def run(
    context: typer.Context,
    source: options.Source,
    clusters: Clusters,
    tasks: options.Tasks = None,
    method: Method = "kinfolk",
    budget: Budget = None,
    out: Out = Path("kinfolk-report"),
    text: options.Text = None,
    target: options.Target = None,
    row_id: options.RowId = None,
    labels: Labels = None,
    views: options.Views = None,
    known: Known = None,
    weighting: Weighting = "counts",
    stop_words: StopWords = "english",
    terms: Terms = 2500,
    columns: options.Columns = "strict",
    scale: Scale = None,
    setting: Setting = None,
    data: options.Data = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster related data sets together; write labels, a model and a report."""
    out, entry, number = outputs.folder(out), catalogue.method(method), inputs.clusters(clusters)
    preparation = Preparation(
        text_weighting=weighting,
        stop_words=None if stop_words == "none" else stop_words,
        n_terms=terms or None,
        scale=scale or entry.relation.scale,
    )
    given = {"labels": labels, "views": views, "knowledge": known, "budget": budget}
    _check_help(entry, given, number)
    parameters = dict(_pair(pair) for pair in setting or [])
    if budget is not None:
        parameters["budget"] = budget
    roles = dict(zip(inputs.ROLES, (tasks, text, target, row_id, labels, views), strict=True))
    with terminal.bars(quiet):
        found = inputs.read(source, roles, columns, data)
        if known is not None:
            told = knowledge.told(known, found.data.feature_names, scale)
            parameters["knowledge"] = told
            preparation = knowledge.preparation(told, preparation, found.data.texts is not None)
        study = comparison.study(
            found.data,
            method,
            number,
            preparation=preparation,
            parameters=parameters,
            labels=found.labels,
            random_state=seed,
            command=shlex.join(context.obj),
            notes=found.notes,
        )
    shown = outputs.settings(method, study.model.get_params(), preparation, seed)
    roles |= {"target": None, "labels": None}
    model = storage.Model(study.model, method, preparation, roles)
    outputs.keep(replace(study, settings=shown), model, out)


def _check_help(entry: Entry, given: dict[str, Any], number: Any) -> None:
    """InputError if the method cannot use what is given, or lacks a number of clusters."""
    if number == inputs.AUTO and not entry.relation.finds_n_clusters:
        raise InputError(
            f"{entry.name} cannot find the number of clusters itself: give --clusters a number or "
            "pairs such as a=4,b=3, or choose --method kinfolk."
        )
    for option, value in given.items():
        if value is not None and option not in entry.relation.options:
            able = [n for n, e in catalogue.METHODS.items() if option in e.relation.options]
            raise InputError(
                f"{entry.name} takes no --{option}: leave it out, or choose --method "
                f"{' or '.join(able)}."
            )


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
