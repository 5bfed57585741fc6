"""Hostile command lines: each ends with a sentence on standard error and no exit code 0."""

import os
import re
import shlex
from pathlib import Path

import pytest

from kinfolk.comparison import files
from kinfolk.disk import file_sets
from kinfolk.papers.store import Store

WEIRD = "\x1b[2J\u202e\x07é\U0001f600"

HOSTILE = {
    "no verb": [
        "--frobnicate",
        "frobnicate",
        "'run '",
        "RUN shops.csv",
        "'' ''",
        "-- run",
        f"'{WEIRD}'",
        "'\\0'",
        "--help=3",
        "--version=1",
    ],
    "run": [
        "run",
        "run shops.csv",
        "run --clusters 2",
        "run '' --clusters 2",
        "run . --clusters 2",
        "run .. --clusters 2",
        "run / --clusters 2",
        "run empty.csv --clusters 2",
        "run blank.csv --clusters 2",
        "run header.csv --clusters 2",
        "run folder.csv --clusters 2",
        "run lost.csv --clusters 2",
        "run loop.csv --clusters 2",
        "run pipe.csv --clusters 2",
        "run zero.csv --clusters 2",
        "run /dev/zero --clusters 2",
        "run /dev/stdin --clusters 2",
        "run - --clusters 2",
        "run bytes.csv --clusters 2",
        "run bytes.npz --clusters 2",
        "run bytes.parquet --clusters 2",
        "run bytes.xlsx --clusters 2",
        "run bytes.csv.gz --clusters 2",
        "run bytes.jsonl --clusters 2",
        "run empty.npz --clusters 2",
        "run empty.csv.gz --clusters 2",
        "run shops.csv.gz.gz --clusters 2",
        "run shops.csv shops.csv --clusters 2",
        "run shops.csv ragged.csv --clusters 2",
        "run shops.csv digits-two-sources --clusters 2",
        "run digits-two-sources shops.csv --clusters 2",
        "run webkb4 --clusters 2",
        "run webkb4 --clusters 2 --data nowhere",
        "run webkb4 --clusters 2 --data shops.csv",
        "run webkb4 --clusters 2 --data ''",
        f"run '{WEIRD}.csv' --clusters 2",
        f"run '{WEIRD}' --clusters 2",
        "run shops.csv --clusters",
        "run shops.csv --clusters 0",
        "run shops.csv --clusters -1",
        "run shops.csv --clusters 1e3",
        "run shops.csv --clusters 2.0",
        "run shops.csv --clusters nan",
        "run shops.csv --clusters inf",
        "run shops.csv --clusters 0x2",
        "run shops.csv --clusters 99999999999999999999999",
        "run shops.csv --clusters ''",
        "run shops.csv --clusters ','",
        "run shops.csv --clusters '='",
        "run shops.csv --clusters 2 --clusters 3",
        "run shops.csv --clusters auto --clusters 3",
        "run shops.csv --clusters auto --method kmeans",
        "run shops.csv --tasks shop --clusters north=2",
        "run shops.csv --tasks shop --clusters north=2,south=2,south=2",
        "run shops.csv --tasks shop --clusters 2,moon=3",
        f"run shops.csv --tasks shop --clusters '{WEIRD}=2'",
        "run shops.csv --clusters 2 --tasks moon",
        f"run shops.csv --clusters 2 --tasks '{WEIRD}'",
        "run shops.csv --clusters 2 --tasks ''",
        "run shops.csv --clusters 2 --tasks shop --target shop",
        "run shops.csv --clusters 2 --tasks shop --id shop",
        "run shops.csv --clusters 2 --tasks shop --labels shop",
        "run shops.csv --clusters 2 --text nothing",
        "run shops.csv --clusters 2 --id nothing",
        "run shops.csv --clusters 2 --method mtcfir --labels kind",
        "run shops.csv --clusters 2 --method lssttc",
        "run shops.csv --clusters 2 --method ''",
        f"run shops.csv --clusters 2 --method '{WEIRD}'",
        "run shops.csv --clusters 2 --method kmeans --method moon",
        "run shops.csv --clusters 2 --ignore ''",
        "run shops.csv --clusters 2 --method comvcf --views files",
        "run shops.csv --clusters 2 --method comvcf --views 'a=zzz*'",
        "run shops.csv --clusters 2 --method comvcf --views '='",
        "run shops.csv --clusters 2 --method comvcf --views ''",
        "run shops.csv --clusters 2 --views a=age",
        "run shops.csv --clusters 2 --method kt-mec",
        "run shops.csv --clusters 2 --method kt-mec --knowledge nowhere",
        "run shops.csv --clusters 2 --method kt-mec --knowledge shops.csv",
        "run shops.csv --clusters 2 --method kt-mec --knowledge .",
        "run shops.csv --clusters 2 --method kt-mec --knowledge pipe.csv",
        "run shops.csv --clusters 2 --method kt-mec --knowledge /dev/zero",
        "run shops.csv --clusters 2 --method kmeans --knowledge shops.csv",
        "run shops.csv --clusters 2 --budget 0",
        "run shops.csv --clusters 2 --budget -1",
        "run shops.csv --clusters 2 --budget nan",
        "run shops.csv --clusters 2 --budget inf",
        "run shops.csv --clusters 2 --budget ''",
        "run shops.csv --clusters 2 --method kmeans --budget 3",
        "run shops.csv --clusters 2 --seed -1",
        "run shops.csv --clusters 2 --seed 1.5",
        "run shops.csv --clusters 2 --seed 99999999999999999999",
        "run shops.csv --clusters 2 --terms -1",
        "run shops.csv --clusters 2 --terms x",
        "run shops.csv --clusters 2 --weighting x",
        "run shops.csv --clusters 2 --stop-words x",
        "run shops.csv --clusters 2 --scale x",
        "run shops.csv --clusters 2 --columns x",
        "run shops.csv --clusters 2 --missing x",
        "run shops.csv --clusters 2 --only moon",
        "run shops.csv --clusters 2 --only ''",
        "run shops.csv --clusters 2 --only ,,,",
        "run shops.csv --clusters 2 --ignore moon",
        "run shops.csv --clusters 2 --ignore customer,shop,age,orders,returns,kind",
        "run shops.csv --clusters 2 --only age --ignore age",
        "run shops.csv --clusters 2 --as age",
        "run shops.csv --clusters 2 --as age=",
        "run shops.csv --clusters 2 --as =number",
        "run shops.csv --clusters 2 --as moon=number",
        "run shops.csv --clusters 2 --as kind=number",
        "run shops.csv --clusters 2 --names 0",
        "run shops.csv --clusters 2 --names =a",
        "run shops.csv --clusters 2 --names 0=a,0=b",
        "run shops.csv --clusters 2 --names 0=a,1=a",
        "run shops.csv --clusters 2 --names -1=a",
        "run shops.csv --clusters 2 --set",
        "run shops.csv --clusters 2 --set ''",
        "run shops.csv --clusters 2 --set =3",
        "run shops.csv --clusters 2 --set moon=3",
        "run shops.csv --clusters 2 --method kmeans --set n_init=0",
        "run shops.csv --clusters 2 --method kmeans --set n_init=[1]",
        "run shops.csv --clusters 2 --method kmeans --set n_init={}",
        "run shops.csv --clusters 2 --method kmeans --set n_init=null",
        "run shops.csv --clusters 2 --method kmeans --set n_init=NaN",
        "run shops.csv --clusters 2 --method kmeans --set n_init=1e400",
        "run shops.csv --clusters 2 --method mtcfir --set noise=-1",
        "run shops.csv --clusters 2 --method mtcfir --set noise=Infinity",
        "run shops.csv --clusters 2 --method mtcfir --set affinity=moon",
        "run shops.csv --clusters 2 --method mtcfir --set tol=[[[",
        "run shops.csv --clusters 2 --out shops.csv",
        "run shops.csv --clusters 2 --out shops.csv/deeper",
        "run shops.csv --clusters 2 --out /dev/null",
        "run shops.csv --clusters 2 --out /proc/nothing",
        "run shops.csv --clusters 2 --out hers",
        "run shops.csv --clusters 2 --out lost.csv",
        "run shops.csv --clusters 2 --out loop.csv",
        "run shops.csv --clusters 2 --overwrite=maybe",
        "run shops.csv --clusters 2 --quiet=maybe",
    ],
    "demo": [
        "demo extra",
        "demo --seed x",
        "demo --seed -3",
        "demo --out shops.csv",
        "demo --out hers",
        "demo --out /dev/null/x",
        "demo --frobnicate",
    ],
    "assign": [
        "assign",
        "assign made/model",
        "assign nowhere shops.csv",
        "assign shops.csv shops.csv",
        "assign hers shops.csv",
        "assign pipes shops.csv",
        "assign /dev/zero shops.csv",
        "assign made/model nowhere.csv",
        "assign made/model empty.csv",
        "assign made/model folder.csv",
        "assign made/model shops.csv --task moon",
        "assign made/model shops.csv --tasks moon",
        "assign made/model shops.csv --id moon",
        "assign made/model shops.csv --clusters 3",
        "assign made/model shops.csv --keep kept",
        "assign made/model shops.csv --new-task",
        "assign made/model shops.csv --new-task --clusters x --task moon",
        "assign made/model shops.csv --new-task --keep hers --task moon",
        "assign made/model shops.csv --out shops.csv",
        "assign made/model shops.csv --out .",
        "assign made/model shops.csv --out none/new.csv",
        "assign made/model shops.csv --out /dev/full --overwrite",
        "assign made/model shops.csv --out pipe.csv --overwrite",
        "assign made/model shops.csv --names 9=x",
        "assign made/model shops.csv --names x",
        "assign made/model bytes.csv",
        "assign made/model other.csv",
    ],
    "name": [
        "name",
        "name made",
        "name made x",
        "name made 0=",
        "name made 9=x",
        "name made 0=a 0=b",
        "name made 0=a,1=a",
        "name nowhere 0=a",
        "name shops.csv 0=a",
        "name hers 0=a",
        "name made/model 0=a",
    ],
    "suggest": [
        "suggest",
        "suggest nowhere.csv",
        "suggest empty.csv",
        "suggest shops.csv --at-most 0",
        "suggest shops.csv --at-most x",
        "suggest shops.csv --tasks moon",
        "suggest shops.csv --only moon",
        "suggest shops.csv --out none/curves.svg",
        "suggest shops.csv --out shops.csv",
        "suggest shops.csv --out hers",
        "suggest shops.csv --seed x",
        "suggest shops.csv --clusters 3",
    ],
    "listings": [
        "methods moon",
        "methods a b",
        f"methods '{WEIRD}'",
        "datasets moon",
        "methods ''",
    ],
    "reproduce": [
        "reproduce",
        "reproduce moon",
        "reproduce all all",
        "reproduce ''",
        f"reproduce '{WEIRD}'",
        "reproduce mtcfir-table-2 --jobs 0",
        "reproduce mtcfir-table-2 --jobs -7",
        "reproduce mtcfir-table-2 --jobs x",
        "reproduce mtcfir-table-2 --data nowhere",
        "reproduce mtcfir-table-2 --data shops.csv",
        "reproduce mtcfir-table-2 --method nothing",
        "reproduce mtcfir-table-2 --method no:thing",
        "reproduce mtcfir-table-2 --method ':'",
        "reproduce mtcfir-table-2 --grid a=1",
        "reproduce mtcfir-table-2 --only-method",
        "reproduce mtcfir-table-2 --out shops.csv",
        "reproduce mtcfir-table-5 --quick --out new --store shops.csv",
        "reproduce mtcfir-table-2 --out new --store none/runs.sqlite",
        "reproduce mtcfir-table-2 --out new --store /dev/zero",
    ],
    "results": [
        "results",
        "results nowhere",
        "results shops.csv",
        "results .",
        "results pipe.csv",
        "results /dev/zero",
        "results empty.csv",
        "results runs.sqlite --by moon",
        "results runs.sqlite --format moon",
        "results runs.sqlite --out shops.csv",
        "results runs.sqlite --out none/a.csv",
        "results runs.sqlite --out .",
        "results cut.sqlite",
    ],
    "store": [
        "store",
        "store moon",
        "store pack",
        "store pack nowhere packed",
        "store pack shops.csv packed",
        "store pack cut.sqlite packed",
        "store pack runs.sqlite shops.csv",
        "store unpack nowhere new.sqlite",
        "store unpack . new.sqlite",
        "store unpack shops.csv new.sqlite",
        "store unpack /dev/zero new.sqlite",
    ],
    "knowledge": [
        "knowledge",
        "knowledge moon",
        "knowledge export",
        "knowledge export made/model",
        "knowledge export nowhere --out k",
        "knowledge export made/model --out k",
        "knowledge export made/model --out k --task moon",
        "knowledge export made/model --out k --minimum 0",
        "knowledge export made/model --out k --digits 0",
        "knowledge export made/model --out shops.csv --task north",
        "knowledge export made/model --out . --task north",
        "knowledge inspect",
        "knowledge inspect nowhere",
        "knowledge inspect shops.csv",
        "knowledge inspect .",
        "knowledge inspect pipe.csv",
        "knowledge inspect /dev/zero",
        "knowledge check nowhere",
        "knowledge check shops.csv shops.csv",
    ],
}


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory, kinfolk_with_table):
    """A finished run of the shops, made once."""
    return kinfolk_with_table(tmp_path_factory.mktemp("made"))


@pytest.fixture
def place(at_home, table, model_folder):
    """Fixture: a folder with every sort of file that a command may be given by mistake."""
    Path("empty.csv").write_bytes(b"")
    Path("blank.csv").write_bytes(b"\n \n\n")
    Path("header.csv").write_bytes(b"age,orders\n")
    Path("other.csv").write_bytes(b"height,width\n1,2\n3,4\n")
    Path("ragged.csv").write_bytes(b"age,orders\n1,2,3\n1\n")
    for name in ("bytes.csv", "bytes.npz", "bytes.parquet", "bytes.xlsx", "bytes.csv.gz"):
        Path(name).write_bytes(bytes(range(256)) * 4)
    Path("bytes.jsonl").write_bytes(b'{"a": [1, {"b": "\xff"}]}\n{')
    Path("empty.npz").write_bytes(b"")
    Path("empty.csv.gz").write_bytes(b"")
    Path("folder.csv").mkdir()
    Path("lost.csv").symlink_to("nowhere.csv")
    Path("loop.csv").symlink_to("loop.csv")
    os.mkfifo("pipe.csv")
    Path("zero.csv").symlink_to("/dev/zero")
    Path("hers").mkdir()
    Path("hers/report.html").write_text("a page of hers")
    Path("hers/penguins.csv").write_text("birds of hers")
    Path("hers/model").mkdir()
    Path("hers/model/letter.txt").write_text("dear")
    Path("pipes").mkdir()
    os.mkfifo("pipes/model.json")
    os.mkfifo("pipes/arrays.safetensors")
    Path("made").symlink_to(model_folder)
    with Store("runs.sqlite"):
        pass
    Path("cut.sqlite").write_bytes(Path("runs.sqlite").read_bytes()[:3000])
    return at_home


def contents(folder):
    """Every regular file below a folder, links followed, with its content."""
    found = {}
    for root, _, names in os.walk(folder, followlinks=True):
        for name in names:
            path = Path(root) / name
            if path.is_file() and not path.is_symlink():
                found[str(path)] = path.read_bytes()
    return found


def fault_of(line, kinfolk):
    """Describe why the output of a command line is not a usable answer; "" if it is."""
    try:
        said = kinfolk(*shlex.split(line))
    except Exception as error:
        return repr(error)
    told = said.err.strip()
    if said.code not in (2, 3, 4):
        return f"ended with {said.code}: {told}"
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", said.err + said.out):
        return "wrote control characters"
    # Words with an end: never the bare text of an exception.
    if not re.search(r"[a-z]{3,} .*\.$|Usage", told, re.DOTALL):
        return f"said {told!r}"
    return ""


@pytest.mark.parametrize("verb", HOSTILE)
def test_a_hostile_command_line_gets_a_sentence_and_changes_nothing(verb, kinfolk, place):
    before = contents(place)
    faults = [(line, fault) for line in HOSTILE[verb] if (fault := fault_of(line, kinfolk))]
    assert not faults, "\n".join(map(str, faults))
    assert contents(place) == before
    assert sorted(p.name for p in Path("made/").iterdir()) == [
        *("labels.csv", "model", "profiles.csv", "report.html", file_sets.MANIFEST),
    ]


def test_there_are_enough_hostile_command_lines_of_every_verb():
    assert sum(map(len, HOSTILE.values())) >= 150


@pytest.mark.parametrize("name", files.NAMES)
def test_each_file_of_a_run_that_is_not_ours_is_refused_before_any_work(name, kinfolk, place):
    Path("mine/model").mkdir(parents=True)
    Path("mine", name).write_text("mine")
    said = kinfolk("run", "nowhere.csv", "--clusters", 2, "--out", "mine")
    assert said.code == 2
    assert "was not written by Kinfolk" in said.err or "is no model" in said.err
