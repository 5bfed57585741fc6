"""Files of mixed columns: stacked, decided, with or without their gaps."""

import numpy as np
import pytest

from kinfolk import sources
from kinfolk.errors import InputError

TABLE = "shop,plan,age\nb,pro,31\nb,,28\no,free,\no,pro,40\n"


def kinds_of(data):
    return {column.name: column.kind for column in data.columns}


def test_columns_of_words_or_gaps_are_decided_one_by_one(put):
    data, *_ = sources.read(put(**{"t.csv": TABLE}), tasks="shop")
    assert kinds_of(data) == {"plan": "category", "age": "amount"}
    assert data.X is None
    assert data.texts is None
    assert data.feature_names == ("plan", "age")


def test_numbers_without_gaps_stay_a_plain_table_even_with_decimal_commas(put):
    data, *_ = sources.read(put(**{"t.csv": "a;b\n1,5;2\n3;4\n"}))
    assert data.columns is None
    np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4]])


def test_asked_kinds_make_a_plain_table_mixed(put):
    paths = put(**{"t.csv": "code,x\n1,2.5\n2,3.5\n1,0.5\n"})
    assert kinds_of(sources.read(paths, kinds={"code": "category"}).data)["code"] == "category"
    assert sources.read(paths, kinds={"code": "number"}).data.columns is None


def test_ignored_columns_may_hold_anything(put):
    data, notes, _ = sources.read(put(**{"t.csv": TABLE}), tasks="shop", ignore=["plan", "age"][:1])
    assert data.feature_names == ("age",)
    assert "'plan'" in notes[0]


def test_a_column_that_a_file_lacks_is_a_gap_in_its_rows(put):
    paths = put(**{"a.csv": "x,plan\n1,pro\n2,free\n", "b.csv": "x\n3\n4\n"})
    data, *_ = sources.read(paths, columns="union")
    assert data.columns[1].values.tolist() == ["pro", "free", None, None]
    with pytest.raises(InputError, match="intersect"):
        sources.read(paths)


def test_numbers_in_one_file_and_words_in_another_are_one_column(put):
    paths = put(**{"a.csv": "x\n1\n2\n", "b.csv": "x\n?\n4\n"})
    (column,) = sources.read(paths).data.columns
    np.testing.assert_array_equal(column.values, [1, 2, np.nan, 4])


def test_rows_with_gaps_are_dropped_with_their_classes_and_it_is_said(put):
    text = "shop,plan,age,k\nb,pro,31,u\nb,,28,v\nb,free,30,v\n"
    data, notes, labels = sources.read(
        put(**{"t.csv": text}), tasks="shop", target="k", labels=None, missing="drop"
    )
    assert data.row_ids.tolist() == ["1", "3"]
    assert data.target.tolist() == ["u", "v"]
    assert data.columns[1].values.tolist() == [31, 30]
    assert notes == ["1 of 3 rows have gaps and are left out."]
    assert labels is None


def test_gaps_are_refused_with_all_their_columns(put):
    paths = put(**{"t.csv": TABLE})
    with pytest.raises(InputError, match="gaps in 'plan' 1, 'age' 1, the first in data row 2"):
        sources.read(paths, tasks="shop", missing="error")


def test_gaps_of_columns_that_are_left_out_do_not_matter(put):
    paths = put(**{"t.csv": "when,x,w\n2020-01-01,1.5,u\n,2.5,v\n2021-01-01,3,u\n"})
    data, *_ = sources.read(paths, missing="error")
    assert kinds_of(data) == {"when": "date", "x": "number", "w": "category"}


def test_dropping_all_rows_of_a_task_is_refused_and_names_the_column(put):
    paths = put(**{"t.csv": "shop,x,y\nb,1,2\nb,3,4\no,5,\no,6,\n"})
    with pytest.raises(InputError, match="of 'o', where 'y' has 2 gaps: .*missing='impute'"):
        sources.read(paths, tasks="shop", missing="drop")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,x\n2,\n3,1\n4,2\n5,3\n", "'b': 1 of its values is no number, such as 'x' in"),
        ('a,b\n1,"1,5"\n2,"1e999"\n', "data row 2 has an infinite number in column 'b'"),
        ("a,a\n1,x\n", "more than one column named 'a'"),
    ],
)
def test_bad_columns_get_one_sentence(put, content, says):
    with pytest.raises(InputError, match=says) as caught:
        sources.read(put(**{"t.csv": content}))
    assert "\n" not in str(caught.value)


def test_a_column_of_gaps_only_is_constant(put):
    data, *_ = sources.read(put(**{"t.csv": "a,b\n1,\n2,\n"}))
    assert kinds_of(data)["b"] == "constant"


@pytest.mark.parametrize("option", [{"ignore": ["z"]}, {"kinds": {"z": "number"}}])
def test_columns_that_no_file_has_are_refused(put, option):
    with pytest.raises(InputError, match="no column 'z' to cluster on; it has 'a'"):
        sources.read(put(**{"t.csv": "a\n1\n"}), **option)


def test_a_column_that_a_table_with_words_lacks_is_said_to_be_a_gap_and_not_zero(put):
    rows = "".join(f"{'pq'[i % 2]},{i % 7},{i % 5}\n" for i in range(20))
    files = put(**{"a.csv": f"word,x,y\n{rows}", "b.csv": f"word,x,z\n{rows}"})
    _, notes, _ = sources.read(files, columns="union")
    assert notes[0] == (
        "Only 2 of 4 columns are shared by all tables (50 %); what a table lacks counts as a gap: "
        "clusters of different tables are compared by few columns."
    )
    with pytest.raises(InputError, match="to keep all columns, with gaps where a table lacks one"):
        sources.read(files)
