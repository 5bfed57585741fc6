"""Results of `run` and `demo`: files in a folder, tables on the screen."""

from pathlib import Path

from kinfolk.cli import terminal
from kinfolk.comparison import Comparison
from kinfolk.comparison.files import REPORT
from kinfolk.estimators import kept_rows

# Imported here although `save` imports it, so that a missing extra is told before any work.
from kinfolk.report import page  # noqa: F401
from kinfolk.sources.describe import Description
from kinfolk.tables import RelatedData


def say_columns(data: RelatedData) -> None:
    """Print what each column of a mixed table is taken for, and why."""
    if data.columns is not None:
        terminal.say(repr(Description(len(data), data.columns)))
        if len(data.task_names) == 1:
            terminal.say(
                "All rows are one data set: if a column says which data set a row is from, name "
                "it (--tasks)."
            )


def finish(found: Comparison, out: Path) -> None:
    """Write all files into a folder, then print clusters, cautions, scores and notes."""
    found.save(out)
    terminal.show(found.study)
    for sentence in found.notes:
        terminal.say(sentence)
    terminal.say(kept_rows.sentence(found.model.estimator))
    terminal.say(f"Labels, model and report are in {out}; open {out / REPORT} in a browser.")
