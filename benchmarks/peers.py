"""Other libraries on the same rows: quality and time, each with its defaults and `n_init` starts.

`python -m benchmarks.peers NAME` is how this module runs one of them in a process of its own, by
whatever Python has it: it reads paths and numbers from its input and writes labels and seconds.
The libraries are called and nothing else: polyview is under the GPL 3, iMML under BSD 3-Clause,
fuzzy-c-means under MIT. That one asks for NumPy below 2 and is installed apart from Kinfolk.
"""

import sys
import time

import numpy as np

from benchmarks import other_python

PATIENCE = 180
"""Seconds after which a peer is stopped, with all its seeds."""
N_INIT = 4
"""Starts of each that takes several, ours by default."""


def polyview_kmeans(views, k, seed):
    """Weighted multi-view k-means."""
    from polyview.cluster import MultiViewKMeans

    return MultiViewKMeans(k, n_init=N_INIT, random_state=seed).fit_predict(views)


def polyview_spectral(views, k, seed):
    """Co-regularized spectral clustering."""
    from polyview.cluster import MultiViewCoRegSpectralClustering

    model = MultiViewCoRegSpectralClustering(k, n_init=N_INIT, random_state=seed)
    return model.fit_predict(views)


def imml_pimvc(views, k, seed):
    """Projective incomplete multi-view clustering; it has one start."""
    from imml.cluster import PIMVC

    return PIMVC(k, random_state=seed).fit_predict(views)


def imml_nemo(views, k, seed):
    """Neighborhood-based multi-omics clustering; it has one start."""
    from imml.cluster import NEMO

    return NEMO(k, random_state=seed).fit_predict(views)


def imml_eeimvc(views, k, seed):
    """Efficient and effective incomplete multi-view clustering; it has one start."""
    from imml.cluster import EEIMVC

    return EEIMVC(k, random_state=seed).fit_predict(views)


def kinfolk_comvcf(views, k, seed):
    """Co-MVCF."""
    from kinfolk.methods.multiview.concept_collaboration import CoMVCF
    from kinfolk.tables import join

    X, named = join({str(i): view for i, view in enumerate(views)})
    return CoMVCF(k, named, n_init=N_INIT, random_state=seed).fit(X).labels_


def kinfolk_mec(views, k, seed):
    """MEC on all columns."""
    from kinfolk.methods.single.entropy import MEC

    return MEC(k, n_init=N_INIT, random_state=seed).fit(np.hstack(views)).labels_


def fuzzy_c_means(views, k, seed):
    """Fuzzy c-means on all columns."""
    from fcmeans import FCM

    model = FCM(n_clusters=k, n_init=N_INIT, random_state=seed)
    X = np.hstack(views)
    model.fit(X)
    return model.predict(X)


MULTIVIEW = {
    "Co-MVCF": kinfolk_comvcf,
    "polyview MultiViewKMeans": polyview_kmeans,
    "polyview co-regularized spectral": polyview_spectral,
    "iMML PIMVC (one start)": imml_pimvc,
    "iMML NEMO (one start)": imml_nemo,
    "iMML EEIMVC (one start)": imml_eeimvc,
}
SOFT = {"MEC": kinfolk_mec, "fuzzy-c-means FCM": fuzzy_c_means}
ALL = MULTIVIEW | SOFT
OURS = ("Co-MVCF", "MEC")


def run(name, python, environment, path, widths, k, seeds):
    """Labels (seeds, n) and seconds of each seed, by the Python that has the peer.

    Raises
    ------
    AbsentError : it is not installed there, fails, or takes longer than `PATIENCE`
    """
    job = {"path": str(path), "widths": widths, "k": k, "seeds": seeds}
    place = sys.executable if name in OURS else python
    found = other_python.ask("benchmarks.peers", name, job, place, PATIENCE, environment)
    return np.array(found["labels"]), found["seconds"]


def _run(name, job):
    with np.load(job["path"]) as kept:
        X = kept["dense"]
    views = np.split(X, np.cumsum(job["widths"])[:-1], axis=1)
    labels, seconds = [], []
    ALL[name]([view[:200] for view in views], job["k"], 0)  # loads the library
    for seed in job["seeds"]:
        start = time.perf_counter()
        labels.append(np.asarray(ALL[name](views, job["k"], seed)).astype(int).tolist())
        seconds.append(time.perf_counter() - start)
    return {"labels": labels, "seconds": seconds}


if __name__ == "__main__":
    other_python.serve(_run)
