import hashlib
from collections import Counter

import numpy as np
import pytest

from kinfolk.datasets import measurements
from kinfolk.datasets.registry import COLLECTIONS, Collection
from kinfolk.errors import FileFormatError, MissingDataError

LOADERS = {
    "olive": measurements.load_olive,
    "vowel": measurements.load_vowel,
    "heart": measurements.load_heart,
}
HEART = """id,age,sex,dataset,cp,restecg,thalch,exang,oldpeak,num
1,63,Male,Cleveland,typical angina,lv hypertrophy,150.0,False,2.3,0
2,67,Female,Hungary,asymptomatic,normal,108.0,True,1.5,2
3,50,Male,Hungary,asymptomatic,,108.0,True,1.5,1
"""


def written(folder, name, text, monkeypatch):
    """Write a table and accept its content as the published one."""
    path = folder / f"{name}.csv"
    path.write_text(text)
    known = COLLECTIONS[name]
    monkeypatch.setattr(Collection, "locate", lambda self, *_: path)
    return known


def test_the_embedded_penguins_are_the_published_ones():
    raw = measurements.penguins_csv().read_bytes()
    known = "f2d6493fc64ad958edbabd55eb0fc989af2c5a0458a2c79ccffe7985606feb60"
    assert hashlib.sha256(raw).hexdigest() == known


def test_penguins_with_gaps_or_of_unknown_sex_are_left_out():
    data = measurements.load_penguins()
    assert Counter(data.tasks.tolist()) == {"male": 168, "female": 165}
    assert data.row_ids[:4].tolist() == ["1", "6", "8", "14"]  # the males come first
    np.testing.assert_array_equal(data.X[0], [39.1, 18.7, 181.0, 3750.0])
    assert data.feature_names == measurements.PENGUINS


def test_answers_of_patients_become_0_and_1(tmp_path, monkeypatch):
    written(tmp_path, "heart", HEART, monkeypatch)
    data = measurements.load_heart(tmp_path)
    assert data.target.tolist() == ["well", "ill"]
    np.testing.assert_array_equal(data.X, [[63, 150, 2.3, 1, 0, 0, 0], [67, 108, 1.5, 0, 1, 1, 1]])
    assert data.feature_names[3:] == (
        *("sex_Male", "exang_True"),
        *("cp_asymptomatic", "restecg_normal"),
    )


def test_a_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingDataError, match="heart was not found in"):
        measurements.load_heart(tmp_path)


def test_another_table_of_that_name_is_refused(tmp_path):
    (tmp_path / "heart.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="damaged or another version"):
        measurements.load_heart(tmp_path)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("olive", {"Southern Italy": 323, "Sardinia": 98, "Northern Italy": 151}),
        ("vowel", {f"s{i:02d}": 66 for i in range(15)}),
        ("heart", {"Cleveland": 304, "Hungary": 291, "VA Long Beach": 144, "Switzerland": 116}),
    ],
)
def test_tasks_have_the_published_sizes(name, sizes, tables, real):
    data = real(name)
    assert dict(Counter(data.tasks.tolist())) == sizes
    assert data.X.shape == (sum(sizes.values()), len(data.feature_names))
    assert np.isfinite(data.X).all()
    # Rows of a task stand together.
    assert np.sum(data.tasks[1:] != data.tasks[:-1]) == len(sizes) - 1


def test_no_area_lies_in_two_regions(tables, real):
    data = real("olive")
    assert len({*zip(data.tasks.tolist(), data.target.tolist(), strict=True)}) == 9
    assert len(set(data.target.tolist())) == 9


def test_percentages_of_fatty_acids_sum_to_about_100(tables, real):
    assert real("olive").X.sum(axis=1) == pytest.approx(100, abs=6)


def test_each_speaker_says_each_vowel_six_times(tables, real):
    data = real("vowel")
    counts = Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))
    assert set(counts.values()) == {6}
    assert len(counts) == 15 * 11
