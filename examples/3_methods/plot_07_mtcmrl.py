r"""
MTCMRL: which clusters of different tasks are related
=====================================================

MTCMRL fits a linear model to the clusters of every task and draws models of related clusters
together. It learns which clusters are related, while it clusters.

Over memberships :math:`Y_t \geq 0`, models :math:`W_t` and relations :math:`G_{ts}` of clusters,
whose entries sum to 1, it minimizes

.. math::
   \sum_t \, \frac{1}{2} |M_t - Y_t Y_t^\top|_F^2 + \lambda |Y_t - X_t W_t|_F^2 + \mu |W_t|_F^2
   + \alpha \sum_{t<s} \, \sum_{ij} \, |w_{ti} - w_{sj}|^2 G_{ts,ij}
   + \alpha\beta \sum_{t<s} \, |G_{ts}|_F^2
"""

# %%
from sklearn.preprocessing import normalize

import kinfolk as kf

data = kf.datasets.make_related_documents(
    40, n_terms=200, n_tasks=2, shared=2, length=25, purity=0.5, random_state=0
)
X = normalize(data.X)  # its weights are meant for rows of length 1
model = kf.MTCMRL(n_clusters=3, random_state=0).fit(X, tasks=data.tasks)

# %%
# The shares that each pair of clusters of the two tasks got: 1/9 is an even share.
shares = model.cluster_relatedness_["task-0", "task-1"]
shares.round(3)

# %%
import matplotlib.pyplot as plt  # noqa: E402

figure, ax = plt.subplots(figsize=(4, 3.2))
image = ax.imshow(shares, cmap="Blues", vmin=0)
ax.set(xlabel="cluster of task-1", ylabel="cluster of task-0", xticks=range(3), yticks=range(3))
figure.colorbar(image, label="share of the relatedness")

# %%
# The same with the relations turned off (SNMF with a regression):
alone = kf.MTCMRL(n_clusters=3, relation_weight=0.0, random_state=0).fit(X, tasks=data.tasks)
for name, fitted in {"with relations": model, "without": alone}.items():
    scores = kf.measures.per_task(kf.measures.nmi, data.tasks, data.target, fitted.labels_)
    print(f"{name:15s}", {str(task): round(score, 2) for task, score in scores.items()})
