"""Loads a user's clustering class (MODULE:CLASS) to compare it with the papers' tables.

The class has the shape of a scikit-learn clusterer: parameters in its constructor, among them
`n_clusters`, a `fit`, and `labels_` after it.

    fit(X, tasks=...)   one fit for all tasks together; `tasks` (n,) has the task of each row
    fit(X)              one fit for each task alone

`random_state` and `n_init` are set if the constructor has them. The module is executed because the
user names it on the command line. No name that is read from a file, such as a store of runs, is
ever imported.
"""

import importlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arguments import listed, shown
from kinfolk.arrays import Labels, Table
from kinfolk.errors import FEW, InputError, KinfolkError, nearest
from kinfolk.papers import module_source
from kinfolk.papers.transfers import Transfer
from kinfolk.tables import RelatedData

_IMPORTED: set[str] = set()
"""Names of modules that this process has imported from the folders of users' methods."""
FORM = "--method takes MODULE:CLASS, such as my_module:MyEstimator for my_module.py of this folder"


@dataclass(frozen=True)
class YourMethod:
    """A user's method, named by module and class, so that every process can import it.

    Attributes
    ----------
    module, name : of the class
    folder : where the module is looked for first
    checksum : of its source files in the folder; of none, if the module is installed elsewhere
    """

    module: str
    name: str
    folder: Path
    checksum: str

    @property
    def id(self) -> str:
        """Key in the store with a checksum of the code, so that changed code runs again."""
        return f"{self.module}:{self.name}@{self.checksum[:12] or 'installed'}"

    @property
    def label(self) -> str:
        """Row label of the method in tables."""
        return f"{self.name} (yours)"

    @property
    def strategy(self) -> str:
        """Strategy of its runs: "together" if `fit` takes tasks, else "alone"."""
        return "together" if "tasks" in inspect.signature(self.cls.fit).parameters else "alone"

    @property
    def cls(self) -> Any:
        """The user's class, imported on first use in each process."""
        return _class(self)

    def takes(self, parameter: str) -> bool:
        """True if the class's constructor has this parameter."""
        return parameter in inspect.signature(self.cls).parameters

    def grid(self, given: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
        """Return the parameter values to try: the class's `grid`, overridden by `given`.

        Raises
        ------
        InputError : a parameter does not exist, or `grid` is no mapping of lists
        """
        own = getattr(self.cls, "grid", {})
        own = own() if callable(own) else own
        if not isinstance(own, Mapping):
            raise InputError(f"{self.name}.grid is no mapping of parameters to lists of values.")
        values = {name: _listed(self.name, name, tried) for name, tried in {**own, **given}.items()}
        known = inspect.signature(self.cls).parameters
        open_ended = any(found.kind == found.VAR_KEYWORD for found in known.values())
        for name in values:
            if name not in known and not open_ended:
                raise InputError(
                    f"{self.name} has no parameter {name!r}; it has {', '.join(known)}."
                )
        return values

    def fit(
        self, data: RelatedData, X: Table, k: Any, seed: int, parameters: Mapping[str, Any]
    ) -> Transfer:
        """Cluster the rows X (n, d) into k clusters (a number, or {task: number}).

        Raises
        ------
        InputError : the class raised an error, or its labels are not one per row
        """
        together = self.strategy == "together"
        owners = np.array(["all"] * len(data)) if together else data.tasks
        labels = np.zeros(len(data), dtype=int)
        for task in dict.fromkeys(owners.tolist()):
            rows = np.flatnonzero(owners == task)
            help_ = {"tasks": data.tasks} if together else {}
            own_k = k[task] if isinstance(k, Mapping) and not together else k
            labels[rows] = self._fit_one(X[rows], own_k, seed, parameters, help_)
        return Transfer(SimpleNamespace(), np.arange(len(data)), labels)

    def _fit_one(
        self, X: Table, k: Any, seed: int, parameters: Mapping[str, Any], help_: Mapping[str, Any]
    ) -> Labels:
        """Fit the class to X (n, d); return labels (n,) from 0, InputError if it fails."""
        cls = self.cls
        random = {"random_state": seed} if self.takes("random_state") else {}
        try:
            model = cls(n_clusters=k, **{**random, **parameters})
            model.fit(X, **help_)
            found = np.asarray(model.labels_)
        except (KinfolkError, MemoryError):
            raise
        except Exception as error:
            dense = "; the table is sparse, X.toarray() makes it dense" if sp.issparse(X) else ""
            raise InputError(
                f"{self.name} raised {type(error).__name__}: {error}{dense}."
            ) from error
        if found.shape != X.shape[:1]:
            raise InputError(
                f"labels_ of {self.name} has shape {found.shape}; give one label for each of the "
                f"{X.shape[0]} rows."
            )
        # Any labels will do, also -1 for noise, which is one cluster more.
        return np.unique(found, return_inverse=True)[1]


def find(text: str, folder: Path) -> YourMethod:
    """Import MODULE:CLASS, which executes the module, and return it as a method.

    Raises
    ------
    InputError : there is no such module or class, or the class is no clusterer

    Examples
    --------
    >>> found = find("sklearn.cluster:AgglomerativeClustering", getfixture("tmp_path"))
    >>> found.id, found.label, found.strategy
    ('sklearn.cluster:AgglomerativeClustering@installed', 'AgglomerativeClustering (yours)',
     'alone')
    """
    module, _, name = text.partition(":")
    if not name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise InputError(f"{FORM}; given is {text!r}.")
    if module.endswith(".py"):
        raise InputError(f"{FORM}, without .py; given is {text!r}.")
    folder = folder.resolve()
    found = YourMethod(module, name, folder, module_source.checksum(module, folder))
    if not found.takes("n_clusters"):
        raise InputError(
            f"{name} of {module} has no parameter n_clusters; add it to its constructor: the "
            "tables give it the number of true classes."
        )
    return found


@cache
def _class(method: YourMethod) -> Any:
    """Import the class; error if it is no clusterer or its source has changed."""
    if module_source.checksum(method.module, method.folder) != method.checksum:
        # No InputError: a changed file is no refusal of the data, so the run is tried again.
        raise KinfolkError(f"{method.module} changed while the runs went on; start again.")
    module = _imported(method)
    file = getattr(module, "__file__", None)
    if method.checksum and (file is None or not Path(file).is_relative_to(method.folder)):
        raise InputError(
            f"The name {method.module!r} is taken by {file or 'a module of Python'}; give your "
            "module another name."
        )
    found = getattr(module, method.name, None)
    classes = [name for name, value in vars(module).items() if hasattr(value, "fit")]
    if found is None:
        has = f"it has {listed(classes, FEW) or 'no class with a fit'}."
        raise InputError(
            f"{_place(module)} has no {method.name!r}; {nearest(method.name, classes) or has}"
        )
    if not inspect.isclass(found) or not hasattr(found, "fit"):
        raise InputError(
            f"{method.name} of {_place(module)} is no class with a method fit; give a class such "
            "as those of scikit-learn's clusterers."
        )
    return found


def _imported(method: YourMethod) -> ModuleType:
    """Import the module from its folder or, if it is not there, from the installed packages."""
    if str(method.folder) not in sys.path:
        sys.path.insert(0, str(method.folder))
    # Of the modules imported here for an earlier method, an old version or one of the same name
    # from another folder gives way.
    own = module_source.files(method.module, method.folder).keys()
    for name in own & _IMPORTED:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    _IMPORTED.update(own - sys.modules.keys())
    try:
        return importlib.import_module(method.module)
    except Exception as error:
        top = method.module.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and error.name in (top, method.module):
            raise InputError(
                f"There is no module {method.module!r} in {method.folder} or among the installed "
                "packages; change to the folder that has it, or correct --method."
            ) from error
        raise InputError(
            f"The module {method.module} cannot be imported: {type(error).__name__}: {error}."
        ) from error


def _place(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or module.__name__


def _listed(owner: str, name: str, tried: Any) -> tuple[Any, ...]:
    """Return the values of a parameter as a tuple of plain ones; InputError if they are no list."""
    if isinstance(tried, str) or not np.iterable(tried) or not len(values := list(tried)):
        raise InputError(
            f"The grid of {owner} has {shown(tried)} for {name}; give a list of values."
        )
    return tuple(value.item() if isinstance(value, np.generic) else value for value in values)
