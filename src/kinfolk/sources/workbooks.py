"""Reader of Excel workbooks."""

import io
from typing import TYPE_CHECKING, Any

from kinfolk.errors import FileFormatError, import_extra
from kinfolk.sources import frames, layout, limits, merged_cells
from kinfolk.sources import header as header_lines
from kinfolk.sources.contents import Contents
from kinfolk.sources.sheets import Roles

if TYPE_CHECKING:
    import pandas as pd

_FIRST = 20
"""Rows of a sheet among which the names of columns are looked for."""


def frame(
    file: str, contents: Contents, roles: Roles, header: bool
) -> tuple["pd.DataFrame", list[str]]:
    """Parse a sheet of an Excel workbook, whose first row is the header; also return notes.

    The sheet is the first, or the first that has the columns with a role. Without `header` its
    first row is a row, and the columns are x0, x1 and so on. The notes tell of other sheets, merged
    cells, titles and names of columns in two rows.
    """
    pandas = import_extra("pandas", "app", frames.NEEDS)
    import_extra("openpyxl", "excel", frames.NEEDS)
    raw = contents.read()
    try:
        limits.check_archive(file, raw)
        limits.check_cells_of_workbook(file, raw)
        cells, place, others = _sheet(pandas, raw, roles.column_names() if header else [])
        merged = merged_cells.of_sheet(raw, place)
        has_merged = merged_cells.fill(cells, merged)
    except FileFormatError:
        raise
    except Exception as error:  # openpyxl raises whatever its parts raise on damaged XML
        raise FileFormatError(
            f"{file} is not a workbook that can be read: save it again as .xlsx, or as .csv."
        ) from error
    if cells.empty:
        raise FileFormatError(f"{file} has no line that names its columns.")
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    told = f"{file} has other sheets, which are not read: {', '.join(others)}."
    notes = [f"{told} If they are data sets, too, save each as a file of its own."] * bool(others)
    if not header:
        names = header_lines.default_names(cells.shape[1])
        found = cells.set_axis(names, axis=1).reset_index(drop=True)
        return found, [*notes, *layout.told_of_sheet(file, 0, has_merged)]
    cells, n_titles = layout.without_titles(cells)
    names, n = _names(cells, merged_cells.across(merged, int(cells.index[0])))
    notes += layout.told_of_sheet(file, n_titles, has_merged)
    if n > 1:
        notes.append(f"The names of the columns stand in two rows of {file} and are joined.")
    if names.count("") > 1 and not any(map(pandas.isna, cells.iloc[min(1, len(cells) - 1)])):
        raise FileFormatError(
            f"{file}: its first row names {len(names) - names.count('')} of {len(names)} columns, "
            "so it looks like a title: delete the rows above the names of the columns."
        )
    names = [name or frames.unnamed(j) for j, name in enumerate(names)]
    frames.check_names(file, names)
    return cells.iloc[n:].set_axis(names, axis=1).reset_index(drop=True), notes


def _sheet(pandas: Any, raw: bytes, named: list[str]) -> tuple["pd.DataFrame", int, list[str]]:
    """Return cells and place of the first sheet with these names, and the names of other sheets."""
    with pandas.ExcelFile(io.BytesIO(raw)) as book:
        sheets = [str(name) for name in book.sheet_names]
        chosen = 0
        cells = pandas.read_excel(book, sheet_name=0, header=None, dtype=object)
        for j in range(1, len(sheets)) if not _has(cells, named) else ():
            other = pandas.read_excel(book, sheet_name=j, header=None, dtype=object)
            if _has(other, named):
                chosen = j
                cells = other
                break
    return cells, chosen, [name for j, name in enumerate(sheets) if j != chosen]


def _has(cells: "pd.DataFrame", named: list[str]) -> bool:
    """True if one of the first rows has all names."""
    rows = cells.iloc[:_FIRST].to_numpy().tolist()
    return any(set(named) <= {str(cell).strip() for cell in row} for row in rows) or not named


def _names(cells: "pd.DataFrame", across: dict[int, int]) -> tuple[list[str], int]:
    """Return the names of columns, and the number of rows in which they stand: one or two.

    They stand in two where cells of the first row are merged `across` columns: {column: the last
    one}, as positions in the sheet.
    """
    first = dict(zip(cells.columns, map(_word, cells.iloc[0]), strict=True))
    if not across or len(cells) < 2:
        return list(first.values()), 1
    for left, right in across.items():
        first |= dict.fromkeys(first.keys() & set(range(left, right + 1)), first.get(left, ""))
    second = map(_word, cells.iloc[1])
    joined = [
        above if above == below else f"{above} {below}".strip()
        for above, below in zip(first.values(), second, strict=True)
    ]
    return joined, 2


def _word(cell: Any) -> str:
    return "" if cell is None or cell != cell else header_lines.name_of(str(cell))
