"""Make the embedded digits of `kinfolk.datasets.digits` from the UCI data set Multiple Features.

    python scripts/embed_mfeat.py DATA

DATA holds `digits/mfeat.npz`: `view_3` (2000, 240), the averages of 2 x 3 windows of the
images, 16 rows of 15 values from 0 to 6, and `y` (2000,), the digits. A window is 2 wide and 3
high, so that a digit of 30 x 48 becomes 5 x 8 in its true proportions; it is put in the middle of
8 x 8 by averages over areas, and brought to whole values from 0 to 16.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinfolk.datasets import data_home, digits

SHA256 = "064dea810f7b9d9f8d7648ee773e24ff6a003fc81be5db249f65aeb47f6458ff"


def averaging(n: int, width: float, m: int = 8) -> NDArray[np.float64]:
    """Return (m, n): the ink in each of m cells, if n values fill `width` cells in the middle."""
    edges = (np.arange(m + 1) - (m - width) / 2) * n / width
    right, left = edges[1:, None], edges[:-1, None]
    cells = np.arange(n)
    overlap = np.minimum(right, cells + 1) - np.maximum(left, cells)
    return np.clip(overlap, 0, None) * width / n


def main(data: Path) -> None:
    """Write the embedded file into the package."""
    source = data / "digits" / "mfeat.npz"
    data_home.verify(source, SHA256)
    with np.load(source, allow_pickle=False) as views:
        pixels, target = views["view_3"].reshape(-1, 16, 15), views["y"]
    images = averaging(16, 8) @ pixels @ averaging(15, 8 * 30 / 48).T * 16 / 6
    np.savez_compressed(
        Path(digits.__file__).with_name(digits.MAPS),
        images=np.rint(images).astype(np.uint8),
        digits=target.astype(np.uint8),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
