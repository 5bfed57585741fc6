"""Profiles of groups of rows (sizes, means, typical rows) from any source."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinfolk import profiles
from kinfolk.comparison import rows
from kinfolk.errors import InputError
from kinfolk.estimators import observed
from kinfolk.preparation import Preparation
from kinfolk.profiles import Profiles
from kinfolk.profiles import names as kind_names
from kinfolk.tables import intake


def profile(
    source: Any,
    kinds: ArrayLike,
    *,
    tasks: Any = None,
    names: Mapping[Any, str] | None = None,
) -> Profiles:
    """Return sizes, values and typical rows of each group of rows, in the table's units.

    Parameters
    ----------
    source : table (n, d), `RelatedData`, the result of `kf.read`, the name of a data set, or paths
    kinds : (n,) whole numbers, `matched_labels_` of a model
    tasks : (n,) the task of each row, or the name of a column; None: one task
    names : number of a kind -> its name

    Raises
    ------
    InputError : there is not one whole number for each row, or a name does not fit

    Examples
    --------
    >>> table = {"age": [22, 24, 61, 65], "plan": ["pro", "pro", "free", "free"]}
    >>> import pandas
    >>> found = profile(pandas.DataFrame(table), [0, 0, 1, 1], names={0: "young"})
    >>> found.called(0), [column.shown(0) for column in found.columns]
    ('young', ['23', '0 %'])
    """
    data = rows.collect(source, {"tasks": tasks}).data
    numbers = np.asarray(intake.in_order_of(source, kinds, "kinds", "the table"))
    if numbers.shape != (len(data),) or numbers.dtype.kind not in "iu":
        raise InputError(
            f"kinds has shape {numbers.shape} and type {numbers.dtype}, and the table {len(data)} "
            "rows: give one whole number for each row, such as matched_labels_ of a model."
        )
    called = kind_names.checked(names)
    if wrong := kind_names.unknown(called, numbers.tolist()):
        raise InputError(wrong)
    preparation = Preparation()
    # Rows that lack a view are as far from their center as their other views are.
    X = observed.column_means_for_gaps(preparation.fit_transform(data))
    return profiles.profile(data, numbers, X, preparation.feature_names, called)
