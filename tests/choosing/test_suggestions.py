import shlex

import pandas as pd

from kinfolk.choosing import suggestions
from kinfolk.choosing.suggestions import Suggestion, Suggestions
from kinfolk.cli import inputs

MADE = Suggestions(
    [
        Suggestion("<a>", 3, 2, 4, "a guess", 2, 4, "", []),
        Suggestion("b", 1, 1, 1, "likely", 1, 1, "", []),
    ]
)


def test_suggestions_are_a_sequence_and_a_table():
    assert len(MADE) == 2
    assert [s.task for s in MADE] == [s.task for s in MADE[:2]] == ["<a>", "b"]
    assert pd.DataFrame(MADE.table())["number"].tolist() == [3, 1]
    assert repr(MADE) == "<a>: 3 clusters, 2 to 4 (a guess).\nb: 1 cluster (likely)."
    shown = MADE._repr_html_()
    assert "&lt;a&gt;" in shown
    assert "<a>" not in shown


def test_auto_takes_the_numbers_with_a_note():
    k, note = suggestions.chosen(MADE)
    assert k == [3, 1]
    for words in ("3 for <a> (a guess, 2 to 4)", "1 for b", "suggestions_"):
        assert words in note
    assert note.endswith(
        "A guess may be far off: for fewer, larger groups begin with n_clusters={'<a>': 2, 'b': 1}."
    )


def test_a_number_that_names_a_data_set_has_a_noun():
    found = Suggestions([Suggestion("1", 3, 2, 3, "likely", 2, 3, "", [])])
    assert "took 3 for data set 1 (likely, 2 to 3)." in suggestions.chosen(found)[1]


def test_without_a_smaller_number_the_note_has_no_line_for_fewer_groups():
    sure = Suggestion("a", 3, 2, 3, "likely", 2, 3, "", [])
    one = Suggestion("b", 1, 1, 1, "a guess", 1, 1, "", [])
    assert "fewer" not in suggestions.chosen(Suggestions([sure, one]))[1]


def test_the_option_names_only_tasks_whose_number_differs():
    assert suggestions.clusters_option({"IT": 4, "PT": 3, "DE": 4}) == "4,PT=3"
    assert suggestions.clusters_option({"IT": 4}) == "4"
    assert suggestions.clusters_option({"a": 2, "b": 3}) == "a=2,b=3"


def test_the_option_survives_a_shell_and_is_read_back():
    (given,) = shlex.split(suggestions.clusters_option({"a": 4, "b": 4, "Bergen, NO": 2}))
    assert inputs.clusters([given]) == {None: 4, "Bergen, NO": 2}
