r"""
Small tasks with the same centers: MBC, LSSMTC and pooling
==========================================================

When each data set has a dozen rows, its own centers are uncertain. If the clusters lie at the same
places in all data sets, centers may draw each other (MBC) or be shared in a subspace (LSSMTC). If
data sets are shifted, the same help harms. One picture shows both.

LSSMTC clusters each task around centers :math:`V_t` of its own, and all rows around shared centers
:math:`F` in a subspace :math:`W`:

.. math:: \min \; \lambda \sum_t |X_t - Y_t V_t|_F^2 + (1 - \lambda) |X W - Y F|_F^2
"""

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np

import kinfolk as kf
from kinfolk.errors import EmptyClusterWarning, SharingWarning

# Both methods warn where the tasks do not fit together; here that is the subject.
for category in (EmptyClusterWarning, SharingWarning):
    warnings.simplefilter("ignore", category)


def accuracy(model, data):
    """Mean accuracy over the tasks."""
    labels = model.fit(data.X, tasks=data.tasks).labels_
    scores = kf.measures.per_task(kf.measures.accuracy, data.tasks, data.target, labels)
    return np.mean(list(scores.values()))


methods = {
    "alone": lambda: kf.PerTask(n_clusters=3),
    "MBC": lambda: kf.MBC(3, random_state=0),
    "LSSMTC": lambda: kf.LSSMTC(3, n_init=2, random_state=0),
    "pooled": lambda: kf.Pooled(n_clusters=3),
}
shifts = [0.0, 1.0, 2.0, 4.0, 8.0]
curves = {name: [] for name in methods}
for shift in shifts:
    draws = [
        kf.datasets.make_related_blobs(
            12, 6, 3, 4, shift=shift, shared=3, separation=1.6, random_state=seed
        )
        for seed in range(3)
    ]
    for name, make in methods.items():
        curves[name].append(np.mean([accuracy(make(), data) for data in draws]))

# %%
# To the left all data sets are alike, to the right each lies elsewhere.
for name, curve in curves.items():
    plt.plot(shifts, curve, marker="o", label=name)
plt.xlabel("shift of a whole data set, in standard deviations")
plt.ylabel("mean accuracy")
plt.legend()
