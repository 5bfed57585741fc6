"""Density of numbers in one cluster of a mixture, by SciPy."""

from scipy.stats import multivariate_normal, multivariate_t


def number_density(x, mixture, j):
    """Density of the numbers x (d,) of one row in cluster j; a normal one without tails."""
    place = mixture.centers[j], mixture.covariances[j]
    if mixture.tails is None:
        return multivariate_normal.pdf(x, *place)
    return multivariate_t.pdf(x, *place, df=mixture.tails)
