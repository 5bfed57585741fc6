"""Methods of other installed packages, by the entry point group `kinfolk.methods`.

The name of an entry point is that of the method, and its object is an `Entry`. A method is loaded
when it is named, or listed.
"""

from importlib.metadata import EntryPoint, entry_points

from kinfolk.arguments import shown
from kinfolk.catalogue.entry import FIDELITIES, Entry
from kinfolk.catalogue.relation import Relation
from kinfolk.errors import InputError, warn_user

GROUP = "kinfolk.methods"


def names() -> list[str]:
    """Return the names of the methods that installed packages offer."""
    return sorted(point.name for point in entry_points(group=GROUP))


def entry(name: str) -> Entry:
    """Return the entry of a method that an installed package offers.

    Raises
    ------
    InputError : the package cannot be imported, or offers something else
    """
    point = next(point for point in entry_points(group=GROUP) if point.name == name)
    return _loaded(point)


def entries() -> dict[str, Entry]:
    """Return all methods of installed packages by name; those that fail to load give a warning."""
    found = {}
    for point in entry_points(group=GROUP):
        try:
            found[point.name] = _loaded(point)
        except InputError as error:
            warn_user(str(error))
    return dict(sorted(found.items()))


def _loaded(point: EntryPoint) -> Entry:
    """Load the entry of an entry point; InputError if it cannot be imported or is unsound."""
    try:
        found = point.load()
    except Exception as error:  # importing a package executes whatever it holds
        raise InputError(
            f"The method {point.name!r} is offered by {point.value!r}, which cannot be imported: "
            f"{type(error).__name__}: {error}."
        ) from error
    if not isinstance(found, Entry) or found.name != point.name:
        raise InputError(
            f"The method {point.name!r} is offered by {point.value!r}, which is no "
            "kinfolk.catalogue.Entry of this name."
        )
    if not isinstance(found.relation, Relation) or found.fidelity not in FIDELITIES:
        raise InputError(
            f"The method {point.name!r} has the relation {shown(found.relation)} and the fidelity "
            f"{shown(found.fidelity)}; give a relation of kinfolk.catalogue, such as ONE_DATA_SET "
            f"or SEVERAL_TASKS, and one of the fidelities {', '.join(FIDELITIES)}."
        )
    return found
