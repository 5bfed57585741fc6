"""Store of runs in SQLite: reserve runs, record their results, and query them."""

import os
import socket
import threading
import uuid
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save as format_arrays

from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.papers.store import claims, database, stored_values
from kinfolk.papers.store.runs import (
    COLUMN_OF,
    KINFOLK_VERSION,
    Outcome,
    RunSpec,
    StoredRun,
    canonical,
)

_MALFORMED = (TypeError, ValueError, LookupError, AttributeError, RecursionError, OverflowError)
_SPEC = [COLUMN_OF.get(field.name, field.name) for field in fields(RunSpec)]
_OUTCOME = [column.name for column in fields(Outcome) if column.name not in ("scores", "arrays")]
_STORED = ["key", "checksum", "version", "started"]


class Store:
    """SQLite file of runs that several processes may read and write at once.

    Parameters
    ----------
    path : the file; it is created if it does not exist
    read_only : True: neither create nor change the file

    Raises
    ------
    FileFormatError : the file is damaged, of another program or of a newer Kinfolk; it stays as
        it is
    InputError : the file or folder does not exist or may not be opened

    Examples
    --------
    >>> spec = RunSpec("blobs", "kmeans")
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     key = store.claim(spec, checksum="c")
    ...     print(store.claim(spec, checksum="c"))  # claimed already
    ...     store.record(key, Outcome("done", scores={"nmi": {"a": 0.5}}))
    ...     [(run.spec.data, run.outcome.scores) for run in store.runs(method="kmeans")]
    None
    [('blobs', {'nmi': {'a': 0.5}})]
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()  # joblib asks for the next run from a thread of its own
        self._claimant = f"{claims.PROCESS_TOKEN}-{uuid.uuid4().hex}"
        self._read_only = read_only
        self._db = database.connect(self.path, read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release this store's open reservations and close the file."""
        try:
            if not self._read_only:
                self.release()
        finally:
            self._db.close()

    def finished_keys(self) -> set[str]:
        """Return keys of runs that are done or refused; failed ones are not included."""
        with database.explained_errors(self.path):
            found = self._db.execute("SELECT key FROM runs WHERE status IN ('done', 'refused')")
            return {key for (key,) in found}

    def claim(self, spec: RunSpec, checksum: str) -> str | None:
        """Reserve a run for this process and return its key; None if it is done or reserved.

        None if the run is done or refused, or claimed by another process that still runs.
        """
        key = spec.key(checksum)
        now = datetime.now(UTC)
        row = {name: _encoded(name, value) for name, value in spec.columns().items()} | {
            "key": key,
            "checksum": checksum,
            "version": KINFOLK_VERSION,
            "status": "running",
            "started": now.isoformat(timespec="seconds"),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "claimant": self._claimant,
        }
        with self._transaction("IMMEDIATE"):
            found = self._db.execute(
                "SELECT status, started, host, pid, claimant FROM runs WHERE key = ?", (key,)
            ).fetchone()
            with self._values_checked():
                taken = found is not None and not claims.is_claimable(*found, now=now)
            if taken:
                return None
            # A failed run or a lapsed claim gives way to the new claim.
            self._db.execute("DELETE FROM runs WHERE key = ?", (key,))
            self._db.execute(
                f"INSERT INTO runs ({', '.join(row)}) VALUES ({_places(row)})", [*row.values()]
            )
        return key

    def record(self, key: str, outcome: Outcome) -> None:
        """Write the outcome of a run that this store reserved.

        Nothing is written if the claim has lapsed and another process has taken the run over.
        """
        changes = {name: _encoded(name, getattr(outcome, name)) for name in _OUTCOME}
        setting = ", ".join(f"{name} = ?" for name in changes)
        scores, arrays = _measured(outcome)
        with self._transaction("IMMEDIATE"):
            mine = self._db.execute(
                f"UPDATE runs SET {setting} WHERE key = ? AND claimant = ? AND status = 'running' "
                "RETURNING id",
                [*changes.values(), key, self._claimant],
            ).fetchall()
            for (run,) in mine:  # none if the claim has lapsed
                self._insert(run, scores, arrays)

    def add(self, runs: Iterable[StoredRun]) -> int:
        """Insert finished runs, with their arrays, and return how many this store lacked.

        All or none of them are inserted. A run whose key is here stays as it is, whatever its
        status.
        """
        added = 0
        with self._transaction("IMMEDIATE"):
            for run in runs:
                values = {
                    **run.spec.columns(),
                    **{name: getattr(run.outcome, name) for name in _OUTCOME},
                    **{name: getattr(run, name) for name in _STORED},
                    # A finished run has no process.
                    **{"host": "", "pid": 0, "claimant": ""},
                }
                new = self._db.execute(
                    f"INSERT INTO runs ({', '.join(values)}) VALUES ({_places(values)}) "
                    "ON CONFLICT (key) DO NOTHING RETURNING id",
                    [_encoded(name, value) for name, value in values.items()],
                ).fetchall()
                for (number,) in new:
                    self._insert(number, *_measured(run.outcome))
                added += len(new)
        return added

    def _insert(self, run: int, scores: list[Any], arrays: list[Any]) -> None:
        """Write scores and arrays of the run with this number."""
        self._db.executemany(f"INSERT INTO scores VALUES ({run:d}, ?, ?, ?)", scores)
        self._db.executemany(f"INSERT INTO arrays VALUES ({run:d}, ?, ?)", arrays)

    def release(self) -> None:
        """Give up this store's reservations of runs without an outcome."""
        with self._transaction("IMMEDIATE"):
            self._db.execute(
                "DELETE FROM runs WHERE status = 'running' AND claimant = ?", (self._claimant,)
            )

    def runs(
        self,
        *,
        data: str | Collection[str] | None = None,
        method: str | Collection[str] | None = None,
        strategy: str | Collection[str] | None = None,
        status: str | Collection[str] | None = None,
        seed: int | Collection[int] | None = None,
    ) -> list[StoredRun]:
        """Return runs that match the given data sets, methods, ...; oldest first.

        None accepts every value. The outcomes come without arrays; see `array`.
        """
        wanted = {"data": data, "method": method, "way": strategy, "status": status, "seed": seed}
        where, values = _condition(wanted)
        columns = [*_STORED, *_SPEC, *_OUTCOME]
        with self._transaction("DEFERRED"):  # both queries see the same state of the file
            lines = self._db.execute(
                f"SELECT {', '.join(columns)} FROM runs WHERE {where} ORDER BY id", values
            ).fetchall()
            measured = self._db.execute(
                "SELECT key, measure, task, value FROM scores JOIN runs ON runs.id = scores.run "
                f"WHERE {where} ORDER BY scores.rowid",
                values,
            ).fetchall()
        scores: dict[str, dict[str, dict[str, float]]] = {}
        with self._values_checked():
            for key, measure, task, value in measured:
                of_run = scores.setdefault(key, {})
                of_run.setdefault(measure, {})[task] = stored_values.score(measure, task, value)
            records = [dict(zip(columns, line, strict=True)) for line in lines]
            return [stored_values.stored_run(r, scores.get(r["key"], {})) for r in records]

    def labels(self, key: str) -> Labels:
        """Return the cluster (n,) of each scored row of a run."""
        found = self.array(key, "labels")
        with self._values_checked():
            return stored_values.labels(found)

    def array(self, key: str, name: str) -> NDArray[Any]:
        """Return a fitted array of a run by name, for example "task_relatedness".

        Raises
        ------
        InputError : the run has no array of that name
        FileFormatError : the stored bytes are damaged
        """
        found = self._contents(key)
        if name not in found:
            names = ", ".join(sorted(map(str, found))) or "no arrays"
            raise InputError(f"Run {key:.12} has no {name!r}; it has {names}.")
        with self._values_checked():
            return stored_values.array(found[name])

    def arrays(self, key: str) -> dict[str, NDArray[Any]]:
        """Return all fitted arrays of a run by name; FileFormatError if one is damaged."""
        found = self._contents(key)
        with self._values_checked():
            return {str(name): stored_values.array(content) for name, content in found.items()}

    def _contents(self, key: str) -> dict[Any, Any]:
        """Return the stored bytes of the arrays of a run by name."""
        with database.explained_errors(self.path):
            return dict(
                self._db.execute(
                    "SELECT name, content FROM arrays JOIN runs ON runs.id = arrays.run "
                    "WHERE key = ? ORDER BY arrays.rowid",
                    (key,),
                )
            )

    @contextmanager
    def _values_checked(self) -> Iterator[None]:
        """Context that reports values of wrong types as a damaged file."""
        try:
            yield
        except (*_MALFORMED, SafetensorError, zlib.error) as error:
            raise database.damaged(self.path, error) from error

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        with self._lock, database.explained_errors(self.path), database.transaction(self._db, kind):
            yield


def _condition(wanted: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """SQL condition that each column equals one of the wanted values, with its parameters."""
    parts = ["1"]  # always true, so that a query without conditions returns every run
    values: list[Any] = []
    for column, value in wanted.items():
        if value is not None:
            allowed = [value] if isinstance(value, str | int) else [*value]
            parts.append(f"{column} IN ({_places(allowed)})")
            values += allowed
    return " AND ".join(parts), values


def _places(values: Collection[Any]) -> str:
    """Placeholders of SQL for values.

    >>> _places("abc")
    '?, ?, ?'
    """
    return ", ".join("?" * len(values))


def _measured(outcome: Outcome) -> tuple[list[tuple[str, str, float]], list[tuple[str, bytes]]]:
    """List scores as (measure, task, value), and arrays as (name, compressed bytes)."""
    scores = [
        (measure, task, value)
        for measure, tasks in outcome.scores.items()
        for task, value in tasks.items()
    ]
    return scores, [(name, _packed(array)) for name, array in outcome.arrays.items()]


def _encoded(name: str, value: Any) -> Any:
    return canonical(value) if name in stored_values.ENCODED else value


def _packed(array: NDArray[Any]) -> bytes:
    # Labels of few clusters compress to a small part of their size.
    return zlib.compress(format_arrays({"array": np.ascontiguousarray(array)}))
