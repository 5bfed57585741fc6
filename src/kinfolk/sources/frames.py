"""Readers of delimited text and of JSON Lines, and checks of the names of columns."""

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kinfolk.arguments import shown
from kinfolk.errors import FileFormatError, import_extra
from kinfolk.sources import header as header_lines
from kinfolk.sources import limits, marks, native, parsing, paths, spelling
from kinfolk.sources.contents import Contents, rows_of
from kinfolk.sources.sheets import Roles
from kinfolk.sources.text_encoding import not_utf8
from kinfolk.tables import alignment

if TYPE_CHECKING:
    import pandas as pd

NEEDS = "Reading this file needs"

_LEADING_ZERO = re.compile(rb'[,;\t|\n] *"?0\d')
"""A field such as 01067, which is no number but a code."""

FEWEST_NAMED_ROWS = 3
"""Values of fewer rows are different by chance."""

_Read = Callable[[Collection[str]], "pd.DataFrame"]
"""Parses a file's rows, with these columns as text."""
_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"]
"""Spellings of a missing number; in texts and labels only "" is missing."""


def separated_values(
    file: str,
    contents: Contents,
    roles: Roles,
    separator: str,
    *,
    header: bool = True,
    written: Mapping[str, str] = MappingProxyType({}),
) -> "pd.DataFrame":
    r"""Parse UTF-8 text whose fields a `separator` divides, as a pandas frame.

    Without `header` the first line is a row, and the columns are x0, x1 and so on. Columns
    `written` with dots between thousands in the rows of a fit stay text, which is to be read in
    that notation.

    >>> raw = Contents.of_bytes(b"city,n\n007,1\n,NA\n")
    >>> frame = separated_values("t.csv", raw, Roles(tasks="city"), ",")
    >>> frame.values.tolist()
    [['007', 1.0], [nan, nan]]
    """
    pandas = import_extra("pandas", "app", NEEDS)
    with _text(file, contents) as stream:
        names = _header(file, stream, separator, header)
    n_lines = sum(piece.count(b"\n") for piece in contents.pieces()) + 1
    limits.check_cells(file, n_lines, len(names), contents.size)

    names = _names_of_fields(file, contents, names, separator, header)
    read = _reader(file, contents, names, roles, separator, header)
    dotted = {name for name, how in written.items() if spelling.thousands(how) == "."}
    # In roles "007" stays as it is.
    kept = [name for name in names if name in roles or name in dotted]
    try:
        found = read(kept)
        _keep_codes(found, kept, read, _has_codes(contents))
        _read_thousands(found, kept, read, separator != ",", written)
        return found
    except pandas.errors.ParserWarning:
        reason = "its rows have more fields than its header"
    except pandas.errors.ParserError as error:
        reason = str(error).rpartition("C error: ")[2].strip()
    except UnicodeDecodeError as error:
        raise not_utf8(file) from error
    raise irregular(file, reason)


def _names_of_fields(
    file: str, contents: Contents, header_names: list[str], separator: str, header: bool
) -> list[str]:
    """Return names of the columns, with one for a column that rows have and the header lacks."""
    with _text(file, contents) as stream:
        more = _further_fields(stream, separator, len(header_names))
    if header and len(more) == 1 and more != [""] and unnamed(0) not in header_names:
        with _text(file, contents) as stream:
            if _begin_with_names(stream, separator, len(header_names)):
                return [unnamed(0), *header_names]
    if more and (more != [""] or not header):
        raise irregular(file, "its rows have more fields than its header")
    # With a separator at the end of each row there is a column without name and values.
    return header_names + [unnamed(len(header_names))] * len(more)


def _keep_codes(found: "pd.DataFrame", kept: Collection[str], read: _Read, zeros: bool) -> None:
    """Restore in place the text of whole-number columns that are `parsing.codes`, as postcodes.

    `zeros` if some column may have numbers with a leading zero.
    """
    whole = [name for name in found.columns if _is_whole(found[name])]
    # Beside gaps whole numbers are floats, which round long ones.
    whole = [name for name in whole if zeros or found[name].max() > native.LARGEST_EXACT]
    if whole:
        texts = read([*kept, *whole])
        words = {name: texts[name].dropna().str.strip() for name in whole}
        codes = [
            name
            for name in whole
            if words[name].str.match(r"0\d").any() or parsing.codes(words[name])
        ]
        found[codes] = texts[codes]


def _is_whole(values: "pd.Series[Any]") -> bool:
    """True for whole numbers; with gaps they are floats."""
    if values.dtype.kind != "f":
        return values.dtype.kind == "i"
    there = values.dropna()
    return 0 < len(there) < len(values) and bool((there % 1 == 0).all())


def _read_thousands(
    found: "pd.DataFrame",
    kept: Collection[str],
    read: _Read,
    may_be_commas: bool,
    written: Mapping[str, str],
) -> None:
    """Restore in place the text of decimal columns whose dots divide thousands: 1.200 for 1200.

    Not of those that are `written` with decimal points in the rows of a fit.
    """
    dotted = any(spelling.thousands(how) == "." for how in written.values())
    broken = [
        name
        for name in found.columns
        if found[name].dtype.kind == "f" and written.get(name) != spelling.POINTS
    ]
    # Between commas, 1,5 in quotes is rather two answers than a number.
    commas = bool(broken) and may_be_commas and (dotted or marks.has_decimal_commas(found))
    doubtful = [
        name for name in broken if commas or parsing.may_be_thousands(found[name].to_numpy())
    ]
    if not doubtful:
        return
    texts = read([*kept, *doubtful])
    for name in doubtful:
        words = texts[name].dropna().str.strip().unique()
        if parsing.numbers(words).thousands:
            found[name] = texts[name]  # with the dots, which the notes and a model tell
        elif commas and parsing.numbers(words, thousands=".").thousands:
            found[name] = texts[name].str.replace(".", "", regex=False)


def _reader(
    file: str,
    contents: Contents,
    names: Sequence[str],
    roles: Roles,
    separator: str,
    header: bool,
) -> _Read:
    """Return read(as_text), which parses the rows and leaves these columns as text."""
    pandas = import_extra("pandas", "app", NEEDS)

    def parsed(as_text: Collection[str], pieces: bool) -> "pd.DataFrame":
        """Parse the rows, some columns as text; in `pieces`, or with one type for a column."""
        with warnings.catch_warnings(), _text(file, contents) as stream:
            # pandas only warns of rows that are longer than the header, and drops their ends.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            # In pieces it takes half the memory, but a column has the type of each piece.
            warnings.simplefilter("error", pandas.errors.DtypeWarning)
            return pandas.read_csv(
                stream,
                sep=separator,
                skipinitialspace=True,
                header=0 if header else None,
                names=names,
                index_col=False,
                dtype=dict.fromkeys(as_text, str),
                keep_default_na=False,
                na_values={name: [""] if name in roles else _MISSING for name in names},
                low_memory=pieces,
                **_exactly(pandas),
            )

    def read(as_text: Collection[str]) -> "pd.DataFrame":
        try:
            return parsed(as_text, pieces=True)
        except pandas.errors.DtypeWarning:  # types of pieces differ
            return parsed(as_text, pieces=False)

    return read


def _has_codes(contents: Contents) -> bool:
    """True if a field may begin with 0 and a digit."""
    text = b"\n"
    for piece in contents.pieces():
        text = text[-100:] + piece  # a field may begin in the piece before
        if _LEADING_ZERO.search(text):
            return True
    return False


def _exactly(pandas: Any) -> dict[str, str]:
    """Options of pandas' reader for parsing numbers to the last bit.

    >>> class Pandas:
    ...     __version__ = "2.3.0"
    >>> _exactly(Pandas)
    {'float_precision': 'round_trip'}
    """
    # From version 3 on it always does, and warns of the option.
    old = int(pandas.__version__.partition(".")[0]) < 3
    return {"float_precision": "round_trip"} if old else {}


def _further_fields(stream: io.TextIOWrapper, separator: str, width: int) -> list[str]:
    """Return the fields of the second nonblank line beyond the first `width`.

    Before version 3 pandas drops the last field of such rows without a warning if it is empty.
    """
    try:
        rows = (row for row in rows_of(stream, separator) if row)
        second = next(islice(rows, 1, 2), [])
    except (csv.Error, UnicodeDecodeError):
        return []  # pandas says more about such lines
    return second[width:]


def _begin_with_names(stream: io.TextIOWrapper, separator: str, width: int) -> bool:
    r"""True if rows have one field more than the header, and their first fields are row names.

    >>> _begin_with_names(io.StringIO("x,y\nann,1,2\nbob,3,4\ncid,5,6\n"), ",", 2)
    True
    """
    first = []
    try:
        for row in islice(filter(None, rows_of(stream, separator)), 1, None):
            if len(row) != width + 1:
                return False
            first.append(row[0].strip())
    except (csv.Error, UnicodeDecodeError):
        return False  # pandas says more about such lines
    if len(set(first)) < max(len(first), FEWEST_NAMED_ROWS):
        return False
    # Other numbers may be values of a column, where the header lacks another name.
    counted = first in [[*map(str, numbers)] for numbers in _row_numbers(len(first))]
    return counted or not parsing.numbers(first).found


def irregular(file: str, reason: str) -> FileFormatError:
    """Build the error for a text whose rows do not fit its columns."""
    return FileFormatError(
        f"{file} is not a regular table ({reason}): every row needs one field per column, without "
        "a separator at its end; put fields that contain the separator or a quote in double quotes."
    )


def json_lines(file: str, contents: Contents, roles: Roles) -> "pd.DataFrame":
    r"""Parse UTF-8 text with one JSON object per line; keys are column names.

    >>> raw = Contents.of_bytes(b'{"city": "oslo", "n": 1}\n{"n": 2}\n')
    >>> json_lines("t.jsonl", raw, Roles()).values.tolist()
    [['oslo', 1], [nan, 2]]
    """
    pandas = import_extra("pandas", "app", NEEDS)
    records: list[dict[str, Any]] = []
    try:
        with _text(file, contents) as stream:
            for line, text in enumerate(stream, start=1):
                if text.strip():
                    records.append(_json_object(file, line, text))
    except UnicodeDecodeError as error:
        raise not_utf8(file) from error
    names = dict.fromkeys(name for record in records for name in record)
    limits.check_named_width(file, len(names))
    limits.check_cells(file, len(records), len(names), contents.size)
    return pandas.DataFrame(records, columns=list(names), dtype=object)


def check_names(file: str, names: list[str]) -> None:
    """Raise FileFormatError if a column is unnamed or two have the same name."""
    paths.check_characters(names)
    if "" in names:
        raise FileFormatError(
            f"{file}: column {names.index('') + 1} has no name: name it, or drop it if it only "
            "counts the rows."
        )
    if twice := alignment.repeated(names):
        advice = "rename or drop all but one"
        if header_lines.looks_like_numbers(names):
            advice = f"its first line looks like a row; {header_lines.advice()}"
        raise FileFormatError(
            f"{file} has more than one column named {alignment.some(twice)}: {advice}."
        )


def _text(file: str, contents: Contents) -> io.TextIOWrapper:
    """Open UTF-8 bytes as a text stream, without a byte order mark."""
    if any(b"\0" in piece for piece in contents.pieces()):
        raise not_utf8(file)  # UTF-16, or a binary file with the wrong suffix
    return io.TextIOWrapper(contents.open(), encoding="utf-8-sig", newline="")


def _header(file: str, stream: io.TextIOWrapper, separator: str, header: bool) -> list[str]:
    """Read the column names from the first nonblank line, or make default ones."""
    try:
        lines = limits.check_lines(file, stream, separator)
        fields = next(row for row in rows_of(lines, separator) if row)
    except UnicodeDecodeError as error:
        raise not_utf8(file) from error
    except (csv.Error, StopIteration) as error:
        raise FileFormatError(f"{file} has no line that names its columns.") from error
    names = [header_lines.name_of(field) for field in fields]
    limits.check_named_width(file, len(names))
    if not header:
        return header_lines.default_names(len(names))
    check_names(file, [name or unnamed(j) for j, name in enumerate(names)])
    return [name or unnamed(j) for j, name in enumerate(names)]


def unnamed(j: int) -> str:
    """Placeholder name for the unnamed column at position j."""
    return f"(column {j + 1})"


def without_unnamed(file: str, frame: "pd.DataFrame") -> tuple["pd.DataFrame", list[str]]:
    """Drop columns without a name, with a note on each.

    They are empty, as after a comma at the end of each line, or the first and count or name the
    rows, as data frames of pandas and R are written; FileFormatError at any other.
    """
    notes = []
    dropped = []
    for j, name in enumerate(frame.columns):
        if name != unnamed(j):
            continue
        values = frame[name]
        if values.isna().all():
            notes.append(f"Column {j + 1} of {file} has neither name nor values and is left out.")
        elif j == 0 and _counts(values.tolist()):
            notes.append(f"Column 1 of {file} has no name, counts the rows and is left out.")
        elif j == 0 and _names_rows(values):
            notes.append(
                f"Column 1 of {file} has no name, has another value in each row, as names of rows "
                "have, and is left out; give it a name to use it."
            )
        else:
            check_names(file, ["" if n == name else n for n in frame.columns])
        dropped.append(name)
    return frame.drop(columns=dropped), notes


def _counts(values: list[Any]) -> bool:
    """True if values count up by one from 0 or 1, like a row number."""
    return values in _row_numbers(len(values))


def _row_numbers(n: int) -> list[list[int]]:
    """Numbers of n rows, counted from 0 and from 1."""
    return [list(range(n)), list(range(1, n + 1))]


def _names_rows(values: "pd.Series[Any]") -> bool:
    """True if each row has another text or whole number, as names of rows are.

    >>> import pandas as pd
    >>> [_names_rows(pd.Series(v)) for v in ([7, 3, 12], ["a", "b", "a"], [0.5, 1.5, 2.5])]
    [True, False, False]
    """
    usual = values.dtype.kind in "iu" or all(isinstance(v, str) for v in values)
    return len(values) >= FEWEST_NAMED_ROWS and usual and not values.duplicated().any()


def _json_object(file: str, line: int, text: str) -> dict[str, Any]:
    """Parse one line; FileFormatError if it is no JSON object or repeats a key."""
    try:
        pairs = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f'{file}: line {line} is not JSON: write one object such as {{"name": 1}} per line.'
        ) from error
    if not isinstance(pairs, _Pairs):
        raise FileFormatError(
            f"{file}: line {line} is not a JSON object but {shown(text.strip())}: write one object "
            'such as {"name": 1} per line.'
        )
    check_names(f"{file}: line {line}", [name for name, _ in pairs])
    return {name: dict(v) if isinstance(v, _Pairs) else v for name, v in pairs}


class _Pairs(list[tuple[str, Any]]):
    """Key-value pairs of a JSON object, keeping repeated keys."""
