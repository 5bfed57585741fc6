"""`kinfolk knowledge`: what a model knows, in one file that another site may have."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kinfolk import sources
from kinfolk.cli import options, terminal
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.knowledge import MINIMUM, Knowledge
from kinfolk.models import storage
from kinfolk.preparation import Preparation, state

knowledge = typer.Typer(
    help="Centres of clusters that may travel to another site, without any row.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(help="A file that `kinfolk knowledge export` wrote.")]


@knowledge.command("export")
def export(
    model: options.Model,
    out: Annotated[Path, typer.Option(help="File to write, such as lab.safetensors.")],
    task: Annotated[
        str | None, typer.Option(help="The task to tell of, if it has several.")
    ] = None,
    minimum: Annotated[
        int, typer.Option(min=1, help="Rows that must stand behind a centre that leaves.")
    ] = MINIMUM,
) -> None:
    """Write the centres of one task, without any row; small clusters stay here."""
    stored = storage.load(model)
    estimator = _of_task(stored.estimator, task)
    known = Knowledge.of(estimator, minimum_cluster_size=minimum, **_scale(stored.preparation))
    known.save(out)
    if small := len(estimator.cluster_centers_) - len(known):
        terminal.say(f"{small} clusters with fewer than {minimum} rows stay here.")
    terminal.say(
        f"{len(known)} centres of {known.cluster_centers.shape[1]} columns are in {out}; "
        f"`kinfolk knowledge inspect {out}` shows all of it."
    )


@knowledge.command("inspect")
def inspect(file: File) -> None:
    """Print all that the file holds, which is exactly what leaves the house."""
    typer.echo(Knowledge.load(file).contents(), nl=False)


@knowledge.command("check")
def check(
    file: File,
    tables: Annotated[
        list[str] | None, typer.Argument(help="Tables whose columns it must fit.")
    ] = None,
    tasks: options.Tasks = None,
    target: options.Target = None,
    row_id: options.RowId = None,
) -> None:
    """Tell whether a file is sound, and whether its columns are those of a table."""
    known = Knowledge.load(file)
    said = f"{file} is sound: {len(known)} centres of {known.cluster_centers.shape[1]} columns"
    if tables:
        data, *_ = sources.read(tables, tasks=tasks, target=target, row_id=row_id)
        if data.X is None:
            raise InputError("the tables hold texts; prepare them as the source did, as numbers.")
        if not known.feature_names:
            raise InputError(f"{file} names no columns: ask for it with names.")
        known.aligned(data.feature_names)
        said += ", which the tables have"
    typer.echo(f"{said}.")


def told(file: Path, names: tuple[str, ...], scale: str | None) -> Knowledge:
    """Return what another site tells, on the columns `names` of a table; () for texts.

    Raises
    ------
    InputError : its columns are others, or `scale` is not what was done to the rows behind it
    """
    known = Knowledge.load(file)
    if scale not in (None, known.scaling):
        raise InputError(
            f"--scale is {scale!r} and the rows behind {file} were scaled by {known.scaling!r}: "
            "leave --scale out, and these rows are scaled like those."
        )
    if not names and (not known.feature_names or known.scaling == "standard"):
        raise InputError(f"{file} tells of columns of numbers, and the rows are texts.")
    if not names or known.feature_names:
        return known.aligned(names or known.feature_names)
    if len(names) != (d := known.cluster_centers.shape[1]):
        raise InputError(
            f"{file} tells of {d} columns without names and the table has {len(names)}: give the "
            "same columns in the same order, or ask for it with names."
        )
    return replace(known, feature_names=names)


def preparation(known: Knowledge, asked: Preparation, texts: bool) -> Preparation:
    """Return what is to be done to rows before they meet centres of another site.

    Raises
    ------
    InputError : `asked` weighs terms, which nobody did to the rows behind the centres
    """
    if texts and asked.text_weighting != "counts":
        raise InputError(
            f"--weighting is {asked.text_weighting!r} and the knowledge is of counts of terms: "
            "leave --weighting out."
        )
    settings = {
        "version": state.VERSION,
        "reads": "texts" if texts else "numbers",
        "text_weighting": "counts",
        "stop_words": asked.stop_words,
        "n_terms": asked.n_terms,
        "scale": known.scaling,
        "feature_names": list(known.feature_names),
    }
    learnt = {"center": known.center, "spread": known.spread}
    arrays = {name: values for name, values in learnt.items() if values is not None}
    return Preparation.from_state(settings, arrays)


def _of_task(estimator: Any, task: str | None) -> Any:
    """The clusterer of one task."""
    names = [str(name) for name in getattr(estimator, "task_names_", ())]
    if task is not None and task not in names:
        raise UnknownTaskError(f"task {task!r} is not in the model; it has {', '.join(names)}.")
    if hasattr(estimator, "estimator_"):
        return estimator.estimator_
    if not hasattr(estimator, "estimators_"):
        raise InputError(
            f"a {type(estimator).__name__} has no centres to tell of; run `kinfolk run` with "
            "--method kmeans or mec."
        )
    if task is None and len(names) > 1:
        raise InputError(f"the model has the tasks {', '.join(names)}; name one by --task.")
    return estimator.estimators_[names.index(task) if task is not None else 0]


def _scale(preparation: Any) -> dict[str, Any]:
    """Names of the columns, and what was done to rows before they were clustered."""
    if preparation is None:
        return {}
    settings, learnt = preparation.to_state()
    if "idf" in learnt:
        raise InputError(
            "terms were weighted by tfidf, which another site cannot repeat from the knowledge: "
            "run again with --weighting counts."
        )
    return {"feature_names": settings["feature_names"], "scaling": settings["scale"], **learnt}
