"""What `run` and `demo` leave behind: labels.csv, model/ and report.html."""

import csv
import io
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import kinfolk
from kinfolk import storage
from kinfolk.cli import terminal
from kinfolk.errors import InputError
from kinfolk.experiments.comparison import Study
from kinfolk.preparation import Preparation
from kinfolk.reports import page
from kinfolk.tables import RelatedData

LABELS, MODEL, REPORT = "labels.csv", "model", "report.html"


def settings(
    method: str, estimator_parameters: dict[str, Any], preparation: Preparation, seed: int
) -> dict[str, str]:
    """Everything that the result depends on, as shown in the report."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "method": method,
        **{name: str(value) for name, value in estimator_parameters.items()},
        "preparation: text weighting": preparation.text_weighting,
        "preparation: stop words": str(preparation.stop_words),
        "preparation: most terms": str(preparation.n_terms),
        "preparation: scale": preparation.scale,
        "seed": str(seed),
        "kinfolk": kinfolk.__version__,
        **libraries,
        "python": platform.python_version(),
    }


def folder(out: Path) -> Path:
    """Return the folder for results; InputError, before any work, if it cannot be one."""
    place = next(p for p in (out, *out.absolute().parents) if p.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{place} is no folder that can be written to: name another by --out.")
    return out


def keep(study: Study, model: storage.Model, out: Path) -> None:
    """Write labels, model and report into a folder, each whole or not at all; then show."""
    out.mkdir(parents=True, exist_ok=True)
    storage.write_text(
        out / LABELS,
        rows(
            study.data,
            study.model.labels_,
            *study.model.match(study.model.labels_, study.data.tasks),
        ),
    )
    storage.save(model, out / MODEL)
    page.write(study, out / REPORT)
    terminal.show(study)
    for note in study.notes:
        terminal.say(note)
    terminal.say(f"Labels, model and report are in {out}; open {out / REPORT} in a browser.")


def rows(data: RelatedData, labels: np.ndarray, matched: np.ndarray, strength: np.ndarray) -> str:
    """Labels as CSV; a cluster without counterpart has no strength."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "task", "cluster", "matched_cluster", "strength"])
    for row, task, label, kind, strong in zip(
        data.row_ids, data.tasks, labels, matched, strength, strict=True
    ):
        writer.writerow([row, task, label, kind, "" if np.isnan(strong) else f"{strong:.4f}"])
    return text.getvalue()
