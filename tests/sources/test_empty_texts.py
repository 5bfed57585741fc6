"""Documents without a text are kept as rows without words, and told; or left out, or refused."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import InputError

WORDS = {"sport": "ball goal team match", "state": "vote law party budget"}


def table(*empty, value=None):
    """Make 24 documents on two subjects at two sites, with no text in some rows."""
    texts = [" ".join(np.roll(list(WORDS.values())[i % 2].split(), i // 2)) for i in range(24)]
    frame = pd.DataFrame({"site": np.repeat(["a", "b"], 12), "text": texts})
    frame.loc[list(empty), "text"] = value
    return frame


def compared(frame, **options):
    return kf.compare(frame, tasks="site", text="text", n_clusters=2, method="kmeans", **options)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_row_without_a_text_stays_as_one_without_words(value):
    found = compared(table(3, 13, value=value))
    assert found.notes[0] == (
        "2 of 24 rows have no text (row '4' of 'a', row '14' of 'b') and stay as rows without "
        "words; missing='drop' leaves them out."
    )
    assert "2 of 24 rows hold none of the terms" in found.notes[1]
    subjects = np.arange(24) % 2
    labels = found.labels()["matched_cluster"].to_numpy()
    there = ~np.isin(np.arange(24), [3, 13])
    assert len(set(zip(labels[there], subjects[there], strict=True))) == 2
    again = compared(table(3, 13, value="!"))
    np.testing.assert_array_equal(again.labels()["cluster"], found.labels()["cluster"])
    new = table(0, value=value).head(1)
    read = found.model.read(new, {"tasks": "site"})
    assert read.notes == [
        "1 of 1 rows has no text (row '1' of 'a') and stays as a row without words."
    ]
    np.testing.assert_array_equal(found.model.assign(new).labels, found.model.assign(new).labels)


def test_it_is_left_out_or_refused_where_that_is_asked_for():
    found = compared(table(3), missing="drop")
    assert found.data.row_ids.tolist() == [str(i + 1) for i in range(24) if i != 3]
    assert found.notes[0] == "1 of 24 rows has no text (row '4' of 'a') and is left out."
    with pytest.raises(InputError, match=r"1 of 24 rows has no text \(row '4' of 'a'\): fill them"):
        compared(table(3), missing="error")


def test_the_first_five_are_named():
    assert "row '5' of 'a' and 2 more) and stay as rows" in compared(table(*range(7))).notes[0]


def test_a_data_set_without_any_text_is_not_left_out_silently():
    with pytest.raises(InputError, match="no row of 'b' has a text: leave its rows out"):
        compared(table(*range(12, 24)), missing="drop")


def test_texts_without_any_word_are_refused():
    with pytest.raises(InputError, match="None of the 24 texts holds a word"):
        compared(table(*range(24)))
