"""Engines that apply a function to every block: serially, by joblib or by Dask.

    serial   in this process, one block in memory at a time
    joblib   by the backend and n_jobs of `joblib.parallel_config`: processes of this machine, or
             those of a cluster; without it one block after the other
    dask     as tasks of Dask: threads of this machine, or the workers of the Client in use

Work is `work(*arguments of the block, state)`. Engines differ in where it runs, not in its
result: see `reduction`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from kinfolk.blocks.reduction import FAN, folded, tree
from kinfolk.errors import BlockError, KinfolkError, import_extra

Work = Callable[..., Any]
Combine = Callable[[Any, Any], Any]
Arguments = Sequence[tuple[Any, ...]]

DIED = (
    "a process that worked on a block died, most often because it had too little memory: make "
    "blocks smaller (block_rows=), or give each worker more memory or fewer threads. What was "
    "fitted before is unchanged."
)


class Engine(Protocol):
    """Interface: applies a function to every block."""

    def fold(self, work: Work, blocks: Arguments, state: Any, combine: Combine) -> Any:
        """Apply `work` to all blocks and combine the results."""

    def each(self, work: Work, blocks: Arguments, state: Any) -> list[Any]:
        """Apply `work` to all blocks and return the results in order."""


class Serial:
    """Processes blocks one after the other in this process."""

    def fold(self, work: Work, blocks: Arguments, state: Any, combine: Combine) -> Any:
        """Apply `work` to all blocks and combine the results."""
        return tree((work(*block, state) for block in blocks), len(blocks), combine)

    def each(self, work: Work, blocks: Arguments, state: Any) -> list[Any]:
        """Apply `work` to all blocks and return the results in order."""
        return [work(*block, state) for block in blocks]


class Joblib:
    """Processes blocks in parallel as `joblib.parallel_config` says, else serially.

    By default not on all cores: each process holds a block, and blocks are used where memory is
    short.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fold(self, work: Work, blocks: Arguments, state: Any, combine: Combine) -> Any:
        """Apply `work` to all blocks and combine the results."""
        return tree(self._results(work, blocks, state), len(blocks), combine)

    def each(self, work: Work, blocks: Arguments, state: Any) -> list[Any]:
        """Apply `work` to all blocks and return the results in order."""
        return list(self._results(work, blocks, state))

    def _results(self, work: Work, blocks: Arguments, state: Any) -> Iterator[Any]:
        """Yield the results of the blocks in order, as soon as they are computed."""
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        side_by_side = Parallel(n_jobs=self.n_jobs, return_as="generator")
        try:
            yield from side_by_side(delayed(work)(*block, state) for block in blocks)
        except TerminatedWorkerError as error:
            raise BlockError(DIED) from error


class Dask:
    """Processes blocks as Dask tasks, by its scheduler or the active Client."""

    def fold(self, work: Work, blocks: Arguments, state: Any, combine: Combine) -> Any:
        """Apply `work` to all blocks and combine the results."""
        delayed = import_extra("dask", "dask", "Rows in blocks of Dask need").delayed
        level = self.delayed(work, blocks, state)
        while len(level) > 1:
            groups = [level[i : i + FAN] for i in range(0, len(level), FAN)]
            level = [delayed(folded, pure=False)(group, combine) for group in groups]
        return computed(level)[0]

    def each(self, work: Work, blocks: Arguments, state: Any) -> list[Any]:
        """Apply `work` to all blocks and return the results in order."""
        return computed(self.delayed(work, blocks, state))

    def delayed(self, work: Work, blocks: Arguments, state: Any) -> list[Any]:
        """Return the results of the blocks as delayed Dask values."""
        delayed = import_extra("dask", "dask", "Rows in blocks of Dask need").delayed
        # One node for work and state: they travel to each machine once, not with each block.
        shared = delayed((work, state), pure=False, traverse=False)
        return [delayed(_applied, pure=False)(shared, *block) for block in blocks]


def _applied(shared: tuple[Work, Any], *block: Any) -> Any:
    work, state = shared
    return work(*block, state)


def computed(tasks: list[Any]) -> list[Any]:
    """Compute delayed Dask values; BlockError if one of them fails."""
    dask = import_extra("dask", "dask", "Rows in blocks of Dask need")
    try:
        return list(dask.compute(*tasks))
    except KinfolkError:
        raise
    except Exception as error:
        # By its name: without a cluster there need be no dask.distributed.
        if type(error).__name__ == "KilledWorker":
            raise BlockError(DIED) from error
        raise BlockError(
            f"Dask could not compute a block ({type(error).__name__}: {str(error)[:200]}): repair "
            "what its rows are read from, or leave them out, and fit again."
        ) from error


ENGINES: dict[str, Callable[[], Engine]] = {"serial": Serial, "joblib": Joblib, "dask": Dask}
