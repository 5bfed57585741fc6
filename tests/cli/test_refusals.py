"""What cannot be done is told in one sentence, with an exit code, and leaves nothing behind."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

from kinfolk import cli
from kinfolk.comparison import rows
from kinfolk.disk import file_sets, folder_exchange, folder_lock
from kinfolk.knowledge import Knowledge

FULL = "standard output, standard error or a temporary file: No space left on device."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "shops.csv", "--clusters", "2", "--as", "kind=color"), "--as has 'kind=color'"),
        (("run", "shops.csv", "--clusters", "2", "--ignore", "hue"), "no column 'hue'"),
        (("run", "shops.csv", "--clusters", "2", "--only", "hue"), "asked for ('hue')"),
        (("run", "shops.csv", "--clusters", "2", "--only", "age,hue"), "--only lists 'hue'"),
        (("suggest", "shops.csv", "--only", "age,hue"), "--only lists 'hue'"),
        (("run", "penguins", "--clusters", "3", "--as", "sex=category"), "takes no --as"),
        (("run", "shops.csv", "--clusters", "2", "--missing", "guess"), "missing is 'guess'"),
        (("run", "shops.csv", "--clusters", "2", "--tasks", "site"), "no column 'site'"),
        (("run", "shops.csv"), "--clusters is missing: give a number"),
        (("run", "no.csv", "--clusters", "2"), "no file no.csv"),
        (("run", "digits-two-source", "--clusters", "2"), "'digits-two-sources'"),
        (("run", "webkb", "--clusters", "2"), "'webkb4'"),
        (("run", "shops.doc", "--clusters", "2"), ".parquet"),
        (("frobnicate",), "frobnicate"),
        (("run", "shops.csv", "--frobnicate"), "--frobnicate"),
        ((), "Usage"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence(arguments, told, kinfolk, table):
    said = kinfolk(*arguments)
    assert said.code == cli.USAGE
    assert told in said.err
    assert said.out == ""
    assert os.listdir() == ["shops.csv"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--method mtcfri", "did you mean 'mtcfir'"),
        ("--set noise", "a name and a value"),
        ("--method mtcfir --set noize=0.5", "no parameter 'noize'"),
        ("--method mtcfir --set noise=2", "noise is 2"),
        ("--method mtcfir --set noise=high", "noise is 'high'"),
        ("--method mtcfir --set noise={", "noise is '{'"),
        ("--scale big", "'standard'"),
        ("--columns some", "intersect"),
        ("--weighting bm25", "'tfidf'"),
        ("--stop-words klingon", "or one of the lists english, smart, none"),
        ("--terms -1", "greater than or equal to 0"),
        ("--seed -1", "--seed"),
        ("--seed x", "--seed"),
        ("--text kind", "two roles"),
        ("--set n_clusters=3", "--clusters"),
        ("--set random_state=3", "--seed"),
        ("--budget 0", "--budget is 0; give seconds"),
        ("--budget long", "--budget"),
        ("--set budget=3", "--budget"),
        ("--method kmeans --set init=abc", "'init'"),
        ("--method per-task --set estimator=abc", "estimator"),
        ("--seed 4294967296", "4294967295"),
    ],
)
def test_an_unusable_option_ends_with_2_and_a_sentence(options, told, kinfolk, table, roles):
    said = kinfolk("run", table, *roles, "--clusters", 2, *options.split(), "--out", "out")
    assert said.code == cli.USAGE
    assert told in said.err
    assert said.out == ""
    assert not Path("out").exists()


def test_a_named_data_set_takes_no_columns(kinfolk):
    said = kinfolk("run", "digits-two-sources", "--clusters", 10, "--target", "digit")
    assert said.code == cli.USAGE
    assert "takes no --target" in said.err


def test_options_are_called_by_the_names_they_have(kinfolk):
    said = kinfolk("run", "digits-two-sources", "--clusters", 10, "--id", "row")
    assert "--id" in said.err


def test_a_mistyped_file_is_not_called_a_data_set(kinfolk):
    said = kinfolk("run", "shop", "--tasks", "shop", "--clusters", 2)
    assert "is a named data set" not in said.err


def test_a_folder_is_called_a_folder(kinfolk, at_home):
    (at_home / "texts").mkdir()
    assert "directory" in kinfolk("run", "texts", "--clusters", 2).err


@pytest.mark.parametrize("name", ["webkb4", "reuters"])
@pytest.mark.parametrize("by_option", [False, True])
def test_a_data_set_that_is_not_there_ends_with_3(name, by_option, kinfolk):
    place = ("--data", "nowhere") if by_option else ()
    said = kinfolk("run", name, "--clusters", 3, *place)
    assert said.code == cli.NO_DATA
    assert name in said.err
    assert ("nowhere" if by_option else "no-data") in said.err
    assert "http" in said.err
    assert not Path("kinfolk-report").exists()


@pytest.fixture
def forgotten(monkeypatch):
    """Fixture: import the command line anew, and restore it afterwards."""
    for name in list(sys.modules):
        if name.startswith(("kinfolk.cli.", "kinfolk.report")):
            monkeypatch.delitem(sys.modules, name)
    for name in ("app", "demo", "run", "assign", "listings", "outputs", "terminal"):
        monkeypatch.delattr(cli, name, raising=False)
    return lambda name: monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    ("library", "verb"),
    [
        ("typer", "methods"),
        ("rich.console", "methods"),
        ("jinja2", "demo"),
        ("matplotlib", "demo"),
    ],
)
def test_a_missing_library_of_the_command_line_ends_with_4(library, verb, forgotten, kinfolk):
    forgotten(library)
    said = kinfolk(verb)
    assert said.code == cli.NO_EXTRA
    assert library.partition(".")[0] in said.err
    assert "[app]'" in said.err
    assert said.out == ""


@pytest.mark.parametrize(("library", "extra"), [("pandas", "app"), ("pyarrow", "parquet")])
def test_a_missing_library_of_a_format_ends_with_4(
    library, extra, kinfolk, make_shops, roles, quick, monkeypatch
):
    pytest.importorskip("pyarrow")
    make_shops().to_parquet("shops.parquet")
    monkeypatch.setitem(sys.modules, library, None)
    said = kinfolk("run", "shops.parquet", *roles, *quick)
    assert said.code == cli.NO_EXTRA
    assert f"[{extra}]'" in said.err


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--budget -3", "--budget is -3; give seconds, more than 0"),
        ("--budget nan", "--budget is nan; give seconds, more than 0"),
        ("--budget inf", "--budget is inf; give seconds, more than 0"),
        ("--jobs 0", "--jobs 0 must be a whole number other than 0"),
    ],
)
def test_a_wrong_budget_or_number_of_workers_is_refused_before_a_table_is_read(
    option, told, kinfolk
):
    said = kinfolk("run", "missing.csv", "--clusters", 2, *option.split())
    assert said.code == cli.USAGE
    assert told in said.err


def test_an_output_folder_that_is_a_file_is_refused(kinfolk, table, roles, quick):
    Path("out").write_text("mine", "utf-8")
    for place in ("out", "out/deeper"):
        said = kinfolk("run", table, *roles, *quick, "--out", place)
        assert said.code == cli.USAGE
        assert "out" in said.err
        assert said.out == ""
    assert Path("out").read_text("utf-8") == "mine"


def test_an_output_folder_that_is_a_file_is_refused_before_the_work(
    kinfolk, table, roles, quick, monkeypatch
):
    Path("out").write_text("mine", "utf-8")
    monkeypatch.setattr(rows, "read", lambda *_, **__: pytest.fail("worked for nothing"))
    assert kinfolk("run", table, *roles, *quick, "--out", "out").code == cli.USAGE


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_an_output_folder_that_may_not_be_written_is_refused(kinfolk, table, roles, quick):
    Path("out").mkdir(mode=0o500)
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.USAGE
    assert len(said.err.splitlines()) == 1
    assert os.listdir("out") == []


HOSTILE = [
    "<script>alert(1)</script>",
    "comma, \"quote\" and 'quote'",
    "two\nlines",
    "../../etc/passwd",
    "C:\\new\\table",
    "Ærøskøbing 東京 🦊",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}",
    "a=b",
    "x" * 500,
    "[/b] and [red]",
    ":fox_face:",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_task_name_is_only_a_name(name, kinfolk, make_shops, roles, quick, monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    make_shops((name, "south")).to_csv("shops.csv", index=False)
    said = kinfolk("run", "shops.csv", *roles, *quick, "--out", "out")
    assert said.code == 0
    assert name.splitlines()[0] in said.out
    found = pd.read_csv("out/labels.csv", dtype=str, keep_default_na=False)
    assert found["task"].unique().tolist() == [name, "south"]
    page = Path("out/report.html").read_text("utf-8")
    assert "<script" not in page
    assert sorted(os.listdir()) == ["out", "shops.csv"]
    pd.read_csv("shops.csv").drop(columns="kind").to_csv("shops.csv", index=False)
    assert kinfolk("assign", "out/model", "shops.csv", "--out", "found.csv").code == 0
    assert Path("found.csv").read_bytes() == Path("out/labels.csv").read_bytes()


@pytest.mark.parametrize("name", HOSTILE[:8])
def test_a_hostile_column_name_is_only_a_name(name, kinfolk, make_shops, roles, quick):
    make_shops().rename(columns={"age": name}).to_csv("shops.csv", index=False)
    assert kinfolk("run", "shops.csv", *roles, *quick, "--out", "out").code == 0
    assert "<script" not in Path("out/report.html").read_text("utf-8")
    kept = json.loads(Path("out/model/model.json").read_text("utf-8"))["preparation"]
    assert kept["feature_names"][0] == name.replace("\n", " ")  # names are read in one line


@pytest.mark.parametrize("place", ["north", "shop", "age", "0-0"])
def test_half_a_character_in_a_name_is_refused_in_a_sentence(
    place, kinfolk, make_shops, roles, quick
):
    lines = make_shops().to_json(orient="records", lines=True)
    Path("shops.jsonl").write_text(lines.replace(f'"{place}"', f'"{place}\\ud800"'), "utf-8")
    roles = [f"{role}\ud800" if role == place else role for role in roles]
    said = kinfolk("run", "shops.jsonl", *roles, *quick, "--out", "out")
    assert said.code == cli.USAGE
    assert len(said.err.splitlines()) == 1
    assert not Path("out").exists()


COMMAND = "import sys; from kinfolk import cli; sys.exit(cli.main())"
WITHOUT_PICTURES = (  # which take seconds
    "from kinfolk.report import canvas; canvas.svg = lambda *_, **__: '<svg></svg>'; "
)


def process(*arguments, code=COMMAND, encoding="utf-8", **streams):
    """Run the command in a process of its own, with standard output in an encoding."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    environment.pop("PYTHONUNBUFFERED", None)  # so that little output waits to the end
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        timeout=120,
        check=False,
        **given,
    )


@pytest.fixture(scope="module")
def finished(make_shops, roles, quick, tmp_path_factory):
    """Fixture: a finished process, with standard output in ASCII, that clustered a task 東京."""
    folder = tmp_path_factory.mktemp("finished")
    make_shops(("東京", "south")).to_csv(folder / "shops.csv", index=False)
    options = (*roles, *quick, "--out", folder / "out")
    code = WITHOUT_PICTURES + COMMAND
    return process("run", folder / "shops.csv", *options, code=code, encoding="ascii")


def test_a_process_ends_with_the_code_and_keeps_its_streams_apart(finished):
    assert finished.returncode == 0
    assert b"Rows of each kind" in finished.stdout
    assert b"report.html" in finished.stderr
    assert b"\x1b" not in finished.stdout + finished.stderr
    refused = process("methods", "no-such-method")
    assert refused.returncode == cli.USAGE
    assert refused.stdout == b""
    assert len(refused.stderr.splitlines()) == 1


def test_a_table_shows_characters_that_its_encoding_lacks_as_escapes(finished):
    assert finished.returncode == 0
    assert b"\\u6771\\u4eac" in finished.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    ("redirected", "code", "told"),
    [
        (">&-", 0, ""),
        ("<&- >&- 2>&-", 0, ""),
        ("> /dev/full", cli.USAGE, f"kinfolk: {FULL}"),
        ("> /dev/full 2> /dev/full", cli.USAGE, ""),
    ],
)
def test_streams_that_are_closed_or_full_are_no_fault(redirected, code, told):
    line = f'"$0" -c "{COMMAND}" methods {redirected}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (code, told)


@pytest.mark.parametrize("verb", ["run", "demo", "name"])
def test_a_second_program_in_a_folder_is_told_before_any_work(verb, kinfolk, table, quick):
    kinfolk("run", table, "--tasks", "shop", *quick, "--out", "out")
    before = Path("out/run.json").read_bytes()
    lines = {
        "run": ("run", "nowhere.csv", "--clusters", 2, "--out", "out"),
        "demo": ("demo", "--out", "out"),
        "name": ("name", "out", "0=young"),
    }
    holding = threading.Event()
    ended = threading.Event()

    def hold():
        with folder_lock.held("out"):
            holding.set()
            ended.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    holding.wait(60)
    said = kinfolk(*lines[verb])
    ended.set()
    other.join()
    assert said.code == cli.USAGE
    assert f"Another program writes to out (process {os.getpid()} on " in said.err
    assert Path("out/run.json").read_bytes() == before


def test_a_set_that_was_cut_off_is_finished_by_the_next_run(kinfolk, table, quick, monkeypatch):
    command = ("run", table, "--tasks", "shop", *quick, "--out", "out")
    kinfolk(*command, "--seed", 1)
    replace = os.replace

    def killed(source, target):
        if str(target).endswith("report.html"):
            raise PermissionError(13, "Permission denied", str(target))
        replace(source, target)

    with monkeypatch.context() as patch:
        # Files take their places one by one, as where folders cannot be exchanged.
        patch.setattr(folder_exchange, "can_step_aside", lambda _: False)
        patch.setattr(os, "replace", killed)
        said = kinfolk(*command, "--seed", 2)
    assert said.code == cli.USAGE
    assert (
        "out could not be written in full (Permission denied): when the cause is gone" in said.err
    )
    assert file_sets.damaged("out")
    said = kinfolk(*command, "--seed", 3)
    assert said.code == 0
    assert "The files of an earlier run that was cut off in out are whole now." in said.err
    assert file_sets.damaged("out") == []


def test_a_device_as_a_file_to_write_stays_a_device(kinfolk, table):
    said = kinfolk("suggest", table, "--tasks", "shop", "--out", "/dev/null", "--overwrite")
    assert said.code == cli.USAGE
    assert "/dev/null is a pipe, a device or a lost link: name a file." in said.err
    assert not Path("/dev/null").is_file()


@pytest.fixture(scope="module")
def shared_centers(tmp_path_factory):
    """Fixture: a file of knowledge whose column has a name that Latin-1 lacks."""
    file = tmp_path_factory.mktemp("shared") / "k.safetensors"
    Knowledge([[0.5]], [10.0], ("東京",)).save(file)
    return file


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_little_output_to_a_full_disk_is_told(shared_centers):
    with open("/dev/full", "wb") as full:
        done = process("knowledge", "inspect", shared_centers, stdout=full)
    assert done.stderr.decode() == f"kinfolk: {FULL}\n"
    assert done.returncode == cli.USAGE


@pytest.mark.parametrize(
    ("verb", "both"), [("methods", False), ("knowledge", False), ("--version", True)]
)
def test_a_closed_pipe_is_no_fault_and_is_not_told(verb, both, shared_centers):
    reader, writer = os.pipe()
    os.close(reader)
    more = ("inspect", shared_centers) if verb == "knowledge" else ()
    streams = {"stderr": subprocess.STDOUT} if both else {}
    done = process(verb, *more, stdout=writer, **streams)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, None if both else b"")


def test_output_for_other_programs_is_utf_8_whatever_the_encoding(shared_centers, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "latin-1"))
    assert cli.main(["knowledge", "inspect", str(shared_centers)]) == 0
    assert written.getvalue().decode("utf-8") == Knowledge.load(shared_centers).contents()
