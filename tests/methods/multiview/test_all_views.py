"""Laws of methods of several views, with two views and with views that are missing."""

import numpy as np
import pytest
import scipy.sparse as sp

import laws
from kinfolk.catalogue import METHODS
from kinfolk.errors import InputError
from made_views import related_views, with_gaps

pytestmark = pytest.mark.usefixtures("short_sweeps")

VIEWS = {name: entry for name, entry in METHODS.items() if str(entry.relation) == "several views"}
TAKES_GAPS = [name for name, entry in VIEWS.items() if entry.cls.takes_missing_views]
# NEMO has no objective: its own tests hold what a missing view does to similarities.
DESCENDING = [name for name in TAKES_GAPS if "max_iter" in VIEWS[name].cls().get_params()]

X, SLICES, TRUTH = related_views()


def fitted(name, X, views=SLICES, **parameters):
    known = VIEWS[name].cls().get_params(deep=False)
    few = {"n_init": 2, "random_state": 0, "max_iter": laws.FEW, **laws.QUICK.get(name, {})}
    settings = {**few, **parameters}
    taken = {name: value for name, value in settings.items() if name in known}
    return VIEWS[name].make(n_clusters=3, views=views, **taken).fit(X)


@pytest.mark.parametrize("name", VIEWS)
def test_clear_groups_of_two_views_are_found_and_new_rows_assigned(name):
    for signed in (True, False):
        rows, views, truth = related_views(signed=signed)
        model = fitted(name, rows, views)
        assert laws.same_clusters(model.labels_, truth)
        assert model.view_weights_.sum() == pytest.approx(1.0)
        new, _, there = related_views(n=9, seed=5, signed=signed)
        found = np.concatenate([model.labels_, model.predict(new)])
        assert laws.same_clusters(found, np.concatenate([truth, there]))


@pytest.mark.parametrize("name", VIEWS)
def test_the_order_of_rows_with_two_views_does_not_matter(name):
    rows, views, _ = related_views(noise=1.2)
    order = np.random.default_rng(1).permutation(len(rows))
    a, b = fitted(name, rows, views), fitted(name, rows[order], views)
    np.testing.assert_array_equal(a.labels_[order], b.labels_)


@pytest.mark.parametrize("name", sorted(set(VIEWS) - set(TAKES_GAPS)))
def test_other_methods_say_that_they_need_every_view(name):
    with pytest.raises(InputError, match=r"view '[ab]' is missing \(NaN\) from row \d+ of X, and"):
        fitted(name, with_gaps(X, SLICES, 0.3))


@pytest.mark.parametrize("name", TAKES_GAPS)
def test_clear_groups_are_found_though_views_are_missing(name):
    holed = with_gaps(X, SLICES, 0.4)
    assert 5 <= np.isnan(holed[:, [0, 4]]).sum() <= 15
    model = fitted(name, holed)
    assert laws.same_clusters(model.labels_, TRUTH)
    new, _, there = related_views(n=9, seed=5)
    found = model.predict(with_gaps(new, SLICES, 0.9))
    assert laws.same_clusters(np.append(model.labels_, found), np.append(TRUTH, there))
    assert np.isnan(holed).any()  # the table stays as it was


@pytest.mark.parametrize("name", TAKES_GAPS)
def test_with_missing_views_the_objective_never_rises_and_rows_may_come_in_any_order(name):
    for seed in range(3):
        rows, views, _ = related_views(noise=1.5, seed=seed)
        holed = with_gaps(rows, views, 0.6, seed)
        model = fitted(name, holed, max_iter=30, random_state=seed)
        if name in DESCENDING:
            laws.assert_never_rises(model)
        np.testing.assert_array_equal(model.predict(holed), model.labels_)
        order = np.random.default_rng(seed).permutation(len(rows))
        again = fitted(name, holed[order], max_iter=30, random_state=seed)
        np.testing.assert_array_equal(again.labels_, model.labels_[order])


@pytest.mark.parametrize("name", TAKES_GAPS)
def test_sparse_tables_may_lack_views(name):
    rows = np.where(abs(X) > 0.5, X, 0.0)
    holed = with_gaps(rows, SLICES, 0.4)
    expected = fitted(name, holed)
    found = fitted(name, sp.csr_array(holed))
    assert laws.same_clusters(found.labels_, expected.labels_)


@pytest.mark.parametrize("name", VIEWS)
def test_new_rows_may_be_sparse_where_those_of_the_fit_were_dense(name):
    model = fitted(name, X)
    np.testing.assert_array_equal(model.predict(sp.csr_array(X + 0.1)), model.predict(X + 0.1))


@pytest.mark.parametrize("name", ["snf", "nemo"])
def test_a_column_of_two_views_has_a_part_in_the_distances_of_both(name):
    rows = np.random.default_rng(0).normal(size=(60, 3)) * [1.0, 9.0, 1.0]
    both = fitted(name, rows, {"a": [0, 1], "b": [1, 2]})
    twice = fitted(name, rows[:, [0, 1, 1, 2]], {"a": [0, 1], "b": [2, 3]})
    squares = np.square(twice._scales)
    expected = [squares[0], squares[1] + squares[2], squares[3]]
    np.testing.assert_allclose(np.square(both._scales), expected)


@pytest.mark.parametrize("name", DESCENDING)
def test_a_missing_view_is_not_a_view_of_zeros(name):
    holed = with_gaps(X, SLICES, 0.6)
    ends = [fitted(name, T).objective_trace_[-1] for T in (holed, np.nan_to_num(holed))]
    assert ends[0] != pytest.approx(ends[1], rel=1e-2)


def test_rows_that_cannot_be_used_are_refused():
    partial = X.copy()
    partial[3, 1] = np.nan
    with pytest.raises(InputError, match="row 3 of X is NaN in 1 of the 4 columns of view 'a'"):
        fitted("cofkm", partial)
    empty = X.copy()
    empty[[2, 5]] = np.nan
    with pytest.raises(InputError, match="2 rows of X have no view.*the first is row 2; leave"):
        fitted("cofkm", empty)
    absent = X.copy()
    absent[:, :4] = np.nan
    with pytest.raises(InputError, match="view 'a' is missing from every row of X; leave out"):
        fitted("joined-kmeans", absent)
    with pytest.raises(InputError, match="X has 1 entry that is NaN or infinite"):
        fitted("cofkm", partial, views=None)
    assert len(fitted("cofkm", X).predict(absent)) == len(X)
