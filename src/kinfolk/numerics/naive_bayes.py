"""Multinomial naive Bayes classifier with smoothing that suits the table's unit.

scikit-learn's, with one count added to every column of a class. One count is 1 for whole numbers,
and the mean of the numbers above 0 for others, so that units of the table do not matter.
"""

from typing import NamedTuple

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import operators


class NaiveBayes(NamedTuple):
    """Log probabilities of each column in each class (k, d), and of each class (k,)."""

    columns: Matrix
    classes: Vector

    def likeliest(self, X: Table) -> Labels:
        """Most likely class (m,) of each row of X (m, d), the first among ties."""
        return (operators.times(X, self.columns.T) + self.classes).argmax(axis=1)


def one_count(X: Table) -> float:
    """One count in a non-negative table (n, d): 1 if whole numbers, else the mean entry above 0.

    >>> one_count(np.array([[0.0, 3.0]])), one_count(np.array([[0.0, 0.5], [0.1, 0.0]]))
    (1.0, 0.3)
    """
    positive = operators.entries(X)[operators.entries(X) > 0]
    if np.array_equal(positive, np.floor(positive)):
        return 1.0
    return float(np.mean(positive, dtype=np.float64))


def fitted(X: Table, classes: Labels) -> NaiveBayes:
    """Fit to non-negative rows X (n, d) of known classes (n,), 0 to k - 1.

    >>> judge = fitted(np.array([[2.0, 0.0], [0.0, 3.0]]), np.array([0, 1]))
    >>> judge.likeliest(np.array([[5.0, 4.0], [1.0, 2.0]])), np.exp(judge.columns)
    (array([0, 1]), array([[0.75, 0.25],
           [0.2 , 0.8 ]]))
    """
    model = MultinomialNB(alpha=one_count(X)).fit(X, classes)
    return NaiveBayes(model.feature_log_prob_, model.class_log_prior_)
