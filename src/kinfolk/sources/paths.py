"""Opens files of any format: suffix, task name, contents."""

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import limits
from kinfolk.sources.contents import Contents
from kinfolk.tables import alignment

TEXT_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".txt", ".dat")
"""Formats that may be plain or packed by gzip."""

BINARY_SUFFIXES = (".parquet", ".xlsx", ".dta", ".npz", ".npy", ".h5ad", ".h5mu")
"""Formats that are read as they are, most of them compressed already."""


_ADVICE = {
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z"), " Unpack it first."),
    ".json": " Write an object per line, as JSON Lines (.jsonl).",
    **dict.fromkeys((".xls", ".ods"), " Save it as .xlsx or .csv."),
    **dict.fromkeys((".sav", ".sas7bdat", ".rds", ".rdata", ".arff"), " Save it as .csv or .dta."),
    ".feather": " Save it as .parquet.",
}
"""Suffix of a known format that is not read -> what to do."""


def split(path: Path) -> tuple[str, str]:
    """Split a file name into stem and suffix, ignoring .gz; InputError if unreadable.

    >>> split(Path("web/texas.2019.csv.gz"))
    ('texas.2019', '.csv')
    """
    packed = path.suffix.lower() == ".gz"
    inner = path.with_suffix("") if packed else path
    suffix = inner.suffix.lower()
    if suffix not in TEXT_SUFFIXES + (() if packed else BINARY_SUFFIXES):
        if path.is_dir():
            raise InputError(f"{path} is a directory: name the files in it.")
        raise FileFormatError(
            f"{path} is in no format that can be read: its name must end in "
            f"{', '.join(TEXT_SUFFIXES)} (each also with .gz), "
            f"{', '.join(BINARY_SUFFIXES[:-1])} or {BINARY_SUFFIXES[-1]}." + _ADVICE.get(suffix, "")
        )
    return inner.stem, suffix


def task_names(paths: Sequence[Path]) -> list[str]:
    """Return one task name per file: its stem, or folder and stem where stems repeat.

    >>> task_names([Path("cornell/words.csv"), Path("texas/words.csv"), Path("other.csv")])
    ['cornell/words', 'texas/words', 'other']
    """
    stems = [split(path)[0] for path in paths]
    unclear = set(alignment.repeated(stems))
    names = [
        f"{path.absolute().parent.name}/{stem}" if stem in unclear else stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    if twice := alignment.repeated(names):
        raise InputError(
            f"Several files would make a task of the same name ({alignment.some(twice)}): rename "
            "files, or name the column that holds the task of each row."
        )
    return names


def contents(path: Path) -> Contents:
    """Return the contents of a file, unpacked if it ends in .gz.

    Raises
    ------
    InputError : the file does not exist or may not be read
    FileFormatError : it is a pipe or a device, empty, broken gzip, or unpacks to more than `limits`
        allow
    """
    if path.is_dir():
        raise InputError(f"{path} is a directory: name the files in it.")
    sealed.check_regular(path)
    try:
        found = Contents.of_file(path)
        if path.suffix.lower() == ".gz":
            found = _unpacked(path, found.size)
        empty = not any(piece.strip() for piece in found.pieces())
    except FileNotFoundError:
        raise InputError(f"There is no file {path}: check the name and the folder.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if empty:
        raise FileFormatError(f"{path} is empty: a table needs a header and at least one row.")
    return found


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if it ends in .gz; raises what `contents` raises."""
    return contents(path).read()


def check_characters(names: Iterable[str]) -> None:
    """Raise InputError at a name that UTF-8 cannot encode."""
    for name in names:  # JSON may hold half of a surrogate pair, such as "\ud800"
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(
                f"The name {ascii(name)} holds half a character: write it again in UTF-8."
            ) from None


def _unpacked(path: Path, packed: int) -> Contents:
    """Contents of a gzip file of `packed` bytes; FileFormatError if broken or too large."""
    try:
        found = Contents.of_gzip(path, limits.most_unpacked(packed))
    except (PermissionError, FileNotFoundError):
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(
            f"{path} is not a complete gzip file: pack it again, or give it unpacked."
        ) from error
    limits.check_unpacked(str(path), found.size, packed)
    return found
