"""`kinfolk store`: packs the runs of a store into small files, and unpacks them into a store."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk.cli import options, terminal

store = typer.Typer(
    help="Pack the runs of a store into small files to keep or send, or unpack them.",
    no_args_is_help=True,
    **options.STYLE,
)


@store.command("pack")
def pack(
    store: Annotated[Path, typer.Argument(help="The file of runs.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write to, such as docs/runs.")],
) -> None:
    """Write the finished runs of a store to a folder, one Parquet file per data set.

    Files of data sets that the store does not have stay.
    """
    from kinfolk.comparison import files
    from kinfolk.papers.store import Store, packed_runs
    from kinfolk.report.wording import count

    files.check_writable(folder)  # before all runs are read, which may take minutes
    with Store(store, read_only=True) as opened:
        counts = packed_runs.pack(opened, folder)
    runs = count(sum(counts.values()), "run")
    terminal.say(f"Wrote {runs} of {count(len(counts), 'data set')} to {folder}.")


@store.command("unpack")
def unpack(
    folder: Annotated[Path, typer.Argument(help="Folder that `kinfolk store pack` wrote.")],
    store: Annotated[Path, typer.Argument(help="The file of runs; made if it does not exist.")],
) -> None:
    """Add the packed runs that a store lacks.

    Afterwards `kinfolk reproduce ID --store STORE` repeats none of them.
    """
    from kinfolk.papers.store import Store, packed_runs
    from kinfolk.report.wording import count

    # Before the store: a damaged folder makes none.
    found = list(packed_runs.unpack(folder))
    with Store(store) as opened:
        added = opened.add(found)
    terminal.say(f"Added {added:,} of {count(len(found), 'packed run')} to {store}.")
