"""`kinfolk demo`: two real sources of handwritten digits, nothing to download."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk import comparison, datasets
from kinfolk.cli import options, outputs, terminal
from kinfolk.comparison import files


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-demo"),
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster the digits of two sources without their labels, and compare with the truth."""
    out = files.check_folder(out)
    with terminal.bars(quiet):
        found = comparison.compare(
            datasets.load_digits_two_sources(),
            n_clusters=10,
            random_state=seed,
            command=f"kinfolk demo --seed {seed}",
        )
    outputs.finish(found, out)
