"""Values that a store keeps: specification of a run, its outcome, and both together."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import shown
from kinfolk.errors import InputError

Status: TypeAlias = Literal["running", "done", "refused", "failed"]

KINFOLK_VERSION = version("kinfolk")


COLUMN_OF = {"strategy": "way"}
"""Field of `RunSpec` -> its column, where it is named as in the first stores."""


# The names of the columns are part of every key, so they stay; a field may be renamed.
@dataclass(frozen=True)
class RunSpec:
    """Specification of one run: data, method, strategy, parameters and seed, as plain values.

    Attributes
    ----------
    data, data_options : the name of a data set, and the keyword arguments of its loader
    method : its name in the catalogue
    strategy : "together", "alone", "pooled" or another of `kinfolk.catalogue.strategies`, or
        "SOURCE to TARGET"
    n_clusters : one number, task -> number, or None for the number of true classes of each task
    parameters : parameters of the method
    preparation : parameters of `kinfolk.preparation.Preparation`
    seed : seed of all random draws
    """

    data: str
    method: str
    strategy: str = "together"
    seed: int = 0
    n_clusters: int | Mapping[str, int] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    preparation: Mapping[str, Any] = field(default_factory=dict)
    data_options: Mapping[str, Any] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """Return the values of the specification by the columns of the store.

        >>> list(RunSpec("blobs", "kmeans").columns())[:4]
        ['data', 'method', 'way', 'seed']
        """
        return {COLUMN_OF.get(name, name): value for name, value in vars(self).items()}

    def key(self, checksum: str, version: str | None = None) -> str:
        """Return the SHA-256 of the specification, the data's checksum and Kinfolk's version.

        `version` is that of the run; None stands for the version in hand.

        Raises
        ------
        InputError : a parameter is no plain value and has no canonical text

        Examples
        --------
        >>> one = RunSpec("blobs", "kmeans", parameters={"n_init": 1, "max_iter": 9})
        >>> same = RunSpec("blobs", "kmeans", parameters={"max_iter": 9, "n_init": 1})
        >>> one.key("a") == same.key("a"), one.key("a") == same.key("b"), len(one.key("a"))
        (True, False, 64)
        """
        # A new version may find other clusters, so its runs have other keys.
        made_by = KINFOLK_VERSION if version is None else version
        identity = canonical({**self.columns(), "checksum": checksum, "version": made_by})
        return hashlib.sha256(identity.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """Outcome of one run: status, time, memory, scores and fitted arrays.

    Attributes
    ----------
    status : "done"; "refused", the method cannot take this data; "failed", a fault; "running"
    error : why it was refused or failed
    notes : warnings of the run
    seconds : processor time of the fit; the first run of a grid counts every step, later ones share
        steps of earlier ones
    peak_memory : bytes by which the fit raised the memory of its process, None if not measured
    objective, n_iter, converged : last objective, iterations and convergence of the descent
    scores : scores[measure][task]; nan where the measure is not defined
    arrays : "labels" (n,) and others by name; empty in what `Store.runs` returns
    """

    status: Status
    error: str = ""
    notes: tuple[str, ...] = ()
    seconds: float | None = None
    peak_memory: int | None = None
    objective: float | None = None
    n_iter: int | None = None
    converged: bool | None = None
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredRun:
    """One run in a store: its specification and its outcome.

    Attributes
    ----------
    key : identifies the run, see `RunSpec.key`
    spec, outcome : what was run, and how it ended
    checksum : SHA-256 of the data set's content
    version : version of Kinfolk
    started : UTC, ISO 8601
    """

    key: str
    spec: RunSpec
    outcome: Outcome
    checksum: str
    version: str
    started: str


def canonical(values: Any) -> str:
    """Format plain values as JSON, the same text for equal values.

    Raises
    ------
    InputError : a value is not a number, text, list or mapping

    Examples
    --------
    >>> canonical({"b": (1, 2), "a": np.float64(0.5)})
    '{"a":0.5,"b":[1,2]}'
    """

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"{shown(value)} is a {type(value).__name__}")

    try:
        # nan is refused: it is not equal to itself, so it cannot identify a run.
        return json.dumps(
            values, sort_keys=True, separators=(",", ":"), allow_nan=False, default=plain
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            f"A run cannot be kept: {error}; give numbers, texts, lists and mappings only."
        ) from None
