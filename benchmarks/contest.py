"""Kinfolk and its peers on mfeat: time, and how well the digits are found."""

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks import measuring, other_python, peers
from benchmarks.sources import MFEAT, TWO_VIEWS, digits
from kinfolk.errors import MissingDataError
from kinfolk.measures import external

HEADING = ["mfeat, means over seeds", "seeds", "s", "accuracy", "from", "to", "NMI", "ARI"]
SEEDS = [0, 1, 2]


def table(folder, data, python, quick):
    """Rows of the table, and a sentence for each peer that could not be run."""
    rows, notes = [HEADING], []
    entries = [("2 views", TWO_VIEWS, peers.MULTIVIEW)]
    if not quick:
        entries += [("6 views", MFEAT, peers.MULTIVIEW)]
    entries += [("2 views as one", TWO_VIEWS, peers.SOFT)]
    for title, names, rivals in entries:
        try:
            X, y = digits(data, tuple(names))
        except MissingDataError as error:
            return rows, [f"Peers: left out. {error}"]
        path = folder / "peers.npz"
        measuring.save(path, X, y)
        widths, seeds = [MFEAT[name] for name in names], SEEDS[: 1 if quick else None]
        for name in rivals:
            try:
                found = peers.run(name, python, measuring.environment(), path, widths, 10, seeds)
            except other_python.AbsentError as absent:
                notes.append(f"{title}: {absent}")
                continue
            rows.append([f"{name}, {title}", str(len(seeds)), *_entries(y, *found)])
    return rows, notes


def _entries(y, labels, seconds):
    accuracy = [external.accuracy(y, found) for found in labels]
    nmi = np.mean([normalized_mutual_info_score(y, found) for found in labels])
    ari = np.mean([adjusted_rand_score(y, found) for found in labels])
    spread = [f"{x:.3f}" for x in (np.mean(accuracy), min(accuracy), max(accuracy))]
    return [f"{np.mean(seconds):.2f}", *spread, f"{nmi:.3f}", f"{ari:.3f}"]
