"""Columns with two numbers in a cell become two columns."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation
from kinfolk.sources import read

N = 60


@pytest.fixture
def visits():
    """Blood pressures of two groups at two sites, one of them unknown."""
    high = np.arange(N) % 2 * 40
    step = np.arange(N)
    pressures = [
        f"{110 + h + i % 7}/{70 + h // 2 + i % 5}" for h, i in zip(high, step, strict=True)
    ]
    pressures[3] = "n/a"
    return pd.DataFrame({"site": ["a"] * (N // 2) + ["b"] * (N // 2), "bp": pressures})


def names(data):
    return [column.name for column in data.columns]


def test_a_column_of_pairs_is_described_as_two_numbers(visits):
    found = kf.describe(visits, tasks="site")
    assert [(c.name, c.kind) for c in found.columns] == [
        ("bp (first)", "amount"),
        ("bp (second)", "amount"),
    ]
    assert found.columns[0].values[[0, 1]].tolist() == [110, 151]
    assert found.columns[1].values[[0, 1]].tolist() == [70, 91]
    assert [int(c.gaps.sum()) for c in found.columns] == [1, 1]


def test_pairs_may_be_sizes_or_places_and_have_a_unit():
    table = {
        "size": [f"{30 + i} x {20 + i % 7} cm" for i in range(N)],
        "place": [f"{48 + i / 100:.2f}, {11 - i / 10:.1f}" for i in range(N)],
    }
    size, height, north, east = kf.describe(table).columns
    assert (size.written, height.values[1], north.values[1], east.values[1]) == (
        "in cm",
        21.0,
        48.01,
        10.9,
    )


def test_a_column_that_is_asked_to_be_a_category_stays_whole(visits):
    assert names(read(visits, tasks="site", kinds={"bp": "category"}).data) == ["bp"]
    assert [c.kind for c in read(visits, tasks="site", kinds={"bp": "number"}).data.columns] == [
        "number",
        "number",
    ]


def test_either_number_can_be_left_out_picked_or_named(visits):
    assert names(read(visits, tasks="site", ignore="bp (second)").data) == ["bp (first)"]
    assert names(read(visits, tasks="site", only=["bp (second)"]).data) == ["bp (second)"]
    found = read(visits, tasks="site", kinds={"bp (first)": "category"}).data.columns
    assert [column.kind for column in found] == ["category", "amount"]


def test_a_part_of_a_column_without_pairs_is_refused(visits):
    said = "no two numbers in a cell .* but 'x': there is no 'c .*write two numbers in each cell"
    with pytest.raises(InputError, match=said):
        read(visits.assign(c="x"), tasks="site", ignore="c (first)")
    with pytest.raises(InputError, match="has no column 'd \\(first\\)'"):
        read(visits, tasks="site", kinds={"d (first)": "number"})


def test_pairs_among_other_words_are_left_out_until_they_are_asked_for(visits):
    visits.loc[7, "bp"] = "refused"
    (column,) = kf.describe(visits, tasks="site").columns
    assert column.treatment == "left out"
    assert "1 of its values is no such pair, such as 'refused' in data row 8" in column.reason
    first, second = kf.describe(visits, tasks="site", kinds={"bp (first)": "number"}).columns
    assert first.gaps.sum() == second.gaps.sum() == 2


def test_views_of_files_keep_their_columns_where_one_is_split(visits):
    ids = visits.assign(id=range(N))
    other = pd.DataFrame({"id": range(N), "age": np.arange(N) % 17, "sex": ["f", "m"] * (N // 2)})
    found = read({"body": ids, "person": other}, tasks="site", row_id="id", views="files").data
    assert {view: found.feature_names[own] for view, own in found.views.items()} == {
        "body": ("bp (first)", "bp (second)"),
        "person": ("age", "sex"),
    }


def test_a_single_new_row_is_split_as_the_rows_of_the_fit_were(visits, tmp_path):
    path = tmp_path / "visits.csv"
    visits.to_csv(path, index=False)
    data = read(path, tasks="site").data
    prepared = kf.Preparation()
    X = prepared.fit_transform(data)
    assert prepared.feature_names == ("bp (first)", "bp (second)")
    new = tmp_path / "new.csv"
    new.write_text("site,bp\na,110/70\n")
    asked = {"only": set(prepared.kinds), "kinds": prepared.kinds}
    rows = read(new, tasks="site", known_tasks=True, **asked)
    np.testing.assert_allclose(prepared.transform(rows.data), X[:1])


@pytest.mark.parametrize("n", [1, 40])
def test_new_rows_of_points_out_of_a_total_stay_one_number(n):
    points = [f"{1 + i % 5}/5" for i in range(40)]
    fit = pd.DataFrame({"score": points, "plan": ["a", "b"] * 20})
    data = read(fit).data
    preparation = Preparation()
    X = preparation.fit_transform(data)
    new = read(fit[:n], kinds=preparation.kinds, written=data.written, known_tasks=True)
    np.testing.assert_array_equal(preparation.transform(new.data), X[:n])
