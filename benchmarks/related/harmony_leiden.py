"""Leiden communities of rows after Harmony's batch correction by task.

`python -m benchmarks.related.harmony_leiden NAME` runs in a process of its own, by whatever Python
has harmonypy (GPL 3), python-igraph (GPL 2) and leidenalg (GPL 3), which are called and nothing
else. It reads rows, tasks and a number of clusters from its input and writes labels.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

from benchmarks import other_python

NEIGHBORS = 15


def _from_input(name, job):
    """Labels by Leiden on Harmony-corrected rows."""
    import harmonypy
    import igraph
    import leidenalg
    import pandas

    Y = np.array(job["rows"])
    meta = pandas.DataFrame({"task": [f"t{code}" for code in job["codes"]]})
    made = harmonypy.run_harmony(Y, meta, ["task"], random_state=job["seed"], verbose=False)
    Z = np.asarray(made.Z_corr)
    Z = Z if len(Z) == len(Y) else Z.T
    A = sp.coo_array(kneighbors_graph(Z, min(NEIGHBORS, len(Z) - 1)))
    graph = igraph.Graph(n=len(Z), edges=list(zip(A.row.tolist(), A.col.tolist(), strict=True)))
    graph.simplify()

    def communities(resolution):
        kind = leidenalg.RBConfigurationVertexPartition
        found = leidenalg.find_partition(
            graph, kind, resolution_parameter=resolution, seed=job["seed"]
        )
        return np.array(found.membership)

    return of_number(communities, job["k"]).tolist()


def of_number(communities, k):
    """Communities at the resolution, by bisection, that gives k of them or nearly."""
    low, high = np.log(0.01), np.log(20.0)
    best = None
    for _ in range(20):
        middle = (low + high) / 2
        labels = communities(float(np.exp(middle)))
        number = labels.max() + 1
        if best is None or abs(number - k) < abs(best.max() + 1 - k):
            best = labels
        if number == k:
            break
        low, high = (middle, high) if number < k else (low, middle)
    return best


if __name__ == "__main__":
    other_python.serve(_from_input)
