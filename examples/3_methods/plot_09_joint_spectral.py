r"""
JointSpectral: one graph of the rows of all tasks
=================================================

Clusters that are curved have no centers. A graph of nearest rows finds them, and links to rows of
other tasks tell which clusters belong together.

With links :math:`N_{ij}` from each row to its nearest rows, of weight 1 within a task and
:math:`w` across, rows are placed by the leading eigenvectors of

.. math:: D^{-1/2} W D^{-1/2}, \quad W = \frac{1}{2} (N + N^\top), \quad D = \mathrm{diag}(W 1)
"""

# %%
# Directions along two arcs, the same in both tasks; the second task has few rows.
import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf

random = np.random.default_rng(0)


def arcs(n):
    """Rows on two arcs of the sphere, with noise."""
    arc = np.arange(n) % 2
    turn = random.uniform(0, np.pi, n)
    x = np.where(arc, 1 - np.cos(turn), np.cos(turn))
    y = np.where(arc, 0.5 - np.sin(turn), np.sin(turn))
    rows = np.column_stack([x, y, np.full(n, 2.0)]) + random.normal(0, 0.06, (n, 3))
    return rows, arc


large, truth_of_large = arcs(160)
small, truth_of_small = arcs(36)
X, tasks = kf.stack({"large": large, "small": small})
truth = np.concatenate([truth_of_large, truth_of_small])

# %%
models = {
    "k-means alone": kf.PerTask(n_clusters=2),
    "JointSpectral": kf.JointSpectral(2, neighbors=0.15, random_state=0),
}
figure, axes = plt.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True)
for line, (name, model) in zip(axes, models.items(), strict=True):
    labels = model.fit(X, tasks=tasks).labels_
    for ax, task in zip(line, ["large", "small"], strict=True):
        rows = tasks == task
        score = kf.measures.accuracy(truth[rows], labels[rows])
        ax.scatter(*X[rows, :2].T, c=labels[rows], cmap="coolwarm", s=10)
        ax.set_title(f"{name}, {task}: {score:.2f}")
figure.tight_layout()
