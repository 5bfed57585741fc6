"""Tables whose columns are divided by spaces, as R writes them, are read as other files are."""

import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import large_files, read

FRAME = pd.DataFrame(
    {"who": ["Ann Lee", "Bo", "Cy Orr"], "age": [31.5, None, 40.0], "kg": [61, 70, 82]}
)
OF_R = '"who" "age" "kg"\n"1" "Ann Lee" 31.5 61\n"2" "Bo" NA 70\n"3" "Cy Orr" 40 82\n'


@pytest.mark.parametrize("suffix", ["txt", "dat", "csv", "tsv"])
def test_a_table_of_r_is_read_with_its_names_gaps_and_texts(put, suffix):
    (path,) = put(**{f"t.{suffix}": OF_R})
    data, notes, _ = read(path, kinds={"who": "category"})
    found = {column.name: column.values.tolist() for column in data.columns}
    assert found["who"] == FRAME["who"].tolist()
    assert found["kg"] == FRAME["kg"].tolist()
    assert pd.isna(found["age"][1])
    assert any(note.endswith("is separated by spaces.") for note in notes)


@pytest.mark.parametrize(
    "lines",
    [
        "t status x\n35 0 1.45\n34 1 1.47\n",
        "  t status x  \n  35 0   1.45\n  34 1   1.47 \n",
        "\ufefft status x\r\n35 0 1.45\r\n34 1 1.47\r\n",
        "t status x\n35 0 1,45\n34 1 1,47\n",
    ],
    ids=[
        "single",
        "several, also around the rows",
        "mark of bytes and other ends",
        "decimal commas",
    ],
)
def test_columns_divided_by_spaces_are_read(put, lines):
    (path,) = put(**{"t.dat": lines})
    data, _, _ = read(path)
    assert data.feature_names == ("t", "status", "x")
    assert data.X.tolist() == [[35, 0, 1.45], [34, 1, 1.47]]


def test_files_of_numbers_without_names_are_read(put):
    (path,) = put(**{"t.dat": "  35 0 1.45\n  34 1 1.47\n"})
    assert read(path, header=False).data.X.tolist() == [[35, 0, 1.45], [34, 1, 1.47]]


@pytest.mark.parametrize("suffix", ["txt", "dat"])
@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_other_separators_are_found_in_such_files(put, suffix, separator):
    lines = ["a,b", "1,2", "4,3"]
    (path,) = put(**{f"t.{suffix}": "\n".join(lines).replace(",", separator)})
    assert read(path).data.X.tolist() == [[1, 2], [4, 3]]


def test_a_stored_model_assigns_rows_of_such_a_file(put, tmp_path):
    rows = "".join(
        f"{10 * (i % 2) + i / 40} {5 * (i % 2) + i / 50} {'xy'[i // 20]}\n" for i in range(40)
    )
    (path,) = put(**{"t.txt": "a b site\n" + rows})
    made = kf.compare(path, tasks="site", n_clusters=2, random_state=0)
    assigned = made.model.assign(path, tasks="site")
    assert assigned.labels.tolist() == made.model.estimator.labels_.tolist()


def test_rows_with_a_field_more_than_a_header_that_begins_without_a_name_are_refused(put):
    rows = "".join(f'"{name}" {i} 2 {i}\n' for i, name in enumerate("abcdef"))
    (path,) = put(**{"t.dat": '"" "a" "b"\n' + rows})
    with pytest.raises(FileFormatError, match="its rows have more fields than its header"):
        read(path)


def test_one_that_is_larger_than_memory_is_refused_with_a_way_out(put):
    (path,) = put(**{"t.txt": "a b\n1 2\n3 4\n"})
    with pytest.raises(InputError, match="has spaces between its columns, .* commas or tabs"):
        large_files.opened(path, None)
