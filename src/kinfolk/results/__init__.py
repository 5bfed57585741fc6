"""One row per run, kept in SQLite: written at once, never twice, read by every report."""

from kinfolk.results.runs import VERSION, Outcome, Row, Run, Status, canonical
from kinfolk.results.store import Store

__all__ = ["VERSION", "Outcome", "Row", "Run", "Status", "Store", "canonical"]
