"""The benchmark of slopes: its rows, its figures, its table and its picture."""

import numpy as np
import pytest
from benchmarks import slopes


def test_made_rows_have_the_numbers_that_are_asked_for():
    X, tasks, groups = slopes.made(60, 3, 4, 5)
    assert X.shape == (60, 3)
    assert np.bincount(tasks).tolist() == [15, 15, 15, 15]
    assert set(groups) == set(range(5))


@pytest.mark.parametrize("method", ["k-means", "per-task", "lssmtc"])
def test_a_fit_has_seconds_an_index_and_memory(method):
    found = slopes.fitted(method, slopes.FIRST)
    assert found.seconds > 0
    assert -0.5 <= found.index <= 1.0
    assert found.megabytes >= 0


def test_methods_stop_at_the_limit_and_absent_ones_are_left_out(monkeypatch, capsys):
    tried = []

    def fitted(method, point):
        if method == "absent":
            raise ImportError("No module named 'absent'")
        tried.append(point)
        return slopes.Fit(9.0 if point == slopes.MIDDLE else 1.0, 0.5, 3.0)

    monkeypatch.setattr(slopes, "fitted", fitted)
    found, middles = slopes.measured(["absent", "k-means"], 5.0)
    assert middles == {"k-means": (9.0, 0.5, 3.0)}
    assert ("k-means", "n", 8000) not in found  # more than what took too long
    assert found["k-means", "d", 20] == 9.0  # measured once
    assert sum(point == slopes.MIDDLE for point in tried) == 1
    assert "absent is left out: No module named 'absent'" in capsys.readouterr().out


def test_the_table_has_slopes_and_the_picture_is_drawn(tmp_path):
    found = {
        ("ours", letter, size): 2.0 * (size / slopes.MIDDLE[letter]) ** power
        for (letter, sizes), power in zip(slopes.SERIES.items(), (2.0, 1.0, 0.5, 0.0), strict=True)
        for size in sizes
    }
    rows = slopes.table(found, {"ours": slopes.Fit(2.0, 0.7, 35.4)})
    assert rows[1] == ["ours", "2.00", "32.00", "2.0", "1.0", "0.5", "0.0", "35", "0.70"]
    slopes.picture(found, tmp_path / "slopes.svg")
    assert (tmp_path / "slopes.svg").stat().st_size > 5000
