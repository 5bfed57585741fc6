"""A first line that looks like a row is told, and can be read as one."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.cli import main
from kinfolk.errors import FileFormatError, HeaderWarning, InputError

ROWS = "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,2.9,virginica\n5.8,2.7,virginica\n"


@pytest.fixture
def table(tmp_path):
    def write(text, name="t.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


LIKE_ROWS = {
    "numbers": "5.1,3.5\n4.9,3.0\n6.3,2.9\n",
    "numbers with semicolons": "5.1;3.5\n4.9;3.0\n6.3;2.9\n",
    "a class beside numbers": ROWS,
    "words that come again": "oslo,free\nrome,pro\noslo,free\n",
    "whole numbers that do not count": "7,3\n1,2\n4,4\n",
    "falling and rising": "5,4,9,8,7,1\n5,4,9,8,7,1\n",
}


@pytest.mark.parametrize("text", LIKE_ROWS.values(), ids=LIKE_ROWS)
def test_a_first_line_that_looks_like_a_row_is_told(table, text):
    with pytest.warns(
        HeaderWarning, match=r"first line of .*t.csv looks like a row .*header=False"
    ):
        kf.describe(table(text))


LIKE_NAMES = {
    "words": "length,width\n4.9,3.0\n6.3,2.9\n",
    "numbers as pandas counts": "0,1,2\n4.9,3.0,1\n6.3,2.9,2\n",
    "numbers from 1": "1,2\n4.9,3.0\n6.3,2.9\n",
    "years": "2019,2020\n4.9,3.0\n6.3,2.9\n",
    "wavelengths": "400.5,401.7,403,404.2,406.1\n1,2,3,4,6\n1,2,3,5,6\n",
    "one number among names": "length,width,90\n4.9,3.0,1\n6.3,2.9,2\n",
    "a name that is a value": "plan,note,n\npro,note,1\nfree,note,2\n",
}


@pytest.mark.parametrize("text", LIKE_NAMES.values(), ids=LIKE_NAMES)
def test_names_are_not_taken_for_a_row(table, text):
    kf.describe(table(text))  # a warning would be an error


def test_without_a_header_every_line_is_a_row(table):
    data = kf.read(table(ROWS), header=False, ignore=["x2"]).data
    assert data.feature_names == ("x0", "x1")
    np.testing.assert_array_equal(data.X, [[5.1, 3.5], [4.9, 3.0], [6.3, 2.9], [5.8, 2.7]])
    named = kf.read(table(ROWS), header=False, tasks="x2").data
    assert named.tasks.tolist() == ["setosa"] * 2 + ["virginica"] * 2


def test_a_workbook_may_have_no_header_either(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    pd.DataFrame([[5.1, 3.5], [4.9, 3.0]]).to_excel(path, header=False, index=False)
    np.testing.assert_array_equal(kf.read(path, header=False).data.X, [[5.1, 3.5], [4.9, 3.0]])
    with pytest.warns(HeaderWarning, match="looks like a row"):
        kf.read(path)


def test_values_that_repeat_in_the_first_line_are_told_how_to_be_read(table):
    with pytest.raises(FileFormatError, match="looks like a row; put a line .* header=False"):
        kf.read(table("0.2,0.2,7\n4.9,3.0,1\n"))
    with pytest.raises(FileFormatError, match="named 'a': rename or drop"):
        kf.read(table("a,a,b\n4.9,3.0,1\n"))


def test_rows_that_name_their_columns_always_have_a_header(table):
    with pytest.raises(InputError, match="names its columns in every row: leave out header=False"):
        kf.read(table('{"a": 1}\n', "t.jsonl"), header=False)


def test_the_command_line_reads_a_table_without_a_header(table, tmp_path, capsys):
    text = "".join(f"{5 * (i % 2) + i / 50},{3 * (i % 2)}\n" for i in range(1, 41))
    path = str(table(text))
    out = tmp_path / "out"
    run = ["run", path, "--clusters", "2", "--method", "per-task", "--out", str(out), "--quiet"]
    assert main([*run, "--no-header"]) == 0
    assert len((out / "labels.csv").read_text().splitlines()) == 41
    assert main(["assign", str(out / "model"), path, "--no-header", "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 41
    assert main(["suggest", path, "--no-header", "--at-most", "2", "--quiet"]) == 0
    main(["suggest", path, "--at-most", "2", "--quiet"])
    assert "looks like a row" in capsys.readouterr().err


def test_a_name_with_a_line_break_is_read_in_one_line(table, tmp_path):
    pytest.importorskip("openpyxl")
    rows = "".join(f"{i},{i % 7 + 0.5},{i % 3}\n" for i in range(40))
    path = table(f'"weight\r\n(kg)","height\n in cm",site\n{rows}')
    names = ("weight (kg)", "height in cm")
    assert kf.read(path, tasks="site").data.feature_names == names
    assert kf.read(path, tasks="site", only=["weight (kg)"]).data.feature_names == names[:1]
    frame = pd.read_csv(path)
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert kf.read(tmp_path / "t.xlsx", tasks="site").data.feature_names == names
    # Names of a data frame stay, but each has one line in the description.
    lines = str(kf.describe(frame, tasks="site")).splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == list(names)
