"""Tables and sentences on standard output, notes and bars on standard error."""

import dataclasses
import io
import re
import time
import warnings

import numpy as np
import pytest
from rich.table import Table
from tests.report import studies

from kinfolk.cli import screen, study_text, terminal
from kinfolk.report import findings, sharing_effect, wording
from kinfolk.report.content import read
from kinfolk.running import progress


def shown(study, capsys):
    study_text.show(study)
    return capsys.readouterr().out


def cells(out, name):
    """Return the cells of the last line of a table that starts with a name: scores come last."""
    lines = reversed(out.splitlines())
    line = next(line for line in lines if re.match(rf"│ +{re.escape(name)} ", line))
    return [cell.strip() for cell in line.strip("│").split("│")]


def test_scores_of_a_task_are_those_of_the_page_with_a_star_for_the_best(capsys):
    study = studies.make()
    out = shown(study, capsys)
    tables = findings.score_tables(read(study))[:2]
    for place, task in enumerate((*studies.TASKS, "mean")):
        first, *values, gain = cells(out, task)
        lines = [table.lines[place] for table in tables]
        assert first == task
        assert [value.replace("*", "") for value in values] == [
            " / ".join(pair) for pair in zip(*(line.texts for line in lines), strict=True)
        ]
        for name, value in zip(tables[0].names, values, strict=True):
            assert value.count("*") == sum(name in line.best for line in lines)
        assert gain == " / ".join(line.gain for line in lines)


def test_cautions_about_kinds_are_printed_below_their_sizes(capsys):
    study = studies.make()
    found = dataclasses.replace(study.profiles, cautions=("Kind 3 has 1 row.",))
    study.__dict__["profiles"] = found
    out = shown(study, capsys)
    told = out.index("Look twice: Kind 3 has 1 row.\n")
    assert out.index("Rows of each kind") < out.index("What sets each kind apart:") < told


@pytest.mark.parametrize("truth", [True, False])
def test_kinds_and_sizes_come_first_and_scores_last(capsys, truth):
    study = studies.make(truth=truth)
    out = shown(study, capsys)
    places = [out.index(text) for text in ("180 rows", "Rows of each kind", "; * is best")]
    assert out.startswith(findings.headline(read(study)))
    assert places == sorted(places)
    assert out.rindex("cornell") > places[-1]


def test_the_silhouette_is_shown_only_without_truth(capsys):
    assert "Silhouette" not in shown(studies.make(), capsys)
    out = shown(studies.make(truth=False), capsys)
    assert "Silhouette (−1 to 1); * is best" in out
    assert "Accuracy" not in out


def test_one_task_has_a_line_for_each_result(capsys):
    study = studies.fitted("several views")
    out = shown(study, capsys)
    for result in study.results:
        assert len(cells(out, result.name)) == 2
    assert "together − best view" in out


def test_without_a_baseline_there_is_no_gain(capsys):
    out = shown(studies.fitted("one data set"), capsys)
    assert "together −" not in out


def test_relatedness_is_a_square_of_the_tasks_if_it_was_learned(capsys):
    out = shown(studies.make(), capsys)
    assert "How much each data set (row) takes from the others" in out
    assert "0.42" in out
    assert "takes from" not in shown(studies.make(relatedness=False), capsys)


def test_matched_clusters_have_sizes_and_strengths(capsys):
    study = studies.make()
    out = shown(study, capsys).split("1 fully, 0 by chance, below 0.3 doubtful)")[1].split("└")[0]
    page = read(study)
    for group, members in page.groups.items():
        _, rows, *found = cells(out, str(group))
        assert rows == str(sum(cluster.size for cluster in members))
        for task, cell in zip(page.tasks, found, strict=True):
            sizes = [cluster.size for cluster in members if cluster.task == task]
            assert cell.startswith(str(sizes[0]) if sizes else "")
    assert out.count("(no match)") == 2
    assert out.count("(0.82)") == 8


def test_clusters_of_one_task_have_sizes_alone(capsys):
    out = shown(studies.fitted("several views"), capsys)
    assert "Rows of each kind\n" in out
    for group, (cluster,) in read(studies.fitted("several views")).groups.items():
        assert cells(out, str(group)) == [str(group), str(cluster.size)]
    assert "(no match)" not in out


def test_names_from_the_data_are_no_markup(capsys):
    study = studies.make(tasks=("[bold]a", ":smile:", "[/red]"))
    out = shown(study, capsys)
    for name in ("[bold]a", ":smile:", "[/red]"):
        assert name in out


def test_lines_of_a_file_do_not_wrap(capsys):
    names = tuple(letter * 60 for letter in "abc")
    out = shown(studies.make(tasks=names), capsys)
    for name in names:
        assert name in out


def test_changes_of_each_task_are_printed_after_the_comparison(capsys):
    study = studies.make_chosen([{"changed": 3}, {}, {}])
    out = shown(study, capsys)
    for sentence in wording.told_together(study.model.guard_):
        assert sentence in out


@pytest.mark.parametrize("relation", list(studies.FITS))
def test_every_relation_can_be_shown(relation, capsys):
    study = studies.fitted(relation)
    assert findings.comparison(read(study)) in shown(study, capsys)


def test_a_result_that_did_not_run_has_no_column(capsys):
    study = studies.make()
    alone, pooled, together = study.results
    lost = dataclasses.replace(pooled, labels=None, scores={}, reason="Columns differ.")
    text = shown(dataclasses.replace(study, results=[alone, lost, together]), capsys)
    assert text.count("pooled") == 1
    assert "No scores of pooled: Columns differ." in text


def test_notes_and_warnings_go_to_standard_error(capsys):
    terminal.say("One sentence.")
    screen.show_warning(UserWarning("Few rows."), UserWarning, "somewhere.py", 3)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "One sentence.\nNote: Few rows.\n"


def test_a_warning_is_shown_without_its_place_in_the_code(capsys, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", screen.show_warning)
        warnings.warn("Two tasks share no column.", stacklevel=1)
    assert capsys.readouterr().err == "Note: Two tasks share no column.\n"


@pytest.mark.parametrize("quiet", [True, False])
def test_there_are_no_bars_where_the_output_is_no_terminal(quiet, capsys):
    with terminal.bars(quiet):
        assert list(progress.track([1, 2, 3], "rows")) == [1, 2, 3]
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_results_in_a_file_have_no_colors(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr("sys.stdout", file)
    study_text.show(studies.make())
    assert "\x1b[" not in file.getvalue()


EVIL = "no\x1b[2Jrth\x9b\u202e\x07"


def test_control_characters_in_names_are_shown_and_never_reach_a_terminal(capsys):
    table = Table(EVIL, title=EVIL)
    table.add_row(EVIL)
    terminal.paper().print(table)
    terminal.say(EVIL)
    screen.show_warning(UserWarning(EVIL), UserWarning, "", 0)
    said = capsys.readouterr()
    assert not set("\x1b\x9b\u202e\x07") & set(said.out + said.err)
    assert said.out.count("no\\x1b[2Jrth\\x9b\\u202e\\x07") == 3
    assert said.err.count("no\\x1b[2Jrth\\x9b\\u202e\\x07") == 2


def test_a_table_for_another_program_keeps_names_as_they_are(capsys, monkeypatch):
    terminal.write_unwrapped(f"{EVIL}\t1\n")
    assert capsys.readouterr().out == f"{EVIL}\t1\n"
    monkeypatch.setattr(terminal.sys.stdout, "isatty", lambda: True)
    terminal.write_unwrapped(f"{EVIL}\t1\n")
    assert capsys.readouterr().out == "no\\x1b[2Jrth\\x9b\\u202e\\x07\t1\n"


def test_without_a_terminal_a_line_tells_the_work_every_ten_seconds(capsys, monkeypatch):
    assert terminal.LINE_INTERVAL == 10
    monkeypatch.setattr(terminal, "LINE_INTERVAL", 0.02)
    with terminal.bars(quiet=False):
        for _ in progress.track(range(2), "spelling"):
            time.sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert "After 0 s: spelling: 0 of 2" in lines
    assert "After 0 s: spelling: 1 of 2" in lines
    time.sleep(0.05)
    assert capsys.readouterr().err == ""
    with terminal.bars(quiet=True):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_step_that_tells_nothing_is_at_work(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "LINE_INTERVAL", 0.02)
    with terminal.bars(quiet=False):
        time.sleep(0.1)
    assert "After 0 s: at work\n" in capsys.readouterr().err


def test_names_of_strategies_are_explained_below_their_scores(capsys):
    out = shown(studies.make(), capsys)
    assert "alone: each data set alone; pooled: all rows pooled; together: " in out


def test_one_row_that_changed_is_in_the_singular():
    assert "1 of 165 rows is in another cluster" in sharing_effect._changed(1, 165)


def test_a_contribution_that_rounds_to_zero_has_no_minus():
    R = np.array([[1.0, -0.001], [-0.5, 1.0]])
    columns = study_text._pairs_of_tasks("help", R, ["a", "b"]).columns
    assert [list(column.cells) for column in columns[1:]] == [["1.00", "−0.50"], ["0.00", "1.00"]]
