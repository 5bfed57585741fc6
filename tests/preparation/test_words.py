import re
import unicodedata
from collections import Counter
from importlib import resources
from itertools import groupby, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfTransformer

from kinfolk.errors import InputError
from kinfolk.preparation import words

ALPHABET = ("cat", "dog", "bird", "Größe", "the", "a1b", "x_yz", "ŁÓDŹ", "日本語", "42", "of")
ALPHABET += ("用Python写", "テキスト・データ", "한국어", "𠀀𠀁")


def made(n, seed=0):
    """Make texts of words in several alphabets, digits and function words."""
    random = np.random.default_rng(seed)
    return tuple(" ".join(random.choice(ALPHABET, size=random.integers(0, 9))) for _ in range(n))


def script(character):
    """Kind of a character: part of an East Asian text, another letter, or neither."""
    if not character.isalpha():
        return None
    name = unicodedata.name(character)
    return "pairs" if name.startswith(("CJK", "HANGUL", "HIRAGANA", "KATAKANA")) else "words"


def oracle(text):
    """Terms of a text: runs of three or more letters, pairs of East Asian characters."""
    found = []
    for kind, run in groupby(text.lower(), script):
        characters = "".join(run)
        if kind == "words" and len(characters) >= 3:
            found.append(characters)
        if kind == "pairs":
            found += [a + b for a, b in pairwise(characters)]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_of_a_reader(seed):
    texts = made(30, seed)
    terms, counts = words.learn_terms(texts, stop_words=None)
    expected = [Counter(oracle(text)) for text in texts]
    assert terms == tuple(sorted(set().union(*expected)))
    for i, document in enumerate(expected):
        assert counts[[i]].toarray()[0].tolist() == [document[term] for term in terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Cat CAT cat", ("cat",)),
        ("it's", ()),
        ("don't panic", ("don", "panic")),
        ("abc1def", ("abc", "def")),
        ("snake_case_name", ("case", "name", "snake")),
        ("ab abc", ("abc",)),
        ("Straße façade", ("façade", "straße")),
        ("well-known", ("known", "well")),
    ],
)
def test_a_term_is_three_letters_or_more(text, terms):
    assert words.learn_terms([text, "anchor"], stop_words=None)[0] == tuple(
        sorted({*terms, "anchor"})
    )


@pytest.mark.parametrize("n_terms", [1, 2, 5, 100])
def test_the_terms_of_most_texts_are_kept_and_ties_go_by_alphabet(n_terms):
    texts = made(40)
    every, counts = words.learn_terms(texts, stop_words=None)
    in_texts = {term: int((counts[:, [j]].toarray() > 0).sum()) for j, term in enumerate(every)}
    expected = sorted(sorted(every, key=lambda term: (-in_texts[term], term))[:n_terms])
    kept, few = words.learn_terms(texts, stop_words=None, n_terms=n_terms)
    assert list(kept) == expected
    columns = [every.index(term) for term in kept]
    np.testing.assert_array_equal(few.toarray(), counts.toarray()[:, columns])


def test_no_english_function_word_is_a_term():
    terms, _ = words.learn_terms(["the cat and the dog whereupon nobody went", "cat"])
    assert terms == ("cat", "dog", "went")
    assert not ENGLISH_STOP_WORDS & set(terms)


def test_given_terms_are_counted_in_their_order_and_others_are_not():
    counts = words.count_terms(["dog cat dog bird", "", "Cat."], ["dog", "cat"])
    np.testing.assert_array_equal(counts.toarray(), [[2, 1], [0, 0], [0, 1]])


@pytest.mark.parametrize("seed", range(3))
def test_new_texts_are_counted_as_the_training_texts(seed):
    texts = made(25, seed)
    terms, counts = words.learn_terms(texts)
    np.testing.assert_array_equal(words.count_terms(texts, terms).toarray(), counts.toarray())


def test_the_order_of_texts_is_the_order_of_rows_and_nothing_else():
    texts = made(20)
    order = np.random.default_rng(1).permutation(20)
    terms, counts = words.learn_terms(texts)
    other_terms, other = words.learn_terms([texts[i] for i in order])
    assert other_terms == terms
    np.testing.assert_array_equal(other.toarray(), counts.toarray()[order])


@pytest.mark.parametrize("n_terms", [None, 3])
def test_counts_are_canonical_csr(n_terms):
    for counts in (
        words.learn_terms(made(20), n_terms=n_terms)[1],
        words.count_terms(made(20), ["dog", "cat"]),
    ):
        assert isinstance(counts, sp.csr_array)
        assert counts.dtype == np.float64
        assert counts.has_sorted_indices
        assert np.all(counts.data > 0)
        for i in range(20):
            row = counts.indices[counts.indptr[i] : counts.indptr[i + 1]]
            assert np.all(np.diff(row) > 0)


@pytest.mark.parametrize("stop_words", ["english", None])
def test_texts_without_a_term_are_refused_with_what_to_check(stop_words):
    beside = " beside function words" if stop_words else ""
    sentence = "None of the 3 texts holds a word of three or more letters (or a pair of Chinese, "
    sentence += f"Japanese or Korean characters){beside}: check"
    with pytest.raises(InputError, match=re.escape(sentence)):
        words.learn_terms(["12", "a b", "我"], stop_words=stop_words)


def test_texts_without_spaces_between_words_share_terms():
    terms, counts = words.learn_terms(["我喜欢电影。", "这部电影很好", "电影院"], stop_words=None)
    assert counts[:, [terms.index("电影")]].toarray().tolist() == [[1.0], [1.0], [1.0]]


def test_the_mark_of_repetition_is_a_character_as_those_before_it():
    assert words.learn_terms(["人々"])[0] == ("人々",)


def test_own_function_words_are_read_as_texts_are():
    assert words.learn_terms(["我们看电影"], stop_words=words.own_stop_words(["我们"]))[0] == (
        "们看",
        "电影",
        "看电",
    )


def test_the_list_of_smart_has_571_lines_and_leaves_out_more_than_that_of_scikit_learn():
    file = resources.files("kinfolk.preparation").joinpath("smart_stop_words.txt")
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) == 571
    assert len(set(lines)) == 570  # "would" stands there twice
    text = "We said the system isn't useful; a cat uses it"
    assert words.learn_terms([text], stop_words="smart")[0] == ("cat", "system")
    assert "said" in words.learn_terms([text])[0]


def test_stop_words_are_left_out_without_a_warning(recwarn):
    words.learn_terms(["isn't it a cat"], stop_words="smart")
    assert not recwarn.list


def test_only_function_words_are_refused_unless_they_are_kept():
    texts = ["the and", "with"]
    with pytest.raises(InputError, match="None of the 2 texts"):
        words.learn_terms(texts)
    assert words.learn_terms(texts, stop_words=None)[0] == ("and", "the", "with")


def test_weighted_counts_are_those_of_scikit_learn_before_it_scales_rows():
    _, counts = words.learn_terms(made(30), stop_words=None)
    found = words.weighted(counts, words.inverse_document_frequency(counts))
    expected = TfidfTransformer(norm=None).fit_transform(counts)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-14)


def test_the_document_frequency_counts_texts_not_words():
    texts = ["cat cat cat", "dog cat", "bird"]
    terms, counts = words.learn_terms(texts)
    assert dict(zip(terms, words.document_frequency(counts).tolist(), strict=True)) == {
        "bird": 1,
        "cat": 2,
        "dog": 1,
    }


def test_a_rarer_term_weighs_more_and_a_term_of_all_texts_one():
    counts = sp.csr_array(np.triu(np.ones((6, 6))))
    weights = words.inverse_document_frequency(counts)
    assert np.all(np.diff(weights) < 0)
    assert weights[-1] == 1


def test_weighting_leaves_the_given_counts_alone():
    counts = sp.csr_array([[1.0, 2.0], [0.0, 3.0]])
    found = words.weighted(counts, np.array([2.0, 0.5]))
    np.testing.assert_array_equal(found.toarray(), [[2, 1], [0, 1.5]])
    np.testing.assert_array_equal(counts.toarray(), [[1, 2], [0, 3]])
