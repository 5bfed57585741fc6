"""Descriptions of tables."""

import warnings
from dataclasses import replace

import narwhals as nw
import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.errors import FileFormatError, InputError, MissingExtraError
from kinfolk.sources import describe as describing
from kinfolk.sources import native
from kinfolk.tables import RelatedData

COLUMNS = {
    "country": ["IT", "IT", "DE", "DE"],
    "plan": ["pro", "basic", "pro", None],
    "income": [1200.5, None, 40.25, 12.0],
}


def kinds_of(description):
    return [(c.name, c.kind) for c in description.columns]


def expected(described):
    assert kinds_of(described) == [("plan", "category"), ("income", "number")]
    assert [int(c.gaps.sum()) for c in described.columns] == [1, 1]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_each_library_are_described_alike(library):
    backend = pytest.importorskip(library)
    make = backend.table if library == "pyarrow" else backend.DataFrame
    expected(kf.describe(make(COLUMNS), tasks="country"))


def test_dictionaries_are_described_and_tasks_may_be_a_list():
    table = {name: values for name, values in COLUMNS.items() if name != "country"}
    expected(kf.describe(table, tasks=COLUMNS["country"]))


def test_ordered_categories_of_pandas_and_arrow_keep_their_order():
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    sizes = pd.Categorical(["S", "L", None], categories=["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes})
    for table in (frame, pa.Table.from_pandas(frame)):
        (column,) = kf.describe(table).columns
        assert (column.kind, column.levels) == ("ordered category", ("S", "M", "L"))


def test_files_with_semicolons_and_decimal_commas_are_understood_and_it_is_said(put):
    (path,) = put(**{"t.csv": "plan;price\npro;1,5\nbasic;2,0\npro;3,25\n"})
    described = kf.describe(path)
    assert kinds_of(described) == [("plan", "category"), ("price", "number")]
    assert "separated by semicolons" in repr(described)
    assert "decimal commas" in repr(described)


def test_commas_inside_fields_do_not_hide_semicolons(put):
    (path,) = put(**{"t.csv": "name;price\nA, b;1,5\nC;2,0\n"})
    assert [c.name for c in kf.describe(path).columns] == ["name", "price"]


def test_workbooks_are_described(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    pd.DataFrame(COLUMNS).to_excel(tmp_path / "t.xlsx", index=False)
    expected(kf.describe(tmp_path / "t.xlsx", tasks="country"))


def test_workbooks_without_their_library_get_one_sentence(put, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (path,) = put(**{"t.xlsx": b"PK"})
    with pytest.raises(MissingExtraError, match=r"\[excel\]"):
        kf.describe(path)


def test_the_table_in_a_notebook_escapes_names():
    assert "<td>&lt;b&gt;</td>" in kf.describe({"<b>": [1, 2]})._repr_html_()


def test_counts_of_gaps_come_with_their_share():
    lines = kf.describe({"a": [1.5, None] * 2, "b": [1.5, *[None] * 3]}).lines()
    assert [line[3] for line in lines] == ["2 (50%)", "3 (75%)"]


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        ({"a": [1]}, {"tasks": "b"}, "no column 'b'"),
        ({"a": [1]}, {"kinds": {"b": "number"}}, "no column 'b'"),
        ({"a": [1]}, {"tasks": ["x", "y"]}, "tasks has shape"),
        ({"a": [1], "b": [1, 2]}, {}, "as many values in each"),
        ([[1, 2]], {}, "no named columns"),
    ],
)
def test_unusable_tables_get_one_sentence(table, options, says):
    with pytest.raises(InputError, match=says):
        kf.describe(table, **options)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("kinds", [{}, {"days": "number"}])
def test_columns_with_infinite_numbers_are_unclear_and_no_copies(wrong, kinds):
    doses = [0.0, 2.0, 4.0, 6.0] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        described = kf.describe({"dose": doses, "days": [1.0, wrong, *doses[2:]]}, kinds=kinds)
    assert kinds_of(described) == [("dose", "amount"), ("days", "unclear")]
    assert described.columns[1].reason.startswith("data row 2 has an infinite number")
    assert described.lines()[1][4] == "refused"


def test_a_column_name_twice_is_refused(put):
    (path,) = put(**{"t.csv": "a,a\n1,2\n"})
    with pytest.raises(FileFormatError, match="more than one column named 'a'"):
        kf.describe(path)


def test_floats_of_a_frame_are_copied():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.5, 2.5]})
    native.of_frame(nw.from_native(frame))["a"].values[0] = 9
    assert frame["a"].tolist() == [1.5, 2.5]


def test_what_is_done_with_each_column_is_said():
    described = kf.describe({"a": [1.5, 2.5], "b": ["u", "v"], "c": ["1", "1"]})
    assert [line[4] for line in described.lines()] == ["scaled", "0/1 columns", "left out"]


def test_thousands_of_columns_are_cut_when_printed():
    printed = repr(kf.describe({f"x{i}": [1.5, 2.5] for i in range(500)}))
    assert printed.endswith("... and 440 more columns: 440 number")
    assert len(printed.splitlines()) == 62


def test_of_many_columns_those_that_are_used_are_printed():
    table = {f"same{i}": [7, 7, 7] for i in range(90)} | {"age": [30, 45, 28]}
    printed = repr(kf.describe(table)).splitlines()
    assert printed[-2].split()[:2] == ["age", "amount"]
    assert printed[-1] == "... and 31 more columns: 31 constant"


def test_files_are_described_together_as_one_task_each(tmp_path):
    german = [f"{20 + i % 5};{i},5" for i in range(12)]
    british = [f"{20 + i % 5},{i}.5,Leeds" for i in range(9)]
    (tmp_path / "de.csv").write_text("\n".join(["age;pay", *german]))
    (tmp_path / "uk.csv").write_text("\n".join(["age,pay,town", *british]))
    described = kf.describe([str(tmp_path / "de.csv"), tmp_path / "uk.csv"])
    age, pay, town = described.columns
    assert described.n_rows == 21
    assert (age.kind, pay.kind) == ("amount", "number")
    assert pay.values[[0, 11, 12]].tolist() == [0.5, 11.5, 0.5]
    assert int(town.gaps.sum()) == 12
    with pytest.raises(InputError, match="or a list of paths"):
        kf.describe([[1, 2], [3, 4]])


def numbers(X, names, **more):
    X = np.asarray(X, dtype=float)
    return RelatedData("t", np.full(len(X), "a"), np.arange(len(X)), X, names, **more)


def test_columns_of_a_table_of_numbers_are_remarked_on_only_where_they_may_be_something_else():
    random = np.random.default_rng(0)
    plain = random.normal(size=30)
    day = 20240101.0 + random.integers(20, size=30)
    coded = np.where(np.arange(30) < 3, -999.0, plain)
    X = np.column_stack([plain, np.arange(30), day, coded, np.ones(30), plain > 0])
    said = describing.of_numbers(numbers(X, ("x", "my id", "day", "coded", "one", "tick")))
    assert said[0] == "All 6 columns are numbers without gaps, and are used as numbers."
    assert said[1].startswith("'my id' may be an identifier (whole numbers from 0 to 29")
    assert said[1].endswith("leave it out with kf.read(..., ignore=['my id']).")
    assert said[2].startswith("'day' may be a date (whole numbers written as yearmonthday")
    assert said[3].startswith("'coded': -999 (3 times) is far from all others")
    assert said[4] == "Columns with one value, which tell no rows apart: 'one'."
    assert len(said) == 5


def test_a_plain_table_of_numbers_has_one_sentence_and_other_tables_none(monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 1))
    assert describing.of_numbers(numbers(X, ("x",))) == [
        "The column has numbers without gaps, and is used as numbers."
    ]
    assert describing.of_numbers(replace(numbers(X, ("x",)), X=sp.csr_matrix(X))) == []
    monkeypatch.setattr(describing, "_MOST_VALUES", 19)
    assert describing.of_numbers(numbers(X, ("x",))) == []


def test_many_remarks_are_counted():
    X = np.arange(12.0)[:, None] + np.zeros(11)
    said = describing.of_numbers(numbers(X, tuple(f"c{j}" for j in range(11))))
    assert len(said) == 10
    assert said[-1] == "And 3 more such columns."
