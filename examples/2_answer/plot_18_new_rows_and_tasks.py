"""
New rows, new data sets, and a model to send
============================================

A model assigns new rows of a data set that it knows. A data set that it does not know is clustered
by itself, and its clusters are matched with the known ones. A stored model cannot run code.
"""

# %%
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf

data = kf.datasets.make_related_blobs(60, n_features=5, n_tasks=3, shared=3, random_state=0)
known = data.tasks != "task-2"
model = kf.PerTask(kf.MEC(random_state=0), 3).fit(data.X[known], tasks=data.tasks[known])

# %%
# New rows of a known data set:
model.predict(data.X[:4], tasks="task-0")

# %%
# A new data set; the numbers on the right are those of the kinds that the model knows.
added = model.add_task(data.X[~known], "task-2")
for cluster, kind in sorted(set(zip(added.labels, added.matched_labels, strict=True))):
    print(f"cluster {cluster} of task-2 is kind {kind}")

# %%
# The same kind has the same color in all three, in the plane of two columns.
kinds = np.concatenate([model.matched_labels_, added.matched_labels])
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharex=True, sharey=True)
for ax, task in zip(axes, ["task-0", "task-1", "task-2"], strict=True):
    rows = data.tasks == task
    ax.scatter(*data.X[rows, :2].T, c=kinds[rows], s=9, vmin=0, vmax=9, cmap="tab10")
    ax.set(title=task, xlabel="column 0")
figure.tight_layout()

# %%
# Stored and read again; the model now knows all three.
with tempfile.TemporaryDirectory() as folder:
    kf.save(model, f"{folder}/model")
    again = kf.load(f"{folder}/model").estimator
print([str(name) for name in again.task_names_])
np.array_equal(again.predict(data.X[~known], tasks="task-2"), added.labels)
