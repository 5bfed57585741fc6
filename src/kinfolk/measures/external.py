"""External measures: agreement of clusters with known classes.

All compare two partitions of the same n rows; the names of classes and clusters do not matter,
and there may be more clusters than classes or fewer. Labels are integers or texts.

Source  accuracy and NMI: Gu and Zhou, ICDM 2009, equations (21) and (22); RI: Rand, J. American
        Statistical Association 66 (1971); ARI: Hubert and Arabie, J. Classification 2 (1985).
"""

from typing import Literal

from numpy.typing import ArrayLike
from sklearn import metrics

from kinfolk.arguments import choice
from kinfolk.measures import partitions
from kinfolk.numerics import matching

_AVERAGES = ("geometric", "arithmetic", "max", "min")


def accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Share of rows in the class matched to their cluster, under the best one-to-one matching.

    Equation (21) of Gu and Zhou (2009). Rows of unmatched clusters, or of unmatched classes, count
    as wrong.

    Parameters
    ----------
    truth, labels : (n,) classes and clusters

    Returns
    -------
    above 0, at most 1

    Raises
    ------
    InputError
        If the lengths differ, there are no rows, or labels are missing.

    Examples
    --------
    >>> accuracy(["a", "a", "b", "b"], [1, 1, 1, 0])
    0.75
    """
    truth, labels = partitions.pair(truth, labels)
    return matching.n_paired(truth, labels) / len(truth)


def nmi(
    truth: ArrayLike,
    labels: ArrayLike,
    average: Literal["geometric", "arithmetic", "max", "min"] = "geometric",
) -> float:
    """Normalized mutual information of classes and clusters, by an average of their entropies.

    "geometric" is equation (22) of Gu and Zhou (2009), I / sqrt(H H'), the default; other papers
    divide by the arithmetic mean or the larger entropy, so name the average beside a number.
    Where both partitions put all rows together NMI is 1; where only one does it is 0.

    Parameters
    ----------
    truth, labels : (n,) classes and clusters
    average : "geometric", "arithmetic", "max" or "min" of the two entropies

    Returns
    -------
    from 0 to 1, the same when truth and labels change places

    Raises
    ------
    InputError
        If the lengths differ, there are no rows, labels are missing, or average is unknown.

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8165
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2], average="max"), 4)
    0.6667
    """
    choice("average", average, _AVERAGES)
    truth, labels = partitions.pair(truth, labels)
    # Without a second class or cluster entropies are 0, and the ratio is 0/0.
    if not (truth.any() and labels.any()):
        return float(truth.any() == labels.any())
    share = metrics.normalized_mutual_info_score(truth, labels, average_method=average)
    return min(1.0, float(share))  # rounding can exceed 1


def rand_index(truth: ArrayLike, labels: ArrayLike) -> float:
    """Rand index: share of pairs of rows that are together or apart in both partitions.

    Parameters
    ----------
    truth, labels : (n,) classes and clusters

    Returns
    -------
    from 0 to 1, the same when truth and labels change places; 1 for a single row

    Raises
    ------
    InputError
        If the lengths differ, there are no rows, or labels are missing.

    Examples
    --------
    >>> rand_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333
    """
    return float(metrics.rand_score(*partitions.pair(truth, labels)))


def adjusted_rand_index(truth: ArrayLike, labels: ArrayLike) -> float:
    """Adjusted Rand index (Hubert and Arabie): 0 for chance, 1 for equality.

    The Co-MVCF paper (2023, section 3.1.3) prints max + E below the line, by which a perfect result
    would not score 1.

    Parameters
    ----------
    truth, labels : (n,) classes and clusters

    Returns
    -------
    at most 1, about 0 for random labels, at least -0.5; the same when truth and labels change
    places; 1 where both partitions are the same, trivial ones included

    Raises
    ------
    InputError
        If the lengths differ, there are no rows, or labels are missing.

    Examples
    --------
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    return matching.adjusted_rand(*partitions.pair(truth, labels))
