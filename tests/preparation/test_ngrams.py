"""Terms of several words, and stop words of one's own."""

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.cli import run
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

TEXTS = ("The New York Times of today", "new york, the state", "times of the Mets")


def data(texts=TEXTS):
    names = np.arange(len(texts)).astype(str)
    return RelatedData("news", np.full(len(texts), "a"), names, texts=tuple(texts))


def ngrams_by_loops(text, stop_words, n):
    """Count terms of up to n adjacent words (three letters or more), by loops."""
    words = [
        w for w in text.lower().replace(",", " ").split() if len(w) > 2 and w not in stop_words
    ]
    found = {}
    for length in range(1, n + 1):
        for first in range(len(words) - length + 1):
            term = " ".join(words[first : first + length])
            found[term] = found.get(term, 0) + 1
    return found


@pytest.mark.parametrize("n", [1, 2, 3])
def test_terms_are_those_of_loops(n):
    preparation = Preparation(stop_words=["The", "of"], ngrams=n)
    counts = preparation.fit_transform(data()).toarray()
    expected = [ngrams_by_loops(text, {"the"}, n) for text in TEXTS]
    assert set(preparation.feature_names) == {term for counts in expected for term in counts}
    for row, counted in zip(counts, expected, strict=True):
        there = {t: c for t, c in zip(preparation.feature_names, row, strict=True) if c}
        assert there == counted


def test_new_texts_are_counted_as_those_of_the_fit():
    preparation = Preparation(ngrams=2)
    before = preparation.fit_transform(data()).toarray()
    np.testing.assert_array_equal(preparation.transform(data()).toarray(), before)
    # "york" and "times" are neighbors once "the" is left out.
    found = preparation.transform(data(["York the times"])).toarray()[0]
    assert found[preparation.feature_names.index("york times")] == 1


@pytest.mark.parametrize("stop_words", ["smart", ["new", "Today"], None])
def test_a_stored_preparation_counts_alike(stop_words):
    preparation = Preparation(stop_words=stop_words, ngrams=2)
    before = preparation.fit_transform(data()).toarray()
    settings, arrays = preparation.to_state()
    again = Preparation.from_state(settings, arrays)
    np.testing.assert_array_equal(again.transform(data()).toarray(), before)
    assert (again.ngrams, again.stop_words) == (2, preparation.stop_words)


def test_words_of_a_language_are_left_out():
    german = data(["der Hund und die Katze", "die Katze schläft"])
    preparation = Preparation(stop_words=["der", "die", "und"])
    preparation.fit_transform(german)
    assert preparation.feature_names == ("hund", "katze", "schläft")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ngrams": 0}, "ngrams=0 must be a whole number from 1"),
        ({"ngrams": 1.5}, "ngrams=1.5 must be"),
        ({"stop_words": [1]}, "stop_words is .*give a list of names"),
        ({"stop_words": "german"}, "stop_words='german' is not known"),
    ],
)
def test_other_values_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        Preparation(**given)


def test_a_file_may_have_the_stop_words(tmp_path):
    (tmp_path / "german.txt").write_text("der\ndie und\n", "utf-8")
    assert run._stop_words(str(tmp_path / "german.txt")) == ["der", "die", "und"]
    assert run._stop_words("smart") == "smart"


def test_a_report_says_how_many_words_are_left_out():
    found = kf.compare(
        data([*TEXTS, *TEXTS]),
        n_clusters=2,
        method="kmeans",
        preparation=Preparation(stop_words=["the", "new"], ngrams=2),
    )
    assert found.study.settings["preparation: stop words"] == "2 of your own"
    assert "york times" in found.study.feature_names
