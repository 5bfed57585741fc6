"""Cells of three made donors: Leiden, Harmony and then Leiden, and `kf.anndata.cluster`.

    python -m pip install '.[app,anndata,leiden]' scanpy harmonypy
    python -m benchmarks.donors [--draws 3] > donors.md

The 700 blood cells of ten types that scanpy brings are divided among three donors; counts are drawn
again, with a factor for each gene and donor, and the third donor has no dendritic cells. Prints the
adjusted Rand index with the types: over all cells, and the mean over donors of that within donors.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.related.harmony_leiden import of_number

CLUSTERS = 8
"""Clusters that are asked for; two of the ten types have fewer than 14 cells."""

STRENGTHS = (0.5, 1.0)
"""Standard deviations of the logarithm of a donor's factors of genes."""

OWN = "the same, clusters of each donor by itself"
"""Row of the table."""


# The page on cells shows these lines; a test compares them.
def three_donors(strength, seed):
    """Make an AnnData of counts, with `obs` columns "donor" and "cell_type"."""
    import numpy as np
    import scanpy as sc

    blood = sc.datasets.pbmc68k_reduced()  # comes with scanpy
    random = np.random.default_rng(seed)
    donor = random.integers(3, size=blood.n_obs)
    shares = np.expm1(blood.raw.X.toarray()) / 10_000
    factors = np.exp(strength * random.standard_normal((3, blood.n_vars)))
    depth = blood.obs["n_counts"].to_numpy()[:, None]
    cells = sc.AnnData(random.poisson(depth * shares * factors[donor]), var=blood.var[[]])
    cells.obs["donor"] = np.array(["A", "B", "C"])[donor]
    cells.obs["cell_type"] = blood.obs["bulk_labels"].to_numpy()
    absent = (cells.obs["donor"] == "C") & (cells.obs["cell_type"] == "Dendritic")
    return cells[~absent].copy()


def components(cells):
    """Return 50 principal components of scaled logarithms, by scanpy's own steps."""
    import scanpy as sc

    made = cells.copy()
    made.X = made.X.astype(float)
    sc.pp.normalize_total(made, target_sum=1e4)
    sc.pp.log1p(made)
    sc.pp.scale(made)
    sc.pp.pca(made, n_comps=50, random_state=0)
    return made.obsm["X_pca"]


def leiden(rows, cells, seed):
    """Return communities, at the resolution that gives the number of clusters or nearly."""
    import scanpy as sc

    made = sc.AnnData(rows, obs=cells.obs[["donor"]])
    sc.pp.neighbors(made, use_rep="X", random_state=seed)

    def communities(resolution):
        sc.tl.leiden(made, resolution, random_state=seed, flavor="leidenalg", n_iterations=-1)
        return made.obs["leiden"].astype(int).to_numpy()

    return of_number(communities, CLUSTERS)


def harmony_leiden(rows, cells, seed):
    """Return communities of components that Harmony has corrected for the donor."""
    import harmonypy

    made = harmonypy.run_harmony(rows, cells.obs, ["donor"], random_state=seed, verbose=False)
    corrected = np.asarray(made.Z_corr)
    return leiden(corrected if len(corrected) == len(rows) else corrected.T, cells, seed)


def kinfolk(cells, seed, **parameters):
    """Return the kinds of the cells, and the clusters that each donor has by itself."""
    import kinfolk as kf

    kf.anndata.cluster(cells, "donor", CLUSTERS, random_state=seed, **parameters)
    return cells.obs["kinfolk"].to_numpy(), cells.obs["kinfolk_own"].to_numpy()


def scores(cells, labels):
    """Return the adjusted Rand index over all cells, and the mean of those within donors."""
    truth = cells.obs["cell_type"].to_numpy()
    donors = cells.obs["donor"].to_numpy()
    within = [
        adjusted_rand_score(truth[donors == name], labels[donors == name])
        for name in np.unique(donors)
    ]
    return adjusted_rand_score(truth, labels), np.mean(within)


def measured(strength, seed):
    """Return name -> scores of one draw, and the seconds of processor time of Kinfolk."""
    cells = three_donors(strength, seed)
    rows = components(cells)
    began = time.process_time()
    kinds, own = kinfolk(cells, seed)
    seconds = time.process_time() - began
    with_leiden, _ = kinfolk(cells, seed, families=["all", "leiden"])
    labels = {
        "Leiden": leiden(rows, cells, seed),
        "Harmony, then Leiden": harmony_leiden(rows, cells, seed),
        "`kf.anndata.cluster`": kinds,
        OWN: own,
        'the same, `families=["all", "leiden"]`': with_leiden,
    }
    found = {name: scores(cells, found) for name, found in labels.items()}
    # Clusters of different donors have no names in common, so that all cells have no score.
    found[OWN] = (np.nan, found[OWN][1])
    return found, seconds


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = {}
    seconds = []
    for strength in STRENGTHS:
        draws = [measured(strength, seed) for seed in range(asked.draws)]
        seconds += [taken for _, taken in draws]
        columns[strength] = {
            name: np.mean([found[name] for found, _ in draws], axis=0) for name in draws[0][0]
        }
    heads = [f"s = {s:g}, {what}" for s in STRENGTHS for what in ("all cells", "per donor")]
    print("| |", " | ".join(heads), "|")
    print("|---|" + "---:|" * len(heads))
    for name in columns[STRENGTHS[0]]:
        figures = np.concatenate([columns[strength][name] for strength in STRENGTHS])
        shown = (f"{figure:.3f}".replace("0.", ".", 1).replace("nan", "") for figure in figures)
        print("|", " | ".join([name, *shown]), "|")
    print(f"\n`kf.anndata.cluster` took {np.mean(seconds):.0f} seconds of processor time for each.")


if __name__ == "__main__":
    main()
