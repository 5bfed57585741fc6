import pytest

from kinfolk import datasets
from kinfolk.errors import InputError, MissingDataError


def test_every_entry_is_found_under_its_name():
    assert list(datasets.AVAILABLE)[:2] == ["webkb4", "reuters"]
    for name, entry in datasets.AVAILABLE.items():
        assert entry.name == name
        assert entry.kind in ("text", "numbers")
        assert entry.home_page.startswith("http") or entry.terms.startswith("Made by chance")
        assert entry.terms.endswith(".")


@pytest.mark.parametrize("entry", datasets.AVAILABLE.values(), ids=lambda entry: entry.name)
def test_what_is_loaded_is_what_the_entry_says(entry, request):
    place = None if entry.embedded else request.getfixturevalue("data")
    if "bring your own copy" in entry.terms and not (place / "jaffe").is_dir():
        pytest.skip(f"{entry.name} is not redistributed, and there is no copy in {place}")
    data = datasets.load(entry.name, place)
    assert data.name == entry.name
    assert (data.texts is not None) == (entry.kind == "text")
    assert (data.X is not None) == (entry.kind == "numbers")
    assert entry.rows.startswith(str(len(data)))
    assert entry.tasks.startswith(str(len(data.task_names)))
    assert entry.home_page in data.origin
    assert entry.terms in data.origin


def test_embedded_data_need_no_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("KINFOLK_DATA", str(tmp_path))
    for name, entry in datasets.AVAILABLE.items():
        if entry.embedded:
            assert len(datasets.load(name)) > 0
        else:
            with pytest.raises(MissingDataError, match=name):
                datasets.load(name)


@pytest.mark.parametrize(
    ("name", "closest"),
    [("webkb", "webkb4"), ("Reuters", "reuters"), ("digits", "handdigits")],
)
def test_an_unknown_name_gives_the_closest_and_all_known(name, closest):
    sentence = f"no data set '{name}', the closest name is '{closest}'; known are webkb4, reuters"
    with pytest.raises(InputError, match=sentence):
        datasets.load(name)


def test_options_reach_the_loader():
    assert len(datasets.load("digits-two-sources", n_rows=(30, 20))) == 50


@pytest.mark.parametrize(
    ("name", "options"), [("webkb4", "none"), ("digits-two-sources", "n_rows, random_state")]
)
def test_an_unknown_option_gives_those_that_are_known(name, options):
    sentence = f"'{name}' has no option 'drow'; its options are: {options}."
    with pytest.raises(InputError, match=sentence):
        datasets.load(name, drow=1)


def test_the_data_directory_is_no_option():
    assert "draw" in datasets.AVAILABLE["newsgroups-recvstalk-500"].options
    assert not any("data" in entry.options for entry in datasets.AVAILABLE.values())
