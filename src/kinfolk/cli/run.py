"""`kinfolk run`: clusters the user's related data sets, or a named one."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinfolk.cli import inputs, options, outputs, shown_command, terminal
from kinfolk.cli.reading import RowsToCluster
from kinfolk.errors import FileFormatError, InputError
from kinfolk.running import deadlines

if TYPE_CHECKING:
    from kinfolk.knowledge import Knowledge
    from kinfolk.preparation import Preparation
    from kinfolk.tables import RelatedData

Known = Annotated[
    Path | None,
    typer.Option("--knowledge", help="kt-mec: file with the centers of another site."),
]


@dataclass(frozen=True)
class Method:
    """Options on the method and its parameters."""

    clusters: Annotated[
        list[str] | None,
        typer.Option(
            help="Needed. Number of clusters: one number, one per task such as a=4,b=3, both such "
            "as 4,b=3 (4 for all but b), or auto, with which the method kinfolk finds it."
        ),
    ] = None
    method: Annotated[
        str,
        typer.Option(help="A method of `kinfolk methods`; kinfolk runs many and gives one answer."),
    ] = "kinfolk"
    budget: Annotated[
        float | None, typer.Option(help="kinfolk: seconds for all, from reading to the report.")
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            help="kinfolk: workers for its runs, -1 for all cores; the answer is the same."
        ),
    ] = None
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the method, name=value.")
    ] = None

    def arguments(self, roles: Mapping[str, Any], known: Path | None) -> dict[str, Any]:
        """Return method, numbers of clusters and parameters; InputError if options conflict."""
        from kinfolk import catalogue
        from kinfolk.catalogue import strategies
        from kinfolk.choosing import chains

        if not self.clusters:
            raise InputError(
                "--clusters is missing: give a number such as 4, or auto; `kinfolk suggest` says "
                "how many clusters each data set may have."
            )
        number = inputs.clusters(self.clusters)
        if self.method in catalogue.installed.names():
            raise InputError(
                f"--method {self.method} is of another package, whose models a folder cannot hold: "
                f'use kinfolk.compare(..., method="{self.method}") from Python.'
            )
        own = {"budget": self.budget, "jobs": self.jobs, "knowledge": known}
        own |= {role: roles[role] for role in ("labels", "views")}
        strategies.check_options(catalogue.method(self.method), own, number)
        if self.budget is not None and not 0 < self.budget < math.inf:
            raise InputError(f"--budget is {self.budget:g}; give seconds, more than 0.")
        chains.jobs(self.jobs)
        parameters = dict(inputs.parameter(text) for text in self.setting or [])
        asked = {"budget": self.budget, "n_jobs": self.jobs}
        parameters |= {name: value for name, value in asked.items() if value is not None}
        return {"method": self.method, "n_clusters": number, "parameters": parameters}


@dataclass(frozen=True)
class TermsAndScale:
    """Options on the preparation of texts and rows."""

    weighting: Annotated[
        str, typer.Option(help="Weights of terms, or of columns that count: counts or tfidf.")
    ] = "counts"
    stop_words: Annotated[
        str,
        typer.Option(
            help="Function words left out: english, smart, none, or a file with words of your own."
        ),
    ] = "english"
    terms: Annotated[
        int, typer.Option(min=0, help="Number of terms to keep, those in most texts; 0 keeps all.")
    ] = 2500
    ngrams: Annotated[
        int,
        typer.Option(min=1, help="Most words of a term: with 2, neighboring words are terms too."),
    ] = 1
    scale: Annotated[
        str | None,
        typer.Option(
            help="Scaling of the rows: none, unit or standard. Without it, that of the knowledge, "
            "unit for views, and none otherwise."
        ),
    ] = None

    def preparation(self, method: str) -> "Preparation":
        """Return the preparation of rows, with the method's scaling unless --scale is given."""
        from kinfolk import catalogue
        from kinfolk.preparation import Preparation

        return Preparation(
            text_weighting=self.weighting,
            stop_words=_stop_words(self.stop_words),
            ngrams=self.ngrams,
            n_terms=self.terms or None,
            scale=self.scale or catalogue.method(method).relation.scale,
        )


@options.grouped
def run(
    context: typer.Context,
    source: options.Source,
    chosen: Method,
    rows: RowsToCluster,
    texts: TermsAndScale,
    results: outputs.Results,
    known: Known = None,
    names: options.Names = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Cluster related data sets together; write labels, a model and a report."""
    from kinfolk.cli import large
    from kinfolk.comparison import compare, files
    from kinfolk.profiles import names as kind_names

    # Before any row is read, because reading and counting large tables takes minutes.
    arguments = chosen.arguments(rows.roles(), known)
    end = math.inf if chosen.budget is None else deadlines.began() + chosen.budget
    called = kind_names.parsed(names or [])
    preparation = texts.preparation(chosen.method)
    rows.arguments()  # wrong ones are refused before the folder is made
    with results.folder(), large.opened(source, rows, results.out) as parts:
        with terminal.bars(quiet), deadlines.ending(end):
            reading = rows.read(source) if parts is None else parts.sample(seed)
            outputs.say_columns(reading.data)
            _say_ids(reading.data, rows.row_id)
            found = compare(
                reading,
                **arguments,
                knowledge=None if known is None else _knowledge(known, texts.scale),
                preparation=preparation,
                random_state=seed,
                roles=rows.roles_of_new_rows(),
                command=shown_command.shown(context.obj),
                names=called,
            )
        # After the budget, which bounds what is tried and not how many rows there are.
        with terminal.bars(quiet):
            labels = {} if parts is None else {files.LABELS: parts.labels(found.model)}
        with deadlines.ending(end):
            results.write(found, labels)


def _say_ids(data: "RelatedData", row_id: str | None) -> None:
    """Print which column could serve as row ids, if the user named none."""
    from kinfolk.sources import naming
    from kinfolk.tables import columns as kinds_of

    # Numbers that were written for lack of names are the worst names.
    found = sorted(data.columns or (), key=lambda column: naming.is_unnamed(column.name))
    for column in found:
        if row_id is None and column.kind == kinds_of.IDENTIFIER:
            named = set(zip(data.tasks.tolist(), column.values.tolist(), strict=True))
            in_file = _name_in_files(data, column.name)
            if len(named) == len(data) and not column.gaps.any() and in_file is not None:
                name = shlex.quote(in_file)
                terminal.say(
                    f"{column.name!r} names the rows: with `--id {name}` so does labels.csv."
                )
                return


def _name_in_files(data: "RelatedData", name: str) -> str | None:
    """Return the name of a column in the files; None if each is a view and not all have it.

    A column that several views have is called "view: column" beside the others.
    """
    if data.roles.get("views") is None:
        return name
    for view in data.views or ():
        own = name.removeprefix(f"{view}: ")
        if own != name and {f"{v}: {own}" for v in data.views or ()} <= set(data.feature_names):
            return own
    return None


def _stop_words(given: str) -> str | list[str]:
    """Return the name of a stop word list, or the words read from a file; InputError if neither."""
    from kinfolk.preparation import Preparation
    from kinfolk.sources import paths

    lists = ["none" if name is None else name for name in Preparation.CHOICES["stop_words"]]
    if given in lists:
        return given
    if not Path(given).is_file():
        raise InputError(
            f"--stop-words is {given!r}, and there is no such file: name a file with one word in "
            f"each line, or one of the lists {', '.join(lists)}."
        )
    try:
        words = paths.read_bytes(Path(given)).decode("utf-8", "replace").split()
    except FileFormatError:  # it is empty, or a broken .gz
        words = []
    if not words:
        raise InputError(
            f"--stop-words is {given!r}, a file without a word: write one in each line, or leave "
            "no words out (--stop-words none)."
        )
    return words


def _knowledge(file: Path, scale: str | None) -> "Knowledge":
    """Read another site's centers; InputError if --scale differs from theirs."""
    from kinfolk.knowledge import Knowledge

    known = Knowledge.load(file)
    if scale not in (None, known.scaling):
        raise InputError(
            f"--scale is {scale!r} and the rows behind {file} were scaled by {known.scaling!r}: "
            "leave --scale out, and these rows are scaled like those."
        )
    return known
