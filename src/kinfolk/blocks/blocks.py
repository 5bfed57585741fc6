"""`Blocks`: rows in files, memory or Dask, read one block at a time."""

from collections.abc import Callable
from copy import copy
from functools import cached_property, reduce
from typing import Any, Self, TypeAlias

import numpy as np

from kinfolk.arguments import choice, shown
from kinfolk.blocks import engines, sources, values
from kinfolk.blocks.block import Block
from kinfolk.blocks.facts import Facts, facts
from kinfolk.blocks.joining import Taken, joined
from kinfolk.blocks.reading import ReadAndApply, Reader
from kinfolk.blocks.reduction import added
from kinfolk.errors import InputError, import_extra
from kinfolk.numerics import backend, content_order
from kinfolk.tables import Tasks
from kinfolk.tables.alignment import some
from kinfolk.tables.name_order import in_order

SAMPLE_NUMBERS = 2**23
"""Most entries of the sample of rows that starts are drawn from, 64 MB in double precision.

A table of at most so many entries is its own sample, and a fit of its blocks is that of the table.
"""


class Blocks:
    """Rows of a table in blocks, for methods that only need sums over rows.

    Parameters
    ----------
    source : array, CSR, memory map, path of a .npy file, of a file or folder of Parquet, a list of
        .npy files or of files of Parquet, an array or a data frame of Dask
    columns : names of the columns of X in a frame or file, or one name; None: all but those of
        tasks and weights
    tasks : task of each row: name of a column, n names, or an array of Dask; None: one task
    sample_weight : weight of each row: name of a column, n numbers, or an array of Dask; None: 1
    block_rows : int >= 1, most rows of a block; None: 64 MB. Dask's chunks stay as they are. So do
        row groups of Parquet: a larger one is a block, which is read piece by piece; write files
        with `row_group_size=` for smaller blocks
    engine : "serial", "joblib" or "dask"; None: "dask" for what Dask holds, else "serial". Of
        "joblib" `joblib.parallel_config` says how many processes; without it there is one

    Attributes
    ----------
    shape : (n, d)
    n_blocks : blocks with rows
    feature_names : names of the columns of X; None for arrays
    task_names : names of the T tasks in their order, as of `kinfolk.tables.Tasks`; None: one task

    Raises
    ------
    InputError : the source is no table, or a column is not there or holds no numbers
    BlockError : a block cannot be read, or the process that worked on it died

    Examples
    --------
    >>> rows = Blocks(np.arange(12.0).reshape(6, 2), block_rows=4)
    >>> rows.shape, rows.n_blocks
    ((6, 2), 2)
    >>> rows.total(lambda block: block.x.sum(axis=0))
    array([30., 36.])
    >>> rows.each(lambda block: block.x.sum(axis=1) > 9)
    array([False, False, False,  True,  True,  True])
    """

    def __init__(
        self,
        source: Any,
        *,
        columns: list[str] | str | None = None,
        tasks: Any = None,
        sample_weight: Any = None,
        block_rows: int | None = None,
        engine: str | None = None,
    ) -> None:
        block_rows = None if block_rows is None else _whole_number(block_rows)
        self._source = sources.opened(source, block_rows)
        self.is_dask = self._source.engine == "dask"
        self.is_other = backend.is_other(source)
        asked = self._source.engine if engine is None else engine
        name = choice("engine", asked, engines.ENGINES)
        if self.is_dask and name != "dask":
            raise InputError(f"engine is {name!r}; only engine='dask' reads what Dask holds.")
        self.engine = engines.ENGINES[name]()
        there = self._source.columns
        if name != "dask":
            sample_weight = values.in_memory(sample_weight)
            tasks = values.in_memory(tasks)
        of_weight = values.column("sample_weight", sample_weight, there)
        of_tasks = values.column("tasks", tasks, there)
        self.feature_names = values.columns(columns, there, [of_weight, of_tasks])
        self._reader = Reader(self.feature_names, of_weight, of_tasks)
        self._weight = None if of_weight else sample_weight
        self._tasks = None if of_tasks else tasks
        self.weighted = sample_weight is not None

    @classmethod
    def of(cls, source: Any, sample_weight: Any = None, tasks: Any = None) -> Self:
        """Wrap any source of rows as `Blocks`; a `Blocks` is returned unchanged."""
        if not isinstance(source, cls):
            return cls(source, sample_weight=sample_weight, tasks=tasks)
        if sample_weight is not None or tasks is not None:
            raise InputError(
                "X is in blocks, which bring weights and tasks with them: name them where the "
                "blocks are made, Blocks(..., tasks=..., sample_weight=...)."
            )
        return source

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Raise InputError: blocks are not converted to one array."""
        raise InputError(
            "X is in blocks, and this needs all rows in memory at once. Give the table itself if "
            "it fits, or a method that reads blocks: docs/large.md names them."
        )

    def __len__(self) -> int:
        """Raise an error, so that blocks are not mistaken for a list; see `shape`."""
        return int(self.__array__())

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.facts.n, self.facts.width

    @property
    def dtype(self) -> np.dtype:
        """NumPy type of the rows."""
        return np.dtype(np.float32 if self.facts.single else np.float64)

    @property
    def n_blocks(self) -> int:
        """Number of blocks that have rows."""
        return len(self._filled)

    @property
    def task_names(self) -> list[Any] | None:
        """Names of the tasks in their order; None for a single task."""
        return self._names or None

    @property
    def task_sizes(self) -> list[int]:
        """Number of rows of each task, or of all rows without tasks."""
        return [self.facts.tasks.get(key, 0) for key in self._keys] or [self.facts.n]

    def total(
        self,
        part: Callable[..., Any],
        *state: Any,
        combine: Any = added,
        of_rows: tuple[Any, ...] = (),
    ) -> Any:
        """Sum (or combine) `part(block, *state)` over all blocks, in their order.

        values are those of the block's rows of the arrays `of_rows` (n, ...), if there are any.
        """
        work = ReadAndApply(part, self._naming, combine)
        return self.engine.fold(work, self._with_values(of_rows), state, combine)

    def gathered(
        self, function: Callable[..., Any], *state: Any, of_rows: tuple[Any, ...] = ()
    ) -> Any:
        """Concatenate per-row results of all blocks to one array in memory.

        Those of a block are `function(block, *values, *state)`, with values as in `total`.
        """
        work = ReadAndApply(function, self._naming, joined)
        return joined(*self.engine.each(work, self._with_values(of_rows), state))

    def like_rows(self, values: Any) -> Any:
        """Convert per-row values (n, ...) to the rows' container: Dask array or NumPy."""
        if not self.is_dask:
            return values
        arrays = import_extra("dask.array", "dask", "Rows in blocks of Dask need")
        return arrays.from_array(values, chunks=(tuple(self._filled_sizes), *values.shape[1:]))

    def _with_values(self, of_rows: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Append to the description of each block its part of each array of `of_rows` (n, ...)."""
        if not of_rows:
            return self._filled
        ends = np.cumsum(self._filled_sizes)[:-1]
        cut = zip(*(np.split(values, ends) for values in of_rows), strict=True)
        return [(*block, *values) for block, values in zip(self._filled, cut, strict=True)]

    def each(self, function: Callable[..., Any], *state: Any) -> Any:
        """Return per-row results `function(block, *state)` of all blocks.

        For rows of Dask it is an array of Dask, which is computed when it is used; else an array
        in memory.
        """
        if not self.is_dask:
            return self.gathered(function, *state)
        work = ReadAndApply(function, self._naming, joined)
        arrays = import_extra("dask.array", "dask", "Rows in blocks of Dask need")
        like = function(self.sample(0).taken(slice(0, 1)), *state)
        tasks = engines.Dask().delayed(work, self._filled, state)
        return arrays.concatenate(
            [
                arrays.from_delayed(task, (size, *like.shape[1:]), like.dtype)
                for task, size in zip(tasks, self._filled_sizes, strict=True)
            ]
        )

    def sample(self, seed: int = 0) -> Block:
        """Return a random sample of rows (at most 2^23 entries), sorted by value.

        They are all rows if these have no more entries.
        """
        if self._sampled is None or self._sampled[0] != seed:
            self._sampled = (seed, self._drawn(seed))
        return self._sampled[1]

    _sampled: tuple[int, Block] | None = None

    def _drawn(self, seed: int) -> Block:
        """Read rows at random positions, up to `SAMPLE_NUMBERS` entries, and sort them by value."""
        n, d = self.shape
        most = max(1, SAMPLE_NUMBERS // max(1, d))
        # By position among all rows: the same rows however they are cut into blocks.
        draw = np.random.RandomState(seed)
        chosen = np.arange(n) if most >= n else np.sort(draw.choice(n, most, replace=False))
        sizes = self._filled_sizes
        ends = np.cumsum(sizes)
        own = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        wanted = [
            (*block, rows - end + size)
            for block, rows, end, size in zip(self._filled, own, ends, sizes, strict=True)
            if len(rows)
        ]
        found = joined(*self.engine.each(Taken(self._naming), wanted, ()))
        # Numbered without gaps: a sample need not have rows of every task.
        given = np.zeros(len(chosen), dtype=int) if found.codes is None else found.codes
        codes = np.unique(given, return_inverse=True)[1]
        return found.taken(content_order.sorted_rows(found.x, codes)[1].rows)

    def of_task(self, t: int) -> Self:
        """Return the rows of the task at position t, skipping blocks without any."""
        if not self._keys:
            return self
        key = self._keys[t]
        about = self._facts_of_blocks
        filled = [
            block for block, found in zip(self._filled, about, strict=True) if key in found.tasks
        ]
        if not filled:
            raise InputError(
                f"task {shown(self._names[t])} has no rows here; give some or leave it out."
            )
        own = self._of_one_task(self._naming._replace(only=t), filled)
        own._reader = own._naming
        for name in ("facts", "_facts_of_blocks"):
            own.__dict__.pop(name, None)
        return own

    def pooled(self) -> Self:
        """Return the same rows as a single task."""
        if not self._keys:
            return self
        own = self._of_one_task(
            self._naming._replace(tasks=None, names=None),
            [(data, weight, None, place) for data, weight, _, place in self._filled],
        )
        own._facts_of_blocks = [found._replace(tasks={}) for found in self._facts_of_blocks]
        own.facts = self.facts._replace(tasks={})
        return own

    def _of_one_task(self, naming: Reader, filled: list[tuple[Any, ...]]) -> Self:
        """Return a copy with these blocks, all rows in one unnamed task."""
        own = copy(self)
        own._sampled = None
        own._naming = naming
        own._filled = filled
        own._keys = []
        own._names = []
        return own

    def mapped(self, function: Callable[[Any], Any], width: int) -> Self:
        """Return the rows with a function applied that turns tables (m, d) into (m, width).

        It is applied whenever a block is read, after those of earlier calls. Of tasks, take
        `of_task` first.
        """
        own = copy(self)
        own._sampled = None
        own._filled = self._filled
        own._naming = self._naming._replace(functions=(*self._naming.functions, function))
        own.facts = self.facts._replace(width=width, single=False)
        return own

    def with_tasks(self, names: list[Any]) -> Self:
        """Return the rows with task positions relative to `names`.

        A name of `names` that no row has is a task of size 0.
        """
        sized = zip(self._names, self.task_sizes, strict=True) if self._names else ()
        missing = [name for name, size in sized if size and name not in names]
        if missing or len(set(names)) < len(names):
            raise InputError(
                f"names is without task {some(missing)} of the rows; give all their tasks."
                if missing
                else "names has a task twice; give each once."
            )
        place = dict(zip(self._names, self._keys, strict=True))
        own = copy(self)
        own._sampled = None
        own._names = list(names)
        # A name that no row has needs a key that no row has.
        own._keys = [place.get(name, ("no row", name)) for name in names]
        own._naming = self._naming._replace(names=own._keys)
        return own

    @cached_property
    def facts(self) -> Facts:
        """Size, tasks and validity of all rows, from one pass over them."""
        return reduce(Facts.with_next, self._facts_of_blocks)

    @cached_property
    def _facts_of_blocks(self) -> list[Facts]:
        return self.engine.each(
            ReadAndApply(facts, self._reader, Facts.with_next), self._filled, ()
        )

    @property
    def _filled_sizes(self) -> list[int]:
        return [found.n for found in self._facts_of_blocks]

    @cached_property
    def _sizes(self) -> list[int]:
        """Number of rows of each block, counted in a pass if the source does not know."""
        if self._source.sizes is not None:
            return self._source.sizes
        unknown = [
            (data, None, None, place)
            for data, place in zip(self._source.data, self._source.places, strict=True)
        ]
        return self.engine.each(
            ReadAndApply(_rows_of, self._reader.without_values(), added), unknown, ()
        )

    @cached_property
    def _filled(self) -> list[tuple[Any, ...]]:
        """Description, weights, tasks and location of each nonempty block."""
        n = sum(self._sizes)
        if not n:
            raise InputError("source has no rows; give at least one.")
        weight = values.split("sample_weight", self._weight, self._sizes)
        tasks = self._tasks if self._in_memory is None else self._in_memory.codes
        parts = zip(
            self._source.data,
            weight,
            values.split("tasks", tasks, self._sizes),
            self._source.places,
            self._sizes,
            strict=True,
        )
        return [tuple(block) for *block, size in parts if size]

    @cached_property
    def _in_memory(self) -> Tasks | None:
        """The tasks if they were given as an array in memory, else None."""
        if self._tasks is None or sources.is_dask(self._tasks):
            return None
        return Tasks.given(self._tasks, sum(self._sizes))

    @cached_property
    def _naming(self) -> Reader:
        """Reader of blocks that converts task names to positions."""
        if self._in_memory is not None or not self._keys:
            return self._reader
        return self._reader._replace(names=self._keys)

    @cached_property
    def _keys(self) -> list[Any]:
        """Values in the rows that identify the tasks, by task position."""
        if self._in_memory is not None:
            return list(range(len(self._in_memory.names)))
        return in_order(self.facts.tasks, self.facts.order)

    @cached_property
    def _names(self) -> list[Any]:
        """Names of the tasks, by task position."""
        return self._keys if self._in_memory is None else self._in_memory.names


Rows: TypeAlias = Block | Blocks
"""Rows that a method sums over: one block in memory, or many elsewhere."""


def _rows_of(block: Block) -> int:
    return block.shape[0]


def _whole_number(block_rows: Any) -> int:
    is_whole = isinstance(block_rows, int | np.integer) and not isinstance(block_rows, bool)
    if is_whole and block_rows >= 1:
        return int(block_rows)
    raise InputError(f"block_rows is {shown(block_rows)}; give a whole number from 1 on.")
