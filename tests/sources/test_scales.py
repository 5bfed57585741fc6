"""Orders of words."""

import numpy as np
import pytest

from kinfolk.sources import kinds, native, scales
from kinfolk.tables import columns

SCALES = {
    "answers": ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    "some of the steps": ["never", "sometimes", "always"],
    "German": ["niedrig", "mittel", "hoch"],
    "sizes": ["S", "M", "XL"],
    "roman": ["I", "II", "III", "IV"],
    "ages": ["under 18", "18-29", "30-44", "45 - 59", "60+"],
    "depths with units": ["0-10 cm", "10-30 cm", "30-60 cm"],
    "numbered words": ["1 - very bad", "2 - bad", "3 - ok", "10 - excellent"],
}


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_words_of_a_scale_are_ordered_however_they_come(name, seed):
    words = SCALES[name]
    given = np.random.default_rng(seed).permutation(words).tolist()
    assert scales.levels(given) == tuple(words)


@pytest.mark.parametrize(
    "words",
    [
        ["red", "green", "blue"],
        ["agree", "disagree"],
        ["never", "often", "red"],
        ["good", "Good", "bad"],
        ["often", "frequently", "never"],
        ["9a", "9b", "10a"],
        ["18-29", "30-44", "unknown"],
        ["18-29", "18-35", "36+"],
        ["room 1", "room 2", "room 3"],
        ["S", "M", "agree"],
    ],
)
def test_other_words_have_no_order(words):
    assert scales.levels(words) == ()


def test_a_column_of_a_scale_is_an_ordered_category_unless_asked():
    values = SCALES["ages"] * 9
    found = kinds.decide("age", native.of_values("age", values))
    assert found.kind == columns.ORDERED
    assert found.levels == tuple(SCALES["ages"])
    assert "under 18 < 18-29 < 30-44" in found.reason
    assert kinds.decide("age", native.of_values("age", values), asked="category").levels == ()
