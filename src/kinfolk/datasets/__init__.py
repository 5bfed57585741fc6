"""Related data sets to try methods on: found by name, embedded, or made with known truth."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kinfolk.datasets import digits, home, reuters, webkb
from kinfolk.datasets.digits import load_digits_two_sources
from kinfolk.datasets.makers import make_related_blobs, make_related_documents
from kinfolk.datasets.reuters import load_reuters
from kinfolk.datasets.webkb import load_webkb4
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData

__all__ = [
    "AVAILABLE",
    "Entry",
    "load",
    "load_digits_two_sources",
    "load_reuters",
    "load_webkb4",
    "make_related_blobs",
    "make_related_documents",
]


@dataclass(frozen=True)
class Entry:
    """What is known of a data set before it is loaded.

    Attributes
    ----------
    name : what `load` takes
    loader : the function that loads it; takes the data directory unless `embedded`
    tasks, rows, classes : its size, in words
    kind : "text" or "numbers"
    embedded : whether it comes with the package, so that nothing has to be fetched
    home_page : where it comes from
    terms : on what terms, in a sentence
    """

    name: str
    loader: Callable[..., RelatedData]
    tasks: str
    rows: str
    classes: str
    kind: Literal["text", "numbers"]
    embedded: bool
    home_page: str
    terms: str


AVAILABLE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="webkb4",
            loader=load_webkb4,
            tasks="4 universities",
            rows="1041 web pages",
            classes="the same 4 in each: course, faculty, project, student",
            kind="text",
            embedded=False,
            home_page=webkb.HOME_PAGE,
            terms=webkb.TERMS,
        ),
        Entry(
            name="reuters",
            loader=load_reuters,
            tasks="3 groups of topics",
            rows="526 news stories",
            classes="3 in each, related but not the same",
            kind="text",
            embedded=False,
            home_page=reuters.HOME_PAGE,
            terms=reuters.TERMS,
        ),
        Entry(
            name="digits-two-sources",
            loader=load_digits_two_sources,
            tasks="2 sources",
            rows="600 images of 8 x 8, 300 of each source",
            classes="the same 10 in each: the digits",
            kind="numbers",
            embedded=True,
            home_page=digits.HOME_PAGE,
            terms=digits.TERMS,
        ),
    )
}
"""The data sets by name."""


def load(name: str, data: home.Place = None) -> RelatedData:
    """Load a data set of `AVAILABLE` by its name.

    Parameters
    ----------
    name : for example "webkb4"
    data : the data directory; None for KINFOLK_DATA, else `~/.local/share/kinfolk`

    Raises
    ------
    InputError : there is no data set of that name
    MissingDataError : the data directory does not hold it
    FileFormatError : its files are damaged or incomplete

    >>> len(load("digits-two-sources"))
    600
    """
    if name not in AVAILABLE:
        close = difflib.get_close_matches(name.lower(), AVAILABLE, n=1, cutoff=0)[0]
        raise InputError(
            f"There is no data set {name!r}, the closest name is {close!r}; known are "
            f"{', '.join(AVAILABLE)}."
        )
    entry = AVAILABLE[name]
    return entry.loader() if entry.embedded else entry.loader(data)
