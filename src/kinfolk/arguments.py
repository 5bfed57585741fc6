"""Checks of single arguments, and the defaults of those that `kf.read` and `kf.compare` share.

Each function returns the checked value or raises InputError. Its sentence names an argument as the
user can give it, from the command line or from Python, by `spelled`.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from numbers import Integral
from pathlib import Path
from typing import Any

from kinfolk.errors import InputError

MOST = 2**31 - 1
"""The largest whole number that a parameter can be; compiled code counts with 32 bits."""

# The command line checks its arguments, too: functions that need NumPy import it when they are
# called, since it takes a third of `kinfolk methods`.


@dataclass(frozen=True)
class ReadArguments:
    """Arguments of `kf.read` for columns, gaps and short tasks, with their defaults.

    The defaults of `kf.read`, of `kf.compare` and of the command line are those of the fields.

    >>> ReadArguments.missing, ReadArguments(missing="drop", ignore=[], kinds={}).asked()
    ('impute', ['missing'])
    """

    columns: str = "strict"
    only: str | Collection[str] | None = None
    ignore: str | Collection[str] = ()
    kinds: Mapping[str, str] | None = None
    missing: str = "impute"
    header: bool = True
    missing_views: str = "error"
    min_rows: int = 1

    def asked(self) -> list[str]:
        """Return the names of the arguments that are neither empty nor their default."""
        return [f.name for f in fields(self) if not _is_usual(getattr(self, f.name), f.default)]


def _is_usual(value: Any, default: Any) -> bool:
    """True if a value is None, empty or its default; only texts are compared by equality."""
    if value is None or value is default or (hasattr(value, "__len__") and len(value) == 0):
        return True
    return isinstance(value, str) and bool(value == default)


_from_command_line: ContextVar[bool] = ContextVar("kinfolk_from_command_line", default=False)


@contextmanager
def from_command_line() -> Iterator[None]:
    """Context manager in which error messages name command-line options, not Python arguments."""
    token = _from_command_line.set(True)
    try:
        yield
    finally:
        _from_command_line.reset(token)


def spelled(option: str, argument: str) -> str:
    """Return `option` within `from_command_line`, else `argument`, for use in an error message.

    >>> spelled("--missing drop", "missing='drop'")
    "missing='drop'"
    >>> with from_command_line():
    ...     spelled("--missing drop", "missing='drop'")
    '--missing drop'
    """
    return option if _from_command_line.get() else argument


def given(name: str, value: Any, option: str = "") -> str:
    """Format an argument with its value for an error message, as "name=value" or "--option value".

    `option` is the name of the command-line option, where it differs from that of the argument.

    >>> given("n_terms", 0, "terms")
    'n_terms=0'
    >>> with from_command_line():
    ...     given("n_terms", 0, "terms")
    '--terms 0'
    """
    return spelled(f"--{(option or name).replace('_', '-')} {value}", f"{name}={shown(value)}")


def flag(name: str, value: Any) -> bool:
    """Return True or False, checked; 1 and 0 are accepted.

    >>> flag("centered", 0)
    False
    >>> flag("centered", "no")
    Traceback (most recent call last):
    kinfolk.errors.InputError: centered is 'no'; give True or False.
    """
    import numpy as np

    if isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    raise InputError(f"{name} is {shown(value)}; give True or False.")


def at_least(name: str, value: Any, low: int) -> int:
    """Return a whole number, checked to be from `low` to `MOST`.

    >>> at_least("n_init", 3, 1)
    3
    >>> at_least("n_init", 0, 1)
    Traceback (most recent call last):
    kinfolk.errors.InputError: n_init is 0; give at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} is {shown(value)}; give a whole number of at least {low}.")
    found = int(value)
    if found < low:
        raise InputError(f"{name} is {value}; give at least {low}.")
    if found > MOST:
        raise InputError(f"{name} is {value}; give at most {MOST}.")
    return found


def choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return a value, checked to be one of the allowed names.

    >>> choice("init", "warm", ["random", "kmeans"])
    Traceback (most recent call last):
    kinfolk.errors.InputError: init is 'warm'; choose one of 'random', 'kmeans'.
    """
    allowed = list(allowed)
    if not isinstance(value, str) or value not in allowed:
        known = ", ".join(map(repr, allowed))
        raise InputError(f"{name} is {shown(value)}; choose one of {known}.")
    return value


def text(name: str, value: Any) -> str:
    """Return a value, checked to be a string; `name` is used in the error.

    >>> text("method", 3)
    Traceback (most recent call last):
    kinfolk.errors.InputError: method is 3; give a text.
    """
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}; give a text.")
    return value


def names(name: str, value: Any) -> list[str]:
    """Return a list of strings, checked; a single string is one name.

    >>> names("only", ("age", "income")), names("ignore", "year")
    (['age', 'income'], ['year'])
    """
    import numpy as np

    if isinstance(value, str):
        return [value]
    listed = isinstance(value, Iterable) and not isinstance(value, bytes | Mapping)
    if listed and not (isinstance(value, np.ndarray) and value.ndim != 1):
        found = list(value)
        if all(isinstance(item, str) for item in found):
            return [str(item) for item in found]
    raise InputError(f"{name} is {shown(value)}; give a list of names.")


def mapping(name: str, value: Any) -> dict[Any, Any]:
    """Return a dict, checked; None gives an empty one.

    >>> mapping("names", None)
    {}
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {shown(value)}; give a dictionary or None.")
    return dict(value)


def instance(name: str, value: Any, kind: type, advice: str) -> Any:
    """Return a value, checked to be of a class; `advice` says where to get one.

    >>> instance("data", 3, dict, "give the result of dict()")
    Traceback (most recent call last):
    kinfolk.errors.InputError: data is 3, which is no dict; give the result of dict().
    """
    if not isinstance(value, kind):
        raise InputError(f"{name} is {shown(value)}, which is no {kind.__name__}; {advice}.")
    return value


def path(name: str, value: Any) -> Path:
    """Return a path, checked to be valid; the file need not exist.

    >>> path("folder", None)
    Traceback (most recent call last):
    kinfolk.errors.InputError: folder is None; give a path.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        raise InputError(f"{name} is {shown(value)}; give a path.")
    found = Path(value)
    if not found.is_absolute() and not _has_working_folder():
        raise InputError(
            f"{name} is {str(found)!a:.80}, and the folder that this process works in is gone: "
            "change to another one, or give a path that starts at the root."
        )
    try:
        os.lstat(found)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # the caller says what is missing
    except (ValueError, OSError) as error:  # a character 0, half a character, a name too long
        reason = getattr(error, "strerror", None) or "a character that names of files cannot have"
        raise InputError(f"{name} is {str(found)!a:.80}, which is no path ({reason}).") from error
    return found


def _has_working_folder() -> bool:
    """True unless the current working folder has been removed by another program."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def type_of(value: Any) -> str:
    """Name the type of a value with its article, for error messages.

    >>> import numpy as np
    >>> type_of(1), type_of([1]), type_of(np.ones(1))
    ('an int', 'a list', 'an ndarray')
    """
    name = type(value).__name__
    vowel = name[:1].lower() in "aeiou" or name == "ndarray"
    return f"{'an' if vowel else 'a'} {name}"


def listed(parts: Sequence[str], most: int, what: str = "", n: int = 0, mark: str = ", ") -> str:
    """Join the first parts of a list in a sentence, and count the others.

    Parameters
    ----------
    most : number of parts that are named
    what : what they are, said behind the number of others
    n : number of all, where `parts` has only the first of them
    mark : between the parts

    Examples
    --------
    >>> listed(["a", "b", "c"], 3), listed(["a", "b", "c"], 1, "columns"), listed(["a"], 1, n=2000)
    ('a, b, c', 'a and 2 more columns', 'a and 1,999 more')
    """
    others = max(n, len(parts)) - most
    more = f" and {others:,} more {what}".rstrip() if others > 0 else ""
    return mark.join(parts[:most]) + more


def shown(value: Any) -> str:
    """Format a value for error messages: short, on one line, texts within quotes.

    >>> import numpy as np
    >>> shown("ten"), shown(np.zeros((300, 2))), len(shown([[1.0] * 50] * 50))
    ("'ten'", 'an array of shape (300, 2)', 60)
    >>> shown("a" * 100)[-8:]
    "aaaa...'"
    """
    if hasattr(value, "__array__") or hasattr(value, "getnnz"):
        import numpy as np

        size = np.shape(value)
    else:
        size = ()
    if size:
        return f"an array of shape {size}"
    words = " ".join(repr(value).split())
    if len(words) <= 60:
        return words
    return f"{words[:56]}...{words[-1]}" if isinstance(value, str) else f"{words[:57]}..."
