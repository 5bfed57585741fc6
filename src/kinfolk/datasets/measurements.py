"""Tables of measurements (penguins, oils, vowels, heart patients) with related tasks.

Source  penguins  A. M. Horst, A. P. Hill, K. B. Gorman, "palmerpenguins", R package, 2020;
        olive     M. Forina, C. Armanino, S. Lanteri, E. Tiscornia, "Classification of olive oils
                  from their fatty acid composition", 1983;
        vowel     D. H. Deterding, "Speaker normalization for automatic speech recognition",
                  thesis, Cambridge, 1989;
        heart     R. Detrano et al., "International application of a new probability algorithm for
                  the diagnosis of coronary artery disease", Am. J. Cardiology 64, 1989.
"""

import csv
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kinfolk.datasets import data_home
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.tables import RelatedData

Row: TypeAlias = Mapping[str, str]
"""A row of a CSV file: column -> text of its cell, "" where it is missing."""

PENGUINS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
OLIVE = (
    *("palmitic", "palmitoleic", "stearic", "oleic"),
    *("linoleic", "linolenic", "arachidic", "eicosenoic"),
)
VOWEL = tuple(f"F{j}" for j in range(10))
HEART = ("age", "thalch", "oldpeak")

HEART_YES = {"sex": "Male", "exang": "True", "cp": "asymptomatic", "restecg": "normal"}
"""Column of answers -> the answer that counts as 1; every other one counts as 0."""


def penguins_csv() -> Path:
    """Path of the table of the Palmer penguins as published, which comes with the package.

    344 birds: species, island, four measurements, sex and year; 19 values are missing.

    >>> penguins_csv().read_text().splitlines()[1]
    'Adelie,Torgersen,39.1,18.7,181.0,3750.0,male,2007'
    """
    return Path(str(resources.files(__package__).joinpath("penguins.csv")))


def load_penguins() -> RelatedData:
    """Load the Palmer penguins: 333 birds of three species, tasks female and male.

    Of the 344 rows, 11 without a known sex are left out; they include all rows with gaps. Nothing
    has to be fetched; `penguins_csv` has all columns.

    Returns
    -------
    RelatedData : `X` (333, 4) lengths in mm and body mass in g; `target` the species

    Examples
    --------
    >>> birds = load_penguins()
    >>> print(birds.tasks[0], birds.target[0], birds.X[0])
    male Adelie [  39.1   18.7  181.  3750. ]
    """
    rows = _embedded("penguins")
    return _table("penguins", rows, "sex", "species", PENGUINS, what="Palmer penguins")


def load_olive() -> RelatedData:
    """Load olive oils: 572 oils from nine areas of Italy, tasks are its three regions.

    No area lies in two regions. Nothing has to be fetched.

    Returns
    -------
    RelatedData : `X` (572, 8) fatty acids in %; `target` the area

    Examples
    --------
    >>> oils = load_olive()
    >>> print(oils.feature_names[3], oils.X[:3, 3])
    oleic [78.23 77.09 81.13]
    """
    rows = _embedded("olive")
    return _table("olive", rows, "region", "area", OLIVE, what="Italian olive oils")


def load_vowel() -> RelatedData:
    """Load spoken vowels: 11 British English vowels, each 6 times by 15 speakers, the tasks.

    Nothing has to be fetched.

    Returns
    -------
    RelatedData : `X` (990, 10) log area ratios; `target` "0" to "10"

    Examples
    --------
    >>> vowels = load_vowel()
    >>> print(vowels.tasks[0], vowels.target[:3], vowels.X[0, :2])
    s00 ['0' '1' '2'] [-3.639  0.418]
    """
    rows = _embedded("vowel")
    return _table("vowel", rows, "speaker", "vowel", VOWEL, what="Spoken vowels")


def load_heart(data: DataHome = None) -> RelatedData:
    """Load heart patients: 855 patients, ill or well, tasks are four hospitals.

    Seven columns are used, which 855 of the 920 rows have complete: age, highest heart rate
    (thalch), ST depression (oldpeak), and as 0 or 1: male, pain in exercise (exang), chest pain
    absent (cp asymptomatic), electrocardiogram at rest normal (restecg). Cholesterol is not used:
    it is 0 where it was not measured, for all patients of one hospital.

    Returns
    -------
    RelatedData : `X` (855, 7) in the units of the source; `target` "ill" if a vessel is narrowed
        (num > 0), else "well"

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    rows = [
        {**row, "class": "well" if row["num"] == "0" else "ill"} for row in _rows("heart", data)
    ]
    return _table("heart", rows, "dataset", "class", HEART, HEART_YES, what="Heart patients")


def _embedded(name: str) -> list[Row]:
    """Read the rows of a table included in the package."""
    text = resources.files(__package__).joinpath(f"{name}.csv").read_text("utf-8")
    return [*csv.DictReader(text.splitlines())]


def _rows(name: str, data: DataHome) -> list[Row]:
    """Return the rows of the verified file of a data set."""
    path = COLLECTIONS[name].locate(f"tables/{name}.csv", name, data)
    return [*csv.DictReader(data_home.read_text(path).splitlines())]


def _table(
    name: str,
    rows: Sequence[Row],
    task: str,
    target: str,
    numbers: Sequence[str],
    yes: Mapping[str, str] | None = None,
    *,
    what: str,
) -> RelatedData:
    """Build a data set from the rows without gaps in the columns used, sorted by task.

    Parameters
    ----------
    task, target : columns that name the task and the class of a row
    numbers : columns of numbers
    yes : column of answers -> the answer that becomes 1
    what : description for the origin
    """
    answers = dict(yes or {})
    used = (task, target, *numbers, *answers)
    places = [i for i, row in enumerate(rows) if all(row[column] for column in used)]
    order = {value: t for t, value in enumerate(dict.fromkeys(rows[i][task] for i in places))}
    places.sort(key=lambda i: order[rows[i][task]])  # stable: rows keep the order of the file
    X = [
        [float(rows[i][column]) for column in numbers]
        + [float(rows[i][column] == answer) for column, answer in answers.items()]
        for i in places
    ]
    return RelatedData(
        name=name,
        tasks=np.array([rows[i][task] for i in places]),
        row_ids=np.array([str(i + 1) for i in places]),
        X=np.array(X),
        feature_names=(*numbers, *(f"{column}_{answer}" for column, answer in answers.items())),
        target=np.array([rows[i][target] for i in places]),
        origin=COLLECTIONS[name].origin(what),
    )
