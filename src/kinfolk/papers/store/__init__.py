"""One row per run, kept in SQLite: written at once, never twice, read by every report."""

from kinfolk.papers.store.runs import VERSION, Outcome, Row, Run, Status, canonical
from kinfolk.papers.store.store import Store

__all__ = ["VERSION", "Outcome", "Row", "Run", "Status", "Store", "canonical"]
