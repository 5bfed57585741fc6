"""`Tasks`: the task of each row of a table."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinfolk.arguments import shown
from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.tables import columns, intake, name_order


@dataclass(frozen=True)
class Tasks:
    """Names of the tasks, and the position of each row's task.

    Attributes
    ----------
    names : the T tasks in order: that of an ordered category; else by number or date if all have
        one, with the same words around it; else in the order in which they first appear
    codes : (n,) the position in `names` of each row's task
    """

    names: list[Any]
    codes: Labels

    @classmethod
    def of(cls, values: ArrayLike, order: Iterable[Any] = ()) -> Self:
        """Build from one task name per row, with the order of the names if it is known.

        >>> Tasks.of(["b", "a", "b"]).codes, Tasks.of(["site 10", "site 9"]).codes
        (array([0, 1, 0]), array([1, 0]))
        """
        flat = np.asarray(values, dtype=object).tolist()
        names = name_order.in_order(dict.fromkeys(flat), order or name_order.order_of(values))
        position = {name: t for t, name in enumerate(names)}
        return cls(names, np.array([position[name] for name in flat], dtype=int))

    @classmethod
    def given(
        cls, tasks: Any, n: int, table: Any = None, name: str = "tasks", table_name: str = "X"
    ) -> Self:
        """Build from the argument `tasks` of a user, checked against n rows.

        Parameters
        ----------
        tasks : one name per row, in any container; an ordered category gives the order of names
        n : number of rows
        table : if it and `tasks` have an index of pandas, the two are matched by it
        name, table_name : what error sentences call them

        Raises
        ------
        InputError : there is not one name per row, one is missing, or one cannot be a name

        Examples
        --------
        >>> Tasks.given([("north", 1), ("south", 1)], 2).names
        [('north', 1), ('south', 1)]
        """
        what = name.removesuffix("s") if name in ("tasks", "labels") else "value"
        values = intake.column(intake.in_order_of(table, tasks, name, table_name))
        if values is None or len(values) != n:
            shape = np.shape(tasks) if values is None else (len(values),)
            raise InputError(
                f"{name} has shape {shape} but {table_name} has {n} rows; give one {what} per row."
            )
        order = name_order.order_of(tasks)
        # All of them are names; to check each takes longer than to assign a row.
        numbers = type(tasks) is np.ndarray and tasks.dtype.kind in "iub"
        if numbers or {*map(type, values)} == {str}:
            return cls.of(values, order)
        if odd := [value for value in values if not _can_be_name(value)]:
            raise InputError(
                f"{name} has {shown(odd[0])}, which cannot be a name; give strings, numbers or "
                "tuples of them."
            )
        unnamed = np.flatnonzero([intake.missing(value) for value in values])
        if len(unnamed):
            raise InputError(
                f"{name} is missing (None or NaN) in {len(unnamed)} rows, the first is row "
                f"{unnamed[0]}; name the {what} of every row or leave these rows out."
            )
        return cls.of(values, order)

    @classmethod
    def single(cls, n: int) -> Self:
        """Build a single task, named "all", of n rows."""
        return cls(["all"], np.zeros(n, dtype=int))

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each task."""
        return np.bincount(self.codes, minlength=len(self.names)).tolist()

    def rows(self) -> list[NDArray[np.integer]]:
        """Return the row positions of each task.

        >>> Tasks.of(["b", "a", "b"]).rows()
        [array([0, 2]), array([1])]
        """
        return [np.flatnonzero(self.codes == t) for t in range(len(self.names))]

    def of_rows(self, rows: Any = slice(None), texts: bool = False) -> NDArray[Any]:
        """Return the task names (n,) of all or some `rows`; they keep the order of tasks for `of`.

        >>> named = Tasks.of(["b", "a", "b"], order="ab").of_rows([0, 1])
        >>> named.tolist(), Tasks.of(named).names
        (['b', 'a'], ['a', 'b'])
        """
        as_texts = np.array([columns.name(name) for name in self.names])
        names = as_texts if texts else intake.object_array(self.names)
        found = names[self.codes[rows]]
        order = names.tolist()
        is_told = order == name_order.in_order(dict.fromkeys(found.tolist()))
        return found if is_told else name_order.ordered_names(found, order)

    def merged(self, parts: Iterable[Labels]) -> Labels:
        """Merge the labels (n_t,) of each task's rows, task after task, to labels (n,) of all rows.

        >>> Tasks.of(["a", "b", "a"]).merged([np.array([0, 1]), np.array([5])])
        array([0, 5, 1])
        """
        labels = np.empty(len(self.codes), dtype=int)
        for rows, own in zip(self.rows(), parts, strict=True):
            labels[rows] = own
        return labels


class TaskSizes(NamedTuple):
    """Names of the tasks and the number of rows of each, where the rows are not in memory."""

    names: list[Any]
    sizes: list[int]


def split_off(name: str, frame: Any) -> tuple[NDArray[Any], Any]:
    """Return a column of a narwhals frame, which keeps its order, and the native frame without it.

    >>> import narwhals, polars
    >>> frame = polars.DataFrame({"age": [20, 30], "site": ["a", "b"]})
    >>> column, rest = split_off("site", narwhals.from_native(frame))
    >>> column.tolist(), rest.columns
    (['a', 'b'], ['age'])
    """
    column = frame[name]
    order = name_order.order_of(column.to_native())
    names = name_order.ordered_names(intake.object_array(column.to_list()), order)
    return names, frame.drop(name).to_native()


def even_share(sizes: Sequence[int], total: int) -> int:
    """Largest number of rows per task with which samples of all tasks have at most `total` rows.

    It is 10 at least, since fewer rows show no clusters.

    >>> even_share([30_000, 500], 4_000)
    3500
    """
    left = total
    waiting = sorted(sizes)
    # Small tasks take part whole and leave the rest to the others.
    while len(waiting) > 1 and waiting[0] * len(waiting) <= left:
        left -= waiting.pop(0)
    return max(left // len(waiting), 10)


def _can_be_name(value: Any) -> bool:
    """True if a value is hashable, so that it can name a task; a tuple must have no NaN inside."""
    if not isinstance(value, Hashable):
        return False
    try:
        hash(value)
    except TypeError:
        return False
    if not isinstance(value, tuple):
        return True
    # NaN equals no NaN that comes later: rows to predict would be of an unknown task.
    return all(part is None or (_can_be_name(part) and not intake.missing(part)) for part in value)
