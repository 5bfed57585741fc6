"""Reader of Stata files, whose numbers may have labels.

A column whose values all have a label has the labels as its words, as of `1 "male"`, `2 "female"`.
In other columns the labels name exceptions among numbers: those that stand for gaps, such as
`99 "refused"`, are emptied, and all other values stay numbers.
"""

from typing import TYPE_CHECKING, Any

from kinfolk.errors import FileFormatError, import_extra
from kinfolk.sources import frames, parsing, placeholders
from kinfolk.sources.contents import Contents

if TYPE_CHECKING:
    import pandas as pd


def frame(file: str, contents: Contents) -> tuple["pd.DataFrame", list[str]]:
    """Parse a Stata file; return the table, and notes on labels that are words or gaps.

    >>> import io
    >>> import pandas as pd
    >>> stream = io.BytesIO()
    >>> answers = pd.DataFrame({"sex": [1, 2, 2], "age": [31, 99, 40]})
    >>> labels = {"sex": {1: "male", 2: "female"}, "age": {99: "refused"}}
    >>> answers.to_stata(stream, write_index=False, value_labels=labels)
    >>> table, notes = frame("t.dta", Contents.of_bytes(stream.getvalue()))
    >>> table["sex"].tolist(), table["age"].tolist()
    (['male', 'female', 'female'], [31.0, nan, 40.0])
    >>> for note in notes:
    ...     print(note)
    Words of t.dta are the labels of its values: sex.
    The value 'refused' of column age of t.dta is a gap.
    """
    pandas = import_extra("pandas", "app", frames.NEEDS)
    codes, labelled = _read(file, contents)
    if labelled is None:
        return codes, []
    words: list[str] = []
    numbers: list[str] = []
    notes: list[str] = []
    found: dict[str, Any] = {}
    for name in codes.columns:
        values = labelled[name]
        if not isinstance(values.dtype, pandas.CategoricalDtype):
            found[name] = codes[name]
            continue
        used = values.cat.remove_unused_categories().cat.categories
        if len(used) and all(isinstance(value, str) for value in used):
            of_numbers = parsing.plain_numbers(used) is not None
            (numbers if of_numbers else words).append(name)
            found[name] = values.astype(object).where(values.notna(), None)
            continue
        gaps = [value for value in used if isinstance(value, str) and placeholders.is_gap(value)]
        notes += [f"The value {gap!r} of column {name} of {file} is a gap." for gap in gaps]
        found[name] = codes[name].astype(float).mask(values.isin(gaps))
    told = [
        f"{what} of {file} are the labels of its values: {', '.join(names)}."
        for what, names in (("Words", words), ("Numbers", numbers))
        if names
    ]
    notes = [*told, *notes]
    return pandas.DataFrame(found, copy=False), notes


def _read(file: str, contents: Contents) -> tuple["pd.DataFrame", "pd.DataFrame | None"]:
    """Parse a Stata file twice: with its values, and with labels for them, None without any."""
    pandas = import_extra("pandas", "app", frames.NEEDS)
    try:
        with (
            contents.open() as stream,
            pandas.read_stata(stream, iterator=True, convert_categoricals=False) as reader,
        ):
            codes = reader.read()
            has_labels = bool(reader.value_labels())
    except Exception as error:  # pandas raises whatever its parts raise on damaged bytes
        raise FileFormatError(
            f"{file} is not a Stata file that can be read: save it again, or give it as .csv."
        ) from error
    frames.check_names(file, list(codes.columns))
    if not has_labels:
        return codes, None
    try:
        with contents.open() as stream:
            return codes, pandas.read_stata(stream, order_categoricals=False)
    except Exception as error:
        raise FileFormatError(
            f"The labels of values in {file} cannot be read, as where two values of a column have "
            "the same: give each a label of its own, or give the table as .csv."
        ) from error
