"""Modalities of a MuData as views of the same cells."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.anndata import cells, modalities
from kinfolk.errors import InputError

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of mudata, on its next version
    pytest.mark.filterwarnings("ignore::UserWarning:mudata"),
]
QUICK = {"families": ["kmeans", "mec"], "n_clusters": 3}
N = 48


def made(lacking=0, donors=("old", "young")):
    """Make cells of three types with genes and proteins; the last `lacking` have no proteins."""
    random = np.random.default_rng(0)
    types = np.arange(N) % 3
    names = np.array([f"c{i}" for i in range(N)])
    parts = {}
    for name, d in (("rna", 40), ("prot", 12)):
        rates = np.ones((3, d))
        for kind in range(3):
            rates[kind, kind * d // 3 : (kind + 1) * d // 3] = 8.0
        X = random.poisson(rates[types]).astype(float)
        kept = np.arange(N) if name == "rna" else random.permutation(N - lacking)
        var = pd.DataFrame(index=[f"{name}{j}" for j in range(d)])
        parts[name] = anndata.AnnData(X[kept], obs=pd.DataFrame(index=names[kept]), var=var)
    mdata = mudata.MuData(parts)
    mdata.obs["donor"] = np.repeat(donors, N // len(donors))
    return mdata, types


@pytest.fixture(scope="module")
def clustered():
    mdata, types = made(lacking=6)
    assert kf.anndata.cluster(mdata, "donor", **QUICK) is None
    return mdata, types


def test_cells_of_one_type_are_one_cluster_even_where_a_modality_is_missing(clustered):
    mdata, types = clustered
    own = pd.crosstab([mdata.obs["donor"], types], mdata.obs["kinfolk_cluster"])
    assert ((own > 0).sum(axis=1) == 1).all()
    assert mdata.obsm["X_kinfolk"].shape[0] == N


def test_each_batch_and_modality_has_a_weight_and_a_reason(clustered):
    mdata, _ = clustered
    views = mdata.uns["kinfolk"]["views"]
    assert views.index.tolist() == ["old:rna", "old:prot", "young:rna", "young:prot"]
    assert views["modality"].tolist() == ["rna", "prot"] * 2
    assert views.loc["young:prot", "meaning"].endswith("6 rows lack it.")


def test_rows_are_those_of_each_modality_in_the_order_of_the_cells():
    mdata, _ = made(lacking=6)
    found = modalities.rows(mdata, "donor", use_rep="X")
    assert found.views == {"rna": slice(0, 40), "prot": slice(40, 52)}
    np.testing.assert_array_equal(found.X[:, :40], mdata["rna"].X)
    assert np.isnan(found.X[-6:, 40:]).all()
    proteins = mdata["prot"][mdata.obs_names[:42]].X
    np.testing.assert_array_equal(found.X[:42, 40:], proteins)
    assert not found.columns_are_scaled


def test_modalities_are_prepared_by_themselves():
    mdata, _ = made(donors=["one"])
    found = modalities.rows(mdata, None, n_comps=4)
    alone = cells.rows(mdata["rna"], None, n_comps=4).X
    np.testing.assert_allclose(np.abs(found.X[:, found.views["rna"]]), np.abs(alone), atol=1e-9)
    assert found.columns_are_scaled


def test_a_modality_may_have_a_representation_of_its_own():
    mdata, _ = made()
    mdata["rna"].obsm["X_pca"] = np.arange(2.0 * N).reshape(N, 2)
    found = modalities.rows(mdata, "donor", use_rep={"rna": "X_pca"}, n_comps=3)
    np.testing.assert_array_equal(found.X[:, :2], mdata["rna"].obsm["X_pca"])
    assert found.X.shape == (N, 5)


def test_a_copy_leaves_the_original_as_it_is_and_files_hold_the_answer(tmp_path):
    mdata, _ = made()
    found = kf.anndata.cluster(mdata, "donor", key_added="kin", copy=True, **QUICK)
    assert "kin" not in mdata.obs
    found.write_h5mu(tmp_path / "cells.h5mu")
    read = mudata.read_h5mu(tmp_path / "cells.h5mu")
    assert read.obs["kin"].tolist() == found.obs["kin"].tolist()
    assert read.uns["kin"]["views"]["meaning"].tolist()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"batch_key": "site"}, "adata.obs has no 'site'; it has 'donor'"),
        ({"use_rep": {"atac": "X"}}, "use_rep names 'atac'; the modalities are 'rna', 'prot'"),
        ({"use_rep": {"prot": "X_pca"}}, "modality 'prot': adata.obsm has no 'X_pca'"),
        ({"layer": "raw"}, "modality 'rna': adata.layers has no 'raw'"),
    ],
)
def test_what_a_modality_does_not_have_is_named(given, sentence):
    mdata, _ = made()
    with pytest.raises(InputError, match=sentence):
        kf.anndata.cluster(mdata, **given)


def test_one_modality_is_no_multimodal_data():
    mdata, _ = made()
    single = mudata.MuData({"rna": mdata["rna"]})
    with pytest.raises(InputError, match=r"has 1 modalities; give .* mdata\['rna'\]"):
        kf.anndata.cluster(single)


def test_two_cells_of_one_name_are_refused_in_a_sentence():
    mdata, _ = made()
    twice = mdata.mod["prot"].obs_names.to_numpy(copy=True)
    twice[1] = twice[0]
    mdata.mod["prot"].obs_names = twice
    with pytest.raises(InputError, match="modality 'prot' has more than one cell called 'c"):
        modalities.rows(mdata, "donor")
