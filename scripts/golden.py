"""Prints a hash of everything that a change of structure or of names must leave as it is.

    python scripts/golden.py > before.txt       at the old commit
    python scripts/golden.py | diff before.txt -

Hashed are labels, objective traces and centers of every method of the catalogue on four data sets
with two seeds, the default answer, and what the command line prints and writes. Hashes of floats
depend on the machine and its libraries: compare two runs on one machine, not two machines. All
runs use one thread, because sums in another order end in other digits.

The texts of the command line are hashed twice: whole, and only the numbers in them, which stay
the same when sentences are reworded.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ["TERM"] = "dumb"
os.environ["COLUMNS"] = "100"

import hashlib
import html
import io
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

time.perf_counter = lambda: 0.0  # durations are shown in reports and would differ in every run

import numpy as np
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.cli import main

SEEDS = (0, 1)
FAMILIES = ["kmeans", "symnmf", "graph", "mec", "pooled", "mtcfir", "mtcmrl", "joint-spectral"]
ATTRIBUTES = ("labels_", "objective_trace_", "cluster_centers_", "memberships_")
VERBS = (
    *("run", "demo", "suggest", "assign", "knowledge", "reproduce", "results", "methods"),
    *("datasets", "name", "store"),
)


def digest(*values: Any) -> str:
    """Return the first 16 hex digits of the SHA-256 of arrays, texts and lists of them."""
    found = hashlib.sha256()
    for value in values:
        for part in value if isinstance(value, list | tuple) else [value]:
            if sp.issparse(part):
                part = part.toarray()
            array = np.asarray(part)
            text = array.dtype == object or array.dtype.kind in "US"
            found.update(repr(array.tolist()).encode() if text else array.tobytes())
    return found.hexdigest()[:16]


def data_sets() -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield name, X (n, d), tasks (n,) and classes (n,) of four small data sets."""
    blobs = kf.datasets.make_related_blobs(24, n_features=5, random_state=0)
    yield "blobs", np.abs(blobs.X), blobs.tasks, blobs.target
    digits = kf.datasets.load_digits_two_sources(n_rows=(40, 40))
    yield "digits", digits.X / 16.0, digits.tasks, digits.target
    random = np.random.default_rng(0)
    topics = random.dirichlet(np.full(30, 0.1), size=3)
    classes = np.arange(60) % 3
    counts = np.array([random.multinomial(25, topics[c]) for c in classes]).astype(float)
    yield "counts", sp.csr_array(counts), np.repeat(["a", "b"], 30), classes
    skewed = random.gamma(1.0, size=(50, 6)) + 3.0 * np.eye(6)[np.arange(50) % 3]
    yield "amounts", skewed, np.repeat(["x", "y"], [30, 20]), np.arange(50) % 3


def methods() -> Iterator[str]:
    """Yield a line for each method of the catalogue, data set and seed."""
    for data, X, tasks, classes in data_sets():
        k = len(np.unique(classes))
        for entry in kf.catalogue.METHODS.values():
            for seed in SEEDS:
                yield f"{entry.name} {data} {seed} {fitted(entry, X, tasks, classes, k, seed)}"


def fitted(entry: Any, X: Any, tasks: Any, classes: Any, k: int, seed: int) -> str:
    """Fit one method; return the hash of what it learnt, or the sentence it refused with."""
    parameters: dict[str, Any] = {}
    y = None
    known = entry.cls().get_params(deep=False)
    if "n_init" in known:
        parameters["n_init"] = 2
    if "families" in known:
        parameters["families"] = ["kmeans", "mec", "pooled"]
    if str(entry.relation) == "tasks with labels":
        y = np.where(tasks == tasks[0], np.unique(classes, return_inverse=True)[1], -1)
    if str(entry.relation) == "another site's centers":
        dense = X.toarray() if sp.issparse(X) else X
        other = kf.MEC(k, random_state=0).fit(dense[tasks != tasks[0]])
        parameters["knowledge"] = kf.Knowledge.of(other, minimum_cluster_size=1)
    if str(entry.relation) == "several views":
        parameters["views"] = {"left": slice(0, 3), "right": slice(3, X.shape[1])}
    try:
        model = kf.catalogue.tasks_estimator(entry, k, seed, **parameters)
        model.fit(X, y, tasks=tasks)
        found = [getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)]
        related = getattr(model, "task_relatedness_", np.empty(0))
        return digest(*found, related, model.predict(X, tasks=tasks))
    except ValueError as error:
        return digest(str(error))


def answers() -> Iterator[str]:
    """Yield the default answer on blobs and digits, and suggested numbers of clusters."""
    for name, X, tasks, classes in data_sets():
        if name in ("blobs", "digits"):
            k = len(np.unique(classes))
            model = kf.Kinfolk(k, families=FAMILIES, random_state=0).fit(X, tasks=tasks)
            numbers = re.findall(NUMBER, " ".join(record["meaning"] for record in model.guard_))
            parts = model.labels_, model.own_labels_, model.matched_labels_, model.predict(X, tasks)
            yield f"kinfolk {name} {digest(*parts, model.task_relatedness_, numbers)}"
            found = kf.suggest_clusters(X, tasks, random_state=0)
            yield f"suggest {name} {digest([(s.number, s.low, s.high) for s in found])}"
    name, X, tasks, classes = next(data_sets())
    grid = {"temperature": [0.1, 0.3, 1.0]}
    found = kf.search(kf.MEC(3, random_state=0), grid, X, tasks=tasks, random_state=0)
    yield f"search {digest([str(sorted(record.items())) for record in found.results_])}"


NUMBER = re.compile(r"(?<![\w#.])[-−+]?\d+(?:[.,]\d+)*(?![\w])")


def call(*arguments: str) -> str:
    """Run the command line in this process; return what it printed."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
        main(list(arguments))
    return printed.getvalue()


def visible(page: str) -> str:
    """Return the words of a page without markup and drawings."""
    page = re.sub(r"<(style|svg|script).*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def lines_of(name: str, text: str) -> str:
    """Return a line with the hash of a text and that of the numbers in it, in their order."""
    return f"{name} numbers {digest(NUMBER.findall(text))} text {digest(text)}"


def command_line() -> Iterator[str]:
    """Yield the help of every verb, the demo's labels and page, and two runs on small tables."""
    for verb in VERBS:
        yield f"help {verb} text {digest(call(verb, '--help'))}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        call("demo", "--quiet")
        labels = Path("kinfolk-demo/labels.csv").read_text()
        yield f"demo labels {digest(labels)}"
        yield lines_of("demo report", visible(Path("kinfolk-demo/report.html").read_text()))
        write_table(Path("table.csv"))
        for method in ("mtcfir", "mtcmrl", "kmeans", "mec", "kt-mec"):
            out = ["run", "table.csv", "--tasks", "task", "--target", "kind", "--clusters", "3"]
            out += ["--method", method, "--out", method, "--quiet"]
            if method == "kt-mec":
                site = ["knowledge", "export", "mec/model", "--out", "site", "--task", "task-0"]
                yield lines_of("knowledge", call(*site))
                out += ["--knowledge", "site"]
            printed = call(*out)
            page = Path(method, "report.html")
            yield lines_of(f"run {method} printed", printed)
            yield lines_of(f"run {method} page", visible(page.read_text()) if page.exists() else "")
            yield f"run {method} labels {digest(Path(method, 'labels.csv').read_text())}"
            assigned = call("assign", f"{method}/model", "table.csv")
            yield lines_of(f"assign {method}", assigned)


def write_table(path: Path) -> None:
    """Write a table of 60 rows in two tasks with three classes."""
    data = kf.datasets.make_related_blobs(30, n_features=4, random_state=1)
    rows = [
        f"{task},{kind},{','.join(f'{value:.4f}' for value in row)}"
        for task, kind, row in zip(data.tasks, data.target, data.X, strict=True)
    ]
    path.write_text("\n".join(["task,kind,a,b,c,d", *rows]) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    start = sys.stdout
    for part in (methods, answers, command_line):
        for line in part():
            print(line, file=start, flush=True)
