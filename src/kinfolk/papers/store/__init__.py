"""Store of runs: one SQLite file with what was run, how it ended, its scores and its arrays."""

from kinfolk.papers.store.runs import (
    KINFOLK_VERSION,
    Outcome,
    RunSpec,
    StoredRun,
    canonical,
)
from kinfolk.papers.store.store import Store

__all__ = [
    "KINFOLK_VERSION",
    "Outcome",
    "RunSpec",
    "Store",
    "StoredRun",
    "canonical",
]
