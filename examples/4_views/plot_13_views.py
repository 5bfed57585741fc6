"""
Views: several sets of columns for the same rows
================================================

The same objects are described twice: one view separates some clusters, the other view others.
CoMVCF clusters in both and in a latent space that they share, and weighs the views. ``kf.Kinfolk``
with ``views=`` chooses among methods without labels.
"""

# %%
# The first view cannot tell clusters 0 and 1 apart, the second not 1 and 2.
import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf

random = np.random.default_rng(0)
truth = np.repeat([0, 1, 2], 40)
first = np.array([[8.0, 1.0], [8.0, 1.0], [1.0, 8.0]])[truth] + random.normal(0, 1.0, (120, 2))
second = np.array([[8.0, 1.0], [1.0, 8.0], [1.0, 8.0]])[truth] + random.normal(0, 1.0, (120, 2))
X, views = kf.join({"first": first, "second": second})

# %%
model = kf.CoMVCF(3, views=views, random_state=0).fit(X)
results = {
    "first view": kf.ConceptFactorization(3, random_state=0).fit(first),
    "second view": kf.ConceptFactorization(3, random_state=0).fit(second),
    "both": model,
    "kf.Kinfolk": kf.Kinfolk(3, views=views, random_state=0).fit(X),
}
for name, fitted in results.items():
    print(f"{name:12s} accuracy {kf.measures.accuracy(truth, fitted.labels_):.2f}")

# %%
# The views complement each other and hardly agree. What ``kf.Kinfolk`` says of each:
for record in results["kf.Kinfolk"].view_guard_:
    print(f"{record['view']}: {record['meaning']}")

# %%
# The weights of the views:
dict(zip(model.view_names_, model.view_weights_.round(2), strict=True))

# %%
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2))
for ax, (name, view) in zip(axes, {"first": first, "second": second}.items(), strict=True):
    ax.scatter(*view.T, c=model.labels_, cmap="viridis", s=12)
    ax.set_title(f"{name} view")
figure.tight_layout()
