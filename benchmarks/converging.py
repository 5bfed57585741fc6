"""Methods measured over a hundred sweeps from k-means starts: MTCFIR and SymNMF.

A method offers

    literal(X, tasks, settings)           the answer of the printed formulas
    ours(X, tasks, settings)              the answer of Kinfolk
    products(X, tasks, settings, sweeps)  seconds of the products that cannot be avoided: before
                                          the sweeps, and in so many sweeps
    held(X, tasks, settings)              numbers in the arrays that the literal form holds
"""

import numpy as np

from benchmarks import answers, literal, products
from benchmarks.answers import SEED, Answer
from kinfolk.methods.multitask import feature_instance
from kinfolk.methods.single import symmetric
from kinfolk.numerics import symmetric_factorization

DESCENT = {"max_iter": 100, "tol": 0.0}
"""So many sweeps on both sides, whose own rules would stop them at different ones."""
PRINTED = {"update": "multiplicative", "affinity": "cosine"}
"""What both sides do, as the paper has it."""
SWEEP = [(symmetric_factorization, "multiplicative_step")]


class MTCFIR:
    """Case MTCFIR with settings k and n_init; weight_rows and precision for ours only."""

    settings = {"noise": 0.7, "n_layers": 3, "neighbors": 0.3, "ridge": 1e-5, **DESCENT}

    def literal(self, X, tasks, s):
        """Run algorithm 4 as printed."""
        return Answer(*literal.mtcfir(X, tasks, seed=SEED, **self.settings, **s))

    def ours(self, X, tasks, s):
        """Fit the estimator."""
        s = {"n_clusters": s["k"], **{name: s[name] for name in s if name != "k"}}
        model = feature_instance.MTCFIR(
            share_features=True,
            max_neighbors=None,
            random_state=SEED,
            **PRINTED,
            **self.settings,
            **s,
        )
        watch = answers.timed(SWEEP, lambda: model.fit(X, tasks=tasks))
        found = (model.labels_, model.task_relatedness_, model.task_relatedness_error_)
        return Answer(*found, sweeps=watch.calls["rounds"], steps=answers.steps(watch))

    def products(self, X, tasks, s, sweeps):
        """Time the products: layers, affinities, distances and M Y."""
        layers, neighbors = self.settings["n_layers"], self.settings["neighbors"]
        sizes = np.bincount(tasks).tolist()
        each = [round(sweeps * n / sum(sizes)) for n in sizes]
        return products.mtcfir(X, sizes, layers, neighbors, s["k"], each)

    def held(self, X, tasks, s):
        """Megabytes of V^ts for one task at a time, and three arrays (n, n)."""
        n = int(np.bincount(tasks).max())
        return n * len(tasks) + 3 * n**2


class SymNMF:
    """Case SymNMF with settings k and n_init."""

    def literal(self, X, tasks, s):
        """Run the multiplicative updates (25) on dense cosines."""
        return Answer(literal.symnmf(X, seed=SEED, **DESCENT, **s))

    def ours(self, X, tasks, s):
        """Fit the estimator."""
        more = {"n_init": s["n_init"], "random_state": SEED}
        model = symmetric.SymNMF(s["k"], **PRINTED, **DESCENT, **more)
        watch = answers.timed(SWEEP, lambda: model.fit(X))
        return Answer(model.labels_, sweeps=watch.calls["rounds"], steps=answers.steps(watch))

    def products(self, X, tasks, s, sweeps):
        """Time the products Z(Z'Y)."""
        return products.symnmf(X, s["k"], sweeps)

    def held(self, X, tasks, s):
        """Megabytes of the dense cosines."""
        return X.shape[0] ** 2
