"""Three small tasks, and what MTCTKI and SAMTC have in common, for tests of the two."""

import numpy as np

import oracles_shared_neighbors as loops
from kinfolk.estimators import shared_neighbors

SIZES = {"a": 20, "b": 15, "c": 12}
TASKS = np.random.default_rng(3).permutation(np.repeat(list(SIZES), list(SIZES.values())))
CODES = np.array([list(dict.fromkeys(TASKS)).index(task) for task in TASKS])
ROWS = [np.flatnonzero(t == CODES) for t in range(3)]


def assert_new_rows_lie_as_in_the_loops(model, t, new, seen, groups, h, monkeypatch):
    """Assert where task t puts new rows, and that each gets the label of the nearest center.

    `seen` are the rows of the fit (47, d) and the new ones (m, d), both of unit length.
    """
    Z, Z_new = seen
    own = ROWS[t]
    S = loops.similarity(Z, own, groups, h)
    places = []
    squared = shared_neighbors.distances.squared
    spied = lambda A, B: (places.append(A), squared(A, B))[1]  # noqa: E731
    monkeypatch.setattr(shared_neighbors.distances, "squared", spied)
    found = model.predict(new, tasks=model.task_names_[t])
    for i, z in enumerate(Z_new):
        w = loops.similarity_of_new(Z, z, own, groups, h)
        v, vectors = loops.extended(S, w, 2)
        # The signs of eigenvectors differ: places are compared by their cosines with fitted rows.
        lies = model.embedding_[own] @ places[0][i]
        np.testing.assert_allclose(lies, loops.unit(vectors) @ v, atol=1e-7)
        assert found[i] == np.sum((model._centers[t] - places[0][i]) ** 2, axis=1).argmin()


def assert_each_task_is_clustered_alone(own, alone, new):
    """Assert that a model of three tasks without transfer is `alone`, of one estimator each."""
    np.testing.assert_array_equal(own.labels_, alone.labels_)
    for t, single in enumerate(alone.estimators_):
        np.testing.assert_allclose(own.embedding_[ROWS[t]], single.embedding_, atol=1e-12)
        name = own.task_names_[t]
        np.testing.assert_array_equal(own.predict(new, tasks=name), single.predict(new))
