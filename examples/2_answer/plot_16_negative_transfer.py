"""
When sharing harms
==================

Two sources of digits that look alike and are not: pooling them is much worse than clustering each
alone. The guard keeps the answer of each where nothing outside supports a change.
"""

# %%
import numpy as np

import kinfolk as kf

data = kf.datasets.make_hostile_digits(random_state=0)
some = np.random.default_rng(0).choice(len(data), 500, replace=False)
data = kf.datasets.take(data, np.sort(some))

# %%
# Three methods are enough to show it; the default has eleven.
found = kf.compare(
    data, n_clusters=10, parameters={"families": ["kmeans", "joint-spectral", "pooled"]}
)
found

# %%
kf.ScoresDisplay.from_comparison(found, measure="accuracy")

# %%
# What the guard says of each source:
for record in found.model.estimator.guard_:
    print(f"{record['task']}: {record['meaning']}")

# %%
# Each source keeps its own clusters, so nothing is lost. :doc:`How far sharing can be trusted
# </related>` counts how often sharing helped and harmed, on 97 sets, failures first.
