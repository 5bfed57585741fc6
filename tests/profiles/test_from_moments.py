"""Profiles from sums agree with profiles from rows."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import kinfolk as kf
from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.profiles import from_moments


def rows(seed=0):
    rng = np.random.default_rng(seed)
    X = 1e6 + rng.normal(size=(60, 3)) + 6 * (np.arange(60) % 3 == 0)[:, None]
    return X, np.repeat(["a", "b"], 30)


def fitted(X, tasks, **more):
    return kf.PerTask(kf.MEC(random_state=0), 2, **more).fit(X, tasks=tasks)


def test_profiles_of_a_fit_are_those_of_its_rows():
    X, tasks = rows()
    model = fitted(X, tasks)
    kept = model.profiles_
    full = kf.profile(X, model.matched_labels_, tasks=tasks)
    assert kept.kinds == full.kinds
    np.testing.assert_array_equal(kept.sizes, full.sizes)
    for one, other in zip(kept.columns, full.columns, strict=True):
        for name in ("count", "gaps", "mean", "deviation", "effects", "others"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)
        assert np.isnan(one.median).all()


def test_sparse_rows_have_the_same_profiles():
    X, tasks = rows()
    labels = np.arange(60) % 4
    dense, sparse = (from_moments.moments(table, labels, 4) for table in (X, sp.csr_array(X)))
    np.testing.assert_allclose(dense.deviations, sparse.deviations)


def test_columns_of_a_frame_keep_their_names():
    X, tasks = rows()
    model = fitted(pd.DataFrame(X, columns=["age", "income", "spend"]), tasks)
    assert [column.name for column in model.profiles_.columns] == ["age", "income", "spend"]


def test_profiles_survive_storing(tmp_path):
    X, tasks = rows()
    model = fitted(X, tasks)
    kf.save(model, tmp_path / "model")
    assert kf.load(tmp_path / "model").profiles_.csv() == model.profiles_.csv()


def test_tasks_added_later_leave_the_profiles_of_the_fit():
    X, tasks = rows()
    model = fitted(X, tasks)
    before = model.profiles_.csv()
    model.add_task(X[:20], "c", 2)
    assert model.profiles_.csv() == before


def test_models_without_profiles_say_so(monkeypatch):
    with pytest.raises(NotFittedError):
        _ = kf.PerTask(n_clusters=2).profiles_
    monkeypatch.setattr(from_moments, "MOST_MOMENTS", 3)
    model = fitted(*rows())
    with pytest.raises(InputError, match="make them from the rows with kf.profile"):
        _ = model.profiles_


def test_profiles_of_a_comparison_are_stored_in_the_units_of_the_table(tmp_path):
    X, tasks = rows()
    frame = pd.DataFrame(X, columns=["age", "income", "spend"]).assign(task=tasks)
    found = kf.compare(
        frame,
        tasks="task",
        n_clusters=2,
        method="mec",
        preparation=kf.Preparation(scale="standard"),
        names={0: "young"},
    )
    assert found.profiles.columns[0].mean[-1, -1] == pytest.approx(X[:, 0].mean())
    kf.save(found.model, tmp_path / "model")
    kept = kf.load(tmp_path / "model").profiles_
    assert kept.csv() == found.profiles.csv()
    assert kept.called(0) == "young"
    assert kept.typical == ()


@pytest.mark.parametrize("kinds", [[0, 1], np.zeros(60), np.zeros((60, 1), dtype=int)])
def test_kinds_that_are_not_one_number_a_row_are_refused(kinds):
    with pytest.raises(InputError, match="give one whole number for each row"):
        kf.profile(rows()[0], kinds)


def forged(folder, change):
    """Change the header of a model and recompute its checksum, as an attacker could."""
    header = json.loads((folder / "model.json").read_text("utf-8"))
    change(header)
    packed = (folder / "arrays.safetensors").read_bytes()
    header["sha256"] = sealed.checksum(header, [packed])
    (folder / "model.json").write_text(json.dumps(header), "utf-8")


def no_profiles(header):
    header["profiles"] = {"tuple": []}


def more_tasks(header):
    header["profiles"]["Profiles"][1] = {"tuple": ["a", "b", "c", "d"]}


def no_columns(header):
    header["profiles"]["Profiles"][3] = {"tuple": ["income"]}


def other_code(header):
    header["profiles"] = {"Popen": ["ls"]}


def a_name_without_number(header):
    header["names"] = [["0", "young"]]


@pytest.mark.parametrize(
    "change", [no_profiles, more_tasks, no_columns, other_code, a_name_without_number]
)
def test_forged_profiles_and_names_are_refused(change, tmp_path):
    X, tasks = rows()
    found = kf.compare(X, tasks=tasks, n_clusters=2, method="mec", names={0: "young"})
    kf.save(found.model, tmp_path / "model")
    forged(tmp_path / "model", change)
    with pytest.raises(FileFormatError, match="is not a sound model"):
        kf.load(tmp_path / "model")
