"""`kinfolk run`: clusters the user's related data sets, or a named one."""

import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from kinfolk import catalogue, deadlines
from kinfolk.cli import inputs, options, outputs, shown_command, terminal
from kinfolk.comparison import compare, rows, strategies
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.models import storage
from kinfolk.preparation import Preparation
from kinfolk.profiles import names as kind_names
from kinfolk.sources import paths
from kinfolk.tables import RelatedData
from kinfolk.tables import columns as kinds_of

Clusters = Annotated[
    list[str],
    typer.Option(
        help="Number of clusters: one number, one per task such as a=4,b=3, both such as 4,b=3 (4 "
        "for all but b), or auto, with which the method kinfolk finds it."
    ),
]
Method = Annotated[
    str,
    typer.Option(help="A method of `kinfolk methods`; kinfolk runs many and gives one answer."),
]
Budget = Annotated[
    float | None, typer.Option(help="kinfolk: seconds for all, from reading to the report.")
]
Jobs = Annotated[
    int | None,
    typer.Option(help="kinfolk: workers for its runs, -1 for all cores; the answer is the same."),
]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Labels = Annotated[
    str | None,
    typer.Option(help="Column of known classes, empty or -1 where unknown; not for all methods."),
]
Known = Annotated[
    Path | None,
    typer.Option("--knowledge", help="kt-mec: file with the centres of another site."),
]
Weighting = Annotated[
    str, typer.Option(help="Weights of terms, or of columns that count: counts or tfidf.")
]
StopWords = Annotated[
    str,
    typer.Option(
        help="Function words left out: english, smart, none, or a file with words of your own."
    ),
]
Ngrams = Annotated[
    int, typer.Option(min=1, help="Most words of a term: with 2, neighbouring words are terms too.")
]
Terms = Annotated[
    int, typer.Option(help="Number of terms to keep, those in most texts; 0 keeps all.")
]
Scale = Annotated[
    str | None,
    typer.Option(
        help="Scaling of the rows: none, unit or standard. Without it, that of the knowledge, unit "
        "for views, and none otherwise."
    ),
]
Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the method, name=value.")
]


NoRows = Annotated[
    bool,
    typer.Option(
        "--no-rows",
        help="Store a model without anything about single rows; see docs/privacy.md for the cost.",
    ),
]
Minimum = Annotated[
    int, typer.Option(min=1, help="Fewest rows of a cluster in a model without rows.")
]


def run(
    context: typer.Context,
    source: options.Source,
    clusters: Clusters,
    tasks: options.Tasks = None,
    method: Method = "kinfolk",
    budget: Budget = None,
    jobs: Jobs = None,
    out: Out = Path("kinfolk-report"),
    overwrite: options.Overwrite = False,
    text: options.Text = None,
    embeddings: options.Embeddings = None,
    target: options.Target = None,
    row_id: options.RowId = None,
    labels: Labels = None,
    views: options.Views = None,
    known: Known = None,
    weighting: Weighting = "counts",
    stop_words: StopWords = "english",
    terms: Terms = 2500,
    ngrams: Ngrams = 1,
    columns: options.Columns = "strict",
    scale: Scale = None,
    only: options.Only = None,
    ignore: options.Ignore = None,
    kinds: options.Kinds = None,
    missing: options.Missing = "impute",
    missing_views: options.MissingViews = "error",
    header: options.Header = True,
    names: options.Names = None,
    setting: Setting = None,
    data: options.Data = None,
    no_rows: NoRows = False,
    minimum: Minimum = storage.FEWEST,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster related data sets together; write labels, a model and a report."""
    end = _end(budget)
    given: dict[str, Any] = {"labels": labels, "views": views, "knowledge": known}
    given |= {"budget": budget, "jobs": jobs}
    # Before any row is read, because reading and counting large tables takes minutes.
    settings = _settings(method, clusters, setting, given)
    called = kind_names.parsed(names or [])
    preparation = _preparation(method, weighting, stop_words, terms, scale, ngrams)
    given_roles = (tasks, text, target, row_id, labels, views, embeddings)
    roles = dict(zip(inputs.ROLES, given_roles, strict=True))
    chosen = inputs.columns(only, ignore, kinds, missing, header)
    chosen |= {} if missing_views == "error" else {"missing_views": missing_views}
    with outputs.folder(out, overwrite), deadlines.ending(end):
        with terminal.bars(quiet):
            reading = rows.read(source, roles, columns, data, inputs.ROLES, **chosen)
            inputs.check_only(only, reading.data, roles.values())
            outputs.say_columns(reading.data)
            _say_ids(reading.data, row_id)
            found = compare(
                reading,
                **settings,
                knowledge=None if known is None else _knowledge(known, scale),
                preparation=preparation,
                random_state=seed,
                # Files of new rows have neither true nor known classes.
                roles=roles | {"target": None, "labels": None} | inputs.no_file(embeddings),
                command=shown_command.shown(context.obj),
                names=called,
            )
        outputs.finish(found, out, overwrite, rows=not no_rows, minimum=minimum)


def _end(budget: float | None) -> float:
    """Time at which the command must end; inf without a budget (or with a wrong one)."""
    usual = budget is not None and math.isfinite(budget) and budget > 0
    return deadlines.clock() + budget if usual and budget is not None else math.inf


def _say_ids(data: RelatedData, row_id: str | None) -> None:
    """Print which column could serve as row ids, if the user named none."""
    for column in data.columns or ():
        if row_id is None and column.kind == kinds_of.IDENTIFIER:
            named = set(zip(data.tasks.tolist(), column.values.tolist(), strict=True))
            if len(named) == len(data) and not column.gaps.any():
                name = shlex.quote(column.name)
                terminal.say(
                    f"{column.name!r} names the rows: with `--id {name}` so does labels.csv."
                )
                return


def _settings(
    method: str, clusters: list[str], setting: list[str] | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return method, numbers of clusters and parameters; InputError if options conflict."""
    number = inputs.clusters(clusters)
    if method in catalogue.installed.names():
        raise InputError(
            f"--method {method} is of another package, whose models a folder cannot hold: use "
            f'kinfolk.compare(..., method="{method}") from Python.'
        )
    strategies.check_options(catalogue.method(method), given, number, dashes="--")
    parameters = dict(inputs.parameter(text) for text in setting or [])
    if given["budget"] is not None:
        parameters["budget"] = given["budget"]
    if given["jobs"] is not None:
        parameters["n_jobs"] = given["jobs"]
    return {"method": method, "n_clusters": number, "parameters": parameters}


def _preparation(
    method: str, weighting: str, stop_words: str, terms: int, scale: str | None, ngrams: int
) -> Preparation:
    """Return how to prepare rows, scaled as the method needs unless a scale is given."""
    return Preparation(
        text_weighting=weighting,
        stop_words=_stop_words(stop_words),
        ngrams=ngrams,
        n_terms=terms or None,
        scale=scale or catalogue.method(method).relation.scale,
    )


def _stop_words(given: str) -> str | list[str]:
    """Return the name of a stop word list, or the words read from a file."""
    if given in Preparation.CHOICES["stop_words"] or not Path(given).is_file():
        return given
    return paths.read_bytes(Path(given)).decode("utf-8", "replace").split()


def _knowledge(file: Path, scale: str | None) -> Knowledge:
    """Read another site's centres; InputError if --scale differs from theirs."""
    known = Knowledge.load(file)
    if scale not in (None, known.scaling):
        raise InputError(
            f"--scale is {scale!r} and the rows behind {file} were scaled by {known.scaling!r}: "
            "leave --scale out, and these rows are scaled like those."
        )
    return known
