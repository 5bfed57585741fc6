"""Reader of Parquet files."""

from typing import TYPE_CHECKING, Any

from kinfolk.errors import FileFormatError, import_extra
from kinfolk.sources import frames, limits
from kinfolk.sources.contents import Contents
from kinfolk.sources.sheets import Roles

if TYPE_CHECKING:
    import pandas as pd

_NEEDS = "Reading this file needs"

_PARTS = 16
"""Number of groups of columns, which are unpacked one after the other."""


def frame(file: str, contents: Contents, roles: Roles) -> "pd.DataFrame":
    """Parse a Parquet file; a named pandas index becomes a column."""
    pandas = import_extra("pandas", "app", _NEEDS)
    arrow = import_extra("pyarrow", "parquet", _NEEDS)
    reader = import_extra("pyarrow.parquet", "parquet", _NEEDS)
    try:
        with contents.open() as stream:
            stored = reader.ParquetFile(stream)
            schema = stored.schema_arrow
            # The metadata states the size of the table before any of it is unpacked.
            nested = [field.name for field in schema if arrow.types.is_nested(field.type)]
            words = [field.name for field in schema if _holds_lists_of_words(field.type, arrow)]
            refused = [name for name in nested if name not in (roles.embeddings, *words)]
            limits.check_parquet(file, contents.size, stored.metadata, refused)
            for name in nested:
                limits.check_lists(file, contents.size, stored, name)
            names = [name for name in schema.names if not name.startswith("__index_level_")]
            frames.check_names(file, names)
            kinds = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
            texts = [name for name in names if schema.field(name).type in kinds]
            # As dictionaries, until it is known how long the texts are in all.
            unpacked = reader.ParquetFile(stream, read_dictionary=texts, pre_buffer=False)
            found: dict[str, Any] = {}
            for part in [texts, *_parts([name for name in names if name not in set(texts)])]:
                # A name before a point stands for all columns with that beginning, too.
                table = unpacked.read(columns=part, use_threads=False).select(part)
                limits.check_texts(file, table)
                table = table.cast(arrow.schema([schema.field(name) for name in part]))
                # Copied, because the memory that was unpacked to is up to twice as long.
                columns = table.to_pandas(split_blocks=True, self_destruct=True).copy()
                found |= dict(columns.items())
                del table
                arrow.default_memory_pool().release_unused()
        return pandas.DataFrame({name: found[name] for name in names}, copy=False)
    except FileFormatError:  # a ValueError too, but already a sentence for the user
        raise
    except (arrow.ArrowException, OSError, ValueError, MemoryError) as error:
        raise FileFormatError(
            f"{file} is not a Parquet file that can be read: write it again, or give it as .csv."
        ) from error


def _holds_lists_of_words(kind: Any, arrow: Any) -> bool:
    """True for a type of lists of texts, as several answers in a cell are."""
    lists = arrow.types.is_list(kind) or arrow.types.is_large_list(kind)
    return bool(lists and kind.value_type in (arrow.string(), arrow.large_string()))


def _parts(names: list[str]) -> list[list[str]]:
    """Divide column names into groups that are converted one after another, to save memory.

    >>> [len(part) for part in _parts(list("abcdefghijklmnopqrst"))]
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    width = -(-len(names) // _PARTS) or 1
    return [names[start : start + width] for start in range(0, len(names), width)]
