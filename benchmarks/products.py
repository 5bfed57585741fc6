"""The matrix products that no exact form can do without, timed by themselves in double precision.

step 1   S = H'H and H A in each layer; where rows are fewer than features H H', and the two
         products with H and H' that take the place of H A
step 2   V^ts for t <= s; the sizes and distances (9) of each task in the narrower form
step 3   M Y with the sparse M, once a sweep
"""

import time

import numpy as np
import scipy.sparse as sp


def mtcfir(X, sizes, n_layers, neighbors, k, sweeps):
    """Seconds of the products, for tasks of these sizes and this many sweeps in all."""
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
    for n, count in zip(sizes, sweeps, strict=True):
        seconds += _graph_products(n, min(n - 2, int(np.ceil(neighbors * n / k))), k, count, random)
    return seconds


def _graph_products(n, l, k, sweeps, random):
    near = np.concatenate([random.choice(n, l, replace=False) for _ in range(n)])
    M = sp.csr_array((np.ones(n * l), near, np.arange(0, n * l + 1, l)), shape=(n, n))
    M = sp.csr_array((M + M.T) / 2)
    Y = random.random((n, k))
    return _timed(lambda: [M @ Y for _ in range(min(sweeps, 50))]) * sweeps / min(sweeps, 50)


def symnmf(X, k, sweeps):
    """Seconds of Z'Y and Z(Z'Y) over this many sweeps."""
    Y = np.random.default_rng(0).random((X.shape[0], k))
    return (
        _timed(lambda: [X @ (X.T @ Y) for _ in range(min(sweeps, 50))]) * sweeps / min(sweeps, 50)
    )


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
