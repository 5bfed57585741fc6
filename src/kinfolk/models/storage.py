"""Keeps a fitted model in a folder of open formats, and reads it back without trusting it.

    DIR/model.json           names, parameters, preparation, versions, checksum of the arrays
    DIR/arrays.safetensors   every array

Only plain values are read: numbers, strings, lists and arrays become attributes of estimators
that the catalogue lists. Nothing in either file can execute code. A folder is written whole or
not at all.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from kinfolk import catalogue, writing
from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing.cluster_count import Suggestion, Suggestions
from kinfolk.errors import FileFormatError, InputError
from kinfolk.estimators import renamed
from kinfolk.knowledge import Knowledge
from kinfolk.numerics import denoising
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

FORMAT, SCHEMA = "kinfolk-model", 1
HEADER, ARRAYS = "model.json", "arrays.safetensors"
LARGEST_HEADER = 2**27
"""The most bytes of a header that is read: 128 MB."""

_ESTIMATORS: dict[str, type[BaseEstimator]] = {"KMeans": KMeans} | {
    entry.cls.__name__: entry.cls for entry in catalogue.METHODS.values()
}
_PARTS: dict[str, Callable[..., Any]] = {
    "number": lambda text: _number(text),
    "Layer": denoising.Layer,
    "Knowledge": Knowledge,
    "Suggestion": Suggestion,
    "Suggestions": lambda *items: Suggestions(items),
    "slice": lambda *parts: _slice(parts),
    "tuple": lambda *items: items,
}
"""What is made of a list of parts."""
_UNWRITABLE = ("nan", "inf", "-inf")
"""Numbers for which JSON has no sign."""


class Assignment(NamedTuple):
    """Where new rows belong, each (m,).

    Attributes
    ----------
    labels : cluster in the task
    matched : number that clusters of one kind have in all tasks
    strength : of the match
    classes : names of the clusters where they are known classes, else None
    """

    labels: Labels
    matched: Labels
    strength: Vector
    classes: NDArray[Any] | None = None


@dataclass
class Model:
    """A fitted estimator with all that new rows need.

    Attributes
    ----------
    estimator : fitted, of several tasks
    method : its name in the catalogue
    preparation : how its rows were prepared, or None if they were used as they are
    roles : the columns that files of new rows are read by: "tasks", "text", "row_id"
    """

    estimator: Any
    method: str
    preparation: Preparation | None = None
    roles: dict[str, str | None] | None = None

    def assign(self, data: RelatedData) -> Assignment:
        """Put new rows into the clusters of their task.

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted
        InputError : columns are missing
        """
        return self.placed(self.prepared(data), data.tasks)

    def prepared(self, data: RelatedData) -> Table:
        """New rows (m, d) as the estimator takes them; InputError if columns are missing."""
        return data.X if self.preparation is None else self.preparation.transform(data)

    def placed(self, X: Table, tasks: Any) -> Assignment:
        """`assign` for rows X (m, d) that are prepared, of tasks (m,)."""
        labels = self.estimator.predict(X, tasks=tasks)
        classes = None
        if hasattr(self.estimator, "classes_"):  # then rows get names, not numbers
            classes, labels = labels, np.searchsorted(self.estimator.classes_, labels)
        matched, strength = self.estimator.match(labels, tasks)
        return Assignment(labels, matched, strength, classes)


def save(model: Any, folder: str | os.PathLike[str]) -> None:
    """Write a fitted estimator of several tasks, or a `Model`, as a folder.

    An older one of that name is replaced at the end.

    Raises
    ------
    InputError : it holds a foreign estimator or the like, or the folder something that is no model
    """
    target = vacant(folder)
    if not isinstance(model, Model):
        model = Model(model, _name(model))
    check_is_fitted(model.estimator)
    arrays: dict[str, np.ndarray] = {}
    preparation = None
    if model.preparation is not None:
        preparation, learnt = model.preparation.to_state()
        arrays |= {f"preparation.{name}": values for name, values in learnt.items()}
    estimator = _encoded(model.estimator, arrays)
    packed = format_arrays({name: np.ascontiguousarray(a) for name, a in arrays.items()})
    header = {
        "format": FORMAT,
        "schema": SCHEMA,
        "kinfolk": version("kinfolk"),
        "method": model.method,
        "roles": model.roles,
        "preparation": preparation,
        "estimator": estimator,
        "arrays_sha256": hashlib.sha256(packed).hexdigest(),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        (draft / ARRAYS).write_bytes(packed)
        (draft / HEADER).write_text(
            json.dumps(header, indent=1, allow_nan=False) + "\n", encoding="utf-8"
        )
        draft.chmod(0o755)
        _swap(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def vacant(folder: str | os.PathLike[str]) -> Path:
    """Return a folder that is new, empty or an older model; InputError if more would be lost."""
    place = Path(folder)
    model = place.is_dir() and ((place / HEADER).is_file() or not any(place.iterdir()))
    if place.exists() and not model:
        raise InputError(f"{place} holds something that is no model: name another folder for it.")
    return place


def load(folder: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote.

    Raises
    ------
    FileFormatError : the folder holds no model, or one that is damaged, newer or not sound
    """
    place = Path(folder)
    try:
        size = (place / HEADER).stat().st_size
        raw = (place / HEADER).read_bytes() if size <= LARGEST_HEADER else b""
        packed = (place / ARRAYS).read_bytes()
    except OSError as error:
        raise FileFormatError(
            f"{place} holds no model ({HEADER} and {ARRAYS}): name the folder `model` that "
            "`kinfolk run` wrote."
        ) from error
    header = _header(place, raw)
    if hashlib.sha256(packed).hexdigest() != header["arrays_sha256"]:
        raise FileFormatError(
            f"{place / ARRAYS} is not the file that {HEADER} was written with (its checksum "
            "differs): copy the whole folder again."
        )
    try:
        arrays = parse_arrays(packed)
        prefix = "preparation."
        learnt = {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
        prepared = header["preparation"]
        model = Model(
            estimator=_decoded(header["estimator"], arrays),
            method=catalogue.method(header["method"]).name,
            preparation=None if prepared is None else Preparation.from_state(prepared, learnt),
            roles=_roles(header["roles"]),
        )
        _try_out(model)
    except FileFormatError:
        raise
    except (SafetensorError, InputError, *_NONSENSE) as error:
        raise FileFormatError(
            f"{place} is not a sound model ({type(error).__name__}: {error}): write it again with "
            "`kinfolk run`."
        ) from error
    return model


_NONSENSE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What parts that do not fit together lead to."""


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all; an older one is replaced at the end."""
    writing.write_atomically(path, text.encode("utf-8"))


def _header(place: Path, raw: bytes) -> dict[str, Any]:
    try:
        header = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{place / HEADER} is not readable JSON: it is damaged; write the model again."
        ) from error
    expected = {"method", "roles", "preparation", "estimator", "arrays_sha256"}
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError(f"{place / HEADER} does not describe a Kinfolk model.")
    if header.get("schema") != SCHEMA:
        raise FileFormatError(
            f"{place} has schema {header.get('schema')!r:.20} and this version reads {SCHEMA}: "
            f"use Kinfolk {header.get('kinfolk')!r:.20}, which wrote it, or write it again."
        )
    if missing := sorted(expected - header.keys()):
        raise FileFormatError(f"{place / HEADER} lacks {', '.join(missing)}: write it again.")
    return header


def _name(estimator: Any) -> str:
    """The catalogue's name for an estimator's class; the first of its variants."""
    for entry in catalogue.METHODS.values():
        if entry.cls is type(estimator) and entry.relation.of_tasks:
            return entry.name
    raise InputError(
        f"a {type(estimator).__name__} is no clusterer of several tasks; wrap it, as in "
        "kf.PerTask(estimator), before it is fitted and saved."
    )


def _roles(found: Any) -> dict[str, str | None] | None:
    """The columns that files are read by; ValueError if they are no names."""
    if found is None:
        return None
    if not isinstance(found, dict) or not all(isinstance(c, str | None) for c in found.values()):
        raise ValueError("its roles are no names of columns")
    return found


def _try_out(model: Model) -> None:
    """Assign a row of zeros to each task, which fails if the parts do not fit together."""
    estimator, width = model.estimator, model.estimator.n_features_in_
    if model.preparation is not None and len(model.preparation.feature_names) != width:
        raise ValueError(f"its preparation does not make the {width} columns it was fitted on")
    rows = sp.csr_array((len(estimator.task_names_), width))  # which no false width makes large
    model.placed(rows, estimator.task_names_)


def _swap(draft: Path, target: Path) -> None:
    """Put the finished draft in the target's place, or leave what is there."""
    if not target.exists():
        os.replace(draft, target)
        return
    aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        os.replace(target, aside / "old")
        os.replace(draft, target)
    except BaseException:
        if not target.exists():
            os.replace(aside / "old", target)
        raise
    finally:
        shutil.rmtree(aside)


def _slice(parts: tuple[Any, ...]) -> slice:
    """A slice of three whole numbers or None; ValueError if it is none."""
    if len(parts) != 3 or not all(part is None or type(part) is int for part in parts):
        raise ValueError("a slice of it is none")
    return slice(*parts)


def _number(text: str) -> float:
    """A number that JSON has no sign for; ValueError if it is none."""
    if text not in _UNWRITABLE:
        raise ValueError("a number of it is none")
    return float(text)


def _put_aside(value: np.ndarray, arrays: dict[str, np.ndarray]) -> str:
    """Keep an array under a name made from its content, so that what runs share is kept once."""
    value = np.ascontiguousarray(value)
    content = hashlib.sha256(f"{value.dtype} {value.shape} ".encode())
    content.update(value.data)
    name = content.hexdigest()
    arrays[name] = value
    return name


def _encoded(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """A plain value as JSON, its arrays put aside."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and str(value) in _UNWRITABLE:
        return {"number": [str(value)]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": _put_aside(value, arrays)}
    if isinstance(value, np.ndarray):
        return {"objects": _encoded(value.tolist(), arrays)}
    if sp.issparse(value):
        parts = [value.data, value.indices, value.indptr]
        return {"csr": [_encoded(part, arrays) for part in parts], "shape": list(value.shape)}
    if isinstance(value, list):
        return [_encoded(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[_encoded(x, arrays) for x in pair] for pair in value.items()]}
    if isinstance(value, Knowledge | Suggestion):
        parts = [getattr(value, f.name) for f in fields(value)]
        return {type(value).__name__: [_encoded(part, arrays) for part in parts]}
    if isinstance(value, tuple | Suggestions):
        kind = type(value).__name__ if type(value).__name__ in _PARTS else "tuple"
        return {kind: [_encoded(item, arrays) for item in value]}
    if isinstance(value, slice):
        return {"slice": [_encoded(part, arrays) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, np.random.RandomState):
        return None  # a generator's state is not needed to assign new rows
    if type(value) in _ESTIMATORS.values():
        return {
            "estimator": type(value).__name__,
            "attributes": {
                name: _encoded(item, arrays) for name, item in value.__getstate__().items()
            },
        }
    raise InputError(
        f"a model with a {type(value).__name__} inside cannot be stored; tasks must be named by "
        f"strings or numbers, and estimators be one of {', '.join(_ESTIMATORS)}."
    )


def _decoded(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """What `_encoded` made of a value; LookupError or ValueError if it cannot have made it."""
    if isinstance(value, list):
        return [_decoded(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "estimator" in value:
        return _estimator(_ESTIMATORS[value["estimator"]], value["attributes"], arrays)
    if "csr" in value:
        parts = tuple(_decoded(part, arrays) for part in value["csr"])
        table = sp.csr_array(parts, shape=tuple(value["shape"]))
        table.check_format(full_check=True)
        return table
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    items = _decoded(content, arrays)
    if kind == "objects":
        objects = np.empty(len(items), dtype=object)
        objects[:] = items
        return objects
    if kind == "pairs":
        return dict(items)
    return _PARTS[kind](*items)


def _estimator(cls: type[BaseEstimator], attributes: Any, arrays: dict[str, np.ndarray]) -> Any:
    """An estimator with plain attributes only; none may hide a method of its class."""
    estimator = cls()
    for name, item in renamed.current_names(cls, attributes).items():
        if not name.isidentifier() or name.startswith("__") or hasattr(cls, name):
            raise ValueError(f"{cls.__name__} has no attribute {name!r:.40}")
        setattr(estimator, name, _decoded(item, arrays))
    return estimator
