"""
The default answer: many methods, no labels
===========================================

``kf.Kinfolk`` runs many methods with several settings, scores the runs without labels, and combines
the best. Beside its answer it keeps the one that each data set gives by itself.
"""

# %%
# Penguins of three species; males and females are the two data sets. A data frame, because its
# names of columns come back with the answer.
import pandas as pd

import kinfolk as kf

birds = kf.datasets.load_penguins()
table = pd.DataFrame(birds.X, columns=birds.feature_names)
model = kf.Kinfolk(n_clusters=3, random_state=0).fit(table, tasks=birds.tasks)

# %%
# What sharing changed, in words:
for record in model.guard_:
    print(f"{record['task']}: {record['meaning']}")

# %%
# Every run is a mark. Good runs agree with runs of other settings (to the right) and keep
# neighbors together (up); filled marks took part in the answer, the star.
kf.EvidenceDisplay.from_estimator(model)

# %%
# Equal numbers mean corresponding clusters.
kf.MatchedClustersDisplay.from_estimator(model, birds.tasks)

# %%
# Beside the species, which the model has not seen:
for task in birds.task_names:
    rows = birds.tasks == task
    print(task, f"accuracy {kf.measures.accuracy(birds.target[rows], model.labels_[rows]):.2f}")

# %%
# What sets the first kind apart from the other birds of both sexes: its short bills. These are the
# Adelie penguins. In a notebook, ``model`` as the last line of a cell shows its kinds, too.
for difference in model.profiles_.differences(0):
    print(f"{difference.label}: {difference.here:.0f} beside {difference.others:.0f}")
