import hashlib

import numpy as np
import pytest

from kinfolk.datasets.archives import Archive


@pytest.fixture
def packed(tmp_path):
    """Packs arrays into a file of the data directory `tmp_path` and says what it is."""

    def pack(file, **arrays):
        path = tmp_path / file
        np.savez_compressed(path, **arrays)
        return Archive("digits", file, hashlib.sha256(path.read_bytes()).hexdigest())

    return pack
