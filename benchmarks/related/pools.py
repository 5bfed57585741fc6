"""Collections of rows with classes and properties; data sets are drawn from them.

    pool("newsgroups", data)     texts; class, part ("train" or "test", by date)
    pool("mfeat/fou", data)      one view of a collection of several views
    pool("vowel", data)          numbers; class, task (here the speaker), sex

Every pool has the properties "class" and, as loaded, "task"; further ones stand at its function.
"""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn import datasets as bundled

import kinfolk as kf
from benchmarks import heldout
from kinfolk.datasets import data_home, image_features, jsonlines, webkb
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData

SIDE = 8
"""Pixels of digits and of faces in height and width, so that collections have equal columns."""
VIEWS = ("mfeat", "msrc-v1", "caltech101-7", "orl-views", "3sources")
"""Collections of several views."""


@dataclass(frozen=True)
class Pool:
    """Rows of a collection: X (n, d) or n texts, and properties of n values each."""

    properties: dict[str, np.ndarray]
    X: np.ndarray | sp.csr_array | None = None
    texts: tuple[str, ...] | None = None

    def __len__(self):
        return len(self.properties["class"])

    def where(self, **wanted):
        """Positions of rows whose properties have the wanted values."""
        kept = np.ones(len(self), dtype=bool)
        for name, values in wanted.items():
            if name not in self.properties:
                raise InputError(f"the pool has no {name!r}; it has {', '.join(self.properties)}.")
            kept &= np.isin(self.properties[name], [str(value) for value in values])
        return np.flatnonzero(kept)

    def take(self, rows, tasks, target, name):
        """Make a data set of rows at positions (n,) with these tasks and classes."""
        columns = () if self.X is None else tuple(f"x{j}" for j in range(self.X.shape[1]))
        return RelatedData(
            name=name,
            tasks=np.asarray(tasks),
            row_ids=np.arange(len(rows)).astype(str),
            X=None if self.X is None else self.X[rows],
            texts=None if self.texts is None else tuple(self.texts[i] for i in rows),
            feature_names=columns,
            target=np.asarray(target),
        )


@lru_cache(maxsize=2)
def pool(source, data=None):
    """Return a pool by its name, see `SOURCES`; "name/view" is one view of a collection.

    Raises
    ------
    InputError : there is no such pool
    MissingDataError : the data directory does not hold it
    """
    if source in SOURCES:
        return SOURCES[source](data)
    name, _, view = source.partition("/")
    if name in VIEWS:
        return _view(name, view, data)
    raise InputError(f"there is no pool {source!r}; known are {', '.join((*SOURCES, *VIEWS))}.")


def _view(name, view, data):
    loaded = kf.datasets.load(name, data)
    if view not in loaded.views:
        raise InputError(f"{name} has no view {view!r}; it has {', '.join(loaded.views)}.")
    X = loaded.X[:, loaded.views[view]]
    return _of(loaded, X if sp.issparse(X) else np.asarray(X, dtype=float))


def _of(loaded, X, **properties):
    properties = {"class": loaded.target, "task": loaded.tasks, **properties}
    return Pool({name: np.asarray(v).astype(str) for name, v in properties.items()}, X)


def _loaded(name, data):
    loaded = kf.datasets.load(name, data)
    if loaded.texts is None:
        return _of(loaded, loaded.X)
    return Pool({"class": loaded.target, "task": loaded.tasks}, texts=loaded.texts)


def _texts(documents, second):
    kinds, values, texts = zip(*documents, strict=True)
    properties = {"class": np.array(kinds), second: np.array(values)}
    return Pool(properties, texts=texts)


def _newsgroups(data):
    """Messages of 20 Newsgroups; part "train" or "test"."""
    return _texts(heldout.messages(data), "part")


def _reuters(data):
    """Stories of Reuters with one topic; month "FEB" to "OCT"."""
    stories = heldout.stories(data)
    return _texts([(topic, date.split("-")[1], text) for topic, date, text in stories], "month")


def _webkb(data):
    """Home pages of all universities and classes; university."""
    path = data_home.find("webkb4", ("text/webkb_raw.jsonl.gz",), data, "")
    fields = {"university": str, "label": str, "text": str}
    pages = jsonlines.records(path, fields)
    found = [(p["label"], p["university"], webkb.visible_text(p["text"])) for p in pages]
    # Pages of frames alone hold no word.
    return _texts([page for page in found if len(page[2]) > 100], "university")


def _digits(data):
    """Digits of four collections as 8 x 8 shares of ink; collection usps, mnist, mfeat, optical."""
    parts = {}
    for name, side in (("usps", 16), ("mnist_test", 28)):
        with np.load(data_home.find(name, (f"digits/{name}.npz",), data, "")) as kept:
            images = kept["view_0"].astype(float).reshape(-1, side, side)
            parts[name.removesuffix("_test")] = images, kept["y"]
    mfeat = kf.datasets.load("mfeat", data)
    # 16 x 15 windows; a column without ink makes them square.
    windows = np.asarray(mfeat.X[:, mfeat.views["pix"]], dtype=float).reshape(-1, 16, 15)
    parts["mfeat"] = np.pad(windows, ((0, 0), (0, 0), (0, 1))), mfeat.target
    optical = bundled.load_digits()
    parts["optical"] = optical.images, optical.target
    X, target, origin = [], [], []
    for name, (images, y) in parts.items():
        small = image_features.area_averages(images, SIDE).reshape(len(images), -1)
        X.append((small - images.min()) / (images.max() - images.min()))
        target.append(np.asarray(y).astype(str))
        origin.append(np.repeat(name, len(images)))
    return Pool(
        {"class": np.concatenate(target), "collection": np.concatenate(origin)}, np.vstack(X)
    )


def _faces(data):
    """Faces of ORL at 16 x 16; person "1" to "40", image "1" to "10" of each."""
    with np.load(data_home.find("orl", ("faces/orl_crop32.npz",), data, "")) as kept:
        images = kept["view_0"].astype(float).reshape(-1, 32, 32)
        person = (kept["y"] + 1).astype(str)
    X = image_features.area_averages(images, 2 * SIDE).reshape(len(images), -1) / 255
    image = np.array([str(np.sum(person[:i] == person[i]) + 1) for i in range(len(person))])
    return Pool({"class": person, "image": image}, X)


def _csv(file, numbers, target, data):
    """Columns of numbers of a table, without rows with gaps; all columns are properties."""
    frame = pd.read_csv(data_home.find(file, (f"tables/{file}.csv",), data, ""))
    frame = frame.dropna(subset=[*numbers, target])
    properties = {column: frame[column].to_numpy().astype(str) for column in frame}
    return Pool({**properties, "class": properties[target]}, frame[list(numbers)].to_numpy(float))


def _heart(data):
    """Patients with their hospital ("dataset") and sex; classes well and ill."""
    numbers = ("age", "thalch", "oldpeak", "trestbps")
    found = _csv("heart", numbers, "num", data)
    ill = np.where(found.properties["num"] == "0", "well", "ill")
    return Pool({**found.properties, "class": ill}, found.X)


def _bundled(load, data):
    X, target = load(return_X_y=True)
    return Pool({"class": target.astype(str)}, X)


SOURCES = {
    "newsgroups": _newsgroups,
    "reuters": _reuters,
    "webkb": _webkb,
    "3sources-tasks": partial(_loaded, "3sources-tasks"),
    "digits": _digits,
    "faces": _faces,
    "olive": partial(_csv, "olive", kf.datasets.measurements.OLIVE, "area"),
    "vowel": partial(_csv, "vowel", kf.datasets.measurements.VOWEL, "vowel"),
    "penguins": partial(_csv, "penguins", kf.datasets.measurements.PENGUINS, "species"),
    "heart": _heart,
    "iris": partial(_bundled, bundled.load_iris),
    "wine": partial(_bundled, bundled.load_wine),
    "cancer": partial(_bundled, bundled.load_breast_cancer),
}
"""Name of a pool -> the function of the data directory that makes it."""
