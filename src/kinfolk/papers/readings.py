"""Alternative interpretations of the papers' experiments, shown as extra rows of tables."""

from collections.abc import Mapping
from typing import Any

DIVIDED = "divided by degrees"
WEIGHTED = "weighted by tfidf"
UNIT_LENGTH = "rows of unit length"
PREPARED = "preparation"
"""Key of a reading that changes the preparation instead of a parameter."""
_UNIT_LENGTH = ({PREPARED: {"scale": "unit"}}, ("s-mbc", "s-mkc"))
READINGS: Mapping[str, Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]]] = {
    "mtcfir": {
        UNIT_LENGTH: _UNIT_LENGTH,
        DIVIDED: (
            {"divide_by_degrees": True},
            ("symnmf", "mtcfir-nf", "mtcfir-ni", "mtcfir-nr", "mtcfir"),
        ),
    },
    "lssmtc": {
        WEIGHTED: (
            {PREPARED: {"text_weighting": "tfidf", "scale": "unit"}},
            ("linear-svm", "tsvm", "gfhf", "llgc", "lssttc"),
        ),
    },
    "mtcmrl": {
        UNIT_LENGTH: _UNIT_LENGTH,
        DIVIDED: ({"divide_by_degrees": True}, ("symnmf", "snmf-lr", "mtcmrl")),
    },
}
"""Paper -> another reading of its text -> parameters, and the methods whose rows show it too.

The source that both papers cite for the factorization divides the similarity by its degrees; their
own equations do not. Printed figures of S-MBC and S-MKC on Reuters and 20 Newsgroups are far above
those of k-means, which ours do not reach on counts of words. Rows of unit length are an explanation
that rests on these figures alone.

LSSMTC's authors released counts of two of its data sets and do not say how they were weighted. The
linear SVM has nothing to choose, and its printed figures are those of rows weighted by tfidf.
"""
