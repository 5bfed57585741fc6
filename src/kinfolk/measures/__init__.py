"""Evaluation measures of a clustering, for all rows or per task.

External, against known classes (0 to 1, higher is better; see `measures.external`):
`accuracy`, `nmi`, `rand_index`, `adjusted_rand_index` (about 0 for random labels).

Internal, from the table alone (see `measures.internal`): `silhouette`, `silhouette_samples`
(-1 to 1, higher is better), `dunn` (higher is better), `davies_bouldin` (lower is better).

Between tasks, from the table alone: `mmd` (0 for equal distributions).

`per_task` applies external or internal measures to each task by itself.
"""

from kinfolk.measures.division import per_task
from kinfolk.measures.external import accuracy, adjusted_rand_index, nmi, rand_index
from kinfolk.measures.internal import davies_bouldin, dunn, silhouette, silhouette_samples
from kinfolk.measures.shift import mmd

__all__ = [
    "accuracy",
    "adjusted_rand_index",
    "davies_bouldin",
    "dunn",
    "mmd",
    "nmi",
    "per_task",
    "rand_index",
    "silhouette",
    "silhouette_samples",
]
