"""The named data sets through the command line, where they are at hand."""

import os
from pathlib import Path

import pandas as pd
import pytest

from kinfolk.datasets import data_home

PLACE = Path(
    os.environ.get(data_home.VARIABLE) or Path(__file__).resolve().parents[3] / "shared" / "data"
)


@pytest.mark.slow
@pytest.mark.skipif(not (PLACE / "text").is_dir(), reason=f"no data; set {data_home.VARIABLE}")
@pytest.mark.parametrize(("name", "clusters", "rows"), [("webkb4", 4, 1041), ("reuters", 3, 526)])
def test_a_named_text_collection_is_clustered_from_the_data_directory(
    name, clusters, rows, kinfolk
):
    said = kinfolk(
        *("run", name, "--clusters", clusters, "--data", PLACE, "--out", "out", "--quiet"),
        *("--method", "kmeans", "--set", "n_init=1", "--terms", 300),
    )
    assert said.code == 0
    assert "Accuracy" in said.out
    assert len(pd.read_csv("out/labels.csv")) == rows
