"""The store: claims runs, records how they ended, and answers reports."""

import json
import os
import socket
import threading
import uuid
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays

from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.papers.store import archive, claims
from kinfolk.papers.store.runs import VERSION, Outcome, Row, Run, canonical

_ENCODED = ("data_options", "n_clusters", "parameters", "preparation", "notes")
_RUN = [column.name for column in fields(Run)]
_OUTCOME = [column.name for column in fields(Outcome) if column.name not in ("scores", "arrays")]
_ROW = ["key", "checksum", "version", "started"]


class Store:
    """A file of runs.

    Parameters
    ----------
    path : the file; a new one is made where there is none
    read_only : never make or change it

    Raises
    ------
    FileFormatError : the file is damaged, of another program or of a newer Kinfolk; it is left as
        it is
    InputError : there is no such file or folder, or it may not be opened

    Examples
    --------
    >>> run, outcome = Run("blobs", "kmeans"), Outcome("done", scores={"nmi": {"a": 0.5}})
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     key = store.claim(run, checksum="c")
    ...     store.claim(run, checksum="c") is None  # taken
    ...     store.record(key, outcome)
    ...     store.runs(method="kmeans")[0].outcome.scores
    True
    {'nmi': {'a': 0.5}}
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()  # joblib asks for the next run from a thread of its own
        self._claimant = f"{claims.PROCESS}-{uuid.uuid4().hex}"
        self._read_only = read_only
        self._db = archive.connect(self.path, read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is claimed and not recorded, and close the file."""
        try:
            if not self._read_only:
                self.release()
        finally:
            self._db.close()

    def settled(self) -> set[str]:
        """Return the keys of all runs that need not be run again: done or refused."""
        with archive.told(self.path):
            found = self._db.execute("SELECT key FROM runs WHERE status IN ('done', 'refused')")
            return {key for (key,) in found}

    def claim(self, run: Run, checksum: str) -> str | None:
        """Keep a run for this process; return its key, or None if it is settled or in hand."""
        key, now = run.key(checksum), datetime.now(UTC)
        row = {name: _encoded(name, getattr(run, name)) for name in _RUN} | {
            "key": key,
            "checksum": checksum,
            "version": VERSION,
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
            if found is not None and not claims.is_free(*found, now=now):
                return None
            self._db.execute("DELETE FROM runs WHERE key = ?", (key,))
            names = ", ".join(row)
            places = ", ".join("?" * len(row))
            self._db.execute(f"INSERT INTO runs ({names}) VALUES ({places})", [*row.values()])
        return key

    def record(self, key: str, outcome: Outcome) -> None:
        """Keep how a run that was claimed here ended; nothing, if another has taken it over."""
        changes = {name: _encoded(name, getattr(outcome, name)) for name in _OUTCOME}
        setting = ", ".join(f"{name} = ?" for name in changes)
        scores = [
            (measure, task, value)
            for measure, tasks in outcome.scores.items()
            for task, value in tasks.items()
        ]
        arrays = [(name, _packed(array)) for name, array in outcome.arrays.items()]
        with self._transaction("IMMEDIATE"):
            mine = self._db.execute(
                f"UPDATE runs SET {setting} WHERE key = ? AND claimant = ? AND status = 'running' "
                "RETURNING id",
                [*changes.values(), key, self._claimant],
            ).fetchall()
            for (run,) in mine:
                self._db.executemany(f"INSERT INTO scores VALUES ({run:d}, ?, ?, ?)", scores)
                self._db.executemany(f"INSERT INTO arrays VALUES ({run:d}, ?, ?)", arrays)

    def release(self) -> None:
        """Give back the runs that are claimed here and not recorded."""
        with self._transaction("IMMEDIATE"):
            self._db.execute(
                "DELETE FROM runs WHERE status = 'running' AND claimant = ?", (self._claimant,)
            )

    def runs(
        self,
        *,
        data: str | Collection[str] | None = None,
        method: str | Collection[str] | None = None,
        way: str | Collection[str] | None = None,
        status: str | Collection[str] | None = None,
        seed: int | Collection[int] | None = None,
    ) -> list[Row]:
        """Return the runs with one of these values each, or with any where None; oldest first."""
        wanted = {"data": data, "method": method, "way": way, "status": status, "seed": seed}
        where, values = _condition(wanted)
        columns = [*_ROW, *_RUN, *_OUTCOME]
        with self._transaction("DEFERRED"):
            lines = self._db.execute(
                f"SELECT {', '.join(columns)} FROM runs WHERE {where} ORDER BY id", values
            ).fetchall()
            measured = self._db.execute(
                "SELECT key, measure, task, value FROM scores JOIN runs ON runs.id = scores.run "
                f"WHERE {where} ORDER BY scores.rowid",
                values,
            ).fetchall()
        scores: dict[str, dict[str, dict[str, float]]] = {}
        for key, measure, task, value in measured:
            of_run = scores.setdefault(key, {})
            of_run.setdefault(measure, {})[task] = np.nan if value is None else value
        try:
            return [_row(dict(zip(columns, line, strict=True)), scores) for line in lines]
        except (TypeError, ValueError) as error:
            raise archive.damaged(self.path, error) from error

    def labels(self, key: str) -> Labels:
        """Return the clusters (n,) that a run found."""
        return self.array(key, "labels").astype(int)

    def array(self, key: str, name: str) -> NDArray[Any]:
        """Return what a run found under a name, for example "task_relatedness".

        Raises
        ------
        InputError : it found nothing of that name
        FileFormatError : what is stored is damaged
        """
        with archive.told(self.path):
            found = dict(
                self._db.execute(
                    "SELECT name, content FROM arrays JOIN runs ON runs.id = arrays.run "
                    "WHERE key = ?",
                    (key,),
                )
            )
        if name not in found:
            raise InputError(
                f"Run {key:.12} has no {name!r}; it has {', '.join(sorted(found)) or 'no arrays'}."
            )
        try:
            return parse_arrays(zlib.decompress(found[name]))["array"]
        except (zlib.error, SafetensorError, KeyError, TypeError) as error:
            raise archive.damaged(self.path, error) from error

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        with self._lock, archive.told(self.path), archive.transaction(self._db, kind):
            yield


def _condition(wanted: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """SQL for "each column has one of these values", and the values."""
    parts, values = ["1"], []
    for column, value in wanted.items():
        if value is not None:
            allowed = [value] if isinstance(value, str | int) else [*value]
            parts.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    return " AND ".join(parts), values


def _encoded(name: str, value: Any) -> Any:
    return canonical(value) if name in _ENCODED else value


def _packed(array: NDArray[Any]) -> bytes:
    return zlib.compress(format_arrays({"array": np.ascontiguousarray(array)}))


def _row(line: dict[str, Any], scores: Mapping[str, Any]) -> Row:
    for name in _ENCODED:
        line[name] = json.loads(line[name])
    line["notes"] = tuple(line["notes"])
    if line["converged"] is not None:
        line["converged"] = bool(line["converged"])
    outcome = Outcome(**{name: line[name] for name in _OUTCOME}, scores=scores.get(line["key"], {}))
    return Row(
        run=Run(**{name: line[name] for name in _RUN}),
        outcome=outcome,
        **{name: line[name] for name in _ROW},
    )
