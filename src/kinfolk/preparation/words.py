"""Counts terms of texts: words of at least three letters, lower case.

Chinese, Japanese and Korean texts, whose words no spaces part, have pairs of neighboring
characters for terms, as search engines take them.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.running import progress

StopWords = str | Sequence[str] | None
"""Name of a list of function words, or words."""

# Kana, Han (its mark of repetition and rare characters too) and Hangul.
_EAST_ASIAN = (
    r"\u3005\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W\d_{_EAST_ASIAN}]"

TOKEN = rf"(?=([{_EAST_ASIAN}]{{2}}|{_LETTER}{{3,}}))(?:[{_EAST_ASIAN}]|{_LETTER}+)"
"""A term: three or more letters without digits, underscores or punctuation, or two characters.

The group is looked at and not passed, because the second character of a pair begins the next one.
"""


@cache
def smart_stop_words() -> tuple[str, ...]:
    """Return the function words of the SMART retrieval system as terms, in alphabetical order.

    They are read as texts are, so that "isn't" leaves out the term "isn" that comes of it, and
    words of one or two letters are no terms.

    >>> len(smart_stop_words()), smart_stop_words()[:3]
    (474, ('able', 'about', 'above'))
    """
    file = resources.files("kinfolk.preparation").joinpath("smart_stop_words.txt")
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
    return tuple(sorted({term for line in lines for term in re.findall(TOKEN, line)}))


def own_stop_words(given: Iterable[str]) -> tuple[str, ...]:
    """Split words to terms (lower case, three letters or more), sorted.

    >>> own_stop_words(["Der", "geht's", "ab"])
    ('der', 'geht')
    """
    return tuple(sorted({term for word in given for term in re.findall(TOKEN, word.lower())}))


def learn_terms(
    texts: Sequence[str],
    stop_words: StopWords = "english",
    n_terms: int | None = None,
    ngrams: int = 1,
) -> tuple[tuple[str, ...], sp.csr_array]:
    """Choose the terms that occur in most texts, and count them.

    Parameters
    ----------
    texts : (n,) documents
    stop_words : "english" to leave out scikit-learn's list, "smart" that of SMART, words of your
        own, or None
    ngrams : the most words of a term; neighbors in a text without stop words make terms such as
        "york times"
    n_terms : number of terms to keep by document frequency, ties by alphabet; None keeps all

    Returns
    -------
    terms : (d,) in alphabetical order
    counts : (n, d) how often each text holds each term, float64

    Raises
    ------
    InputError
        If no text holds a term.

    Examples
    --------
    >>> terms, counts = learn_terms(["cat cat cat", "dog bird", "bird"], n_terms=2)
    >>> terms
    ('bird', 'cat')
    >>> counts.toarray()
    array([[0., 3.],
           [1., 0.],
           [1., 0.]])
    >>> learn_terms(["看电影", "好电影, good film"])[0]
    ('film', 'good', '好电', '电影', '看电')
    """
    counter = _counter(stop_words, ngrams)
    analyze = counter.build_analyzer()
    # Checked beforehand: scikit-learn's own error does not say what to do.
    if not any(analyze(text) for text in texts):
        raise InputError(
            f"None of the {len(texts)} texts holds a word of three or more letters (or a pair of "
            "Chinese, Japanese or Korean characters)"
            f"{' beside function words' if stop_words else ''}: check the column of texts."
        )
    counts = _sorted_csr(counter.fit_transform(progress.track(texts, "counting words")))
    # A stable sort breaks ties by alphabet, since scikit-learn's terms are in that order.
    order = np.argsort(-document_frequency(counts), kind="stable")
    chosen = np.sort(order[:n_terms])
    return tuple(counter.get_feature_names_out()[chosen].tolist()), _sorted_csr(counts[:, chosen])


def count_terms(
    texts: Sequence[str], terms: Sequence[str], stop_words: StopWords = None
) -> sp.csr_array:
    """Count given terms (d,) in new texts (n,), tokenized as in `learn_terms`.

    Without the stop words of the fit, terms of several words would have others in between.

    Examples
    --------
    >>> count_terms(["A cat!", "42"], ["bird", "cat"]).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    counter = _counter(stop_words, longest(terms)).set_params(vocabulary=list(terms))
    return _sorted_csr(counter.transform(progress.track(texts, "counting words")))


def longest(terms: Iterable[str]) -> int:
    """Largest number of words in a term.

    >>> longest(["times", "new york times"])
    3
    """
    return max((term.count(" ") + 1 for term in terms), default=1)


def _counter(stop_words: StopWords, ngrams: int) -> CountVectorizer:
    """Return scikit-learn's counter for terms of up to `ngrams` words, without stop words."""
    left_out = stop_words
    if stop_words is not None and stop_words != "english":
        left_out = list(smart_stop_words() if stop_words == "smart" else stop_words)
    return CountVectorizer(
        token_pattern=TOKEN, stop_words=left_out, ngram_range=(1, ngrams), dtype=np.float64
    )


def inverse_document_frequency(counts: sp.csr_array) -> NDArray[np.float64]:
    """Return ln((1 + n) / (1 + df)) + 1 for each term, as scikit-learn's smoothed idf.

    Examples
    --------
    >>> inverse_document_frequency(sp.csr_array([[1.0, 2.0], [1.0, 0.0]]))
    array([1.   , 1.405])
    """
    # A term of all texts keeps weight 1; + 1 in the fraction acts as one text with all terms.
    return np.log((1 + counts.shape[0]) / (1 + document_frequency(counts))) + 1


def weighted(counts: Table, weights: NDArray[np.float64]) -> Table:
    """Multiply each column of counts (n, d), dense or CSR, by its weight.

    Examples
    --------
    >>> weighted(sp.csr_array([[1.0, 2.0]]), np.array([1.0, 10.0])).toarray()
    array([[ 1., 20.]])
    """
    if not sp.issparse(counts):
        return counts * weights
    parts = (counts.data * weights[counts.indices], counts.indices, counts.indptr)
    return sp.csr_array(parts, shape=counts.shape)


def document_frequency(counts: sp.csr_array) -> NDArray[np.intp]:
    """Number of texts that contain each term, from counts (n, d).

    Examples
    --------
    >>> document_frequency(sp.csr_array([[1.0, 2.0], [1.0, 0.0]]))
    array([2, 1])
    """
    # Zeros may be stored, as in tables that users bring.
    return np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])


def _sorted_csr(counts: sp.csr_array) -> sp.csr_array:
    """Convert counts to CSR with sorted column indices."""
    rows = sp.csr_array(counts)
    rows.sort_indices()
    return rows
