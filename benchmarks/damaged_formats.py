"""Formats that the library reads, each with a sound file, damages and a use.

A use returns None where a damaged file is harmless: what it gave is finite and labels are those of
clusters. It raises an error of Kinfolk where the file is refused. Everything else is a defect.
"""

import contextlib
import csv
import dataclasses
import functools
import gzip
import hashlib
import importlib.util
import io
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

import kinfolk as kf
from benchmarks import damage
from kinfolk import catalogue, sources
from kinfolk.comparison import files
from kinfolk.disk import sealed
from kinfolk.knowledge import Knowledge
from kinfolk.models import storage
from kinfolk.models.model import Model
from kinfolk.papers import overview
from kinfolk.papers.store import Outcome, RunSpec, Store, packed_runs
from kinfolk.preparation import Preparation


@dataclasses.dataclass(frozen=True)
class Format:
    """One format: `make` writes a sound file, `change` damages it, `use` reads it.

    make : folder -> file or folder
    change : sound file, place for the damaged one, generator -> None
    use : damaged file -> None
    """

    make: Callable
    change: Callable
    use: Callable


def table(n=40):
    """A table of two shops with numbers, a category and gaps."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "shop": np.repeat(["north", "south"], n // 2),
            "age": rng.integers(18, 80, n),
            "spend": rng.normal(50, 9, n).round(2) + 90 * (np.arange(n) % 2),
            "visits": rng.normal(5, 1, n).round(2) + 9 * (np.arange(n) % 3 == 0),
            "plan": np.where(np.arange(n) % 3, "basic", "pro"),
            "score": np.where(np.arange(n) % 7, rng.normal(size=n).round(3), np.nan),
        }
    )


def _labelled(n=40):
    """The same with words that are labels of numbers, as Stata writes categories."""
    return table(n).assign(plan=pd.Categorical(table(n)["plan"]))


NAMES = ("age", "spend", "visits")
"""Columns that are numbers without gaps."""

CLUSTERS = {"north": 2, "south": 4}
"""Different from each other and from the number of columns, so that no two axes look alike."""


def _numbers(n=40):
    frame = table(n)
    return frame[list(NAMES)].to_numpy(dtype=float), frame["shop"].to_numpy()


def _stream(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _arrays():
    X, tasks = _numbers()
    return _stream(lambda s: np.savez_compressed(s, X=X, tasks=tasks.astype(str)))


def _one_array():
    X, _ = _numbers()
    return _stream(lambda s: np.save(s, X))


def _sparse():
    X, _ = _numbers()
    return _stream(lambda s: sp.save_npz(s, sp.csr_array(np.where(X > 50, X, 0.0))))


def _coordinates():
    X, _ = _numbers()
    return _stream(lambda s: sp.save_npz(s, sp.coo_array(np.where(X > 50, X, 0.0))))


def _cells():
    import anndata

    X, tasks = _numbers()
    obs = pd.DataFrame({"shop": tasks}, index=[f"c{i}" for i in range(len(X))])
    adata = anndata.AnnData(sp.csr_matrix(np.rint(X)), obs=obs)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "cells.h5ad")
        adata.write_h5ad(place)
        return place.read_bytes()


def _modalities():
    import anndata
    import mudata

    X, tasks = _numbers()
    names = [f"c{i}" for i in range(len(X))]
    obs = pd.DataFrame({"shop": tasks}, index=names)
    parts = {"rna": np.rint(X), "protein": X[:, :2] - 40}
    made = {v: anndata.AnnData(Z, obs=pd.DataFrame(index=names)) for v, Z in parts.items()}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mudata, on its next version
        place = Path(folder, "cells.h5mu")
        mdata = mudata.MuData(made)
        mdata.obs["shop"] = obs["shop"]
        mdata.write(place)
        return place.read_bytes()


def _json_lines():
    return table().to_json(orient="records", lines=True).encode()


def read_table(path):
    """Read a table of tasks, and prepare it."""
    # Every third file without named tasks, as the suffix alone says it.
    tasks = "shop" if path.suffix not in (".npz", ".npy") else None
    data = sources.read(path, tasks=tasks).data
    X = Preparation().fit_transform(data)
    entries = X.data if sp.issparse(X) else X
    assert np.isfinite(entries).all(), "not finite"
    assert X.shape[0] == len(data.tasks) == len(data.row_ids), "rows"


def read_views(path):
    """Read a file whose modalities are views of the same rows."""
    data = sources.read(path, tasks="shop").data
    entries = data.X.data if sp.issparse(data.X) else data.X
    assert np.isfinite(entries).all(), "not finite"
    assert data.X.shape[0] == len(data.tasks) == len(data.row_ids), "rows"


def _of_table(name, content, change=damage.of_bytes, use=read_table):
    def make(folder):
        (folder / name).write_bytes(content())
        return folder / name

    def changed(sound, place, rng):
        place.write_bytes(change(sound.read_bytes(), rng))

    return Format(make, changed, use)


def _packed(raw, rng):
    """Damage a compressed text: its bytes, or the text inside."""
    if rng.random() < 0.5:
        return damage.of_bytes(raw, rng)
    return gzip.compress(damage.of_bytes(gzip.decompress(raw), rng), mtime=0)


def _of_lines(raw, rng):
    """Damage JSON lines: bytes, or values of one line."""
    if rng.random() < 0.5:
        return damage.of_bytes(raw, rng)
    lines = raw.decode().splitlines()
    i = rng.integers(len(lines))
    lines[i] = json.dumps(damage.of_json(json.loads(lines[i]), rng))
    return "\n".join(lines).encode()


def _of_parquet(raw, rng):
    """Damage Parquet: bytes, one bit, or a column's values."""
    action = rng.integers(3)
    if action == 0:
        return damage.of_bytes(raw, rng)
    if action == 1:
        return damage.one_bit(raw, rng)
    frame = table()
    others = (np.nan, np.inf, 1e308, "x", None, b"raw", [1, 2], pd.Timestamp("2024-02-01"), 2**62)
    name = rng.choice(frame.columns)
    values = frame[name].astype(object).to_list()
    value = others[rng.integers(len(others))]
    alone = [value] * len(values)
    values[rng.integers(len(values))] = value
    for column in (values, alone):
        with contextlib.suppress(Exception):  # Parquet has one type in a column
            return _stream(lambda s, c=column: frame.assign(**{name: c}).to_parquet(s))
    return raw


# ----------------------------------------------------------------------------------------- models


def _model(estimator, known=None):
    def make(folder):
        X, tasks = _numbers()
        data = kf.RelatedData("t", tasks, np.arange(len(X)).astype(str), X, NAMES)
        preparation = Preparation(scale="standard")
        rows = preparation.fit_transform(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some methods stop early
            fitted = estimator().fit(rows, known, tasks=tasks)
        name = storage._method_name(fitted)
        storage.save(Model(fitted, name, preparation, {"tasks": "shop"}), folder / "model")
        return folder / "model"

    return Format(make, _change_model, use_model)


FEW = {"n_init": 1, "max_iter": 10, "families": ["kmeans", "mtcfir"]}
"""Parameters that make a fit quick; a method takes those that it has.

A model with the runs of all families is a format of its own, "model, default".
"""


@functools.cache
def of_every_method():
    """Formats of the model folders of all methods, and of the default answer for views."""
    return {
        **{f"model of {name}": _of_method(entry) for name, entry in catalogue.METHODS.items()},
        "model of kinfolk, views": _model(
            lambda: kf.Kinfolk(2, families=["kmeans"], views=VIEWS, random_state=0)
        ),
    }


VIEWS = {"person": [0, 2], "money": [1]}
"""Two views of the columns `NAMES`."""


def _of_method(entry):
    known = entry.cls().get_params(deep=False)
    parameters = {name: value for name, value in FEW.items() if name in known}
    if entry.relation == catalogue.SEVERAL_VIEWS:
        parameters["views"] = VIEWS
    classes = np.where(np.arange(40) < 20, np.arange(40) % 2, -1)
    labels = classes if entry.relation == catalogue.KNOWN_LABELS else None
    return _model(lambda: catalogue.tasks_estimator(entry, 2, 0, **parameters), labels)


def _change_model(sound, place, rng):
    place.mkdir(exist_ok=True)
    header = (sound / storage.HEADER).read_bytes()
    packed = (sound / storage.ARRAYS).read_bytes()
    action = rng.random()
    if action < 0.1:
        header = damage.of_bytes(header, rng)
    elif action < 0.2:
        packed = damage.of_bytes(packed, rng)
    else:  # as an attacker would, with the checksum of what is there
        found = json.loads(header)
        if action < 0.65:
            found = damage.of_json(found, rng)
        if action > 0.5:
            packed = sealed.pack(damage.of_arrays(sealed.unpack(packed), rng))
        if isinstance(found, dict):
            with contextlib.suppress(ValueError):
                found["sha256"] = sealed.checksum(found, [packed])
        header = json.dumps(found).encode()
    (place / storage.HEADER).write_bytes(header)
    (place / storage.ARRAYS).write_bytes(packed)


def use_model(path):
    """Load a model and assign rows, dense and sparse, to each task."""
    model = storage.load(path)
    X, _ = _numbers()
    names = list(model.estimator.task_names_)
    width = model.estimator.n_features_in_
    k = model.estimator.n_clusters_
    rows = np.resize(X - 40, (30, width))
    for t, name in enumerate(names):
        for table in (rows, sp.csr_array(np.abs(rows))):
            found = model.assign_prepared(table, [name] * len(rows))
            assert found.labels.min() >= 0, "label below 0"
            assert found.labels.max() < k[t], "label beyond k"
    if model.preparation is not None and model.preparation.feature_names == NAMES:
        tasks = np.array([str(names[0])] * len(X))
        data = kf.RelatedData("t", tasks, np.arange(len(X)).astype(str), X, NAMES)
        assert np.isfinite(model.prepare(data)).all(), "not finite"
    _ = model.names, model.roles


def _make_preparation(folder):
    path = folder / "plain.csv"
    path.write_text(table().to_csv(index=False), "utf-8")
    data = sources.read(path, tasks="shop").data
    preparation = Preparation()
    preparation.fit_transform(data)
    settings, arrays = preparation.to_state()
    sound = folder / "preparation.json"
    sound.write_text(json.dumps(settings), "utf-8")
    (folder / "preparation.arrays").write_bytes(sealed.pack(arrays))
    return sound


def _change_preparation(sound, place, rng):
    settings = json.loads(sound.read_text("utf-8"))
    arrays = sealed.unpack(sound.with_suffix(".arrays").read_bytes())
    if rng.random() < 0.6:
        settings = damage.of_json(settings, rng)
    else:
        arrays = damage.of_arrays(arrays, rng)
    place.write_text(json.dumps(settings), "utf-8")
    place.with_suffix(".arrays").write_bytes(sealed.pack(arrays))


def use_preparation(path):
    """Restore a preparation, and prepare the rows it was fitted to."""
    settings = json.loads(path.read_text("utf-8"))
    arrays = sealed.unpack(path.with_suffix(".arrays").read_bytes())
    preparation = Preparation.from_state(settings, arrays)
    data = sources.read(path.parent / "sound" / "plain.csv", tasks="shop").data
    assert np.isfinite(preparation.transform(data)).all(), "not finite"


def _make_knowledge(folder):
    names = ("age", "spend")
    known = Knowledge(np.eye(2), [12.0, 30.0], names, "standard", np.ones(2), np.ones(2))
    known.save(folder / "lab.safetensors")
    return folder / "lab.safetensors"


def _change_knowledge(sound, place, rng):
    raw = sound.read_bytes()
    if rng.random() < 0.4:
        place.write_bytes(damage.of_bytes(raw, rng))
        return
    text, _ = sealed.metadata(raw, "knowledge")
    header = json.loads(text)
    arrays = sealed.unpack(raw)
    if rng.random() < 0.5:
        header = damage.of_json(header, rng)
    else:
        arrays = damage.of_arrays(arrays, rng)
    order = ("cluster_centers", "cluster_weights", "center", "spread")
    contents = [
        f"{name}{arrays[name].shape}".encode() + arrays[name].astype("<f8").tobytes()
        for name in order
        if name in arrays
    ]
    if isinstance(header, dict):
        header["sha256"] = sealed.checksum(header, contents)
    place.write_bytes(sealed.pack(arrays, "knowledge", sealed.canonical(header)))


def use_knowledge(path):
    """Load the centers of another site, scale rows, and write all out."""
    known = Knowledge.load(path)
    d = known.cluster_centers.shape[1]
    assert np.isfinite(known.scaled(np.ones((3, d)))).all(), "not finite"
    known.contents()
    known.rounded(3)


# ----------------------------------------------------------------------------------------- stores


def _make_store(folder):
    path = folder / "runs.sqlite"
    with Store(path) as store:
        for seed in range(3):
            spec = RunSpec("blobs", "kmeans", seed=seed, n_clusters={"a": 2}, parameters={"tol": 1})
            key = store.claim(spec, "sum")
            scores = {"nmi": {"a": 0.5, "b": 0.25}, "accuracy": {"a": 1.0, "b": float("nan")}}
            arrays = {"labels": np.arange(20) % 2, "task_relatedness": np.eye(2)}
            ending = {"objective": 2.0, "n_iter": 3, "converged": True, "notes": ("slow",)}
            outcome = Outcome("done", seconds=1.5, scores=scores, arrays=arrays, **ending)
            store.record(key, outcome)
        key = store.claim(RunSpec("blobs", "mtcfir"), "sum")
        store.record(key, Outcome("refused", error="too many"))
    return path


def _change_store(sound, place, rng):
    place.write_bytes(sound.read_bytes())
    damage.of_sqlite(place, rng)


def _make_packed(folder):
    with Store(_make_store(folder)) as store:
        packed_runs.pack(store, folder / "packed")
    return folder / "packed"


def _change_packed(sound, place, rng):
    # Here, as formats of cells are damaged where there is no pyarrow.
    import pyarrow as pa
    from pyarrow import parquet

    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sound, place)
    path = place / rng.choice(sorted(file.name for file in sound.iterdir()))
    path.write_bytes(damage.of_bytes(path.read_bytes(), rng))
    if path.suffix == ".parquet" and rng.random() < 0.7:  # as an attacker would, with its sum
        sane = parquet.read_table(sound / path.name)
        first, *others = sane.to_pylist()
        arrays = first.pop("arrays")
        for array in arrays[: int(rng.integers(2))]:
            array["content"] = damage.of_bytes(array["content"], rng)
        first = {**damage.of_json(first, rng), "arrays": arrays}
        with contextlib.suppress(Exception):  # Parquet has one type in a column
            parquet.write_table(pa.Table.from_pylist([first, *others], sane.schema), path)
        total = hashlib.sha256(path.read_bytes()).hexdigest()
        (place / packed_runs.SUMS).write_text(f"{total}  {path.name}\n")


def use_packed(path):
    """Unpack the runs of a folder into a store, and use all of it."""
    place = path.with_suffix(".sqlite")
    place.unlink(missing_ok=True)
    with Store(place) as store:
        store.add(packed_runs.unpack(path))
    use_store(place)


def use_store(path):
    """Read runs, labels and arrays of a store, and write: runs without outcome are recorded."""
    with Store(path, read_only=True) as store:
        runs = store.runs()
        for run in runs:
            for name in ("labels", "task_relatedness"):
                try:
                    array = store.array(run.key, name)
                    assert array.dtype.kind in "biuf", "type of an array"
                except kf.errors.FileFormatError:
                    raise
                except kf.errors.InputError:  # this run has no such array
                    continue
            if run.outcome.status == "done":
                try:
                    store.labels(run.key)
                except kf.errors.FileFormatError:
                    raise
                except kf.errors.InputError:
                    continue
        store.finished_keys()
    for layout in overview.LAYOUTS.values():
        lines = layout(runs)
        json.dumps(lines)
    with Store(path) as store:
        for run in runs:
            key = store.claim(run.spec, run.checksum)
            if key is not None:
                store.record(key, Outcome("failed", "again"))


# ------------------------------------------------------------------------------ files of a run


def _make_labels(folder):
    X, tasks = _numbers()
    data = kf.RelatedData("t", tasks, np.arange(len(X)).astype(str), X, NAMES)
    labels = np.arange(len(X)) % 2
    text = files.labels_csv(data, labels, labels, np.full(len(X), 0.5), names={0: "young"})
    (folder / "labels.csv").write_text(text, "utf-8")
    return folder / "labels.csv"


def use_labels(path):
    """Rename clusters in a table of labels."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:  # `kinfolk name` says so
        raise kf.errors.InputError("no UTF-8") from None
    files.renamed(text, {0: "old", 1: "new"})


def _change_bytes(sound, place, rng):
    place.write_bytes(damage.of_bytes(sound.read_bytes(), rng))


def quietly(use, path):
    """Use a file without warnings about damaged numbers."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        use(path)


def _spaced(**how):
    return table().to_csv(sep=" ", na_rep="NA", **how).encode()


FORMATS = {
    "csv": _of_table("t.csv", lambda: table().to_csv(index=False).encode()),
    "tsv": _of_table("t.tsv", lambda: table().to_csv(index=False, sep="\t").encode()),
    "txt": _of_table("t.txt", lambda: _spaced(index=False)),
    "dat": _of_table("t.dat", lambda: _spaced(quoting=csv.QUOTE_NONNUMERIC)),
    "csv.gz": _of_table(
        "t.csv.gz", lambda: gzip.compress(table().to_csv(index=False).encode(), mtime=0), _packed
    ),
    "jsonl": _of_table("t.jsonl", _json_lines, _of_lines),
    "dta": _of_table(
        "t.dta", lambda: _stream(lambda s: _labelled().to_stata(s, write_index=False))
    ),
    "xlsx": _of_table(
        "t.xlsx", lambda: _stream(lambda s: table().to_excel(s, index=False)), damage.of_archive
    ),
    "parquet": _of_table(
        "t.parquet", lambda: _stream(lambda s: table().to_parquet(s)), _of_parquet
    ),
    "npz": _of_table("t.npz", _arrays, damage.of_archive),
    "npy": _of_table("t.npy", _one_array),
    "npz, CSR": _of_table("t.npz", _sparse, damage.of_archive),
    "npz, COO": _of_table("t.npz", _coordinates, damage.of_archive),
    "model, k-means": _model(lambda: kf.PerTask(n_clusters=CLUSTERS)),
    "model, MTCFIR": _model(lambda: kf.MTCFIR(CLUSTERS, n_init=1, random_state=0)),
    "model, MTSC": _model(lambda: kf.MTSC(3, n_init=1, random_state=0)),
    "model, default": _model(
        lambda: kf.Kinfolk(CLUSTERS, families=["kmeans", "mec"], random_state=0)
    ),
    "preparation": Format(_make_preparation, _change_preparation, use_preparation),
    "knowledge": Format(_make_knowledge, _change_knowledge, use_knowledge),
    "store": Format(_make_store, _change_store, use_store),
    "packed runs": Format(_make_packed, _change_packed, use_packed),
    "labels.csv": Format(_make_labels, _change_bytes, use_labels),
}
"""Name -> how it is made, damaged and used."""


if importlib.util.find_spec("anndata"):  # it takes an older pandas than the others
    FORMATS["h5ad"] = _of_table("t.h5ad", _cells)
if importlib.util.find_spec("mudata"):
    FORMATS["h5mu"] = _of_table("t.h5mu", _modalities, use=read_views)


def every():
    """Return the formats by name, with the model folder of every method."""
    return {**FORMATS, **of_every_method()}
