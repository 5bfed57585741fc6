"""Writes results into the fields of an `AnnData`, in forms that .h5ad files can store."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.errors import InputError, import_extra

_OF_GUARD = (
    "agreement",
    "modularity",
    "own_modularity",
    "cross_task_agreement",
    "evidence",
    "source",
    "has_clusters",
    "has_second_answer",
)
"""Entries of `guard_` that are written, beside numbers of rows and the meaning."""

_OF_VIEWS = ("weight", "support", "meaning")
"""Entries of `view_guard_` that are written."""

_NAMED = {"batch": "task", "modality": "view"}
"""Column of the table of views -> the entry of `view_guard_` that it holds as text."""


def check_free(key: str, batch_key: str | None, use_rep: str | None) -> None:
    """Raise InputError if results under this key would overwrite an input.

    >>> check_free("kinfolk", "donor", "X_pca")
    """
    for field, written, read in (
        ("obs", (key, f"{key}_cluster", f"{key}_own"), batch_key),
        ("obsm", (f"X_{key}",), use_rep),
    ):
        if isinstance(read, str) and read in written:
            raise InputError(
                f"key_added is {key!r}, so that the answer would replace {field}[{read!r}], which "
                "is clustered; give another key_added."
            )


def own(adata: Any) -> Any:
    """Turn a view of an AnnData, such as `adata[:200]`, into a copy in place; return it."""
    # To write into a view makes the same copy, with a warning; scanpy copies it first, too.
    if getattr(adata, "is_view", False):
        adata._init_as_actual(adata.copy())
    return adata


def write(
    adata: Any,
    key: str,
    model: Any,
    batches: NDArray[Any],
    memberships: Matrix,
    given: Mapping[str, Any],
) -> None:
    """Write labels, memberships and further results of a fitted `Kinfolk` into `adata`, in place.

    Parameters
    ----------
    adata : of n cells
    key : the name of what is written
    batches : (n,) the batch of each cell
    memberships : (n, K)
    given : the parameters, to be kept
    """
    adata.obs[key] = categories(model.matched_labels_.astype(str))
    adata.obs[f"{key}_cluster"] = categories(within(batches, model.labels_))
    adata.obs[f"{key}_own"] = categories(within(batches, model.own_labels_))
    adata.obsm[f"X_{key}"] = np.asarray(memberships)
    adata.uns[key] = summary(model, given)


def summary(model: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters, batches, their relatedness and `guard_` as one dict."""
    found: dict[str, Any] = {
        # Files hold no None: a parameter that is not given is left out.
        "params": {name: _storable(value) for name, value in given.items() if value is not None},
        "batches": np.array([str(name) for name in model.task_names_]),
        "agreement": np.asarray(model.task_agreement_),
        "guard": guard(model.guard_),
    }
    if getattr(model, "views", None) is not None:
        found["views"] = views(model.view_guard_)
    if hasattr(model, "task_relatedness_"):
        found["relatedness"] = np.asarray(model.task_relatedness_)
    return found


def guard(records: list[Any]) -> Any:
    """Convert `guard_` records to a data frame: per batch what sharing changed, and why."""
    pandas = import_extra("pandas", "app", "Answers in an AnnData need")
    return pandas.DataFrame(
        {
            "meaning": [record["meaning"] for record in records],
            "n_rows": [record["n_rows"] for record in records],
            "n_changed": [len(record["changed_rows"]) for record in records],
            "n_refused": [len(record["refused_rows"]) for record in records],
            **{name: [record[name] for record in records] for name in _OF_GUARD},
        },
        index=[str(record["task"]) for record in records],
    )


def views(records: list[Any]) -> Any:
    """Convert `view_guard_` records to a data frame: per batch and modality its weight, and why."""
    pandas = import_extra("pandas", "app", "Answers in an AnnData need")
    kept = {name: [record[name] for record in records] for name in _OF_VIEWS}
    named = {name: [str(record[field]) for record in records] for name, field in _NAMED.items()}
    index = [f"{record['task']}:{record['view']}" for record in records]
    return pandas.DataFrame(named | kept, index=index)


def within(batches: NDArray[Any], labels: NDArray[Any]) -> NDArray[Any]:
    """Labels "batch:number" (n,) of cells, or only the number for a single batch.

    >>> within(np.array(["a", "b"]), np.array([0, 1])).tolist()
    ['a:0', 'b:1']
    """
    if len(set(batches.tolist())) == 1:
        return labels.astype(str)
    pairs = zip(batches.tolist(), labels.tolist(), strict=True)
    return np.array([f"{batch}:{label}" for batch, label in pairs])


def categories(values: NDArray[Any]) -> Any:
    """Convert texts (n,) to a pandas categorical, sorted by batch and number.

    >>> categories(np.array(["b:2", "10", "a:1", "9"])).categories.tolist()
    ['9', '10', 'a:1', 'b:2']
    """
    pandas = import_extra("pandas", "app", "Answers in an AnnData need")
    parts = {value: value.rpartition(":") for value in set(values.tolist())}
    order = sorted(parts, key=lambda value: (parts[value][0], int(parts[value][2])))
    return pandas.Categorical(values, categories=order)


def _storable(value: Any) -> Any:
    """Convert a parameter to a value that .h5ad files can store."""
    value = value.item() if isinstance(value, np.generic) else value
    plain = isinstance(value, bool | int | float | str | np.ndarray)
    return value if plain else str(value)
