import re

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_profiles as loops
from kinfolk.profiles import doubtful, misfits, profile
from kinfolk.profiles.cells import Cells
from kinfolk.tables import RelatedData

CENTERS = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [12.0, 12.0]])
TASKS = ("a", "b", "c")


def made(shift=0.0, each=30, seed=0):
    """Draw four kinds in each of three tasks, shifted if wanted; rows, kinds, tasks."""
    rng = np.random.default_rng(seed)
    kinds = np.tile(np.repeat(range(4), each), 3)
    tasks = np.repeat(TASKS, 4 * each)
    X = CENTERS[kinds] + rng.normal(size=(len(kinds), 2))
    return X + shift * np.repeat([0, 1, -2], 4 * each)[:, None], kinds, tasks


def told(X, kinds, tasks, **more):
    names = ("income", "spend", "noise")[: X.shape[1]]
    data = RelatedData("t", tasks, np.arange(len(X)), X, names)
    return profile(data, kinds, X, **more).cautions


@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_kinds_that_are_what_they_seem_need_no_caution(shift):
    assert told(*made(shift)) == ()


@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_a_kind_with_a_cluster_of_another_kind_is_told_in_the_units_of_the_table(shift):
    X, kinds, tasks = made(shift)
    kept = ~((tasks == "c") & (kinds == 3))
    wrong = np.where((tasks == "c") & (kinds == 0), 3, kinds)
    data = RelatedData("t", tasks[kept], np.arange(kept.sum()), X[kept], ("income", "spend"))
    found = profile(data, wrong[kept], X[kept], names={3: "business"})
    (sentence,) = found.cautions
    assert sentence.startswith("business may not be one group: its means in c differ")
    assert "Its rows in c are more like kind 0." in sentence
    own = kept & (wrong == 3)
    here = loops.mean(X[own & (tasks == "c"), 0].tolist())
    elsewhere = loops.mean(X[own & (tasks != "c"), 0].tolist())
    text = found.columns[0].text
    assert f"income {text(here)} beside {text(elsewhere)}" in sentence


def test_when_most_kinds_differ_in_one_task_it_is_said_once_and_where():
    X, kinds, tasks = made()
    turned = np.where((tasks == "b")[:, None], -X, X)
    (sentence,) = told(turned, kinds, tasks)
    assert sentence.startswith("Means differ from those of the same kinds elsewhere about as much")
    assert re.search(r"kinds differ in b \([34] of 4 clusters\): ", sentence)


def test_when_most_kinds_differ_between_tasks_it_is_said_once():
    X, kinds, tasks = made()
    kept = tasks != "c"
    turned = np.where((tasks == "b")[:, None], -X, X)
    (sentence,) = told(turned[kept], kinds[kept], tasks[kept])
    assert "of 4 kinds differ between data sets about as much as kinds differ" in sentence


def test_of_texts_only_small_clusters_are_told():
    X, kinds, tasks = made()
    counts = sp.csr_array(np.where((kinds == 3) & (tasks == "c"), 0, kinds)[:, None] + 1.0)
    data = RelatedData("t", tasks, np.arange(len(X)), texts=("",) * len(X))
    assert profile(data, kinds, counts, ("word",)).cautions == ()
    alone = np.where(np.arange(len(X)) == 7, 8, kinds)
    (sentence,) = profile(data, alone, counts, ("word",)).cautions
    assert sentence.startswith("In a, kind 8 has a single row (7)")


def test_of_two_clusters_neither_is_called_the_wrong_one():
    X, kinds, tasks = made()
    kept = tasks != "b"
    wrong = kinds.copy()
    wrong[(tasks == "c") & (kinds == 0)] = 3
    wrong[(tasks == "c") & (kinds == 3)] = 0
    found = misfits.misfits(X[kept], Cells.of(wrong[kept], tasks[kept]))
    assert {one.kind for one in found} >= {0, 3}
    assert {one.nearer for one in found} == {-1}


def test_the_means_behind_misfits_are_those_of_loops():
    X, kinds, tasks = made()
    cells = Cells.of(kinds, tasks)
    M = misfits.means(X, cells)
    residual = [
        X[i, 0] - loops.mean(X[(kinds == kinds[i]) & (tasks == tasks[i]), 0].tolist())
        for i in range(len(X))
    ]
    spread = np.sqrt(loops.mean([r**2 for r in residual]))
    for k in range(4):
        own = X[(kinds == k) & (tasks == "b"), 0].tolist()
        every = loops.mean(X[:, 0].tolist())
        assert M[k, 1, 0] == pytest.approx((loops.mean(own) - every) / spread)


def test_a_fit_without_one_cluster_is_that_of_least_squares():
    random = np.random.default_rng(0)
    M = random.normal(size=(3, 4, 2))
    weight = random.random((3, 4)) * np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    whole = misfits._Equations.of(M, weight)
    predicted, of_kinds = misfits._without(M, weight, whole, 0, 3)
    kept = weight.copy()
    kept[0, 3] = 0
    kind, task = np.nonzero(kept)
    parts = np.hstack([np.eye(3)[kind], np.eye(4)[task]])
    root = np.sqrt(kept[kind, task])[:, None]
    expected = np.linalg.lstsq(root * parts, root * M[kind, task], rcond=None)[0]
    np.testing.assert_allclose(predicted, expected[:3] + expected[3 + 3], atol=1e-9)
    np.testing.assert_allclose(np.diff(of_kinds, axis=0), np.diff(expected[:3], axis=0), atol=1e-9)


def test_a_kind_that_no_other_cluster_links_to_a_task_is_not_predicted():
    weight = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    M = np.random.default_rng(0).normal(size=(3, 3, 2))
    predicted, _ = misfits._without(M, weight, misfits._Equations.of(M, weight), 0, 0)
    assert np.isnan(predicted).any(axis=1).tolist() == [False, False, True]


def test_sparse_rows_are_judged_as_dense_ones():
    X, kinds, tasks = made()
    wrong = np.where((tasks == "c") & (kinds < 2), 1 - kinds, kinds)
    cells = Cells.of(wrong, tasks)
    dense, sparse = (misfits.misfits(table, cells) for table in (X, sp.csr_array(X)))
    assert [one[:2] for one in dense] == [one[:2] for one in sparse] != []


def test_a_single_row_is_told_with_its_name_and_a_number_of_clusters():
    X, kinds, tasks = made()
    X = np.vstack([X, [[99.0, 99.0]]])
    sentences = told(X, np.append(kinds, 7), np.append(tasks, "c"))
    assert sentences == (
        "In c, kind 7 has a single row (360), which may be an outlier rather than a group. Look at "
        "it, or ask for 4 clusters there.",
    )


def test_single_rows_of_one_data_set_are_told_together_and_a_number_gets_a_noun():
    X, kinds, tasks = made()
    X = np.vstack([X, [[99.0, 99.0], [-99.0, 99.0]]])
    sites = np.where(np.append(tasks, ["c", "c"]) == "c", "3", np.append(tasks, ["c", "c"]))
    (sentence,) = told(X, np.append(kinds, [7, 8]), sites)
    assert sentence == (
        "In data set 3, kind 7 and kind 8 have a single row each (360 and 361), which may be "
        "outliers rather than groups. Look at them, or ask for fewer clusters there."
    )


def test_small_clusters_of_one_data_set_are_told_with_their_sizes():
    X, kinds, tasks = made(each=60)
    few = np.array([[60.0, 60.0], [60.5, 60.0], [-90.0, 60.0]])
    (sentence,) = told(
        np.vstack([X, few]), np.append(kinds, [7, 7, 8]), np.append(tasks, ["c"] * 3)
    )
    assert sentence.startswith("In c, kind 7 and kind 8 have only 2 and 1 of 243 rows. Look at")


def test_fewer_than_one_row_in_a_hundred_are_told():
    X, kinds, tasks = made(each=60)
    few = np.full((2, 2), 60.0) + [[0.0], [0.5]]
    (sentence,) = told(np.vstack([X, few]), np.append(kinds, [7, 7]), np.append(tasks, ["c", "c"]))
    assert sentence.startswith("In c, kind 7 has only 2 of 242 rows.")


def test_a_group_that_was_cut_in_two_is_told():
    X, kinds, tasks = made(each=80)
    cut = np.where((tasks == "b") & (kinds == 3) & (X[:, 0] > 12.0), 9, kinds)
    (sentence,) = told(X, cut, tasks)
    assert sentence.startswith("In b, kind 3 and kind 9 may be one group: their means are 3.1 ")
    assert sentence.endswith("Compare with 4 clusters there.")


def test_units_of_columns_and_of_tasks_do_not_matter():
    X, kinds, tasks = made(each=80)
    noise = np.random.default_rng(1).normal(size=(len(X), 1))
    units = np.where(tasks == "c", 2.54, 1.0)[:, None] * [1.0, 1e3, 1e6]
    assert told(np.hstack([X, noise]) * units, kinds, tasks) == ()


def test_clusters_of_a_task_may_share_a_kind():
    X, kinds, tasks = made(each=80)
    clusters = np.where((tasks == "b") & (kinds == 3) & (X[:, 0] > 12.0), 9, kinds)
    (sentence,) = told(X, kinds, tasks, clusters=clusters)
    assert sentence.startswith("In b, kind 3 and kind 3 may be one group")


def test_one_task_and_one_cluster_are_no_fault():
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert told(X, np.zeros(20, dtype=int), np.full(20, "a")) == ()


def test_equal_rows_are_no_fault():
    assert told(np.ones((12, 2)), np.repeat([0, 1], 6), np.tile(["a", "b"], 6)) is not None


def test_medians_in_another_unit_are_shown_where_they_round_to_0():
    X = np.random.default_rng(0).uniform(5, 8, size=(90, 1))
    tasks = np.repeat(TASKS, 30)
    X[tasks == "b"] /= 1000
    data = RelatedData("t", tasks, np.arange(90), X, ("Zn",))
    (found,) = [s for s in profile(data, np.zeros(90, int), X).cautions if "Units may differ" in s]
    assert "Zn has a median of 0.0063 in b and of 6.8 in the other data sets" in found


def test_a_median_just_below_100_is_shown_as_100():
    X = np.repeat([[99.7], [9000.0]], 30, axis=0)
    data = RelatedData("t", np.repeat(["a", "b"], 30), np.arange(60), X, ("Zn",))
    (found,) = [s for s in profile(data, np.zeros(60, int), X).cautions if "Units may differ" in s]
    assert "Zn has a median of 9,000 in b and of 100 in a" in found


@pytest.mark.parametrize(("factor", "said"), [(10, True), (0.1, True), (2, False), (-10, False)])
def test_a_column_that_may_have_another_unit_in_one_data_set_is_told(factor, said):
    X = np.random.default_rng(0).uniform(5, 8, size=(90, 1))
    tasks = np.repeat(TASKS, 30)
    X[tasks == "b"] *= factor
    data = RelatedData("t", tasks, np.arange(90), X, ("HbA1c",))
    found = [s for s in profile(data, np.zeros(90, int), X).cautions if "Units may differ" in s]
    assert len(found) == said
    if said:
        median = f"{np.median(X[tasks == 'b']):.2g}"
        assert f"HbA1c has a median of {median} in b and of " in found[0]


def test_many_close_pairs_are_told_in_one_sentence_the_nearest_first():
    X, kinds, tasks = made(each=80)
    cut = np.where((kinds == 3) & (X[:, 0] > 12.0), 9, kinds)
    (sentence,) = told(X, cut, tasks)
    assert sentence.startswith("In 3 data sets two clusters may be one group, as their means")
    assert sentence.endswith("Compare with one cluster fewer there.")
    listed = re.findall(r"kind 3 and kind 9 in [abc] \((\d\.\d)\)", sentence)
    assert len(listed) == 3
    assert listed == sorted(listed)


def test_small_clusters_of_many_data_sets_are_told_in_one_sentence_the_smallest_first():
    X, kinds, tasks = made(each=60)
    rows = np.vstack([X, np.full((5, 2), 60.0)])
    found = told(rows, np.append(kinds, [7] * 5), np.append(tasks, ["a", "a", "b", "c", "c"]))
    (sentence,) = found
    assert sentence == (
        "3 clusters in 3 data sets have a single row, or less than 1 % of the rows: kind 7 in b "
        "(1 of 241), kind 7 in a (2 of 242), kind 7 in c (2 of 242). Look at them, or ask for "
        "fewer clusters there."
    )


def test_a_sentence_on_many_data_sets_lists_eight():
    pairs = [doubtful.ClosePair(f"s{i}", ("kind 0", "kind 1"), 3.0, 3) for i in range(11)]
    (sentence,) = doubtful.of_close(pairs)
    assert "s7 (3.0) and 3 more. Compare" in sentence
