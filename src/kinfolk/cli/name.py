"""`kinfolk name`: names for the kinds of a finished run."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk import writing
from kinfolk.cli import terminal
from kinfolk.comparison import files
from kinfolk.errors import InputError
from kinfolk.models import storage
from kinfolk.profiles import names as kind_names


def name(
    folder: Annotated[Path, typer.Argument(help="The folder that `kinfolk run` wrote.")],
    names: Annotated[
        list[str],
        typer.Argument(help="Numbers of kinds, as in the report, and their names: 0=families."),
    ],
) -> None:
    """Name the kinds of a finished run: in its model, labels.csv, profiles.csv and report.html."""
    given = kind_names.parsed(names)
    place = folder / files.MODEL
    if not place.is_dir():
        raise InputError(
            f"{folder} has no folder {files.MODEL!r}: name the folder that `kinfolk run` wrote."
        )
    stored = storage.load(place)
    stored.rename(given)
    tables = {}
    for file in (folder / files.LABELS, folder / files.PROFILES):
        if file.is_file():
            tables[file] = files.renamed(_text(file), stored.names)
    report = folder / files.REPORT
    if report.is_file():
        tables[report] = files.renamed_report(_text(report), stored.names)
    # All is read before anything is written, so that a fault leaves the folder as it was.
    storage.save(stored, place)
    for file, table in tables.items():
        writing.write_atomically(file, table.encode("utf-8"))
    listed = ", ".join(f"{number} {called}" for number, called in sorted(stored.names.items()))
    terminal.say(f"Kinds are named in {folder}: {listed}.")
    if report in tables:
        terminal.say(
            f"Sentences of {files.REPORT} keep their words; run again with --names to change them."
        )


def _text(file: Path) -> str:
    """Return the text of a table that `kinfolk run` wrote."""
    try:
        # As bytes, because reading text would change line ends inside names of rows.
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{file} is not as `kinfolk run` wrote it (no UTF-8): move it away, or run again."
        ) from None
