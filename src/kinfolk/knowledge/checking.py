"""Checks centers before they are shared: sizes, digits, columns, membership inference."""

import re
from dataclasses import dataclass, replace

import numpy as np

from kinfolk.arguments import instance, spelled
from kinfolk.arrays import MatrixLike
from kinfolk.errors import InputError
from kinfolk.knowledge import membership
from kinfolk.knowledge.centers import LOADED, MINIMUM, Knowledge
from kinfolk.knowledge.membership import Membership
from kinfolk.tables import alignment

IDENTIFYING = re.compile(
    r"(?:^|[^a-z])(?:id|nr|no|ssn|iban|name|surname|e?mail|phone|tel|mobile|zip|postcode|address|"
    r"street|birth|birthday|dob|passport|account|card)(?:[^a-z]|$)"
)
"""Words in names of columns that often identify single persons, such as "id" or "phone"."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Places between two words of a name such as "PatientID" or "IDCard"."""

TELLS = 0.55
"""Advice is given if the lower end of the AUC's interval exceeds this: 55 right guesses of 100."""

HELPS = 0.02
"""Fewer clusters are advised if half as many lower the AUC by at least this."""


@dataclass(frozen=True)
class KnowledgeCheck:
    """Findings of a check of centers that are to be shared.

    Attributes
    ----------
    warnings : a sentence for each thing that tells more than it should
    membership : success of an attacker who knows a row and asks if it is behind the centers; None
        without rows
    fewer : the same with half as many clusters; None without rows or with one cluster
    """

    warnings: tuple[str, ...]
    membership: Membership | None = None
    fewer: Membership | None = None

    def __str__(self) -> str:
        said = list(self.warnings) or ["Sizes, digits and names of columns tell of no single row."]
        if self.membership is not None:
            said.append(_told(self.membership, self.fewer))
        return "\n".join(said)


def check_knowledge(known: Knowledge, rows: MatrixLike | None = None) -> KnowledgeCheck:
    """Check centers before sharing, and test how well they reveal which rows are behind them.

    The test makes files like this one from random halves of the rows. An attacker who knows a
    row, the centers and a quarter of the rows decides if that row is behind the centers; see
    `kinfolk.knowledge.membership`. The file itself, from twice as many rows, tells less.

    Parameters
    ----------
    rows : (n, d), the rows behind the knowledge, in their own units and the order of its columns;
        None: no test

    Raises
    ------
    InputError : `known` is no `Knowledge`; the rows have other columns or gaps, or are fewer than
        40 or than two for each cluster

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> X = np.random.default_rng(0).normal(size=(60, 40)) + 9 * np.eye(40)[np.arange(60) % 2]
    >>> known = Knowledge.of(KMeans(2, n_init=1, random_state=0).fit(X)).rounded()
    >>> found = check_knowledge(known, X)
    >>> round(found.membership.auc, 2), found.membership.attack
    (0.72, 'likelihood ratio')
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    Sizes, digits and names of columns tell of no single row.
    Of two rows, one behind the centers and one not, an attacker who knows both picks the right one
    in 72 of 100 cases (95 % interval 54 to 91; 50 is guessing).
    """
    instance("known", known, Knowledge, LOADED)
    found = tuple(_warnings(known))
    if rows is None:
        return KnowledgeCheck(found)
    Z = known.scaled(rows)
    if not np.isfinite(Z).all():
        raise InputError(
            "rows has entries that are NaN or infinite; give the rows without gaps that the "
            "centers were made of."
        )
    tested = membership.of_halves(known, Z)
    half = len(known) // 2
    fewer = membership.of_halves(known, Z, n_clusters=half) if half else None
    return KnowledgeCheck(found, tested, fewer)


def _warnings(known: Knowledge) -> list[str]:
    """Sentences about small clusters, too many digits, identifying columns and rare terms."""
    said = []
    n = known.cluster_weights
    if n.min() < 2:
        said.append("A center rests on one row: it is that row. Export with a larger minimum.")
    elif n.min() < MINIMUM:
        said.append(
            f"A center rests on {n.min():.3g} rows, of which each weighs more than a tenth: export "
            f"with {spelled('--minimum ', 'minimum_cluster_size=')}{MINIMUM} or more, or ask for "
            "fewer clusters."
        )
    if replace(known.rounded(), rounding=known.rounding) != known:
        how = spelled(
            "export with `kinfolk knowledge export`, which rounds",
            "save what its method rounded() returns",
        )
        said.append(
            "The numbers have more digits than the rows behind them support, and digits can name "
            f"a row: {how}."
        )
    names = [n for n in known.feature_names if IDENTIFYING.search(_HUMP.sub(" ", n).lower())]
    if names:
        said.append(
            f"Columns are called as if they named single persons ({alignment.some(names)}): leave "
            f"them out ({spelled('--ignore', 'ignore=')}) and cluster again."
        )
    if rare := _rare_terms(known):
        stand = "1 column stands" if len(rare) == 1 else f"{len(rare)} columns stand"
        said.append(
            f"{stand} for fewer than {MINIMUM} occurrences in all clusters "
            f"({alignment.some(rare)}): a rare word can name a text. Keep fewer "
            f"terms ({spelled('--terms', 'n_terms=')})."
        )
    return said


def _rare_terms(known: Knowledge) -> list[str]:
    """Names of terms with fewer than MINIMUM occurrences in all; [] unless columns are counts."""
    V = known.cluster_centers
    # Numbers of other kinds, or scaled ones, are no counts: their sums say nothing of that sort.
    if known.scaling != "none" or V.min() < 0 or not known.feature_names:
        return []
    total = known.cluster_weights @ V
    # Ages or incomes are large in all columns; counts of terms are mostly below one.
    if np.median(V) >= 1:
        return []
    return [known.feature_names[j] for j in np.flatnonzero((total > 0) & (total < MINIMUM))]


def _told(tested: Membership, fewer: Membership | None) -> str:
    """Describe an attack's success in a sentence, with advice if it is large."""
    right, low, high = (100 * share for share in (tested.auc, tested.low, tested.high))
    said = (
        "Of two rows, one behind the centers and one not, an attacker who knows both picks the "
        f"right one in {right:.0f} of 100 cases (95 % interval {low:.0f} to {high:.0f}; 50 is "
        "guessing)."
    )
    if tested.low <= TELLS:
        return said
    if fewer is None or fewer.auc > tested.auc - HELPS:
        return f"{said} More rows help; fewer clusters or digits hardly."
    return (
        f"{said} More rows and fewer clusters help: with half as many {100 * fewer.auc:.0f} of 100."
    )
