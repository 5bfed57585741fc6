"""A comparison leaves labels, a model and a report in a folder, and nothing is lost there."""

import csv
import io

import numpy as np
import pytest

from kinfolk.comparison import files
from kinfolk.disk import file_sets
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData

DATA = RelatedData("t", np.array(["a", 'b,"c"\n']), np.array(["1", "=2"]))


def parsed(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_row_has_its_task_cluster_match_and_strength():
    text = files.labels_csv(DATA, [0, 1], [4, 5], [0.123456, np.nan])
    first, second = parsed(text)
    assert first == {
        "row": "1",
        "task": "a",
        "cluster": "0",
        "matched_cluster": "4",
        "strength": "0.1235",
    }
    assert (second["task"], second["row"], second["strength"]) == ('b,"c"\n', "=2", "")
    assert "\r" not in text


def test_known_classes_have_a_column_of_their_own():
    text = files.labels_csv(DATA, [0, 1], [0, 1], [1.0, 1.0], np.array(["cat", "dog"]))
    assert [line["class"] for line in parsed(text)] == ["cat", "dog"]


def test_rows_and_labels_of_other_lengths_are_a_fault():
    with pytest.raises(ValueError, match="zip"):
        files.labels_csv(DATA, [0], [0, 1], [1.0, 1.0])


def test_a_new_folder_and_one_with_an_older_run_may_be_written_to(tmp_path):
    assert files.check_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    file_sets.replace(tmp_path, dict.fromkeys(files.NAMES, b"older"), run="1")
    assert files.check_folder(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("name", files.NAMES)
def test_a_file_of_a_run_that_kinfolk_did_not_write_is_refused_by_its_name(name, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.json").write_text("{}")
    (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=r"was not written by Kinfolk: .*overwrite=True"):
        files.check_folder(tmp_path)
    assert files.check_folder(tmp_path, overwrite=True) == tmp_path


def test_a_folder_where_something_would_be_lost_is_refused(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds something that is no model"):
        files.check_folder(tmp_path)
    (tmp_path / "file").write_text("mine")
    for place in ("file", "file/deeper"):
        with pytest.raises(InputError, match="is no folder that can be written to"):
            files.check_folder(tmp_path / place)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("row,matched_cluster\n1,0,7\n", "line 2 of the table has not 2 fields"),
        ("row,matched_cluster\n1\n", "line 2 of the table has not 2 fields"),
        ("row,matched_cluster\n1,x\n", "'x' is no matched cluster"),
        ("row,matched_cluster\n1," + "9" * 5000 + "\n", "is no matched cluster"),
        ("row,matched_cluster\n1,0" + "x" * 200_000 + "\n", "the table is damaged"),
        ("", "no column 'matched_cluster'"),
    ],
)
def test_a_damaged_table_of_labels_is_refused_in_a_sentence(table, told):
    with pytest.raises(InputError, match=told):
        files.renamed(table, {0: "young"})


def test_control_characters_and_marks_of_direction_in_new_names_are_written_out():
    before = '<b>0</b><span data-kind="0"></span><p><span data-kinds="0">Kind 0</span></p>'
    after = files.renamed_report(before, {0: "\u202ename\x1b[2J"})
    assert after.count(r"\u202ename\x1b[2J") == 2
    assert after.isprintable()
