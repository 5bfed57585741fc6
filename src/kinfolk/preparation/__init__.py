"""Transforms related data to the numeric matrix that is clustered, also for new rows.

Texts become counts of terms, numbers are matched by column name, then either is scaled. Tables
with categories, dates, identifiers or gaps are prepared column by column (`preparation.mixed`). The
terms, their weights, means and spreads are learned from the training rows and kept, so that new
rows are prepared in the same way, each independently of the others.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import given, names, spelled
from kinfolk.arrays import Matrix, Table
from kinfolk.errors import FileFormatError, InputError
from kinfolk.numerics import operators, sparse_format
from kinfolk.preparation import mixed, mixed_views, new_rows, scaling, state, words
from kinfolk.preparation.mixed import Mixed
from kinfolk.tables import RelatedData, alignment, columns, intake, related_data


@dataclass
class Preparation:
    """Transformer of `RelatedData` to a numeric matrix, fitted to the training rows.

    Parameters
    ----------
    text_weighting : "counts" of terms, or "tfidf": counts times ln((1 + n) / (1 + df)) + 1,
        if df of the n training texts hold the term; tables of numbers are taken for counts
    stop_words : "english" leaves out scikit-learn's list of English function words (318), "smart"
        that of the SMART system (Salton; 571), a list of words these; None or "none" keeps all
    ngrams : the most words of a term: with 2, neighboring words are terms as well, such as "new
        york"
    n_terms : number of terms to keep, those in most training texts, ties by alphabet; None: all
    scale : "none"; "unit": rows of Euclidean length 1 in each view, zero rows stay zero;
        "standard": columns of mean 0 and variance 1 over the training rows, columns without
        spread become 0

    Attributes
    ----------
    feature_names : (d,) terms or columns, once fitted
    notes : sentences about the rows that were last transformed, for the reader of a report

    Raises
    ------
    InputError
        If a parameter is not one of these.

    Examples
    --------
    >>> rows = np.array(["a", "b"])
    >>> data = RelatedData("pets", rows, rows, texts=("The cat, a CAT!", "cats and the dog"))
    >>> preparation = Preparation()
    >>> preparation.fit_transform(data).toarray()
    array([[2., 0., 0.],
           [0., 1., 1.]])
    >>> preparation.feature_names
    ('cat', 'cats', 'dog')
    >>> new = RelatedData("pets", rows[:1], rows[:1], texts=("A dog, a dog and a bird",))
    >>> preparation.transform(new).toarray()
    array([[0., 0., 2.]])
    """

    text_weighting: str = "counts"
    stop_words: words.StopWords = "english"
    n_terms: int | None = 2500
    scale: str = "none"
    ngrams: int = 1
    feature_names: tuple[str, ...] = field(default=(), init=False)
    notes: list[str] = field(default_factory=list, init=False)
    _reads: str = field(default="", init=False, repr=False)
    _views: list[int] = field(default_factory=list, init=False, repr=False)
    _learned: dict[str, NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False)
    _mixed: Mixed | None = field(default=None, init=False, repr=False)

    CHOICES: ClassVar[dict[str, tuple[str | None, ...]]] = {
        "text_weighting": ("counts", "tfidf"),
        "stop_words": ("english", "smart", None),
        "scale": ("none", "unit", "standard"),
    }

    def __post_init__(self) -> None:
        """Check the parameters, and convert stop words of the user to terms."""
        if isinstance(self.stop_words, str) and self.stop_words == "none":
            self.stop_words = None
        own = isinstance(self.stop_words, list | tuple | set | frozenset)
        if own:
            self.stop_words = words.own_stop_words(names("stop_words", self.stop_words))
        for name, allowed in self.CHOICES.items():
            value = getattr(self, name)
            if own and name == "stop_words":
                continue
            if not isinstance(value, str | None) or value not in allowed:
                raise InputError(
                    f"{given(name, value, name.removeprefix('text_'))} is not known; choose one of "
                    f"{', '.join(repr(value or 'none') for value in allowed)}."
                )
        n = self.n_terms
        if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
            asked = given("n_terms", n, "terms")
            raise InputError(f"{asked} must be a whole number from 1, or None for all terms.")
        if not isinstance(self.ngrams, int) or isinstance(self.ngrams, bool) or self.ngrams < 1:
            raise InputError(f"{given('ngrams', self.ngrams)} must be a whole number from 1.")

    def fit_transform(self, data: RelatedData) -> Table:
        """Fit to the rows and return them as a numeric matrix (n, d); texts as CSR.

        `data` may also be the result of `kf.read`.

        Raises
        ------
        InputError
            If the texts hold no terms, if sparse data are to be centered, or if numbers that are to
            be weighted as counts have a sign.
        """
        data = related_data(data)
        sparse = data.texts is not None or sp.issparse(data.X)
        if self.scale == "standard" and sparse:
            asked = spelled("--scale standard", 'scale="standard"')
            raise InputError(
                f'{asked} would fill every zero of sparse data: choose "unit" or "none".'
            )
        self._learned = {}
        self._mixed = None
        self.notes = []
        self._views = [own.stop for own in data.views.values()] if data.columns is None else []
        if data.texts is not None:
            self.feature_names, counts = words.learn_terms(
                data.texts, self.stop_words, self.n_terms, self.ngrams
            )
            self._reads = "texts"
            return self._scaled(self._learn_weights(counts), data)
        if data.columns is not None:
            lacking = mixed_views.lacking(data.columns, data.views)
            self._mixed = mixed.fit(data.columns, data.tasks, lacking)
            self._views = mixed_views.ends(self._mixed.recipes, data.columns, data.views)
            self.notes = list(mixed.notes(data.columns, self._mixed, data.tasks, lacking))
            self._reads = "columns"
            self.feature_names = self._mixed.feature_names
            return self._of_columns(data)
        self._reads = "numbers"
        self.feature_names = data.feature_names
        X = self._learn_weights(_float64(data))
        if self.scale == "standard":
            self._learned["center"], self._learned["spread"] = scaling.moments(np.asarray(X))
        return self._scaled(X, data)

    def transform(self, data: RelatedData) -> Table:
        """Return new rows as a matrix (n, d), each independent of the others.

        Raises
        ------
        InputError
            If nothing is fitted yet, if columns are missing, or if texts are given to a
            preparation that was fitted to numbers, or the reverse.
        """
        self._check_fitted()
        data = related_data(data)
        self.notes = []
        if data.texts is not None and self._reads == "texts":
            counts = words.count_terms(data.texts, self.feature_names, self.stop_words)
            return self._scaled(self._weighted(counts), data)
        if data.texts is None and self._mixed is not None:
            return self._of_columns(data, new=True)
        if data.X is not None and self._reads == "numbers":
            return self._scaled(self._weighted(self._match_columns(data)), data)
        if data.columns is not None and self._reads == "numbers":
            raise InputError(new_rows.gaps_and_words(data, self.feature_names))
        given = "numbers" if data.texts is None else "texts"
        raise InputError(f"{data.name!r} holds {given}, but the model was fitted on {self._reads}.")

    def terms_of(self, data: RelatedData) -> tuple[Table, tuple[str, ...]] | None:
        """Count the terms of texts that stand beside X: (counts (n, m), names (m,)) or None.

        None without documents, or where they hold no terms.

        >>> rows = np.array(["a", "b"])
        >>> data = RelatedData("t", rows, rows, np.eye(2), documents=("A red cat", "A cat"))
        >>> counts, names = Preparation().terms_of(data)
        >>> names, counts.toarray().tolist()
        (('cat', 'red'), [[1.0, 1.0], [1.0, 0.0]])
        """
        if data.documents is None:
            return None
        try:
            names, counts = words.learn_terms(
                data.documents, self.stop_words, self.n_terms, self.ngrams
            )
        except InputError:
            return None  # they describe the rows, which are clustered without them
        return counts, names

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
        """Return parameters and fitted values: a dict for JSON, and arrays by name.

        >>> rows = np.array(["a", "b"])
        >>> data = RelatedData("t", rows, rows, np.array([[1.0], [3.0]]), ("x",))
        >>> preparation = Preparation(scale="standard")
        >>> X = preparation.fit_transform(data)
        >>> preparation.to_state()[1]
        {'center': array([2.]), 'spread': array([1.])}
        """
        self._check_fitted()
        # Left out if there is only one view, so that older programs can read the state.
        views = {"views": self._views} if self._views else {}
        more: dict[str, Any] = {}
        if self._mixed is not None:
            more, learned = state.of_mixed(self._mixed)
            self._learned = learned
        settings = {
            "version": state.VERSION,
            "reads": self._reads,
            "text_weighting": self.text_weighting,
            "stop_words": list(own) if isinstance(own := self.stop_words, tuple) else own,
            "n_terms": self.n_terms,
            "scale": self.scale,
            "feature_names": list(self.feature_names),
            **views,
            **more,
        }
        return settings, dict(self._learned)

    @classmethod
    def from_state(cls, settings: object, arrays: dict[str, NDArray[Any]]) -> Self:
        """Restore from the result of `to_state`; FileFormatError if it is invalid."""
        checked = state.settings(settings)
        reads = checked.pop("reads")
        found = checked.pop("feature_names")
        views = checked.pop("views")
        recipes = checked.pop("columns")
        try:
            preparation = cls(**checked)
        except InputError as error:
            raise FileFormatError(f"The stored preparation is not sound: {error}") from error
        # `fit_transform` refuses this, so no sound state has it.
        if reads == "texts" and preparation.scale == "standard":
            raise state.unsound("scale", preparation.scale)
        preparation._reads = reads
        preparation.feature_names = tuple(found)
        if reads == "texts":
            preparation.ngrams = words.longest(found)
        preparation._views = views
        if reads == "columns":
            preparation._mixed = state.mixed_of(recipes, arrays, found)
            return preparation
        expected: tuple[str, ...] = ()
        # Versions that did not weigh tables of counts stored no weights of them.
        if preparation.text_weighting == "tfidf" and (reads == "texts" or "idf" in arrays):
            expected = ("idf",)
        if reads == "numbers" and preparation.scale == "standard":
            expected = (*expected, "center", "spread")
        preparation._learned = state.arrays(arrays, expected, len(found))
        return preparation

    @property
    def kinds(self) -> dict[str, str]:
        """{column: kind it was taken for}; empty unless fitted on mixed columns.

        >>> Preparation().kinds
        {}
        """
        return {} if self._mixed is None else {r.name: r.kind for r in self._mixed.recipes}

    @property
    def columns_are_scaled(self) -> bool:
        """True if mixed columns with numbers were brought to one scale, which methods should keep.

        False for categories alone: there are no units, and zeros say what a row has not.

        >>> Preparation().columns_are_scaled
        False
        """
        return not set(mixed.WITH_SCALE).isdisjoint(self.kinds.values())

    def scales(self, tasks: Sequence[str]) -> tuple[Matrix, Matrix] | None:
        """Centers and spreads (T, d) by which the columns of each task were scaled, or None.

        Spreads are 0 where all rows of a task are alike. None if no columns were scaled by task,
        or rows were scaled afterwards.

        >>> Preparation().scales(["a"]) is None
        True
        """
        if not self.columns_are_scaled or self._mixed is None or self.scale == "unit":
            return None
        return self._mixed.scales(tasks)

    def views(self, data: RelatedData) -> dict[str, slice]:
        """Return {view: slice of its columns in the prepared matrix}.

        >>> Preparation().views(RelatedData("none", np.array(["t"]), np.array(["1"])))
        {}
        """
        if self._mixed is None:
            return dict(data.views)
        return dict(zip(data.views, map(slice, [0, *self._views], self._views), strict=False))

    def add_tasks(self, data: RelatedData) -> None:
        """Learn means, spreads and fill values of new tasks from all their rows.

        Without this, new tasks are prepared by the means of the others. Only columns of mixed
        tables are prepared by task, so that for texts and numbers there is nothing to learn.
        """
        self._check_fitted()
        if self._mixed is not None:
            self._mixed = self._mixed.with_tasks(_columns(data), data.tasks)

    def _of_columns(self, data: RelatedData, new: bool = False) -> Table:
        """Transform the columns of a mixed table to a numeric matrix; record notes on new rows."""
        assert self._mixed is not None
        table = _columns(data)
        X = self._mixed.transform(table, data.tasks)
        if new:
            self.notes = list(new_rows.notes(table, self._mixed.recipes, X))
        if self._views:
            X = mixed_views.without_missing(X, self._mixed.recipes, table, self._views)
        return scaling.unit(X, self._views) if self.scale == "unit" else X

    def _check_fitted(self) -> None:
        if not self._reads:
            raise InputError("This preparation is not fitted: call fit_transform first.")

    def _learn_weights(self, counts: Table) -> Table:
        """Learn tf-idf weights if `text_weighting` is "tfidf"; return the weighted counts."""
        if self.text_weighting == "tfidf":
            if counts.size and counts.min() < 0:
                asked = spelled("--weighting tfidf", 'text_weighting="tfidf"')
                raise InputError(
                    f"{asked} weighs counts of terms, and the table has negative numbers: choose "
                    '"counts", which leaves them as they are.'
                )
            self._learned["idf"] = words.inverse_document_frequency(sp.csr_array(counts))
        return self._weighted(counts)

    def _weighted(self, counts: Table) -> Table:
        return words.weighted(counts, self._learned["idf"]) if "idf" in self._learned else counts

    def _match_columns(self, data: RelatedData) -> Table:
        """Select the training columns of X by name, in their order; record a note on others."""
        given = set(data.feature_names)
        if missing := [name for name in self.feature_names if name not in given]:
            raise InputError(
                f"{data.name!r} lacks {len(missing)} of the {len(self.feature_names)} columns that "
                f"the model was fitted on ({alignment.some(missing)}): add them."
            )
        if extra := sorted(given - set(self.feature_names)):
            self.notes.append(
                f"{len(extra)} columns that the model was not fitted on are ignored "
                f"({alignment.some(extra)})."
            )
        return alignment.select(_float64(data), data.feature_names, self.feature_names)

    def _scaled(self, X: Table, data: RelatedData) -> Table:
        """Scale the rows; record a note on rows that are all zero."""
        # Zero rows are as good as any once columns are centered, so there is nothing to note.
        if self.scale == "standard":
            return scaling.standard(X, self._learned["center"], self._learned["spread"])
        self._note_empty_rows(X, data)
        return scaling.unit(X, self._views) if self.scale == "unit" else X

    def _note_empty_rows(self, X: Table, data: RelatedData) -> None:
        empty = Counter(data.tasks[scaling.empty_rows(X)].tolist())
        if empty:
            what = "hold none of the terms" if self._reads == "texts" else "are zero throughout"
            counts = ", ".join(f"{count} in {task!r}" for task, count in empty.items())
            self.notes.append(
                f"{empty.total()} of {len(data)} rows {what} ({counts}); they stay as zero rows, "
                "for which the cosine with any other row is undefined."
            )


def _columns(data: RelatedData) -> tuple[columns.Column, ...]:
    """Return a table's columns; an all-numeric table's as numbers."""
    if data.columns is not None:
        return data.columns
    X = operators.dense(_float64(data))
    return tuple(
        columns.Column(name, columns.NUMBER, "numbers", X[:, j])
        for j, name in enumerate(data.feature_names)
    )


def _float64(data: RelatedData) -> Table:
    """Convert X to float64, dense in C order or CSR."""
    if sp.issparse(data.X):
        return sparse_format.checked(data.X).astype(np.float64)
    X = intake.matrix(data.X, "X")
    if np.ma.is_masked(data.X):
        raise InputError("X has masked entries; fill them in or leave the rows out.")
    # Sums in another order differ in the last digit: rows must not depend on the memory layout.
    return np.ascontiguousarray(X, dtype=np.float64)
