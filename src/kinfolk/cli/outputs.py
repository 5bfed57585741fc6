"""Writes the results of `run` and `demo` to a folder and prints tables."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinfolk.cli import options, terminal
from kinfolk.disk import file_sets, folder_lock
from kinfolk.errors import InputError
from kinfolk.running import interruptions

if TYPE_CHECKING:
    from kinfolk.comparison import Comparison
    from kinfolk.tables import RelatedData


def say_columns(data: "RelatedData") -> None:
    """Print which kind (number, category, ...) each column is taken for, and why.

    Of a table of numbers alone only the columns that may be something else are printed.
    """
    from kinfolk.comparison import notes
    from kinfolk.sources import describe

    for sentence in describe.of_numbers(data):
        terminal.say(sentence)
    if data.columns is not None:
        terminal.say(repr(describe.Description(len(data), data.columns)))
    if len(data.task_names) == 1 and len(data.views) < 2:
        terminal.say(notes.one_data_set(data.task_names[0]))


@dataclass(frozen=True)
class Results:
    """Options on the folder of results; locks the folder, and writes and prints the results."""

    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("kinfolk-report")
    overwrite: options.Overwrite = False
    no_rows: Annotated[
        bool,
        typer.Option(
            "--no-rows",
            help="Store a model without anything about single rows; see docs/privacy.md for the "
            "cost.",
        ),
    ] = False
    minimum: Annotated[
        int, typer.Option(min=1, help="Fewest rows of a cluster in a model without rows.")
    ] = options.FEWEST

    @contextmanager
    def folder(self) -> Iterator[None]:
        """Context that holds a lock on the folder, and reports its state if stopped."""
        from kinfolk.comparison import files

        # Although `save` imports it: so that a missing extra is reported before any work.
        from kinfolk.report import page  # noqa: F401

        before = file_sets.entries(self.out)
        try:
            with folder_lock.held(files.check_writable(self.out)):
                if file_sets.mend(self.out):
                    terminal.say(
                        f"The files of an earlier run that was cut off in {self.out} are whole now."
                    )
                    before = file_sets.entries(self.out)
                files.check_folder(self.out, self.overwrite)
                with interruptions.keeping():
                    yield
        except KeyboardInterrupt:
            new = file_sets.entries(self.out) != before
            state = "holds the new results" if new else "is as it was"
            terminal.say(f"{self.out} {state}; the same command starts the run again.")
            raise

    def write(self, found: "Comparison", beside: Mapping[str, bytes | Path] | None = None) -> None:
        """Write all result files, then print clusters, cautions, scores and notes.

        `beside` are further files by name.
        """
        from kinfolk.cli import study_text
        from kinfolk.comparison import files, notes
        from kinfolk.estimators import kept_rows
        from kinfolk.models import sizes, storage
        from kinfolk.report import canvas

        model = found.model
        refusal = ""
        if self.no_rows:
            try:
                model = storage.of_clusters(found.model, self.minimum)
            except InputError as error:  # the fit may have taken minutes: all else is written
                refusal = f"No model is stored, because --no-rows was asked for: {error}"
        try:
            self._save(found, beside, not refusal)
        except KeyboardInterrupt:
            files_to_move = [f for f in (beside or {}).values() if isinstance(f, Path)]
            if not all(f.exists() for f in files_to_move) or not interruptions.is_first():
                raise
            terminal.say("Interrupted while results were written: the report has no pictures.")
            with canvas.without_pictures():
                self._save(found, beside, not refusal)
        study_text.show(found.study)
        # Before the fit it was said already.
        said = {notes.one_data_set(name) for name in found.data.task_names}
        for sentence in found.notes:
            if sentence not in said:
                terminal.say(sentence)
        terminal.say(refusal or kept_rows.sentence(model.estimator))
        if not refusal:
            terminal.say(sizes.of_folder(self.out / files.MODEL).sentence())
        written = "Labels and report" if refusal else "Labels, model and report"
        terminal.say(f"{written} are in {self.out}; open {self.out / files.REPORT} in a browser.")

    def _save(
        self, found: "Comparison", beside: Mapping[str, bytes | Path] | None, model: bool
    ) -> None:
        """Write the files, with the model or without it."""
        found.save(
            self.out,
            overwrite=self.overwrite,
            beside=beside,
            model=model,
            rows=not self.no_rows,
            minimum_cluster_size=self.minimum,
        )
