"""Writes a printed table or figure beside ours, whatever kind it is."""

from collections.abc import Callable
from pathlib import Path

from kinfolk.experiments import reproduction
from kinfolk.published import Exhibit
from kinfolk.reports import exhibits
from kinfolk.results import Store
from kinfolk.tables import RelatedData


def write(
    exhibit: Exhibit,
    store: Store,
    load: Callable[..., RelatedData],
    folder: Path,
    quick: bool = False,
) -> Path:
    """Write the files of an exhibit into a folder; return the one to open first."""
    entries = reproduction.table(exhibit, store, quick)
    return next(p for p in exhibits.write(exhibit, entries, folder, quick) if p.suffix == ".md")
