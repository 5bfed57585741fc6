"""`kinfolk knowledge`: centers leave, rows stay."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

from kinfolk.arguments import from_command_line
from kinfolk.cli import knowledge as verb
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.knowledge import Knowledge, check_knowledge


def call(*arguments):
    with from_command_line():
        get_command(verb.knowledge)([str(a) for a in arguments], standalone_mode=False)


@pytest.fixture
def model(kinfolk, table, quick):
    """Fixture: a k-means model of customers by shop, on scaled rows."""
    pd.read_csv(table).drop(columns="kind").to_csv(table, index=False)
    roles = ("--tasks", "shop", "--id", "customer", "--method", "per-task")
    said = kinfolk("run", table, *roles, "--clusters", 2, "--scale", "standard", "--quiet")
    assert said.code == 0, said.err
    return Path("kinfolk-report/model")


def test_centers_are_exported_inspected_and_checked(model, table, capsys):
    call("export", model, "--task", "north", "--minimum", 5, "--out", "north.safetensors")
    assert "Wrote 2 centers of 3 columns to north.safetensors" in capsys.readouterr().err
    known = Knowledge.load("north.safetensors")
    frame = pd.read_csv(table)
    rows = frame[["age", "orders", "returns"]].to_numpy()
    error = rows.std(axis=0) / len(rows) ** 0.5
    assert (np.abs(known.center - rows.mean(axis=0)) < error / 60).all()
    north = known.scaled(rows)[(frame["shop"] == "north").to_numpy()]
    expected = sorted(map(tuple, [north[:6].mean(axis=0), north[6:].mean(axis=0)]))
    np.testing.assert_allclose(sorted(map(tuple, known.cluster_centers)), expected, atol=0.01)
    np.testing.assert_array_equal(known.cluster_weights, [6, 6])
    call("inspect", "north.safetensors")
    assert capsys.readouterr().out == known.contents()
    call("check", "north.safetensors")
    small = (
        "A center rests on 6 rows, of which each weighs more than a tenth: export with --minimum "
        "10 or more, or ask for fewer clusters.\n"
    )
    sound = "north.safetensors is sound: 2 centers of 3 columns"
    assert capsys.readouterr().out == f"{sound}.\n{small}"
    call("check", "north.safetensors", table, "--tasks", "shop", "--id", "customer")
    assert capsys.readouterr().out == f"{sound}, which the tables have.\n{small}"
    frame.assign(plan="pro", city=["a", "b"] * (len(frame) // 2)).to_csv("more.csv", index=False)
    roles = ("--tasks", "shop", "--id", "customer")
    with pytest.raises(InputError, match=r"hold words or gaps: pick .* \(--only\)"):
        call("check", "north.safetensors", "more.csv", *roles)
    call("check", "north.safetensors", "more.csv", *roles, "--only", "age,orders,returns")
    assert capsys.readouterr().out == f"{sound}, which the tables have.\n{small}"
    frame.drop(columns="age").to_csv("less.csv", index=False)
    with pytest.raises(InputError, match="the table lacks 'age'"):
        call("check", "north.safetensors", "less.csv", "--tasks", "shop", "--id", "customer")


def test_numbers_leave_with_as_many_digits_as_are_asked_for(model):
    call("export", model, "--task", "north", "--minimum", 5, "--digits", 2, "--out", "short")
    known = Knowledge.load("short")
    assert all(len(repr(abs(x))) <= 4 for x in known.center.tolist())


def test_tables_in_other_units_are_told_of(model, table, capsys):
    call("export", model, "--task", "north", "--minimum", 5, "--out", "north")
    frame = pd.read_csv(table)
    frame.assign(age=frame["age"] * 365).to_csv("days.csv", index=False)
    call("check", "north", "days.csv", "--tasks", "shop", "--id", "customer")
    assert "age: your mean" in capsys.readouterr().err


def test_small_clusters_are_left_out_unless_a_smaller_minimum_is_given(model):
    with pytest.raises(InputError, match="every cluster has fewer than 10 rows"):
        call("export", model, "--task", "north", "--out", "a")
    assert not Path("a").exists()


def test_the_task_must_be_named_and_known(model):
    with pytest.raises(InputError, match="the model has the tasks north, south; name one by"):
        call("export", model, "--out", "a")
    with pytest.raises(UnknownTaskError, match="task 'moon' is not in the model; it has north"):
        call("export", model, "--task", "moon", "--out", "a")


def test_models_without_centers_are_refused(kinfolk, table, roles, quick):
    assert kinfolk("run", table, *roles, *quick).code == 0
    with pytest.raises(InputError, match="^MTCFIR has no centers; run"):
        call("export", "kinfolk-report/model", "--task", "north", "--out", "a")


def test_check_says_how_much_a_file_tells_of_the_rows_behind_it(kinfolk, make_shops, capsys):
    frame = make_shops(each=40).drop(columns="kind")
    frame.to_csv("many.csv", index=False)
    roles = ("--tasks", "shop", "--id", "customer", "--method", "per-task", "--quiet")
    assert kinfolk("run", "many.csv", *roles, "--clusters", 2, "--scale", "standard").code == 0
    call("export", "kinfolk-report/model", "--task", "north", "--out", "north")
    capsys.readouterr()
    call("check", "north", "--rows", "many.csv", "--tasks", "shop", "--task", "north")
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "Sizes, digits and names of columns tell of no single row."
    rows = frame[frame["shop"] == "north"][["age", "orders", "returns"]].to_numpy()
    known = Knowledge.load("north")
    assert said[2] == str(check_knowledge(known, rows)).splitlines()[1]
    assert "picks the right one in" in said[2]
    with pytest.raises(UnknownTaskError, match="task 'moon' is not in many.csv; it has north"):
        call("check", "north", "--rows", "many.csv", "--tasks", "shop", "--task", "moon")
    frame.drop(columns="age").to_csv("less.csv", index=False)
    with pytest.raises(InputError, match="age"):
        call("check", "north", "--rows", "less.csv", "--tasks", "shop", "--task", "north")
    frame.assign(age="old").to_csv("words.csv", index=False)
    with pytest.raises(InputError, match="the rows hold texts, words or gaps"):
        call("check", "north", "--rows", "words.csv", "--tasks", "shop", "--task", "north")


def test_the_file_names_no_folder_of_the_machine(model, tmp_path):
    (tmp_path / "ward-7").mkdir()
    call("export", model.absolute(), "--task", "north", "--minimum", 5, "--out", "ward-7/a")
    raw = Path("ward-7/a").read_bytes()
    assert b"ward-7" not in raw
    assert str(tmp_path).encode() not in raw


def test_the_minimum_has_the_name_of_the_parameter_too(model):
    call("export", model, "--task", "north", "--min-cluster-size", 6, "--out", "a")
    assert Knowledge.load("a").minimum_cluster_size == 6


def test_check_warns_of_small_clusters(model, capsys):
    call("export", model, "--task", "north", "--minimum", 5, "--out", "a")
    call("check", "a")
    assert "A center rests on 6 rows, of which each weighs more" in capsys.readouterr().out


def test_one_center_of_one_column_is_told_in_the_singular(at_home, capsys):
    Knowledge([[1.0]], [30.0]).save("one")
    call("check", "one")
    assert capsys.readouterr().out.startswith("one is sound: 1 center of 1 column.\n")
