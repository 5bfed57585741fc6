"""Files that a comparison leaves in a folder: labels.csv, model/ and report.html."""

import csv
import io
import os
from pathlib import Path

import numpy as np

from kinfolk.arrays import Labels, Vector
from kinfolk.errors import InputError
from kinfolk.models import storage
from kinfolk.tables import RelatedData

LABELS, MODEL, REPORT = "labels.csv", "model", "report.html"


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Return a folder for results; InputError if it cannot be written to or holds other things."""
    out = Path(folder)
    # The folder itself may not exist yet: the nearest one above it that does must be writable.
    place = next(p for p in (out, *out.absolute().parents) if p.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{place} is no folder that can be written to: name another one.")
    storage.check_replaceable(out / MODEL)
    return out


def labels_csv(
    data: RelatedData,
    labels: Labels,
    matched: Labels,
    strength: Vector,
    classes: Labels | None = None,
) -> str:
    """Return labels as CSV, one line per row.

    A cluster without counterpart has no strength. Known classes have a column of their own.

    Examples
    --------
    >>> data = RelatedData("t", np.array(["oslo", "oslo"]), np.array(["1", "2"]))
    >>> print(labels_csv(data, [0, 1], [0, 2], [0.75, np.nan]), end="")
    row,task,cluster,matched_cluster,strength
    1,oslo,0,0,0.7500
    2,oslo,1,2,
    """
    columns = {
        "row": data.row_ids,
        "task": data.tasks,
        "cluster": labels,
        "matched_cluster": matched,
        "strength": ["" if np.isnan(s) else f"{s:.4f}" for s in strength],
    }
    if classes is not None:
        columns["class"] = classes
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
