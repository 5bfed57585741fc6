"""Reads `registry.toml`: named data sets and the published collections of their files."""

import inspect
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinfolk.datasets import data_home
from kinfolk.datasets.data_home import DataHome
from kinfolk.tables import RelatedData


@dataclass(frozen=True)
class Collection:
    """A published collection of files: home page, terms of use, checksums.

    Attributes
    ----------
    home_page : where it is published; "" for simulated data
    terms : the terms of use, in a sentence
    files : path within the data directory -> SHA-256 of the file
    downloads : name of an archive in the data directory -> its "url" and "sha256"; {} where no
        published file has a known checksum
    """

    home_page: str
    terms: str
    files: Mapping[str, str] = field(default_factory=dict)
    downloads: Mapping[str, dict[str, str]] = field(default_factory=dict)

    def locate(self, file: str, dataset: str, data: DataHome, unpacked: Sequence[str] = ()) -> Path:
        """Return the path of a verified file, or the folder of an unpacked archive.

        Parameters
        ----------
        file : one of `files`; it may also lie in the data directory itself
        dataset : name of the data set, for error messages
        data : the data directory
        unpacked : paths that exist if the archive of the home page is unpacked instead; the
            parent folder of the first one found is returned, and nothing is verified

        Raises
        ------
        MissingDataError : the data directory holds none of these
        FileFormatError : the file is damaged or another version
        """
        name = Path(file).name
        path = data_home.find(dataset, (name, file, *unpacked), data, self.home_page)
        if path.name != name:
            return path.parent
        data_home.verify(path, self.files[file])
        return path

    def arrays(self, file: str, dataset: str, data: DataHome) -> dict[str, NDArray[Any]]:
        """Return the arrays of a verified NumPy archive by name; errors as `locate`."""
        # Pickled objects could run code while they are read.
        with np.load(self.locate(file, dataset, data), allow_pickle=False) as arrays:
            return dict(arrays)

    def origin(self, what: str, note: str = "") -> str:
        """Return a sentence of credit with the terms of use.

        >>> Collection("http://shapes.example", "CC BY 4.0.").origin("Shapes", "draw 3")
        'Shapes, http://shapes.example, draw 3. CC BY 4.0.'
        """
        return f"{', '.join(filter(None, (what, self.home_page, note)))}. {self.terms}"


@dataclass(frozen=True)
class DatasetInfo:
    """Description of a named data set (size, tasks, source) before loading.

    Attributes
    ----------
    name : the name that `load` takes
    loader : the function that loads it; takes the data directory unless `embedded`, and its
        `options` by keyword
    tasks, rows, classes : its size, in words
    kind : "text" or "numbers"
    embedded : True if it comes with the package, so that nothing has to be fetched
    adversarial : True if clustering its tasks as one does harm
    home_page : where it is published; "" for simulated data
    terms : the terms of use, in a sentence
    collection : the name of its collection of files
    """

    name: str
    loader: Callable[..., RelatedData]
    tasks: str
    rows: str
    classes: str
    kind: Literal["text", "numbers"]
    home_page: str
    terms: str
    embedded: bool = False
    adversarial: bool = False
    collection: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """Keyword arguments that `load` accepts for this data set.

        >>> import kinfolk as kf
        >>> kf.datasets.AVAILABLE["handdigits"].options
        ('draw', 'margin', 'ink')
        """
        return tuple(name for name in inspect.signature(self.loader).parameters if name != "data")


def dataset_infos(loaders: Mapping[str, Callable[..., RelatedData]]) -> dict[str, DatasetInfo]:
    """Return the data sets of `registry.toml` by name, in its order.

    Parameters
    ----------
    loaders : name in the file -> function. Only these can be called: the file holds data, and
        nothing in it is imported or evaluated.
    """
    infos = {}
    for entry in _CONTENT["datasets"]:
        facts = dict(entry)
        collection = COLLECTIONS[facts["collection"]]
        function = loaders[facts.pop("loader")]
        # Positional, so that `options` does not list an argument that is fixed.
        loader = partial(function, *facts.pop("arguments", ()))
        infos[facts["name"]] = DatasetInfo(
            loader=loader, home_page=collection.home_page, terms=collection.terms, **facts
        )
    return infos


_CONTENT = tomllib.loads(
    resources.files(__package__).joinpath("registry.toml").read_text(encoding="utf-8")
)

# Once, when the package is imported: loaders look up pages, terms and checksums here.
COLLECTIONS = {name: Collection(**facts) for name, facts in _CONTENT["collections"].items()}
"""The published collections by their name in `registry.toml`."""
