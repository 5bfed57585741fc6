"""Estimators take data frames of every library."""

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.errors import InputError, UnknownTaskError

VALUES = {"a": [0.0, 5.0, 0.1, 5.2], "b": [1.0, 9.0, 1.1, 9.1]}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_each_library_are_fitted_like_arrays(library):
    backend = pytest.importorskip(library)
    make = backend.table if library == "pyarrow" else backend.DataFrame
    tasks = ["s", "s", "t", "t"]
    expected = kf.PerTask(kf.MEC(random_state=0), 2).fit(
        np.column_stack([*VALUES.values()]), tasks=tasks
    )
    model = kf.PerTask(kf.MEC(random_state=0), 2).fit(make(VALUES), tasks=tasks)
    assert model.labels_.tolist() == expected.labels_.tolist()
    named = make({**VALUES, "site": tasks})
    assert (
        kf.PerTask(kf.MEC(random_state=0), 2)
        .fit(named, tasks="site")
        .predict(named, tasks="site")
        .tolist()
        == expected.labels_.tolist()
    )


def test_an_unknown_task_of_a_frame_is_told_how_to_be_taken_in():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(VALUES)
    model = kf.PerTask(kf.MEC(random_state=0), 2).fit(frame, tasks=["s", "s", "t", "t"])
    with pytest.raises(UnknownTaskError, match="'NO' was not there .*add_task"):
        model.predict(frame, tasks="NO")


def test_a_frame_with_a_name_twice_is_refused_in_a_sentence():
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame(np.eye(4), columns=["a", "b", "a", "c"])
    with pytest.raises(InputError, match="more than one column named 'a'"):
        kf.JointSpectral(2).fit(twice)
