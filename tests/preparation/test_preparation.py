import json
import math
import re
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import FileFormatError, InputError
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

TEXTS = (
    "The cat sat; the CAT purred.",
    "A dog barked at the cat",
    "12 of 34",
    "Größe und Maß, dog_house",
    "barked barked barked",
)
TASKS = np.array(["pets", "pets", "pets", "de", "de"])


def related(texts=None, X=None, names=(), tasks=None):
    n = len(texts) if X is None else X.shape[0]
    tasks = np.full(n, "t") if tasks is None else tasks
    return RelatedData("rows", tasks, np.arange(n).astype(str), X, tuple(names), texts)


def numbers(n=6, d=4, seed=0):
    return related(X=np.random.default_rng(seed).normal(5, 2, (n, d)), names=list("abcd")[:d])


def only(data, rows):
    texts = None if data.texts is None else tuple(np.array(data.texts, dtype=object)[rows])
    X = None if data.X is None else data.X[rows]
    return related(texts, X, data.feature_names, data.tasks[rows])


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def tokens(text):
    return [t for t in re.findall(r"[^\W\d_]+", text.lower()) if len(t) >= 3]


SETTINGS = [
    ("texts", {"stop_words": None}),
    ("texts", {"text_weighting": "tfidf", "scale": "unit"}),
    ("texts", {"text_weighting": "tfidf", "n_terms": 3}),
    ("numbers", {}),
    ("numbers", {"scale": "unit"}),
    ("numbers", {"scale": "standard"}),
    ("numbers", {"text_weighting": "tfidf", "scale": "standard"}),
    ("sparse", {"scale": "unit"}),
    ("sparse", {"text_weighting": "tfidf", "scale": "unit"}),
]


def data_of(kind):
    if kind == "texts":
        return related(TEXTS, tasks=TASKS)
    data = numbers(40)
    if kind == "sparse":
        X = np.where(data.X > 5, data.X, 0)
        return related(X=sp.csr_array(X), names=data.feature_names)
    return data


@pytest.mark.parametrize(("kind", "settings"), SETTINGS)
def test_rows_one_by_one_equal_rows_together_exactly(kind, settings):
    data = data_of(kind)
    preparation = Preparation(**settings)
    together = dense(preparation.fit_transform(data))
    np.testing.assert_array_equal(dense(preparation.transform(data)), together)
    for i in range(len(data)):
        alone = dense(preparation.transform(only(data, [i])))
        np.testing.assert_array_equal(alone, together[[i]])


@pytest.mark.parametrize("d", [1, 2, 3, 7, 8, 9, 40, 130, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_unit_rows_do_not_depend_on_their_neighbors(d, order):
    X = np.asarray(np.random.default_rng(d).normal(size=(23, d)), order=order)
    names = [str(j) for j in range(d)]
    preparation = Preparation(scale="unit")
    together = preparation.fit_transform(related(X=X, names=names))
    alone = [preparation.transform(related(X=X[[i]], names=names)) for i in range(23)]
    np.testing.assert_array_equal(np.vstack(alone), together)
    np.testing.assert_allclose(together, X / np.linalg.norm(X, axis=1)[:, None], rtol=1e-14)


@pytest.mark.parametrize(("kind", "settings"), SETTINGS)
def test_the_stored_preparation_gives_the_same_bits(kind, settings):
    data = data_of(kind)
    fitted = Preparation(**settings)
    fitted.fit_transform(data)
    described, arrays = fitted.to_state()
    restored = Preparation.from_state(json.loads(json.dumps(described)), arrays)
    np.testing.assert_array_equal(
        dense(restored.transform(data)).view(np.uint64),
        dense(fitted.transform(data)).view(np.uint64),
    )
    assert restored.feature_names == fitted.feature_names
    assert restored.to_state()[0] == described


@pytest.mark.parametrize("weighting", ["counts", "tfidf"])
def test_terms_are_counted_and_weighted_as_the_formula_says(weighting):
    preparation = Preparation(text_weighting=weighting, stop_words=None)
    X = preparation.fit_transform(related(TEXTS))
    assert X.format == "csr"
    assert X.dtype == np.float64
    documents = [Counter(tokens(text)) for text in TEXTS]
    assert preparation.feature_names == tuple(sorted(set().union(*documents)))
    for j, term in enumerate(preparation.feature_names):
        df = sum(term in document for document in documents)
        idf = math.log((1 + len(TEXTS)) / (1 + df)) + 1 if weighting == "tfidf" else 1.0
        expected = [document[term] * idf for document in documents]
        np.testing.assert_allclose(X.toarray()[:, j], expected, rtol=1e-14)


def test_terms_are_kept_by_document_frequency_and_ties_by_alphabet():
    texts = ("zebra zebra zebra zebra", "rare cat", "cat bee", "bee ant")
    preparation = Preparation(n_terms=3)
    preparation.fit_transform(related(texts))
    assert preparation.feature_names == ("ant", "bee", "cat")


def test_english_function_words_are_left_out_unless_kept():
    texts = ("the cat and the dog",)
    without, kept = Preparation(), Preparation(stop_words="none")
    without.fit_transform(related(texts))
    kept.fit_transform(related(texts))
    assert without.feature_names == ("cat", "dog")
    assert kept.feature_names == ("and", "cat", "dog", "the")


@pytest.mark.parametrize("scale", ["none", "unit"])
def test_rows_without_terms_stay_as_zero_rows_and_are_counted_by_task(scale):
    preparation = Preparation(scale=scale)
    X = preparation.fit_transform(related(TEXTS, tasks=TASKS))
    assert X[[2]].nnz == 0
    assert preparation.notes == [
        "1 of 5 rows hold none of the terms (1 in 'pets'); they stay as zero rows, for which the "
        "cosine with any other row is undefined."
    ]
    preparation.transform(related(("cat",)))
    assert preparation.notes == []


def test_standard_columns_have_mean_zero_and_variance_one():
    data = numbers(50)
    X = Preparation(scale="standard").fit_transform(data)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(X.var(axis=0), 1, rtol=1e-12)


def test_a_column_without_spread_becomes_zero_for_old_and_new_rows():
    X = np.column_stack([np.full(11, 0.1), np.arange(11.0)])
    preparation = Preparation(scale="standard")
    fitted = preparation.fit_transform(related(X=X, names=["same", "other"]))
    np.testing.assert_array_equal(fitted[:, 0], 0)
    new = preparation.transform(related(X=np.array([[7.0, 5.0]]), names=["same", "other"]))
    np.testing.assert_array_equal(new, [[0.0, 0.0]])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", ["none", "unit"])
def test_columns_are_found_by_name_and_strangers_ignored(scale, sparse):
    data = numbers()
    preparation = Preparation(scale=scale)
    expected = preparation.fit_transform(data)
    X = np.column_stack([np.full(6, 9.0), data.X[:, ::-1]])
    X = sp.csr_array(X) if sparse else X
    found = preparation.transform(related(X=X, names=["stranger", *data.feature_names[::-1]]))
    assert sp.issparse(found) == sparse
    np.testing.assert_allclose(dense(found), expected, rtol=1e-14)
    assert re.match("1 columns .* ignored .'stranger'", preparation.notes[0])


def test_sparse_numbers_stay_sparse_and_the_input_is_left_alone():
    X = sp.csr_array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0]])
    preparation = Preparation(scale="unit")
    scaled = preparation.fit_transform(related(X=X, names=list("abc")))
    assert scaled.format == "csr"
    np.testing.assert_allclose(scaled.toarray(), [[0.6, 0, 0.8], [0, 0, 0]])
    np.testing.assert_array_equal(X.data, [3.0, 4.0])
    assert "1 of 2 rows are zero throughout" in preparation.notes[0]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"text_weighting": "bm25"}, "text_weighting='bm25'.*'counts', 'tfidf'"),
        ({"stop_words": "german"}, "stop_words='german'.*'english', 'smart', 'none'"),
        ({"scale": "robust"}, "scale='robust'.*'none', 'unit', 'standard'"),
        ({"n_terms": 0}, "n_terms=0 must be a whole number from 1, or None for all"),
        ({"n_terms": -5}, "n_terms=-5 must be a whole number from 1, or None for all"),
        ({"n_terms": True}, "n_terms=True"),
        ({"n_terms": 2.5}, "n_terms=2.5"),
    ],
)
def test_unknown_choices_are_refused_in_a_sentence(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        Preparation(**settings)


@pytest.mark.parametrize("data", [data_of("texts"), data_of("sparse")], ids=["texts", "sparse"])
def test_sparse_data_are_not_centered(data):
    with pytest.raises(InputError, match='scale="standard".*"unit"'):
        Preparation(scale="standard").fit_transform(data)


def test_texts_without_any_term_are_refused():
    with pytest.raises(InputError, match="None of the 2 texts holds a word"):
        Preparation().fit_transform(related(("the and", "12")))


def test_nothing_is_transformed_or_stored_before_fitting():
    for use in (lambda p: p.transform(numbers()), lambda p: p.to_state()):
        with pytest.raises(InputError, match="not fitted: call fit_transform"):
            use(Preparation())


def test_missing_columns_are_named():
    preparation = Preparation()
    preparation.fit_transform(numbers())
    with pytest.raises(InputError, match=r"lacks 2 of the 4 columns .*'c', 'd'"):
        preparation.transform(numbers(d=2))


@pytest.mark.parametrize(("fitted_on", "given"), [("texts", "numbers"), ("numbers", "texts")])
def test_texts_and_numbers_are_not_mixed_up(fitted_on, given):
    preparation = Preparation()
    preparation.fit_transform(data_of(fitted_on))
    with pytest.raises(InputError, match=f"holds {given}, but .* fitted on {fitted_on}"):
        preparation.transform(data_of(given))


STATE = {
    "version": 1,
    "reads": "numbers",
    "text_weighting": "counts",
    "stop_words": None,
    "n_terms": None,
    "scale": "standard",
    "feature_names": ["a", "b"],
}
ARRAYS = {"center": np.array([1.0, -2.0]), "spread": np.array([1.0, 0.0])}


@pytest.mark.parametrize(
    ("changes", "arrays", "sentence"),
    [
        ({"version": 99}, ARRAYS, "version 99 and this version of Kinfolk reads 1"),
        ({"surplus": 1}, ARRAYS, "should not have surplus"),
        ({"reads": "pictures"}, ARRAYS, "reads='pictures'"),
        ({"reads": "texts"}, ARRAYS, "scale='standard'"),
        ({"reads": None}, ARRAYS, "reads=None"),
        ({"scale": "robust"}, ARRAYS, "scale='robust'"),
        ({"scale": "none"}, ARRAYS, r"arrays \['center', 'spread'\] where \[\] are meant"),
        ({"n_terms": "many"}, ARRAYS, "n_terms='many'"),
        ({"n_terms": -1}, ARRAYS, "n_terms=-1"),
        ({"feature_names": "ab"}, ARRAYS, "feature_names='ab'"),
        ({"feature_names": ["a", "a"]}, ARRAYS, "feature_names="),
        ({"feature_names": ["a", 1]}, ARRAYS, "feature_names="),
        ({"feature_names": ["a", ["b"]]}, ARRAYS, "feature_names="),
        ({"feature_names": []}, ARRAYS, "feature_names="),
        ({"feature_names": ["a", "b", "c"]}, ARRAYS, r"center=\(2,\)"),
        ({}, {}, r"arrays \[\] where"),
        ({}, ARRAYS | {"spread": np.array([1, 2])}, "spread=.*int64"),
        ({}, ARRAYS | {"spread": np.array([1.0, -1.0])}, "spread=an array"),
        ({}, ARRAYS | {"center": np.array([1.0, np.nan])}, "center=an array"),
        ({}, ARRAYS | {"center": [1.0, 2.0]}, "center=<class 'list'>"),
    ],
)
def test_an_unsound_state_is_refused_in_a_sentence(changes, arrays, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        Preparation.from_state(STATE | changes, arrays)


@pytest.mark.parametrize("settings", [None, [], "version", {}, {"version": 1}])
def test_a_state_of_another_kind_is_refused(settings):
    with pytest.raises(FileFormatError, match="The stored preparation"):
        Preparation.from_state(settings, {})


def test_the_sound_state_of_these_tests_is_accepted():
    restored = Preparation.from_state(STATE, ARRAYS)
    X = restored.transform(related(X=np.array([[3.0, 5.0]]), names=["a", "b"]))
    np.testing.assert_array_equal(X, [[2.0, 0.0]])


def test_rows_have_unit_length_in_each_view_and_new_rows_too():
    X = np.array([[3.0, 4.0, 2.0], [0.0, 0.0, 5.0]])
    rows = np.array(["1", "2"])
    views = {"a": slice(0, 2), "b": slice(2, 3)}
    data = RelatedData("t", rows, rows, X, ("p", "q", "r"), views=views)
    preparation = Preparation(scale="unit")
    expected = [[0.6, 0.8, 1.0], [0.0, 0.0, 1.0]]
    np.testing.assert_allclose(preparation.fit_transform(data), expected)
    settings, arrays = preparation.to_state()
    assert settings["views"] == [2, 3]
    again = Preparation.from_state(json.loads(json.dumps(settings)), arrays)
    np.testing.assert_allclose(again.transform(data), expected)
    for ends in ([2], [0, 3], [3, 2], [2, "3"], [2, 2, 3]):
        with pytest.raises(FileFormatError, match="views="):
            Preparation.from_state({**settings, "views": ends}, arrays)


@pytest.mark.parametrize("kind", ["texts", "numbers", "sparse"])
def test_the_given_data_stay_as_they_are(kind):
    data = data_of(kind)
    before = data.texts or dense(data.X).copy()
    for scale in ("none", "unit"):
        preparation = Preparation(scale=scale)
        preparation.fit_transform(data)
        preparation.transform(data)
    if data.texts is None:
        np.testing.assert_array_equal(dense(data.X), before)
    else:
        assert data.texts == before


def test_fitting_again_forgets_the_rows_before():
    preparation = Preparation(text_weighting="tfidf")
    preparation.fit_transform(related(TEXTS))
    preparation.fit_transform(related(("fresh words", "fresh")))
    assert preparation.feature_names == ("fresh", "words")
    assert preparation.to_state()[1]["idf"].shape == (2,)
    preparation = Preparation(scale="standard")
    preparation.fit_transform(numbers())
    preparation.scale = "none"
    preparation.fit_transform(numbers())
    assert preparation.to_state()[0]["reads"] == "numbers"
    assert preparation.to_state()[1] == {}


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_a_table_of_counts_is_weighted_as_the_texts_that_it_counts(kind):
    texts = ("cat cat dog", "dog", "bird dog", "bird cat")
    of_texts = Preparation(text_weighting="tfidf")
    expected = of_texts.fit_transform(related(texts)).toarray()
    counts = np.array([[0, 2, 1], [0, 0, 1], [1, 0, 1], [1, 1, 0]])
    rows = np.array(list("abcd"))
    table = RelatedData("counts", rows, rows, kind(counts), ("bird", "cat", "dog"))
    of_counts = Preparation(text_weighting="tfidf")
    np.testing.assert_allclose(dense(of_counts.fit_transform(table)), expected)
    np.testing.assert_allclose(dense(of_counts.transform(table)), expected)


def test_stored_zeros_are_no_words_of_a_text():
    stored = sp.csr_array((np.array([2.0, 0.0]), np.array([0, 0]), np.array([0, 1, 2])))
    rows = np.array(["a", "b"])
    found = Preparation(text_weighting="tfidf").fit_transform(
        RelatedData("counts", rows, rows, stored, ("cat",))
    )
    assert found.toarray().tolist() == [[pytest.approx(2 * (math.log(3 / 2) + 1))], [0.0]]


def test_negative_numbers_are_not_weighted_as_counts():
    rows = np.array(["a", "b"])
    table = RelatedData("t", rows, rows, np.array([[1.0], [-1.0]]), ("x",))
    with pytest.raises(InputError, match="weighs counts of terms, and the table has negative"):
        Preparation(text_weighting="tfidf").fit_transform(table)


def test_a_model_that_did_not_weigh_its_counts_still_does_not():
    preparation = Preparation()
    before = preparation.fit_transform(numbers())
    settings, arrays = preparation.to_state()
    again = Preparation.from_state({**settings, "text_weighting": "tfidf"}, arrays)
    np.testing.assert_array_equal(again.transform(numbers()), before)


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [1, 0, 3, 2]])
@pytest.mark.parametrize("scale", ["none", "unit", "standard"])
def test_the_order_of_columns_in_new_rows_does_not_matter(order, scale):
    data = numbers()
    preparation = Preparation(scale=scale)
    expected = preparation.fit_transform(data)
    shuffled = related(X=data.X[:, order], names=[data.feature_names[j] for j in order])
    np.testing.assert_array_equal(preparation.transform(shuffled), expected)
    assert preparation.notes == []


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_numbers_of_any_type_become_double_precision(dtype):
    X = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    for table in (X, sp.csr_array(X)):
        found = Preparation().fit_transform(related(X=table, names=["a", "b"]))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(dense(found), X.astype(float))


def test_unknown_words_of_new_texts_are_ignored():
    preparation = Preparation(stop_words=None)
    preparation.fit_transform(related(("cat dog", "dog")))
    X = preparation.transform(related(("zebra cat zebra", "zebra")))
    np.testing.assert_array_equal(X.toarray(), [[1, 0], [0, 0]])
    assert preparation.notes == [
        "1 of 2 rows hold none of the terms (1 in 't'); they stay as zero rows, for which the "
        "cosine with any other row is undefined."
    ]


def test_empty_rows_are_counted_in_each_task():
    tasks = np.array(["b", "a", "b", "a", "b"])
    X = np.array([[0.0], [1.0], [0.0], [0.0], [2.0]])
    preparation = Preparation()
    preparation.fit_transform(related(X=X, names=["x"], tasks=tasks))
    (note,) = preparation.notes
    assert note.startswith("3 of 5 rows are zero throughout (2 in 'b', 1 in 'a')")


def test_standard_columns_have_no_note_on_zero_rows():
    preparation = Preparation(scale="standard")
    preparation.fit_transform(related(X=np.array([[0.0], [4.0]]), names=["x"]))
    assert preparation.notes == []


def test_the_state_of_one_view_is_that_of_older_programs():
    preparation = Preparation(scale="unit")
    preparation.fit_transform(numbers())
    assert "views" not in preparation.to_state()[0]
    preparation.fit_transform(related(TEXTS))
    assert "views" not in preparation.to_state()[0]


def test_the_state_is_not_the_preparation_itself():
    preparation = Preparation(scale="standard")
    X = preparation.fit_transform(numbers())
    preparation.to_state()[1].clear()
    np.testing.assert_array_equal(preparation.transform(numbers()), X)


@pytest.mark.parametrize("spread", [1e-320, 1e-201, np.nan, np.inf, 1e80, -1.0])
def test_a_stored_spread_that_no_row_can_be_divided_by_is_refused(spread):
    settings, arrays = stored("standard")
    arrays["spread"] = np.full_like(arrays["spread"], spread)
    with pytest.raises(FileFormatError, match="has spread="):
        Preparation.from_state(settings, arrays)


def stored(scale):
    """Stored state of a preparation of two columns."""
    rows = np.array(["a", "b"])
    data = RelatedData("t", rows, rows, np.array([[1.0, 2.0], [3.0, 5.0]]), ("x", "y"))
    preparation = Preparation(scale=scale)
    preparation.fit_transform(data)
    return preparation.to_state()
