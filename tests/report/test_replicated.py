"""Clusters found again in other data sets: lines of the page, counts of the terminal."""

from dataclasses import replace

import pytest
from tests.report import studies

from kinfolk.cli import study_text
from kinfolk.report import page, replicated
from kinfolk.report.content import read


def record(task, cluster, other, result="found again", strength=0.83, alone=1.0):
    return {"task": task, "cluster": cluster, "other_task": other, "strength": strength,
            "alone": alone, "result": result}  # fmt: skip


@pytest.fixture
def study():
    study = studies.make()
    study.model.replicability_ = [
        record("cornell", 0, "texas"),
        record("cornell", 0, "wisconsin", "partly", 0.41),
        record("texas", 1, "cornell", "not found", 0.12, alone=0.2),
        record("texas", 1, "wisconsin", "not found", 0.1, alone=0.2),
    ]
    return study


def test_each_cluster_has_a_line_with_the_results_in_the_other_data_sets(study):
    found = {line.task: line for line in replicated.lines(read(study))}
    assert list(found) == ["cornell", "texas"] or list(found) == ["texas", "cornell"]
    results = {task: r["result"] for task, r in found["cornell"].cells.items()}
    assert results == {"texas": "found again", "wisconsin": "partly"}
    assert found["cornell"].independent
    assert not found["texas"].independent


def test_the_page_shows_results_with_strengths_and_marks_what_help_made(study, no_pictures):
    text = page.render(study)
    table = text[text.index('id="replicability"') :]
    table = table[: table.index("</table>")]
    assert 'found again <span class="quiet">0.83</span>' in table
    assert 'partly <span class="quiet">0.41</span>' in table
    assert table.count("font-style:italic") == 1


def test_the_page_says_what_a_weak_match_is_and_what_finds_a_cluster_again(study, no_pictures):
    text = page.render(study)
    assert "0 if as often as by chance; doubt a match below 0.3." in text
    own = "<b>Found again</b>, below, goes by clusters that the other data sets find by themselves."
    assert own in text
    study.model.replicability_ = []
    text = page.render(study)
    assert "doubt a match below 0.3." in text
    assert "Found again" not in text


def test_the_terminal_counts_results_by_kind(study, capsys):
    study_text.show(study)
    out = capsys.readouterr().out
    title = "How often other data sets, clustered alone, find clusters of a kind again"
    table = out[out.index(title) :]
    lines = replicated.lines(read(study))
    for kind, made in replicated.counts(lines).items():
        assert f"│ kind {kind} │           {made['found again']} │" in table
    assert sum(sum(made.values()) for made in replicated.counts(lines).values()) == 4


@pytest.mark.parametrize("result", ["not found", "partly"])
def test_of_two_columns_a_sentence_says_that_nothing_can_be_found_again(
    study, result, capsys, no_pictures
):
    study = replace(study, X=study.X[:, :2])
    study.model.replicability_ = [
        record("cornell", 0, "texas", result),
        record("texas", 1, "cornell", "not found"),
    ]
    said = "find a kind again cannot be told from two columns"
    study_text.show(study)
    out = capsys.readouterr().out
    text = page.render(study)
    assert (said in out) == (said in text) == (result == "not found")
    assert ("find clusters of a kind again" in out) == (result == "partly")
    assert ('id="replicability"' in text) == (result == "partly")


def test_without_records_there_is_no_table(capsys, no_pictures):
    study = studies.make()
    assert replicated.lines(read(study)) == []
    assert "replicability" not in page.render(study)
    study_text.show(study)
    assert "found again" not in capsys.readouterr().out


def test_tasks_named_by_numbers_have_lines(study):
    found = replace(read(study), replicability=[record(1, 0, 2)])
    assert replicated.lines(found) == []
