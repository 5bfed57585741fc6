"""Rows without a text: kept as documents without words, left out or refused."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import listed, spelled
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData, alignment


def kept(
    data: RelatedData, texts: Sequence[str], missing: str, known_tasks: bool
) -> tuple[NDArray[np.bool_], list[str]]:
    """Mark the rows (n,) to keep of documents (n,); also return a note if some have no text.

    Parameters
    ----------
    missing, known_tasks : as of `kinfolk.sources.read`

    Raises
    ------
    InputError : some rows have no text, and `missing` is "error", or no row of a task has one

    >>> table = RelatedData("t", np.array(["a", "a"]), np.array(["1", "2"]), texts=("one", " "))
    >>> kept(table, table.texts, "drop", False)
    (array([ True, False]), ["1 of 2 rows has no text (row '2' of 'a') and is left out."])
    """
    there = np.array([bool(text.strip()) for text in texts], dtype=bool)
    if there.all():
        return there, []
    lost = np.flatnonzero(~there)
    n = len(lost)
    shown = [f"row {str(data.row_ids[i])!r} of {str(data.tasks[i])!r}" for i in lost[:5].tolist()]
    which = listed(shown, 5, n=n)
    said = f"{n:,} of {len(there):,} rows {'have' if n > 1 else 'has'} no text ({which})"
    if missing == "error":
        raise InputError(
            f"{data.name}: {said}: fill them, keep them as rows without words (impute), or leave "
            "them out (drop)."
        )
    if missing != "drop":
        stay = "stay as rows" if n > 1 else "stays as a row"
        drop = spelled("--missing drop", "missing='drop'")
        # New rows are assigned as they are, without such an option.
        more = "" if known_tasks else f"; {drop} leaves {'them' if n > 1 else 'it'} out"
        return np.ones_like(there), [f"{said} and {stay} without words{more}."]
    without = set(data.tasks.tolist()) - set(data.tasks[there].tolist())
    if without and not known_tasks:
        raise InputError(
            f"{data.name}: no row of {alignment.some(sorted(without))} has a text: leave its rows "
            "out, or name another column."
        )
    return there, [f"{said} and {'are' if n > 1 else 'is'} left out."]
