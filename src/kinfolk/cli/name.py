"""`kinfolk name`: gives names to the matched clusters ("kinds") of a finished run."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk.cli import terminal
from kinfolk.disk import file_sets, folder_lock
from kinfolk.errors import InputError


def name(
    folder: Annotated[Path, typer.Argument(help="The folder that `kinfolk run` wrote.")],
    names: Annotated[
        list[str],
        typer.Argument(help="Numbers of kinds, as in the report, and their names: 0=families."),
    ],
) -> None:
    """Name the kinds of clusters of a finished run, in all of its files."""
    from kinfolk.comparison import files
    from kinfolk.models import storage
    from kinfolk.profiles import names as kind_names

    given = kind_names.parsed(names)
    place = folder / files.MODEL
    if not place.is_dir():
        raise InputError(
            f"{folder} has no folder {files.MODEL!r}: name the folder that `kinfolk run` wrote."
        )
    with folder_lock.held(folder):
        file_sets.mend(folder)
        stored = storage.load(place)
        stored.rename(given)
        parts = storage.contents(stored)
        contents = {f"{files.MODEL}/{file}": content for file, content in parts.items()}
        for file in (files.LABELS, files.PROFILES):
            if (folder / file).is_file():
                contents[file] = files.renamed(_text(folder / file), stored.names).encode("utf-8")
        if (report := folder / files.REPORT).is_file():
            page = files.renamed_report(_text(report), stored.names)
            contents[files.REPORT] = page.encode("utf-8")
        # Each file is made from the one in its place, so that nothing is lost.
        # A model with tasks that came later names no run.
        run = stored.run or file_sets.run_id(parts.values())
        file_sets.replace(folder, contents, run, overwrite=True)
    listed = ", ".join(f"{number} {called}" for number, called in sorted(stored.names.items()))
    terminal.say(f"Kinds are named in {folder}: {listed}.")


def _text(file: Path) -> str:
    """Read the text of a table that `kinfolk run` wrote."""
    try:
        # As bytes, because reading text would change line ends inside names of rows.
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{file} is not as `kinfolk run` wrote it (no UTF-8): move it away, or run again."
        ) from None
