"""Writes a printed table or figure beside ours, whatever kind it is."""

from functools import partial
from pathlib import Path

import pandas as pd

from kinfolk import datasets, writing
from kinfolk.datasets import data_home
from kinfolk.papers import computed, exhibits, figures, from_models, plots, protocols, tables
from kinfolk.papers.published import Exhibit
from kinfolk.papers.store import Store
from kinfolk.papers.tables import Entry


def write(
    exhibit: Exhibit,
    store: Store,
    folder: Path,
    data: data_home.DataHome = None,
    quick: bool = False,
) -> tuple[Path, str]:
    """Write the files of an exhibit into a folder; return the one to open first, and a summary.

    Parameters
    ----------
    store : its runs, as far as they are there
    data : the data directory, for what is counted or drawn from the data themselves
    quick : whether the runs are those of the quick plan
    """
    load = partial(datasets.load, data=data)
    run = bool(protocols.pieces(exhibit, quick))
    if exhibit.kind == "figure":
        if run:
            drawing = figures.drawing(exhibit, store, load, quick)
        else:
            drawing = computed.drawing(exhibit, load, data)
        points = pd.DataFrame(drawing.table()).to_csv(index=False, lineterminator="\n")
        writing.write_atomically(folder / f"{exhibit.id}.csv", points.encode())
        return plots.write(exhibit, drawing, folder), "; ".join(drawing.notes) or "drawn"
    entries: list[Entry]
    if not run:
        entries = computed.entries(exhibit, load)
    elif exhibit.kind == "matrix" or exhibit.columns[0].measure in ("relatedness", "distance"):
        entries = from_models.entries(exhibit, store, load, quick)
    else:
        entries = tables.table(exhibit, store, quick)
    files = exhibits.write(exhibit, entries, folder, quick)
    return next(p for p in files if p.suffix == ".md"), exhibits.summary(exhibit, entries)
