"""Errors and warnings of Kinfolk.

    KinfolkError
    |-- InputError (ValueError)            an argument or a table is not usable
    |   |-- UnknownTaskError               rows of a task that the model has not seen
    |   |-- NotKeptError (AttributeError)  a fact that a fitted model does not keep
    |   `-- FileFormatError                a file cannot be read as what it claims to be
    |-- BlockError (RuntimeError)          rows in blocks cannot be read, or a worker died
    |-- MissingDataError (FileNotFoundError)   a named data set is not in the data directory
    `-- MissingExtraError (ImportError)    an optional dependency is not installed

    ClusterNumberWarning (UserWarning)     numbers of clusters were chosen, not given
    ConceptWarning (UserWarning)           rows do not form groups of directions
    DescentWarning (UserWarning)           an objective rose where it must not
    EmptyClusterWarning (UserWarning)      some of the clusters that were asked for have no rows
    HeaderWarning (UserWarning)            the first line of a table looks like a row
    LeftOutWarning (UserWarning)           no run of a method took part in the choice among many
    ManyColumnsWarning (UserWarning)       so many columns that any groups of rows can be separated
    OverlapWarning (UserWarning)           related tables share few columns, or views no row
    RowOrderWarning (UserWarning)          an index of pandas names another order of rows
    ScaleWarning (UserWarning)             the sizes of columns or rows decide the clusters
    SharingWarning (UserWarning)           clusters of different tasks do not fit together
    SingleColumnWarning (UserWarning)      clusters are the values of one column

A message is one sentence or two: what was given, what is allowed, what to do next.
"""

import difflib
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from types import FrameType
from typing import Any

FEW = 6
"""The most names that a refusal lists; a longer list hides what to do next."""


class KinfolkError(Exception):
    """Base class of all errors that Kinfolk raises deliberately."""


class InputError(KinfolkError, ValueError):
    """An argument or a table cannot be used."""


class UnknownTaskError(InputError):
    """Rows belong to a task that the model was not fitted on."""


class NotKeptError(InputError, AttributeError):
    """A fitted attribute was not stored by this model; `hasattr` is False for it."""


def no_such(kind: str, name: str, known: Iterable[str], listing: str) -> InputError:
    """Return the error for an unknown name, with the closest known names or where all are listed.

    Parameters
    ----------
    kind : the kind of thing that has the name, such as "method"
    listing : subject and verb before "all.", such as "`kinfolk methods` lists"

    Examples
    --------
    >>> print(no_such("method", "kmaens", ["kmeans", "mec"], "`kinfolk methods` lists"))
    There is no method 'kmaens'; did you mean 'kmeans'? `kinfolk methods` lists all.
    >>> print(no_such("method", "harmony", ["kmeans", "mec"], "`kinfolk methods` lists"))
    There is no method 'harmony'; known are kmeans, mec.
    """
    names = list(known)
    if close := nearest(name.lower(), names):
        advice = f"{close} {listing} all."
    elif len(names) <= FEW:
        advice = f"known are {', '.join(names)}."
    else:
        advice = f"{listing} all."
    return InputError(f"There is no {kind} {name!r}; {advice}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question "did you mean ...?" with up to three of the closest names, or "".

    >>> nearest("spectral", ["joint-spectral", "kmeans", "cotrained-spectral"])
    "did you mean 'joint-spectral' or 'cotrained-spectral'?"
    """
    close = difflib.get_close_matches(name, list(known), n=3)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""


class FileFormatError(InputError):
    """A file cannot be read as what it claims to be."""


class BlockError(KinfolkError, RuntimeError):
    """A block of rows cannot be read, or the process that worked on it died."""


class MissingDataError(KinfolkError, FileNotFoundError):
    """A named data set is not in the data directory."""


class MissingExtraError(KinfolkError, ImportError):
    """An optional dependency is needed and not installed."""


def import_extra(module: str, extra: str, needs: str) -> Any:
    """Import a module of an optional dependency; MissingExtraError if not installed.

    `needs` begins the sentence of the error, as in "Data frames need".
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_extra(module, extra, needs) from error


def missing_extra(module: str | None, extra: str, needs: str) -> MissingExtraError:
    """Return the error for a module that is not installed: how to install its extra.

    `needs` begins the sentence, as in `import_extra`.
    """
    library = str(module).partition(".")[0]
    return MissingExtraError(
        f"{needs} {library}, which is not installed: run {_install_command(extra)}."
    )


def _install_command(extra: str) -> str:
    """Return the command that installs an extra: in the clone, or from the package index."""
    from importlib import metadata  # slow to import, and seldom needed

    try:
        # pip writes this file for what did not come from an index by its name (PEP 610).
        origin = metadata.distribution("kinfolk").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        origin = "a clone on the path"
    if origin is None:
        return f"`python -m pip install 'kinfolk[{extra}]'`"
    return f"`python -m pip install '.[{extra}]'` in the clone of Kinfolk"


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that names the user's line, the nearest caller outside this package.

    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     eval("warn_user('rows differ')", {"warn_user": warn_user})
    >>> print(caught[0].message)
    rows differ
    """
    frame: FrameType | None = sys._getframe(1)
    level = 2  # this function's caller; counted by hand it would be wrong after the next change
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == __name__.partition(".")[0]


def warn_renamed(old: str, new: str) -> None:
    """Issue the FutureWarning for an old name that is still accepted."""
    warn_user(f"{old} is now called {new}; the old name goes in the next version.", FutureWarning)


class ClusterNumberWarning(UserWarning):
    """Numbers of clusters were chosen from the data, not given."""


class ConceptWarning(UserWarning):
    """Rows do not group by direction, as concept factorization assumes."""


class DescentWarning(UserWarning):
    """An objective rose during a descent, which should be impossible."""


class EmptyClusterWarning(UserWarning):
    """Some of the clusters that were asked for have no rows."""


class HeaderWarning(UserWarning):
    """The first line of a table looks like a row and was taken for names of columns."""


class LeftOutWarning(UserWarning):
    """A method's runs all failed or were skipped, so that it had no part in the choice."""


class ManyColumnsWarning(UserWarning):
    """A table has so many columns for its rows that a method can separate any groups of them."""


class OverlapWarning(UserWarning):
    """Tables that are to be clustered together share few columns, or views share no rows."""


class RowOrderWarning(UserWarning):
    """Values were taken by position although their pandas index names another order of rows."""


class ScaleWarning(UserWarning):
    """Single columns or rows dominate the clusters by their size."""


class SingleColumnWarning(UserWarning):
    """Clusters are the values of one column, so that no other column counts."""


class SharingWarning(UserWarning):
    """Clusters shared between tasks, or centers from another site, fit a task's rows badly."""
