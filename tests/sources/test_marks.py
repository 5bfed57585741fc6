"""Files with different decimal marks are each read by their own, or refused."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk import sources
from kinfolk.errors import InputError

PAY = np.array([1200.5, 950.25, 4747.81, 3100.0])
CITIES = ["Köln", "Ulm", "Köln", "Ulm"]


def german(numbers):
    return [f"{n:,.2f}".translate(str.maketrans(",.", ".,")) for n in numbers]


def english(numbers):
    return [f"{n:,.2f}" for n in numbers]


def write(path, separator, encoding="utf-8", **columns):
    pd.DataFrame(columns).to_csv(path, sep=separator, index=False, encoding=encoding)
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("more", [{}, {"city": CITIES}])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_each_file_is_read_by_its_own_marks_and_that_is_told_once(folder, more, encoding):
    bonn = write("bonn.csv", ";", encoding, pay=german(PAY), n=[1, 2, 3, 4], **more)
    york = write("york.csv", ",", pay=english(PAY + 1), n=[1, 2, 3, 4], **more)
    for files in ([bonn, york], [york, bonn]):
        data, notes, _ = sources.read(files)
        pay = data.X[:, 0] if data.columns is None else data.columns[0].values
        np.testing.assert_allclose(pay[data.tasks == "bonn"], PAY)
        np.testing.assert_allclose(pay[data.tasks == "york"], PAY + 1)
        assert data.written == {}
        (said,) = [note for note in notes if "own marks" in note]
        assert "bonn.csv has decimal commas ('1.200,50')" in said
        assert "york.csv has decimal points ('1,201.50')" in said


def test_units_stay_with_numbers_of_different_marks(folder):
    bonn = write("bonn.csv", ";", pay=[f"{n} €" for n in german(PAY)], n=[1, 2, 3, 4])
    york = write("york.csv", ",", pay=[f"€{n}" for n in english(PAY)], n=[1, 2, 3, 4])
    data = sources.read([bonn, york]).data
    np.testing.assert_allclose(data.X[:, 0], [*PAY, *PAY])
    assert data.written == {"pay": "in €"}


@pytest.mark.parametrize("more", [{}, {"city": CITIES}])
def test_a_column_whose_marks_may_mean_both_is_refused_beside_another_mark(folder, more):
    frames = {
        "york": pd.DataFrame({"pay": english(PAY), "n": [1, 2, 3, 4], **more}),
        "bonn": pd.DataFrame({"pay": ["1,200", "1,300", "1,475", "2,150"], "n": 1, **more}),
    }
    with pytest.raises(InputError, match=r"'pay' has decimal points in york .*'1,200' in bonn may"):
        sources.read(frames)


def test_files_with_the_same_marks_say_nothing_of_them(folder):
    files = [write(f"{f}.csv", ";", pay=german(PAY), n=[1, 2, 3, 4]) for f in ("bonn", "ulm")]
    data, notes, _ = sources.read(files)
    assert not [note for note in notes if "own marks" in note]
    assert data.written == {"pay": "with decimal commas"}


def test_commas_before_three_digits_divide_thousands_in_a_file_with_commas_between_cells(folder):
    words = ["45,200", "38,100", "29,950"]
    path = write("t.csv", ",", pay=words, city=["a", "b", "a"])
    (pay, _) = kf.describe(path).columns
    assert pay.values.tolist() == [45200, 38100, 29950]
    assert "with commas between thousands ('45,200' is 45200)" in pay.reason
    assert sources.read(path).data.columns[0].values.tolist() == pay.values.tolist()
    numbers = sources.read(write("n.csv", ",", pay=words, n=[1.5, 2.5, 4.0])).data
    assert numbers.X[:, 0].tolist() == [45200, 38100, 29950]
    assert numbers.written == {"pay": "with commas between thousands"}


def test_commas_are_decimal_where_another_number_of_the_file_says_so(folder):
    path = write("t.csv", ",", weight=["5,200", "8,100", "9,950"], height=["1,7", "1,85", "1,6"])
    assert sources.read(path).data.X[0].tolist() == [5.2, 1.7]


def test_new_rows_in_a_frame_are_read_by_the_marks_of_the_file_of_the_fit(folder):
    pay = [f"{n:,}" for n in range(20_250, 60_000, 999)]
    path = write("t.csv", ",", pay=pay, n=[i % 7 for i in range(len(pay))])
    model = kf.compare(path, n_clusters=2, method="kmeans").model
    new = pd.DataFrame({"pay": ["45,200"], "n": [3]})
    assert model.read(new, {}).data.X[0, 0] == 45_200


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        ("70 kg", "150 lb", [70, 68.0388555]),
        ("2,125", "1,5", [2.125, 1.5]),
    ],
)
def test_unit_and_mark_of_a_file_of_numbers_hold_beside_a_file_of_words(put, first, second, values):
    files = put(**{
        "a.csv": f"n;m\n{first};1\n{first};2\n",
        "b.csv": f"n;m;word\n{second};1;red\n{second};2;blue\n",
    })  # fmt: skip
    data, *_ = sources.read(files, columns="intersect")
    np.testing.assert_allclose(data.columns[0].values, np.repeat(values, 2))


def test_units_are_kept_where_the_user_names_the_kind_of_another_column(put):
    (file,) = put(**{"a.csv": "n,code\n5 $,1\n7 $,2\n"})
    data, *_ = sources.read(file, kinds={"code": "category"})
    assert data.written == {"n": "in $"}
    assert data.columns[0].values.tolist() == [5, 7]
