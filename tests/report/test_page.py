import dataclasses
import re
from xml.etree import ElementTree

import jinja2
import matplotlib
import numpy as np
import pytest
from tests.report import studies
from tests.report.soundness import assert_sound

import interrupting
from kinfolk.report import canvas, figures, page
from kinfolk.report.content import read
from kinfolk.running import deadlines, interruptions


@pytest.mark.parametrize("looks", ["terms", "numbers", "pixels"])
def test_identifiers_are_unique_and_every_reference_has_its_target(made_page, looks):
    html = made_page(looks)
    assert 'href="#' in html
    assert_sound(html)


def test_every_picture_is_sound_xml_with_a_title_and_the_page_has_all_of_them(made_page):
    svgs = re.findall(r"<svg.*?</svg>", made_page("terms"), flags=re.S)
    titles = [ElementTree.fromstring(svg)[0].text for svg in svgs]
    assert len(titles) == len(set(titles)) == 3 + 1 + 1 + 3 + 1
    assert all(titles)


def test_the_page_is_the_same_each_time_whatever_the_readers_settings(make_study, made_page):
    once = made_page("terms")
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):
        again = page.render(make_study())
    assert once == again
    assert dict(matplotlib.rcParams) == before


def test_no_score_that_needs_the_truth_appears_without_truth(make_study, no_pictures):
    html = page.render(make_study("numbers", truth=False)).lower()
    assert "accuracy" not in html
    assert "nmi" not in html
    assert "hint" in html


def test_with_truth_accuracy_and_nmi_are_shown(make_study, no_pictures):
    html = page.render(make_study())
    assert "Accuracy (%)" in html
    assert "NMI (%)" in html


def test_hostile_names_are_inert_text(make_study):
    evil = "<script>alert(1)</script>"
    study = make_study(
        names=[f"{evil}$x_{j}$" for j in range(40)], tasks=(evil, "a&b", "$\\frac{$")
    )
    study = dataclasses.replace(
        study,
        command=evil,
        notes=[evil],
        settings={evil: evil},
        data=dataclasses.replace(study.data, name=f'{evil}"', origin=evil),
    )
    html = page.render(study)
    assert "<script" not in html.lower()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;$x_<wbr>0$" in html


def test_control_characters_and_marks_of_direction_in_names_are_written_out(make_study):
    study = make_study(tasks=("\x1b[2J", "\u202ereversed", "c"))
    html = page.render(dataclasses.replace(study, notes=["\x1b]0;title\x07"]))
    assert not {"\x1b", "\x07", "\u202e"} & set(html)
    assert r"\u202ereversed" in html


def test_nothing_is_fetched_from_anywhere(made_page):
    html = made_page("pixels")
    assert "default-src 'none'" in html
    for forbidden in (
        "<link",
        "@import",
        "<script",
        "<iframe",
        "url(http",
        "<?xml",
        "<!DOCTYPE svg",
    ):
        assert forbidden not in html
    for address in re.findall(r'(?:src|href)="([^"]*)"', html):
        assert address.startswith(("data:image/png;base64,", "#"))


def test_the_page_says_every_setting_note_command_and_origin(make_study, no_pictures):
    study = make_study()
    html = page.render(study)
    said = [*study.settings, *study.settings.values(), *study.notes, study.command]
    for sentence in [*said, study.data.origin]:
        assert sentence in html


def test_a_result_that_could_not_run_says_why(make_study, no_pictures):
    study = make_study()
    alone, pooled, together = study.results
    pooled = dataclasses.replace(pooled, labels=None, scores={}, reason="The columns differ.")
    html = page.render(dataclasses.replace(study, results=[alone, pooled, together]))
    assert "It could not run: The columns differ." in html
    assert '<th scope="col">pooled</th>' not in html


def test_relatedness_is_left_out_where_the_method_does_not_learn_it(make_study):
    assert figures.relatedness(read(make_study())).startswith("<svg")
    assert figures.relatedness(read(make_study(relatedness=False))) == ""


def test_clusters_without_counterpart_are_named_so(make_study, no_pictures):
    assert page.render(make_study()).count("no counterpart <span") == 2


def test_many_rows_still_make_a_small_page_that_admits_to_sampling(make_study):
    html = page.render(make_study("numbers", rows=6900))
    assert "a fixed random sample of 2,000" in html
    assert len(html) < 1_500_000


def test_a_page_of_all_rows_names_no_sample_and_stays_small(make_study):
    html = page.render(make_study("numbers", rows=1400))
    assert "a fixed random sample" not in html
    assert len(html) < 1_500_000


@pytest.mark.parametrize(
    "section", ["groups", "profiles", "rows", "kinds", "scores", "traces", "settings"]
)
def test_every_page_has_the_sections_that_need_no_facet(make_study, no_pictures, section):
    assert page.render(make_study()).count(f'<section id="{section}">') == 1


def test_the_groups_come_first_then_matches_then_help_and_last_how_it_came_about(
    chosen, no_pictures
):
    html = page.render(chosen())
    order = re.findall(r'<section (?:class="notes" )?id="([^"]+)"', html)
    assert order == [
        *("groups", "notes", "profiles", "rows", "kinds", "sharing"),
        *("scores", "runs", "traces", "settings"),
    ]
    for target, title in re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', html):
        assert target in order
        # The words of the contents begin the heading they lead to.
        heading = re.search(rf'id="{target}">\s*<h2>([^<]+)</h2>', html)
        assert heading is not None
        assert heading[1].startswith(title) or target != "sharing"


def test_sizes_of_kinds_are_counted_in_all_and_by_data_set(make_study, no_pictures):
    study = make_study(rows=2400)
    html = page.render(study)
    table = html[html.index('id="groups"') : html.index('id="profiles"')]
    found = [
        [re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<t[hd].*?</t[hd]>", line)]
        for line in table.split("<tr")[2:]
    ]
    tasks = study.data.tasks
    matched = study.model.matched_labels_
    for kind, line in enumerate(found[:-1]):
        mine = matched == kind
        rows = [int((mine & (tasks == task)).sum()) for task in studies.TASKS]
        cells = [
            [f"{size:,}", f"{100 * size / (tasks == task).sum():.0f}", "%"] if size else ["–"]
            for size, task in zip(rows, studies.TASKS)
        ]
        share = [f"{100 * mine.mean():.0f}", "%"]
        assert line == [[str(kind)], [f"{mine.sum():,}"], share, *cells]
    assert found[-1][1] == ["2,400"]


def test_a_study_without_notes_has_no_box_for_them(make_study, no_pictures):
    study = make_study()
    assert 'id="notes"' in page.render(study)
    assert 'id="notes"' not in page.render(dataclasses.replace(study, notes=[]))


def test_a_model_without_an_objective_has_no_section_on_convergence(make_study, no_pictures):
    study = make_study()
    del study.model.objective_traces_
    assert 'id="traces"' not in page.render(study)


def test_a_misspelt_name_in_a_template_is_an_error():
    template = page._template().environment.from_string("{{ pgae.tasks }}")
    with pytest.raises(jinja2.UndefinedError, match="pgae"):
        template.render(page=None)


@pytest.mark.parametrize("word", ["echo", "verdict", "crowd", "heard", "witness", "referee"])
@pytest.mark.parametrize("relation", list(studies.FITS))
def test_pages_have_no_word_that_only_we_use(fitted_page, relation, word):
    text = re.sub(r"<(style|svg).*?</\1>|<[^>]+>", " ", fitted_page(relation), flags=re.S)
    assert word not in text.lower()


def test_a_constant_table_and_a_trace_of_one_value_still_make_a_page(make_study):
    study = make_study("numbers")
    study.model.objective_traces_ = {"all": np.array([3.0])}
    constant = dataclasses.replace(study.data, X=np.ones_like(study.X))
    html = page.render(dataclasses.replace(study, X=constant.X, data=constant))
    assert "nothing stands out" in html
    assert 'aria-labelledby="traces-title' not in html


def test_writing_replaces_the_file_and_leaves_no_draft(make_study, tmp_path, no_pictures):
    target = tmp_path / "report.html"
    target.write_text("old")
    study = make_study()
    page.write(study, target)
    assert target.read_text(encoding="utf-8") == page.render(study)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_failed_write_leaves_the_old_file_whole(make_study, tmp_path, monkeypatch, no_pictures):
    target = tmp_path / "report.html"
    target.write_text("old")

    def fail(source, destination):
        raise OSError("disk full")

    monkeypatch.setattr(page.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        page.write(make_study(), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_long_after_a_deadline_a_sentence_stands_in_the_place_of_each_picture(chosen):
    sentence = "No picture: the budget was spent before it."
    facts = read(chosen())
    with deadlines.ending(deadlines.clock() - 60.0):
        late = page.render(chosen())
        drawn = figures.scatter(facts)
    with deadlines.ending(deadlines.clock() + 1.0):
        assert sentence not in figures.scatter(facts)[facts.tasks[0]]
    assert late.count(sentence) == late.count("<svg") > len(drawn)
    assert all(sentence in picture for picture in drawn.values())
    assert "<title id=" in drawn[facts.tasks[0]]


def interrupted_at(monkeypatch, *numbers):
    """Let Ctrl-C come while the pictures of these numbers are drawn."""
    interrupting.at_calls(monkeypatch, canvas, "_drawn", *numbers)


def test_ctrl_c_while_pictures_are_drawn_leaves_out_those_that_follow(chosen, monkeypatch):
    study = chosen()
    whole = page.render(study)
    with monkeypatch.context() as patch:
        interrupted_at(patch, 2)
        with pytest.warns(UserWarning, match="while the pictures"):
            stopped = page.render(study)
    sentence = "No picture: Ctrl-C came before it."
    assert stopped.count(sentence) == whole.count("<svg") - 1
    assert page.render(study) == whole


def test_ctrl_c_at_a_single_picture_or_after_an_earlier_one_ends_the_work(chosen, monkeypatch):
    interrupted_at(monkeypatch, 1, 2)
    with pytest.raises(KeyboardInterrupt):
        figures.scatter(read(chosen()))
    study = chosen()
    with interruptions.keeping():
        interruptions.is_first()  # the runs of the fit, say
        with pytest.raises(KeyboardInterrupt):
            page.render(study)


def test_a_page_without_pictures_has_a_line_for_each(chosen):
    with canvas.without_pictures():
        made = page.render(chosen())
    assert made.count("No picture: Ctrl-C came before it.") == made.count("<svg")
