"""Protocols for results that only some fitted estimators have.

`isinstance(model, HasTraces)` is true if a fitted model has all attributes of the protocol, and
the type checker then knows them.
"""

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Vector


@runtime_checkable
class HasRelatedness(Protocol):
    """Learns the contribution of each task s to each task t, at [t, s]; 1 on the diagonal."""

    task_relatedness_: Matrix


@runtime_checkable
class HasTaskAgreement(Protocol):
    """Compares the clusters that tasks have by themselves: (T, T), 0 is chance, 1 the same."""

    task_agreement_: Matrix


@runtime_checkable
class HasClusterRelatedness(Protocol):
    """Learns relations between clusters of different tasks."""

    cluster_relatedness_: Any


@runtime_checkable
class HasTraces(Protocol):
    """Keeps the objective of each task: task -> (sweeps + 1,)."""

    objective_traces_: dict[Any, Vector]
    n_iter_: int
    converged_: bool


@runtime_checkable
class HasCorrespondence(Protocol):
    """Matches clusters across tasks and lists the counterparts of each."""

    counterparts_: list[dict[str, Any]]


@runtime_checkable
class HasReplicability(Protocol):
    """Says of each cluster whether it is found again in each other task, as records."""

    replicability_: list[dict[str, Any]]


@runtime_checkable
class HasEvidence(Protocol):
    """Chooses among many runs without labels and keeps the scores of each run."""

    evidence_: list[dict[str, Any]]
    guard_: list[dict[str, Any]]
    left_out_: list[dict[str, Any]]


@runtime_checkable
class HasSamples(Protocol):
    """Was fitted to samples of the rows; says what another sample would change."""

    sampling_: dict[str, Any]


@runtime_checkable
class HasRunWarnings(Protocol):
    """Keeps the warnings of its runs: records of family, setting, start, message and the like."""

    run_warnings_: list[dict[str, Any]]


@runtime_checkable
class HasKnownLabels(Protocol):
    """Is given the classes of some rows and finds those of the others."""

    classes_: NDArray[Any]
    transduction_: NDArray[Any]


@runtime_checkable
class HasViews(Protocol):
    """Weighs several views of the same rows."""

    view_names_: NDArray[Any]
    view_weights_: Vector


@runtime_checkable
class HasViewEvidence(Protocol):
    """Was chosen from several views: one record for each task and view, and their agreement."""

    view_names_: NDArray[Any]
    view_agreement_: Matrix
    view_guard_: list[dict[str, Any]]


@runtime_checkable
class HasCopies(Protocol):
    """Wraps an estimator of one table and keeps a fitted copy for each task."""

    estimators_: list[Any]


@runtime_checkable
class UsesKnowledge(Protocol):
    """Uses the centres of another site, if `knowledge` is not None."""

    knowledge: Any
    source_clusters_: NDArray[Any]
    cluster_centers_: Matrix


@runtime_checkable
class HasPooledCopy(Protocol):
    """Wraps an estimator of one table and keeps one fitted copy for all tasks."""

    estimator_: Any


@runtime_checkable
class HasClusterCounts(Protocol):
    """Keeps the number of clusters of each task: (T,)."""

    n_clusters_: Any


@runtime_checkable
class HasTrace(Protocol):
    """Keeps the objective at the start and after each sweep: (sweeps + 1,)."""

    objective_trace_: Vector


@runtime_checkable
class HasInertia(Protocol):
    """Keeps the sum of squared distances of rows to their centers."""

    inertia_: float


@runtime_checkable
class HasIterations(Protocol):
    """Counts the iterations of its fit."""

    n_iter_: int


@runtime_checkable
class HasConvergence(Protocol):
    """Tells whether its descent converged."""

    converged_: bool


@runtime_checkable
class HasCenters(Protocol):
    """Keeps the centers of its clusters: (k, d)."""

    cluster_centers_: Matrix


@runtime_checkable
class KeepsRows(Protocol):
    """Declares the facts about single rows of the fit that it keeps, by levels of `kept_rows`."""

    keeps: str

    def level_kept(self) -> str:
        """Return the level that this fit keeps."""
