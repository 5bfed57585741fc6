from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk import catalogue
from kinfolk.datasets import makers
from kinfolk.papers import execution, protocols, published, readings, table_files, tables
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedCell, PrintedColumn, Row
from kinfolk.papers.store import Outcome, RunSpec, Store, StoredRun

BLOBS = makers.make_related_blobs(n_samples=24, separation=3.0, random_state=0)
COLUMNS = tuple(PrintedColumn(t, m) for t in ("first", "second") for m in ("accuracy", "nmi"))
ITEM = replace(
    published.item("mtcfir-table-5"),
    data=("blobs",),
    columns=COLUMNS,
    rows=(
        Row("k-means", "kmeans", "alone", (PrintedCell.read("90.00±1.00"),) * 4),
        Row("S-MBC", "", "together", (PrintedCell.read("80.00±1.00"),) * 4),
        Row("LSSTTC", "pca-kmeans", "pooled", (PrintedCell.read("-"),) * 4),
        Row("MTCFIR", "mtcfir", "together", (PrintedCell.read("95.00±1.00"),) * 4),
    ),
)


def load(name, **options):
    return BLOBS


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """Fixture: one family of methods for the row of `kf.Kinfolk`, to save time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocols, "KINFOLK_PARAMETERS", {"blobs": {"families": ["kmeans"]}})
        yield


@pytest.fixture(scope="module")
def store(few_candidates, tmp_path_factory):
    with Store(tmp_path_factory.mktemp("runs") / "runs.sqlite") as kept:
        pieces = protocols.planned_cells(ITEM, quick=True)
        execution.execute([run for p in pieces for run in p.runs], kept, load=load)
        yield kept


def entry(entries, row, column):
    return next(e for e in entries if (e.row, e.column) == (row, column))


def test_every_printed_cell_has_a_line(store):
    entries = tables.table(ITEM, store, quick=True)
    assert [(e.row, e.column) for e in entries] == [
        (label, str(column))
        for label in (
            *(row.label for row in ITEM.rows),
            f"MTCFIR, {readings.DIVIDED}",
            protocols.KINFOLK_ROW,
        )
        for column in COLUMNS
    ]
    assert all(e.ours is not None and not e.note for e in entries if e.row == "MTCFIR")


def test_the_last_row_is_one_answer_without_labels(store):
    found = entry(tables.table(ITEM, store, quick=True), protocols.KINFOLK_ROW, "first nmi")
    assert (found.published, found.ours) == (None, None)
    assert len(found.label_free.repeats) == protocols.KINFOLK_REPEATS
    assert 0 <= found.label_free.mean <= 100


def test_a_reading_of_pairs_of_tasks_is_one_row(tmp_path):
    item = published.item("lssmtc-table-8")
    with Store(tmp_path / "runs.sqlite") as empty:
        entries = tables.table(item, empty, quick=True)
    found = [e.column for e in entries if e.row == f"SVM, {readings.WEIGHTED}"]
    assert found == [str(column) for column in item.columns]


def test_another_reading_stands_beside_the_printed_row_it_reads(store):
    entries = tables.table(ITEM, store, quick=True)
    printed, other = (
        [e for e in entries if e.row == row] for row in ("MTCFIR", f"MTCFIR, {readings.DIVIDED}")
    )
    assert [e.published for e in other] == [e.published for e in printed]
    assert all('"divide_by_degrees":true' in e.ours.setting for e in other)
    # The summary speaks of printed rows.
    assert table_files.summary(ITEM, entries).startswith("8 of 16 figures")


def test_a_method_that_the_library_lacks_is_not_made_up(store):
    found = entry(tables.table(ITEM, store, quick=True), "S-MBC", "first accuracy")
    assert found == tables.CellComparison(
        "S-MBC", "first accuracy", PrintedCell.read("80.00±1.00"), note="not yet"
    )


def test_a_method_that_cannot_be_had_says_why(store):
    lacking = replace(ITEM.rows[1], reason="one formula could not be read")
    item = replace(ITEM, rows=(ITEM.rows[0], lacking))
    found = entry(tables.table(item, store, quick=True), "S-MBC", "first nmi")
    assert found.note == "one formula could not be read"


def test_every_row_of_a_method_states_its_fidelity(store):
    cells = tables.table(ITEM, store, quick=True)
    found = {cell.row: cell.fidelity for cell in cells}
    assert found == {
        "k-means": "exact",
        "S-MBC": "",
        "LSSTTC": catalogue.method("pca-kmeans").fidelity,
        "MTCFIR": catalogue.method("mtcfir").fidelity,
        f"MTCFIR, {readings.DIVIDED}": catalogue.method("mtcfir").fidelity,
        protocols.KINFOLK_ROW: "own",
    }


def test_the_setting_chosen_with_labels_has_the_best_mean(store):
    rows = [r for r in store.runs(method="mtcfir") if "divide_by_degrees" not in r.spec.parameters]
    means = {}
    for row in rows:
        key = tuple(row.spec.parameters.items())
        means.setdefault(key, []).append(np.mean([*row.outcome.scores["accuracy"].values()]))
    assert len(means) == 4
    best = dict(max(means, key=lambda key: np.mean(means[key])))
    found = entry(tables.table(ITEM, store, quick=True), "MTCFIR", "second nmi").ours
    repeats = [r.outcome.scores["nmi"]["task-1"] for r in rows if r.spec.parameters == best]
    np.testing.assert_allclose(found.repeats, 100 * np.array(repeats))
    assert found.mean == pytest.approx(100 * np.mean(repeats))
    assert found.deviation == pytest.approx(100 * np.std(repeats, ddof=1))
    assert found.n_settings == 4


def test_a_choice_without_labels_does_not_look_at_the_scores(store, tmp_path):
    rows = store.runs(method="mtcfir")
    blind = [
        replace(row, outcome=replace(row.outcome, scores={
            "silhouette": row.outcome.scores["silhouette"]}))
        for row in rows
    ]  # fmt: skip
    for task in ("task-0", "task-1"):
        assert tables.best_label_free(blind, [task], store) == tables.best_label_free(
            rows, [task], store
        )


def test_one_setting_is_the_same_with_and_without_labels(store):
    found = entry(tables.table(ITEM, store, quick=True), "k-means", "first nmi")
    assert found.ours.setting == found.label_free.setting
    assert found.ours.n_settings == 1


def test_missing_runs_are_said_and_not_filled_in(tmp_path):
    pieces = protocols.planned_cells(ITEM, quick=True)
    with Store(tmp_path / "runs.sqlite") as kept:
        own = next(piece for piece in pieces if piece.row == "MTCFIR")
        execution.execute(own.runs[:2], kept, load=load)
        entries = tables.table(ITEM, kept, quick=True)
    assert entry(entries, "MTCFIR", "first nmi").note == "2 of 12 runs"
    found = entry(entries, "k-means", "first nmi")
    assert (found.ours, found.note) == (None, "0 of 3 runs")


def test_a_refusal_is_noted(tmp_path):
    unequal = replace(ITEM, rows=(Row("All KM", "kmeans", "pooled", ITEM.rows[0].cells),))
    pieces = protocols.planned_cells(unequal, quick=True)
    target = np.where(BLOBS.tasks == "task-0", "one", BLOBS.target)
    with Store(tmp_path / "runs.sqlite") as kept:
        execution.execute(pieces[0].runs, kept, load=lambda name: replace(BLOBS, target=target))
        (first, *_) = tables.table(unequal, kept, quick=True)
    assert first.ours is None
    assert "different numbers of clusters" in first.note or "refused" in first.note


def value(*repeats):
    repeats = np.array(repeats)
    return tables.Value(repeats.mean(), repeats.std(ddof=1), repeats, "{}", 1)


@pytest.mark.parametrize(
    ("own", "other", "mark"),
    [
        ((0.90, 0.91, 0.92, 0.90), (0.80, 0.82, 0.81, 0.80), "•"),
        ((0.90, 0.70, 0.92, 0.60), (0.80, 0.82, 0.81, 0.55), ""),  # not significantly
        ((0.80, 0.82, 0.81, 0.80), (0.90, 0.91, 0.92, 0.90), ""),  # it is worse
        ((0.90, 0.90, 0.90), (0.80, 0.80, 0.80), "•"),  # without any spread
        ((0.90, 0.91, 0.92), (0.80, 0.82), ""),  # not paired
    ],
)
def test_rows_that_the_own_method_beats_significantly_are_marked(own, other, mark):
    item = replace(ITEM, rows=(ITEM.rows[0], ITEM.rows[-1]))
    made = [
        tables.CellComparison("k-means", "first nmi", None, value(*other)),
        tables.CellComparison("MTCFIR", "first nmi", None, value(*own)),
    ]
    assert [e.mark for e in tables._marked(made, item)] == [mark, ""]


def stored_run(noise, seed, accuracy, nmi=None, status="done", **separation):
    """Make a stored run of one setting with these scores of two tasks."""
    scores = {
        "accuracy": dict(zip("ab", accuracy)),
        "nmi": dict(zip("ab", nmi or accuracy)),
        "silhouette": dict.fromkeys("ab", 0.0),
        **{name: dict.fromkeys("ab", value) for name, value in separation.items()},
    }
    spec = RunSpec("blobs", "mtcfir", seed=seed, parameters={"noise": noise})
    outcome = Outcome(status, scores=scores)
    return StoredRun(f"{noise} {seed}", spec, outcome, "sum", "0.1", "2024-05-01")


WHOLE = PlannedCell("MTCFIR", "blobs", "", ())
GROUP = PlannedCell("MTCFIR", "blobs", "blobs", ())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", [1, -1])
def test_with_labels_the_setting_of_the_best_mean_over_tasks_and_repeats_is_chosen(seed, order):
    random = np.random.default_rng(seed)
    drawn = random.uniform(size=(3, 2, 2))
    runs = [stored_run(i, r, drawn[i, r]) for i in range(3) for r in range(2)][::order]
    sums = [sum(drawn[i, r, t] for r in range(2) for t in range(2)) for i in range(3)]
    expected = f'{{"noise":{sums.index(max(sums))}}}'
    assert tables.best_with_labels(ITEM, WHOLE, runs) == expected


def test_only_the_target_of_a_transfer_is_scored():
    runs = [stored_run(0, 0, (0.9, 0.1)), stored_run(1, 0, (0.2, 0.3))]
    assert tables.best_with_labels(ITEM, WHOLE, runs) == '{"noise":0}'
    assert tables.best_with_labels(ITEM, GROUP, runs) == '{"noise":1}'
    assert tables.scored_tasks(WHOLE, runs) == ["a", "b"]
    assert tables.scored_tasks(GROUP, runs) == ["b"]


def test_a_paper_that_chooses_by_nmi_is_followed():
    runs = [stored_run(0, 0, (0.9, 0.9), (0.1, 0.1)), stored_run(1, 0, (0.2, 0.2), (0.3, 0.3))]
    assert tables.best_with_labels(ITEM, WHOLE, runs) == '{"noise":0}'
    by_nmi = published.item("ktmec-table-2")
    assert tables.best_with_labels(by_nmi, WHOLE, runs) == '{"noise":1}'


def test_of_equal_settings_the_first_planned_is_chosen():
    runs = [stored_run(i, 0, (0.5, 0.5)) for i in (2, 0, 1)]
    assert tables.best_with_labels(ITEM, WHOLE, runs) == '{"noise":2}'


class Arrays:
    """Stand-in for a store's labels of runs by key."""

    codes = np.repeat([0, 1], 12)

    def __init__(self, labels):
        self.found = labels

    def array(self, key, name):
        assert name == "task_codes"
        return self.codes

    def labels(self, key):
        return self.found[key]


@pytest.mark.parametrize("criterion", ["modularity", "silhouette"])
@pytest.mark.parametrize("seed", range(4))
def test_label_free_scores_are_ranks_of_agreement_and_modularity(seed, criterion):
    random = np.random.default_rng(seed)
    drawn = random.uniform(size=6)
    runs = [stored_run(i // 2, i % 2, (0.5, 0.5), **{criterion: drawn[i]}) for i in range(6)]
    arrays = Arrays({run.key: random.integers(3, size=24) for run in runs})
    found = tables.rank(runs, ["b"], arrays)
    own = [arrays.found[run.key][12:] for run in runs]
    mean = [np.mean([adjusted_rand_score(own[r], own[s]) for s in range(6) if s // 2 != r // 2])
            for r in range(6)]  # fmt: skip
    expected = []
    for r in range(6):
        rank = 0.0
        for values in (mean, drawn):
            below = sum(v < values[r] - 1e-9 for v in values)
            equal = sum(abs(v - values[r]) <= 1e-9 for v in values)
            rank += below + (equal + 1) / 2
        expected.append(rank / 6)
    np.testing.assert_allclose(found.scores["b"], expected)
    of_settings = [np.mean(expected[2 * i : 2 * i + 2]) for i in range(3)]
    if np.diff(np.sort(of_settings))[-1] > 1e-9:
        best = f'{{"noise":{np.argmax(of_settings)}}}'
        assert tables.best_ranked(found, ["b"]) == best


def test_runs_of_an_older_version_among_others_are_compared_by_silhouettes():
    some = [stored_run(0, 0, (0.5, 0.5), silhouette=0.1)]
    some += [stored_run(i, 0, (0.5, 0.5), silhouette=i / 4, modularity=-i) for i in (1, 2)]
    arrays = Arrays({run.key: np.arange(24) % 3 for run in some})
    assert tables.best_label_free(some, ["a"], arrays) == '{"noise":2}'


def test_a_single_setting_is_chosen_without_reading_an_array():
    runs = [stored_run(7, seed, (0.5, 0.5)) for seed in range(3)]
    assert tables.best_label_free(runs, ["a", "b"], store=None) == '{"noise":7}'


def test_many_runs_are_thinned_evenly(monkeypatch):
    monkeypatch.setattr(tables, "MOST_COMPARED", 4)
    runs = [stored_run(i, 0, (0.5, 0.5), modularity=i / 10) for i in range(9)]
    arrays = Arrays({run.key: np.arange(24) % 3 for run in runs})
    found = tables.rank(runs, ["a"], arrays)
    assert found.settings == ['{"noise":0}', '{"noise":3}', '{"noise":6}']
    assert tables.best_ranked(found, ["a"]) == '{"noise":6}'


def test_the_best_rank_is_summed_over_tasks():
    ranking = tables.Ranking(
        ["x", "y", "x", "y"],
        {"a": np.array([2.0, 1.0, 2.0, 1.0]), "b": np.array([0.0, 1.5, 0.0, 1.5])},
    )
    assert tables.best_ranked(ranking, ["a"]) == "x"
    assert tables.best_ranked(ranking, ["b"]) == "y"
    assert tables.best_ranked(ranking, ["a", "b"]) == "y"


def test_repeats_are_in_the_order_of_seeds_whatever_the_order_of_the_store():
    runs = [stored_run(i, seed, (seed / 10, 0.0)) for seed in (2, 0, 1) for i in range(2)]
    found = tables.value(runs, '{"noise":1}', "accuracy", "a", 100.0)
    np.testing.assert_allclose(found.repeats, [0, 10, 20])
    assert (found.mean, found.deviation, found.n_settings) == (
        pytest.approx(10),
        pytest.approx(10),
        2,
    )


def test_further_repeats_count_for_the_setting_that_the_planned_ones_chose(tmp_path):
    """The worse they are the less the setting would be chosen anew, and it stays all the same."""
    item = replace(ITEM, rows=(ITEM.rows[3],))
    (planned, *_) = protocols.planned_cells(item, quick=True)
    best = planned.runs[-1].parameters
    with Store(tmp_path / "runs.sqlite") as kept:

        def record(run, score):
            tasks = {"first": score, "second": score}
            names = ("accuracy", "nmi", "silhouette", "modularity")
            codes = np.array([0, 0, 1, 1], dtype=np.uint8)
            arrays = {"labels": codes, "task_codes": codes}
            kept.record(
                kept.claim(run, "sum"),
                Outcome("done", scores=dict.fromkeys(names, tasks), arrays=arrays),
            )

        assert tables.further_repeats(item, kept, [planned]) == []
        for run in planned.runs[:-1]:
            record(run, 0.9 if run.parameters == best else 0.5)
        assert tables.further_repeats(item, kept, [planned]) == []  # one run is missing
        record(planned.runs[-1], 0.9)
        runs = tables.further_repeats(item, kept, [planned])
        assert [run.parameters for run in runs] == [best] * 7
        assert [run.seed for run in runs] == list(range(3, 10))
        for run in runs:
            record(run, 0.1)
        found = entry(tables.table(item, kept, quick=True), "MTCFIR", "second accuracy")
    np.testing.assert_allclose(found.ours.repeats, [90] * 3 + [10] * 7)
    assert found.note == "10 repeats of the chosen setting"


def test_one_repeat_has_a_mean_and_no_deviation():
    found = tables.value([stored_run(0, 0, (0.3, 0.0))], '{"noise":0}', "accuracy", "a", 1.0)
    assert found.mean == 0.3
    assert np.isnan(found.deviation)


@pytest.mark.parametrize("seed", range(12))
def test_marks_are_those_of_a_paired_t_test_by_its_formula(seed):
    random = np.random.default_rng(seed)
    n = 6
    own, other = random.normal(0.5, 0.1, size=n), random.normal(0.38, 0.1, size=n)
    gaps = own - other
    t = gaps.mean() / (np.sqrt(sum((gaps - gaps.mean()) ** 2) / (n - 1)) / np.sqrt(n))
    made = [
        tables.CellComparison("k-means", "first nmi", None, value(*other)),
        tables.CellComparison("MTCFIR", "first nmi", None, value(*own)),
    ]
    # 2.571 is the two-sided 5 % point of Student's t with 5 degrees of freedom.
    assert (tables._marked(made, ITEM)[0].mark == "•") == (t > 2.571)


def test_cells_without_values_and_single_repeats_have_no_mark():
    one = tables.Value(0.9, np.nan, np.array([0.9]), "{}", 1)
    low = tables.Value(0.1, np.nan, np.array([0.1]), "{}", 1)
    for own, other in ((one, low), (None, low), (one, None)):
        made = [
            tables.CellComparison("k-means", "first nmi", None, other),
            tables.CellComparison("MTCFIR", "first nmi", None, own),
        ]
        assert [cell.mark for cell in tables._marked(made, ITEM)] == ["", ""]


def test_only_the_paper_that_prints_marks_gets_them(store):
    assert {cell.mark for cell in tables.table(ITEM, store, quick=True)} == {""}


def test_an_empty_store_leaves_every_cell_with_a_note(tmp_path):
    with Store(tmp_path / "runs.sqlite") as kept:
        cells = tables.table(ITEM, kept, quick=True)
    assert len(cells) == 24
    assert all(cell.ours is cell.label_free is None for cell in cells)
    for cell in cells:
        own = [row for row in ITEM.rows if row.label == cell.row and not row.ours]
        assert cell.note == "not yet" if own else cell.note.startswith("0 of ")


def test_a_run_in_progress_has_not_ended_and_an_error_comes_before_the_count(tmp_path):
    runs = [RunSpec("blobs", "mec", seed=seed) for seed in range(3)]
    planned = PlannedCell("MEC", "blobs", "", runs)
    with Store(tmp_path / "runs.sqlite") as kept:
        key = kept.claim(runs[0], "sum")
        assert tables.StoredRuns(kept, [planned]).note(planned) == "0 of 3 runs"
        kept.record(key, Outcome("done"))
        kept.record(kept.claim(runs[1], "sum"), Outcome("failed", "MemoryError: "))
        found = tables.StoredRuns(kept, [planned])
    assert found.note(planned) == "failed: MemoryError: "
    assert [run.spec.seed for run in found.ended(planned)] == [0, 1]
    assert [run.spec.seed for run in found.done(planned)] == [0]
