"""HTML display of a fitted model's clusters in notebooks."""

import html
from collections.abc import Iterable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kinfolk.profiles import Profiles

NAMED = 3
"""Columns named for a kind: those in which it differs most."""
MOST_TASKS = 12
"""Tasks with a column of their own; more would not fit beside each other."""


class ShownInNotebooks(BaseEstimator):
    """Adds the clusters found to scikit-learn's HTML display of an estimator."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + found(self)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        # Absent where the user has asked scikit-learn for texts.
        if "text/html" in shown:
            shown["text/html"] += found(self)
        return shown


def found(model: Any) -> str:
    """Return the matched clusters and the effect of sharing as HTML; "" before a fit.

    >>> import numpy as np
    >>> from kinfolk import PerTask
    >>> found(PerTask())
    ''
    >>> X = np.repeat([[20.0], [60.0]], [4, 3], axis=0)
    >>> found(PerTask(n_clusters=2).fit(X, tasks=["a"] * 7)).count("<tr>")
    3
    """
    if not hasattr(model, "labels_"):
        return ""
    check_is_fitted(model)
    # A model of too many columns, or of an older version, has none.
    profiles = getattr(model, "profiles_", None)
    table = "" if profiles is None else _table(profiles)
    # Records of methods with known classes have shares instead of a sentence.
    told = [record for record in getattr(model, "guard_", []) if "meaning" in record]
    lines = [f"<li><b>{_text(r['task'])}</b>: {_text(r['meaning'])}</li>" for r in told]
    return table + (f"<ul>{''.join(lines)}</ul>" if lines else "")


def _table(profiles: Profiles) -> str:
    """Return an HTML table of matched clusters: rows in each task and typical columns."""
    tasks = profiles.tasks if 1 < len(profiles.tasks) <= MOST_TASKS else ()
    lines = [_line("th", ["kind", "rows", *tasks, "differs most in"])]
    for k in range(len(profiles.kinds)):
        sizes = [profiles.sizes[k, -1], *profiles.sizes[k, : len(tasks)]]
        traits = [str(difference) for difference in profiles.differences(k)[:NAMED]]
        lines.append(_line("td", [profiles.called(k), *sizes, "; ".join(traits)]))
    return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[Any]) -> str:
    return "<tr>" + "".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in cells) + "</tr>"


def _text(cell: Any) -> str:
    return html.escape(str(cell))
