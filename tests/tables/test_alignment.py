import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from kinfolk.errors import InputError
from kinfolk.tables import alignment

NAMES = {"a": ["x", "y", "z"], "b": ["z", "w", "x"]}
TABLES = {"a": np.array([[1.0, 2.0, 3.0]]), "b": np.array([[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])}


def entry(table, row, column):
    """Value of a table's row under a column name; 0 without such a column."""
    if column not in NAMES[table]:
        return 0.0
    return TABLES[table][row, NAMES[table].index(column)]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("how", "columns"), [("intersect", ("x", "z")), ("union", ("x", "y", "z", "w"))]
)
def test_every_entry_keeps_its_row_and_its_column_name(how, columns, sparse):
    tables = {t: sp.csr_array(X) if sparse else X for t, X in TABLES.items()}
    aligned, found, overlap = alignment.align(NAMES, tables, how)
    assert found == columns
    assert (overlap.n_shared, overlap.n_total) == (2, 4)
    assert overlap.only == {"a": ("y",), "b": ("w",)}
    for table, X in zip(NAMES, aligned, strict=True):
        assert sp.issparse(X) == sparse
        dense = X.toarray() if sparse else X
        expected = [[entry(table, i, c) for c in columns] for i in range(len(TABLES[table]))]
        np.testing.assert_array_equal(dense, expected)


@settings(deadline=None)
@given(st.permutations(["x", "y", "z"]))
def test_strict_takes_the_same_names_in_any_order(order):
    X = np.array([[1.0, 2.0, 3.0]])
    shuffled = X[:, [NAMES["a"].index(name) for name in order]]
    aligned, columns, overlap = alignment.align(
        {"a": NAMES["a"], "b": order}, {"a": X, "b": shuffled}
    )
    assert columns == ("x", "y", "z")
    np.testing.assert_array_equal(aligned[1], X)
    assert overlap.share == 1


def test_inputs_are_left_alone():
    before = {table: X.copy() for table, X in TABLES.items()}
    aligned, _, _ = alignment.align(NAMES, TABLES, "union")
    for X in aligned:
        X += 1
    for table, X in before.items():
        np.testing.assert_array_equal(TABLES[table], X)


@pytest.mark.parametrize(
    ("names", "how", "sentence"),
    [
        (NAMES, "strict", "'a' and 'b' .*only 'a' has 'y'; only 'b' has 'w'.*intersect.*union"),
        ({"a": ["x", "y", "z"], "b": ["u", "v", "w"]}, "intersect", "No column is shared"),
        ({"a": ["x", "x", "z"]}, "strict", "'a' has more than one column named 'x'"),
        ({"a": ["x", "y"]}, "strict", "'a' has 3 columns but 2 names"),
        (NAMES, "outer", "columns='outer'.*strict, intersect, union"),
    ],
)
def test_tables_that_cannot_be_aligned_are_refused_in_a_sentence(names, how, sentence):
    with pytest.raises(InputError, match=sentence):
        alignment.align(names, TABLES, how)


def test_the_refusal_lists_at_most_five_columns_a_side():
    names = {"a": list("abcdefgh"), "b": list("ijklmnop")}
    tables = {table: np.ones((1, 8)) for table in names}
    with pytest.raises(InputError, match="'e' and 3 more; only 'b' has .*'m' and 3 more"):
        alignment.align(names, tables)


@pytest.mark.parametrize(
    ("n_shared", "how", "sentence"),
    [
        (10, "union", r"^10 of 10 columns are shared by all tables \(100 %\)\.$"),
        (8, "union", r"^8 of 10 .*\(80 %\); what a table lacks counts as zero\.$"),
        (8, "intersect", r"^8 of 10 .*all other columns are left out\.$"),
        (7, "union", r"^Only 7 of 10 .*\(70 %\).*tell the tables apart instead of the rows\.$"),
        (7, "intersect", r"^Only 7 of 10 .*small part of what was measured\.$"),
    ],
)
def test_little_overlap_is_told_in_stronger_words(n_shared, how, sentence):
    assert re.search(sentence, alignment.Overlap(n_shared, 10, {}, how).sentence())


def test_the_shown_share_is_rounded_down_from_the_counts():
    assert "(57 %)" in alignment.Overlap(57, 100, {}, "union").sentence()
    assert "(99 %)" in alignment.Overlap(999, 1000, {}, "union").sentence()


def test_one_sparse_table_makes_the_stack_sparse():
    stacked = alignment.stacked([np.eye(2), sp.csr_array(np.eye(2))])
    assert stacked.format == "csr"
    np.testing.assert_array_equal(stacked.toarray(), np.vstack([np.eye(2), np.eye(2)]))


def test_names_that_differ_in_capitals_or_spaces_only_are_told_so():
    names = {"a": ["Age", "Plan"], "b": ["age", "Plan"]}
    tables = {"a": np.ones((2, 2)), "b": np.ones((2, 2))}
    with pytest.raises(InputError, match="differ in capitals or spaces only .*'Age'.*'age'"):
        alignment.align(names, tables, "strict")
    assert alignment.align(names, tables, "intersect")[1] == ("Plan",)
    names = {"a": ["Age", "Plan", "x"], "b": ["age ", "Plan"]}
    tables["a"] = np.ones((2, 3))
    told = "'Age' and 'age ' differ in capitals or spaces only: write them alike if"
    with pytest.raises(InputError, match=f"with zeros where a table lacks one. {told}"):
        alignment.align(names, tables, "strict")
    assert told in alignment.align(names, tables, "union")[2].sentence()
    # One table has both: they are two columns.
    names = {"a": ["Age", "age", "Plan"], "b": ["Age", "Plan"]}
    assert "capitals" not in alignment.align(names, tables, "union")[2].sentence()
