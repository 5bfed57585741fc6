"""`Knowledge`: cluster centers to be shared with another site."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinfolk import arguments
from kinfolk.arrays import Matrix, MatrixLike, Vector
from kinfolk.disk import file_sets, sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.knowledge import layout, parts
from kinfolk.numerics import operators, rounding
from kinfolk.tables import alignment, intake

MINIMUM = 10
"""Default of `minimum_cluster_size`: the fewest rows behind a center that may be shared."""

LOADED = "kf.Knowledge.load(path) reads one from its file"
"""Where to get knowledge, for errors about other values."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Cluster centers to be shared, with the rows behind each counted, but without any row.

    Parameters
    ----------
    cluster_centers : (k, d), in units of the scaled features
    cluster_weights : (k,), rows behind each center: their number, or the sum of memberships
    feature_names : (d,) names of the columns; empty: columns are known by position
    scaling : what was done to rows before they were clustered: "none"; "unit": divided by their
        length; "standard": columns less `center` (d,), divided by `spread` (d,)
    minimum_cluster_size : int >= 1, the least weight of a center that may leave
    rounding : how the numbers were rounded, in words; "": not at all, or not told

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
    rounding: str = ""

    def __post_init__(self) -> None:
        # Set past the frozen class: lists become arrays once, and are checked as arrays.
        for name in self._arrays():
            object.__setattr__(self, name, parts.numbers(name, getattr(self, name)))
        names = arguments.names("feature_names", self.feature_names)
        object.__setattr__(self, "feature_names", tuple(names))
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
        """Extract a fitted clusterer's centers, leaving out clusters with few rows.

        Parameters
        ----------
        estimator : MEC, KTMEC, scikit-learn's KMeans, or any with `cluster_centers_` and one of
            `cluster_weights_`, `memberships_`, `labels_`; but for KTMEC, fitted without
            `sample_weight`, which the count of rows leaves out: a row of large weight would be
            most of its center
        feature_names : (d,); None: the names of the columns of its table, if there were any
        center : the means of all rows give away the sum of the rows of clusters that are left out;
            these must be `minimum_cluster_size` rows, or the next smallest cluster is left out too

        Raises
        ------
        InputError : it has no centers, or every cluster is smaller than the minimum

        Examples
        --------
        >>> from kinfolk import MEC
        >>> X = np.repeat([[0.0], [9.0]], 12, axis=0)
        >>> known = Knowledge.of(MEC(2, random_state=0).fit(X), feature_names=["mass"])
        >>> len(known), known.cluster_weights.round(1)
        (2, array([12., 12.]))
        """
        check_is_fitted(estimator)
        V = getattr(estimator, "cluster_centers_", None)
        if V is None or np.ndim(V) != 2:
            raise InputError(
                f"{type(estimator).__name__} has no centers; fit a clusterer with "
                "cluster_centers_, such as KMeans or MEC."
            )
        least = parts.minimum(minimum_cluster_size)
        fewest = arguments.spelled("--minimum", "minimum_cluster_size")
        weights = parts.weights(estimator, len(V))
        kept = parts.kept(weights, least, center is not None)
        if not kept.any() and weights.max() >= least:
            raise InputError(
                f"with the means of all rows, the centers of the larger clusters would give away "
                f"clusters of fewer than {least} rows, so no center may leave; ask for fewer "
                f"clusters, or lower {fewest}."
            )
        if not kept.any():
            raise InputError(
                f"every cluster has fewer than {least} rows (the largest {weights.max():g}), so "
                f"no center may leave; ask for fewer clusters, or lower {fewest}."
            )
        known = getattr(estimator, "feature_names_in_", ())
        given = map(str, known) if feature_names is None else feature_names
        names = tuple(arguments.names("feature_names", given))
        return cls(V[kept], weights[kept], names, scaling, center, spread, least)

    def __len__(self) -> int:
        return len(self.cluster_centers)

    # Arrays have no single truth value, so two files are compared.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def aligned(self, names: Sequence[str]) -> Self:
        """Return a copy with the columns in the order of `names` (d,).

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
        wrong = ""
        advice = "give a table with exactly the columns of the knowledge"
        if lacking := [name for name in self.feature_names if name not in set(names)]:
            wrong = f"the table lacks {alignment.some(lacking)}, which the knowledge is about"
        elif unknown := [name for name in names if name not in set(self.feature_names)]:
            wrong = f"the knowledge says nothing of {alignment.some(unknown)}"
            advice += f" ({arguments.spelled('--only', 'only=')} picks columns)"
        elif twice := alignment.repeated(names):
            wrong = f"the table names {alignment.some(twice)} more than once"
        if wrong:
            raise InputError(f"{wrong}: {advice}.")
        order = [self.feature_names.index(name) for name in names]
        return replace(
            self,
            cluster_centers=self.cluster_centers[:, order],
            feature_names=names,
            center=None if self.center is None else self.center[order],
            spread=None if self.spread is None else self.spread[order],
        )

    def scaled(self, X: MatrixLike) -> Matrix:
        """Transform rows X (m, d) of another site to the scale of the centers.

        InputError : X holds no numbers, or has other columns

        >>> Knowledge([[1.0]], [10.0], scaling="standard", center=[4.0], spread=[2.0]).scaled([[8]])
        array([[2.]])
        """
        X = operators.dense(intake.matrix(X, "X"))
        if X.shape[1] != self.cluster_centers.shape[1]:
            d = self.cluster_centers.shape[1]
            raise InputError(f"X has shape {X.shape}; give rows with the {d} columns.")
        if self.scaling == "unit":
            lengths = np.linalg.norm(X, axis=1, keepdims=True)
            return X / np.where(lengths > 0, lengths, 1.0)  # zero rows stay zero
        if self.center is None or self.spread is None:
            return X
        # Columns without spread at the source become 0, as in its own preparation.
        varies = self.spread > 0
        return np.where(varies, (X - self.center) / np.where(varies, self.spread, 1.0), 0.0)

    def rounded(self, digits: int | None = None) -> Self:
        """Return a copy with centers rounded to the digits that the rows support.

        Means are rounded to a thirtieth of their standard error, weights to whole rows; with
        `digits`, all to at most so many significant digits.

        >>> known = Knowledge([[1.23456789], [9.87654321]], [575.669, 120.2])
        >>> known.rounded().cluster_centers.ravel(), known.rounded(2).cluster_weights
        (array([1.235, 9.877]), array([580., 120.]))
        """
        whole = isinstance(digits, Integral) and not isinstance(digits, bool)
        if digits is not None and (not whole or digits < 1):
            raise InputError(f"digits is {digits!r}; give a whole number from 1, or None.")
        n = self.cluster_weights
        center = self.center
        spread = self.spread
        if center is not None and spread is not None:
            error = spread / n.sum() ** 0.5
            center, spread = (rounding.to_error(x, error, digits) for x in (center, spread))
        V = rounding.means(self.cluster_centers, n, digits, scaled=spread is not None)
        weights = np.maximum(rounding.to_error(np.rint(n), 0, digits), self.minimum_cluster_size)
        return replace(
            self,
            cluster_centers=V,
            cluster_weights=weights,
            center=center,
            spread=spread,
            rounding=self.rounding if digits is None and self.rounding else parts.rounding(digits),
        )

    def to_bytes(self) -> bytes:
        """Return the content of the file to save."""
        header = {**self._header(), "sha256": self._checksum()}
        return sealed.pack(self._arrays(), layout.METADATA, sealed.canonical(header))

    @classmethod
    def from_bytes(cls, raw: bytes, name: str = "the file") -> Self:
        """Parse the result of `to_bytes`; FileFormatError for anything else."""
        header = layout.read_header(raw, name)
        try:
            arrays = sealed.unpack(raw)
            if wrong := [key for key, array in arrays.items() if array.dtype != np.float64]:
                raise InputError(f"there are no doubles in {', '.join(wrong)}")
            known = cls(
                **arrays,
                feature_names=header["feature_names"],
                scaling=header["scaling"],
                minimum_cluster_size=header["minimum_cluster_size"],
                rounding=header.get("rounding", ""),
            )
        except sealed.MALFORMED as error:
            raise FileFormatError(f"{name} is no sound knowledge ({error}): ask again.") from error
        if known._checksum() != header["sha256"]:
            raise FileFormatError(
                f"{name} was changed or damaged on its way (its checksum differs): ask again."
            )
        return known

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file atomically; an older file of knowledge is replaced.

        Parameters
        ----------
        overwrite : True: replace any file

        Raises
        ------
        InputError : the file is there and holds no knowledge, or cannot be written
        """
        file_sets.write_file(path, self.to_bytes(), layout.MARK, overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote.

        Raises
        ------
        FileFormatError : the file is missing, damaged, newer, or holds anything else
        """
        place = arguments.path("path", path)
        return cls.from_bytes(layout.read_bytes(place), str(place))

    def contents(self) -> str:
        """Return everything in the file as readable text, with all digits.

        >>> print(Knowledge([[0.5]], [10.0], ("mass",)).contents().split("sha256")[0], end="")
        format: kinfolk-knowledge
        schema: 1
        scaling: none
        minimum_cluster_size: 10
        """
        arrays = self._arrays()
        header = self._header()
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
            name = repr(names[j]) if names else str(j)  # a name may hold control characters
            lines.append("\t".join([name, *(repr(float(x)) for x in numbers)]))
        return "\n".join(lines) + "\n"

    def _arrays(self) -> dict[str, Any]:
        names = ("cluster_centers", "cluster_weights", "center", "spread")
        return {name: a for name in names if (a := getattr(self, name)) is not None}

    def _header(self) -> dict[str, Any]:
        """Return the metadata of the file, but for its checksum."""
        return {
            "format": layout.LAYOUT.format,
            "schema": 2 if self.rounding else 1,
            "feature_names": list(self.feature_names),
            "scaling": self.scaling,
            "minimum_cluster_size": self.minimum_cluster_size,
            **({"rounding": self.rounding} if self.rounding else {}),
        }

    def _checksum(self) -> str:
        """Return the SHA-256 of metadata and arrays."""
        arrays = [
            # Little-endian, so that the checksum is the same on every machine.
            f"{name}{array.shape}".encode() + array.astype("<f8").tobytes()
            for name, array in self._arrays().items()
        ]
        return sealed.checksum(self._header(), arrays)

    def _check(self) -> None:
        """Raise InputError unless all fields fit together."""
        parts.check_rounding(self.rounding)
        parts.check(
            self.cluster_centers,
            self.cluster_weights,
            self.feature_names,
            self.scaling,
            {"center": self.center, "spread": self.spread},
            self.minimum_cluster_size,
        )
