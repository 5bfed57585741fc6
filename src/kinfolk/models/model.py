"""A fitted estimator with all that new rows need: their preparation, columns and names."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import listed
from kinfolk.arrays import Labels, Table, Vector
from kinfolk.errors import FileFormatError, InputError, UnknownTaskError, warn_user
from kinfolk.estimators import checks, facets
from kinfolk.models import new_rows
from kinfolk.preparation import Preparation
from kinfolk.preparation.new_rows import unread
from kinfolk.profiles import Profiles
from kinfolk.profiles import names as kind_names
from kinfolk.sources import Reading, spelling
from kinfolk.sources.sheets import MissingColumnError
from kinfolk.tables import RelatedData

_MOST_NAMED = 6
"""Most tasks that a model's repr names."""


class Assignment(NamedTuple):
    """Result of assigning rows: clusters, matched clusters and strengths, each (m,).

    Attributes
    ----------
    labels : cluster within the task
    matched : number that matched clusters share across tasks
    strength : of the match, NaN without counterpart
    classes : names of the clusters if they are known classes, else None
    """

    labels: Labels
    matched: Labels
    strength: Vector
    classes: NDArray[Any] | None = None


@dataclass(repr=False)
class Model:
    """A fitted estimator with the preparation and names needed to assign new rows.

    Attributes
    ----------
    estimator : fitted, of several tasks
    method : its name in the catalogue
    preparation : the preparation of its rows, or None if they were used as they are
    roles : role -> column of files with new rows: "tasks", "text", "row_id"
    names : number of a kind (matched clusters) -> the name that the user gave it
    profiles : the kinds in the units of the table, or None if they were not made
    run : identifier of the run whose labels and report belong to the model, "" without them
    written : column -> unit and notation of its numbers in the rows of the fit, where they were
        words; new rows must be written in the same way. None: not known, as in older models

    Examples
    --------
    >>> from kinfolk import catalogue
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> estimator = catalogue.tasks_estimator(catalogue.method("kmeans"), 3, 0)
    >>> model = Model(estimator.fit(data.X, tasks=data.tasks), "kmeans")
    >>> model
    Model(kmeans: 4 kinds of 2 prepared columns in tasks task-0, task-1)
    >>> model.assign(data).labels[:6], model.assign(data).matched[:6]
    (array([0, 0, 0, 1, 2, 2]), array([2, 2, 2, 1, 0, 0]))
    >>> model.assign(data.X[3:6], tasks="task-0").strength
    array([1., 1., 1.])
    """

    estimator: Any
    method: str
    preparation: Preparation | None = None
    roles: dict[str, str | None] | None = None
    names: dict[int, str] = field(default_factory=dict)
    profiles: Profiles | None = None
    run: str = ""
    written: dict[str, str] | None = None

    @property
    def profiles_(self) -> Profiles:
        """Profiles of the fit's matched clusters in the table's units.

        Raises
        ------
        InputError : the model was stored by an older version
        """
        if self.profiles is None:
            return replace(self.estimator.profiles_, names=self.names)
        return replace(self.profiles, names=self.names)

    def __repr__(self) -> str:
        tasks = listed([str(task) for task in self.estimator.task_names_], _MOST_NAMED)
        kinds = len(np.unique(self.estimator.matched_clusters_))
        return (
            f"Model({self.method}: {kinds} kinds of {self.estimator.n_features_in_} prepared "
            f"columns in tasks {tasks})"
        )

    def rename(self, names: Mapping[Any, str]) -> None:
        """Name kinds (groups of matched clusters); other names stay.

        Raises
        ------
        InputError : there is no such kind, or two kinds would have one name
        """
        checked = kind_names.checked(names)
        if wrong := kind_names.unknown(checked, self.estimator.matched_clusters_.tolist()):
            raise InputError(wrong)
        self.names = kind_names.checked(self.names | checked)

    def assign(self, source: Any, tasks: Any = None) -> Assignment:
        """Assign new rows to clusters.

        Parameters
        ----------
        source : m rows with the columns of the fit: a data frame, one or several paths,
            `RelatedData`, or the result of `kf.read`; or, if those of the fit had no names, an
            array or sparse matrix
        tasks : the name of a known task, for all rows; the name of a column; or (m,) a task for
            each row. None: the column that names the tasks of the fit, or the only task

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted
        InputError : columns or tasks are missing, or rows have a task already and `tasks` is given

        Warns
        -----
        UserWarning : values are not of the kind of their column, such as words among numbers
        """
        data = self._new_rows(source, tasks)
        X = self.prepare(data)
        used = {} if self.preparation is None else self.preparation.kinds
        if lost := unread([column for column in data.columns or () if column.name in used]):
            warn_user(lost)
        return self.assign_prepared(X, data.tasks)

    def _new_rows(self, source: Any, tasks: Any) -> RelatedData:
        """Return new rows with their tasks from any source."""
        rows = source.data if isinstance(source, Reading) else source
        if isinstance(rows, RelatedData):
            if tasks is not None:
                raise InputError("these rows have tasks of their own: leave tasks out.")
            return rows
        known = self.estimator.task_names_.tolist()
        column = tasks if isinstance(tasks, str) and tasks not in known else None
        if new_rows.is_table(rows):
            return self.read(rows, {"tasks": column}, None if column else tasks).data
        if column:
            raise UnknownTaskError(checks.unknown_tasks([tasks], known))
        if tasks is None and len(known) > 1:
            raise InputError(checks.unnamed_tasks(known))
        given = known[0] if tasks is None else tasks
        return new_rows.with_tasks(new_rows.of_numbers(rows, self._columns()), given, known)

    def _columns(self) -> list[str] | None:
        """Return the columns of the fit, or None if its rows were used as they are."""
        if self.preparation is None:
            return None
        return list(self.preparation.kinds or self.preparation.feature_names)

    def read(
        self,
        tables: Any,
        roles: Mapping[str, str | None],
        tasks: Any = None,
        new_task: bool = False,
        **options: Any,
    ) -> Reading:
        """Read files or data frames of new rows, with the columns and kinds of the fit.

        Parameters
        ----------
        tables : as of `kf.read`
        roles : role ("tasks", "text", "row_id", "embeddings") -> column; those of the fit otherwise
        tasks : one that all rows belong to, or (m,) one for each row; None: those of the tables
        new_task : True if rows may be of a task that the model does not know
        options : "header" and "missing" as of `kf.read`

        Raises
        ------
        InputError : a column is missing
        """
        kept = self.roles or {}
        found = {role: roles.get(role) or kept.get(role) for role in new_rows.ROLES}
        known = self.estimator.task_names_.tolist()
        # Rows without any task can only belong to the single task of the model.
        if tasks is None and found["tasks"] is None and len(known) == 1 and not new_task:
            tasks = known[0]
        if tasks is not None:
            found["tasks"] = roles.get("tasks")  # a file of one task may lack the column of the fit
        try:
            reading = new_rows.read(
                tables, self.preparation, self.written, found, kept.get("views"), **options
            )
        except MissingColumnError as error:
            if error.column != found["tasks"] or new_task:
                raise
            raise UnknownTaskError(f"{error} {checks.one_task_for_all(known)}") from error
        if tasks is None:
            return reading
        return reading._replace(data=new_rows.with_tasks(reading.data, tasks, known))

    def prepare(self, data: RelatedData) -> Table:
        """Transform new rows (m, d) for the estimator.

        Raises
        ------
        InputError : columns are missing, or their numbers have another unit or notation
        """
        if self.written is not None:
            spelling.check_same(
                self.written, data.written, "the rows of the fit", "the new rows", all_known=True
            )
        return data.X if self.preparation is None else self.preparation.transform(data)

    def assign_prepared(self, X: Table, tasks: Any) -> Assignment:
        """Assign prepared rows X (m, d) of tasks (m,) to clusters."""
        labels = self.estimator.predict(X, tasks=tasks)
        classes = None
        if isinstance(self.estimator, facets.HasKnownLabels):  # it predicts names, not numbers
            classes = labels
            labels = np.searchsorted(self.estimator.classes_, labels)
        _check_range(labels, self.estimator, tasks)
        matched, strength = self.estimator.match(labels, tasks)
        return Assignment(labels, matched, strength, classes)


def _check_range(labels: Labels, estimator: Any, tasks: Any) -> None:
    """Raise FileFormatError unless labels (m,) are valid clusters of their tasks."""
    names = list(estimator.task_names_)
    codes, _ = checks.known_tasks(tasks, np.empty((len(labels), 0)), names)
    k = np.asarray(estimator.n_clusters_)[codes]
    if (labels < 0).any() or (labels >= k).any():
        raise FileFormatError(
            "The model assigns rows to clusters that it does not have: it is damaged; fit and "
            "save it again."
        )
