"""Transformed rows in which clusterings are scored and baselines run.

Silhouettes depend on units and on the zero of each column. So all results of a comparison are
scored in the space in which the default method judges clusterings (`choosing.representations`),
whatever space each was found in:

    counts        cosines of tf-idf weights
    amounts       cosines of the rows as they are
    measurements  Euclidean distances of z-scores within each task
                  (columns that are scaled already: less the mean of their task)
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Table
from kinfolk.choosing.representations import Representations

MOST_ROWS = 3000
"""Most rows of a task for its Euclidean silhouette, which takes O(n^2); of more, a sample."""


class ScoringSpace(NamedTuple):
    """Transformed rows of all tasks, in which clusterings are scored.

    Attributes
    ----------
    Z : (n, d), dense or CSR
    metric : "cosine" or "euclidean"
    description : of the distance, in words that follow "by"
    """

    Z: Table
    metric: Literal["cosine", "euclidean"]
    description: str

    def silhouettes(self, tasks: NDArray[Any], labels: Labels) -> dict[str, float]:
        """Mean silhouette of each task, of a sample where a task is large; nan of one cluster.

        >>> X = np.array([[1.0], [1.2], [900.0], [901.0]])
        >>> scoring_space(X, np.zeros(4, dtype=int)).silhouettes(["a"] * 4, np.array([0, 0, 1, 1]))
        {'a': 0.9993}
        """
        return measures.per_task(self._silhouette, tasks, self.Z, labels)

    def _silhouette(self, Z: Any, labels: Labels) -> float:
        """Mean silhouette of rows Z (n, d) of one task, of a sample if many; nan of one cluster."""
        if (labels == labels[0]).all():
            return float("nan")  # 0 would count as a bad result where one cluster was asked for
        if self.metric == "euclidean" and len(labels) > MOST_ROWS:
            # The same rows for every result, so that scores compare.
            rows = np.random.default_rng(0).choice(len(labels), MOST_ROWS, replace=False)
            return self._silhouette(Z[rows], labels[rows])  # a small cluster may be in no sample
        return measures.silhouette(Z, labels, self.metric)


def scoring_space(X: Table, codes: Labels, columns_are_scaled: bool = False) -> ScoringSpace:
    """Transform prepared rows X (n, d) of tasks at positions (n,) for scoring.

    >>> space = scoring_space(np.array([[1.5, 500.0], [3.0, 900.0]]), np.array([0, 0]))
    >>> space.Z, space.metric
    (array([[-1., -1.], [ 1.,  1.]]), 'euclidean')
    """
    scaled = columns_are_scaled and not sp.issparse(X)
    seen = Representations.of(X, codes, scaled)
    if seen.kind == "counts":
        return ScoringSpace(
            seen.transform("tf-idf", X, codes), "cosine", "cosines of tf-idf weights"
        )
    if seen.kind == "amounts":
        return ScoringSpace(X, "cosine", "cosines of the rows")
    Z = seen.transform("z-scores", X, codes)
    of_columns = "columns in standard deviations of the data set"
    if seen.keeps_scale:
        of_columns = "scaled columns" if scaled else "principal components"
    return ScoringSpace(Z, "euclidean", f"distances in {of_columns}")
