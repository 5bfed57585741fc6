"""Methods of iMML for rows that lack views, in a process of the Python that has them.

`python -m benchmarks.view_peers imml` is how this module calls itself. They get the views as they
are, a missing one as a row of NaN, and have one start with their defaults.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks import other_python

NAMES = ("DAIMC", "EEIMVC", "IMSR", "LFIMVC", "NEMO", "OPIMC", "PIMVC", "SIMCADC")
"""Methods that need neither R nor Octave nor deep learning."""
PATIENCE = 900
"""Seconds after which all of them are stopped."""


def labels(python, tables, k, seed, names=NAMES):
    """Labels (n,) of each method by name; None where it refuses the rows or fails.

    Parameters
    ----------
    python : path of a Python that has iMML
    tables : V arrays (n, d_v), NaN in the rows that lack the view

    Raises
    ------
    AbsentError : iMML is not installed there
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "views.npz"
        np.savez(path, **{str(v): table for v, table in enumerate(tables)})
        job = {"path": str(path), "k": k, "seed": seed, "names": list(names)}
        return other_python.ask("benchmarks.view_peers", "imml", job, python, PATIENCE)


def _run(_, job):
    import imml.cluster

    with np.load(job["path"]) as kept:
        tables = [kept[str(v)] for v in range(len(kept.files))]
    found = {}
    for name in job["names"]:
        model = getattr(imml.cluster, name)(job["k"], random_state=job["seed"])
        try:
            own = model.fit_predict([table.copy() for table in tables])
        except (ValueError, RuntimeError):
            # More clusters than columns of a view, or eigenvectors that do not converge.
            found[name] = None
        else:
            found[name] = np.asarray(own).astype(int).tolist()
    return found


if __name__ == "__main__":
    other_python.serve(_run)
