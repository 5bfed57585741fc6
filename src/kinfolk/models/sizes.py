"""Size in bytes of a saved model by purpose, read without loading the arrays."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kinfolk.models import encoding, schema, storage

ROWS = "rows of the fit"
EACH_ROW = "numbers for each row"
CLUSTERS = "centers and weights of clusters"
TEXT = "records and parameters"
OTHER = "other numbers"


class Size(NamedTuple):
    """Bytes of a model in total and by purpose, the largest first."""

    total: int
    parts: dict[str, int]

    def sentence(self) -> str:
        """Return the size and what it is used for as a sentence.

        >>> Size(3_000_000, {ROWS: 2_500_000, TEXT: 460_000, OTHER: 40_000}).sentence()
        'The model takes 3.0 MB: 2.5 MB rows of the fit, 0.5 MB records and parameters.'
        """
        shown = [f"{n / 1e6:.1f} MB {name}" for name, n in self.parts.items() if n >= 5e4]
        why = f": {', '.join(shown)}" if shown else ""
        return f"The model takes {max(self.total, 5e4) / 1e6:.1f} MB{why}."


def of_folder(folder: Path) -> Size:
    """Return the size in bytes, by purpose, of a saved model's folder.

    >>> from kinfolk import PerTask, save
    >>> X = [[float(i), i % 2] for i in range(40)]
    >>> place = getfixture("tmp_path") / "model"
    >>> save(PerTask(n_clusters=2).fit(X, tasks=["a", "b"] * 20), place)
    >>> size = of_folder(place)
    >>> size.total == sum(file.stat().st_size for file in place.iterdir())
    True
    """
    header = json.loads((folder / storage.HEADER).read_bytes())
    text = (folder / storage.HEADER).stat().st_size
    with (folder / storage.ARRAYS).open("rb") as file:
        head = file.read(int.from_bytes(file.read(8), "little"))
    spans = json.loads(head)
    parts = Counter({TEXT: text + 8 + len(head)})
    left = {name: end - start for name, array in spans.items() if name != "__metadata__"
            for start, end in [array["data_offsets"]]}  # fmt: skip
    for name, purpose in _purposes(header["estimator"], OTHER):
        parts[purpose] += left.pop(name, 0)  # shared arrays count once
    parts[OTHER] += sum(left.values())
    return Size(sum(parts.values()), dict(parts.most_common()))


def _purposes(value: Any, purpose: str) -> Iterator[tuple[str, str]]:
    """Yield the name and purpose of each array in a stored value."""
    if isinstance(value, list):
        for part in value:
            yield from _purposes(part, purpose)
    elif isinstance(value, dict) and "estimator" in value:
        cls: type = encoding.ESTIMATORS[value["estimator"]]
        forms = schema.forms(cls)
        for name, part in value["attributes"].items():
            yield from _purposes(part, _purpose(forms.get(name, "")))
    elif isinstance(value, dict) and "array" in value:
        yield value["array"], purpose
    elif isinstance(value, dict):
        for part in value.values():
            yield from _purposes(part, purpose)


def _purpose(form: str) -> str:
    """Describe the purpose of an array, from its declared form.

    >>> _purpose("table (n, d)"), _purpose("list T of float (n_t, k_t)")
    ('rows of the fit', 'numbers for each row')
    >>> _purpose("float (k, d)"), _purpose("float (T, T)")
    ('centers and weights of clusters', 'other numbers')
    """
    dims = form.rpartition("(")[2].split(")")[0].split(", ")
    of_rows = dims[0] in ("n", "n_t", "m_t") or "table" in form
    if of_rows and ("d" in dims or "table" in form):
        return ROWS
    if of_rows or (dims[0] == "*" and len(dims) == 2):
        return EACH_ROW
    return CLUSTERS if "d" in dims else OTHER
