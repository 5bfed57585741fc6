"""Two views of the same three groups, and the same with some views missing."""

import numpy as np

from kinfolk.tables import join


def related_views(n=24, noise=0.4, seed=0, signed=True):
    """Make X, views and groups; either view separates the groups."""
    random = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    A = random.normal(size=(n, 4)) * noise + 2 * np.eye(4)[truth]
    B = random.normal(size=(n, 3)) * noise - 3 * np.eye(3)[truth]
    X, views = join({"a": A, "b": B} if signed else {"a": abs(A), "b": abs(B)})
    return X, views, truth


def with_gaps(X, views, share, seed=0):
    """Set a share of the views of rows to NaN, never all views of a row."""
    random = np.random.default_rng(seed)
    holed = X.copy()
    for i in np.flatnonzero(random.uniform(size=len(X)) < share):
        view = random.choice(list(views))
        holed[i, views[view]] = np.nan
    return holed


def as_lists(X, views):
    """Convert views to lists of rows for the oracles; None where a view is missing."""
    return [[None if np.isnan(row).any() else row for row in X[:, own]] for own in views.values()]
