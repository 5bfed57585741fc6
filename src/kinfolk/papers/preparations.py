"""Preparations of the papers' data, and the options of their loaders.

Where a paper is silent, one choice holds. What each rests on, and which printed numbers were looked
at, is in `docs/reproduction-protocol.md`. Preparations of views were not chosen by any figure: rows
of unit length in each view, as the papers do not say.
"""

from collections.abc import Mapping
from typing import Any

_UNIT_ROWS = (
    *("mfeat", "handwritten-rnsp", "caltech101-7", "20newsgroups-500", "orl-views"),
    *("hw2sources", "3sources", "msrc-v1"),
)
_COUNTS = {"text_weighting": "counts", "stop_words": "smart"}
PREPARATIONS: Mapping[str, Mapping[str, Any]] = {
    # One program made the tables of MTCFIR: the same weights and stop words for its three corpora.
    "webkb4": {**_COUNTS, "n_terms": 2500},
    "reuters": {**_COUNTS, "n_terms": 5000},
    "20newsgroups": {**_COUNTS, "n_terms": 3000},
    **dict.fromkeys(
        ("newsgroups-recvstalk-500", "newsgroups-compvssci-500"),
        {"text_weighting": "tfidf", "stop_words": None, "n_terms": 350, "scale": "unit"},
    ),
    **{name: {"scale": "unit"} for name in _UNIT_ROWS},
}
"""Data set -> parameters of `Preparation`; a data set that is not here is taken as it is."""
PREPARATIONS_OF: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("lssmtc", "webkb4"): {"text_weighting": "tfidf", "n_terms": 2500},
}
"""(paper, data set) -> its preparation, which replaces that of `PREPARATIONS`."""
DATA_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "mfeat": {"views": ["fac", "pix"]},
    "handdigits": {"ink": 16.0},
}
"""Data set -> keyword arguments of its loader."""


def preparation(paper: str, data: str) -> Mapping[str, Any]:
    """Return the parameters of `Preparation` for a data set in the tables of a paper.

    >>> preparation("mtcfir", "webkb4")["stop_words"], preparation("lssmtc", "recvstalk")
    ('smart', {})
    """
    return PREPARATIONS_OF.get((paper, data)) or PREPARATIONS.get(data, {})
