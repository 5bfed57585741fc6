import dataclasses
import re
import tomllib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from kinfolk import datasets
from kinfolk.datasets import caltech, image_features, registry
from kinfolk.datasets.registry import COLLECTIONS, Collection, DatasetInfo
from kinfolk.errors import FileFormatError, InputError, MissingDataError

CONTENT = tomllib.loads(
    resources.files("kinfolk.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
)
REQUIRED = {"name", "loader", "collection", "tasks", "rows", "classes", "kind"}
OPTIONAL = {"arguments", "embedded", "adversarial"}
FILE = "digits/a.npz"
DOCS = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")


def named(entries):
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry["name"])


@named(CONTENT["datasets"])
def test_every_entry_of_the_file_is_complete(entry):
    assert set(entry) >= REQUIRED
    assert set(entry) <= REQUIRED | OPTIONAL
    assert entry["kind"] in ("text", "numbers")
    for key in ("tasks", "rows", "classes"):
        assert re.match(r"\d+|the same \d+", entry[key]), key


@named(CONTENT["datasets"])
def test_every_loader_and_collection_that_the_file_names_exists(entry):
    assert entry["loader"] in datasets.LOADERS
    assert entry["collection"] in CONTENT["collections"]


def test_every_loader_and_collection_is_used_by_a_data_set():
    entries = CONTENT["datasets"]
    assert set(datasets.LOADERS) == {entry["loader"] for entry in entries}
    assert set(CONTENT["collections"]) == {entry["collection"] for entry in entries}
    assert len({entry["name"] for entry in entries}) == len(entries) == len(datasets.AVAILABLE)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_collection_has_its_terms_and_its_checksums(name):
    collection = COLLECTIONS[name]
    assert collection.home_page.startswith("http") or name == "simulated"
    assert collection.terms.endswith(".")
    for file, checksum in collection.files.items():
        assert re.fullmatch(r"(digits|faces|multiview|tables|text)/[\w.]+", file)
        assert re.fullmatch("[0-9a-f]{64}", checksum)


def test_no_file_is_in_two_collections():
    files = [file for collection in COLLECTIONS.values() for file in collection.files]
    assert len(set(files)) == len(files)


def test_a_loader_that_is_not_in_the_table_is_not_called():
    loaders = {**datasets.LOADERS}
    del loaders["load_webkb4"]
    with pytest.raises(KeyError, match="load_webkb4"):
        registry.dataset_infos(loaders)


def test_data_sets_are_listed_in_the_order_of_the_file():
    names = [entry["name"] for entry in CONTENT["datasets"]]
    assert list(datasets.AVAILABLE) == names
    assert names[:2] == ["webkb4", "reuters"]
    for name, info in datasets.AVAILABLE.items():
        assert info.name == name


def test_adversarial_data_sets_are_embedded_and_take_a_seed():
    assert len(datasets.ADVERSARIAL) == 9
    for name in datasets.ADVERSARIAL:
        info = datasets.AVAILABLE[name]
        assert info.embedded
        assert info.options == ("random_state",)


def test_an_argument_that_the_file_fixes_is_no_option():
    info = datasets.AVAILABLE["simulated-transfer-x3"]
    assert info.options == ("draw",)
    np.testing.assert_array_equal(info.loader().X, datasets.make_transfer_scene("x3").X)


def test_a_description_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        datasets.AVAILABLE["webkb4"].rows = "all"


@pytest.fixture
def quick_features(monkeypatch):
    """Fixture: instant image features, cleared from the cache afterwards."""
    monkeypatch.setattr(
        image_features, "extract_features", lambda images: {"pixel": images[:, :1, 0]}
    )
    yield
    caltech._views_and_classes.cache_clear()


@pytest.mark.parametrize("info", datasets.AVAILABLE.values(), ids=lambda info: info.name)
def test_what_is_loaded_is_what_the_description_says(info, request, quick_features):
    if info.embedded:
        data = datasets.load(info.name)
    elif "bring your own copy" in info.terms:
        place = request.getfixturevalue("data")
        if not (place / "jaffe").is_dir():
            pytest.skip(f"{info.name} is not redistributed, and there is no copy in {place}")
        data = datasets.load(info.name, place)
    else:
        if info.loader.func.__module__.endswith("measurements"):
            request.getfixturevalue("tables")
        data = request.getfixturevalue("real")(info.name)
    assert data.name == info.name
    assert (data.texts is not None) == (info.kind == "text")
    assert (data.X is not None) == (info.kind == "numbers")
    assert info.rows.startswith(str(len(data)))
    assert info.tasks.startswith(str(len(data.task_names)))
    assert info.home_page in data.origin
    assert info.terms in data.origin


def test_embedded_data_need_no_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("KINFOLK_DATA", str(tmp_path))
    for name, info in datasets.AVAILABLE.items():
        if info.embedded:
            assert len(datasets.load(name)) > 0
        else:
            with pytest.raises(MissingDataError, match=name):
                datasets.load(name)


@pytest.mark.parametrize(
    ("name", "closest"),
    [("webkb", "webkb4"), ("Reuters", "reuters"), ("digits", "handdigits")],
)
def test_an_unknown_name_is_answered_with_the_closest(name, closest):
    sentence = f"no data set '{name}'; did you mean '{closest}'"
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
    assert not any("data" in info.options for info in datasets.AVAILABLE.values())


def test_the_old_name_of_a_description_is_accepted_for_one_version():
    with pytest.warns(FutureWarning, match="Entry is now called DatasetInfo"):
        assert datasets.Entry is DatasetInfo
    with pytest.raises(AttributeError, match="no attribute 'Entries'"):
        datasets.Entries  # noqa: B018


def test_arrays_come_back_as_they_were_packed(packed, tmp_path):
    collection = packed({FILE: {"x": np.eye(2), "names": np.array(["p", "q"])}})
    arrays = collection.arrays(FILE, "a", tmp_path)
    assert set(arrays) == {"x", "names"}
    np.testing.assert_array_equal(arrays["x"], np.eye(2))
    assert arrays["names"].tolist() == ["p", "q"]


def test_a_file_may_lie_in_its_folder(packed, tmp_path):
    collection = packed({FILE: {"x": np.eye(2)}})
    (tmp_path / "digits").mkdir()
    (tmp_path / "a.npz").rename(tmp_path / FILE)
    assert collection.locate(FILE, "a", tmp_path) == tmp_path / FILE


def test_a_changed_file_is_refused(packed, tmp_path):
    collection = packed({FILE: {"x": np.eye(2)}})
    packed({FILE: {"x": np.eye(3)}})
    with pytest.raises(FileFormatError, match=f"{collection.files[FILE][:12]} is expected"):
        collection.arrays(FILE, "a", tmp_path)


def test_a_missing_file_gives_a_sentence(tmp_path):
    collection = Collection("http://example.org", "Free.", {FILE: "0"})
    with pytest.raises(MissingDataError, match=r"looked for a.npz, digits/a.npz; get it from http"):
        collection.arrays(FILE, "a", tmp_path)


def test_objects_in_a_file_are_not_read(packed, tmp_path):
    collection = packed({FILE: {"x": np.array([{}], dtype=object)}})
    with pytest.raises(ValueError, match="allow_pickle=False"):
        collection.arrays(FILE, "a", tmp_path)


def test_an_unpacked_archive_is_found_by_its_marker_and_not_verified(packed, tmp_path):
    collection = packed({FILE: {"x": np.eye(2)}})
    (tmp_path / "archive" / "part").mkdir(parents=True)
    markers = ("archive/part", "part")
    assert collection.locate(FILE, "a", tmp_path, markers) == tmp_path / "a.npz"
    (tmp_path / "a.npz").unlink()
    assert collection.locate(FILE, "a", tmp_path, markers) == tmp_path / "archive"


@pytest.mark.parametrize(
    ("home_page", "note", "origin"),
    [
        ("http://a.example", "", "Shapes, http://a.example. Free."),
        ("http://a.example", "draw 3", "Shapes, http://a.example, draw 3. Free."),
        ("", "", "Shapes. Free."),
    ],
)
def test_the_origin_names_page_note_and_terms(home_page, note, origin):
    assert Collection(home_page, "Free.").origin("Shapes", note) == origin


@named(CONTENT["datasets"])
def test_every_data_set_stands_in_the_documentation(entry):
    name = entry["name"]
    family, _, member = name.rpartition("-")
    assert f"`{name}`" in DOCS or (f"`{family}-x1`" in DOCS and member.startswith("x"))


@pytest.mark.parametrize("operation", ["cut", "disjoint_groups", "shuffled_features", "take"])
def test_operations_of_the_documentation_exist(operation):
    assert f"`{operation}(" in DOCS
    assert operation in datasets.__all__


def test_the_public_names_exist():
    assert len(set(datasets.__all__)) == len(datasets.__all__)
    for name in datasets.__all__:
        assert hasattr(datasets, name), name


def test_every_public_loader_and_maker_belongs_to_a_data_set_or_makes_any():
    functions = {name for name in datasets.__all__ if name.startswith(("load_", "make_"))}
    assert functions - set(datasets.LOADERS) == {"make_related_blobs", "make_related_documents"}
