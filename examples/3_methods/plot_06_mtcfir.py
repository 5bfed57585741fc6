r"""
MTCFIR: features and instances from related tasks
=================================================

MTCFIR learns features that all tasks share, then lets rows of other tasks take part in the
similarities of a task, weighted by how related the tasks are. It is made for texts and counts.

The rows of each task are factored on a similarity :math:`M` that all tasks make together:

.. math:: \min_{Y_t \geq 0} \; |M_t - Y_t Y_t^\top|_F^2

where rows are alike that have the same rows among their nearest ones, in other tasks too.
"""

# %%
# Three collections of documents, of 24 each: too few to cluster well alone. All share two topics.
import kinfolk as kf

data = kf.datasets.make_related_documents(
    24, n_terms=200, n_tasks=3, shared=2, length=25, purity=0.55, random_state=3
)
model = kf.MTCFIR(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)

# %%
# What each task takes from each other one:
kf.RelatednessDisplay.from_estimator(model, kind="help")

# %%
# Without a part of the method, to see what the part contributes. A row is .04 here, and another
# draw orders the variants differently: one small set decides nothing.
variants = {
    "MTCFIR": {},
    "no common features": {"share_features": False},
    "no rows of other tasks": {"share_instances": False},
    "all tasks equally related": {"weigh_tasks": False},
}
for name, parameters in variants.items():
    variant = kf.MTCFIR(n_clusters=3, random_state=0, **parameters).fit(data.X, tasks=data.tasks)
    scores = kf.measures.per_task(kf.measures.accuracy, data.tasks, data.target, variant.labels_)
    print(f"{name:27s}", {str(task): round(score, 2) for task, score in scores.items()})

# %%
# The objective falls with every sweep, and is kept.
import matplotlib.pyplot as plt  # noqa: E402

for task, trace in model.objective_traces_.items():
    plt.plot(trace - trace[-1] + 1e-9, label=str(task))
plt.yscale("log")
plt.xlabel("sweep")
plt.ylabel("objective above its end")
plt.legend()
