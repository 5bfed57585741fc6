"""Cells of an AnnData: what is read, and what is written where."""

import doctest

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.anndata import answers, cells, clustering
from kinfolk.errors import InputError
from kinfolk.numerics import gene_counts

anndata = pytest.importorskip("anndata")

QUICK = {"families": ["kmeans", "mec"], "n_clusters": 3}


def made(sizes=(24, 18), n_genes=40):
    """Draw counts of cells of three types in two donors, each with its own rate per gene."""
    random = np.random.default_rng(0)
    types = np.concatenate([np.arange(n) % 3 for n in sizes])
    donors = np.repeat(["old", "young"], sizes)
    rates = np.ones((3, n_genes))
    for kind in range(3):
        rates[kind, kind * 10 : kind * 10 + 10] = 6.0
    shift = np.exp(0.2 * random.normal(size=(2, n_genes)))
    X = random.poisson(rates[types] * shift[(donors == "young").astype(int)]).astype(float)
    obs = pd.DataFrame({"donor": donors, "type": types}, index=[f"c{i}" for i in range(len(X))])
    adata = anndata.AnnData(sp.csr_matrix(X), obs=obs)
    adata.layers["dense"] = X
    adata.obsm["X_pca"] = gene_counts.log_normalized(X) @ random.normal(size=(n_genes, 5))
    return adata


@pytest.fixture(scope="module")
def clustered():
    adata = made()
    assert kf.anndata.cluster(adata, "donor", **QUICK) is None
    return adata


def test_cells_of_one_type_have_one_kind_in_all_donors(clustered):
    table = pd.crosstab(clustered.obs["type"], clustered.obs["kinfolk"])
    assert (np.sort(table.to_numpy(), axis=1)[:, :2] == 0).all()


def test_answers_are_categories(clustered):
    obs = clustered.obs
    assert list(obs["kinfolk"].cat.categories) == ["0", "1", "2"]
    assert list(obs["kinfolk_cluster"].cat.categories) == [
        *("old:0", "old:1", "old:2"),
        *("young:0", "young:1", "young:2"),
    ]
    assert (obs["kinfolk_own"].str.rpartition(":")[0] == obs["donor"]).all()


def test_the_answer_is_that_of_the_estimator(clustered):
    rows = cells.rows(clustered, "donor")
    model = kf.Kinfolk(random_state=0, columns_are_scaled=rows.columns_are_scaled, **QUICK)
    model.fit(rows.X, tasks=rows.batches)
    assert clustered.obs["kinfolk"].tolist() == model.matched_labels_.astype(str).tolist()
    shares = model.transform(rows.X, tasks=rows.batches)
    np.testing.assert_array_equal(clustered.obsm["X_kinfolk"], shares)


def test_the_guard_says_what_each_batch_took(clustered):
    guard = clustered.uns["kinfolk"]["guard"]
    assert guard.index.tolist() == ["old", "young"]
    assert guard["n_rows"].tolist() == [24, 18]
    assert guard["meaning"].str.len().min() > 20
    assert clustered.uns["kinfolk"]["params"]["batch_key"] == "donor"


def test_a_file_holds_what_was_written(clustered, tmp_path):
    clustered.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert read.obs["kinfolk"].tolist() == clustered.obs["kinfolk"].tolist()
    assert read.uns["kinfolk"]["guard"]["meaning"].tolist()
    assert read.uns["kinfolk"]["params"]["n_clusters"].tolist() == [3, 3]


def test_a_copy_leaves_the_original_as_it_is():
    adata = made()
    found = kf.anndata.cluster(adata, "donor", key_added="kin", copy=True, **QUICK)
    assert list(adata.obs) == ["donor", "type"]
    assert "X_kin" in found.obsm
    assert "kin" in found.uns


def test_cells_without_batches_are_one_batch():
    adata = made()
    kf.anndata.cluster(adata, use_rep="X_pca", **QUICK)
    assert adata.uns["kinfolk"]["batches"].tolist() == ["all"]
    assert list(adata.obs["kinfolk_cluster"].cat.categories) == ["0", "1", "2"]


def test_counts_are_prepared_alike_in_any_container():
    adata = made()
    sparse = cells.rows(adata, "donor").X
    dense = cells.rows(adata, "donor", layer="dense").X
    np.testing.assert_allclose(sparse, dense, atol=1e-10)


def test_rows_are_scores_of_principal_components():
    adata = made()
    L = gene_counts.log_normalized(adata.layers["dense"])
    Z = scaled_by_loops(L)
    found = cells.rows(adata, "donor", n_comps=3).X
    assert found.shape == (42, 3)
    # The first three directions: no others leave so little of the rows.
    V = np.linalg.svd(Z)[2]
    np.testing.assert_allclose(np.abs(found), np.abs(Z @ V[:3].T), atol=1e-8)
    assert cells.rows(adata, "donor", n_comps=3).columns_are_scaled


def test_few_genes_are_taken_as_they_are():
    adata = made()
    adata.X = np.arange(84.0).reshape(42, 2)[:, [0] * 40] / 4 - 3
    few = adata[:, :1].copy()
    expected = (few.X - few.X.mean(axis=0)) / few.X.std(axis=0, ddof=1)
    np.testing.assert_allclose(cells.rows(few, "donor").X, expected)


def test_numbers_that_are_no_counts_are_not_prepared_again():
    adata = made()
    adata.X = adata.layers["dense"] / 2 - 1
    np.testing.assert_array_equal(cells.rows(adata, "donor", "X").X, adata.X)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"batch_key": "doner"}, "obs has no 'doner'; it has 'donor', 'type'"),
        ({"use_rep": "X_umap"}, "obsm has no 'X_umap'; it has 'X_pca'"),
        ({"layer": "raw"}, "layers has no 'raw'; it has 'dense'"),
        ({"layer": "dense", "use_rep": "X_pca"}, "give one of them"),
        ({"n_top_genes": 0}, "n_top_genes is 0"),
        ({"key_added": 7}, "key_added is 7"),
        ({"copy": "yes"}, "copy is 'yes'"),
        ({"batch_key": "donor", "key_added": "donor"}, r"would replace obs\['donor'\]"),
        ({"use_rep": "X_pca", "key_added": "pca"}, r"would replace obsm\['X_pca'\]"),
    ],
)
def test_a_wrong_argument_gets_a_sentence(given, words):
    with pytest.raises(InputError, match=words):
        kf.anndata.cluster(made(), n_clusters=3, **given)


def test_other_objects_are_refused():
    with pytest.raises(InputError, match="adata is an ndarray; give an AnnData"):
        kf.anndata.cluster(np.eye(3))
    with pytest.raises(InputError, match="no argument 'tasks'; .* batch_key names the column"):
        kf.anndata.cluster(made(), tasks="donor")
    with pytest.raises(
        InputError, match=r"clustered by kf\.anndata\.cluster, and kf.compare reads"
    ):
        kf.compare(made(), n_clusters=3)


@pytest.mark.parametrize(("is_ordered", "expected"), [(True, "young"), (False, "old")])
def test_batches_stand_in_the_order_of_an_ordered_category(is_ordered, expected):
    adata = made()
    levels = ["young", "old"]
    adata.obs["donor"] = pd.Categorical(adata.obs["donor"], levels, ordered=is_ordered)
    kf.anndata.cluster(adata, "donor", **QUICK)
    assert adata.uns["kinfolk"]["batches"][0] == expected


def test_cells_without_a_batch_are_refused():
    adata = made()
    adata.obs["donor"] = pd.Categorical([None, *["old"] * 41])
    with pytest.raises(InputError, match="donor"):
        kf.anndata.cluster(adata, "donor", n_clusters=2)


def test_genes_that_are_marked_are_kept_and_no_others():
    adata = made()
    adata.var["highly_variable"] = np.arange(40) < 30
    marked = cells.rows(adata, "donor").X
    adata.var["highly_variable"] = False
    with pytest.raises(InputError, match="False throughout"):
        cells.rows(adata, "donor")
    expected = gene_counts.log_normalized(adata.layers["dense"])[:, :30]
    assert marked.shape[1] == 30
    Z = scaled_by_loops(expected)
    np.testing.assert_allclose(marked @ marked.T, Z @ Z.T, atol=1e-8)


@pytest.mark.parametrize(
    "marks",
    [
        np.where(np.arange(40) < 30, "True", "False"),
        pd.Categorical(np.where(np.arange(40) < 30, "TRUE", "FALSE")),
        pd.array([True] * 30 + [pd.NA] * 10, dtype="boolean"),
        np.array([True] * 30 + [np.nan] * 10, dtype=object),
        (np.arange(40) < 30).astype(float),
    ],
)
def test_marks_of_genes_may_be_words_or_missing(marks):
    adata = made()
    adata.var["highly_variable"] = marks
    assert cells.rows(adata, "donor").X.shape[1] == 30
    adata.var["highly_variable"] = np.arange(40)
    with pytest.raises(InputError, match="highly_variable.* has '2'; give True or False for each"):
        cells.rows(adata, "donor")


def test_of_logarithms_the_genes_that_vary_most_within_batches_are_kept():
    adata = made()
    from_counts = cells.rows(adata, "donor", n_top_genes=12, n_comps=50).X
    adata.X = gene_counts.log_normalized(adata.layers["dense"])
    from_logarithms = cells.rows(adata, "donor", n_top_genes=12, n_comps=50).X
    assert from_logarithms.shape == (42, 12)
    np.testing.assert_allclose(from_logarithms, from_counts, atol=1e-8)


@pytest.mark.parametrize(("scale", "shift"), [(0.5, -1.0), (33.3, 0.0)])
def test_genes_are_not_chosen_by_numbers_that_are_no_logarithms(scale, shift):
    adata = made()
    adata.X = adata.layers["dense"] * scale + shift
    with pytest.raises(InputError, match="neither counts nor .* give n_top_genes=40"):
        cells.rows(adata, "donor", n_top_genes=12)
    assert cells.rows(adata, "donor", n_top_genes=40).X.shape[0] == 42


def test_batches_that_read_alike_are_refused():
    adata = made()
    adata.obs["donor"] = pd.Series([1] * 24 + ["1"] * 18, index=adata.obs_names, dtype=object)
    with pytest.raises(InputError, match="batches that read alike: '1'"):
        cells.rows(adata, "donor")


def test_parameters_of_numpy_stay_numbers():
    seven, share = answers._storable(np.int64(7)), answers._storable(np.float64(0.5))
    assert (seven, type(seven), share, type(share)) == (7, int, 0.5, float)
    assert answers._storable(np.bool_(True)) is True
    assert answers._storable(["mec"]) == "['mec']"


def scaled_by_loops(L):
    """Standardize columns to mean 0 and variance 1, by loops."""
    columns = [(column - column.mean()) / column.std(ddof=1) for column in L.T]
    assert np.max(columns) < 10
    return np.transpose(columns)


def test_categories_are_in_the_order_of_numbers():
    found = answers.categories(np.array(["a:10", "a:9", "b:0"]))
    assert found.categories.tolist() == ["a:9", "a:10", "b:0"]


def test_the_example_of_the_docstring_runs():
    # Skipped where the doctests of all files run, because anndata may be absent there.
    text = clustering.cluster.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, vars(clustering).copy(), "cluster", None, 0)
    assert len(example.examples) == 7
    assert doctest.DocTestRunner().run(example).failed == 0


def test_counts_by_columns_give_the_same_kinds_as_counts_by_rows(clustered):
    adata = made()
    adata.X = sp.csc_matrix(adata.X)
    kf.anndata.cluster(adata, "donor", **QUICK)
    assert adata.obs["kinfolk"].tolist() == clustered.obs["kinfolk"].tolist()


@pytest.mark.parametrize("given", [{"use_rep": np.ones((2, 2))}, {"batch_key": np.ones((2, 2))}])
def test_keys_that_are_tables_are_refused(given):
    with pytest.raises(InputError, match=r"adata\.(obsm|obs) has no array"):
        kf.anndata.cluster(made(), **{"batch_key": "donor", **QUICK, **given})


def test_a_view_of_cells_becomes_a_copy_without_a_warning():
    whole = made()
    view = whole[:30]
    kf.anndata.cluster(view, "donor", **QUICK)  # a warning would be an error
    assert not view.is_view
    assert "kinfolk" in view.obs
    assert "kinfolk" not in whole.obs


def test_how_alike_donors_are_divided_is_always_written(clustered):
    agreement = clustered.uns["kinfolk"]["agreement"]
    assert agreement.shape == (2, 2)
    assert (np.diag(agreement) == 1).all()
