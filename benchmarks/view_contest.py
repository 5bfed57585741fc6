"""Compares multi-view methods with other libraries: quality, time and memory.

    python -m benchmarks.view_contest [--python PYTHON] [--repeats 10] [--seconds 40]
        [--patience 240] [--set NAME] [--method NAME] [--data DIR] [--out FILE]

Every method gets the same views, each column with mean 0 and variance 1, texts with rows of unit
length (their counts as they are, or weighted by tf-idf), and runs in a process of its own with one
start per repeat, each with another seed, where it takes several. A repeat that would end after
SECONDS is not begun, so that dear methods have fewer. Figures are mean and standard deviation over
the repeats. PYTHON has polyview, iMML, mvlearn and snfpy, and Kinfolk. Times are of the processor;
memory is the most that the process held, less what it held after loading its library.
"""

import argparse
import resource
import signal
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
"""Seconds of processor time after which a method is stopped on one set, with all its repeats."""
STALLED = 5
"""Multiple of PATIENCE, in seconds of the clock, after which it is stopped in any case."""
SECONDS = 40
"""Seconds that the repeats of a method on one set may take together; one is always made."""
OURS = (
    *("coregularized-spectral", "cotrained-spectral", "nemo", "snf", "joined-kmeans", "cofkm"),
    *("multinmf", "plcmf", "mv-co-vh", "comvcf", "comsc", "comvsc"),
)
SETS = {
    "handwritten-rnsp": ("handwritten-rnsp", None),  # two views of mfeat
    "mfeat, 6 views": ("mfeat", None),
    "3sources": ("3sources", None),
    "3sources, tf-idf": ("3sources", None),
}
"""Name -> a data set and its views; None: all of them. Counts are weighted if the name says so."""
HEADING = ("method", "set", "repeats", "accuracy", "NMI", "ARI", "s", "MB")
MEASURES = (external.accuracy, normalized_mutual_info_score, adjusted_rand_score)
"""Scores of the table, in the order of its columns."""


def polyview_kmeans(views, k, seed):
    """Weighted multi-view k-means."""
    from polyview.cluster import MultiViewKMeans

    return MultiViewKMeans(k, n_init=1, random_state=seed).fit_predict(views)


def polyview_spectral(views, k, seed):
    """Co-regularized spectral clustering."""
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
    "polyview co-regularized spectral": polyview_spectral,
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
    """Scale a view's rows to unit length if sparse, else standardize its columns."""
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


def spread(values):
    """Mean and standard deviation, the latter where there are several values.

    >>> spread([0.5, 0.7]), spread([0.5])
    ('0.600 ± 0.100', '0.500')
    """
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}"


def row(name, title, y, job, python):
    """Table line of one method on one data set."""
    place = python if name in PEERS else sys.executable
    # One thread each: on a machine with other work, threads that wait for each other spin.
    environment = {name: "1" if name.endswith("_NUM_THREADS") else value
                   for name, value in measuring.environment().items()}  # fmt: skip
    clock = STALLED * job["patience"]
    found = other_python.ask("benchmarks.view_contest", name, job, place, clock, environment)
    if not found["labels"]:
        raise other_python.AbsentError(f"{name} was stopped after {job['patience']} s")
    scores = [spread([score(y, labels) for labels in found["labels"]]) for score in MEASURES]
    seconds = f"{np.mean(found['seconds']):.2f}"
    return (name, title, str(len(found["labels"])), *scores, seconds, f"{found['megabytes']:.0f}")


def table(data, python, limits, sets=SETS, methods=None):
    """Table lines, and a sentence about each method without one.

    Parameters
    ----------
    limits : "seeds" of the repeats, "seconds" that they may take together, and "patience"
    """
    rows, notes = [HEADING], []
    with tempfile.TemporaryDirectory() as folder:
        for title in sets:
            views, y = loaded(title, data)
            path = Path(folder) / "views.npz"
            np.savez(path, **{str(i): view for i, view in enumerate(views)})
            job = {"path": str(path), "k": len(set(y)), **limits}
            for name in methods or ALL:
                try:
                    rows.append(row(name, title, np.asarray(y), job, python))
                except other_python.AbsentError as absent:
                    notes.append(f"{title}: {absent}")
                print(*(rows[-1] if rows[-1][:2] == (name, title) else notes[-1:]), flush=True)
    return rows, notes


class OvertimeError(Exception):
    """A fit has used up its processor time."""


def limited(fit, patience):
    """Return fit(), or None if it takes more than `patience` seconds of the processor."""

    def stop(*_):
        raise OvertimeError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, patience)
    try:
        return fit()
    except OvertimeError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _run(name, job):
    with np.load(job["path"]) as kept:
        views = [kept[str(i)] for i in range(len(kept.files))]
    ALL[name]([view[:60] for view in views], 2, 0)  # loads the library
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    labels, seconds = [], []
    for seed in job["seeds"]:
        if labels and sum(seconds) + max(seconds) >= job["seconds"]:
            break
        start = time.process_time()
        found = limited(lambda seed=seed: ALL[name](views, job["k"], seed), job["patience"])
        if found is None:
            break
        labels.append(np.asarray(found).astype(int).tolist())
        seconds.append(time.process_time() - start)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"labels": labels, "seconds": seconds, "megabytes": held / 1024}


def main():
    """Write the table as Markdown."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--repeats", type=int, default=10)
    options.add_argument("--seconds", type=float, default=SECONDS, help="for all repeats together")
    options.add_argument("--patience", type=int, default=PATIENCE, help="seconds for one repeat")
    options.add_argument("--method", action="append", choices=list(ALL))
    options.add_argument("--data")
    options.add_argument("--out", type=Path)
    options.add_argument("--set", action="append", choices=list(SETS))
    given = options.parse_args()
    seeds = list(range(given.repeats))
    limits = {"seeds": seeds, "seconds": given.seconds, "patience": given.patience}
    rows, notes = table(given.data, given.python, limits, given.set or SETS, given.method)
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
