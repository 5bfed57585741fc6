"""
Your own clusterer among the others
===================================

Anything with ``fit`` and ``labels_`` can be compared: each data set alone by ``kf.PerTask``, all
rows as one by ``kf.Pooled``. Pictures and measures are the same as for every method.
"""

# %%
# Single linkage of scikit-learn, and a method of five lines.
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering

import kinfolk as kf


class FarthestPoints(ClusterMixin, BaseEstimator):
    """Rows go to the nearest of k rows that lie farthest from each other."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        chosen = [int(np.argmax(np.linalg.norm(X - X.mean(axis=0), axis=1)))]
        while len(chosen) < self.n_clusters:
            far = np.linalg.norm(X[:, None] - X[chosen], axis=2).min(axis=1)
            chosen.append(int(far.argmax()))
        self.labels_ = np.linalg.norm(X[:, None] - X[chosen], axis=2).argmin(axis=1)
        return self


# %%
data = kf.datasets.make_related_blobs(50, n_features=4, n_tasks=3, shared=3, random_state=2)
for clusterer in [FarthestPoints(), AgglomerativeClustering(), kf.MEC(random_state=0)]:
    model = kf.PerTask(clusterer, n_clusters=3).fit(data.X, tasks=data.tasks)
    scores = kf.measures.per_task(kf.measures.accuracy, data.tasks, data.target, model.labels_)
    mean = np.mean(list(scores.values()))
    print(f"{type(clusterer).__name__:24s} mean accuracy {mean:.2f}")

# %%
# Its clusters are matched across data sets like all others:
model = kf.PerTask(FarthestPoints(), n_clusters=3).fit(data.X, tasks=data.tasks)
kf.MatchedClustersDisplay.from_estimator(model, data.tasks)

# %%
# To put a method beside the rows of a paper's table: ``kinfolk reproduce --method
# my_module:FarthestPoints mtcfir-table-2`` (:doc:`how </your-method>`). To add one to the library:
# :doc:`eight steps </contributing>`.
