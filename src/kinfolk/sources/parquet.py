"""Reader of Parquet files."""

from typing import TYPE_CHECKING, Any

from kinfolk.errors import FileFormatError, import_extra
from kinfolk.sources import frames, limits
from kinfolk.sources.contents import Contents
from kinfolk.sources.nested import NotRead
from kinfolk.sources.sheets import Roles

if TYPE_CHECKING:
    import pandas as pd

_NEEDS = "Reading this file needs"

_PARTS = 16
"""Number of groups of columns, which are unpacked one after the other."""


def frame(file: str, contents: Contents, roles: Roles) -> "pd.DataFrame":
    """Parse a Parquet file; a named pandas index becomes a column.

    Lists and records are not read, but for embeddings and lists of words.
    """
    pandas = import_extra("pandas", "app", _NEEDS)
    arrow = import_extra("pyarrow", "parquet", _NEEDS)
    reader = import_extra("pyarrow.parquet", "parquet", _NEEDS)
    try:
        with contents.open() as stream:
            stored = reader.ParquetFile(stream)
            schema = stored.schema_arrow
            # The metadata states the size of the table before any of it is unpacked.
            nested = {f.name: f.type for f in schema if arrow.types.is_nested(f.type)}
            read = [n for n, kind in nested.items() if _is_read(n, kind, roles, arrow)]
            unread = nested.keys() - read
            refused = [name for name in roles.column_names() if name in unread]
            limits.check_parquet(file, contents.size, stored.metadata, refused)
            for name in read:
                limits.check_lists(file, contents.size, stored, name)
            names = [name for name in schema.names if not name.startswith("__index_level_")]
            frames.check_names(file, names)
            kinds = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
            texts = [name for name in names if schema.field(name).type in kinds]
            # As dictionaries, until it is known how long the texts are in all.
            unpacked = reader.ParquetFile(stream, read_dictionary=texts, pre_buffer=False)
            found: dict[str, Any] = {}
            for part in [texts, *_parts([n for n in names if n not in unread.union(texts)])]:
                # A name before a point stands for all columns with that beginning, too.
                table = unpacked.read(columns=part, use_threads=False).select(part)
                limits.check_texts(file, table)
                table = table.cast(arrow.schema([schema.field(name) for name in part]))
                # Copied, because the memory that was unpacked to is up to twice as long.
                columns = table.to_pandas(split_blocks=True, self_destruct=True).copy()
                found |= dict(columns.items())
                del table
                arrow.default_memory_pool().release_unused()
            for name in unread:
                found[name] = [_not_read(nested[name], arrow)] * stored.metadata.num_rows
        return pandas.DataFrame({name: found[name] for name in names}, copy=False)
    except FileFormatError:  # a ValueError too, but already a sentence for the user
        raise
    except (arrow.ArrowException, OSError, ValueError, MemoryError) as error:
        raise FileFormatError(
            f"{file} is not a Parquet file that can be read: write it again, or give it as .csv."
        ) from error


def _is_read(name: str, kind: Any, roles: Roles, arrow: Any) -> bool:
    """True for a type of lists of texts, as several answers are, and of lists for embeddings."""
    is_answers = _is_list(kind, arrow) and kind.value_type in (arrow.string(), arrow.large_string())
    return is_answers or (name == roles.embeddings and _is_list(kind, arrow))


def _not_read(kind: Any, arrow: Any) -> NotRead:
    """Return the placeholder that takes the place of each list or record of a column type."""
    of = arrow.types
    is_vector = _is_list(kind, arrow) and (
        of.is_floating(kind.value_type) or of.is_integer(kind.value_type)
    )
    return NotRead(str(kind), is_vector)


def _is_list(kind: Any, arrow: Any) -> bool:
    of = arrow.types
    return bool(of.is_list(kind) or of.is_large_list(kind) or of.is_fixed_size_list(kind))


def _parts(names: list[str]) -> list[list[str]]:
    """Divide column names into groups that are converted one after another, to save memory.

    >>> [len(part) for part in _parts(list("abcdefghijklmnopqrst"))]
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    width = -(-len(names) // _PARTS) or 1
    return [names[start : start + width] for start in range(0, len(names), width)]
