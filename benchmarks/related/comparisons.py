"""Runs of methods of several tasks on tables that the default answers without them.

They only show which setting would have been best, and let rules be judged on measurements too. No
rule changes them, so those of a table and a seed are made once and kept in a folder.
"""

import io
import json
import warnings
from pathlib import Path

import numpy as np

from kinfolk.choosing import candidate_runs, candidates
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.candidates import FAMILIES, Candidate
from kinfolk.choosing.representations import Representations
from kinfolk.disk import writing
from kinfolk.tables import Tasks


def kept(name, table, seed, folder):
    """Joint runs of a `prepared.Prepared` table as `made` returns them, cached in a folder."""
    place = Path(folder) / "comparisons" / f"{name}-{table.fingerprint}-{seed}.npz"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        _write(place, made(table, seed))
    return _read(place)


def made(table, seed):
    """Run every method of several tasks; return `FittedCandidate`s, none for a single task.

    Their rows are those of the table; as Kinfolk does, rows are sorted by content for the fit.
    """
    found = Tasks.of(table.tasks)
    if len(found.names) < 2:
        return []
    seen = Representations.of(table.X, found.codes, table.columns_are_scaled)
    k = {t: table.n_clusters[name] for t, name in enumerate(found.names)}
    joint = [name for name, family in FAMILIES.items() if family.joint]
    plan = candidates.plan(joint, seen, k, np.random.RandomState(seed))
    runs = CandidateRuns(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        candidate_runs.run(plan, seen, table.X, found.codes, runs, "for comparison")
    return runs.fitted


def _write(place, fitted):
    described = [{**run.candidate.described(), "seconds": run.seconds} for run in fitted]
    raw = io.BytesIO()
    labels = np.array([run.labels for run in fitted], dtype=np.int16)
    np.savez_compressed(raw, labels=labels, candidates=np.array(json.dumps(described)))
    writing.write_atomically(place, raw.getvalue())


def _read(place):
    with np.load(place, allow_pickle=False) as stored:
        described = json.loads(str(stored["candidates"]))
        labels = stored["labels"].astype(int)
    return [
        FittedCandidate(Candidate(**about, estimator=None), found, seconds)
        for about, found in zip(described, labels, strict=True)
        for seconds in [about.pop("seconds")]
    ]
