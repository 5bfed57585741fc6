"""The file of a store: made where there is none, refused where it is not sound, never mended.

    runs     what was run, and how it ended
    scores   one measure of one task of one run
    arrays   labels and whatever else the model found, as compressed safetensors

Changes go through a rollback journal, so that a store is one file, which a killed process leaves
whole. A file of another program is recognised by its first 100 bytes, before SQLite sees it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kinfolk.errors import FileFormatError, InputError

MAGIC, APPLICATION, SCHEMA = b"SQLite format 3\0", 0x4B696E66, 1
"""How the file begins, which program's it is ("Kinf"), and the version of its tables."""
PATIENCE = 60.0
"""Seconds to wait for another process that writes."""

_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
    data TEXT NOT NULL, data_options TEXT NOT NULL, checksum TEXT NOT NULL,
    method TEXT NOT NULL, way TEXT NOT NULL, n_clusters TEXT NOT NULL, parameters TEXT NOT NULL,
    preparation TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'refused', 'failed')),
    error TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT '[]', seconds REAL,
    peak_memory INTEGER, objective REAL, n_iter INTEGER, converged INTEGER,
    started TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, claimant TEXT NOT NULL);
CREATE TABLE scores (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, measure TEXT NOT NULL,
    task TEXT NOT NULL, value REAL, UNIQUE (run, measure, task));
CREATE TABLE arrays (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, name TEXT NOT NULL,
    content BLOB NOT NULL, UNIQUE (run, name));
"""


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """Open a store, or make it; see `Store` for what is raised."""
    new = _is_new(path)
    if new and read_only:
        raise InputError(f"There is no store {path}: check its name.")
    with told(path):
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'rwc' if new else 'rw'}",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
    try:
        with told(path):
            _prepare(db, read_only)
            _verify(db, path)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Say in a sentence what SQLite complains of."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"The store {path} cannot be used: {error}; see that there is room, that you may "
            "write there, and that no other program holds it."
        ) from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # a fault of ours and not of the file
            raise
        raise damaged(path, error) from error


@contextmanager
def transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    """All that happens within, or nothing; "IMMEDIATE" waits for whoever else writes."""
    with db:
        db.execute(f"BEGIN {kind}")
        yield


def damaged(path: Path, why: object) -> FileFormatError:
    """Return the sentence about a file that is not sound."""
    return FileFormatError(
        f"The store {path} is damaged ({why}); it is left as it is: use a copy, or name another "
        "file."
    )


def _is_new(path: Path) -> bool:
    """Whether there is nothing yet; else the first bytes are those of a store."""
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to keep a store in.")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise FileFormatError(
            f"{path} cannot be read as a store: {error.strerror}; name another file."
        ) from error
    if not head:
        return True
    schema, application = (int.from_bytes(head[at : at + 4], "big") for at in (60, 68))
    if not head.startswith(MAGIC) or application != APPLICATION:
        raise FileFormatError(f"{path} is no store of Kinfolk; name another file.")
    if schema > SCHEMA:
        raise FileFormatError(
            f"{path} was written by a newer Kinfolk (schema {schema}, known is {SCHEMA}): update "
            "Kinfolk to read it."
        )
    return False


def _prepare(db: sqlite3.Connection, read_only: bool) -> None:
    """Trust nothing that the file says of itself, and make the tables where there are none."""
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA foreign_keys = ON")
    if read_only:
        db.execute("PRAGMA query_only = ON")
    elif not _layout(db):
        with transaction(db, "IMMEDIATE"):
            if not _layout(db):  # nobody else has made them in the meantime
                _build(db)


def _verify(db: sqlite3.Connection, path: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as sound:
        _build(sound)
        if _layout(db) != _layout(sound):
            raise damaged(path, "its tables are not those of a store")
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise damaged(path, found)


def _build(db: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";")[:-1]:
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def _layout(db: sqlite3.Connection) -> list[tuple[str, str | None]]:
    """Every table, index, view and trigger, and how it was made."""
    return db.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
