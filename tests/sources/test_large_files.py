"""Files larger than memory: parts hold every row once, samples as many rows of each task."""

import numpy as np
import pandas as pd
import pytest

from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import large_files

SIZES = {"north": 700, "south": 250, "islands": 30}


@pytest.fixture
def frame():
    """Rows in mixed order, with texts that hold separators, quotes and ends of lines."""
    n = sum(SIZES.values())
    found = pd.DataFrame({
        "shop": np.repeat(list(SIZES), list(SIZES.values())),
        "number": np.arange(1, n + 1),
        "said": ['5" or "so", he said\n\nÅ'] * n,
    })  # fmt: skip
    return found.sample(frac=1, random_state=0).reset_index(drop=True)


def written(frame, path, **options):
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=64)
    else:
        frame.to_csv(path, index=False, **options)
    return path


def read(path):
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_parts_hold_every_row_once_in_order(frame, suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(large_files, "PART", 99)
    path = written(frame, tmp_path / f"rows{suffix}")
    file = large_files.opened(path, "shop")
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = [(read(part.path), part.numbers) for part in file.parts(folder)]
    assert [len(part) for part, _ in parts] == [99] * 9 + [89]
    pd.testing.assert_frame_equal(pd.concat([part for part, _ in parts], ignore_index=True), frame)
    numbers = np.concatenate([numbers for _, numbers in parts])
    np.testing.assert_array_equal(numbers, np.arange(1, len(frame) + 1))


def test_titles_and_notes_are_in_no_part(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(large_files, "PART", 99)
    path = written(frame, tmp_path / "rows.csv")
    text = path.read_text("utf-8")
    path.write_text(f"Said in 2024\n\n{text}Source: shops in town\n*,,\n", "utf-8")
    file = large_files.opened(path, "shop")
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = [read(part.path) for part in file.parts(folder)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), frame)
    assert file.notes() == [
        "The first row is a title and left out of rows.csv.",
        "The last 2 rows of rows.csv are notes or empty, and are left out.",
    ]


def test_sums_and_means_below_the_rows_are_in_no_part(frame, tmp_path):
    path = written(frame, tmp_path / "rows.csv")
    mean = frame["number"].mean()
    total = f"Total,{frame['number'].sum():.1f},\n"
    path.write_text(f"{path.read_text('utf-8')}{total}Average,{mean:.1f},\n", "utf-8")
    file = large_files.opened(path, "shop")
    folder = tmp_path / "parts"
    folder.mkdir()
    (part,) = file.parts(folder)
    pd.testing.assert_frame_equal(read(part.path), frame)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("part", [50, 1000])
def test_a_sample_has_as_many_rows_of_each_task_and_small_tasks_whole(
    frame, suffix, part, tmp_path, monkeypatch
):
    monkeypatch.setattr(large_files, "PART", part)
    path = written(frame, tmp_path / f"rows{suffix}")
    folder = tmp_path / "sample"
    folder.mkdir()
    sample, n = large_files.opened(path, "shop").sample(folder, 230, seed=0)
    drawn = read(sample.path)
    assert n == len(frame)
    assert drawn["shop"].value_counts().to_dict() == {"north": 100, "south": 100, "islands": 30}
    # Numbers count the rows of the whole file from 1.
    whole = frame.iloc[sample.numbers - 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(drawn, whole)


def test_each_row_of_a_task_is_drawn_as_often(tmp_path):
    path = written(pd.DataFrame({"x": np.arange(40)}), tmp_path / "rows.csv")
    folder = tmp_path / "sample"
    folder.mkdir()
    file = large_files.opened(path, None)
    times = np.zeros(40)
    for seed in range(200):
        times[file.sample(folder, 10, seed)[0].numbers - 1] += 1
    # 200 draws of a quarter: the standard deviation is 6.
    assert times.sum() == 2000
    assert times.min() > 25
    assert times.max() < 75


def test_separator_and_encoding_are_those_of_the_whole_file(frame, tmp_path):
    path = tmp_path / "rows.csv"
    written(frame.assign(said="Größe;"), path, sep=";", encoding="cp1252")
    folder = tmp_path / "parts"
    folder.mkdir()
    (part,) = large_files.opened(path, "shop").parts(folder)
    data, notes, _ = sources.read(part.path, tasks="shop", text="said")
    assert data.tasks.tolist() == frame["shop"].tolist()
    assert set(data.texts) == {"Größe;"}
    assert any("Windows-1252" in note for note in notes)


def test_without_a_line_of_names_the_first_line_is_a_row(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,1\nb,2")
    folder = tmp_path / "parts"
    folder.mkdir()
    sample, n = large_files.opened(path, "x0", header=False).sample(folder, 20, seed=0)
    assert n == 2
    assert sample.path.read_text() == "a,1\nb,2\n"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_that_is_not_there_is_named(frame, suffix, tmp_path):
    path = written(frame, tmp_path / f"rows{suffix}")
    with pytest.raises(InputError, match="no column 'town'"):
        large_files.opened(path, "town").sample(tmp_path, 10, seed=0)


def test_refusals_say_what_to_do(frame, tmp_path):
    utf16 = written(frame, tmp_path / "utf16.csv", encoding="utf-16")
    with pytest.raises(InputError, match="save it as UTF-8"):
        large_files.opened(utf16, "shop")
    empty = written(frame[:0], tmp_path / "empty.csv")
    with pytest.raises(FileFormatError, match="has no rows"):
        large_files.opened(empty, "shop").sample(tmp_path, 10, seed=0)
    cut = written(frame, tmp_path / "cut.parquet")
    cut.write_bytes(cut.read_bytes()[:-40])
    with pytest.raises(FileFormatError, match="cannot be read to its end"):
        large_files.opened(cut, "shop").sample(tmp_path, 10, seed=0)


def test_the_size_of_a_table_is_that_of_its_numbers(frame, tmp_path):
    numbers = pd.DataFrame(np.random.default_rng(0).normal(size=(500, 4)))
    numbers.columns = list("abcd")
    assert large_files.table_bytes(written(numbers, tmp_path / "n.parquet")) == 500 * 4 * 8
    text = written(numbers, tmp_path / "n.csv")
    assert large_files.table_bytes(text) == text.stat().st_size


@pytest.mark.parametrize(
    ("last", "is_sum"),
    [
        ("Total,6,9", True),
        ("Summe:,6,", True),
        (",Total,9", True),
        ("Total,7,8", False),
        ("south,6,9", False),
        ("Total,6", False),
        ('"Total",6,"9"', True),
        ('Total,6,"9\n(rounded)"', True),
    ],
)
def test_a_last_row_is_left_out_if_it_is_called_a_sum_and_is_one(tmp_path, last, is_sum):
    path = tmp_path / "rows.csv"
    path.write_text(f"shop,n,m\nnorth,1,2\nnorth,2,3\nsouth,3,4\n{last}")
    file = large_files.opened(path, None)
    assert sum(len(piece.tasks) for piece in file.pieces(2)) == 4 - is_sum
    assert len(file.notes()) == is_sum


def test_units_of_the_first_row_are_written_to_each_part(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('shop;size;"the\nweight"\n;cm;µg\nnörth;1,5;2\n"a;b";;3\nsouth;2;4\n')
    file = large_files.opened(path, "shop")
    folder = tmp_path / "parts"
    folder.mkdir()
    texts = [part.path.read_text(encoding="utf-8") for part in file.parts(folder)]
    assert texts == ['shop;size;"the\nweight"\nnörth;1,5 cm;2 µg\n"a;b";;3 µg\nsouth;2 cm;4 µg\n']


def test_first_rows_that_describe_columns_are_in_no_part(tmp_path):
    path = tmp_path / "rows.csv"
    rows = "".join(f"{shop},{i},{i % 3}\n" for i in range(9) for shop in ("north", "south"))
    path.write_text(f"shop,n,m\nWhich shop?,How many?,How much?\n[shop],[n],[m]\n{rows}")
    file = large_files.opened(path, "shop")
    folder = tmp_path / "parts"
    folder.mkdir()
    assert [part.path.read_text() for part in file.parts(folder)] == [f"shop,n,m\n{rows}"]
    assert file.notes()[0].startswith("The first 2 rows of rows.csv have words above numbers")


def test_a_first_row_of_words_that_are_no_units_is_a_row(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("shop,n,m\nnorth,cm,tall\nnorth,2,3\n")
    assert sum(len(piece.tasks) for piece in large_files.opened(path, "shop").pieces(9)) == 2


@pytest.mark.parametrize("names", ["", '"",'])
def test_a_column_of_row_names_without_a_name_moves_no_task(tmp_path, names, monkeypatch):
    # A row or two alone would not show that their first fields are names.
    monkeypatch.setattr(large_files, "PART", 2)
    path = tmp_path / "rows.csv"
    path.write_text(f'{names}"shop","n"\n"a","north",1\n"b","south",2\n"c","north",3\n')
    file = large_files.opened(path, "shop")
    assert next(file.pieces(9)).tasks == ["north", "south", "north"]
    folder = tmp_path / "parts"
    folder.mkdir()
    (part,) = file.parts(folder)
    assert sources.read(part.path, tasks="shop").data.tasks.tolist() == ["north", "south", "north"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_tasks_and_units_are_read_in_the_encoding_of_the_whole_file(tmp_path, encoding):
    path = tmp_path / "rows.csv"
    text = "Straße;Höhe;Wärme\n;cm;°C\nMüll;1,5;20\nMöll;2;21\n"
    path.write_text(text, encoding=encoding)
    file = large_files.opened(path, "Straße")
    assert next(file.pieces(9)).tasks == ["Müll", "Möll"]
    folder = tmp_path / "parts"
    folder.mkdir()
    (part,) = file.parts(folder)
    data, *_ = sources.read(part.path, tasks="Straße")
    assert data.written == {"Höhe": "in cm, with decimal commas", "Wärme": "in °C"}


def test_chinese_names_are_found(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("门店,年龄\n北京,31\n上海,35\n", encoding="gbk")
    assert next(large_files.opened(path, "门店").pieces(9)).tasks == ["北京", "上海"]
