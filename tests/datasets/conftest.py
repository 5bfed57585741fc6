import functools
import hashlib
from pathlib import Path

import numpy as np
import pytest

from kinfolk import datasets
from kinfolk.datasets.registry import Collection


@pytest.fixture
def packed(tmp_path):
    """Writes archives of arrays into the data directory `tmp_path`; returns their collection."""

    def pack(archives):
        checksums = {}
        for file, arrays in archives.items():
            path = tmp_path / Path(file).name
            np.savez_compressed(path, **arrays)
            checksums[file] = hashlib.sha256(path.read_bytes()).hexdigest()
        return Collection("http://example.org", "Free.", checksums)

    return pack


@pytest.fixture(scope="session")
def real(data):
    """Loads real data sets by name, each once; tests must not change them."""
    return functools.cache(lambda name: datasets.load(name, data))
