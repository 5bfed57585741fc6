"""`kinfolk demo`: clusters the Palmer penguins by sex; nothing to download."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk.cli import options, outputs, terminal
from kinfolk.disk import file_sets


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-demo"),
    overwrite: options.Overwrite = False,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster male and female penguins as two tasks without their species; then compare."""
    from kinfolk import comparison, datasets, sources

    results = outputs.Results(out, overwrite)
    with results.folder():
        table = datasets.penguins_csv()
        beside = {table.name: table.read_bytes()}
        file_sets.check(out, beside, overwrite)
        with terminal.bars(quiet):
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
        results.write(found, beside)
    terminal.say(
        f"The same by yourself: kinfolk run {out / table.name} --tasks sex --target species "
        "--ignore year --missing drop --clusters 3"
    )
