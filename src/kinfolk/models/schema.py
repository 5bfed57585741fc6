"""Checks stored attributes against declared shapes and types, before an object is built.

`stored.toml` gives each attribute of each class a form:

    float (n, d)            finite numbers of this shape; `float?` may be NaN or infinite
    int (n) from 0 below k  whole numbers in a range; also uint, bool; `below k_t` by task
    table (n, d), csr (a, b)  float, dense or CSR; a CSR matrix
    names (n), array (n)    different names; numbers or names
    positions (k), ends (T) 0 to k - 1; the ends of the clusters of each task
    number, int, text, bool, none, size d    one value; `size` gives a symbol its value
    plain, records, nothing  numbers, texts, lists, arrays; dictionaries of these; an empty value
    list T of F, tuple of F; G, each F    as many values as there are tasks; a fixed number; any
    estimator(d=d), Layer(d=d)    a stored object whose symbol has a value of this one
    F or G

A letter stands for one number within an object, wherever it occurs; `*` for any number. The
symbol `n_t` has a value for each task, in a list over tasks.
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arguments import shown, type_of
from kinfolk.models import plain_values
from kinfolk.models.parameter_types import parameter_types
from kinfolk.models.scope import Scope, fault

Form = Callable[[Any, Scope, str], None]
"""Checks a value, in a scope of symbols, under a name; ValueError if it has another form."""


class StoredObject(NamedTuple):
    """A saved estimator before it is built: class and attributes."""

    cls: type
    attributes: dict[str, Any]


@cache
def _declared() -> dict[str, dict[str, str]]:
    file = resources.files(__package__).joinpath("stored.toml")
    return tomllib.loads(file.read_text("utf-8"))


@cache
def forms(cls: type) -> dict[str, str]:
    """Return the declared form of each attribute of a class, base classes first.

    >>> from kinfolk import MEC
    >>> forms(MEC)["cluster_centers_"], forms(MEC)["temperature_"]
    ('float (k, d)', 'number from 0')
    """
    found: dict[str, str] = {}
    for base in reversed(inspect.getmro(cls)):
        found |= _declared().get(base.__name__, {})
    return found


def check(stored: StoredObject, outer: Mapping[str, int] | None = None) -> None:
    """Check an estimator and all inside it; `outer` gives sizes that are known already.

    Raises
    ------
    ValueError : an attribute has another form than declared, or none is declared
    """
    cls, attributes = stored
    scope = Scope(dict(outer or {}))
    own = forms(cls)
    parameters = parameter_types(cls)
    for name in attributes.keys() - own.keys() - parameters.keys():
        raise fault(f"{cls.__name__} has no attribute {shown(name)}")
    if attributes.keys() & {"task_names_", "n_clusters_"}:  # else it is not fitted
        _bind_tasks(attributes, scope, inner=bool(outer))
    for name, allowed in parameters.items():
        if name in attributes:
            _check_parameter(attributes[name], allowed, f"{cls.__name__}.{name}")
    for name, form in own.items():
        if name in attributes:
            compiled(form)(attributes[name], scope, f"{cls.__name__}.{name}")
    scope.finish()


def check_value(value: Any, outer: Mapping[str, int] | None = None) -> None:
    """Check a named tuple or dataclass, and all inside it."""
    scope = Scope(dict(outer or {}))
    cls: type = type(value)
    for part, form in forms(cls).items():
        compiled(form)(getattr(value, part), scope, f"{cls.__name__}.{part}")
    scope.finish()


def _check_parameter(value: Any, allowed: tuple[type, ...] | None, where: str) -> None:
    """Raise ValueError unless a parameter has an allowed type (None: any plain value) and form."""
    if allowed is not None and type(value) not in allowed:
        raise fault(f"{where} is {shown(value)}")
    if isinstance(value, StoredObject):
        check(value)
    elif type(value).__name__ in _declared():
        check_value(value)
    elif allowed is None:
        plain_values.check(value, Scope({}), where)


def _bind_tasks(attributes: Mapping[str, Any], scope: Scope, *, inner: bool) -> None:
    """Set the sizes that depend on tasks and clusters before arrays are checked.

    An inner estimator, whose numbers of clusters are bounded by the outer one, may lack a list of
    its clusters: nothing matches them across tasks.
    """
    names = attributes.get("task_names_")
    k = attributes.get("n_clusters_")
    added = attributes.get("added_tasks_", [])
    if not isinstance(names, np.ndarray) or names.ndim != 1 or not len(names):
        raise fault(f"task_names_ is {shown(names)}")
    if not isinstance(k, np.ndarray) or k.shape != names.shape or k.dtype.kind not in "iu":
        raise fault(f"n_clusters_ is not one whole number for each of the {len(names)} tasks")
    if not isinstance(added, list) or len(added) >= len(names) or k.min() < 1:
        raise fault("n_clusters_ or added_tasks_ do not fit the tasks")
    sizes: list[int] = k.tolist()
    T = len(names) - len(added)
    most = max(sizes)
    if most > scope.symbols.pop("most", most):
        raise fault(f"n_clusters_ has {most}")
    bound = {"A": len(names), "T": T, "C": sum(sizes), "K": sum(sizes[:T]), "kmax": max(sizes[:T])}
    if len(set(sizes[:T])) == 1:
        bound["kall"] = sizes[0]
    bound |= {f"k_{t}": size for t, size in enumerate(sizes)}
    for name, value in bound.items():
        scope.bind(name, value, "task_names_")
    if inner and "clusters_" not in attributes:
        return
    listed = attributes.get("clusters_", ())
    # The number first: a forged number of clusters would be a list that fills the memory.
    if len(listed) != sum(sizes) or listed != _all_clusters(names.tolist(), sizes):
        raise fault("clusters_ does not list the clusters of all tasks in their order")


def _all_clusters(names: list[Any], sizes: list[int]) -> list[tuple[Any, int]]:
    """List the pairs (task name, cluster number) of all tasks.

    >>> _all_clusters(["a", "b"], [2, 1])
    [('a', 0), ('a', 1), ('b', 0)]
    """
    return [(name, c) for name, size in zip(names, sizes, strict=True) for c in range(size)]


# ------------------------------------------------------------------------------------------ forms


@cache
def compiled(form: str) -> Form:
    """Return the check function for a declared form.

    >>> compiled("int (n) from 0 below 3")(np.array([1, 2]), Scope({}), "labels_")
    >>> compiled("float (d)")(np.array([1.0, np.nan]), Scope({}), "mean_")
    Traceback (most recent call last):
    ValueError: mean_ has entries that are no finite numbers
    """
    if " or " in form:
        return _either([compiled(part) for part in form.split(" or ")], form)
    first, _, rest = form.partition(" ")
    if first == "list":
        length, _, item = rest.partition("of ")
        return _list(length.strip(), compiled(item))
    if first == "each":
        return _each(compiled(rest))
    if first == "tuple":
        return _tuple([compiled(part) for part in rest.removeprefix("of ").split("; ")])
    if first == "size":
        return lambda value, scope, where: scope.bind(rest, _whole(value, where, 1), where)
    if shaped := re.fullmatch(r"(\S+) \(([^)]*)\)(?: from (\S+))?(?: below (\S+))?", form):
        kind, dims, low, high = shaped.groups()
        return _array(kind, dims.split(", "), low, high)
    if scalar := re.fullmatch(r"(int|number)(?: from (\S+))?", form):
        return _scalar(scalar[1], scalar[2])
    if nested := re.fullmatch(r"(\w+)\((.*)\)", form):
        given = dict(pair.split("=") for pair in nested[2].split(", "))
        return _nested(nested[1], given)
    return _NAMED.get(form) or _nested(form, {})


def _either(options: list[Form], form: str) -> Form:
    """Return a check that tries several forms in turn; it fails if all of them do."""

    def check_one(value: Any, scope: Scope, where: str) -> None:
        faults = []
        for option in options:
            try:
                return scope.attempt(option, value, where)
            except ValueError as error:
                faults.append(error)
        raise faults[-1]

    return check_one


def _list(length: str, item: Form) -> Form:
    """Return a check of a list whose items have one form; `length` is its symbol, or ""."""

    def check_list(value: Any, scope: Scope, where: str) -> None:
        if type(value) is not list:
            raise fault(f"{where} is no list")
        if length:
            scope.bind(length, len(value), where)
        outer = scope.task
        for i, part in enumerate(value):
            scope.task = i if length == "T" else outer
            item(part, scope, f"{where}[{i}]")
        scope.task = outer

    return check_list


def _each(item: Form) -> Form:
    """Return a check of a tuple of any length whose items have one form."""

    def check_each(value: Any, scope: Scope, where: str) -> None:
        if not isinstance(value, tuple):
            raise fault(f"{where} is no tuple")
        for i, part in enumerate(value):
            item(part, scope, f"{where}[{i}]")

    return check_each


def _tuple(items: list[Form]) -> Form:
    """Return a check of a tuple that has a form for each of its items."""

    def check_tuple(value: Any, scope: Scope, where: str) -> None:
        if not isinstance(value, tuple) or len(value) != len(items):
            raise fault(f"{where} has not {len(items)} parts")
        for i, (item, part) in enumerate(zip(items, value, strict=True)):
            item(part, scope, f"{where}[{i}]")

    return check_tuple


_KINDS = {"float": "f", "float?": "f", "int": "iu", "uint": "u", "bool": "b", "positions": "iu"}
_KINDS |= {"names": "O", "array": "biufO", "ends": "iu"}


def _array(kind: str, dims: list[str], low: str | None, high: str | None) -> Form:
    """Return a check of an array's type, shape, and entries from `low` to below `high`."""

    def check_array(value: Any, scope: Scope, where: str) -> None:
        if sp.issparse(value):
            if kind not in ("table", "csr"):
                raise fault(f"{where} is sparse")
            values: Any = value.data  # type: ignore[attr-defined]
        else:
            if not isinstance(value, np.ndarray) or kind == "csr":
                raise fault(f"{where} is {shown(value)}")
            values = value
        if values.dtype.kind not in _KINDS.get(kind, "f"):
            raise fault(f"{where} has entries of type {values.dtype}")
        scope.check_shape(value.shape, dims, where)
        if kind != "float?" and values.dtype.kind == "f" and not np.isfinite(values).all():
            raise fault(f"{where} has entries that are no finite numbers")
        if values.dtype.kind == "O":
            _check_names(values, where, different=kind == "names")
        if kind == "positions" and not np.array_equal(values, np.arange(len(values))):
            raise fault(f"{where} are not the numbers of clusters")
        if kind == "ends" and values.tolist() != scope.ends():
            raise fault(f"{where} are not the ends of the clusters of the tasks")
        scope.later(lambda: _check_range(values, scope, low, high, dims, where))

    return check_array


def _check_range(
    values: Any, scope: Scope, low: str | None, high: str | None, dims: list[str], where: str
) -> None:
    """Raise ValueError unless all values are at least `low` and below the symbol `high`."""
    if not values.size:
        return
    if low is not None and values.min() < int(low):
        raise fault(f"{where} has {values.min()}, and at least {low} is meant")
    if high is None:
        return
    limit: Any = scope.value(high)
    if high == "k_t":  # one limit for each task, along the axis of tasks
        shape = [-1 if dim == "T" else 1 for dim in dims]
        limit = np.array(scope.cluster_numbers()).reshape(shape)
    if (values >= limit).any():
        raise fault(f"{where} has {values.max()}, and a number below {np.max(limit)} is meant")


def _check_names(values: Any, where: str, *, different: bool) -> None:
    """Raise ValueError unless all entries are texts or numbers, or tuples of these."""
    names = values.ravel().tolist()
    for name in names:
        for part in name if type(name) is tuple else [name]:
            if not isinstance(part, str | int | float):
                raise fault(f"{where} has {shown(part)}, which is no name")
    if different and len(set(names)) < len(names):
        raise fault(f"{where} has a name twice")


def _scalar(kind: str, low: str | None) -> Form:
    """Return a check of a whole number ("int") or finite number ("number") of at least `low`."""

    def check_scalar(value: Any, scope: Scope, where: str) -> None:
        if kind == "int":
            _whole(value, where, None if low is None else int(low))
        elif type(value) not in (int, float) or not np.isfinite(value):
            raise fault(f"{where} is {shown(value)}")
        elif low is not None and value < float(low):
            raise fault(f"{where} is {value}, and at least {low} is meant")

    return check_scalar


def _whole(value: Any, where: str, low: int | None) -> int:
    # Beyond 2^62 sums of two positions overflow NumPy's integers.
    if type(value) is not int or (low is not None and value < low) or abs(value) >= 2**62:
        raise fault(f"{where} is {shown(value)}")
    return value


def _nested(name: str, given: Mapping[str, str]) -> Form:
    """Return a check of a stored object by class `name`; `given` maps its symbols to outer ones."""

    def check_nested(value: Any, scope: Scope, where: str) -> None:
        symbols = {inner: scope.value(outer) for inner, outer in given.items()}
        if isinstance(value, StoredObject) and name == "estimator":
            return check(value, symbols)
        if type(value).__name__ != name:
            raise fault(f"{where} is {type_of(value)}, and a {name} is meant")
        if name == "Suggestions":
            for suggestion in value:
                compiled("Suggestion")(suggestion, scope, where)
            return None
        return check_value(value, symbols)

    return check_nested


def _of_type(*types: type) -> Form:
    """Return a check for values of exactly these types."""

    def check_type(value: Any, scope: Scope, where: str) -> None:
        if type(value) not in types:
            raise fault(f"{where} is {shown(value)}")

    return check_type


def _nothing(value: Any, scope: Scope, where: str) -> None:
    if value not in ({}, (), []):
        raise fault(f"{where} is not empty")


_NAMED: dict[str, Form] = {
    "none": _of_type(type(None)),
    "text": _of_type(str),
    "bool": _of_type(bool),
    "plain": plain_values.check,
    "records": plain_values.check_records,
    "nothing": _nothing,
}
