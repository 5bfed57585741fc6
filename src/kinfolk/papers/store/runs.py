"""What was run, in plain values that name it, and how it ended."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinfolk.errors import InputError

Status: TypeAlias = Literal["running", "done", "refused", "failed"]

VERSION = version("kinfolk")


@dataclass(frozen=True)
class Run:
    """What is to be run, in plain values.

    Attributes
    ----------
    data, data_options : the name of a data set, and what its loader takes by keyword
    method : its name in the catalogue
    way : "together", "alone", "pooled" or another of `kinfolk.comparison.strategies`
    n_clusters : one number, task -> number, or None for the true number of each task
    parameters : those of the method
    preparation : those of `kinfolk.preparation.Preparation`
    seed : for every random draw
    """

    data: str
    method: str
    way: str = "together"
    seed: int = 0
    n_clusters: int | Mapping[str, int] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    preparation: Mapping[str, Any] = field(default_factory=dict)
    data_options: Mapping[str, Any] = field(default_factory=dict)

    def key(self, checksum: str) -> str:
        """Return what this run on data of this checksum is called, with this version of Kinfolk.

        Raises
        ------
        InputError : a parameter is no plain value, so that it could not be told from another

        Examples
        --------
        >>> Run("blobs", "kmeans").key("a") == Run("blobs", "kmeans", seed=1).key("a")
        False
        """
        identity = canonical({**vars(self), "checksum": checksum, "version": VERSION})
        return hashlib.sha256(identity.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes
    ----------
    status : "done"; "refused", the method cannot take this data; "failed", a fault; "running"
    error : why it was refused or failed
    notes : warnings that it gave
    seconds : wall time of the fit; repeats with other seeds than 0 share steps of earlier ones
    peak_memory : bytes by which the fit raised the memory of its process, where the system tells
    objective, n_iter, converged : what the model says of its descent
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
class Row:
    """A run in the store: what was run, how it ended, and with what.

    Attributes
    ----------
    key : names the run, see `Run.key`
    run, outcome : what and how
    checksum : of the content of the data set
    version : of Kinfolk
    started : UTC, ISO 8601
    """

    key: str
    run: Run
    outcome: Outcome
    checksum: str
    version: str
    started: str


def canonical(values: Any) -> str:
    """Return plain values as JSON in which equal values read alike; InputError for any others.

    >>> canonical({"b": (1, 2), "a": np.float64(0.5)})
    '{"a":0.5,"b":[1,2]}'
    """

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"{value!r:.60} is a {type(value).__name__}")

    try:
        return json.dumps(
            values, sort_keys=True, separators=(",", ":"), allow_nan=False, default=plain
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            f"A run cannot be kept: {error}; give numbers, texts, lists and mappings only."
        ) from None
