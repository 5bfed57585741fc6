"""Times the matrix products that no exact form can avoid.

Each function returns seconds before the sweeps and seconds of the sweeps. Of MTCFIR, in double
precision:

step 1   S = H'H and H A in each layer; where rows are fewer than features H H', and the two
         products with H and H' that take the place of H A
step 2   V^ts for t <= s; the sizes and distances (9) of each task in the narrower form
step 3   M Y with the sparse M, once a sweep
"""

import time

import numpy as np
import scipy.sparse as sp


def mtcfir(X, sizes, n_layers, neighbors, k, sweeps):
    """Seconds of MTCFIR's products, for tasks of these sizes and numbers of sweeps."""
    random = np.random.default_rng(0)
    N, d = X.shape
    D = d * (n_layers + 1)
    seconds = 0.0
    for depth in range(n_layers):
        H = X if depth == 0 else random.standard_normal((N, d))
        side = random.standard_normal((min(N, d), min(N, d)))
        if d <= N:
            seconds += _timed(lambda H=H: H.T @ H) + _timed(lambda H=H, A=side: H @ A)
        else:
            seconds += _timed(lambda H=H: H @ H.T) + _timed(lambda H=H, A=side: A @ A)
            seconds += _timed(lambda H=H, A=side: A @ H)
    Z = [random.standard_normal((n, D)) for n in sizes]
    for t in range(len(Z)):
        seconds += sum(_timed(lambda t=t, s=s: Z[t] @ Z[s].T) for s in range(t, len(Z)))
    if N > D:
        C = random.standard_normal((D, D))
        for z in Z:
            seconds += _timed(lambda z=z: z.T @ z) + _timed(lambda z=z: z @ C)
            F = z @ C
            seconds += _timed(lambda z=z, F=F: F @ z.T)
    else:
        for n in sizes:
            F = random.standard_normal((n, N))
            seconds += _timed(lambda F=F: F @ F.T)
    return seconds, sum(
        _graph_products(n, min(n - 2, int(np.ceil(neighbors * n / k))), k, count, random)
        for n, count in zip(sizes, sweeps, strict=True)
    )


def _graph_products(n, l, k, sweeps, random):
    near = np.concatenate([random.choice(n, l, replace=False) for _ in range(n)])
    M = sp.csr_array((np.ones(n * l), near, np.arange(0, n * l + 1, l)), shape=(n, n))
    M = sp.csr_array((M + M.T) / 2)
    Y = random.random((n, k))
    return _repeated(lambda: M @ Y, sweeps)


def symnmf(X, k, sweeps):
    """Seconds of Z'Y and Z(Z'Y), before and during the sweeps."""
    Y = _random(X.shape[0], k)
    return 0.0, _repeated(lambda: X @ (X.T @ Y), sweeps)


def mtcmrl(tables, k, sweeps):
    """Seconds of MTCMRL's products, before and during the sweeps.

    Where rows are fewer than columns the turn back has twice as many columns, for W and for X W.
    """
    before, within = 0.0, 0.0
    for X in tables:
        n, d = X.shape
        Y, Z, m = _random(n, k), _random(d, k), min(n, d)
        Q, a, b = _random(m, m), _random(m, k), _random(m, 2 * k if n <= d else k)
        before += _timed(lambda X=X, wide=n <= d: X @ X.T if wide else X.T @ X)
        within += _repeated(
            lambda X=X, Y=Y, Z=Z, Q=Q, a=a, b=b: [
                X @ Z,
                X.T @ Y,
                X @ (X.T @ Y),
                Q.T @ a,
                Q @ b,
            ],
            sweeps,
        )
    return before, within


def soft_means(X, k, sweeps):
    """Seconds of XV' and U'X, before and during the sweeps."""
    V, U = _random(k, X.shape[1]).astype(X.dtype), _random(X.shape[0], k).astype(X.dtype)
    within = _repeated(lambda: [X @ V.T, U.T @ X], sweeps)
    return within / sweeps, within


def comvcf(views, k, l, sweeps):
    """Seconds of Co-MVCF's products, before and during the sweeps.

    Of a view with negative entries also |X||X|'G. K is formed where it is smaller than X.
    """
    n, random = views[0].shape[0], np.random.default_rng(0)
    X, Y = np.hstack(views), _random(n, k)
    before = _timed(lambda: [X[i : i + 1000] @ X.T for i in range(0, n, 1000)])
    within = _graph_products(n, l, k, sweeps, random)
    for view in views:
        times = 4 if view.min() < 0 else 3
        if n <= view.shape[1]:
            K = view @ view.T
            before += _timed(lambda view=view: view @ view.T)
            within += times * _repeated(lambda K=K: K @ Y, sweeps)
        else:
            within += times * _repeated(lambda view=view: view @ (view.T @ Y), sweeps)
    return before, within


def lssmtc(tables, k, published, sweeps):
    """Seconds of LSSMTC's products, before and during the sweeps."""
    before, within = 0.0, 0.0
    if published:
        X = sp.vstack(tables) if sp.issparse(tables[0]) else np.vstack(tables)
        before = _timed(lambda: X @ X.T if X.shape[0] < X.shape[1] else X.T @ X)
    for X in tables:
        V, O = _random(X.shape[1], k), _random(X.shape[0], k)
        within += _repeated(lambda X=X, V=V, O=O: [X @ V, X @ V, X.T @ O, X.T @ O], sweeps)
    return before, within


def _random(*shape):
    return np.random.default_rng(0).random(shape)


def _repeated(work, sweeps, most=20):
    """Seconds of this many calls, extrapolated from at most `most` calls."""
    calls = min(sweeps, most)
    return _timed(lambda: [work() for _ in range(calls)]) * sweeps / calls


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
