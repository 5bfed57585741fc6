"""
Large tables: a sample, and how certain it is
=============================================

Above 16,000 rows the methods see samples of each data set, and the other rows are placed by their
nearest sampled rows. A second sample shows how many rows another one would move.
"""

# %%
# 4000 rows are enough to show it, with samples of 150 rows from each of four data sets.
import matplotlib.pyplot as plt

import kinfolk as kf

data = kf.datasets.make_related_blobs(
    1000, n_features=6, n_tasks=4, shared=3, separation=1.1, random_state=0
)
model = kf.Kinfolk(3, rows=150, families=["kmeans", "mec"], random_state=0)
model.fit(data.X, tasks=data.tasks)
print(model.sampling_["meaning"])

# %%
# Rows that the second sample places elsewhere lie between clusters.
points = kf.RowsDisplay.from_estimator(model, data.X, data.tasks).points
plt.figure()
plt.scatter(*points[model.sure_].T, s=3, color="lightgrey", label="sure")
plt.scatter(*points[~model.sure_].T, s=10, color="tab:red", label="not sure")
plt.legend()
