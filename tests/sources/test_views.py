import numpy as np
import pytest
import scipy.sparse as sp

from file_contents import packed, sparse_file
from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.sources import column_views, file_views
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import RelatedData

PIX, FOU = "id,kind,p1,p2\nr1,u,1,2\nr2,v,3,4\n", "f1,id\n6,r2\n5,r1\n"
BESIDE = [[1, 2, 5], [3, 4, 6]]


def test_each_file_is_a_view_of_the_rows_that_their_ids_name(put):
    paths = put(**{"pix.csv": PIX, "fou.csv": FOU})
    data, notes, _ = sources.read(paths, views="files", row_id="id", target="kind")
    np.testing.assert_array_equal(data.X, BESIDE)
    assert data.feature_names == ("p1", "p2", "f1")
    assert data.views == {"pix": slice(0, 2), "fou": slice(2, 3)}
    assert data.row_ids.tolist() == ["r1", "r2"]
    assert data.target.tolist() == ["u", "v"]
    assert data.task_names == ["all"]
    assert notes == ["The columns are 2 views: pix (2), fou (1)."]
    turned, *_ = sources.read(paths[::-1], views="files", row_id="id", target="kind")
    assert turned.row_ids.tolist() == ["r2", "r1"]
    assert turned.target.tolist() == ["v", "u"]
    np.testing.assert_array_equal(turned.X, [[6, 3, 4], [5, 1, 2]])


def test_views_without_ids_are_joined_in_their_order_and_may_have_tasks(put):
    paths = put(**{"a.csv": "t,x\nu,1\nv,2\n", "b.npz": packed(X=np.array([[3.0], [4.0]]))})
    data, *_ = sources.read(paths, views="files", tasks="t")
    np.testing.assert_array_equal(data.X, [[1, 3], [2, 4]])
    assert data.tasks.tolist() == ["u", "v"]


PEOPLE = [f"p{i}" for i in range(14)]


def named(names, column):
    """A table of rows with these names in its column `id`, and one column of numbers."""
    return f"id,{column}\n" + "".join(f"{name},{i * i % 7}\n" for i, name in enumerate(names))


@pytest.mark.parametrize("names", [PEOPLE, range(100, 114)], ids=["words", "numbers"])
def test_rows_that_two_files_name_differently_are_not_joined_by_their_order(put, names):
    names = list(names)
    paths = put(**{"a.csv": named(names[:-1], "x"), "b.csv": named(names[1:], "y")})
    with pytest.raises(InputError, match=r"'a: id' and 'b: id' name the rows .* data row 1 .*row_"):
        sources.read(paths, views="files")
    joined, *_ = sources.read(paths, views="files", row_id="id", missing_views="drop")
    assert joined.row_ids.tolist() == [str(name) for name in names[1:-1]]
    beside, *_ = sources.read(paths, views="files", ignore=["id"])
    assert beside.feature_names == ("x", "y")


def test_files_that_name_their_rows_alike_or_in_two_ways_are_joined_by_the_order_of_rows(put):
    paths = put(**{"a.csv": named(PEOPLE, "x"), "b.csv": named(PEOPLE, "y")})
    assert len(sources.read(paths, views="files").data) == 14
    other = put(**{"a.csv": named(PEOPLE, "x"), "b.csv": named([n.upper() for n in PEOPLE], "y")})
    assert len(sources.read(other, views="files").data) == 14


def test_columns_of_one_name_are_told_apart_by_their_view(put):
    paths = put(**{"a.csv": "x,y\n1,2\n", "b.csv": "x\n3\n"})
    data, *_ = sources.read(paths, views="files")
    assert data.feature_names == ("a: x", "a: y", "b: x")
    some, notes, _ = sources.read(paths, views="files", only=["a: x", "b: x"])
    assert some.feature_names == ("a: x", "b: x")
    assert "'y'" in notes[-1]


def test_sparse_views_stay_sparse(put):
    eye = sparse_file(sp.csr_array(np.eye(2)))
    data, *_ = sources.read(put(**{"a.npz": eye, "b.csv": "x\n3\n4\n"}), views="files")
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 3], [0, 1, 4]])


def test_columns_are_divided_into_views_by_patterns(put):
    (path,) = put(**{"t.csv": "p1,f1,p2,g\n1,5,2,6\n3,7,4,8\n"})
    data, notes, _ = sources.read(path, views="pix=p*, fou=f?,fou=g")
    np.testing.assert_array_equal(data.X, [[1, 2, 5, 6], [3, 4, 7, 8]])
    assert data.feature_names == ("p1", "p2", "f1", "g")
    assert data.views == {"pix": slice(0, 2), "fou": slice(2, 4)}
    assert notes == ["The columns are 2 views: pix (2), fou (2)."]


@pytest.mark.parametrize(
    ("contents", "options", "told"),
    [
        ({"a.csv": PIX}, {"row_id": "id", "target": "kind"}, "a.csv is one view"),
        ({"a.csv": "x\n1\n", "b.csv": "y\n1\n2\n"}, {}, "b.csv has 2 rows and .*a.csv has 1"),
        ({"a.csv": PIX, "b.csv": "id,y\nr1,1\nr3,2\n"}, {"row_id": "id", "target": "kind"},
         "same rows, each once .such as 'r2', 'r3'"),
        ({"a.csv": PIX, "b.csv": "id,y\nr1,1\nr1,2\nr2,3\n"}, {"row_id": "id", "target": "kind"},
         "same rows, each once .such as 'r1'"),
        ({"a.csv": "x\n1\n", "b.csv": "y\n1\n"}, {"tasks": "t"}, "No file of a view has .* 't'"),
        ({"a.csv": "x,t\n1,u\n", "b.csv": "y,t\n1,v\n"}, {"tasks": "t"}, "differ in the tasks"),
        ({"a.csv": "w\nyes\n", "b.csv": "w\nno\n"}, {"text": "w"}, "a.csv holds texts"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=x"}, "Columns 'y' are in no view or in two"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=*,b=y"}, "Columns 'y' are in no view or in two"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=x,b=z*"}, "'b=z\\*', which names no columns"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "xy"}, "'xy', which names no columns"),
        ({"a.csv": "w\nyes\n"}, {"text": "w", "views": "a=w"}, "the rows are texts"),
    ],
)  # fmt: skip
def test_views_that_do_not_fit_are_refused(put, contents, options, told):
    with pytest.raises(InputError, match=told):
        sources.read(put(**contents), **({"views": "files"} | options))


def sheet(X, names, rows=("r1", "r2"), **roles):
    roles = {role: np.array(values) for role, values in roles.items()}
    return Sheet(f"{names[0]}.csv", np.array(rows), X=X, feature_names=tuple(names), **roles)


A = sheet(np.array([[1.0], [2.0]]), ["a"])
B = sheet(np.array([[3.0, 4.0], [5.0, 6.0]]), ["b", "c"])


def test_views_stand_side_by_side_in_their_order():
    joined, views = file_views.join_sheets({"u": A, "v": B}, Roles())
    np.testing.assert_array_equal(joined.X, [[1, 3, 4], [2, 5, 6]])
    assert joined.feature_names == ("a", "b", "c")
    assert list(views) == ["u", "v"]
    assert joined.file == "a.csv, b.csv"
    turned, views = file_views.join_sheets({"v": B, "u": A}, Roles())
    np.testing.assert_array_equal(turned.X[:, views["u"]], A.X)


def test_all_that_belongs_to_a_row_is_reordered_with_it():
    other = sheet(
        np.array([[20.0], [10.0]]), ["b"], rows=("r2", "r1"), tasks=["v", "u"], target=["q", "p"],
        labels=["-1", "p"],
    )  # fmt: skip
    joined, _ = file_views.join_sheets({"a": A, "b": other}, Roles(row_id="id"))
    np.testing.assert_array_equal(joined.X, [[1, 10], [2, 20]])
    assert joined.tasks.tolist() == ["u", "v"]
    assert joined.target.tolist() == ["p", "q"]
    assert joined.labels.tolist() == ["p", "-1"]


def test_a_role_may_stand_in_several_files_if_they_agree():
    one = sheet(A.X, ["a"], tasks=["u", "v"])
    joined, _ = file_views.join_sheets(
        {"a": one, "b": sheet(A.X, ["b"], tasks=["u", "v"])}, Roles()
    )
    assert joined.tasks.tolist() == ["u", "v"]
    with pytest.raises(InputError, match="a.csv and b.csv differ in the tasks of the same rows"):
        file_views.join_sheets({"a": one, "b": sheet(A.X, ["b"], tasks=["u", "u"])}, Roles())


def test_rows_without_tasks_are_one_task():
    joined, _ = file_views.join_sheets({"a": A, "b": B}, Roles())
    assert joined.tasks.tolist() == ["all", "all"]
    assert joined.target is None


def table(*names, X=None):
    rows = np.array(["1", "2"])
    X = np.arange(2.0 * len(names)).reshape(2, -1) if X is None else X
    return RelatedData("t", rows, rows, X, names)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ("a=x*,b=y", ("x1", "x2", "y")),
        ("b=y,a=x?", ("y", "x1", "x2")),
        ("a=x2,b=*[1y]", ("x2", "x1", "y")),
        (" a = x1 , b = y , a = x2 ", ("x1", "x2", "y")),
    ],
)
def test_columns_are_reordered_view_by_view(views, expected):
    data = table("x1", "y", "x2")
    found = column_views.by_patterns(data, views)
    assert found.feature_names == expected
    order = [data.feature_names.index(name) for name in expected]
    np.testing.assert_array_equal(found.X, data.X[:, order])
    assert sum(s.stop - s.start for s in found.views.values()) == 3


def test_patterns_tell_capitals_from_small_letters():
    assert column_views.by_patterns(table("P", "p"), "a=P,b=p").feature_names == ("P", "p")


def test_sparse_columns_are_divided_too():
    data = table("x", "y", X=sp.csr_array(np.array([[0.0, 1.0], [2.0, 0.0]])))
    found = column_views.by_patterns(data, "b=y,a=x")
    assert sp.issparse(found.X)
    np.testing.assert_array_equal(found.X.toarray(), [[1, 0], [0, 2]])


def test_names_of_joined_columns_are_found_in_the_file_of_their_view():
    assert file_views.names_in_file(None, "pix") is None
    assert file_views.names_in_file(["pix: x", "fou: x", "y"], "pix") == {"x", "fou: x", "y"}


def test_unit_and_notation_of_views_are_kept_for_new_rows(put):
    paths = put(**{"a.csv": "x;y\n1,5 kg;1\n2,5 kg;3\n", "b.csv": "x\n3 cm\n4 cm\n"})
    written = {"a: x": "in kg, with decimal commas", "b: x": "in cm"}
    for content, options in (
        ("x\n3 cm\n4 cm\n", {}),
        ("x\n3 cm\n4 cm\n", {"kinds": {"a: y": "category"}}),
        ("x,color\n3 cm,red\n4 cm,green\n", {}),
    ):
        paths[1].write_text(content)
        data, *_ = sources.read(paths, views="files", **options)
        assert data.written == written
    paths[0].write_text("x;y\n1.200;1\n2.300;3\n")
    data, *_ = sources.read(paths, views="files", known_tasks=True, written=written)
    assert data.columns[0].values.tolist() == [1200, 2300]


def test_words_of_numbers_are_joined_by_ids_too(put):
    paths = put(**{"a.csv": "id,x\nr1,1 kg\nr2,2 kg\n", "b.csv": "id,y\nr2,4 cm\nr1,3 cm\n"})
    kinds = {"x": "category"}
    data, *_ = sources.read(paths, views="files", row_id="id", kinds=kinds)
    assert [column.values.tolist() for column in data.columns] == [["1 kg", "2 kg"], [3, 4]]
    paths[1].write_text("id,y\nr3,5 cm\nr1,3 cm\n")
    options = {"views": "files", "row_id": "id", "missing_views": "keep", "kinds": kinds}
    data, *_ = sources.read(paths, **options)
    np.testing.assert_equal(data.columns[1].values, [3, np.nan, 5])
    assert data.written == {"y": "in cm"}
