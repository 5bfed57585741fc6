"""Protocols (attributes and methods) of results that only some fitted estimators have.

`isinstance(model, HasTraces)` is true if a fitted model has all attributes of the protocol, and
the type checker then knows them.
"""

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Vector


@runtime_checkable
class HasRelatedness(Protocol):
    """Has the learned contribution of each task s to each task t, (T, T); 1 on the diagonal."""

    task_relatedness_: Matrix


@runtime_checkable
class HasTaskAgreement(Protocol):
    """Has the agreement (T, T) of tasks' own clusters; 0 is chance, 1 equality."""

    task_agreement_: Matrix


@runtime_checkable
class HasClusterRelatedness(Protocol):
    """Has learned relations between clusters of different tasks."""

    cluster_relatedness_: Any


@runtime_checkable
class HasTraces(Protocol):
    """Has objective traces {task: (sweeps + 1,)}, the number of sweeps, and if they converged."""

    objective_traces_: dict[Any, Vector]
    n_iter_: int
    converged_: bool


@runtime_checkable
class HasCorrespondence(Protocol):
    """Has clusters matched across tasks, and the counterparts of each."""

    counterparts_: list[dict[str, Any]]


@runtime_checkable
class HasReplicability(Protocol):
    """Has records that say if each cluster is found again in each other task."""

    replicability_: list[dict[str, Any]]


@runtime_checkable
class HasEvidence(Protocol):
    """Estimator that scored many runs and chose among them without labels."""

    evidence_: list[dict[str, Any]]
    guard_: list[dict[str, Any]]
    left_out_: list[dict[str, Any]]


@runtime_checkable
class HasSamples(Protocol):
    """Estimator fitted to a sample of the rows; records what a second sample would change."""

    sampling_: dict[str, Any]


@runtime_checkable
class HasRunWarnings(Protocol):
    """Estimator that kept the warnings of its runs: method, setting and message of each."""

    run_warnings_: list[dict[str, Any]]


@runtime_checkable
class HasKnownLabels(Protocol):
    """Estimator that takes known labels of some rows, and classifies the others."""

    classes_: NDArray[Any]
    transduction_: NDArray[Any]


@runtime_checkable
class HasViews(Protocol):
    """Estimator of rows in several views that has weighted the views."""

    view_names_: NDArray[Any]
    view_weights_: Vector


@runtime_checkable
class HasViewEvidence(Protocol):
    """Estimator that records its choice of views per task, and how far views agree."""

    view_names_: NDArray[Any]
    view_agreement_: Matrix
    view_guard_: list[dict[str, Any]]


@runtime_checkable
class HasCopies(Protocol):
    """Wrapper of a single-table estimator, with a fitted copy per task."""

    estimators_: list[Any]


@runtime_checkable
class UsesKnowledge(Protocol):
    """Estimator that uses another site's centers if its parameter `knowledge` is not None."""

    knowledge: Any
    source_clusters_: NDArray[Any]
    cluster_centers_: Matrix


@runtime_checkable
class HasPooledCopy(Protocol):
    """Wraps an estimator of one table, and has one fitted copy for all tasks."""

    estimator_: Any


@runtime_checkable
class HasClusterCounts(Protocol):
    """Has the number of clusters of each task (T,)."""

    n_clusters_: Any


@runtime_checkable
class HasTrace(Protocol):
    """Has the objective at the start and after each sweep (sweeps + 1,)."""

    objective_trace_: Vector


@runtime_checkable
class HasInertia(Protocol):
    """Has the sum of squared distances of rows to their centers."""

    inertia_: float


@runtime_checkable
class HasIterations(Protocol):
    """Has the number of iterations of its fit."""

    n_iter_: int


@runtime_checkable
class HasConvergence(Protocol):
    """Has a flag that tells if its descent converged."""

    converged_: bool


@runtime_checkable
class HasCenters(Protocol):
    """Has cluster centers (k, d)."""

    cluster_centers_: Matrix


@runtime_checkable
class KeepsRows(Protocol):
    """Declares how much a saved model tells of single rows of the fit ("none" to "rows")."""

    keeps: str

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "none", "labels", ..., "rows"."""
