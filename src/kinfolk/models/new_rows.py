"""Reads new rows by the columns, kinds and notations of the rows that a model was fitted to."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.preparation import Preparation
from kinfolk.sources import Reading, file_views, finite_numbers, given, sheets
from kinfolk.tables import RelatedData, Tasks, alignment, intake
from kinfolk.tables.columns import name as name_of

ROLES = ("tasks", "text", "row_id", "embeddings")
"""Roles of columns of new rows, which have neither true nor known classes."""

_NAME = "the table of new rows"


def read(
    tables: Any,
    preparation: Preparation | None,
    written: Mapping[str, str] | None,
    roles: Mapping[str, str | None],
    views: str | None = None,
    **options: Any,
) -> Reading:
    """Read files or data frames with the columns of the fit, as `sources.read` does.

    Parameters
    ----------
    tables, roles : as of `sources.read`
    preparation : of the fit, which names its columns and their kinds; None: all columns are read
    written : unit and notation of columns of the fit
    views : "files" where each file of the fit was a view
    options : "header" and "missing" as of `sources.read`
    """
    kinds = {} if preparation is None else preparation.kinds
    asked = None if preparation is None else set(kinds or preparation.feature_names)
    if roles.get("embeddings") is not None:
        asked = None  # they stand in for all columns
    more: dict[str, str] = {}
    listed = given.tables(tables)
    if views == file_views.FILES and len(listed) > 1:
        more["views"] = file_views.FILES
        # A method that needs every view of every row says so itself.
        more |= {"missing_views": "keep"} if roles.get("row_id") else {}
    elif given.is_multimodal(listed):
        more["missing_views"] = "keep"
    return sources.read(
        tables,
        columns="intersect",
        only=asked,
        kinds=kinds,
        known_tasks=True,
        written=written,
        **more,  # type: ignore[arg-type]
        **roles,  # type: ignore[arg-type]
        **options,
    )


def is_table(source: Any) -> bool:
    """True for a path or data frame, and for several of them in a list or by name."""
    first = source[0] if isinstance(source, list | tuple) and source else source
    named = isinstance(first, str | os.PathLike | Mapping)
    return named or intake.frame_of(first, "the table") is not None


def with_tasks(data: RelatedData, tasks: Any, known: Sequence[Any]) -> RelatedData:
    """Return rows with tasks set, one for all or (m,); names that are not `known` become strings.

    Raises
    ------
    InputError : there are more or fewer tasks than rows, or one is missing
    """
    m = len(data)
    of_rows = [tasks] * m if checks.is_single(tasks) else tasks
    found = Tasks.given(of_rows, m, None, "tasks", data.name)
    names = [name if name in known else name_of(name) for name in found.names]
    return replace(data, tasks=Tasks(names, found.codes).of_rows())


def of_numbers(X: Any, columns: Sequence[str] | None = None) -> RelatedData:
    """Return rows X (m, d) of an array or sparse matrix, which have no names, as one task.

    Raises
    ------
    InputError : X has more or fewer columns than the `columns` of the fit, or those have names

    >>> of_numbers([[1.0, 2.0]]).feature_names
    ('x0', 'x1')
    """
    table = intake.matrix(X, _NAME)
    m, d = table.shape
    if columns is not None and d != len(columns):
        raise InputError(
            f"{_NAME} has {d} columns, and the model was fitted on {len(columns)} "
            f"({alignment.some(columns)}): give these."
        )
    names = tuple(f"x{j}" for j in range(d))
    if columns is not None and set(columns) != set(names):
        raise InputError(
            f"{_NAME} has no names of columns, and those of the fit have "
            f"({alignment.some(columns)}): give a data frame or a file with these."
        )
    complete = finite_numbers.checked(_NAME, names, table)
    return RelatedData(_NAME, np.full(m, "all"), sheets.default_ids(m), complete, names)
