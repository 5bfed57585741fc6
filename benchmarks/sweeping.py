"""Cases measured over a fixed number of sweeps from one start.

They offer what those of `converging` do; all have a setting `sweeps`.
"""

import time

import numpy as np
import scipy.sparse as sp
from sklearn import cluster

from benchmarks import (
    answers,
    literal,
    literal_comvcf,
    literal_ktmec,
    literal_lssmtc,
    literal_mtcmrl,
    products,
)
from benchmarks.answers import SEED, Answer
from kinfolk.blocks import Block
from kinfolk.knowledge import Knowledge
from kinfolk.methods.multitask import model_relation, shared_subspace
from kinfolk.methods.multiview import concept_collaboration
from kinfolk.methods.transfer import entropy_transfer
from kinfolk.numerics import (
    entropic,
    model_relations,
    shared_factorization,
    starts,
    visible_latent,
)

ONCE = {"n_init": 1, "tol": 0.0, "random_state": SEED}
PRINTED = {"update": "multiplicative", "affinity": "cosine"}
"""What both sides do, as the paper has it."""


def tables_of(X, tasks):
    """Split the rows by task."""
    return [X[tasks == t] for t in np.unique(tasks)]


def draw():
    """Seed that Kinfolk draws for a single start."""
    return int(literal.draw_seeds(SEED, 1)[0])


def first_labels(tables, k):
    """K-means labels of the rows of each table."""
    return [literal.start(table, k, draw()) for table in tables]


class MTCMRL:
    """Case MTCMRL with setting k; solver for ours only."""

    weights = {"lam": 4.0, "mu": 0.5, "alpha": 4.0, "beta": 0.5}

    def literal(self, X, tasks, s):
        """Run algorithm 1 as printed."""
        first = first_labels(map(self.condensed, tables_of(X, tasks)), s["k"])
        k, sweeps = [s["k"]] * len(first), s["sweeps"]
        return answers.printed(
            literal_mtcmrl,
            lambda: literal_mtcmrl.fit(X, tasks, k, first, max_iter=sweeps, **self.weights),
        )

    def ours(self, X, tasks, s):
        """Fit the estimator with the paper's weights (its defaults)."""
        more = {"solver": s["solver"]} if "solver" in s else {}
        model = model_relation.MTCMRL(s["k"], max_iter=s["sweeps"], **more, **PRINTED, **ONCE)
        return answers.fitted(model_relations, model, X, tasks=tasks)

    def products(self, X, tasks, s, sweeps):
        """Time the products before and during the sweeps."""
        return products.mtcmrl(tables_of(X, tasks), s["k"], sweeps)

    def held(self, X, tasks, s):
        """Megabytes of dense X, M and K per task, and four arrays (n, n)."""
        sizes = np.bincount(tasks)
        return X.shape[0] * X.shape[1] + 2 * np.sum(sizes**2) + 4 * sizes.max() ** 2

    def condensed(self, X):
        """Rows as Kinfolk passes them to k-means, so that both sides start alike."""
        n, d = X.shape
        return starts.condensed((X @ X.T).toarray()) if 4 * n < d else X


class KTMEC:
    """Case KT-MEC with setting k; rows of X serve as the source's centers."""

    weights = {"lam": 0.5, "eta": 0.9}

    def literal(self, X, tasks, s):
        """Run equations (8) and (12) as printed."""
        V = self.source(X, s)
        gamma, sweeps = self.temperature(X), s["sweeps"]
        return answers.printed(
            literal_ktmec,
            lambda: literal_ktmec.fit(X, V, V, gamma=gamma, max_iter=sweeps, **self.weights),
        )

    def ours(self, X, tasks, s):
        """Fit the estimator."""
        known = Knowledge(self.source(X, s), np.full(s["k"], 100.0))
        gamma = self.temperature(X)
        model = entropy_transfer.KTMEC(
            knowledge=known, temperature=gamma, max_iter=s["sweeps"], **ONCE
        )
        return answers.fitted(entropy_transfer, model, X)

    def products(self, X, tasks, s, sweeps):
        """Time XV~' and U~'X once, and XV' and U'X in each sweep."""
        return products.soft_means(X, s["k"], sweeps)

    def held(self, X, tasks, s):
        """Megabytes of E, U, B and temporary arrays."""
        return 6 * X.shape[0] * s["k"]

    def source(self, X, s):
        """Source centers: rows of X."""
        rows = np.random.default_rng(SEED).choice(X.shape[0], s["k"], replace=False)
        return np.asarray(X[np.sort(rows)], dtype=float)

    def temperature(self, X):
        """Temperature gamma: twice the mean variance of a column."""
        return float(2 * X[:1000].var(axis=0, dtype=float).mean())


class Lloyd(KTMEC):
    """Case k-means with setting k; scikit-learn's in place of the literal form.

    Ours are the sweeps of KT-MEC on rows of any precision, without the estimator around them.
    """

    def literal(self, X, tasks, s):
        """scikit-learn's KMeans from the same centers."""
        V = self.source(X, s).astype(X.dtype)
        model = cluster.KMeans(len(V), init=V, n_init=1, max_iter=s["sweeps"], tol=0.0)
        seconds, rounds = answers.timed(
            [(cluster._kmeans, "lloyd_iter_chunked_dense")], lambda: model.fit(X)
        ).laps("rounds")
        sweeps = int(model.n_iter_)
        return Answer(model.labels_, sweeps=sweeps, sweeping=seconds / rounds * sweeps)

    def ours(self, X, tasks, s):
        """Fit KT-MEC from the same centers."""
        V, k, gamma = self.source(X, s), s["k"], self.temperature(X)
        given = entropy_transfer.TransferProblem(
            gamma,
            self.weights["eta"],
            1.0,
            np.arange(k),
            V,
            np.full(k, self.weights["lam"]),
            entropic.Moments(np.zeros(k), np.zeros(V.shape)),
            V.mean(axis=0),
            0.0,
        )
        fixed, _ = entropic.moments(X, entropy_transfer.source_rule(given), given.origin)
        given = given._replace(held=fixed.scaled(1.0 - given.eta))
        state = entropy_transfer.state_at(Block(X), V, given)
        start = time.perf_counter()
        for _ in range(s["sweeps"]):
            state = entropy_transfer.sweep(Block(X), state)
            entropy_transfer.objective(state)
        sweeping = time.perf_counter() - start
        labels = entropic.nearest(X, state.V, np.zeros(k))
        found = {"sweeps": s["sweeps"], "sweeping": sweeping}
        return Answer(labels, steps={"sweeps": sweeping}, **found)


class CoMVCF:
    """Case Co-MVCF with settings k and widths (columns of each view)."""

    weights = {"alpha": 0.01, "beta": 0.7, "gamma": 100.0, "eta": 1000.0, "l": 5, "h": None}

    def literal(self, X, tasks, s):
        """Run equations (10) to (16) as printed."""
        views = np.split(X, np.cumsum(s["widths"])[:-1], axis=1)
        rule = "split" if X.min() < 0 else "printed"
        more = {"seed": draw(), "sweeps": s["sweeps"], "rule": rule}
        return answers.printed(
            literal_comvcf, lambda: literal_comvcf.fit(views, s["k"], **self.weights, **more)
        )

    def ours(self, X, tasks, s):
        """Fit the estimator with the same weights (its defaults)."""
        ends = np.cumsum(s["widths"]).tolist()
        views = {end: slice(end - d, end) for end, d in zip(ends, s["widths"], strict=True)}
        model = concept_collaboration.CoMVCF(
            s["k"],
            views,
            view_temperature=self.weights["eta"],
            normalize=False,
            update="multiplicative",
            max_iter=s["sweeps"],
            **ONCE,
        )
        return answers.fitted(visible_latent, model, X)

    def products(self, X, tasks, s, sweeps):
        """Time XX' once, and KY, KG, KM per view and SY in each sweep."""
        views = np.split(X, np.cumsum(s["widths"])[:-1], axis=1)
        return products.comvcf(views, s["k"], self.weights["l"], sweeps)

    def held(self, X, tasks, s):
        """Megabytes of graph arrays and the views' kernels."""
        each = 3 if X.min() < 0 else 1
        return (5 + each * len(s["widths"])) * X.shape[0] ** 2


class LSSMTC:
    """Case LSSMTC with settings k and subspace."""

    weights = {"lam": 0.5}

    def literal(self, X, tasks, s):
        """Run algorithm 1, or the released code's step."""
        dense = X.toarray() if sp.issparse(X) else X
        first = np.empty((X.shape[0], s["k"]))
        for t, labels in enumerate(first_labels(tables_of(X, tasks), s["k"])):
            first[tasks == t] = np.eye(s["k"])[labels] + 0.2
        more = {"subspace": s["subspace"], "max_iter": s["sweeps"]}
        return answers.printed(
            literal_lssmtc,
            lambda: literal_lssmtc.fit(dense, tasks, first, s["k"], **self.weights, **more),
        )

    def ours(self, X, tasks, s):
        """Fit the estimator."""
        more = {"subspace": s["subspace"], "max_iter": s["sweeps"], "init": "kmeans"}
        more["update"] = "multiplicative"
        model = shared_subspace.LSSMTC(s["k"], self.weights["lam"], **more, **ONCE)
        return answers.fitted(shared_factorization, model, X, tasks=tasks)

    def products(self, X, tasks, s, sweeps):
        """Time the products before and during the sweeps."""
        tables = tables_of(X, tasks)
        return products.lssmtc(tables, s["k"], s["subspace"] == "published", sweeps)

    def held(self, X, tasks, s):
        """Megabytes of dense X and three arrays (d, d)."""
        return X.shape[0] * X.shape[1] + 3 * X.shape[1] ** 2
