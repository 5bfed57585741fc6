"""Input of a report: rows, fitted model and the results it is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kinfolk.arrays import Labels, Table
from kinfolk.profiles import Profiles, profile
from kinfolk.profiles.names import Placeholders, filled
from kinfolk.tables import RelatedData


@dataclass(frozen=True)
class Result:
    """Clusters of the rows by one strategy, with scores, or the reason of a refusal.

    Attributes
    ----------
    name : "alone", "pooled", "together", "view NAME" for one view by itself, or "k-means alone"
        as the baseline
    description : what ran, for example "mtcfir on each task by itself"
    labels : (n,) clusters, or None if it could not run
    seconds : wall time of the fit; results of one fit share it
    reason : why it could not run, or ""
    scores : scores[measure][task name]; "silhouette" always, "accuracy" and "nmi" (0 to 1)
        only when the true classes are known

    >>> Result("alone", "mec on each task by itself", None, reason="Task a has one row.").scores
    {}
    """

    name: str
    description: str
    labels: Labels | None
    seconds: float = 0.0
    reason: str = ""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """Data, fitted model, and results of other strategies on the same rows.

    Attributes
    ----------
    data : the rows, their tasks, names and (if known) true classes
    X : (n, d) the prepared table that the method was fitted to; dense or CSR
    feature_names : (d,) names of the columns of X
    model : the fitted estimator, which has labels_ (n,), matched_labels_ (n,), task_names_ (T,),
        clusters_ (C,) pairs (task, cluster), cluster_links_ (C, C) strengths in [-1, 1],
        matched_clusters_ (C,), match_strength_ (C,), and facets of `kinfolk.estimators.facets`
    method : the method's name in the catalogue, for example "mtcfir"
    relation : the method's relation in the catalogue, for example "several tasks"
    results : in the order of `kinfolk.catalogue.strategies`, k-means alone last
    settings : every parameter, choice and version, name -> value as shown to a reader
    command : the command that made the study, or ""
    notes : sentences a reader must see (column overlap, results that are missing, warnings of
        the fit)
    names : number of a kind -> the name that the user gave it
    terms : counts (n, m) of terms of documents beside X, and their names (m,); or None
    scored_by : the distance behind the silhouettes, in words that follow "by"; or ""
    """

    data: RelatedData
    X: Table
    feature_names: tuple[str, ...]
    model: Any
    method: str
    relation: str
    results: list[Result]
    settings: dict[str, str]
    command: str = ""
    notes: list[str] = field(default_factory=list)
    names: Mapping[int, str] = field(default_factory=dict)
    scored_by: str = ""
    terms: tuple[Table, tuple[str, ...]] | None = None

    @property
    def texts(self) -> tuple[str, ...] | None:
        """Texts (n,) of the rows, if rows are texts or have texts beside numbers; else None."""
        return self.data.documents if self.data.texts is None else self.data.texts

    @cached_property
    def profiles(self) -> Profiles:
        """Profiles of the matched clusters in the user's units: sizes, means, typical rows."""
        told = tuple(filled(text, self.names) for text in self._profiled.cautions)
        return replace(self._profiled, names=self.names, cautions=told)

    @property
    def caution_templates(self) -> dict[str, str]:
        """Map each caution to a template with placeholders for cluster names."""
        return {filled(text, self.names): text for text in self._profiled.cautions}

    @cached_property
    def _profiled(self) -> Profiles:
        """The profiles, whose cautions have placeholders for cluster names."""
        return profile(
            self.data,
            self.model.matched_labels_,
            self.X,
            self.feature_names,
            Placeholders(self.names),
            self.model.labels_,
            self.terms,
        )
