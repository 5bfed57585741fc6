"""What estimators tell about empty clusters and about columns and rows that hide all others."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

import kinfolk as kf
import laws
from kinfolk.catalogue import METHODS
from kinfolk.errors import EmptyClusterWarning, ScaleWarning, SingleColumnWarning
from kinfolk.estimators import warn
from kinfolk.tables import RelatedData

SHOWN = (EmptyClusterWarning, ScaleWarning)
RANDOM = np.random.default_rng(0)
GROUPS = abs(6 * np.eye(4)[np.arange(20) % 2] + RANDOM.normal(size=(20, 4)))
TASKS = np.repeat(["a", "b"], 10)

ENTRIES = [
    pytest.param(entry, id=entry.name)
    for entry in METHODS.values()
    if entry.relation.name != "tasks with labels"
    and laws.implemented_here(entry)
    and entry.name not in laws.RANDOM_STARTS  # these tell equal rows apart
]


def told(fit):
    """Collect the warnings of a fit as (category, sentence)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [(w.category, str(w.message)) for w in caught if issubclass(w.category, SHOWN)]


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_method_tells_once_that_it_left_clusters_empty(entry):
    X = np.tile([0.3, 0.4, 0.1], (12, 1))
    found = told(lambda: laws.fit(entry, X, np.repeat(["a", "b"], 6), k=2))
    assert [category for category, _ in found] == [EmptyClusterWarning]
    which = "1 of 2 clusters in task 'a', 1 of 2 clusters in task 'b'"
    asked = which if laws.of_tasks(entry) and entry.name != "pooled" else "1 of 2 clusters"
    assert found[0][1].startswith(f"only {asked} have rows: ask for fewer clusters")


@pytest.mark.parametrize("make", [kf.MEC, kf.SymNMF, kf.MBC, kf.PerTask, kf.KTMEC, kf.MTCFIR])
def test_a_warning_of_a_fit_points_to_the_line_that_called_it(make):
    with pytest.warns(EmptyClusterWarning) as caught:
        make(n_clusters=2).fit(np.tile([0.3, 0.4, 0.1], (12, 1)))
    assert {warning.filename for warning in caught} == {__file__}


def of_a_binary_column(seed=0, n=60):
    """Rows of three columns of noise and one of two values, three standard deviations apart."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=["age", "height", "weight"])
    return X.assign(smokes=3.0 * (np.arange(n) % 3 == 0))


@pytest.mark.parametrize("make", [kf.CLR, kf.MTLGMM])
def test_clusters_that_are_the_values_of_one_column_bring_a_warning(make):
    X = of_a_binary_column()
    sentence = "clusters are the values of column smokes, and no other column counts: leave it out"
    with pytest.warns(SingleColumnWarning, match=sentence):
        model = make(n_clusters=2).fit(X)
    assert len(set(zip(model.labels_, X["smokes"], strict=True))) == 2


@pytest.mark.parametrize("make", [kf.CLR, kf.MTLGMM])
def test_clusters_in_which_each_column_varies_bring_no_warning(make):
    X = GROUPS + 3.0  # two groups of rows, three columns that say nothing
    with warnings.catch_warnings():
        warnings.simplefilter("error", SingleColumnWarning)
        make(n_clusters=2).fit(X)


def test_many_tasks_with_empty_clusters_share_one_sentence():
    codes = np.repeat(np.arange(9), 2)
    with pytest.warns(EmptyClusterWarning) as caught:
        warn.of_empty_clusters(np.zeros(18, int), codes, list("abcdefghi"), [2] * 8 + [1])
    assert "in task 'c' and 5 more tasks have rows" in str(caught[0].message)


def test_a_task_without_rows_in_a_pooled_cluster_is_no_matter():
    X = np.vstack([GROUPS, np.tile(GROUPS[0], (4, 1))])
    model = kf.Pooled(n_clusters=2)
    assert not told(lambda: model.fit(X, tasks=[*TASKS, *["c"] * 4]))
    assert set(model.labels_[20:]) == {model.labels_[0]}


def test_clusters_that_a_method_counts_itself_are_never_too_few():
    model = kf.PerTask(DBSCAN(eps=3.0))
    assert not told(lambda: model.fit(GROUPS, tasks=TASKS))


def scaled(column=1e3, row=1.0, mean=0.0):
    """Make clear groups with a column and a row of another scale."""
    X = GROUPS.copy()
    X[:, 2] = X[:, 2] * column + mean
    X[5] *= row
    return X


COLUMN = "column 2 carries more than 99 % of the"
ROW = "row 5 carries more than 99 % of the"


@pytest.mark.parametrize(
    ("model", "X", "sentence"),
    [
        (kf.MEC(2), scaled(), f"{COLUMN} variance"),
        (kf.PCAKMeans(2), scaled(), f"{COLUMN} variance"),
        (kf.PCAKMeans(2), scaled(1.0, mean=1e9), None),
        (kf.PCAKMeans(2), scaled(1.0, row=1e4), f"{ROW} variance"),
        (kf.SoftKMeans(2), scaled(), f"{COLUMN} squared length"),
        (kf.SoftKMeans(2), scaled(1.0, mean=1e9), f"{COLUMN} squared length"),
        (kf.SoftKMeans(2), scaled(1.0, row=1e4), f"{ROW} squared length"),
        (kf.SymNMF(2, affinity="cosine"), scaled(), f"{COLUMN} squared length"),
        (kf.SymNMF(2, affinity="cosine"), scaled(1.0, row=1e4), None),
        (kf.SymNMF(2, affinity="gaussian"), scaled(1.0, row=1e4), f"{ROW} variance"),
        (kf.JointSpectral(2), scaled(), f"{COLUMN} squared length"),
        (kf.JointSpectral(2), scaled(1.0, row=1e4), None),
        (kf.PerTask(n_clusters=2), scaled(), f"{COLUMN} variance"),
        (kf.Pooled(kf.SoftKMeans(2)), scaled(), f"{COLUMN} squared length"),
        (kf.MEC(2), sp.csr_array(scaled()), None),
        (kf.MEC(2), GROUPS, None),
        (kf.MEC(2), np.hstack([GROUPS[:, :1], np.full((20, 3), 0.1)]), None),
    ],
)
def test_a_column_or_row_that_hides_the_others_is_named_once(model, X, sentence):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    found = [str(w.message) for w in caught if w.category is ScaleWarning]
    assert len(found) == (sentence is not None)
    assert all(text.startswith(sentence) for text in found)


def test_a_column_of_a_data_frame_is_named():
    frame = pd.DataFrame(scaled(), columns=["age", "height", "salary", "rooms"])
    with pytest.warns(ScaleWarning, match="column 'salary' carries more than 99 %.*scale='stand"):
        kf.MEC(2).fit(frame)


def test_a_column_in_larger_units_is_named_with_its_share():
    wine = load_wine(as_frame=True).data
    sentence = (
        "column 'proline' carries 98 % of the squared length of all columns, so that it decides "
        "more than all others together which rows are alike: bring columns to one scale"
    )
    for model in (kf.SoftKMeans(3, random_state=0), kf.PerTask(kf.SoftKMeans(3, random_state=0))):
        ((_, text),) = told(lambda model=model: model.fit(wine))
        assert text.startswith(sentence)


@pytest.mark.parametrize(("size", "warned"), [(0.01, True), (0.7, False), (1.5, False), (30, True)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_far_from_unit_length_are_told(size, warned, form):
    rows = form(size * GROUPS / np.linalg.norm(GROUPS, axis=1)[:, None])
    found = told(lambda: warn.unless_unit_length(rows, "mu"))
    assert len(found) == warned
    assert all(f"length {size} and mu is meant" in text for _, text in found)


def test_the_default_method_keeps_the_warnings_of_its_runs_to_itself():
    X = np.vstack([np.tile(GROUPS[:2], (6, 1)), GROUPS[:12]])
    model = kf.Kinfolk(4, families=["kmeans", "mec"], random_state=0)
    found = told(lambda: model.fit(X, tasks=np.repeat(["a", "b"], 12)))
    assert len(found) <= 1  # its own
    messages = {record["message"] for record in model.run_warnings_}
    assert any(text.startswith("EmptyClusterWarning: only 2 of 4") for text in messages)


def test_a_comparison_notes_each_warning_once():
    data = RelatedData("salaries", TASKS, np.arange(20).astype(str), scaled(), tuple("abcd"))
    found = kf.compare(data, method="mec", n_clusters=2).study.notes
    about = [note for note in found if "carries more than 99 %" in note]
    assert len(about) == 1
    assert about[0].startswith("Column 'c' carries")


def test_a_descent_that_max_iter_stops_says_so_once():
    with pytest.warns(ConvergenceWarning) as caught:
        kf.LSSMTC(2, max_iter=1, random_state=0).fit(GROUPS, tasks=TASKS)
    assert [str(w.message) for w in caught] == [
        "LSSMTC stopped after 1 sweeps, the most that max_iter allows, and before its end: its "
        "clusters may change with more of them. Raise max_iter."
    ]


def test_of_an_estimator_for_each_task_only_the_inner_ones_say_that_they_stopped():
    with pytest.warns(ConvergenceWarning) as caught:
        kf.PerTask(kf.SoftKMeans(2, max_iter=1, random_state=0)).fit(GROUPS, tasks=TASKS)
    assert {str(w.message).split()[0] for w in caught} == {"SoftKMeans"}


def test_a_descent_that_reached_its_end_says_nothing():
    model = kf.LSSMTC(2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(GROUPS, tasks=TASKS).converged_


@pytest.mark.parametrize(
    "model", [kf.SoftKMeans(2), kf.CoMVCF(2), kf.MultiNMF(2), kf.ConceptFactorization(2)]
)
def test_methods_that_measure_from_zero_say_that_rows_are_far_from_it(model):
    def sentences(away):
        return [
            text for _, text in told(lambda: model.fit(GROUPS + away)) if "so far from 0" in text
        ]

    assert len(sentences(1e4)) == 1
    assert not sentences(0.0)


def test_sparse_rows_whose_differences_are_lost_in_rounding_are_told():
    def sentences(X):
        return [text for _, text in told(lambda: kf.MEC(2).fit(X)) if "a sparse table" in text]

    assert len(sentences(sp.csr_array(GROUPS + 5e8))) == 1
    assert not sentences(sp.csr_array(GROUPS + 1e3))
    assert not sentences(sp.csr_array(np.full((6, 2), 5e8)))  # nothing to lose
    assert not sentences(GROUPS + 5e8)  # dense rows are counted from their mean


def test_rows_without_a_view_do_not_hide_that_the_others_are_far_from_zero():
    X = np.hstack([GROUPS + 1e4, GROUPS])
    X[::2, : GROUPS.shape[1]] = np.nan
    views = {"far": slice(0, 4), "near": slice(4, 8)}
    model = kf.MultiNMF(2, views=views, max_iter=20)
    assert any("so far from 0" in text for _, text in told(lambda: model.fit(X)))
