"""The picture of what speaks for each number of clusters."""

from xml.etree import ElementTree

import pytest

from kinfolk.choosing.suggestions import Suggestion, Suggestions
from kinfolk.errors import InputError
from kinfolk.report import number_curves


def suggestion(task, number, most=5, others=0.5):
    curve = [
        {
            "clusters": k,
            "agreement": 0.9 - 0.1 * abs(k - number),
            "error": 0.02,
            "gap": 0.1,
            "other_tasks": others,
        }
        for k in range(2, most + 1)
    ]
    return Suggestion(task, number, number, number, "sure", number, number, "", curve)


THREE = Suggestions([suggestion("north", 3), suggestion("a & b", 1), suggestion("west", 4)])


def test_every_task_has_a_panel_with_its_number():
    text = "".join(ElementTree.fromstring(number_curves.picture(THREE)).itertext())
    for title in ("north: 3 (sure)", "a & b: 1 (sure)", "west: 4 (sure)"):
        assert title in text


def test_the_picture_says_in_words_what_it_shows():
    root = ElementTree.fromstring(number_curves.picture(THREE))
    told = root.find("{http://www.w3.org/2000/svg}desc").text
    assert "north: 3 clusters (sure)." in told


def test_a_task_without_a_curve_has_its_panel():
    alone = Suggestions([Suggestion("few", 1, 1, 1, "a guess", 1, 1, "", [])])
    assert "few: 1 (a guess)" in number_curves.picture(alone)


def test_the_suggestion_is_marked_where_there_is_a_curve():
    def marks(suggestions):
        return number_curves.picture(suggestions).count("#d55e00")

    assert marks(Suggestions([suggestion("north", 3)])) > marks(Suggestions([suggestion("n", 1)]))


def test_a_file_is_written(tmp_path):
    one = Suggestions(list(THREE)[:1])
    number_curves.write(one, tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").read_text() == number_curves.picture(one)
    number_curves.write(one, tmp_path / "curves.svg")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="notes.txt was not written by Kinfolk"):
        number_curves.write(one, tmp_path / "notes.txt")
    with pytest.raises(InputError, match="There is no folder"):
        number_curves.write(one, tmp_path / "missing" / "curves.svg")


@pytest.mark.parametrize("number", [2, 3, 5])
def test_the_number_and_its_confidence_stand_over_the_curve(number):
    picture = number_curves.picture(Suggestions([suggestion("north", number)]))
    assert f"north: {number} (sure)" in picture


@pytest.mark.parametrize(("tasks", "wide"), [(1, 288), (2, 518), (5, 518)])
def test_panels_stand_two_side_by_side(tasks, wide):
    made = Suggestions([suggestion(f"task {t}", 2) for t in range(tasks)])
    assert f"max-width:{wide}px" in number_curves.picture(made)


def test_an_older_file_stays_if_the_new_one_cannot_be_made(tmp_path, monkeypatch):
    place = tmp_path / "curves.svg"
    place.write_text("old")

    def fail(suggestions):
        raise MemoryError

    monkeypatch.setattr(number_curves, "picture", fail)
    with pytest.raises(MemoryError):
        number_curves.write(THREE, place)
    assert place.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["curves.svg"]


def test_agreement_with_other_tasks_is_drawn_where_there_is_any():
    alone, beside = (
        number_curves.picture(Suggestions([suggestion("a", 3, others=others)]))
        for others in (0.0, 0.5)
    )
    assert len(beside) > len(alone)
