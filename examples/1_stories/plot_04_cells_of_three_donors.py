"""
Cells of three donors: did integration help?
============================================

Donors have the same kinds of cells, but every donor's measurements are shifted in a way of their
own, and one donor lacks a kind. Tools of the field correct the shift for all donors. Kinfolk
clusters each donor with the help of the others, and says donor by donor what that changed.
"""

# %%
# Made counts of 60 genes: a program of genes for each kind of cell, another efficiency for each
# gene and donor.
import numpy as np

import kinfolk as kf

random = np.random.default_rng(1)
programs = 2 * random.lognormal(0, 0.45, (4, 60))
kinds_of_donor = {"donor A": [0, 1, 2, 3], "donor B": [0, 1, 2, 3], "donor C": [0, 1, 2]}
counts, donors, truth = [], [], []
for donor, kinds in kinds_of_donor.items():
    efficiency = random.lognormal(0, 0.5, 60)
    for kind in kinds:
        counts.append(random.poisson(programs[kind] * efficiency, (30, 60)))
        donors += [donor] * 30
        truth += [f"kind {kind}"] * 30
counts = np.vstack(counts).astype(float)

# %%
# As the field does it: the same depth for each cell, logarithms.
X = np.log1p(10 * counts / counts.sum(axis=1, keepdims=True) * 60)
n_clusters = {donor: len(kinds) for donor, kinds in kinds_of_donor.items()}
model = kf.Kinfolk(n_clusters, random_state=0).fit(X, tasks=donors)
for record in model.guard_:
    print(f"{record['task']}: {record['meaning']}")

# %%
# No donor needs the others here: each keeps the clusters that it has by itself, and what is gained
# is one number for one kind of cell. Beside the truth, which nothing above has seen, and beside
# k-means on all cells, which loses the kinds:
pooled = kf.Pooled(n_clusters=4).fit(X, tasks=donors)
for name, labels in {"Kinfolk": model.matched_labels_, "pooled": pooled.labels_}.items():
    print(f"{name:8s} NMI {kf.measures.nmi(truth, labels):.2f}")

# %%
# How alike donors are divided by what each has by itself: 1 is the same, 0 chance.
kf.RelatednessDisplay.from_estimator(model)

# %%
# All cells in one plane, less the mean of their donor.
kf.RowsDisplay.from_estimator(model, X, donors)

# %%
# Which genes set the kinds apart? With an AnnData, ``kf.anndata.cluster(adata, batch_key="donor")``
# does all of it and writes the answers into ``adata.obs``.
kf.ProfilesDisplay.from_estimator(model, columns=10)
