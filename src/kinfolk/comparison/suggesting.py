"""Suggested numbers of clusters of rows from any source."""

from collections.abc import Collection, Mapping
from typing import Any

from kinfolk.arguments import ReadArguments
from kinfolk.arrays import Seed, Table
from kinfolk.choosing import cluster_count
from kinfolk.choosing.suggestions import Suggestions
from kinfolk.comparison import rows
from kinfolk.models import new_rows
from kinfolk.preparation import Preparation
from kinfolk.sources import Reading
from kinfolk.tables import RelatedData, intake


def suggest_clusters(
    X: Any,
    tasks: Any = None,
    *,
    at_most: int | None = None,
    random_state: Seed = None,
    columns_are_scaled: bool = False,
    target: Any = None,
    text: str | None = None,
    row_id: str | None = None,
    embeddings: Any = None,
    columns: str = ReadArguments.columns,
    only: str | Collection[str] | None = ReadArguments.only,
    ignore: str | Collection[str] = ReadArguments.ignore,
    kinds: Mapping[str, str] | None = ReadArguments.kinds,
    missing: str = ReadArguments.missing,
    header: bool = ReadArguments.header,
    min_rows: int = ReadArguments.min_rows,
) -> Suggestions:
    """Suggest the number of clusters of each task, 1 or more.

    Parameters
    ----------
    X : table (n, d) of numbers, used as they are: array, sparse matrix or data frame. Or
        columns of all kinds, prepared as `kf.compare` does: a data frame, the result of `kf.read`,
        `RelatedData`, the name of a data set, or paths
    tasks : (n,) the task of each row, or the name of a column; None: one task, or one per file
    at_most : int >= 1, the largest number tried; None: 12, or the square root of the number of
        rows if that is more. Clusters have at least 10 rows on average
    random_state : int, RandomState or None, for halves, starts and null tables
    columns_are_scaled : as of `Kinfolk`, for numbers that are used as they are
    target : (n,) or name of a column: true classes, which are not looked at
    text, row_id, embeddings : columns of files and data frames, as of `kf.read`
    columns, only, ignore, kinds, missing, header, min_rows : which columns and rows of files and
        data frames are clustered and what they are taken for, as of `kf.read`

    Raises
    ------
    InputError : the rows, tasks or columns are not usable, or at_most is below 1

    Examples
    --------
    >>> import kinfolk as kf
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(40, n_features=4, random_state=0)
    >>> found = suggest_clusters(data.X, data.tasks, at_most=4, random_state=0)
    >>> found
    task-0: 3 clusters (likely).
    task-1: 3 clusters (likely).
    >>> found.numbers, found[1].low, found[1].high
    ({'task-0': 3, 'task-1': 3}, 3, 3)
    >>> penguins = kf.datasets.penguins_csv()
    >>> suggest_clusters(
    ...     penguins, "sex", target="species", ignore="year", missing="drop", at_most=5,
    ...     random_state=0,
    ... )
    male: 3 clusters, 2 to 5 (a guess).
    female: 3 clusters, 2 to 5 (a guess).
    """
    roles = {"target": target, "text": text, "row_id": row_id, "embeddings": embeddings}
    chosen = ReadArguments(columns, only, ignore, kinds, missing, header, min_rows=min_rows)
    given = {name: value for name, value in roles.items() if value is not None}
    prepared = _prepared(X, {"tasks": tasks}, given, chosen)
    if prepared is not None:
        X, tasks, columns_are_scaled = prepared
    return cluster_count.suggest_clusters(
        X,
        tasks,
        at_most=at_most,
        random_state=random_state,
        columns_are_scaled=columns_are_scaled,
    )


def _prepared(
    source: Any, tasks: Mapping[str, Any], roles: Mapping[str, Any], chosen: ReadArguments
) -> tuple[Table, Any, bool] | None:
    """Return prepared rows, their tasks, and if columns are scaled; None for plain numbers."""
    is_plain = not roles and not chosen.asked()
    if is_plain and not isinstance(source, Reading | RelatedData) and not new_rows.is_table(source):
        return None
    data = rows.collect(source, {**tasks, **roles}, chosen).data
    if is_plain and intake.frame_of(source) is not None and data.columns is None:
        return None  # a frame of numbers keeps the type of its tasks' names
    preparation = Preparation()
    return preparation.fit_transform(data), data.tasks, preparation.columns_are_scaled
