"""`kinfolk demo`: two real sources of handwritten digits, nothing to download."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk import catalogue, datasets
from kinfolk.cli import outputs, terminal
from kinfolk.comparison import comparison
from kinfolk.models import storage
from kinfolk.preparation import Preparation

METHOD, N_CLUSTERS = "kinfolk", 10


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-demo"),
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="For every random draw.")] = 0,
    quiet: Annotated[bool, typer.Option(help="No progress bars.")] = False,
) -> None:
    """Cluster the digits of two sources without their labels, and compare with the truth."""
    out, preparation = outputs.folder(out), Preparation()
    with terminal.bars(quiet):
        data = datasets.load_digits_two_sources()
        estimator = catalogue.tasks_estimator(catalogue.method(METHOD), N_CLUSTERS, seed)
        study = comparison.study(
            data,
            METHOD,
            N_CLUSTERS,
            preparation=preparation,
            random_state=seed,
            settings=outputs.settings(METHOD, estimator.get_params(), preparation, seed),
            command=f"kinfolk demo --seed {seed}",
        )
    outputs.keep(study, storage.Model(study.model, METHOD, preparation, {}), out)
