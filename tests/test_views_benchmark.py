import sys
import types

import numpy as np
import pytest
from benchmarks import view_peers, views

COLUMNS = {"a": slice(0, 2), "b": slice(2, 5), "c": slice(5, 6)}


@pytest.mark.parametrize("share", [0.1, 0.4, 0.6])
def test_the_share_of_blocks_is_cut_and_each_row_keeps_a_view(share):
    X = views.with_gaps(np.ones((300, 6)), COLUMNS, share, 0)
    gone = np.column_stack([np.isnan(X[:, own]).all(axis=1) for own in COLUMNS.values()])
    some = np.column_stack([np.isnan(X[:, own]).any(axis=1) for own in COLUMNS.values()])
    assert gone.mean() == pytest.approx(share, abs=0.01)
    assert (gone == some).all()
    assert not gone.all(axis=1).any()


def test_a_method_that_refuses_the_rows_has_no_score():
    X = np.random.RandomState(0).randn(20, 6)
    target = np.arange(20) % 2
    cut = views.with_gaps(X, COLUMNS, 0.3, 0)
    assert np.isnan(views.score("plcmf", cut, target, COLUMNS, 2, 0))
    assert 0.5 <= views.score("joined-kmeans", cut, target, COLUMNS, 2, 0) <= 1


def test_the_picture_has_a_line_for_each_method_that_takes_rows_without_a_view():
    nan = float("nan")
    whole = dict.fromkeys(["answer", "support", *views.METHODS], 0.9)
    holed = {**whole, "comvcf": nan, "snf": nan}
    svg = views.picture({"made": {0.0: [whole], 0.4: [holed, holed]}})
    assert ">answer<" in svg
    assert ">nemo<" in svg
    assert ">made<" in svg
    assert ">comvcf<" not in svg


def test_a_row_without_a_view_counts_as_wrong_for_that_view_alone(monkeypatch):
    monkeypatch.setattr(views, "METHODS", {"joined-kmeans": {}})
    random = np.random.RandomState(0)
    target = np.repeat([0, 1], 30)
    X = 8 * np.eye(2)[target][:, [0, 1, 0, 1, 0, 1]] + random.randn(60, 6)
    cut = views.with_gaps(X, COLUMNS, 0.3, 0)
    shown, _ = views.accuracies(cut, target, COLUMNS, 0)
    there = ~np.isnan(cut[:, 0])
    assert shown["answer"] > 0.9
    assert shown["view a"] <= there.mean()


def test_a_peer_that_refuses_or_fails_has_no_score_and_others_have(monkeypatch, tmp_path):
    class First:
        def __init__(self, k, random_state):
            self.k = k

        def fit_predict(self, tables):
            if np.isnan(tables[0]).all(axis=1).any():
                raise RuntimeError("no convergence")
            return np.arange(len(tables[0])) % self.k

    class Second(First):
        def fit_predict(self, tables):
            return np.arange(len(tables[0]))[::-1] % self.k

    cluster = types.SimpleNamespace(First=First, Second=Second)
    monkeypatch.setitem(sys.modules, "imml", types.SimpleNamespace(cluster=cluster))
    monkeypatch.setitem(sys.modules, "imml.cluster", cluster)

    def labels(python, tables, k, seed):
        path = tmp_path / "views.npz"
        np.savez(path, **{str(v): table for v, table in enumerate(tables)})
        return view_peers._run(
            "imml", {"path": path, "k": k, "seed": seed, "names": ["First", "Second"]}
        )

    monkeypatch.setattr(view_peers, "labels", labels)
    target = np.arange(20) % 2
    cut = views.with_gaps(np.random.RandomState(0).randn(20, 6), COLUMNS, 0.3, 0)
    found = views.peers("python", cut, target, COLUMNS, 0)
    assert np.isnan(found["iMML First"])
    assert found["iMML Second"] == 1
