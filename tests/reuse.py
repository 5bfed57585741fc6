"""Results of pure functions that tests of one module ask for again and again.

Most laws fit every method to the same few tables from the same seeds, and each of these fits begins
with the same k-means. `once` computes it for the first of them. A fit that passes on other rows,
another seed or another number of clusters has other arguments, and is computed as ever.
"""

import functools
import pickle
from hashlib import blake2b

LARGEST = 200_000
"""Bytes of arguments: copies of larger ones take too much memory for what they save."""


def once(function):
    """Wrap a function so that it runs once for equal arguments, and every caller gets a copy.

    Left alone are calls that may change a table, and calls without a fixed seed.
    """
    results = {}

    @functools.wraps(function)
    def call(X, k, seed, *args, **given):
        changes_table = given.get("overwrite", False) or not given.get("copy_x", True)
        if changes_table or not _is_fixed(seed):
            return function(X, k, seed, *args, **given)
        arguments = pickle.dumps((X, k, seed, args, given))
        if len(arguments) > LARGEST:
            return function(X, k, seed, *args, **given)
        key = blake2b(arguments).digest()
        if key not in results:
            results[key] = pickle.dumps(function(X, k, seed, *args, **given))
        return pickle.loads(results[key])  # noqa: S301

    return call


def _is_fixed(seed):
    """True for a whole number, or a list of them."""
    return all(isinstance(one, int) for one in (seed if isinstance(seed, list) else [seed]))
