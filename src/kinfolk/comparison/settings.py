"""Lists every parameter, choice and version that a result depends on, for the report."""

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from sklearn.base import BaseEstimator

from kinfolk import catalogue
from kinfolk.knowledge import Knowledge
from kinfolk.preparation import Preparation
from kinfolk.report.wording import count


def settings(
    method: str, parameters: Mapping[str, Any], preparation: Preparation, seed: int
) -> dict[str, str]:
    """Return all settings that a result depends on, {name: text}, for the report.

    Examples
    --------
    >>> shown = settings("comvcf", {"views": {"pix": slice(0, 240)}}, Preparation(), 7)
    >>> shown["views"], shown["preparation: scale"], shown["seed"]
    ('pix: 1 to 240', 'none', '7')
    >>> settings("comvcf", {"views": {"pix": slice(None, 240)}}, Preparation(), 7)["views"]
    "{'pix': slice(None, 240, None)}"
    >>> shown["fidelity to the publication"]
    "exact: objective and steps are those of the publication or of its authors' code"
    """
    return {
        "method": method,
        "fidelity to the publication": catalogue.method(method).described_fidelity,
        **{name: _shown(value) for name, value in parameters.items()},
        "preparation: text weighting": preparation.text_weighting,
        "preparation: stop words": _stop_words(preparation),
        "preparation: most terms": str(preparation.n_terms),
        **({"preparation: most words of a term": str(n)} if (n := preparation.ngrams) > 1 else {}),
        "preparation: scale": preparation.scale,
        **{f"preparation: taken for {kind}": names for kind, names in _taken_for(preparation)},
        "seed": str(seed),
        **{name: version(name) for name in ("kinfolk", "numpy", "scipy", "scikit-learn")},
        "python": platform.python_version(),
    }


def _stop_words(preparation: Preparation) -> str:
    """Return the name of a stop word list, or the number of stop words."""
    given = preparation.stop_words
    return f"{len(given)} of your own" if isinstance(given, tuple) else str(given)


def _taken_for(preparation: Preparation) -> Iterator[tuple[str, str]]:
    """Yield each kind of column ("number", ...) with the names of its columns as text."""
    kinds = preparation.kinds
    for kind in dict.fromkeys(kinds.values()):
        yield kind, ", ".join(name for name, of_it in kinds.items() if of_it == kind)


def _shown(value: Any) -> str:
    """Format a parameter's value, shortened where its repr is long."""
    if isinstance(value, Knowledge):
        k, d = value.cluster_centers.shape
        return f"{count(k, 'center')} of {count(d, 'column')}, scaling {value.scaling}"
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if isinstance(value, dict) and all(map(_is_range, value.values())):
        return ", ".join(f"{name}: {part.start + 1} to {part.stop}" for name, part in value.items())
    return str(value)


def _is_range(value: Any) -> bool:
    """True for a slice of neighbors from one known position to another, as slice(0, 240)."""
    usual = isinstance(value, slice) and value.step in (None, 1)
    return usual and None not in (value.start, value.stop) and 0 <= value.start <= value.stop
