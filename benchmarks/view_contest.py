"""Compares multi-view methods with other libraries: quality, time and memory.

    python -m benchmarks.view_contest [--python PYTHON] [--repeats 3] [--set NAME]
        [--patience 240] [--data DIR] [--out FILE]

Every method gets the same views, each column with mean 0 and variance 1, texts with rows of unit
length (their counts as they are, or weighted by tf-idf), and runs in a process of its own with one
start per repeat where it takes several. PYTHON has polyview, iMML, mvlearn and snfpy. Times are of
the processor; memory is the most that the process held, less what it held after loading its
library.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks import measuring, other_python
from kinfolk import catalogue, datasets
from kinfolk.measures import external
from kinfolk.numerics import distances, operators
from kinfolk.preparation import words

PATIENCE = 240
"""Seconds after which a method is stopped on one set, with all its repeats."""
OURS = (
    *("coregularized-spectral", "cotrained-spectral", "nemo", "snf", "joined-kmeans", "cofkm"),
    *("multinmf", "plcmf", "mv-co-vh", "comvcf", "comsc", "comvsc"),
)
SETS = {
    "mfeat, 2 views": ("mfeat", ("fou", "pix")),
    "mfeat, 6 views": ("mfeat", None),
    "handwritten-rnsp": ("handwritten-rnsp", None),
    "3sources": ("3sources", None),
    "3sources, tf-idf": ("3sources", None),
}
"""Name -> a data set and its views; None: all of them. Counts are weighted if the name says so."""
HEADING = ("method", "set", "repeats", "accuracy", "NMI", "ARI", "s", "MB")


def polyview_kmeans(views, k, seed):
    """Weighted multi-view k-means."""
    from polyview.cluster import MultiViewKMeans

    return MultiViewKMeans(k, n_init=1, random_state=seed).fit_predict(views)


def polyview_spectral(views, k, seed):
    """Co-regularised spectral clustering."""
    from polyview.cluster import MultiViewCoRegSpectralClustering

    return MultiViewCoRegSpectralClustering(k, n_init=1, random_state=seed).fit_predict(views)


def imml_named(name):
    """Make a function that runs a method of iMML by name."""

    def fit(views, k, seed):
        import imml.cluster

        return getattr(imml.cluster, name)(k, random_state=seed).fit_predict(views)

    return fit


def mvlearn_spectral(views, k, seed):
    """Co-trained spectral clustering."""
    from mvlearn.cluster import MultiviewSpectralClustering

    model = MultiviewSpectralClustering(
        k, n_init=1, random_state=seed, affinity="nearest_neighbors"
    )
    return model.fit_predict(views)


def snf_spectral(views, k, seed):
    """Similarity network fusion, then spectral clustering."""
    import snf
    from sklearn.cluster import spectral_clustering

    fused = snf.snf(snf.make_affinity(views, metric="sqeuclidean", K=20, mu=0.5), K=20)
    return spectral_clustering(fused, n_clusters=k, random_state=seed)


PEERS = {
    "polyview MultiViewKMeans": polyview_kmeans,
    "polyview co-regularised spectral": polyview_spectral,
    **{f"iMML {name}": imml_named(name) for name in ("PIMVC", "NEMO", "EEIMVC", "SIMCADC")},
    "mvlearn co-trained spectral": mvlearn_spectral,
    "snfpy SNF": snf_spectral,
}


def ours(name):
    """Make a function that runs a method of the catalogue by name, with one start."""

    def fit(views, k, seed):
        from kinfolk.tables import join

        X, named = join({str(i): view for i, view in enumerate(views)})
        model = catalogue.method(name).make(n_clusters=k, views=named, n_init=1, random_state=seed)
        return model.fit(X).labels_

    return fit


def default_answer(views, k, seed):
    """The answer that the library gives when no method is named."""
    import kinfolk
    from kinfolk.tables import join

    X, named = join({str(i): view for i, view in enumerate(views)})
    return kinfolk.Kinfolk(k, views=named, random_state=seed).fit(X).labels_


ALL = {"kinfolk": default_answer, **{name: ours(name) for name in OURS}, **PEERS}


def prepared(X):
    """Scale a view's rows to unit length if sparse, else standardise its columns."""
    if hasattr(X, "tocsr"):
        return operators.dense(distances.unit_rows(X))
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def loaded(title, data):
    """Load the views and classes of a data set."""
    name, wanted = SETS[title]
    found = datasets.load(name, data=data)
    tables = [found.X[:, own] for v, own in found.views.items() if not wanted or v in wanted]
    if title.endswith("tf-idf"):
        counts = [sp.csr_array(X) for X in tables]
        tables = [words.weighted(X, words.inverse_document_frequency(X)) for X in counts]
    return [prepared(X) for X in tables], found.target


def row(name, title, y, job, python, patience):
    """Table line of one method on one data set."""
    place = python if name in PEERS else sys.executable
    # One thread each: on a machine with other work, threads that wait for each other spin.
    environment = {name: "1" if name.endswith("_NUM_THREADS") else value
                   for name, value in measuring.environment().items()}  # fmt: skip
    found = other_python.ask("benchmarks.view_contest", name, job, place, patience, environment)
    scores = [
        [external.accuracy(y, labels) for labels in found["labels"]],
        [normalized_mutual_info_score(y, labels) for labels in found["labels"]],
        [adjusted_rand_score(y, labels) for labels in found["labels"]],
    ]
    means = [f"{np.mean(own):.3f}" for own in scores]
    times = [f"{np.mean(found['seconds']):.2f}", f"{found['megabytes']:.0f}"]
    return (name, title, str(len(found["labels"])), *means, *times)


def table(data, python, repeats, sets=SETS, patience=PATIENCE):
    """Table lines, and a sentence about each method without one."""
    rows, notes = [HEADING], []
    with tempfile.TemporaryDirectory() as folder:
        for title in sets:
            views, y = loaded(title, data)
            path = Path(folder) / "views.npz"
            np.savez(path, **{str(i): view for i, view in enumerate(views)})
            job = {"path": str(path), "k": len(set(y)), "seeds": list(range(repeats))}
            for name in ALL:
                try:
                    rows.append(row(name, title, np.asarray(y), job, python, patience))
                except other_python.AbsentError as absent:
                    notes.append(f"{title}: {absent}")
                print(*(rows[-1] if rows[-1][:2] == (name, title) else notes[-1:]), flush=True)
    return rows, notes


def _run(name, job):
    with np.load(job["path"]) as kept:
        views = [kept[str(i)] for i in range(len(kept.files))]
    ALL[name]([view[:60] for view in views], 2, 0)  # loads the library
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    labels, seconds = [], []
    for seed in job["seeds"]:
        start = time.process_time()
        labels.append(np.asarray(ALL[name](views, job["k"], seed)).astype(int).tolist())
        seconds.append(time.process_time() - start)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"labels": labels, "seconds": seconds, "megabytes": held / 1024}


def main():
    """Write the table as Markdown."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--patience", type=int, default=PATIENCE, help="seconds for a method")
    options.add_argument("--data")
    options.add_argument("--out", type=Path)
    options.add_argument("--set", action="append", choices=list(SETS))
    given = options.parse_args()
    rows, notes = table(given.data, given.python, given.repeats, given.set or SETS, given.patience)
    lines = ["| " + " | ".join(line) + " |" for line in rows]
    lines.insert(1, "| --- " * len(HEADING) + "|")
    text = "\n".join([*lines, "", *notes, ""])
    if given.out:
        given.out.write_text(text, "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    if sys.stdin.isatty() or len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        main()
    else:
        other_python.serve(_run)
