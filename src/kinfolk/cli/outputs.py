"""Writes the results of `run` and `demo` to a folder and prints tables."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kinfolk import file_sets, folder_lock
from kinfolk.cli import study_text, terminal
from kinfolk.comparison import Comparison, files
from kinfolk.comparison.files import REPORT
from kinfolk.errors import InputError
from kinfolk.estimators import kept_rows
from kinfolk.models import sizes, storage

# Imported here although `save` imports it, so that a missing extra is told before any work.
from kinfolk.report import page  # noqa: F401
from kinfolk.sources.describe import Description
from kinfolk.tables import RelatedData


def say_columns(data: RelatedData) -> None:
    """Print which kind (number, category, ...) each column is taken for, and why."""
    if data.columns is not None:
        terminal.say(repr(Description(len(data), data.columns)))
        if len(data.task_names) == 1:
            terminal.say(
                "All rows are one data set: if a column says which data set a row is from, name "
                "it (--tasks)."
            )


@contextmanager
def folder(out: Path, overwrite: bool) -> Iterator[Path]:
    """Context that holds a lock on the results folder, and reports its state if stopped."""
    before = file_sets.entries(out)
    try:
        with folder_lock.held(files.check_writable(out)):
            if file_sets.mend(out):
                terminal.say(
                    f"The files of an earlier run that was cut off in {out} are whole now."
                )
                before = file_sets.entries(out)
            files.check_folder(out, overwrite)
            yield out
    except KeyboardInterrupt:
        new = file_sets.entries(out) != before
        state = "holds the new results" if new else "is as it was"
        terminal.say(f"{out} {state}; the same command starts the run again.")
        raise


def finish(
    found: Comparison,
    out: Path,
    overwrite: bool,
    beside: Mapping[str, bytes] | None = None,
    rows: bool = True,
    minimum: int = storage.FEWEST,
) -> None:
    """Write all result files to a folder, then print clusters, cautions, scores and notes."""
    model = found.model
    refusal = ""
    if not rows:
        try:
            model = storage.of_clusters(found.model, minimum)
        except InputError as error:  # the fit may have taken minutes: all else is written
            refusal = f"No model is stored, because --no-rows was asked for: {error}"
    found.save(
        out,
        overwrite=overwrite,
        beside=beside,
        model=not refusal,
        rows=rows,
        minimum_cluster_size=minimum,
    )
    study_text.show(found.study)
    for sentence in found.notes:
        terminal.say(sentence)
    terminal.say(refusal or kept_rows.sentence(model.estimator))
    if not refusal:
        terminal.say(sizes.of_folder(out / files.MODEL).sentence())
    written = "Labels and report" if refusal else "Labels, model and report"
    terminal.say(f"{written} are in {out}; open {out / REPORT} in a browser.")
