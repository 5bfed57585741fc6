"""Make the embedded digits of `kinfolk.datasets.digits` from the UCI data set Multiple Features.

    python scripts/embed_mfeat.py DATA

DATA holds `digits/mfeat.npz`: `view_3` (2000, 240), the averages of 2 x 3 windows of the
images, 16 rows of 15 values from 0 to 6, and `y` (2000,), the digits. A window is 2 wide and 3
high, so that a digit of 30 x 48 becomes 5 x 8 in its true proportions. It is put in the middle of
8 x 8 by averages over areas, and rounded to whole values from 0 to 16.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinfolk.datasets import digits
from kinfolk.datasets.image_views import MFEAT, MFEAT_FILE


def averaging(n: int, width: float, m: int = 8) -> NDArray[np.float64]:
    """Return the matrix (m, n) that averages n values over `width` cells amid m cells."""
    # Edges of the m cells, counted in values.
    edges = (np.arange(m + 1) - (m - width) / 2) * n / width
    right = edges[1:, None]
    left = edges[:-1, None]
    cells = np.arange(n)
    overlap = np.minimum(right, cells + 1) - np.maximum(left, cells)
    # A cell is n / width values wide; no overlap would be a negative one.
    return np.clip(overlap, 0, None) * width / n


def main(data: Path) -> None:
    """Write the embedded file into the package."""
    arrays = MFEAT.arrays(MFEAT_FILE, "mfeat", data)
    pixels = arrays["view_3"].reshape(-1, 16, 15)
    # 48 pixels of height become 8 cells, 30 of width 5; ink up to 6 becomes ink up to 16.
    images = averaging(16, 8) @ pixels @ averaging(15, 8 * 30 / 48).T * 16 / 6
    np.savez_compressed(
        Path(digits.__file__).with_name(digits.MAPS),
        images=np.rint(images).astype(np.uint8),
        digits=arrays["y"].astype(np.uint8),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
