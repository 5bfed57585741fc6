"""Options that several subcommands share, and groups of options as dataclasses."""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

STYLE: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}
"""Options of typer for the program and its subcommands: no completion, no markup."""

Source = Annotated[
    list[str],
    typer.Argument(
        help="A table with a task column, several tables (one task each), or a named data set."
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the named data sets; KINFOLK_DATA without this option.", show_default=False
    ),
]
Tasks = Annotated[str | None, typer.Option(help="Column with the task of each row.")]
Target = Annotated[
    str | None, typer.Option(help="Column of true classes, used for scores and never to cluster.")
]
RowId = Annotated[str | None, typer.Option("--id", help="Column with the name of each row.")]
Model = Annotated[Path, typer.Argument(help="The folder `model` that `kinfolk run` wrote.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of every random draw.")]
Names = Annotated[
    list[str] | None,
    typer.Option(
        help="Names of kinds by their numbers in the report, such as 0=families,2=students."
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that Kinfolk did not write as they are."),
]
Quiet = Annotated[bool, typer.Option(help="Show no progress.")]

FEWEST = 10
"""Fewest rows behind a mean that others may see, as `kept_rows.FEW` and `knowledge.MINIMUM`."""

OF_PARAMETERS = {
    "n_clusters": "--clusters",
    "random_state": "--seed",
    "views": "--views",
    "knowledge": "--knowledge",
    "budget": "--budget",
    "n_jobs": "--jobs",
}
"""Parameters of methods with an option of their own; --set takes all others."""


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb for typer, whose dataclass parameters are replaced by one option per field.

    >>> @dataclasses.dataclass
    ... class Place:
    ...     out: str = "here"
    >>> @grouped
    ... def write(name: str, place: Place) -> None:
    ...     print(name, place.out)
    >>> print(inspect.signature(write))
    (*, name: str, out: str = 'here')
    >>> write(name="table", out="there")
    table there
    """
    given = inspect.signature(verb).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in given if dataclasses.is_dataclass(p.annotation)
    }

    @functools.wraps(verb)
    def called(**values: Any) -> None:
        for name, group in groups.items():
            own = {field.name: values.pop(field.name) for field in dataclasses.fields(group)}
            values[name] = group(**own)
        verb(**values)

    single = []
    for parameter in given:
        if parameter.name in groups:
            fields = dataclasses.fields(groups[parameter.name])
            single += [_parameter(field.name, field.type, field.default) for field in fields]
        else:
            single.append(_parameter(parameter.name, parameter.annotation, parameter.default))
    called.__signature__ = inspect.Signature(single)  # type: ignore[attr-defined]
    return called


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return a parameter given by keyword, required where a field has no default."""
    if default is dataclasses.MISSING:
        default = inspect.Parameter.empty
    form = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, form, default=default, annotation=annotation)
