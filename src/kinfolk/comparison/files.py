"""Writes a comparison's files: labels.csv, profiles.csv, model/ and report.html."""

import csv
import html
import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinfolk import arguments
from kinfolk.arrays import Labels, Vector
from kinfolk.disk import file_sets, writing
from kinfolk.errors import InputError, missing_extra
from kinfolk.estimators import facets, kept_rows
from kinfolk.models import folders, storage
from kinfolk.models.model import Model
from kinfolk.profiles.names import called, listed
from kinfolk.report.study import Study
from kinfolk.tables import RelatedData

LABELS, PROFILES, MODEL, REPORT = "labels.csv", "profiles.csv", "model", "report.html"
NAMES = (LABELS, PROFILES, f"{MODEL}/{storage.HEADER}", f"{MODEL}/{storage.ARRAYS}", REPORT)
"""Files of a run, by their paths in its folder."""

HEAD = b"row,task,cluster,"
"""Start of every table of labels."""

REPORT_MARK = b'<meta name="generator" content="Kinfolk">'
_MATCHED, _NAME = "matched_cluster", "name"
_PLACE = re.compile(r'(<span data-kind="(\d+)">)[^<]*(</span>)')
"""Place of the name of a kind in a report."""

_IN_SENTENCE = re.compile(r'(<span data-kinds="(\^?)(\d+(?:,\d+)*)">)[^<]*(</span>)')
"""Place of one or several kinds in a sentence of a report."""


def check_writable(folder: str | os.PathLike[str]) -> Path:
    """Return a folder; InputError if it cannot be created or written to."""
    out = arguments.path("folder", folder)
    # The folder itself may not exist yet: the nearest one above it that does must be writable.
    place = next(p for p in (out, *out.absolute().parents) if os.path.lexists(p))
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{place} is no folder that can be written to: name another one.")
    return out


def check_folder(folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """Return a folder for results; InputError if it cannot be written or would lose files."""
    out = check_writable(folder)
    file_sets.check(out, NAMES, overwrite)
    of_a_run = f"{MODEL}/{folders.HEADER}" in file_sets.entries(out)
    if not (overwrite or of_a_run):
        folders.check_replaceable(out / MODEL)
    return out


def tables(study: Study) -> dict[str, str]:
    """Return the contents of labels.csv and profiles.csv by file name."""
    return {LABELS: labels_csv(study.data, *_assigned(study)), PROFILES: study.profiles.csv()}


def labels(study: Study) -> dict[str, Sequence[Any]]:
    """Return the columns of a study's table of labels by name, a value per row."""
    return _columns(study.data, *_assigned(study))


def _assigned(study: Study) -> tuple[Labels, Labels, Vector, Labels | None, Mapping[int, str]]:
    """Return clusters, matched clusters, strengths, known classes and names of kinds."""
    estimator = study.model
    matched, strength = estimator.match(estimator.labels_, study.data.tasks)
    labelled = isinstance(estimator, facets.HasKnownLabels)
    classes = estimator.transduction_ if labelled else None
    return estimator.labels_, matched, strength, classes, study.names


def run_id(study: Study, texts: Mapping[str, str] | None = None) -> str:
    """Return an identifier of a run that its model, report and run.json share.

    `texts` are those of `tables`, if they are at hand: of a million rows they take a while.
    """
    scores = repr([(result.name, result.scores) for result in study.results])
    # Without the command, which names the folder, so that equal runs are equal in every folder.
    texts = tables(study) if texts is None else texts
    told = [*texts.values(), repr(study.settings), scores]
    return file_sets.run_id(text.encode("utf-8") for text in told)


def contents(study: Study, model: Model | None) -> tuple[str, dict[str, bytes]]:
    """Return the identifier of a run, and its files by relative path."""
    texts = tables(study)
    run = run_id(study, texts)
    parts = {} if model is None else storage.contents(replace(model, run=run))
    holds = "No model is stored." if model is None else kept_rows.sentence(model.estimator)
    return run, {
        **{name: text.encode("utf-8") for name, text in texts.items()},
        **{f"{MODEL}/{name}": content for name, content in parts.items()},
        REPORT: report_page(study, run, holds),
    }


def report_page(study: Study, run: str = "", holds: str = "") -> bytes:
    """Return the report; MissingExtraError if jinja2 or matplotlib is not installed."""
    try:
        from kinfolk.report import page  # all else here works without these extras
    except ImportError as error:
        raise missing_extra(error.name, "app", "Reports need") from error
    return page.render(study, run, holds).encode("utf-8")


def labels_csv(
    data: RelatedData,
    labels: Labels,
    matched: Labels,
    strength: Vector,
    classes: Labels | None = None,
    names: Mapping[int, str] | None = None,
) -> str:
    """Return labels as CSV, one line per row.

    A cluster without counterpart has no strength. Known classes have a column of their own, and so
    have names of kinds, if any kind has one.

    Examples
    --------
    >>> data = RelatedData("t", np.array(["oslo", "oslo"]), np.array(["1", "2"]))
    >>> print(labels_csv(data, [0, 1], [0, 2], [0.75, np.nan]), end="")
    row,task,cluster,matched_cluster,strength
    1,oslo,0,0,0.7500
    2,oslo,1,2,
    >>> print(labels_csv(data, [0, 1], [0, 2], [0.75, np.nan], names={0: "young"}), end="")
    row,task,cluster,matched_cluster,strength,name
    1,oslo,0,0,0.7500,young
    2,oslo,1,2,,kind 2
    """
    columns = _columns(data, labels, matched, strength, classes, names)
    shown = {
        **columns,
        "strength": ["" if math.isnan(s) else f"{s:.4f}" for s in columns["strength"]],
    }
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(shown)
    writer.writerows(zip(*shown.values(), strict=True))
    return text.getvalue()


def _columns(
    data: RelatedData,
    labels: Labels,
    matched: Labels,
    strength: Vector,
    classes: Labels | None,
    names: Mapping[int, str] | None,
) -> dict[str, Sequence[Any]]:
    """Return the columns of a table of labels by name, those that do not apply left out."""
    # Lists, since a number of NumPy takes several times as long to write as one of Python.
    numbers = np.asarray(matched).tolist()
    columns: dict[str, Sequence[Any]] = {
        "row": data.row_ids.tolist(),
        "task": data.tasks.tolist(),
        "cluster": np.asarray(labels).tolist(),
        _MATCHED: numbers,
        "strength": np.asarray(strength).tolist(),
    }
    if classes is not None:
        columns["class"] = np.asarray(classes).tolist()
    if names:
        columns[_NAME] = [called(number, names) for number in numbers]
    return columns


def renamed(table: str, names: Mapping[int, str]) -> str:
    """Return the text of labels.csv or profiles.csv with other names of matched clusters.

    Raises
    ------
    InputError : the table has no column of matched clusters, or one that holds no numbers, or
        lines of several lengths

    Examples
    --------
    >>> data = RelatedData("t", np.array(["oslo"]), np.array(["1"]))
    >>> print(renamed(labels_csv(data, [1], [2], [0.75]), {2: "young"}), end="")
    row,task,cluster,matched_cluster,strength,name
    1,oslo,1,2,0.7500,young
    """
    lines = csv.DictReader(io.StringIO(table, newline=""))
    try:
        fields = list(lines.fieldnames or [])
    except csv.Error:  # the first line is no CSV
        fields = []
    if _MATCHED not in fields:
        raise InputError(
            f"the table has no column {_MATCHED!r}: write it again with `kinfolk run`."
        )
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys([*fields, _NAME])), lineterminator="\n")
    writer.writeheader()
    try:
        for line in lines:
            if None in line or None in line.values():
                raise InputError(
                    f"line {lines.line_num} of the table has not {len(fields)} fields: write it "
                    "again with `kinfolk run`."
                )
            number = line[_MATCHED]
            # No run has a cluster of ten digits; Python refuses thousands of them.
            if number and not (number.isdecimal() and len(number) < 10):
                raise InputError(
                    f"{arguments.shown(number)} is no matched cluster: run `kinfolk run` again."
                )
            own = {_NAME: called(int(number), names)} if number else {}
            writer.writerow({**line, **own})
    except csv.Error as error:
        raise InputError(f"the table is damaged ({error}): run `kinfolk run` again.") from error
    return text.getvalue()


def renamed_report(page: str, names: Mapping[int, str]) -> str:
    """Return the HTML of a report with other names of matched clusters.

    >>> renamed_report('<th><b>2</b><span data-kind="2"></span></th>', {2: "young & new"})
    '<th><b>2</b><span data-kind="2"> young &amp; new</span></th>'
    >>> renamed_report('<p><span data-kinds="^2,3">Kinds 2 and 3</span> match.</p>', {2: "young"})
    '<p><span data-kinds="^2,3">young and kind 3</span> match.</p>'
    """

    def place(found: re.Match[str]) -> str:
        number = int(found[2])
        # A kind without a name keeps what stands there.
        return f"{found[1]} {html.escape(names[number])}{found[3]}" if number in names else found[0]

    def sentence(found: re.Match[str]) -> str:
        kinds = [int(number) for number in found[3].split(",")]
        if not any(kind in names for kind in kinds):
            return found[0]
        return f"{found[1]}{html.escape(listed(kinds, names, start=bool(found[2])))}{found[4]}"

    return writing.visible(_IN_SENTENCE.sub(sentence, _PLACE.sub(place, page)))
