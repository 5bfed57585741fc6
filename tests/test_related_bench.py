"""The bench of related sets: its files, its frozen split, what is recorded, and the figures."""

import dataclasses
import hashlib
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.related import (
    __main__,
    comparisons,
    figures,
    files,
    making,
    page,
    pools,
    prepared,
    recording,
    rules,
    shrunk,
    stored,
    yardsticks,
)

import kinfolk
from kinfolk.datasets import makers
from kinfolk.errors import InputError

SETS = files.read_all()
JUDGING = [name for name, wanted in SETS.items() if wanted.split == "judging"]
FROZEN = "2b69ec52b866ae86"
"""Of names, splits and makers of all sets. A set may be added or taken from judging to shaping, by
an honest change of this number and of docs/related-measured.md; never the other way, and no set is
changed.
"""
EMBEDDED = ("blobs", "documents", "gaussians", "hostile")


def test_the_split_is_frozen():
    lines = [f"{name} {wanted.split} {wanted.fingerprint}" for name, wanted in SETS.items()]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == FROZEN


def test_no_source_of_the_library_names_a_judging_set():
    library = Path(kinfolk.__file__).parent
    named = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, JUDGING)) + r")(?![\w-])")
    sources = [path for path in library.rglob("*") if path.suffix in {".py", ".toml", ".html"}]
    found = [
        f"{path.name}: {hit[0]}" for path in sources if (hit := named.search(path.read_text()))
    ]
    assert not found


def test_there_are_forty_sets_of_eight_fields_and_fifteen_that_nothing_has_seen():
    assert len(SETS) >= 40
    assert len({wanted.field for wanted in SETS.values()}) >= 8
    assert sum(not SETS[name].seen for name in JUDGING) >= 15
    assert all(not wanted.seen for wanted in SETS.values() if wanted.split == "shaping")


def test_the_file_of_a_set_has_five_lines_and_a_sixth_if_it_was_seen():
    for wanted in SETS.values():
        assert len(wanted.text.splitlines()) == (6 if wanted.seen else 5), wanted.name
        assert wanted.maker in making.MAKERS


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('split = "judging"', "lacks split"),
        ('kind = "counts"', "lacks kind"),
        ('maker = "documents"', "lacks maker"),
    ],
)
def test_a_file_that_lacks_a_line_is_refused_in_a_sentence(line, part, tmp_path):
    text = SETS["documents-one-tiny"].text
    (tmp_path / "short.toml").write_text(text.replace(line, ""))
    with pytest.raises(files.SetFileError, match=part):
        files.read_all(tmp_path)


def test_a_split_that_is_not_known_is_refused(tmp_path):
    text = SETS["documents-one-tiny"].text.replace('"judging"', '"both"')
    (tmp_path / "other.toml").write_text(text)
    with pytest.raises(files.SetFileError, match="split is 'both'; choose one of shaping, judging"):
        files.read_all(tmp_path)


@pytest.mark.parametrize("name", [n for n, wanted in SETS.items() if wanted.maker in EMBEDDED])
def test_made_sets_are_the_same_every_time_and_of_the_kind_that_their_file_says(name, tmp_path):
    wanted = SETS[name]
    table = prepared.table(wanted, tmp_path)
    kept = prepared.table(wanted, tmp_path)
    again = making.make(wanted)
    assert table.tasks.tolist() == kept.tasks.tolist() == again.tasks.tolist()
    assert table.target.tolist() == again.target.tolist()
    assert abs(table.X - kept.X).sum() == 0
    assert wanted.kind in (table.kind, "mixed")


def _pool():
    properties = {"class": np.repeat(["a", "b"], 6), "year": np.tile(["1", "2"], 6)}
    return pools.Pool(properties, X=np.arange(12.0)[:, None])


@pytest.fixture
def twelve(monkeypatch):
    """Fixture: a pool of twelve numbered rows of two classes and years."""
    monkeypatch.setattr(pools, "pool", lambda source, data: _pool())


def test_tasks_of_classes_share_no_row_and_have_the_wanted_properties(twelve):
    tasks = {"first": {"class": ["a", "b"], "year": [1], "n": 2}, "rest": ["a"]}
    made = making.MAKERS["classes"](None, source="", tasks=tasks, rows=9, seed=0)
    assert len(np.unique(made.X)) == len(made) == 8
    assert made.tasks.tolist() == ["first"] * 4 + ["rest"] * 4
    assert made.target.tolist() == ["a", "a", "b", "b", "a", "a", "a", "a"]
    assert (made.X[:4] % 2 == 0).all()


def test_parts_have_all_classes_and_share_no_row(twelve):
    made = making.MAKERS["parts"](None, source="", number=2, rows=2, seed=0)
    assert len(np.unique(made.X)) == 8
    for part in ("part 1", "part 2"):
        assert sorted(made.target[made.tasks == part]) == ["a", "a", "b", "b"]


def test_a_property_that_a_pool_lacks_is_refused():
    with pytest.raises(InputError, match="the pool has no 'month'; it has class, year"):
        _pool().where(month=[1])


def test_a_coarser_task_has_the_names_of_its_groups():
    blobs = makers.make_related_blobs(5, n_clusters=3, shared=3, random_state=0)
    made = making.ALTERATIONS["coarser"](blobs, 0, task="task-0", groups={"x": ["c0", "c1"]})
    assert set(made.target[made.tasks == "task-0"]) == {"x", "c2"}
    assert set(made.target[made.tasks == "task-1"]) == {"c0", "c1", "c2"}


def test_own_units_change_the_columns_of_a_task_and_not_its_clusters():
    blobs = makers.make_related_blobs(9, random_state=0)
    made = making.ALTERATIONS["units"](blobs, 0, strength=0.5)
    rows = blobs.tasks == "task-1"
    correlation = np.corrcoef(made.X[rows, 0], blobs.X[rows, 0])[0, 1]
    assert correlation == pytest.approx(1.0)
    assert not np.allclose(made.X[rows], blobs.X[rows])


def test_gaussians_have_the_rows_of_each_class_that_are_asked_for():
    made = making.MAKERS["gaussians"](
        None, sizes={"a": [3, 2], "b": [4, 0]}, columns=3, distance=5.0, seed=0
    )
    assert made.X.shape == (9, 3)
    assert made.target[made.tasks == "b"].tolist() == ["c0"] * 4


def test_the_key_of_code_changes_with_a_statement_and_not_with_a_docstring(tmp_path):
    def key(name, text):
        place = tmp_path / name
        place.mkdir()
        (place / "module.py").write_text(text)
        return prepared.code_key(place)

    first = key("1", '"""One."""\nx = 1\n')
    assert key("2", '"""Two."""\n# why\nx = 1\n') == first
    assert key("3", '"""One."""\nx = 2\n') != first


@pytest.fixture(scope="module")
def table():
    """Make two related tasks of counts and one of noise."""
    data = makers.make_related_documents(
        30, 60, shared=3, own_terms=5, purity=0.35, length=25.0, random_state=3
    )
    data = making.ALTERATIONS["noise"](data, 0, n=12)
    return prepared.Prepared(data.X, data.tasks, data.target, False, 0.0)


@pytest.fixture(scope="module")
def recorded(table):
    """Facts and arrays of a run of three families."""
    return recording.record(table, 0, families=["kmeans", "mec", "pooled"])


def test_a_task_of_noise_has_as_many_clusters_as_the_largest_other(table):
    assert table.n_clusters == {"task-0": 3, "task-1": 3, "noise": 3}


def test_everything_about_a_task_is_recorded_and_fits_json(recorded, table):
    facts, arrays = recorded
    assert json.loads(json.dumps(facts))["kind"] == "counts"
    assert [task["judged"] for task in facts["tasks"]] == [True, True, False]
    first = facts["tasks"][0]
    shape = (len(first["others"]), len(first["answers"]))
    assert np.shape(first["forth"]) == np.shape(first["back"]) == shape
    assert arrays["answers 0"].shape == (len(first["answers"]), 30)
    assert arrays["candidates"].shape == (len(facts["candidates"]), len(table.tasks))


def test_recorded_positions_name_the_answers_of_the_fit(recorded, table):
    facts, arrays = recorded
    for t, task in enumerate(facts["tasks"]):
        rows = table.rows(task["name"])
        for side in ("own", "answer"):
            np.testing.assert_array_equal(arrays[f"answers {t}"][task[side]], arrays[side][rows])


def test_evidence_from_stored_agreements_is_that_of_the_fit(recorded):
    run = _run(recorded[0]["tasks"])
    every = {task["name"]: task["evidence"] for task in run.tasks}
    expected = {name: value for name, value in every.items() if value is not None}
    assert len(set(expected.values())) > 1
    assert rules.evidence(run) == pytest.approx(expected)
    assert rules.report(run) == rules.as_stored(run) != rules.own(run)


def test_methods_of_several_tasks_run_for_comparison_where_the_fit_did_without(monkeypatch):
    blobs = makers.make_related_blobs(8, n_features=2, n_clusters=2, random_state=0)
    table = prepared.Prepared(blobs.X, blobs.tasks, blobs.target, False, 0.0)
    few = {name: recording.FAMILIES[name] for name in ("kmeans", "pooled")}
    monkeypatch.setattr(comparisons, "FAMILIES", few)
    facts, arrays = recording.record(table, 0, families=["kmeans"])
    families = [made["family"] for made in facts["candidates"]]
    assert set(families) == {"kmeans", "pooled"}
    assert len(arrays["candidates"]) == len(families)
    first = facts["tasks"][0]
    compared = [answer["source"] for answer in first["answers"] if answer["compared"]]
    assert compared == ["all"] * 3 + ["joint"] * 3
    assert np.shape(first["back"]) == (1, len(first["answers"]))
    assert not first["answers"][first["answer"]]["compared"]


def test_runs_for_comparison_are_made_once_and_are_the_same_when_kept(tmp_path, monkeypatch):
    blobs = makers.make_related_blobs(8, n_features=2, n_clusters=2, random_state=0)
    table = prepared.Prepared(blobs.X, blobs.tasks, blobs.target, False, 0.0)
    few = {"pooled": recording.FAMILIES["pooled"]}
    monkeypatch.setattr(comparisons, "FAMILIES", few)
    made = comparisons.made(table, 0)
    first = comparisons.kept("blobs", table, 0, tmp_path)
    monkeypatch.setattr(comparisons, "made", None)
    again = comparisons.kept("blobs", table, 0, tmp_path)
    assert len(made) == len(first) == len(again) > 1
    for one, other in zip(made, again, strict=True):
        assert one.candidate.described() == other.candidate.described()
        np.testing.assert_array_equal(one.labels, other.labels)


def test_a_single_task_has_no_runs_for_comparison():
    table = prepared.Prepared(np.eye(3), np.array(["a"] * 3), np.arange(3), False, 0.0)
    assert comparisons.made(table, 0) == []


def test_every_yardstick_finds_clear_clusters_and_says_if_it_is_absent():
    blobs = makers.make_related_blobs(
        30, n_features=3, n_clusters=2, shared=2, shift=0.1, random_state=0
    )
    table = prepared.Prepared(blobs.X, blobs.tasks, blobs.target, False, 0.0)
    found = yardsticks.measured(table, 0, "/bin/false")
    absent = found.pop("Harmony + Leiden")
    assert absent["absent"]
    assert not absent["accuracy"]
    assert len(found) == 5
    for name, made in found.items():
        assert made["accuracy"] == {"task-0": 1.0, "task-1": 1.0}, name


def _task(name, own=0.5, proposal=0.7, evidence=0.06, **given):
    made = {"modularity": 0.1, "agreement": 0.1, "source": "own", "combiner": "voting"}
    answers = [{**made, "accuracy": own}, {**made, "accuracy": proposal}]
    others = ["b" if name == "a" else "a"]
    return {
        "name": name, "k": 2, "judged": True, "has_clusters": True, "answers": answers,
        "own": 0, "answer": 1, "proposal": 1,
        "evidence": evidence, "others": others, "forth": [[0.1, 0.3]], "back": [[0.1, 0.1]],
        "meaning": "The other data sets changed the cluster of 3 of 9 rows.", **given,
    }  # fmt: skip


def _run(tasks, name="webkb4", seed=0, path=Path("key/file.npz")):
    names = [task["name"] for task in tasks]
    candidates = [
        {"family": "kmeans", "setting": {}, "representation": "raw", "start": start,
         "accuracy": dict.fromkeys(names, value)}
        for start, value in enumerate((0.6, 0.8))
    ]  # fmt: skip
    candidates.append({**candidates[0], "family": "part", "accuracy": {names[0]: 1.0}})
    sticks = {"k-means alone": {"accuracy": dict.fromkeys(names, 0.4), "absent": ""},
              "Harmony + Leiden": {"accuracy": {}, "absent": "not installed"}}  # fmt: skip
    facts = {"set": name, "seed": seed, "tasks": tasks, "candidates": candidates,
             "yardsticks": sticks, "seconds": 2.0,
             "fingerprint": SETS[name].fingerprint}  # fmt: skip
    return stored.Run(path, name, seed, facts)


def test_evidence_is_half_the_gain_of_the_task_and_half_the_mean():
    tasks = [_task("a"), _task("b", forth=[[0.5, 0.5]], back=[[0.2, 0.2]])]
    # Gains .1 and 0; the mean is .05.
    assert rules.evidence(_run(tasks)) == pytest.approx({"a": 0.075, "b": 0.025})


def test_rules_take_the_answers_that_they_name():
    run = _run([_task("a"), _task("b", proposal=0.4, forth=[[0.5, 0.5]], back=[[0.2, 0.2]])])
    assert rules.own(run) == {}
    assert rules.as_stored(run) == rules.unguarded(run) == {"a": 1, "b": 1}
    assert rules.evidence_05(run) == {"a": 1, "b": 0}
    assert rules.evidence_02(run) == {"a": 1, "b": 1}
    assert rules.evidence_10(run) == {"a": 0, "b": 0}
    assert rules.perfect_guard(run) == rules.best_of_all(run) == {"a": 1, "b": 0}


def test_outcomes_have_the_accuracy_of_the_picked_answers_and_leave_noise_out():
    run = _run([_task("a"), _task("b", judged=False)])
    (outcome,) = figures.outcomes([run], rules.own)
    assert outcome.gain == 0.0
    assert outcome.proposed == pytest.approx(0.2)
    (outcome,) = figures.outcomes([run], rules.unguarded)
    assert outcome.gain == pytest.approx(0.2)


def test_a_rule_may_give_labels_of_its_own(tmp_path):
    path = stored.place(tmp_path, "key", "webkb4", 0)
    run = _run([_task("a")])
    arrays = {"tasks": np.zeros(4, int), "target": np.array(["x", "x", "y", "y"])}
    stored.write(path, run.facts, arrays)
    (outcome,) = figures.outcomes([stored.read(path)], lambda run: {"a": np.array([1, 1, 0, 1])})
    assert outcome.answer == 0.75


def test_the_best_setting_is_a_mean_over_starts_and_ran_in_all_tasks():
    assert figures.best_setting(_run([_task("a"), _task("b")])) == pytest.approx(0.7)


def test_figures_of_a_set_are_means_over_seeds_and_tasks():
    runs = [
        _run([_task("a", proposal=0.4), _task("b")], seed=0),
        _run([_task("a", proposal=0.5), _task("b")], seed=1),
    ]
    made = figures.of_sets(runs, figures.outcomes(runs, rules.as_stored))["webkb4"]
    assert made.answer == pytest.approx((0.4 + 0.7 + 0.5 + 0.7) / 4)
    assert (made.harmed, made.cases) == (1, 4)
    assert made.worst == pytest.approx(-0.05)
    assert made.worst_once == pytest.approx(-0.1)
    assert made.share == pytest.approx(made.answer / 0.7)


def test_an_interval_of_means_holds_the_mean_and_is_the_same_every_time():
    values = np.random.RandomState(0).normal(size=40)
    low, high = figures.interval(values)
    assert low < values.mean() < high
    # A normal interval of 40 values; the bootstrap is near it.
    half = 1.96 * values.std() / np.sqrt(40)
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)
    assert figures.interval(values) == (low, high)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [(-0.1, "below 0"), (0.02, "0 to .02"), (0.05, ".02 to .05"), (0.051, ".05 to .1")],
)
def test_a_grade_holds_its_upper_edge(evidence, expected):
    assert figures.grade(evidence) == expected


def test_the_page_begins_with_the_harmed_tasks_the_worst_first():
    runs = [_run([_task("a", proposal=0.4), _task("b", proposal=0.2)])]
    text, tables = page.markdown(runs, rules.as_stored, SETS)
    harmed = text.partition("## Harmed tasks")[2].partition("##")[0]
    assert harmed.index("webkb4: b") < harmed.index("webkb4: a")
    assert "-0.300" in harmed
    assert "n of m rows" in tables
    assert "absent" in tables
    assert text.index("## Harmed tasks") < text.index("## By kind of table")


def test_no_harmed_task_is_said():
    assert "None." in page.markdown([_run([_task("a")])], rules.as_stored, SETS)[0]


def test_the_newest_state_of_the_code_is_judged(tmp_path, capsys):
    run = _run([_task("a")])
    stored.write(stored.place(tmp_path, "older", "webkb4", 0), run.facts, {})
    newer = dataclasses.replace(run, facts={**run.facts, "seed": 1})
    path = stored.place(tmp_path, "newer", "webkb4", 1)
    stored.write(path, newer.facts, {})
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    assert stored.keys(tmp_path) == ["older", "newer"]
    assert __main__.main(["judge", "--runs", str(tmp_path)]) == 0
    assert "webkb4 (1)" in capsys.readouterr().out


def test_a_run_of_a_set_that_has_changed_is_left_out(tmp_path, capsys):
    run = _run([_task("a")])
    facts = {**run.facts, "fingerprint": "another"}
    stored.write(stored.place(tmp_path, "key", "webkb4", 0), facts, {})
    assert __main__.main(["judge", "--runs", str(tmp_path)]) == 1
    assert "their files have changed: webkb4" in capsys.readouterr().out


def test_a_name_that_no_set_has_is_said(tmp_path, capsys):
    assert __main__.main(["judge", "--runs", str(tmp_path), "--sets", "none"]) == 2
    assert "There is no set 'none'" in capsys.readouterr().out


def test_runs_are_made_once_and_resumed(tmp_path, monkeypatch, capsys):
    name = "documents-one-tiny"
    calls = []

    def one_run(wanted, table, seed, given):
        calls.append(seed)
        facts = _run([_task("a")], wanted.name, seed).facts
        facts["table"] = table.fingerprint
        return {
            **facts,
            **dict.fromkeys(("rows", "kind"), 0),
            **{f"seconds{part}": 0.0 for part in ("", "_of_recording", "_of_yardsticks")},
        }, {}

    monkeypatch.setattr(__main__, "one_run", one_run)
    command = ["run", "--runs", str(tmp_path), "--sets", name, "--seeds"]
    assert __main__.main([*command, "1"]) == 0
    assert __main__.main([*command, "2"]) == 0
    assert calls == [0, 1]
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_page_is_renewed_only_when_all_runs_are_there(tmp_path, monkeypatch, capsys):
    page_file = tmp_path / "page.md"
    page_file.write_text("as it was\n")
    wanted = ["renew", str(page_file), "--runs", str(tmp_path), "--sets", "blobs-unrelated"]
    monkeypatch.setattr(__main__, "_run", lambda given, chosen: 0)
    assert __main__.main(wanted) == 1
    assert "3 of 3 runs are missing" in capsys.readouterr().out
    assert page_file.read_text() == "as it was\n"


def test_no_run_starts_after_the_limit_of_seconds(tmp_path, capsys):
    command = ["run", "--runs", str(tmp_path), "--sets", "documents-one-tiny"]
    assert __main__.main([*command, "--limit-seconds", "-1"]) == 0
    assert "limit" in capsys.readouterr().out


def test_a_set_that_fails_does_not_end_the_runs_of_the_others(tmp_path, monkeypatch, capsys):
    def one_run(*given):
        raise ValueError("a defect")

    monkeypatch.setattr(__main__, "one_run", one_run)
    names = ["documents-one-tiny", "blobs-unrelated"]
    assert __main__.main(["run", "--runs", str(tmp_path), "--seeds", "1", "--sets", *names]) == 1
    assert capsys.readouterr().out.count("ValueError: a defect") == 2


def test_indices_of_64_bits_become_those_that_scikit_learn_takes(tmp_path, monkeypatch):
    data = makers.make_related_documents(4, 20, random_state=0)
    data.X.indices = data.X.indices.astype(np.int64)
    monkeypatch.setattr(making, "make", lambda wanted, data_home: data)
    table = prepared.table(SETS["documents-one-tiny"], tmp_path)
    assert table.X.indices.dtype == table.X.indptr.dtype == np.int32


def test_a_split_chooses_its_sets(tmp_path, monkeypatch):
    chosen = []
    monkeypatch.setitem(__main__.COMMANDS, "judge", lambda given, sets: chosen.extend(sets))
    __main__.main(["judge", "--runs", str(tmp_path), "--split", "shaping"])
    assert set(chosen) == set(SETS) - set(JUDGING)


def test_yardsticks_are_kept_unless_one_is_absent(tmp_path, monkeypatch, table):
    found = {"k-means alone": {"accuracy": {"a": 0.5}, "seconds": 0.1, "absent": "no package"}}
    calls = []
    monkeypatch.setattr(yardsticks, "measured", lambda *given: calls.append(1) or found)
    for expected in (1, 2):
        assert yardsticks.kept("a", table, 0, "", tmp_path) == found
        assert len(calls) == expected
    found["k-means alone"]["absent"] = ""
    for _ in range(2):
        assert yardsticks.kept("a", table, 0, "", tmp_path) == found
    assert len(calls) == 3
    yardsticks.kept("a", table, 1, "", tmp_path)
    assert len(calls) == 4
    yardsticks.kept("a", dataclasses.replace(table, X=2 * table.X), 0, "", tmp_path)
    assert len(calls) == 5


def test_aims_are_those_of_judging_sets():
    runs = [_run([_task("a", proposal=0.4), _task("b")], name) for name in ("webkb4", "mfeat-fou")]
    found = figures.outcomes(runs, rules.as_stored)
    rows = dict(page.aims(figures.of_sets(runs, found), found, SETS)[1:])
    assert rows["answer - own at least +.020"] == "+0.050"
    assert rows["harmed at most 2 %"] == "50.0%"
    assert rows["no task below -.050"] == "-0.100"
    assert rows["at least .96 on each set"] == "1 of 1 miss it, least 0.786 (mfeat-fou)"
    assert rows["an answer changed by more than 0.005 is better in 95 %"] == "50% (1 of 2)"
    assert rows["webkb4 (shaping) at least .770"] == "0.550"
    shaping = [run for run in runs if run.set == "webkb4"]
    assert page.aims(figures.of_sets(shaping, found), found, SETS) == []


def test_tasks_without_clusters_are_counted_apart_for_classes_and_noise():
    tasks = [_task("a", has_clusters=False), _task("b")]
    tasks.append(_task("noise", judged=False, has_clusters=False))
    runs = [_run(tasks, "reuters", seed) for seed in (0, 1)] + [_run([_task("a")])]
    _, *rows = page.refusals(runs, SETS)
    assert rows[0] == ["shaping, all", "5", "2", "40.0%", "2", "2"]
    assert page.parts(runs, rules.as_stored, SETS)["No clusters found"][1] == rows[0]


def test_a_change_of_half_a_point_is_neither_better_nor_worse():
    found = figures.outcomes(
        [_run([_task("a", proposal=0.504), _task("b", proposal=0.506)])], rules.as_stored
    )
    titles, row = page.grades(found, SETS)
    assert dict(zip(titles, row, strict=True))["better by 0.005"] == "1"


def test_the_page_has_the_numbers_of_the_sets():
    text = (Path(__file__).parents[1] / "docs" / "related-measured.md").read_text()
    unseen = sum(not SETS[name].seen for name in JUDGING)
    assert f"{len(SETS) - len(JUDGING)} sets are *shaping*" in text
    assert f"{len(JUDGING)} are *judging*" in text
    assert f"{len(JUDGING) - unseen} of these stood" in text
    assert f"{unseen} are new" in text


def test_pooled_measurements_are_displaced_and_centered_ones_are_not():
    random = np.random.RandomState(0)
    zero = np.repeat([0.0, 100.0], 20)
    place = np.tile([0.0, 10.0], 20)
    X = np.stack([zero + place + random.normal(size=40), random.normal(size=40)], axis=1)
    target = np.where(place > 0, "right", "left")
    table = prepared.Prepared(X, np.repeat(["a", "b"], 20), target, False, 0.0)
    found = yardsticks.measured(table, 0, "/bin/false")
    assert found["centered, pooled"]["accuracy"] == {"a": 1.0, "b": 1.0}
    # Two clusters of all rows are the two tasks.
    assert max(found["k-means pooled"]["accuracy"].values()) < 0.8


def test_a_refused_proposal_leaves_the_own_answer_and_is_counted_by_its_gain():
    task = _task("a", proposal=0.4, answer=0, evidence=0.01)
    run = _run([task])
    assert rules.evidence_05(run) == {"a": 0}
    assert rules.perfect_guard(run) == {"a": 0}
    (outcome,) = figures.outcomes([run], rules.as_stored)
    assert outcome.gain == 0
    assert outcome.proposed == pytest.approx(-0.1)


def test_the_fingerprint_of_a_table_changes_with_a_number_and_with_a_class(table):
    again = dataclasses.replace(table, X=table.X.copy())
    assert again.fingerprint == table.fingerprint
    again.X.data[0] += 1
    assert again.fingerprint != table.fingerprint
    other = dataclasses.replace(table, target=np.roll(table.target, 1))
    assert other.fingerprint != table.fingerprint


def test_one_row_of_fifty_is_no_harm_and_a_row_more_is():
    for proposal, harmed in ((19 / 50, 0), (18 / 50, 1)):
        runs = [_run([_task("a", own=20 / 50, proposal=proposal)])]
        found = figures.outcomes(runs, rules.as_stored)
        assert figures.of_sets(runs, found)["webkb4"].harmed == harmed
        assert len(page.failures(found, SETS)) == 1 + harmed


def _classes_and_rest():
    tasks = np.repeat(["a", "b"], 40)
    target = np.tile(np.repeat(["p", "q", "r", "s"], 10), 2)
    X = np.arange(80.0)[:, None] * [1.0, -2.0]
    return prepared.Prepared(X, tasks, target, False, 0.0)


def test_one_task_is_cut_to_few_rows_and_the_others_stay_whole():
    table = _classes_and_rest()
    made, name = shrunk.cut(table, 12, seed=1)
    assert name == "b"
    assert len(made.rows("a")) == 40
    assert len(made.rows("b")) == 12
    assert set(made.X[:, 0]) <= set(table.X[:, 0])
    assert shrunk.cut(table, 30) is None
    assert shrunk.cut(table, 7) is None


def test_a_task_of_other_classes_shares_none_with_the_others():
    made, name = shrunk.cut(_classes_and_rest(), 12, other=True)
    here = made.tasks == name
    assert not set(made.target[here]) & set(made.target[~here])
    assert here.sum() == 12
    assert (~here).sum() == 20


def test_cut_tasks_are_counted_by_kind_and_rows():
    found = [(("mixed", 12), (0.5, 0.9, 0.2, "mixture")), (("mixed", 12), (0.7, 0.5, -0.1, ""))]
    assert shrunk.lines(found)[1] == ["mixed", "12", "2", "0.600", "0.700", "1", "1", "mixture 1"]
