"""Results of `run` and `demo`: files in a folder, tables on the screen."""

from pathlib import Path

from kinfolk.cli import terminal
from kinfolk.comparison import Comparison
from kinfolk.comparison.files import REPORT

# Imported here although `save` imports it, so that a missing extra is told before any work.
from kinfolk.report import page  # noqa: F401


def finish(found: Comparison, out: Path) -> None:
    """Write labels, model and report into a folder, then print scores, clusters and notes."""
    found.save(out)
    terminal.show(found.study)
    for note in found.notes:
        terminal.say(note)
    terminal.say(f"Labels, model and report are in {out}; open {out / REPORT} in a browser.")
