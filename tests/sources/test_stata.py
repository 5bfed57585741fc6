"""Stata files: labels of values are words, or gaps where they name an exception."""

import io

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import FileFormatError
from kinfolk.tables import columns

N = 40


def answers():
    """Make answers of two towns: sex and mood are labelled codes, age has a code for refusals."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, N)
    age[3] = 99
    return pd.DataFrame(
        {
            "town": np.repeat([1, 2], N // 2),
            "sex": np.tile([1, 2], N // 2),
            "age": age,
            "kids": rng.integers(0, 4, N),
            "spend": rng.normal(50, 9, N).round(2),
            "note": [f"row {i % 3}" for i in range(N)],
            "since": pd.date_range("2020-01-31", periods=N, freq="MS"),
        }
    )


LABELS = {
    "town": {1: "Oslo", 2: "Rome"},
    "sex": {1: "male", 2: "female", 9: "other"},
    "age": {99: "Refused"},
    "kids": {3: "3 or more"},
}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a frame as a .dta file with labels."""

    def write(frame=None, labels=LABELS, **options):
        path = tmp_path / "answers.dta"
        frame = answers() if frame is None else frame
        frame.to_stata(path, write_index=False, value_labels=labels, **options)
        return path

    return write


@pytest.mark.parametrize("version", [114, 117, 118])
def test_labels_of_all_values_are_words_and_of_some_values_may_be_gaps(written, version):
    reading = kf.read(written(version=version), tasks="town")
    frame = answers()
    found = {column.name: column for column in reading.data.columns}
    assert list(reading.data.task_names) == ["Oslo", "Rome"]
    assert found["sex"].kind == columns.CATEGORY
    assert found["sex"].values.tolist() == [LABELS["sex"][code] for code in frame["sex"]]
    assert np.isnan(found["age"].values[3])
    kept = np.arange(N) != 3
    assert found["age"].values[kept].tolist() == frame["age"][kept].tolist()
    assert found["kids"].values.tolist() == frame["kids"].tolist()  # "3 or more" is no gap
    assert found["spend"].values.tolist() == pytest.approx(frame["spend"].tolist())
    told = " ".join(reading.notes)
    assert "Words of" in told
    assert "are the labels of its values: town, sex." in told
    assert "The value 'Refused' of column age of" in told


def test_labels_that_are_numbers_are_not_called_words(written):
    active = {"active": {1: "0", 2: "1", 3: "2"}}
    frame = answers().assign(active=np.arange(N) % 3 + 1)
    reading = kf.read(written(frame, LABELS | active), tasks="town")
    found = {column.name: column for column in reading.data.columns}
    assert found["active"].values.tolist() == (np.arange(N) % 3).tolist()
    told = " ".join(reading.notes)
    assert "answers.dta are the labels of its values: town, sex." in told
    assert "answers.dta are the labels of its values: active." in told
    assert "Numbers of" in told


def test_a_file_without_labels_is_a_plain_table(written):
    reading = kf.read(written(labels=None), tasks="town")
    assert list(reading.data.task_names) == ["1", "2"]
    assert not any("labels" in note for note in reading.notes)


def test_categories_that_pandas_wrote_come_back_as_words_with_their_gaps(written):
    frame = answers().assign(plan=pd.Categorical(["free", "pro", None, "pro"] * (N // 4)))
    (plan,) = [c for c in kf.read(written(frame), tasks="town").data.columns if c.name == "plan"]
    assert plan.values[:4].tolist() == ["free", "pro", None, "pro"]


def test_a_command_takes_a_file_of_stata(written, tmp_path, monkeypatch):
    from kinfolk import cli

    monkeypatch.chdir(tmp_path)
    line = ["run", str(written()), "--tasks", "town", "--ignore", "note,since", "--clusters", "2"]
    assert cli.main([*line, "--method", "kmeans", "--out", "found", "--quiet"]) == 0
    labels = pd.read_csv(tmp_path / "found" / "labels.csv")
    assert labels["task"].tolist() == ["Oslo"] * (N // 2) + ["Rome"] * (N // 2)


@pytest.mark.parametrize(
    "raw", [b"<stata_dta><header>", b"town,age\nOslo,3\n", b"\x76\x02\x01\x00"]
)
def test_what_is_no_file_of_stata_is_said_in_a_sentence(tmp_path, raw):
    path = tmp_path / "t.dta"
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match=r"t\.dta is not a Stata file that can be read: save"):
        kf.read(path, tasks="town")


def test_labels_that_repeat_are_refused_with_advice(tmp_path):
    stream = io.BytesIO()
    frame = answers()[["town", "sex", "age"]]
    labels = {"sex": {1: "person", 2: "people"}}
    frame.to_stata(stream, write_index=False, value_labels=labels)
    raw = stream.getvalue().replace(b"people", b"person")
    path = tmp_path / "t.dta"
    path.write_bytes(raw)
    with pytest.raises(FileFormatError, match="The labels of values in"):
        kf.read(path, tasks="town")
