"""What may travel between sites: the centres of clusters, their weights, and no row.

One file, in the open format safetensors, which cannot execute code. It holds the arrays

    cluster_centers (k, d), cluster_weights (k,); center (d,) and spread (d,) if columns are scaled

and one entry of metadata, "knowledge", a JSON object with exactly

    format, schema, feature_names, scaling, minimum_cluster_size, sha256 (of all the rest)

and nothing else: `load` refuses a file with one byte more. A centre leaves only if at least
`minimum_cluster_size` rows stand behind it: no single row then weighs more than 1 / minimum in it.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays
from sklearn.utils.validation import check_is_fitted

from kinfolk import writing
from kinfolk.arrays import Labels, Matrix, MatrixLike, Vector
from kinfolk.errors import FileFormatError, InputError
from kinfolk.tables import alignment

FORMAT, SCHEMA = "kinfolk-knowledge", 1
MINIMUM = 10
"""Rows that must stand behind a centre before it may leave, unless somebody says otherwise."""
LARGEST_FILE = 2**27
"""The most bytes of a file that is read: 128 MB."""
LARGEST = 1e75
"""The largest number that is believed."""
SCALINGS = ("none", "unit", "standard")
_ENTRY = "knowledge"
_FIELDS = {"format", "schema", "feature_names", "scaling", "minimum_cluster_size", "sha256"}


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Centres of clusters that another site may see.

    Parameters
    ----------
    cluster_centers : (k, d), in units of the scaled features
    cluster_weights : (k,), rows behind each centre: their number, or the sum of memberships
    feature_names : (d,) names of the columns; empty: columns are known by position
    scaling : what was done to rows before they were clustered: "none"; "unit": divided by their
        length; "standard": columns less `center` (d,), divided by `spread` (d,)
    minimum_cluster_size : int >= 1, the least weight of a centre that may leave

    Raises
    ------
    InputError : the parts do not fit together, or a weight is below the minimum

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> X = np.repeat([[0.0], [9.0]], [12, 3], axis=0)
    >>> known = Knowledge.of(KMeans(2, n_init=1, random_state=0).fit(X))
    >>> known.cluster_centers, known.cluster_weights
    (array([[0.]]), array([12.]))
    """

    cluster_centers: Matrix
    cluster_weights: Vector
    feature_names: tuple[str, ...] = ()
    scaling: str = "none"
    center: Vector | None = None
    spread: Vector | None = None
    minimum_cluster_size: int = MINIMUM

    def __post_init__(self) -> None:
        for name in self._arrays():
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        object.__setattr__(self, "feature_names", tuple(self.feature_names))
        self._check()

    @classmethod
    def of(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        scaling: str = "none",
        center: Vector | None = None,
        spread: Vector | None = None,
        minimum_cluster_size: int = MINIMUM,
    ) -> Self:
        """Return what a fitted clusterer with centres may tell; smaller clusters are left out.

        Parameters
        ----------
        estimator : MEC, KTMEC, scikit-learn's KMeans, or any with `cluster_centers_` and one of
            `cluster_weights_`, `memberships_`, `labels_`
        feature_names : (d,); None: the names of the columns of its table, if there were any

        Raises
        ------
        InputError : it has no centres, or every cluster is smaller than the minimum
        """
        check_is_fitted(estimator)
        V = getattr(estimator, "cluster_centers_", None)
        if V is None or np.ndim(V) != 2:
            raise InputError(
                f"a {type(estimator).__name__} has no centres to tell of; fit a clusterer with "
                "cluster_centers_, such as KMeans or MEC."
            )
        least, weights = _least(minimum_cluster_size), _weights(estimator, len(V))
        kept = weights >= least
        if not kept.any():
            raise InputError(
                f"every cluster has fewer than {least} rows (the largest {weights.max():g}), so "
                "no centre may leave; ask for fewer clusters, or lower minimum_cluster_size."
            )
        if feature_names is None:
            feature_names = [*map(str, getattr(estimator, "feature_names_in_", ()))]
        names = tuple(feature_names)
        return cls(V[kept], weights[kept], names, scaling, center, spread, least)

    def __len__(self) -> int:
        return len(self.cluster_centers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def aligned(self, names: Sequence[str]) -> Self:
        """Return the same with its columns in the order of `names` (d,).

        Raises
        ------
        InputError : the knowledge has no names, or not the same ones

        Examples
        --------
        >>> known = Knowledge([[1.0, 2.0]], [10.0], ("mass", "height"))
        >>> known.aligned(["height", "mass"]).cluster_centers
        array([[2., 1.]])
        """
        names = tuple(names)
        lacking = [name for name in self.feature_names if name not in set(names)]
        unknown = [name for name in names if name not in set(self.feature_names)]
        if lacking or unknown or alignment.repeated(names):
            what = (
                f"the table lacks {alignment.some(lacking)}, which the knowledge is about"
                if lacking
                else f"the knowledge says nothing of {alignment.some(unknown)}"
                if unknown
                else f"the table names {alignment.some(alignment.repeated(names))} more than once"
            )
            raise InputError(f"{what}: give a table with exactly the columns of the knowledge.")
        order = [self.feature_names.index(name) for name in names]
        return replace(
            self,
            cluster_centers=self.cluster_centers[:, order],
            feature_names=names,
            center=None if self.center is None else self.center[order],
            spread=None if self.spread is None else self.spread[order],
        )

    def scaled(self, X: MatrixLike) -> Matrix:
        """Return rows X (m, d) of another site in the units of the centres.

        >>> Knowledge([[1.0]], [10.0], scaling="standard", center=[4.0], spread=[2.0]).scaled([[8]])
        array([[2.]])
        """
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != self.cluster_centers.shape[1]:
            d = self.cluster_centers.shape[1]
            raise InputError(f"X has shape {X.shape}; give rows with the {d} columns.")
        if self.scaling == "unit":
            lengths = np.linalg.norm(X, axis=1, keepdims=True)
            return X / np.where(lengths > 0, lengths, 1.0)
        if self.center is None or self.spread is None:
            return X
        some = self.spread > 0
        return np.where(some, (X - self.center) / np.where(some, self.spread, 1.0), 0.0)

    def to_bytes(self) -> bytes:
        """Return the file."""
        header = {**self._header(), "sha256": self._checksum()}
        return format_arrays(self._arrays(), {_ENTRY: _json(header)})

    @classmethod
    def from_bytes(cls, raw: bytes, name: str = "the file") -> Self:
        """Return what `to_bytes` wrote; FileFormatError if it is anything else."""
        header = _metadata(raw, name)
        try:
            arrays = parse_arrays(raw)
            if wrong := [key for key, array in arrays.items() if array.dtype != np.float64]:
                raise FileFormatError(f"{name} has no doubles in {', '.join(wrong)}.")
            known = cls(
                **arrays,
                feature_names=header["feature_names"],
                scaling=header["scaling"],
                minimum_cluster_size=header["minimum_cluster_size"],
            )
        except (InputError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise FileFormatError(f"{name} is no sound knowledge ({error}): ask again.") from error
        if known._checksum() != header["sha256"]:
            raise FileFormatError(
                f"{name} was changed or damaged on its way (its checksum differs): ask again."
            )
        return known

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all; an older one is replaced at the end."""
        writing.write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote.

        Raises
        ------
        FileFormatError : it is not there, no knowledge, damaged, newer, or holds anything else
        """
        place = Path(path)
        try:
            large = place.stat().st_size > LARGEST_FILE
            raw = b"" if large else place.read_bytes()
        except OSError as error:
            raise FileFormatError(
                f"{place} cannot be read ({error.strerror}): name a file that "
                "`kinfolk knowledge export` wrote."
            ) from error
        if large:
            raise FileFormatError(
                f"{place} has more than {LARGEST_FILE} bytes, which no knowledge has."
            )
        return cls.from_bytes(raw, str(place))

    def contents(self) -> str:
        """Return all that the file holds, as text, numbers to the last digit.

        >>> print(Knowledge([[0.5]], [10.0], ("mass",)).contents().split("sha256")[0], end="")
        format: kinfolk-knowledge
        schema: 1
        scaling: none
        minimum_cluster_size: 10
        """
        arrays, header = self._arrays(), self._header()
        names = header.pop("feature_names")
        lines = [f"{key}: {value}" for key, value in header.items()]
        scale = [key for key in ("center", "spread") if key in arrays]
        k = len(self)
        lines += [
            f"sha256: {self._checksum()}",
            "",
            "\t".join(["column", *scale, *(f"cluster {c}" for c in range(k))]),
        ]
        weights = [repr(float(w)) for w in self.cluster_weights]
        lines.append("\t".join(["(rows behind it)", *[""] * len(scale), *weights]))
        for j in range(self.cluster_centers.shape[1]):
            numbers = [arrays[key][j] for key in scale] + [*self.cluster_centers[:, j]]
            name = repr(names[j]) if names else str(j)
            lines.append("\t".join([name, *(repr(float(x)) for x in numbers)]))
        return "\n".join(lines) + "\n"

    def _arrays(self) -> dict[str, Any]:
        names = ("cluster_centers", "cluster_weights", "center", "spread")
        return {name: a for name in names if (a := getattr(self, name)) is not None}

    def _header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "schema": SCHEMA,
            "feature_names": list(self.feature_names),
            "scaling": self.scaling,
            "minimum_cluster_size": self.minimum_cluster_size,
        }

    def _checksum(self) -> str:
        digest = hashlib.sha256(_json(self._header()).encode())
        for name, array in self._arrays().items():
            digest.update(f"{name}{array.shape}".encode() + array.astype("<f8").tobytes())
        return digest.hexdigest()

    def _check(self) -> None:
        V, names = self.cluster_centers, self.feature_names
        if V.ndim != 2 or 0 in V.shape:
            raise InputError(f"cluster_centers has shape {V.shape}; give at least one centre.")
        k, d = V.shape
        if self.cluster_weights.shape != (k,):
            raise InputError(f"there are {self.cluster_weights.size} weights for {k} centres.")
        if self.scaling not in SCALINGS:
            raise InputError(f"scaling is {self.scaling!r:.40}; choose of {', '.join(SCALINGS)}.")
        for name in ("center", "spread"):
            found = getattr(self, name)
            if (found is None) == (self.scaling == "standard"):
                raise InputError(f'{name} belongs to scaling "standard", and to no other.')
            if found is not None and (
                found.shape != (d,) or (name == "spread" and found.min() < 0)
            ):
                raise InputError(f"{name} is not one number for each of the {d} columns.")
        if names and (
            len(names) != d
            or not all(isinstance(name, str) for name in names)
            or alignment.repeated(names)
        ):
            raise InputError(f"feature_names are not {d} different names.")
        least = _least(self.minimum_cluster_size)
        if self.cluster_weights.min() < least:
            raise InputError(
                f"a centre rests on {self.cluster_weights.min():g} rows, at least {least} must "
                "stand behind one that leaves."
            )


def _numbers(name: str, values: Any) -> Any:
    """Finite doubles in C order that nobody can change."""
    found = np.array(values, dtype=np.float64, order="C")
    if not (np.abs(found) <= LARGEST).all():
        raise InputError(f"{name} has entries that are NaN, infinite or above {LARGEST:g}.")
    found.flags.writeable = False
    return found


def _least(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"minimum_cluster_size is {value!r:.40}; give a whole number from 1.")
    return int(value)


def _weights(estimator: Any, k: int) -> Vector:
    """The rows behind each of k centres."""
    if hasattr(estimator, "cluster_weights_"):
        return np.asarray(estimator.cluster_weights_, dtype=float)
    if hasattr(estimator, "memberships_"):
        return np.asarray(estimator.memberships_.sum(axis=0), dtype=float)
    labels: Labels = estimator.labels_
    return np.bincount(labels[labels >= 0], minlength=k).astype(float)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _metadata(raw: bytes, name: str) -> dict[str, Any]:
    """The JSON header; FileFormatError unless the file is laid out as `to_bytes` does."""
    size = int.from_bytes(raw[:8], "little")
    try:
        if len(raw) < 8 or size > len(raw) - 8:
            raise ValueError
        text = raw[8 : 8 + size].decode("utf-8").rstrip(" ")
        outer = json.loads(text)
        inner = outer["__metadata__"][_ENTRY]
        header = json.loads(inner)
        if header["format"] != FORMAT:
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FileFormatError(
            f"{name} is no knowledge of Kinfolk: name a file that `kinfolk knowledge export` wrote."
        ) from error
    if header.get("schema") != SCHEMA:
        raise FileFormatError(
            f"{name} has schema {header.get('schema')!r:.20} and this version reads {SCHEMA}: "
            "use a newer Kinfolk, or ask for it in this schema."
        )
    as_written = json.dumps(outer, separators=(",", ":"), ensure_ascii=False)
    if (
        header.keys() != _FIELDS
        or outer["__metadata__"].keys() != {_ENTRY}
        or inner != _json(header)
        or text != as_written
        or not isinstance(header["feature_names"], list)
    ):
        raise FileFormatError(
            f"{name} holds more or less than knowledge does: it was not written by Kinfolk."
        )
    return header
