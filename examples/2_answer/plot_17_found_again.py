"""
Clusters that other data sets find again
========================================

A cluster that one data set has by itself may be chance. If another data set, clustered without
help, has the same cluster, it is more. Counterparts say which clusters are the same, even where
one data set divides what another keeps whole.
"""

# %%
# Five clusters in "fine"; "coarse" lacks one of them.
import numpy as np
import pandas as pd

import kinfolk as kf

random = np.random.default_rng(0)
centers = random.normal(0, 4, (5, 6))
fine = np.repeat(np.arange(5), 40)
coarse = np.repeat(np.arange(4), 40)
X, tasks = kf.stack(
    {
        "fine": centers[fine] + random.normal(0, 1, (200, 6)),
        "coarse": centers[coarse] + random.normal(0, 1, (160, 6)) + 1.5,
    }
)
model = kf.PerTask(kf.MEC(random_state=0), {"fine": 5, "coarse": 4}).fit(X, tasks=tasks)

# %%
# Each cluster and its counterpart in the other data set:
records = pd.DataFrame(model.counterparts_)
records[["task", "cluster", "other_task", "other_clusters", "strength"]].round(2)

# %%
# Is each cluster found again by the other data set, clustered by itself?
again = pd.DataFrame(kf.replicability(X, model.labels_, tasks))
again.iloc[:, :6].round(2)

# %%
kf.MatchedClustersDisplay.from_estimator(model, tasks)
