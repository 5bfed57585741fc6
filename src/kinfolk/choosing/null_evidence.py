"""Compares the evidence for a mixture with that of tables without clusters.

Evidence is the BIC of a mixture less that of one cluster (`mixtures`, `common_mixtures`). Mixtures
of tables without clusters have some as well, so that it has to exceed their mean by far.
"""

from collections.abc import Callable

import numpy as np

NULL_TABLES = 20
# The largest excess of 96 mixtures that fit null tables was 3.8.
DEVIATIONS = 5.0
"""Standard deviations above the mean evidence of null tables that evidence has to exceed."""
FEW_TABLES = 6
PLAIN = 3.0
"""After six null tables more are drawn only if evidence is within three times the limit."""


def is_exceeded(evidence: float, of_table: Callable[[], float]) -> bool:
    """True if evidence exceeds that of null tables, drawn one by one until more change nothing.

    Parameters
    ----------
    of_table : draws a null table and returns the evidence for a mixture of it

    Examples
    --------
    >>> draws = np.random.default_rng(0)
    >>> is_exceeded(9.0, draws.normal), is_exceeded(3.0, draws.normal)
    (True, False)
    """
    made: list[float] = []
    deviations = 0.0
    while len(made) < NULL_TABLES:
        made.append(of_table())
        if len(made) > 1:
            deviations = (evidence - float(np.mean(made))) / max(float(np.std(made, ddof=1)), 1e-9)
        if len(made) >= FEW_TABLES and not 1.0 < deviations < PLAIN * DEVIATIONS:
            break
    return bool(deviations > DEVIATIONS)
