"""Opens the SQLite file of a store, creating or checking it.

    runs     specification and outcome of each run
    scores   one measure of one task of one run
    arrays   labels and other fitted arrays, as compressed safetensors

Changes go through a rollback journal: a store is one file and survives a killed process. The first
100 bytes tell whether the file is a store, so SQLite never opens a file of another program.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError

SQLITE_MAGIC = b"SQLite format 3\0"
APPLICATION_ID = 0x4B696E66  # "Kinf"
STORE_SCHEMA = 1
LOCK_TIMEOUT = 60.0
"""Seconds to wait for the write lock of another process."""

# Never reformat this text: a store is refused unless it was made by the same SQL.
_CREATE_TABLES = """
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
    """Open or create the SQLite file of a store; errors as described in `Store`."""
    new = _is_new(path)
    if new and read_only:
        if path.exists():
            raise InputError(
                f"The file {path} is empty and holds no runs: name another one, or write some to "
                f"it by `kinfolk reproduce ... --store {path}`."
            )
        raise InputError(f"There is no store {path}: check its name.")
    with explained_errors(path):
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'rwc' if new else 'rw'}",
            uri=True,
            timeout=LOCK_TIMEOUT,
            isolation_level=None,  # transactions begin and end only where `transaction` says
            check_same_thread=False,
        )
    try:
        with explained_errors(path):
            _prepare(db, read_only)
            _verify(db, path)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def explained_errors(path: Path) -> Iterator[None]:
    """Context that turns SQLite's errors into sentences for the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged(path, error) from error
    except sqlite3.OperationalError as error:
        if "decode" in str(error):  # a text that is no UTF-8
            raise damaged(path, error) from error
        raise InputError(
            f"The store {path} cannot be used: {error}; see that there is room, that you may "
            "write there, and that no other program holds it."
        ) from error
    except sqlite3.DatabaseError as error:
        # Only the base class says that the file is damaged; its subclasses are faults of our SQL.
        if type(error) is not sqlite3.DatabaseError:
            raise
        raise damaged(path, error) from error


@contextmanager
def transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Context of one transaction; "IMMEDIATE" takes the write lock at once."""
    with db:
        db.execute(f"BEGIN {kind}")
        yield


def damaged(path: Path, why: object) -> FileFormatError:
    """Build the error for a damaged store file.

    >>> print(damaged(Path("runs.sqlite"), "a page is missing"))
    The store runs.sqlite is damaged (a page is missing); it is left as it is: use a copy, or name
    another file.
    """
    reason = " ".join(str(why).split())  # SQLite describes some faults in several lines
    return FileFormatError(
        f"The store {path} is damaged ({reason:.200}); it is left as it is: use a copy, or name "
        "another file."
    )


def _is_new(path: Path) -> bool:
    """True if the file is missing or empty; error if it is no store."""
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to keep a store in.")
    sealed.check_regular(path)
    if path.is_dir():
        raise FileFormatError(
            f"{path} is a folder, and a store is one file: name another, or, if these are packed "
            f"runs, make a store of them by `kinfolk store unpack {path} runs.sqlite`."
        )
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
    # SQLite's header holds user_version at byte 60 and application_id at byte 68.
    schema, application = (int.from_bytes(head[at : at + 4], "big") for at in (60, 68))
    if not head.startswith(SQLITE_MAGIC) or application != APPLICATION_ID:
        raise FileFormatError(f"{path} is no store of Kinfolk; name another file.")
    if schema > STORE_SCHEMA:
        raise FileFormatError(
            f"{path} was written by a newer Kinfolk (schema {schema}, known is {STORE_SCHEMA}): "
            "update Kinfolk to read it."
        )
    return False


def _prepare(db: sqlite3.Connection, read_only: bool) -> None:
    """Set the connection's options and create missing tables."""
    # A store may come from a stranger: functions that its schema names are not run.
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA foreign_keys = ON")
    if read_only:
        db.execute("PRAGMA query_only = ON")
        return
    # The other journal ("WAL"), which a browser of SQLite may have set, shares memory between
    # processes: that fails on network shares. It stays while another program has the store open.
    with suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode = DELETE")
    if not _layout(db):
        with transaction(db, "IMMEDIATE"):
            if not _layout(db):  # another process may have created them in the meantime
                _build(db)


def _verify(db: sqlite3.Connection, path: Path) -> None:
    """Raise an error unless the file has the tables of a store and no broken pages."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as sound:
        _build(sound)
        if _layout(db) != _layout(sound):
            raise damaged(path, "its tables are not those of a store")
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise damaged(path, found)


def _build(db: sqlite3.Connection) -> None:
    for statement in _CREATE_TABLES.split(";")[:-1]:
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {STORE_SCHEMA}")


def _layout(db: sqlite3.Connection) -> list[tuple[str, str | None]]:
    """Name and SQL definition of all tables, indices, views and triggers."""
    return db.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
