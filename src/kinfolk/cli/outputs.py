"""What `run` and `demo` leave behind: labels.csv, model/ and report.html."""

import csv
import io
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import kinfolk
from kinfolk import writing
from kinfolk.cli import terminal
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.models import storage
from kinfolk.preparation import Preparation
from kinfolk.report import page
from kinfolk.report.study import Study
from kinfolk.tables import RelatedData

LABELS, MODEL, REPORT = "labels.csv", "model", "report.html"


def settings(
    method: str, estimator_parameters: dict[str, Any], preparation: Preparation, seed: int
) -> dict[str, str]:
    """Everything that the result depends on, as shown in the report."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "method": method,
        **{name: _shown(value) for name, value in estimator_parameters.items()},
        "preparation: text weighting": preparation.text_weighting,
        "preparation: stop words": str(preparation.stop_words),
        "preparation: most terms": str(preparation.n_terms),
        "preparation: scale": preparation.scale,
        "seed": str(seed),
        "kinfolk": kinfolk.__version__,
        **libraries,
        "python": platform.python_version(),
    }


def _shown(value: Any) -> str:
    """A parameter as a reader of settings wants it."""
    if isinstance(value, Knowledge):
        k, d = value.cluster_centers.shape
        return f"{k} centres of {d} columns, scaling {value.scaling}"
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if isinstance(value, dict) and all(isinstance(part, slice) for part in value.values()):
        return ", ".join(f"{name}: {part.start + 1} to {part.stop}" for name, part in value.items())
    return str(value)


def folder(out: Path) -> Path:
    """Return the folder for results; InputError, before any work, if it cannot be one."""
    place = next(p for p in (out, *out.absolute().parents) if p.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{place} is no folder that can be written to: name another by --out.")
    storage.check_replaceable(out / MODEL)
    return out


def keep(study: Study, model: storage.Model, out: Path) -> None:
    """Write labels, model and report into a folder, each whole or not at all; then show."""
    out.mkdir(parents=True, exist_ok=True)
    labels, classes = study.model.labels_, getattr(study.model, "transduction_", None)
    matched, strength = study.model.match(labels, study.data.tasks)
    table = rows(study.data, labels, matched, strength, classes)
    writing.write_atomically(out / LABELS, table.encode("utf-8"))
    storage.save(model, out / MODEL)
    page.write(study, out / REPORT)
    terminal.show(study)
    for note in study.notes:
        terminal.say(note)
    terminal.say(f"Labels, model and report are in {out}; open {out / REPORT} in a browser.")


def rows(
    data: RelatedData,
    labels: np.ndarray,
    matched: np.ndarray,
    strength: np.ndarray,
    classes: np.ndarray | None = None,
) -> str:
    """Labels as CSV; a cluster without counterpart has no strength, known classes have a column."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = {
        "row": data.row_ids,
        "task": data.tasks,
        "cluster": labels,
        "matched_cluster": matched,
        "strength": ["" if np.isnan(s) else f"{s:.4f}" for s in strength],
        **({} if classes is None else {"class": classes}),
    }
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
