"""Estimators that are fitted again with other parameters keep nothing of the first fit."""

import numpy as np
import pytest

from kinfolk import MTCFIR, CoMVCF, ConceptFactorization, NCut, SymNMF

X = np.abs(np.random.default_rng(0).normal(size=(24, 4)))
FEW = {"n_init": 1, "max_iter": 3}  # sweeps set the attributes that the first one sets
ALONE = {"graph_weight": 0.0, **FEW}
GRAPH = {"graph_weight": 1.0, "affinity": "gaussian", **FEW}


@pytest.mark.parametrize(
    ("method", "first", "then"),
    [
        (SymNMF, {"affinity": "gaussian"}, {"affinity": "cosine"}),
        (NCut, {"affinity": "gaussian"}, {"affinity": "cosine"}),
        (MTCFIR, {"affinity": "gaussian"}, {"affinity": "cosine"}),
        (ConceptFactorization, GRAPH, ALONE),
        (CoMVCF, GRAPH, ALONE),
    ],
)
def test_a_model_fitted_again_has_the_attributes_of_a_new_one(method, first, then):
    again = method(2, random_state=0, **first).fit(X)
    assert again.bandwidth_ > 0
    again.set_params(**then).fit(X)
    fresh = method(2, random_state=0, **{**first, **then}).fit(X)
    assert set(vars(again)) == set(vars(fresh))
    np.testing.assert_array_equal(again.labels_, fresh.labels_)
