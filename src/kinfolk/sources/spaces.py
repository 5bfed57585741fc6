"""Recognizes texts whose columns are divided by spaces, as R writes tables, and puts tabs there."""

import csv
import io
import re
from collections.abc import Sequence

from kinfolk.sources import frames, parsing
from kinfolk.sources.contents import Contents, rows_of

SEPARATOR = " "

_QUOTED = re.compile(r'("[^"]*"\s+)+"[^"]*"\s*')
"""Names of columns as R writes them."""


def divide(lines: Sequence[str], header: bool = True) -> bool:
    """Return True if spaces divide the first lines of a text into a table.

    Most fields of the rows are numbers then, or the names of the columns are in quotes; so names of
    two words are one column. Amounts such as 1 250 000 are, too.

    >>> divide(["age sex kg", "35 0 61.5", "34 1 70.2"]), divide(["name", "Anna Lee", "John Doe"])
    (True, False)
    >>> divide(["price in EUR", "1 250 000", "1 400 500"]), divide(['"name" "age"', '"1" "Li" 31'])
    (False, True)
    """
    written = [line for line in lines if line.strip()]
    try:
        rows = [_fields(row) for row in rows_of(written, SEPARATOR)]
    except csv.Error:  # a field is too long
        return False
    first = int(header)
    width = len(rows[0]) if rows else 0
    if width < 2 or len(rows) == first or parsing.number(written[first].strip()) is not None:
        return False
    # R and pandas write a field more in each row, for its name.
    widths = {len(row) for row in rows[first:]}
    if widths != {width} and not (header and widths == {width + 1}):
        return False
    fields = [field for row in rows[first:] for field in row]
    n_numbers = sum(parsing.number(field) is not None for field in fields)
    return 2 * n_numbers > len(fields) or (header and bool(_QUOTED.fullmatch(written[0])))


def by_tabs(file: str, contents: Contents) -> Contents:
    r"""Return a text in UTF-8 with tabs in place of the spaces between fields.

    Raises
    ------
    FileFormatError : a field is too long

    Examples
    --------
    >>> by_tabs("t.txt", Contents.of_bytes(b'"name"  "age"\n "Ann Lee" 31 \n')).read()
    b'name\tage\nAnn Lee\t31\n'
    """
    made = io.StringIO()
    writer = csv.writer(made, delimiter="\t", lineterminator="\n")
    with io.TextIOWrapper(contents.open(), encoding="utf-8-sig", newline="") as stream:
        try:
            writer.writerows(map(_fields, rows_of(stream, SEPARATOR)))
        except csv.Error as error:
            raise frames.irregular(file, str(error)) from error
    return Contents.of_bytes(made.getvalue().encode())


def _fields(row: list[str]) -> list[str]:
    """Return the fields of a row, without an empty one behind a last space."""
    return row[:-1] if len(row) > 1 and not row[-1] else row
