"""`kinfolk knowledge`: exports and checks cluster centers to be sent to another site."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinfolk.cli import inputs, options, terminal
from kinfolk.disk import file_sets
from kinfolk.errors import InputError, UnknownTaskError

if TYPE_CHECKING:
    from kinfolk.arrays import Matrix
    from kinfolk.knowledge import Knowledge
    from kinfolk.preparation import Preparation

knowledge = typer.Typer(
    help="Share centers of clusters with another site, without any row.",
    no_args_is_help=True,
    **options.STYLE,
)

File = Annotated[Path, typer.Argument(help="A file that `kinfolk knowledge export` wrote.")]


@knowledge.command("export")
def export(
    model: options.Model,
    out: Annotated[Path, typer.Option(help="File to write, such as lab.safetensors.")],
    task: Annotated[
        str | None, typer.Option(help="The task whose centers to write, if there are several.")
    ] = None,
    minimum: Annotated[
        int,
        typer.Option(
            "--minimum",
            "--min-cluster-size",
            min=1,
            help="Fewest rows behind a center that is written.",
        ),
    ] = options.FEWEST,
    digits: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Most significant digits of each number; without it as many as the number of rows "
            "behind it supports.",
        ),
    ] = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Write the cluster centers of one task to a file.

    The file holds no row, and no center of a cluster with fewer than --minimum rows.
    """
    from kinfolk.knowledge import Knowledge, layout
    from kinfolk.models import storage
    from kinfolk.report.wording import count

    file_sets.check_file(out, layout.MARK, overwrite)
    stored = storage.load(model)
    estimator = _of_task(stored.estimator, task)
    known = Knowledge.of(estimator, minimum_cluster_size=minimum, **_scale(stored.preparation))
    known = known.rounded(digits)
    known.save(out, overwrite=overwrite)
    if small := len(estimator.cluster_centers_) - len(known):
        terminal.say(
            f"Left out {count(small, 'cluster')}: those with fewer than {minimum} rows, and one "
            "more if the means of all rows would give these away."
        )
    terminal.say(
        f"Wrote {count(len(known), 'center')} of {count(known.cluster_centers.shape[1], 'column')} "
        f"to {out}; `kinfolk knowledge inspect {out}` shows all of it."
    )


@knowledge.command("inspect")
def inspect(file: File) -> None:
    """Print everything in a file of centers.

    It is all that another site receives.
    """
    from kinfolk.knowledge import Knowledge

    terminal.write_unwrapped(Knowledge.load(file).contents())


@knowledge.command("check")
def check(
    file: File,
    tables: Annotated[
        list[str] | None, typer.Argument(help="Tables that must have the columns of the file.")
    ] = None,
    tasks: options.Tasks = None,
    target: options.Target = None,
    row_id: options.RowId = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Columns of the tables to look at, divided by commas; no others."),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help="Table of the rows behind the centers, to test how much they tell of these rows."
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="With --rows: only the rows of this data set (--tasks).")
    ] = None,
) -> None:
    """Check that a file of centers is sound and fits tables.

    With --rows also how much it tells of the rows behind the centers.
    """
    from kinfolk import sources
    from kinfolk.comparison import other_site
    from kinfolk.knowledge import Knowledge, check_knowledge
    from kinfolk.report.wording import count

    known = whole = Knowledge.load(file)
    columns = count(known.cluster_centers.shape[1], "column")
    said = f"{file} is sound: {count(len(known), 'center')} of {columns}"
    if tables:
        picked = inputs.names(only) or None
        data, *_ = sources.read(tables, tasks=tasks, target=target, row_id=row_id, only=picked)
        if data.columns is not None:
            raise InputError(
                "the tables hold words or gaps: pick the columns of the knowledge (--only), and "
                "prepare them as the source did."
            )
        if data.X is None:
            raise InputError("the tables hold texts; prepare them as the source did, as numbers.")
        if not known.feature_names:
            raise InputError(f"{file} names no columns: ask for it with names.")
        known = known.aligned(data.feature_names)
        said += ", which the tables have"
        for note in other_site.other_units(known, data):
            terminal.say(note)
    told = check_knowledge(whole, None if rows is None else _rows(whole, rows, tasks, task))
    terminal.write_unwrapped(f"{said}.\n{told}\n")


def _rows(known: "Knowledge", file: str, tasks: str | None, task: str | None) -> "Matrix":
    """Read the rows behind the centers, with columns in the order of the file."""
    from kinfolk import sources
    from kinfolk.numerics import operators
    from kinfolk.tables import alignment

    asked = set(known.feature_names) or None
    data, *_ = sources.read([file], tasks=tasks, columns="intersect", only=asked)
    if data.X is None:
        raise InputError(
            "the rows hold texts, words or gaps: give the numbers that were clustered."
        )
    X = operators.dense(data.X).astype(float)
    if task is not None:
        if task not in data.task_names:
            names = ", ".join(data.task_names)
            raise UnknownTaskError(f"task {task!r} is not in {file}; it has {names}.")
        X = X[data.tasks == task]
    if not known.feature_names:
        return X
    wrong = [name for name in known.feature_names if name not in data.feature_names]
    if wrong:
        raise InputError(f"{file} lacks {alignment.some(wrong)}, which the knowledge is about.")
    return X[:, [data.feature_names.index(name) for name in known.feature_names]]


def _of_task(estimator: Any, task: str | None) -> Any:
    """Return the clusterer of a task, or that of all if pooled; InputError without one."""
    from kinfolk.estimators import facets
    from kinfolk.methods.multitask.baselines import Pooled

    names = [str(name) for name in estimator.task_names_]
    if task is not None and task not in names:
        raise UnknownTaskError(f"task {task!r} is not in the model; it has {', '.join(names)}.")
    if isinstance(estimator, Pooled):  # one set of centers for all tasks
        return estimator.estimator_
    if not isinstance(estimator, facets.HasCopies):
        raise InputError(
            f"{type(estimator).__name__} has no centers; run `kinfolk run` with "
            "--method kmeans or mec."
        )
    # Each task has centers of its own, and one file holds one set of centers.
    if task is None and len(names) > 1:
        raise InputError(f"the model has the tasks {', '.join(names)}; name one by --task.")
    return estimator.estimators_[names.index(task) if task is not None else 0]


def _scale(preparation: "Preparation | None") -> dict[str, Any]:
    """Return names and scaling of the columns; InputError if another site cannot repeat them."""
    if preparation is None:
        return {}
    if preparation.kinds:
        raise InputError(
            "the rows were prepared column by column, within each data set, which another site "
            "cannot repeat from the knowledge: run again on numbers without gaps (--only)."
        )
    settings, learnt = preparation.to_state()
    # The other site gets no row, so it could not find the same weights of terms.
    if "idf" in learnt:
        raise InputError(
            "terms were weighted by tfidf, which another site cannot repeat from the knowledge: "
            "run again with --weighting counts."
        )
    return {"feature_names": settings["feature_names"], "scaling": settings["scale"], **learnt}
