"""Clusters the cells of an `AnnData` with `Kinfolk`."""

from typing import Any

import numpy as np

from kinfolk.anndata import answers, cells, modalities
from kinfolk.arguments import flag, text, type_of
from kinfolk.choosing.estimator import Kinfolk
from kinfolk.errors import InputError
from kinfolk.numerics import float_errors


@float_errors.handled_by_default
def cluster(
    adata: Any,
    batch_key: str | None = None,
    n_clusters: Any = "auto",
    *,
    use_rep: str | None = None,
    layer: str | None = None,
    n_top_genes: int = 2000,
    n_comps: int = 50,
    key_added: str = "kinfolk",
    copy: bool = False,
    random_state: Any = 0,
    **parameters: Any,
) -> Any:
    """Cluster cells of several batches together, and write the results into `adata`.

    Parameters
    ----------
    adata : AnnData of cells and genes, or a MuData, whose modalities are views of the same cells
    batch_key : the column of `obs` that names the donor, sample or batch of each cell; an ordered
        category gives their order, as of `Kinfolk.task_names_`. None: all cells are of one
    n_clusters : as of `kf.Kinfolk`: one number, batch -> number, or "auto"
    use_rep : the key of `obsm` to cluster, such as "X_pca", or "X" for the numbers as they are;
        None: `X`, or the layer, is prepared as below. Of a MuData also modality -> key
    layer : the layer to cluster in place of `X`; of a MuData also modality -> layer
    n_top_genes : int >= 1, the most variable genes that are kept, of counts and of logarithms,
        unless `var["highly_variable"]` names them
    n_comps : int >= 1, the principal components of these genes that are clustered
    key_added : the name of what is written; what has this name already is replaced, as in scanpy
    copy : bool, True returns a copy with the answer, and leaves `adata` as it is
    random_state : int, RandomState or None, for the starts
    parameters : of `kf.Kinfolk`, such as `budget` or `families`

    Counts are divided by their sum in each cell, times 10,000, and logarithms of 1 + them are taken
    (`numerics.gene_counts`); other numbers are taken for such logarithms. The genes that are most
    variable within batches are scaled to variance 1, and their principal components clustered.

    Of a MuData each modality is prepared by itself and is a view (`kf.Kinfolk` with `views`). Cells
    that lack a modality are clustered by the others.

    Returns
    -------
    None, or with `copy` the AnnData with these fields:

    obs[key_added] : the kind of each cell, equal in all batches where clusters correspond
    obs[key_added + "_cluster"] : "batch:number", the clusters of the answer within their batch
    obs[key_added + "_own"] : the same of the clusters that each batch has by itself
    obsm["X_" + key_added] : (n, K) the share of the runs that vote for each kind
    uns[key_added] : parameters, batches, their agreement, and in "guard" a table that says for
        each batch what the others changed and why; "relatedness" where MTCFIR took part; of a
        MuData also "views", with the weight and the support of each modality in each batch

    Raises
    ------
    InputError : adata is no AnnData, or has no such column, layer or key; an argument is not known;
        the answer would replace what is clustered; genes are to be chosen by numbers that are no
        logarithms; or as of `kf.Kinfolk`

    Examples
    --------
    >>> import anndata  # doctest: +SKIP
    >>> from kinfolk.datasets import makers  # doctest: +SKIP
    >>> blobs = makers.make_related_blobs(20, n_features=4, random_state=0)  # doctest: +SKIP
    >>> adata = anndata.AnnData(blobs.X, obs={"donor": blobs.tasks})  # doctest: +SKIP
    >>> cluster(adata, "donor", 3, use_rep="X", families=["kmeans", "mec"])  # doctest: +SKIP
    >>> adata.obs["kinfolk"].value_counts().tolist()  # doctest: +SKIP
    [14, 13, 13]
    >>> adata.uns["kinfolk"]["guard"]["meaning"].iloc[0]  # doctest: +SKIP
    'The clusters are those of this data set by itself.'
    """
    if unknown := sorted(parameters.keys() - Kinfolk().get_params().keys()):
        raise InputError(
            f"cluster has no argument {unknown[0]!r}; give its own, of which batch_key names the "
            "column of obs with the data set of each cell, or a parameter of kf.Kinfolk."
        )
    text("key_added", key_added)
    flag("copy", copy)
    answers.check_free(key_added, batch_key, use_rep)
    rows = _rows(adata, batch_key, use_rep, layer, n_top_genes, n_comps)
    if isinstance(rows, modalities.Modalities):
        parameters = {"views": rows.views, **parameters}
    parameters = {"columns_are_scaled": rows.columns_are_scaled, **parameters}
    model = Kinfolk(n_clusters, random_state=random_state, **parameters)
    model.fit(rows.X, tasks=rows.batches)
    memberships = model.transform(rows.X, tasks=rows.batches)
    found = adata.copy() if copy else answers.own(adata)
    given = {
        "batch_key": batch_key,
        "use_rep": use_rep,
        "layer": layer,
        "n_columns": rows.X.shape[1],
        "random_state": random_state,
        **{name: value for name, value in parameters.items() if name != "views"},
        "n_clusters": np.array(model.n_clusters_),
    }
    answers.write(found, key_added, model, rows.batches, memberships, given)
    return found if copy else None


def _rows(adata: Any, *asked: Any) -> cells.PreparedCells | modalities.Modalities:
    """Return the rows to cluster of an AnnData or MuData; InputError for other objects."""
    if modalities.is_mudata(adata):
        return modalities.rows(adata, *asked)
    if cells.is_anndata(adata):
        return cells.rows(adata, *asked)
    raise InputError(
        f"adata is {type_of(adata)}; give an AnnData, such as anndata.read_h5ad(file), or a MuData."
    )
