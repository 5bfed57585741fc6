"""Saves fitted models as folders of JSON and safetensors, and loads them safely.

    DIR/model.json           names, parameters, preparation, versions, checksum
    DIR/arrays.safetensors   every array

Only plain values are read: numbers, strings, lists and arrays become attributes of estimators
that the catalogue lists. Nothing in either file can execute code. A folder is written whole or
not at all. Schema 4 has nothing that can be computed again from what it has: no layers of MTCFIR.
Older ones are still read: schema 3 had them, schema 2 also private attributes of scikit-learn's
estimators, and schema 1 sealed the arrays alone.
"""

import gc
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from kinfolk import catalogue
from kinfolk.arguments import flag, path, spelled
from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.estimators import kept_rows
from kinfolk.models import encoding, folders, without_rows
from kinfolk.models.model import Model
from kinfolk.preparation import Preparation
from kinfolk.profiles import Profiles
from kinfolk.profiles import names as kind_names

FEWEST = without_rows.MINIMUM
"""Default of the fewest rows of a cluster whose center is stored without rows."""

HEADER, ARRAYS = folders.HEADER, folders.ARRAYS

_FIELDS: sealed.Fields = {
    "kinfolk": (str,),
    "method": (str,),
    "roles": (dict, type(None)),
    "preparation": (dict, type(None)),
    "estimator": (dict,),
}
LAYOUT = sealed.Layout(
    kind="model",
    format=folders.FORMAT,
    versions={
        1: {**_FIELDS, "arrays_sha256": (str,)},
        2: {**_FIELDS, "sha256": (str,)},
        3: {**_FIELDS, "sha256": (str,)},
        4: {**_FIELDS, "sha256": (str,)},
    },
    advice="write it again, or read it with the Kinfolk that wrote it",
    optional={
        "names": (list,),
        "profiles": (dict,),
        "holds": (str,),
        "run": (str,),
        "written": (dict,),
    },
)
_OF_PREPARATION = "preparation."
"""Prefix that tells arrays of the preparation from those of the estimator."""


def save(
    model: Any,
    folder: str | os.PathLike[str],
    rows: bool = True,
    minimum_cluster_size: int = FEWEST,
    overwrite: bool = False,
) -> None:
    """Save a fitted estimator of several tasks, or a `Model`, as a folder.

    An older model in its place is replaced at the end; files of others in the folder stay.

    Parameters
    ----------
    rows : False stores nothing about single rows; methods that compare new rows with those of the
        fit then assign new ones to the nearest center, see `docs/privacy.md`
    minimum_cluster_size : fewest rows of a cluster whose center may be stored, if `rows` is False
    overwrite : True: write into the folder whatever it holds, and replace a `model.json` and an
        `arrays.safetensors` of others

    Raises
    ------
    InputError : the model holds a value that cannot be stored, such as an estimator of another
        library, or the folder holds something else than a model or cannot be written to; or it
        cannot do without its rows, or a cluster is too small

    Examples
    --------
    >>> import tempfile
    >>> from kinfolk import PerTask
    >>> model = PerTask(n_clusters=2).fit([[0.0], [5.0], [0.1], [5.2]], tasks=["a", "a", "b", "b"])
    >>> folder = Path(tempfile.mkdtemp()) / "model"
    >>> save(model, folder)
    >>> load(folder).method, load(folder).estimator.n_clusters_
    ('per-task', array([2, 2]))
    """
    target = folders.check_replaceable(folder, flag("overwrite", overwrite))
    if not isinstance(model, Model):
        model = Model(model, _method_name(model))
    check_is_fitted(model.estimator)
    if not flag("rows", rows):
        model = of_clusters(model, minimum_cluster_size)
    folders.write(target, contents(model))


def contents(model: Model) -> dict[str, bytes]:
    """Return a model's files by name; InputError as in `save`."""
    check_is_fitted(model.estimator)
    arrays: encoding.Arrays = {}
    told: dict[str, Any] = {}
    # Left out where there are none, so that older programs can read the model.
    if model.run:
        told["run"] = model.run
    if model.written is not None:
        told["written"] = model.written
    if model.names:
        told["names"] = [list(pair) for pair in model.names.items()]
    if model.profiles is not None:
        # Without rows by name: who may see a model need not be allowed to see them.
        told["profiles"] = encoding.encode(replace(model.profiles, names={}, typical=()), arrays)
    preparation = None
    if model.preparation is not None:
        preparation, learnt = model.preparation.to_state()
        arrays |= {_OF_PREPARATION + name: values for name, values in learnt.items()}
    header = {
        "format": LAYOUT.format,
        "schema": LAYOUT.latest,
        "kinfolk": version("kinfolk"),
        "method": model.method,
        "roles": model.roles,
        "preparation": preparation,
        "holds": kept_rows.sentence(model.estimator),
        "estimator": encoding.encode(model.estimator, arrays),
        **told,
    }
    packed = sealed.pack(arrays)
    header["sha256"] = sealed.checksum(header, [packed])
    text = json.dumps(header, allow_nan=False) + "\n"
    # The checksum covers the arrays as bytes, so nothing is packed again after it.
    return {ARRAYS: packed, HEADER: text.encode("utf-8")}


def of_clusters(model: Model, minimum_cluster_size: int = FEWEST) -> Model:
    """Return a copy of a model without facts about single rows; InputError if impossible.

    It has no profiles in the units of the table, whose quartiles are values of single rows.
    """
    fewer = without_rows.of(model.estimator, minimum_cluster_size)
    return replace(model, estimator=fewer, profiles=None)


def load(folder: str | os.PathLike[str]) -> Model:
    """Load a model from a folder that `save` wrote.

    Raises
    ------
    FileFormatError : the folder holds no model, or one that is damaged, newer or not sound

    Examples
    --------
    >>> import tempfile
    >>> from kinfolk import PerTask
    >>> model = PerTask(n_clusters=2).fit([[0.0], [5.0], [0.1], [5.2]], tasks=["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model")
    ...     again = load(f"{folder}/model").estimator
    >>> (again.predict([[0.2], [4.9]], tasks="a") == model.labels_[:2]).all()
    np.True_
    """
    place = path("folder", folder)
    raw, packed = folders.read(place)
    try:
        with _uncollected():
            # The header is checked before the arrays, so that the sentence names the first cause.
            found = sealed.parse_header(raw, str(place / HEADER))
            header = LAYOUT.check(found, str(place / HEADER))
            _check_seal(header, packed, place)
            model = _restored(header, sealed.unpack(packed))
        _try_out(model)
    except FileFormatError:
        raise
    except sealed.MALFORMED as error:
        reason = " ".join(str(error).split())  # other libraries write several lines
        raise FileFormatError(
            f"{place} is not a sound model ({type(error).__name__}: {reason:.300}): write it again "
            f"with {spelled('`kinfolk run`', 'kf.save')}."
        ) from error
    return model


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause Python's search for cyclic garbage, which JSON lacks: it took half of the time."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _check_seal(header: dict[str, Any], packed: bytes, place: Path) -> None:
    """Raise FileFormatError unless the files match the checksum."""
    if header["schema"] == 1:  # whose header was not sealed
        sound = header["arrays_sha256"] == hashlib.sha256(packed).hexdigest()
    else:
        sound = header["sha256"] == sealed.checksum(header, [packed])
    if not sound:
        raise FileFormatError(
            f"{HEADER} and {ARRAYS} in {place} are not as they were written (the checksum "
            "differs): copy the whole folder again."
        )


def _restored(header: dict[str, Any], arrays: encoding.Arrays) -> Model:
    """Build the model that a header describes."""
    learnt = {
        name.removeprefix(_OF_PREPARATION): values
        for name, values in arrays.items()
        if name.startswith(_OF_PREPARATION)
    }
    state = header["preparation"]
    roles = header["roles"]
    if roles is not None and not all(isinstance(c, str | None) for c in roles.values()):
        raise ValueError("its roles are no names of columns")
    return Model(
        estimator=encoding.decode(header["estimator"], arrays),
        method=catalogue.method(header["method"]).name,
        preparation=None if state is None else Preparation.from_state(state, learnt),
        roles=roles,
        names=kind_names.checked(_pairs(header.get("names", []))),
        profiles=_profiles(header.get("profiles"), arrays),
        run=header.get("run", ""),
        written=_texts(header.get("written")),
    )


def _texts(stored: dict[str, Any] | None) -> dict[str, str] | None:
    """Return stored texts by column, None where there are none; ValueError for anything else."""
    if stored is not None and not all(isinstance(how, str) for how in stored.values()):
        raise ValueError("the notations of its columns are no texts")
    return stored


def _pairs(stored: list[Any]) -> dict[Any, Any]:
    """Parse stored pairs of number and name; ValueError for anything else."""
    sorts = [[type(part) for part in pair] if type(pair) is list else [] for pair in stored]
    if any(sort != [int, str] for sort in sorts):
        raise ValueError("its names of kinds are no pairs of a number and a name")
    return dict(stored)


def _profiles(stored: Any, arrays: encoding.Arrays) -> Profiles | None:
    """Restore stored profiles; ValueError if their parts do not fit together."""
    if stored is None:
        return None
    found = encoding.decode(stored, arrays)
    if not isinstance(found, Profiles):
        raise ValueError("its profiles are none")
    found.csv()  # reads every number, which fails if the parts do not fit
    return found


def _try_out(model: Model) -> None:
    """Assign a few rows to each task, as a test that the parts fit together."""
    estimator = model.estimator
    names = estimator.task_names_
    width = estimator.n_features_in_
    if model.preparation is not None and len(model.preparation.feature_names) != width:
        raise ValueError(f"its preparation does not make the {width} columns it was fitted on")
    # Rows of zeros, which take no memory as sparse rows, and rows of the size of the clusters.
    model.assign_prepared(sp.csr_array((len(names), width)), names)
    rows = np.abs(vars(estimator).get("cluster_profiles_", np.zeros((1, width))))
    for name in names:
        model.assign_prepared(rows, [name] * len(rows))


def _method_name(estimator: Any) -> str:
    """Return the catalogue's name for an estimator's class."""
    for entry in catalogue.METHODS.values():
        if entry.cls is type(estimator) and entry.relation.of_tasks:
            return entry.name
    raise InputError(
        f"{type(estimator).__name__} is no clusterer of several tasks; wrap it, as in "
        "kf.PerTask(estimator), before it is fitted and saved."
    )
