"""Store of runs: one SQLite file with settings, status, scores and arrays of each run."""

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
