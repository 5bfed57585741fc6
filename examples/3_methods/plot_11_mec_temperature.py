r"""
MEC: how soft should clusters be?
=================================

Maximum-entropy clustering is k-means with a temperature. Cold, every row belongs to one cluster.
Warm, rows between clusters belong to both. Too warm, all centers meet in the mean.

Over memberships :math:`u_{ik}` that sum to 1 in each row, and centers :math:`v_k`, it minimizes

.. math:: \sum_{ik} u_{ik} |x_i - v_k|^2 + \gamma \sum_{ik} u_{ik} \log u_{ik}
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf

random = np.random.default_rng(0)
X = np.concatenate([random.normal(0, 1, 60), random.normal(4, 1, 60)])[:, None]

# %%
# The membership in the right cluster, along the axis; the dotted lines are the two true means.
grid = np.linspace(-3, 7, 200)[:, None]
for temperature in [0.1, 2.0, 8.0]:
    model = kf.MEC(2, temperature=temperature, random_state=0).fit(X)
    right = int(np.argmax(model.cluster_centers_))
    plt.plot(grid, model.predict_memberships(grid)[:, right], label=f"temperature {temperature:g}")
for center in (0, 4):
    plt.axvline(center, color="grey", ls=":")
plt.plot(X, np.full(len(X), -0.03), "|", color="black", alpha=0.3)
plt.ylabel("membership in the right cluster")
plt.legend()

# %%
# Centers by temperature. Above twice the variance of all rows they are one.
temperatures = np.geomspace(0.5, 40, 20)
centers = [
    np.sort(kf.MEC(2, temperature=t, max_iter=3000, random_state=0).fit(X).cluster_centers_.ravel())
    for t in temperatures
]
plt.figure()
plt.semilogx(temperatures, centers, color="tab:blue")
plt.axvline(2 * X.var(), color="grey", ls=":", label="twice the variance")
plt.xlabel("temperature, in squared units of X")
plt.ylabel("centers")
plt.legend()

# %%
# ``temperature="auto"`` takes twice the variance inside the clusters:
kf.MEC(2, random_state=0).fit(X).temperature_
