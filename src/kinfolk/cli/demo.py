"""`kinfolk demo`: the Palmer penguins by sex, nothing to download."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk import comparison, datasets, sources, writing
from kinfolk.cli import options, outputs, terminal
from kinfolk.comparison import files


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-demo"),
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Find the kinds of penguins, males and females apart, without their species; then compare."""
    out = files.check_folder(out)
    with terminal.bars(quiet):
        table = datasets.penguins_csv()
        reading = sources.read(
            table, tasks="sex", target="species", ignore=["year"], missing="drop"
        )
        outputs.say_columns(reading.data)
        found = comparison.compare(
            reading,
            n_clusters=3,
            random_state=seed,
            command=f"kinfolk demo --seed {seed}",
        )
    out.mkdir(parents=True, exist_ok=True)
    writing.write_atomically(out / table.name, table.read_bytes())
    outputs.finish(found, out)
    terminal.say(
        f"The same by yourself: kinfolk run {out / table.name} --tasks sex --target species "
        "--ignore year --missing drop --clusters 3"
    )
