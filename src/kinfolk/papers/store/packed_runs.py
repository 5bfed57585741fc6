"""Packs the finished runs of a store into one small Parquet file per data set, and unpacks them.

A folder of packed runs is a tenth of the store, and a new run changes the file of its data set
alone. Keys are left out, as they follow from the other columns, and equal arrays are kept once.
`SHA256SUMS` names the files of the folder, in the form that `sha256sum --check` reads; a file is
parsed only if its bytes are those named there.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from kinfolk.disk import file_sets, sealed
from kinfolk.errors import FileFormatError, InputError, import_extra
from kinfolk.papers.store import stored_values
from kinfolk.papers.store.runs import StoredRun, canonical
from kinfolk.papers.store.store import Store

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]*\.parquet)")
_NEEDS = "Packed runs need"
_TEXTS = (
    *("data", "data_options", "method", "way", "n_clusters", "parameters", "preparation"),
    *("checksum", "version", "status", "error", "notes", "started"),
)
_COUNTS = ("seed", "peak_memory", "n_iter", "converged")
_NUMBERS = ("seconds", "objective")


def pack(store: Store, folder: str | os.PathLike[str]) -> dict[str, int]:
    """Write the finished runs of a store to a folder, and return their number by data set.

    Of several runs with one specification the last is written, as tables count it. The same runs
    give the same bytes with one version of pyarrow. A file that has the runs already stays as it
    is, and so do files of other data sets.

    Raises
    ------
    InputError : the store has no finished runs, or a file of the folder is not one of packed runs
        or cannot be written
    FileFormatError : the store or its folder of packed runs is damaged
    MissingExtraError : pyarrow is not installed

    Examples
    --------
    >>> from kinfolk.papers.store import Outcome, RunSpec
    >>> place = getfixture("tmp_path")
    >>> with Store(place / "runs.sqlite") as store:
    ...     store.record(store.claim(RunSpec("blobs", "kmeans"), "c"), Outcome("done", n_iter=3))
    ...     pack(store, place / "runs")
    {'blobs': 1}
    >>> with Store(place / "copy.sqlite") as copy:
    ...     print(copy.add(unpack(place / "runs")), copy.runs()[0].outcome.n_iter)
    1 3
    """
    place = Path(folder)
    sums = _sums(place) if (place / SUMS).exists() else {}
    runs = store.runs(status=("done", "refused"))
    if not runs:
        raise InputError(f"{store.path} has no finished runs to pack.")
    # The last one of each specification, by specification.
    last = sorted({canonical(run.spec.columns()): run for run in runs}.items())
    new: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    for data, group in groupby((run for _, run in last), lambda run: run.spec.data):
        lines = [_line(store, run) for run in group]
        counts[data] = len(lines)
        name = _file_name(data)
        if name not in sums and os.path.lexists(place / name):
            raise InputError(f"{place / name} is not listed in {SUMS}: move it away.")
        if name not in sums or _lines(place, name, sums[name]) != lines:
            new[name] = _packed(lines)
            sums[name] = hashlib.sha256(new[name]).hexdigest()
    listed = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    if new:
        file_sets.replace_unlisted(place, {**new, SUMS: listed.encode()})
    return counts


def unpack(folder: str | os.PathLike[str]) -> Iterator[StoredRun]:
    """Yield the runs of a folder of packed runs, with their keys and arrays, by data set.

    Raises
    ------
    InputError : the folder has no packed runs
    FileFormatError : a file is missing, damaged or of a newer Kinfolk
    MissingExtraError : pyarrow is not installed
    """
    place = Path(folder)
    for name, expected in _sums(place).items():
        for line in _lines(place, name, expected):
            try:
                yield _run(line)
            except (*sealed.MALFORMED, SafetensorError) as error:
                raise _damaged(place / name, error) from error


def _file_name(data: str) -> str:
    """Return the name of a data set's Parquet file; InputError if it cannot name a file."""
    name = f"{data}.parquet"
    if not _LINE.fullmatch(f"{'0' * 64}  {name}"):
        raise InputError(
            f"Runs on the data set {data!r} cannot be packed: its name is no name of a file; "
            "letters, digits, points and hyphens are."
        )
    return name


def _sums(place: Path) -> dict[str, str]:
    """Read `SHA256SUMS` of the folder: {name of a file: its expected SHA-256}."""
    path = place / SUMS
    if not path.is_file():
        raise InputError(f"{place} is no folder of packed runs: it has no file {SUMS}.")
    found = [
        _LINE.fullmatch(line) for line in sealed.read_bytes(path).decode("latin-1").split("\n")[:-1]
    ]
    if None in found or not found:
        raise _damaged(path, "its lines are not sums and names of Parquet files")
    return {line[2]: line[1] for line in found if line is not None}


def _line(store: Store, run: StoredRun) -> dict[str, Any]:
    """Return the values of a run by column, as they are packed."""
    if run.spec.key(run.checksum, run.version) != run.key:
        raise FileFormatError(
            f"The key of run {run.key:.12} in {store.path} is not that of its columns: the store "
            "was changed by another program; use a copy from before."
        )
    known = {**vars(run), **run.spec.columns(), **vars(run.outcome)}
    values = {name: known[name] for name in (*_TEXTS, *_COUNTS, *_NUMBERS)}
    values |= {name: canonical(values[name]) for name in stored_values.ENCODED}
    if values["converged"] is not None:
        values["converged"] = int(values["converged"])
    scores = [
        # Parquet has a value for a missing number, which is equal to itself, unlike nan.
        {"measure": measure, "task": task, "value": None if value != value else value}
        for measure, tasks in run.outcome.scores.items()
        for task, value in tasks.items()
    ]
    arrays = [
        {"name": name, "content": sealed.pack({"array": array})}
        for name, array in store.arrays(run.key).items()
    ]
    return {**values, "scores": scores, "arrays": arrays}


def _run(line: Mapping[str, Any]) -> StoredRun:
    """Build a run from its packed values; errors as in `stored_values`."""
    scores: dict[str, dict[str, float]] = {}
    for found in line["scores"]:
        value = stored_values.score(found["measure"], found["task"], found["value"])
        scores.setdefault(found["measure"], {})[found["task"]] = value
    run = stored_values.stored_run({**line, "key": ""}, scores)
    arrays = {each["name"]: sealed.unpack(each["content"])["array"] for each in line["arrays"]}
    key = run.spec.key(run.checksum, run.version)
    return replace(run, key=key, outcome=replace(run.outcome, arrays=arrays))


def _schema() -> Any:
    """Types of the columns of a file of packed runs."""
    arrow = import_extra("pyarrow", "parquet", _NEEDS)
    score = {"measure": arrow.string(), "task": arrow.string(), "value": arrow.float64()}
    array = {"name": arrow.string(), "content": arrow.binary()}
    return arrow.schema(
        {
            **dict.fromkeys(_TEXTS, arrow.string()),
            **dict.fromkeys(_COUNTS, arrow.int64()),
            **dict.fromkeys(_NUMBERS, arrow.float64()),
            "scores": arrow.list_(arrow.struct(score)),
            "arrays": arrow.list_(arrow.struct(array)),
        }
    )


def _packed(lines: list[dict[str, Any]]) -> bytes:
    """Format runs, each as values by column, as a Parquet file."""
    arrow = import_extra("pyarrow", "parquet", _NEEDS)
    parquet = import_extra("pyarrow.parquet", "parquet", _NEEDS)
    file = BytesIO()
    parquet.write_table(
        arrow.Table.from_pylist(lines, _schema()),
        file,
        compression="zstd",
        compression_level=19,  # the smallest; it takes seconds
        # Arrays of several runs are equal: a dictionary as large as it takes keeps each once.
        dictionary_pagesize_limit=2**30,
        write_statistics=False,
    )
    return file.getvalue()


def _lines(place: Path, name: str, expected: str) -> list[dict[str, Any]]:
    """Read a file whose SHA-256 is `expected`: the values of each run by column."""
    arrow = import_extra("pyarrow", "parquet", _NEEDS)
    parquet = import_extra("pyarrow.parquet", "parquet", _NEEDS)
    path = place / name
    if not path.is_file():
        raise _damaged(place / SUMS, f"there is no file {name}, which it names")
    raw = sealed.read_bytes(path)
    # Before it is parsed: some damages of a Parquet file end the process.
    if hashlib.sha256(raw).hexdigest() != expected:
        raise _damaged(path, f"its SHA-256 is not that of {SUMS}")
    try:
        table = parquet.read_table(BytesIO(raw))
        if not table.schema.equals(_schema()):
            raise _damaged(path, "its columns are not those of packed runs")
        lines: list[dict[str, Any]] = table.to_pylist()
    except (arrow.ArrowException, OSError) as error:
        raise _damaged(path, error) from error
    return lines


def _damaged(path: Path, why: object) -> FileFormatError:
    reason = " ".join(str(why).split())
    return FileFormatError(
        f"The packed runs {path} are damaged ({reason:.200}): get the whole folder again."
    )
