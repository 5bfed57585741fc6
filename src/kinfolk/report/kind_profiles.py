"""Profiles of kinds (groups of matched clusters) as shown on the page, in the user's units.

A table has a line for each column, or value of a category, and a column for each kind. A card for
each kind has its size, the columns that set it apart, their values in each data set, and typical
rows.

>>> import pandas as pd
>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> frame = pd.DataFrame({
...     "income": [21e3, 23e3, 90e3, 95e3, 31e3, 35e3, 95e3, 99e3],
...     "plan": ["free", "free", "pro", "pro"] * 2,
... })
>>> found = kf.compare(frame, tasks=["PT"] * 4 + ["SE"] * 4, n_clusters=2, method="kmeans")
>>> page = read(found.study)
>>> for line in table(page):
...     print(line.label, [cell.text + cell.mark for cell in line.cells], line.everything.text)
plan = free ['0 %▼', '100 %▲'] 50 %
income ['94,750▲', '27,500▼'] 61,125
>>> card = cards(page)[0]
>>> for trait in card.traits:
...     print(trait.label, trait.mark, trait.here, trait.others)
plan = pro ▲ 100 % of rows others 0 %
income ▲ 94,750 on average others 27,500
>>> sentences(page)[1]
'kind 1: plan = free 100 % (others 0 %), income 27,500 (others 94,750)'
>>> card.by_task[0]
('plan = pro', '100 %', ['100 %', '100 %'])
>>> card.typical[0]
Typical(name='3', task='PT', values=['pro', '90,000'], text='')
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kinfolk.numerics import rounding
from kinfolk.profiles import ColumnProfile, Difference, TypicalRow
from kinfolk.report import canvas, cluster_pictures, sizes
from kinfolk.report.content import Page
from kinfolk.report.sizes import SizeLine
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

MARKED = 0.8
"""Effect from which a value is marked, in standard deviations: Cohen's "large"."""
LEAST = 0.2
"""Effect from which a value of a category is told: Cohen's "small"."""
FEW_VALUES = 6
"""A category of more values has lines only of those that are told before all other columns."""
SHOWN = 24
"""Lines of the table that are shown at once; a reader can unfold the others."""
LISTED = 200
"""Most lines of the table, shown or folded; profiles.csv has every column."""
OF_A_KIND = 6
"""Most columns on the card of a kind."""
TERMS_OF_A_KIND = 12
IN_A_SENTENCE = 3
TERMS_IN_A_SENTENCE = 8
LETTERS = 320
"""Most letters shown of the text of a typical row, about four lines."""
_OF_A_NAME = 60
"""Most letters shown of a name or value in a table."""


@dataclass(frozen=True)
class Cell:
    """A column's value for one kind of rows: text, spread, and an arrow for high or low."""

    text: str
    spread: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Line:
    """Table line for a column or a category's value: cells by kind, and the value of all rows."""

    label: str
    cells: list[Cell]
    everything: Cell


@dataclass(frozen=True)
class Trait:
    """A column that distinguishes a kind of rows: value in the kind, and in the other rows."""

    label: str
    mark: str
    here: str
    others: str


@dataclass(frozen=True)
class Typical:
    """A typical row as shown: its name, task, values of the card's columns, and text."""

    name: str
    task: str
    values: list[str]
    text: str = ""


@dataclass(frozen=True)
class Card:
    """Summary of one kind (group of matched clusters) for the page: size, traits, rows.

    Attributes
    ----------
    size : its rows, in all and by data set
    traits : what sets it apart, the largest difference first
    by_task : a line for each trait: its label, the value of all rows of the kind, and the value in
        each data set; [] for one data set
    typical : rows near the centers of its clusters
    columns : names of the columns whose values `typical` has
    pictures : mean picture of the kind in each data set, for tables of pixels
    """

    size: SizeLine
    traits: list[Trait]
    by_task: list[tuple[str, str, list[str]]]
    typical: list[Typical]
    columns: list[str]
    pictures: list[tuple[str, int, str]] = field(default_factory=list)


def table(page: Page) -> list[Line]:
    """Return table lines of columns by kinds, largest difference first; [] for texts or pixels."""
    if cluster_pictures.kind(page.study) != "numbers":
        return []  # pictures and terms say more on the cards
    found = page.study.profiles
    places = [found.kinds.index(line.kind) for line in sizes.lines(page)]
    # Lines of a category stay together, where its largest effect puts them.
    largest = rounding.comparable([_largest(column) for column in found.columns])
    order = [found.columns[place] for place in np.argsort(-largest, kind="stable")]
    told: list[Line] = []
    rest: list[Line] = []  # 20 postcodes that tell no kinds apart would hide the columns behind
    for column in order:
        for v, line in _lines(column, places):
            plain = len(column.values) > FEW_VALUES and _largest(column, v) < LEAST
            (rest if plain else told).append(line)
    return [*told, *rest][:LISTED]


def _largest(column: ColumnProfile, value: int | None = None) -> float:
    """Largest effect size of a column, or of a value, over all kinds, in standard deviations."""
    effects = column.effects if value is None else column.effects[:, value]
    return float(np.abs(np.nan_to_num(effects)).max(initial=0.0))


def _lines(column: ColumnProfile, places: list[int]) -> Iterator[tuple[int, Line]]:
    """Yield the table lines of a column, one for each value, with the value's position."""
    for v, label in _labels(column):
        cells = [
            Cell(column.shown(k, value=v), _spread(column, k), _mark(float(column.effects[k, v])))
            for k in places
        ]
        yield v, Line(label, cells, Cell(column.shown(value=v), _spread(column, -1)))


def without_averages(page: Page) -> list[str]:
    """Names of the columns of the table without a mean over data sets, as units may differ."""
    return [_short(c.heading) for c in page.study.profiles.columns if c.units_differ]


def cards(page: Page) -> list[Card]:
    """Return a summary card for each kind of rows that is not empty."""
    return [_card(page, line) for line in sizes.lines(page)]


def _card(page: Page, size: SizeLine) -> Card:
    found = page.study.profiles
    k = found.kinds.index(size.kind)
    looks = cluster_pictures.kind(page.study)
    traits = [] if looks == "pixels" else list(_distinct(found.differences(k)))
    traits = traits[: OF_A_KIND if looks == "numbers" else TERMS_OF_A_KIND]
    places = [found.tasks.index(task) for task in page.tasks]
    by_task = [
        (
            _short(trait.label),
            "–" if trait.column.units_differ else trait.column.shown(k, value=trait.value),
            [trait.column.shown(k, t, trait.value) for t in places],
        )
        for trait in traits
    ]
    # Terms of a text stand in the text itself.
    named = {t.column.name: t.column.heading for t in traits} if looks == "numbers" else {}
    return Card(
        size=size,
        traits=[_trait(trait, page.study.texts is not None) for trait in traits],
        by_task=by_task if len(page.tasks) > 1 else [],
        typical=[_typical(page, row, list(named)) for row in found.typical_rows(k)],
        columns=[_short(heading) for heading in named.values()],
        pictures=cluster_pictures.of_kind(page, size.kind) if looks == "pixels" else [],
    )


def sentences(page: Page) -> list[str]:
    """Return a sentence per kind with the columns that set it apart most; [] for pixels."""
    looks = cluster_pictures.kind(page.study)
    if looks == "pixels":
        return []
    found = page.study.profiles
    told = []
    for line in sizes.lines(page):
        traits = list(_distinct(found.differences(found.kinds.index(line.kind))))
        if looks == "numbers":
            largest = {id(trait.column): trait for trait in reversed(traits)}  # one of a category
            shown = [trait for trait in traits if largest[id(trait.column)] is trait]
            said = [_beside_others(trait) for trait in shown[:IN_A_SENTENCE]]
        else:
            frequent = [trait for trait in traits if trait.effect > 0]
            said = [_short(trait.label) for trait in frequent[:TERMS_IN_A_SENTENCE]]
        if said:
            told.append(f"{line.name}: {', '.join(said)}")
    return told


def _beside_others(found: Difference) -> str:
    if found.column.units_differ:
        return f"{_short(found.label)} {found.apart} the others of each data set"
    here, others = (found.column.text(value) for value in (found.here, found.others))
    return f"{_short(found.label)} {here} (others {others})"


def _labels(column: ColumnProfile) -> Iterator[tuple[int, str]]:
    """Yield positions and labels of a column's lines; binary columns have one."""
    if column.is_number or column.values == ("yes",):
        yield 0, _short(column.heading)
        return
    for v, value in enumerate(column.values[:1] if column.is_binary else column.values):
        yield v, f"{_short(column.name)}{column.between}{_short(value)}"


def _distinct(differences: list[Difference]) -> Iterator[Difference]:
    """Yield differences; of a binary category only the value that the kind has more often."""
    for difference in differences:
        if not difference.column.is_binary or difference.effect > 0:
            yield difference


def _trait(found: Difference, of_texts: bool) -> Trait:
    mark = "▲" if found.effect > 0 else "▼"
    if found.column.units_differ:
        return Trait(_short(found.label), mark, f"{found.apart} the others", "within data sets")
    here = found.column.text(found.here)
    others = found.column.text(found.others)
    share = "of texts" if of_texts else "of rows"
    measure = "on average" if found.column.is_number else share
    return Trait(_short(found.label), mark, f"{here} {measure}", f"others {others}")


def _typical(page: Page, row: TypicalRow, named: list[str]) -> Typical:
    texts = page.study.texts
    text = "" if texts is None else excerpt(texts[row.row])
    values = [_short(_value(page, name, row.row, row.task)) for name in named]
    return Typical(_short(row.row_id), page.study.profiles.tasks[row.task], values, text)


def excerpt(text: str, letters: int = LETTERS) -> str:
    r"""Return the beginning of a text, in whole words on one line.

    >>> excerpt("one  two\nthree four", 14), excerpt("一二三四五六", 4)
    ('one two three …', '一二三四 …')
    """
    # Most texts are much longer than what is shown of them.
    words = " ".join(canvas.plain(text.lstrip()[: 4 * letters], 4 * letters).split())
    if len(words) <= letters:
        return words
    # A long word, or a text that writes no spaces, is cut within it.
    return (words[: letters + 1].rpartition(" ")[0] or words[:letters]) + " …"


def _value(page: Page, name: str, row: int, task: int) -> str:
    """Format a column's value in one row of a task, in the user's units."""
    data = page.study.data
    profile = next(column for column in page.study.profiles.columns if column.name == name)
    if data.columns is not None:
        column = next(column for column in data.columns if column.name == name)
        value = column.values[row]
        if not profile.is_number:
            return _word(column, value)
        return _number(profile, float(value), task)
    return _number(profile, float(data.X[row, _place(page, name)]), task)


def _number(profile: ColumnProfile, value: float, task: int) -> str:
    """Format a number of one row; a whole number gets no decimals, unlike a mean."""
    if profile.taken_for in (columns.NUMBER, columns.AMOUNT) and value.is_integer():
        return f"{value:z,.0f}".replace("-", "−")
    return profile.text(value, task)


def _place(page: Page, name: str) -> int:
    """Return the position of a numeric column by its name."""
    names = page.study.data.feature_names
    if name in names:
        return names.index(name)
    return int(name.removeprefix("column "))


def _word(column: Column, value: object) -> str:
    """Format the value of a category or yes/no column in one row."""
    word = columns.words(np.array([value], dtype=object))[0]
    if word is None or word == "nan":
        return "–"
    if column.kind == columns.YES_NO:
        return (column.levels or ("no", "yes"))[word == "1"]
    return str(word)


def _spread(column: ColumnProfile, kind: int) -> str:
    """Format "± deviation" of a number; "" for shares and dates."""
    if not column.is_number or column.taken_for == columns.DATE:
        return ""
    deviation = float(column.deviation[kind, -1])
    return "" if np.isnan(deviation) else f"±\N{NARROW NO-BREAK SPACE}{column.text(deviation)}"


def _mark(effect: float) -> str:
    if not abs(effect) >= MARKED:  # nan where there are no other rows
        return ""
    return "▲" if effect > 0 else "▼"


def _short(name: str) -> str:
    return canvas.plain(name, _OF_A_NAME)
