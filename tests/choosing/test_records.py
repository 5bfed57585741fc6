import pytest

from kinfolk.choosing import records
from kinfolk.choosing.records import Record

NAN = pytest.approx(float("nan"), nan_ok=True)


def test_a_key_is_read_by_its_former_name_with_a_warning():
    record = Record(cross_task_agreement=0.5, combiner="voting")
    with pytest.warns(FutureWarning, match="The key 'echo' is now called 'cross_task_agreement'"):
        assert record["echo"] == 0.5
    with pytest.warns(FutureWarning, match="'way'"):
        assert record.get("way") == "voting"


def test_other_keys_are_those_of_a_dict():
    record = Record(combiner="voting")
    assert record.get("combiner") == "voting"
    assert record.get("echo", 7) == 7
    assert record.get("nothing") is None
    assert "way" not in record
    assert {**record} == {"combiner": "voting"}
    with pytest.raises(KeyError, match="nothing"):
        record["nothing"]
    with pytest.raises(KeyError, match="cross_task_agreement"), pytest.warns(FutureWarning):
        record["echo"]


def test_no_former_name_is_a_present_one():
    assert not records.RENAMED.keys() & set(records.RENAMED.values())


def test_records_of_older_files_are_brought_up_to_date():
    old = [{"task": "vote", "way": "linkage", "own_way": "stacking", "rows": [3]},
           {"space": "lifted", "agree": 0.5}, {"space": "raw"}]  # fmt: skip
    assert records.current(old) == [
        {
            "task": "vote",
            "combiner": "evidence accumulation",
            "own_combiner": "k-means on memberships",
            "changed_rows": [3],
            "evidence": NAN,
            "support": "shape",
            "refused_rows": [],
            "cases": 0,
            "better_cases": 0,
        },
        {"representation": "with offset", "mean_agreement": 0.5},
        {"representation": "raw"},
    ]
    views = {"changed_rows": [3], "evidence": 0.2, "source": "views"}
    assert records.current([views])[0]["support"] == "views"
    (again, *_) = records.current(records.current(old))
    assert again.keys() == records.current(old)[0].keys()
