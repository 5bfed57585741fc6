"""The file of methods is read completely, and a damaged one is refused in one sentence."""

import re
import tomllib
from importlib import resources

import pytest

from kinfolk import catalogue
from kinfolk.catalogue import entries
from kinfolk.catalogue.relation import RELATIONS
from kinfolk.errors import FileFormatError

TEXT = resources.files("kinfolk.catalogue").joinpath("methods.toml").read_text(encoding="utf-8")
TABLES = tomllib.loads(TEXT)["methods"]
NAMES = [table["name"] for table in TABLES]
MEC = """
[[methods]]
name = "mec"
class = "MEC"
relation = "one data set"
summary = "soft"
paper = "Karayiannis"
equations = "(1)"
fidelity = "exact"
takes = "Any numbers."
when = "Clusters overlap."
when_not = "There are many columns."
different_k = false
grid = { temperature = [0.5, 1], tol = [1e-6] }
"""
HOT = """
[[methods]]
name = "hot"
parent = "mec"
preset = { temperature = 9 }
"""


def test_the_catalogue_has_the_methods_of_the_file_in_its_order():
    assert list(catalogue.METHODS) == NAMES
    assert NAMES[0] == "kinfolk"
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_an_entry_has_each_value_that_the_file_gives_it(table):
    entry = catalogue.method(table["name"])
    for key in table.keys() - {"class", "relation", "parent", "grid"}:
        assert getattr(entry, key) == table[key]
    assert entry.cls.__name__ == table.get("class", entry.cls.__name__)
    assert entry.relation.name == table.get("relation", entry.relation.name)
    for parameter, values in table.get("grid", {}).items():
        assert repr(entry.grid[parameter]) == repr(tuple(values))  # 1 and 1.0 are not the same


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_texts_are_single_lines_without_stray_spaces(table):
    entry = catalogue.method(table["name"])
    for text in (getattr(entry, key) for key in ("summary", "paper", "takes", "when", "when_not")):
        assert text == " ".join(text.split())


def test_every_class_and_relation_is_used_by_a_method():
    assert {table["class"] for table in TABLES if "class" in table} == set(entries.MODULES)
    assert {table["relation"] for table in TABLES if "relation" in table} == set(RELATIONS)
    assert all(name == relation.name for name, relation in RELATIONS.items())


def test_a_variant_has_everything_of_its_parent_that_it_does_not_change():
    changed = HOT + 'when = "Never."\n'
    mec, hot = entries.read(MEC + changed).values()
    assert hot.preset == {"temperature": 9}
    assert hot.grid == {"tol": (1e-6,)}
    assert (hot.when, mec.when) == ("Never.", "Clusters overlap.")
    for key in (
        "cls",
        "relation",
        "summary",
        "paper",
        "equations",
        "fidelity",
        "takes",
        "when_not",
    ):
        assert getattr(hot, key) == getattr(mec, key)
    assert hot.different_k is mec.different_k is False


def test_a_variant_may_have_a_grid_of_its_own_and_variants():
    hotter = HOT.replace("hot", "hotter").replace('"mec"', '"hot"').replace("9", "99")
    _, hot, last = entries.read(MEC + HOT + "grid = { n_init = [1, 2] }\n" + hotter).values()
    assert hot.grid == last.grid == {"n_init": (1, 2)}
    assert last.preset == {"temperature": 99}


def test_what_the_file_leaves_out_has_its_default():
    bare = "\n".join(line for line in MEC.splitlines() if line[:4] not in ("diff", "grid"))
    entry = entries.read(bare)["mec"]
    assert (entry.preset, entry.grid, entry.different_k) == ({}, {}, True)


@pytest.mark.parametrize("key", [line.split(" = ")[0] for line in MEC.splitlines()[2:12]])
def test_every_key_but_the_optional_ones_is_required(key):
    damaged = re.sub(rf"(?m)^{key} = .*\n", "", MEC)
    name = "" if key == "name" else "mec"
    with pytest.raises(FileFormatError, match=rf"^Method '{name}' lacks {key}\.$"):
        entries.read(damaged)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (MEC.replace('"MEC"', '"os.system"'), "'mec' has the unknown class 'os.system'; .* ASI,"),
        (MEC.replace("one data", "1 data"), "the unknown relation '1 data set'; known are one"),
        (MEC + "heat = 3\ncls = 4\n", r"^Method 'mec' has unknown keys: cls, heat\.$"),
        (HOT + MEC, "'hot' has the unknown parent 'mec'; known are"),
        (MEC + HOT.replace('"mec"', '"hot"'), "unknown parent 'hot'; known are mec"),
        (MEC + HOT.replace("preset", "grid"), r"^Method 'hot' lacks preset\.$"),
        (MEC + MEC, "Two methods have the name 'mec'"),
        (MEC.replace("false", '"no"'), "'mec': different_k must be a bool"),
        (MEC.replace('"soft"', "3"), "'mec': summary must be a str"),
        (MEC.replace('"exact"', '"free"'), "'mec': fidelity must be one of exact, derived"),
        (MEC.replace("[0.5, 1]", "0.5"), "'mec': the grid of temperature must be a list"),
        (MEC + "[general]\n", "need tables .* and nothing beside them"),
        ("methods = [3]", "need tables .* and nothing beside them"),
        ("methods = 3", "need tables .* and nothing beside them"),
        ("", "need tables"),
        (MEC[:19], "not written in TOML"),
    ],
)
def test_a_damaged_file_is_refused(text, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        entries.read(text)
