"""Reads the types of an estimator's parameters from its constructor."""

import inspect
import typing
from functools import cache
from typing import Any, cast


@cache
def parameter_types(cls: type) -> dict[str, tuple[type, ...] | None]:
    """Return the types of each parameter of a class; None: any plain value.

    >>> from kinfolk import MEC
    >>> parameter_types(MEC)["max_iter"], parameter_types(MEC)["init"]
    ((<class 'int'>,), (<class 'str'>,))
    """
    construct: Any = vars(cls).get("__init__", cast(Any, cls).__init__)
    construct = getattr(construct, "deprecated_original", construct)
    hints = typing.get_type_hints(construct)
    names = [name for name in inspect.signature(construct).parameters if name != "self"]
    return {name: _plain_types(hints.get(name, Any)) for name in names}


def _plain_types(hint: Any) -> tuple[type, ...] | None:
    """Types in a hint of scalars such as `float | None`; None for other hints."""
    scalars: dict[Any, tuple[type, ...]] = {
        int: (int,),
        str: (str,),
        bool: (bool,),
        float: (int, float),
        type(None): (type(None),),
    }
    found: list[type] = []
    for part in typing.get_args(hint) or (hint,):
        if isinstance(part, str):  # of a Literal
            part = str
        if part not in scalars:
            return None
        found += scalars[part]
    return tuple(dict.fromkeys(found))
