"""Old names of parameters and attributes still work, and say so."""

import warnings

import pytest
from sklearn.base import BaseEstimator, clone

from kinfolk.errors import InputError
from kinfolk.estimators.renamed import accept_old_names, current_names


class Old(BaseEstimator):
    def __init__(self, init="random", n_init=1):
        self.init = init
        self.n_init = n_init

    def fit(self):
        self.added_ = 3
        return self


@accept_old_names(
    parameters={"start": "init"}, attributes={"newer_": "added_"}, stored={"_known": "_found"}
)
class Renamed(Old):
    pass


@accept_old_names(parameters={"starts": "n_init"})
class Twice(Renamed):
    pass


def test_the_constructor_takes_an_old_name_and_warns_once():
    with pytest.warns(FutureWarning, match="'start' of Renamed is now called 'init'") as caught:
        assert Renamed(start="kmeans").init == "kmeans"
    assert len(caught) == 1


def test_the_warning_points_to_the_line_that_uses_the_old_name():
    with pytest.warns(FutureWarning) as caught:
        Renamed(start="kmeans")
    assert caught[0].filename == __file__


def test_set_params_takes_an_old_name():
    with pytest.warns(FutureWarning, match="now called 'init'"):
        assert Renamed().set_params(start="kmeans").get_params() == {"init": "kmeans", "n_init": 1}


@pytest.mark.parametrize("names", [("start", "init"), ("init", "start")])
def test_an_old_name_beside_the_new_one_is_refused(names):
    given = dict.fromkeys(names, "kmeans")
    for change in (Renamed, Renamed().set_params):
        with pytest.raises(InputError, match="give 'init' alone"):
            change(**given)


def test_an_old_attribute_reads_the_new_one():
    with pytest.warns(FutureWarning, match="'newer_' of Renamed is now called 'added_'"):
        assert Renamed().fit().newer_ == 3


def test_an_old_attribute_is_missing_before_the_fit():
    with pytest.warns(FutureWarning), pytest.raises(AttributeError, match="added_"):
        _ = Renamed().newer_


def test_new_names_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(Renamed(init="kmeans")).set_params(n_init=2).fit()
        assert (model.init, model.n_init, model.added_) == ("kmeans", 2, 3)


def test_scikit_learn_sees_the_new_names_only():
    assert sorted(Renamed().get_params()) == ["init", "n_init"]
    assert repr(Renamed(init="kmeans")) == "Renamed(init='kmeans')"


def test_stored_attributes_come_under_their_new_names():
    stored = {"start": "kmeans", "newer_": 3, "_known": 4, "n_init": 1}
    expected = {"init": "kmeans", "added_": 3, "_found": 4, "n_init": 1}
    assert current_names(Renamed, stored) == expected
    assert current_names(Old, stored) == stored


def test_a_class_keeps_the_old_names_of_its_base():
    found = current_names(Twice, {"starts": 2, "start": "kmeans", "_known": 4})
    assert found == {"n_init": 2, "init": "kmeans", "_found": 4}
    with pytest.warns(FutureWarning, match="of Twice"):
        assert Twice(start="kmeans", n_init=2).init == "kmeans"
