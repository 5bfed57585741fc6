import functools
import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from kinfolk import datasets
from kinfolk.datasets.registry import Collection


@pytest.fixture
def packed(tmp_path):
    """Fixture: function that writes array archives into the data directory `tmp_path`."""

    def pack(archives):
        checksums = {}
        for file, arrays in archives.items():
            path = tmp_path / Path(file).name
            np.savez_compressed(path, **arrays)
            checksums[file] = hashlib.sha256(path.read_bytes()).hexdigest()
        return Collection("http://example.org", "Free.", checksums)

    return pack


@pytest.fixture
def packed_lines(tmp_path):
    """Fixture: function that writes records as gzip JSON Lines into `tmp_path`."""

    def pack(file, records):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        path = tmp_path / Path(file).name
        path.write_bytes(gzip.compress(lines.encode(), mtime=0))
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        return Collection("http://example.org", "Free.", {file: checksum})

    return pack


@pytest.fixture(scope="session")
def real(data):
    """Fixture: function that loads real data sets by name, cached; do not modify."""
    return functools.cache(lambda name: datasets.load(name, data))


@pytest.fixture(scope="session")
def tables(data):
    """Fixture: the folder of the tables of measurements."""
    if not (data / "tables").is_dir():
        pytest.skip(f"no tables of measurements in {data}")
    return data / "tables"
