"""Accepts old names of parameters and attributes for one version, with a FutureWarning."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kinfolk.errors import InputError, warn_renamed

C = TypeVar("C", bound=type)


def accept_old_names(
    parameters: Mapping[str, str] | None = None,
    attributes: Mapping[str, str] | None = None,
    stored: Mapping[str, str] | None = None,
    converted: Mapping[str, Callable[[Any], Any]] | None = None,
    unstated: Mapping[str, Any] | None = None,
) -> Callable[[C], C]:
    """Class decorator that accepts old names of parameters and attributes, with a warning.

    Parameters
    ----------
    parameters : old name -> new name, accepted by the constructor and `set_params`
    attributes : old name -> new name, readable on the fitted estimator
    stored : old name -> new name of private attributes, which model files of older versions hold
    converted : new name -> function that brings a value of an older model file up to date
    unstated : new parameter -> its value for models of older files, which do not have it

    Examples
    --------
    >>> @accept_old_names(parameters={"start": "init"})
    ... class Example:
    ...     def __init__(self, init="random"):
    ...         self.init = init
    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     Example(start="kmeans").init, str(caught[0].message)
    ('kmeans', "'start' of Example is now called 'init'; the old name goes in the next version.")
    """
    parameters = dict(parameters or {})
    attributes = dict(attributes or {})

    def decorate(cls: C) -> C:
        inherited = getattr(cls, "_old_names", {})
        names = {**inherited, **parameters, **attributes, **(stored or {})}
        cls._old_names = names  # type: ignore[attr-defined]
        conversions = {**getattr(cls, "_conversions", {}), **(converted or {})}
        cls._conversions = conversions  # type: ignore[attr-defined]
        cls._unstated = {**getattr(cls, "_unstated", {}), **(unstated or {})}  # type: ignore[attr-defined]
        if parameters:
            _wrap_constructor(cls, parameters)
        for old, new in attributes.items():
            setattr(cls, old, _forwarding(cls, old, new))
        return cls

    return decorate


def current_names(cls: type, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored attributes with present names and values; parameters that are new are added."""
    names: Mapping[str, str] = getattr(cls, "_old_names", {})
    conversions: Mapping[str, Callable[[Any], Any]] = getattr(cls, "_conversions", {})
    found = dict(getattr(cls, "_unstated", {}))
    found.update((names.get(name, name), value) for name, value in attributes.items())
    return {
        name: conversions[name](value) if name in conversions else value
        for name, value in found.items()
    }


def _wrap_constructor(cls: type, names: Mapping[str, str]) -> None:
    """Make constructor and `set_params` of a class accept old names {old: new}, in place."""
    construct = cls.__init__  # type: ignore[misc]

    @functools.wraps(construct)
    def renaming(self: Any, *args: Any, **given: Any) -> None:
        construct(self, *args, **_translated(type(self), given, names))

    # scikit-learn reads the names of parameters from the function under this attribute.
    renaming.deprecated_original = construct  # type: ignore[attr-defined]
    cls.__init__ = renaming  # type: ignore[misc]
    if hasattr(cls, "set_params"):
        change = cls.set_params

        @functools.wraps(change)
        def set_params(self: Any, **given: Any) -> Any:
            return change(self, **_translated(type(self), given, names))

        cls.set_params = set_params


def _translated(cls: type, given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Replace old names of the given parameters by new ones, and warn of each.

    InputError if the new name is given as well.
    """
    found = {}
    for name, value in given.items():
        new = names.get(name, name)
        if name in names:
            if new in given:
                raise InputError(
                    f"{name!r} of {cls.__name__} is the old name of {new!r}, and both are given; "
                    f"give {new!r} alone."
                )
            warn_renamed(f"{name!r} of {cls.__name__}", repr(new))
        found[new] = value
    return found


def _forwarding(cls: type, old: str, new: str) -> property:
    """Build the property `old`, which reads the attribute `new` and warns."""

    def read(self: Any) -> Any:
        warn_renamed(f"{old!r} of {cls.__name__}", repr(new))
        return getattr(self, new)

    return property(read, doc=f"The old name of `{new}`.")
