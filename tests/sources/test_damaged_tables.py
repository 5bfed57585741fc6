"""Whatever a file holds, it is read as finite numbers or refused in a sentence."""

import numpy as np
import pandas as pd
import pytest

from kinfolk import sources
from kinfolk.errors import KinfolkError
from kinfolk.preparation import Preparation

TABLE = pd.DataFrame(
    {
        "shop": ["n", "s"] * 10,
        "age": np.arange(20) * 37 % 61 + 0.5,
        "plan": ["a", "b", None, "c"] * 5,
        "cost": [f"{i * i % 23},50 EUR" for i in range(20)],
        "since": [f"2024-01-{i + 1:02d}" for i in range(20)],
    }
).to_csv(index=False, sep=";")

PIECES = (
    *(
        b",",
        b";",
        b"\n",
        b'"',
        b"\t",
        b"|",
        b"0",
        b"-",
        b"nan",
        b"inf",
        b"1e309",
        b"1e200",
        b"\xff",
    ),
    *(b"\x00", b"NA", b"2024-02-30", b"1,5", b"%", b" EUR", b"00", b"\r\n", b"\xe2\x82", b"12:30"),
)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_table_is_read_or_refused_in_a_sentence(put, seed):
    random = np.random.default_rng(seed)
    raw = TABLE.encode()
    for _ in range(random.integers(1, 5)):
        at = int(random.integers(len(raw) + 1))
        piece = PIECES[random.integers(len(PIECES))]
        skipped = int(random.integers(4))
        raw = raw[:at] + piece + raw[at + skipped :]
    (path,) = put(**{"t.csv": raw})
    said = ""
    X = np.zeros(1)
    try:
        data = sources.read(path, tasks="shop" if seed % 3 else None).data
        X = Preparation().fit_transform(data)
    except KinfolkError as error:
        said = str(error)
    assert "\n" not in said
    assert np.isfinite(X).all()
