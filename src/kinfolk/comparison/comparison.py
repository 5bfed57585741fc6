"""Compares a method's clusters with and without the help of other data sets, views or sites."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kinfolk import arguments, catalogue
from kinfolk.arguments import ReadArguments, instance, mapping
from kinfolk.catalogue import strategies
from kinfolk.comparison import files, rows, shown, studying
from kinfolk.disk import file_sets, folder_lock
from kinfolk.knowledge import Knowledge
from kinfolk.models import storage
from kinfolk.models.model import Model
from kinfolk.numerics import float_errors
from kinfolk.preparation import Preparation
from kinfolk.profiles import Profiles
from kinfolk.profiles import names as kind_names
from kinfolk.report.study import Result, Study
from kinfolk.tables import RelatedData
from kinfolk.tables.columns import name as name_of


@dataclass(frozen=True, repr=False)
class Comparison:
    """Clusters of the same rows by several strategies (alone, pooled, together), scored.

    Attributes
    ----------
    study : rows, settings and notes, as a report shows them
    model : the fitted method with everything that is needed to assign new rows

    Examples
    --------
    >>> from kinfolk import compare, datasets
    >>> data = datasets.make_related_blobs(20, random_state=0)
    >>> found = compare(data, n_clusters=3, method="per-task")
    >>> scores = found.frame()
    >>> scores = scores[scores["measure"] == "accuracy"].groupby("strategy")["value"].mean()
    >>> scores.round(2).to_dict()
    {'alone': 1.0, 'k-means alone': 1.0, 'pooled': 0.85, 'together': 1.0}
    """

    study: Study
    model: Model

    @property
    def data(self) -> RelatedData:
        """The rows that were clustered."""
        return self.study.data

    @property
    def results(self) -> list[Result]:
        """The result of each strategy: labels, seconds and scores, or why it does not apply."""
        return self.study.results

    @property
    def notes(self) -> list[str]:
        """Remarks that a reader of the results needs, as sentences."""
        return self.study.notes

    @property
    def profiles(self) -> Profiles:
        """Profiles of the matched clusters in the user's units: sizes, means, typical rows."""
        return self.study.profiles

    def frame(self) -> Any:
        """Return all scores as a tidy data frame: task, strategy, measure, value.

        Strategies that do not apply have no scores and no lines.
        """
        records = [
            (task, result.name, measure, value)
            for result in self.results
            for measure, of_tasks in result.scores.items()
            for task, value in of_tasks.items()
        ]
        return rows.pandas().DataFrame(records, columns=["task", "strategy", "measure", "value"])

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the report, one HTML page without scripts; an older report is replaced.

        Raises
        ------
        MissingExtraError : jinja2 or matplotlib is not installed
        InputError : the file is there and is no report of Kinfolk, or belongs to the run in its
            folder, and `overwrite` is False
        """
        page = files.report_page(self.study, files.run_id(self.study))
        file_sets.write_file(path, page, files.REPORT_MARK, overwrite)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        beside: Mapping[str, bytes | Path] | None = None,
        model: bool = True,
        rows: bool = True,
        minimum_cluster_size: int = storage.FEWEST,
    ) -> None:
        """Write labels.csv, profiles.csv, model/ and report.html, all of them or none.

        An older run in the folder is replaced; files of others are left as they are. run.json
        lists what was written.

        Parameters
        ----------
        folder : it is made if it does not exist
        overwrite : True: also replace files that Kinfolk did not write, or that were changed
        beside : name -> content of files to write with them or in their place, or a file to move
        model : False leaves the model out
        rows, minimum_cluster_size : of the model, as of `kf.save`

        Raises
        ------
        InputError : the folder cannot be written to, another program writes there, or a file
            that Kinfolk did not write as it is would be lost, and `overwrite` is False; or the
            model cannot do without its rows
        """
        stored = self.model if model else None
        if model and not rows:
            stored = storage.of_clusters(self.model, minimum_cluster_size)
        with folder_lock.held(files.check_writable(folder)) as out:
            file_sets.mend(out)  # first, because half a set looks like files of others
            files.check_folder(out, overwrite)
            run, contents = files.contents(self.study, stored)
            file_sets.replace(out, contents | dict(beside or {}), run, overwrite)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the measures, and per strategy its name and mean scores over tasks."""
        return shown.mean_scores(self.study)

    def labels(self) -> Any:
        """Return the cluster of each row as a data frame, in the columns of labels.csv.

        One line per row in the order of `data`: its id, its task, its cluster within the task, the
        number that matching clusters of different tasks share (the kind), and the strength of
        that match from -1 to 1, NaN without counterpart. Names of kinds and known classes have
        columns of their own. MissingExtraError if pandas is not installed.
        """
        return rows.pandas().DataFrame(files.labels(self.study))

    def __repr__(self) -> str:
        return shown.as_text(self.study)

    def _repr_html_(self) -> str:
        return shown.as_html(self.study)


@float_errors.handled_by_default
def compare(
    source: Any,
    *,
    n_clusters: int | str | Mapping[Any, int],
    tasks: Any = None,
    method: str = "kinfolk",
    labels: Any = None,
    target: Any = None,
    views: Any = None,
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    preparation: Preparation | None = None,
    parameters: Mapping[str, Any] | None = None,
    random_state: int = 0,
    roles: Mapping[str, str | None] | None = None,
    command: str = "",
    names: Mapping[Any, str] | None = None,
    text: str | None = None,
    row_id: str | None = None,
    embeddings: Any = None,
    columns: str = ReadArguments.columns,
    only: str | Collection[str] | None = ReadArguments.only,
    ignore: str | Collection[str] = ReadArguments.ignore,
    kinds: Mapping[str, str] | None = ReadArguments.kinds,
    missing: str = ReadArguments.missing,
    missing_views: str = ReadArguments.missing_views,
    header: bool = ReadArguments.header,
    min_rows: int = ReadArguments.min_rows,
) -> Comparison:
    """Cluster rows by a method with help (tasks, views, knowledge) and without; score both.

    Parameters
    ----------
    source : table (n, d): array, sparse matrix or data frame; `RelatedData`; the result of
        `kf.read`; the name of a data set; or one or several paths
    n_clusters : one number, or task -> number, where None stands for all other tasks; "auto" where
        the method finds them, and then the others take what it found
    tasks : (n,) the task of each row, or the name of a column; None: one task, or one per file
    method : its name in the catalogue
    labels : (n,) or name of a column: known classes, -1 where unknown, for methods that take them
    target : (n,) or name of a column: true classes, used to score and never to cluster
    views : for methods of several views: view -> slice, positions or names of its columns of a
        table, each in one view; for files as `kf.read` takes it
    knowledge : centers of another site, or the file that holds them, for methods that take them
    preparation : of the rows; one that is fitted is used as it is. None: texts are counted,
        numbers are used as they are, views have rows of unit length
    parameters : parameters of the method by name
    random_state : seed of every random draw
    roles : role -> column of tables that new rows come in, kept in the model; None: the columns
        by which these rows were read
    command : the command to show in the report
    names : number of a kind -> its name, for the report, labels.csv, profiles.csv and the model
    text, row_id, embeddings : columns of files and data frames, as of `kf.read`
    columns, only, ignore, kinds, missing, missing_views, header, min_rows : which columns and rows
        of files and data frames are clustered and what they are taken for, as of `kf.read`

    Raises
    ------
    InputError : an unknown method or parameter, or rows that the method cannot take

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> blobs = makers.make_related_blobs(random_state=0)
    >>> found = compare(blobs.X, tasks=blobs.tasks, target=blobs.target, n_clusters=3,
    ...                 method="joint-spectral")
    >>> found
    The 200 rows of 2 data sets are of 4 kinds: kind 0 (99 rows, 50 %), kind 1
    (51 rows, 26 %), kind 2 (33 rows, 16 %) and kind 3 (17 rows, 8 %).
      kind 0: x0 20 (others −9), x1 17 (others 0)
      kind 1: x1 −3 (others 19), x0 −6 (others 2)
      kind 2: x0 −28 (others 5), x1 19 (others 13)
      kind 3: x0 −4 (others 16), x1 −5 (others 7)
    joint-spectral on the table: 200 rows in 2 tasks; mean scores of the tasks
                   silhouette    accuracy         nmi
    alone               0.949       1.000       1.000
    pooled              0.817       0.830       0.859
    together            0.703       0.750       0.827
    k-means alone       0.949       1.000       1.000
    Measured against the true classes (accuracy in %), clustering together is on average
    25.0 points worse than each data set alone, 8.0 points worse than all rows pooled and
    25.0 points worse than k-means alone. The best scores are those of alone: consider its
    clusters instead.
    >>> found.labels().head(2)
      row    task  cluster  matched_cluster  strength
    0   1  task-0        0                2       NaN
    1   2  task-0        0                2       NaN
    >>> found.frame().query("strategy == 'together' and measure == 'nmi'")
          task  strategy measure    value
    16  task-0  together     nmi  1.00000
    17  task-1  together     nmi  0.65321
    """
    entry = catalogue.method(method)
    called = kind_names.checked(names)
    arguments.text("command", command)
    preparation = _checked(preparation, entry)
    parameters = mapping("parameters", parameters)
    knowledge = parameters.pop("knowledge", knowledge)
    own = {"labels": labels, "views": views, "knowledge": knowledge}
    strategies.check_options(entry, own, n_clusters)
    given = {"tasks": tasks, "target": target, "labels": labels, "views": views}
    given |= {"text": text, "row_id": row_id, "embeddings": embeddings}
    asked = ReadArguments(columns, only, ignore, kinds, missing, header, missing_views, min_rows)
    data, notes, known_labels = rows.collect(source, given, asked)
    k = _by_name(n_clusters)
    setup = strategies.Setup(entry, data, k, random_state, parameters, known_labels)
    kept = mapping("roles", data.roles if roles is None else roles)
    study, preparation = studying.study(setup, knowledge, preparation, notes, command)
    study = _named(study, called)
    return Comparison(study, _model(study, method, preparation, kept))


def _checked(preparation: Any, entry: catalogue.Entry) -> Preparation:
    """Return the preparation, checked; None stands for the scaling that the method needs."""
    if preparation is None:
        return Preparation(scale=entry.relation.scale)
    return instance("preparation", preparation, Preparation, "give a kinfolk.Preparation or None")


def _by_name(n_clusters: int | str | Mapping[Any, int]) -> int | str | Mapping[Any, int]:
    """Convert the tasks in `n_clusters` to strings, as in `RelatedData`, but None (all others)."""
    if not isinstance(n_clusters, Mapping):
        return n_clusters
    return {task if task is None else name_of(task): k for task, k in n_clusters.items()}


def _model(study: Study, method: str, preparation: Preparation, roles: dict[str, Any]) -> Model:
    """Return the fitted method with all that assigning new rows needs."""
    return Model(
        estimator=study.model,
        method=method,
        preparation=preparation,
        roles=roles,
        names=dict(study.names),
        profiles=study.profiles,
        written=dict(study.data.written),
    )


def _named(study: Study, names: Mapping[int, str]) -> Study:
    """Add the user's names of matched clusters to a study, and a note on unknown numbers."""
    kinds = study.model.matched_clusters_.tolist()
    known = {number: name for number, name in names.items() if number in kinds}
    # No error: the kinds are only known now, after a fit that may have taken minutes.
    wrong = kind_names.unknown(names, kinds)
    return replace(study, names=known, notes=[*study.notes, *([wrong] if wrong else [])])
