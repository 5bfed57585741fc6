"""Cells of .h5ad files: roles from obs, counts as logarithms, genes that vary."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError
from kinfolk.numerics import gene_counts
from kinfolk.preparation import Preparation
from kinfolk.sources import cells

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")


def made(n=30, d=50):
    random = np.random.default_rng(0)
    X = random.poisson(random.gamma(1.0, size=d) * 3, size=(n, d)).astype(np.float32)
    obs = pd.DataFrame(
        {
            "donor": pd.Categorical(np.where(np.arange(n) % 2, "old", "young")),
            "age": np.arange(n),
            "state": [None, *["sick"] * (n - 1)],
        },
        index=[f"cell{i}" for i in range(n)],
    )
    var = pd.DataFrame(index=[f"gene{j}" for j in range(d)])
    return anndata.AnnData(sp.csr_matrix(X), obs=obs, var=var)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "cells.h5ad"


def test_cells_are_rows_and_genes_are_columns(place):
    adata = made()
    adata.write_h5ad(place)
    found = sources.read(place, tasks="donor", target="age")
    assert found.data.tasks.tolist() == adata.obs["donor"].tolist()
    assert found.data.row_ids[:2].tolist() == ["cell0", "cell1"]
    assert found.data.target[:3].tolist() == ["0", "1", "2"]
    assert found.data.feature_names == tuple(adata.var_names)
    expected = gene_counts.log_normalized(adata.X.toarray().astype(float))
    np.testing.assert_allclose(found.data.X.toarray(), expected)
    assert any("logarithm of 1" in note for note in found.notes)


def test_an_ordered_category_gives_the_order_of_tasks(place):
    adata = made()
    adata.obs["donor"] = adata.obs["donor"].cat.reorder_categories(["young", "old"], ordered=True)
    adata.write_h5ad(place)
    assert sources.read(place, tasks="donor").data.task_names == ["young", "old"]


def test_numbers_that_are_no_counts_stay_as_they_are(place):
    adata = made()
    adata.X = adata.X.toarray() - 0.5
    adata.write_h5ad(place)
    found = sources.read(place, tasks="donor")
    np.testing.assert_array_equal(found.data.X, adata.X)
    assert found.notes == []


def test_the_most_variable_genes_are_kept(place, monkeypatch):
    adata = made()
    adata.write_h5ad(place)
    monkeypatch.setattr(cells, "N_GENES", 12)
    found = sources.read(place, tasks="donor")
    L = gene_counts.log_normalized(adata.X.toarray().astype(float))
    codes = (adata.obs["donor"] == "old").to_numpy().astype(int)
    kept = gene_counts.most_variable(L, codes, 12)
    assert found.data.feature_names == tuple(adata.var_names[kept])
    np.testing.assert_allclose(found.data.X.toarray(), L[:, kept])
    assert "12 of 50 genes are kept, the most variable within data sets." in found.notes


def test_genes_that_are_marked_are_kept(place):
    adata = made()
    adata.var["highly_variable"] = np.arange(50) % 5 == 0
    adata.write_h5ad(place)
    assert sources.read(place).data.feature_names == tuple(adata.var_names[::5])


@pytest.mark.parametrize("gap", [pd.NA, np.nan])
def test_genes_without_a_mark_are_not_kept(gap):
    marks = pd.Series([True, False, gap, True, gap], dtype="boolean" if gap is pd.NA else object)
    var = pd.DataFrame({"highly_variable": marks})
    names = np.array(list("abcde"))
    kept = cells._kept(np.ones((2, 5)), names, var, None, None, [])
    assert kept.tolist() == [0, 3]


def test_genes_may_be_chosen_and_left_out(place):
    made().write_h5ad(place)
    found = sources.read(place, only=["gene7", "gene3", "gene9"], ignore=["gene9"])
    assert found.data.feature_names == ("gene3", "gene7")
    with pytest.raises(InputError, match="no gene left"):
        sources.read(place, only=["gene7"], ignore=["gene7"])


def test_a_choice_of_genes_does_not_change_their_numbers(place):
    made().write_h5ad(place)
    whole = sources.read(place).data.X.toarray()
    np.testing.assert_array_equal(
        sources.read(place, only=["gene7"]).data.X.toarray()[:, 0], whole[:, 7]
    )


def renamed(adata):
    adata.var_names = ["a", "a", *adata.var_names[2:]]
    return adata


@pytest.mark.parametrize(
    ("change", "asked", "error", "words"),
    [
        (None, {"tasks": "doner"}, InputError, "no 'doner' in obs; it has 'donor', 'age', 'state'"),
        (None, {"tasks": "state"}, InputError, r"row 1 .*'state'"),
        (None, {"text": "state"}, InputError, "holds cells, not texts"),
        (None, {"header": False}, InputError, ""),
        (renamed, {}, FileFormatError, "more than one gene named 'a'"),
    ],
)
@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_what_cannot_be_read_gets_a_sentence(place, change, asked, error, words):
    (change or (lambda adata: adata))(made()).write_h5ad(place)
    if asked == {"header": False}:
        assert sources.read(place, header=False).data.X.shape == (30, 50)  # names stand in the file
        return
    with pytest.raises(error, match=words):
        sources.read(place, **asked)


def test_a_number_that_is_missing_is_named(place):
    adata = made()
    X = adata.X.toarray()
    X[3, 4] = np.nan
    adata.X = X
    adata.write_h5ad(place)
    with pytest.raises(InputError, match="data row 4 has nothing .* column 'gene4'"):
        sources.read(place)


def test_a_file_that_is_no_hdf5_is_refused(place):
    place.write_bytes(b"\x89HDF\r\n\x1a\n junk")
    with pytest.raises(FileFormatError, match="not an .h5ad file that can be read"):
        sources.read(place)


def test_links_to_other_files_are_refused(place, tmp_path):
    adata = made()
    adata.write_h5ad(place)
    adata.write_h5ad(tmp_path / "secret.h5ad")
    with h5py.File(place, "a") as stored:
        del stored["X"]
        stored["X"] = h5py.ExternalLink(str(tmp_path / "secret.h5ad"), "/X")
    with pytest.raises(FileFormatError, match="refers to other places by 'X'"):
        sources.read(place)


def test_data_that_other_files_hold_are_refused(place, tmp_path):
    adata = made()
    adata.X = adata.X.toarray()
    adata.write_h5ad(place)
    (tmp_path / "secret").write_bytes(bytes(12000))
    with h5py.File(place, "a") as stored:
        del stored["X"]
        stored.create_dataset("X", (30, 50), "f8", external=[(str(tmp_path / "secret"), 0, 12000)])
    with pytest.raises(FileFormatError, match="keeps 'X' in other files"):
        sources.read(place)


def test_small_files_do_not_unpack_to_large_tables(place):
    adata = made()
    adata.write_h5ad(place)
    with h5py.File(place, "a") as stored:
        del stored["X"]
        stored.create_dataset("X", (30, 10**9), "f8", chunks=(30, 10**4), compression="gzip")
    with pytest.raises(FileFormatError, match="unpacks to more than"):
        sources.read(place)


def test_chunks_larger_than_the_file_can_hold_are_refused(place):
    adata = made()
    adata.write_h5ad(place)
    with h5py.File(place, "a") as stored:
        numbers = stored["X/data"][:]
        del stored["X/data"]
        claimed = {"chunks": (2**22,), "maxshape": (None,), "compression": "gzip"}
        stored["X"].create_dataset("data", data=numbers, **claimed)
    with pytest.raises(FileFormatError, match="unpacks to more than"):
        sources.read(place)


@pytest.mark.parametrize("part", ["X", "obs", "var"])
def test_a_file_without_a_part_is_refused(place, part):
    made().write_h5ad(place)
    with h5py.File(place, "a") as stored:
        del stored[part]
    with pytest.raises(FileFormatError, match=f"has no '{part}'"):
        sources.read(place)


def both(place, cells=30):
    """Write genes and proteins of some cells as an .h5mu file; the donor stands beside both."""
    mudata = pytest.importorskip("mudata")
    genes = made()
    donor = genes.obs.pop("donor")
    X = np.random.default_rng(1).normal(size=(30, 4))
    proteins = anndata.AnnData(X, obs=pd.DataFrame(index=genes.obs_names))
    proteins.var_names = [f"protein{j}" for j in range(4)]
    mdata = mudata.MuData({"rna": genes, "prot": proteins[:cells].copy()})
    mdata.obs["donor"] = donor.reindex(mdata.obs_names)
    mdata.write(place)
    return mdata


@pytest.fixture
def modalities(tmp_path):
    return tmp_path / "cells.h5mu"


@pytest.mark.filterwarnings("ignore")
def test_modalities_are_views_of_the_same_cells(modalities):
    mdata = both(modalities)
    found = sources.read(modalities, tasks="donor", target="age", ignore=["gene3"])
    assert {view: s.stop - s.start for view, s in found.data.views.items()} == {
        "rna": 49,
        "prot": 4,
    }
    assert found.data.tasks.tolist() == mdata.obs["donor"].tolist()
    assert found.data.target[:2].tolist() == ["0", "1"]
    own = found.data.X.toarray()[:, found.data.views["prot"]]
    np.testing.assert_allclose(own, mdata["prot"].X)
    assert any(note.startswith("rna: Counts of genes") for note in found.notes)


@pytest.mark.filterwarnings("ignore")
def test_cells_that_lack_a_modality_are_refused_or_kept_with_gaps(modalities):
    both(modalities, cells=20)
    with pytest.raises(InputError, match="missing_views="):
        sources.read(modalities, tasks="donor")
    found = sources.read(modalities, tasks="donor", missing_views="keep").data
    assert np.isnan(found.X[:, found.views["prot"]]).all(axis=1).sum() == 10
    assert len(sources.read(modalities, tasks="donor", missing_views="drop").data) == 20


@pytest.mark.filterwarnings("ignore")
def test_a_file_of_modalities_stands_alone(modalities, place):
    both(modalities)
    made().write_h5ad(place)
    with pytest.raises(InputError, match="has views of its own: give it alone"):
        sources.read([modalities, place], tasks="donor")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", ["mod", "mod/rna", "obs", "mod/prot/X"])
def test_modalities_in_other_files_are_refused(modalities, tmp_path, path):
    both(modalities)
    both(tmp_path / "secret.h5mu")
    with h5py.File(modalities, "a") as stored:
        del stored[path]
        stored[path] = h5py.ExternalLink(str(tmp_path / "secret.h5mu"), f"/{path}")
    with pytest.raises(FileFormatError, match="refers to other places by"):
        sources.read(modalities, tasks="donor")


def test_cells_without_counts_are_told_and_not_a_fault(place):
    adata = made()
    logarithms = np.log1p(adata.X.toarray())  # of counts Kinfolk would take them, as an array
    logarithms[3] = 0
    adata.X = sp.csr_matrix(logarithms)
    adata.write_h5ad(place)
    data = sources.read(place, tasks="donor").data
    assert isinstance(data.X, sp.csr_array)
    assert Preparation().fit_transform(data).shape[0] == 30
