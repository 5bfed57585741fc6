"""
How many clusters?
==================

``kf.suggest_clusters`` suggests a number for each data set, with an interval and a word on how
certain it is. A number that means something to you is better.
"""

# %%
import kinfolk as kf

birds = kf.datasets.load_penguins()
suggestions = kf.suggest_clusters(birds.X, birds.tasks, random_state=0)
for suggestion in suggestions:
    print(f"{suggestion.task}: {suggestion.sentence}")

# %%
# The solid curve is the agreement of clusterings of two halves of the rows; the dashed one the
# clearness of the clusters, on a scale of its own. The band holds the plausible numbers.
kf.ClusterNumbersDisplay.from_suggestions(suggestions)

# %%
# ``kf.Kinfolk(n_clusters="auto")`` takes them, and warns that it did.
