"""Stored runs: one file for each set, seed and state of the code."""

import io
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from kinfolk.disk import writing


@dataclass(frozen=True)
class Run:
    """One stored run with its records and arrays.

    Attributes
    ----------
    path : of its file
    set : name of the set; `field`, `kind`, `split` and `seen` are those of its file
    seed : of the fit
    facts : everything that was recorded but labels, see `recording.record`; with it `yardsticks`
    """

    path: Path
    set: str
    seed: int
    facts: dict = field(repr=False)

    @property
    def tasks(self):
        """Records of the tasks, as from `recording.task_record`."""
        return self.facts["tasks"]

    @property
    def judged(self):
        """Records of the tasks that have true classes."""
        return [task for task in self.tasks if task["judged"]]

    @cached_property
    def arrays(self):
        """Labels and true classes as arrays, loaded on first use."""
        with np.load(self.path, allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files if name != "facts"}


def place(folder, key, name, seed):
    """Path of a run's file in the folder for the state of the code."""
    return Path(folder) / key / f"{name}-{seed}.npz"


def write(path, facts, arrays):
    """Write a run so that no reader sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = io.BytesIO()
    np.savez_compressed(raw, facts=np.array(json.dumps(facts)), **arrays)
    writing.write_atomically(path, raw.getvalue())


def read(path):
    """Load a stored run; its labels are loaded on first use."""
    with np.load(path, allow_pickle=False) as kept:
        facts = json.loads(str(kept["facts"]))
    return Run(path, facts["set"], facts["seed"], facts)


def keys(folder):
    """States of the code that have runs, the most recent last."""
    found = {}
    for path in Path(folder).glob("*/*-*.npz"):
        if path.parent.name != "tables":
            newest = found.get(path.parent.name, 0.0)
            found[path.parent.name] = max(newest, path.stat().st_mtime)
    return sorted(found, key=lambda key: found[key])


def read_all(folder, key):
    """Return all runs of a state of the code, in order of sets and seeds."""
    runs = [read(path) for path in (Path(folder) / key).glob("*.npz")]
    return sorted(runs, key=lambda run: (run.set, run.seed))
