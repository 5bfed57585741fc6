import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from benchmarks import literal_ktmec as literal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_ktmec as oracles
from kinfolk import Blocks, PerTask, load, save
from kinfolk.blocks import Block
from kinfolk.catalogue import METHODS
from kinfolk.errors import DescentWarning, InputError, SharingWarning
from kinfolk.estimators.renamed import current_names
from kinfolk.knowledge import Knowledge
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.transfer import entropy_transfer
from kinfolk.methods.transfer.entropy_transfer import KTMEC, TransferProblem
from kinfolk.numerics import distances, entropic
from kinfolk.numerics.entropic import Moments

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(60) % 3
X = RANDOM.normal(size=(60, 3)) + 2.5 * np.eye(3)[TRUTH]
SOURCE = 2.5 * np.eye(3) + RANDOM.normal(size=(3, 3))
KNOWN = Knowledge(SOURCE, [20.0, 30.0, 40.0])


def problem(gamma, lam, eta, sign=1.0, source=SOURCE):
    """Constants of the objective on all rows X."""
    k, origin = len(source), X.mean(axis=0)
    U = oracles.source_memberships(X, source, gamma)
    held = Moments(U.sum(axis=0), U.T @ X).scaled(1 - eta)
    pull, scatter = np.full(k, float(lam)), distances.scatter(X)
    return TransferProblem(gamma, eta, sign, np.arange(k), source, pull, held, origin, scatter)


SETTINGS = [(g, l, e) for g in (0.7, 6.0) for l in (0, 0.5, 4) for e in (0.0, 0.3, 1.0)]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("gamma", "lam", "eta"), SETTINGS)
def test_one_sweep_and_the_objective_are_the_printed_formulas(gamma, lam, eta, sign):
    s = entropy_transfer.state_at(
        Block(X), RANDOM.normal(size=(3, 3)), problem(gamma, lam, eta, sign)
    )
    U = oracles.memberships(X, s.V, SOURCE, gamma, lam, eta)
    V_next = oracles.centers(X, U, SOURCE, gamma, lam, eta, sign)
    U_next = oracles.memberships(X, V_next, SOURCE, gamma, lam, eta)
    assert abs(V_next - s.V).max() > 0.1
    found = entropy_transfer.sweep(Block(X), s)
    np.testing.assert_allclose(found.V, V_next, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.own.mass, U_next.sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(found.own.sums, U_next.T @ X, rtol=1e-10, atol=1e-11)
    for state, memberships in ((s, U), (found, U_next)):
        expected = oracles.objective(X, memberships, state.V, SOURCE, gamma, lam, eta)
        assert entropy_transfer.objective(state) == pytest.approx(expected, rel=1e-11)
    B = oracles.mixed(U_next, oracles.source_memberships(X, SOURCE, gamma), eta)
    np.testing.assert_allclose(
        entropic.mixture(X, entropy_transfer.membership_parts(found.V, found.problem)),
        B,
        rtol=1e-9,
        atol=1e-12,
    )


@pytest.mark.parametrize(("gamma", "lam", "eta"), [s for s in SETTINGS if s[1:] != (0, 1.0)])
def test_the_exact_form_is_the_literal_one(gamma, lam, eta):
    model = KTMEC(None, KNOWN, gamma, lam, eta, n_init=1, max_iter=7, tol=0.0).fit(X)
    labels, trace, V = literal.fit(
        X, SOURCE, SOURCE, gamma=gamma, lam=lam, eta=eta, max_iter=model.n_iter_
    )
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.objective_trace_, trace, rtol=1e-10)
    np.testing.assert_allclose(model.cluster_centers_, V, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("temperature", ["auto", 0.5, 8.0])
@pytest.mark.parametrize("knowledge", [None, KNOWN])
@pytest.mark.parametrize("table", [X, sp.csr_array(np.where(X > 0.5, X, 0))], ids=["dense", "csr"])
def test_without_transfer_it_is_mec_to_the_last_digit(temperature, knowledge, table):
    settings = {"temperature": temperature, "n_init": 3, "random_state": 7}
    ours = KTMEC(3, knowledge, transfer_weight=0, own_share=1, **settings).fit(table)
    mec = MEC(3, **settings).fit(table)
    for name in ("cluster_centers_", "memberships_", "labels_", "objective_trace_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(mec, name))
    assert ours.temperature_ == mec.temperature_
    np.testing.assert_array_equal(ours.predict(table[:9]), mec.predict(table[:9]))
    assert set(ours.source_clusters_) == {-1}


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_single_precision_stays_single_and_finds_the_same(make):
    single = X.astype(np.float32)
    settings = {"temperature": 1.5, "n_init": 2, "random_state": 0}
    for new in (lambda: KTMEC(3, KNOWN, **settings), lambda: MEC(3, **settings)):
        found, expected = new().fit(make(single)), new().fit(make(single.astype(float)))
        assert found.cluster_centers_.dtype == found.memberships_.dtype == np.float32
        assert found.predict_memberships(make(single)).dtype == np.float32
        np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-3)
        np.testing.assert_allclose(found.memberships_, expected.memberships_, atol=1e-3)
        rounding = entropic.rounding(single, 1.5)
        assert found.objective_trace_[-1] == pytest.approx(
            expected.objective_trace_[-1], abs=rounding
        )
        np.testing.assert_array_equal(found.predict(make(single)), found.labels_)
    again = KTMEC(3, KNOWN, **settings).fit(make(single)).partial_fit(make(single))
    assert again.cluster_centers_.dtype == np.float32


def test_without_own_share_u_is_uniform_and_labels_are_those_of_the_source():
    model = KTMEC(knowledge=KNOWN, temperature=2.0, own_share=0).fit(X)
    uniform = entropic.mixture(X, [(1.0, entropy_transfer.own_rule(SOURCE, problem(2.0, 1, 0)))])
    np.testing.assert_allclose(uniform, 1 / 3)
    nearest = np.square(X[:, None] - SOURCE[None]).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.labels_, nearest)
    np.testing.assert_array_equal(model.predict(X), nearest)
    assert len(set(nearest)) == 3
    U = oracles.source_memberships(X, SOURCE, 2.0)
    np.testing.assert_allclose(model.memberships_, U, rtol=1e-10)


def test_a_heavy_pull_keeps_the_source_centers():
    model = KTMEC(knowledge=KNOWN, temperature=1.0, transfer_weight=1e9).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, SOURCE, atol=1e-7)


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("lam", [0.5, 1.0, 10.0])
def test_the_centers_found_are_stationary(lam, eta):
    settings = {"temperature": 1.5, "tol": 0, "max_iter": 4000, "n_init": 2, "random_state": 0}
    model = KTMEC(None, KNOWN, transfer_weight=lam, own_share=eta, **settings).fit(X)
    V = model.cluster_centers_

    def value(V):
        return entropy_transfer.objective(
            entropy_transfer.state_at(Block(X), V, problem(1.5, lam, eta))
        )

    h = 1e-5
    for j in range(V.size):
        step = np.zeros(V.size)
        step[j] = h
        step = step.reshape(V.shape)
        slope = (value(V + step) - value(V - step)) / (2 * h)
        assert abs(slope) < 1e-4 * distances.scatter(X)


def test_the_printed_update_is_taken_by_name_rises_and_refuses_one():
    printed = KTMEC(None, KNOWN, 1.5, 0.5, 0.5, "as_printed", n_init=1, max_iter=20).fit(X)
    labels, trace, V = literal.fit(
        X, SOURCE, SOURCE, gamma=1.5, lam=0.5, eta=0.5, max_iter=20, sign=-1.0
    )
    np.testing.assert_allclose(printed.cluster_centers_, V, rtol=1e-8)
    np.testing.assert_allclose(printed.objective_trace_, trace, rtol=1e-9)
    np.testing.assert_array_equal(printed.labels_, labels)
    assert np.diff(trace).max() > 1
    assert (printed.n_iter_, printed.converged_) == (20, False)
    derived = KTMEC(None, KNOWN, 1.5, 0.5, 0.5, n_init=1).fit(X)
    far, near = (np.linalg.norm(m.cluster_centers_ - SOURCE) for m in (printed, derived))
    assert far > 2 * near
    with pytest.raises(InputError, match=r"transfer_weight is 1.*divides by zero.*derived"):
        KTMEC(None, KNOWN, center_update="as_printed", transfer_weight=1).fit(X)


def test_no_row_weighs_more_than_the_cluster_weights_say():
    for update, lam in (("derived", 2.0), ("as_printed", 0.7), ("as_printed", 5.0)):
        model = KTMEC(None, KNOWN, 1.0, lam, 0.5, update, n_init=1, max_iter=3).fit(X)
        B = model.memberships_
        sign = 1 if update == "derived" else -1
        coefficients = B / B.sum(axis=0) / abs(1 + sign * lam)
        assert (coefficients.max(axis=0) <= 1 / model.cluster_weights_ + 1e-12).all()
        assert (model.cluster_weights_ <= B.sum(axis=0) + 1e-9).all()


@pytest.mark.parametrize("in_blocks", [False, True])
def test_a_row_of_large_weight_does_not_pass_for_many_rows(in_blocks):
    rows = np.repeat([[0.0], [9.0]], [24, 3], axis=0)
    weight = np.repeat([1.0, 10.0], [24, 3])
    known = Knowledge(np.array([[0.0], [9.0]]), np.array([50.0, 50.0]))
    table = Blocks(rows, block_rows=5, sample_weight=weight) if in_blocks else rows
    weights = {} if in_blocks else {"sample_weight": weight}
    model = KTMEC(None, known, random_state=0).fit(table, **weights)
    np.testing.assert_allclose(model.cluster_weights_, [2.4, 3.0])
    model.partial_fit(rows)
    np.testing.assert_allclose(model.cluster_weights_, [4.8, 3.3])
    equal = KTMEC(None, known, random_state=0).fit(rows, sample_weight=np.full(27, 7.0))
    np.testing.assert_allclose(equal.cluster_weights_, [24.0, 3.0])
    with pytest.raises(InputError, match="every cluster has fewer than 10 rows"):
        Knowledge.of(model)


def test_further_starts_are_numbered_like_the_source():
    for seed in range(5):
        V, partners = entropy_transfer._start(Block(X), SOURCE, 3, 1, seed)
        D = distances.squared(SOURCE, V)
        orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        costs = [D[np.arange(3), order].sum() for order in orders]
        assert costs[0] == min(costs)
        np.testing.assert_array_equal(partners, [0, 1, 2])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_clusters_keep_the_numbers_of_the_source(order):
    centers = 4 * np.eye(3)
    rows = centers[TRUTH] + 0.3 * RANDOM.normal(size=(60, 3)) + 0.4
    for seed in range(4):
        known = Knowledge(centers[order], [20.0] * 3)
        model = KTMEC(knowledge=known, n_init=3, own_share=1.0, random_state=seed).fit(rows)
        np.testing.assert_array_equal(np.array(order)[model.labels_], TRUTH)
        np.testing.assert_array_equal(model.source_clusters_, [0, 1, 2])


@pytest.mark.parametrize("eta", [0.0, 0.5, 1.0])
def test_other_numbers_of_clusters_are_paired_or_refused(eta):
    centers = 6 * np.eye(4)
    rows = centers[np.arange(60) % 3] + 0.3 * RANDOM.normal(size=(60, 4)) + 0.2
    more = Knowledge(centers[[3, 1, 0, 2]], [20.0] * 4)
    fewer = Knowledge(centers[[2, 0]], [20.0] * 2)
    for known, partners in ((more, [2, 1, 3]), (fewer, [1, -1, 0])):
        with pytest.raises(InputError, match=r"n_clusters is 3 and the knowledge has .*match=True"):
            KTMEC(3, known).fit(rows)
        model = KTMEC(3, known, own_share=eta, temperature=1.0, match=True, random_state=1)
        model.fit(rows)
        np.testing.assert_allclose(model.memberships_.sum(axis=1), 1)
        if eta == 0 and len(known) == 2:  # a cluster without partner has neither U nor U~ then
            continue
        for c in range(3):
            truth = set(np.flatnonzero(model.labels_ == c) % 3)
            assert len(truth) == 1
            assert model.source_clusters_[c] == partners[truth.pop()]
        free = model.source_clusters_ < 0
        assert model.memberships_[:, free].max(initial=0) <= eta + 1e-12
        if free.any() and eta == 1:
            alone = rows[model.labels_ == np.flatnonzero(free)[0]].mean(axis=0)
            np.testing.assert_allclose(model.cluster_centers_[free][0], alone, atol=1e-3)


def test_a_partner_is_pulled_and_a_cluster_without_one_is_not():
    rows = np.array([[0.0], [0.2], [9.8], [10.0]])
    known = Knowledge([[2.0]], [20.0])
    model = KTMEC(2, known, 0.01, 1.0, 1.0, match=True, random_state=0).fit(rows)
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [1.05, 9.9])


def test_columns_are_matched_by_name():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    known = Knowledge(SOURCE[:, [2, 0, 1]], [20.0] * 3, ("c", "a", "b"))
    settings = {"temperature": 2.0, "random_state": 0}
    found = KTMEC(knowledge=known, **settings).fit(frame)
    expected = KTMEC(knowledge=KNOWN, **settings).fit(X)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-12)
    with pytest.raises(InputError, match=r"lacks 'c', which the knowledge is about"):
        KTMEC(knowledge=known).fit(frame.rename(columns={"c": "x"}))
    with pytest.raises(InputError, match=r"says nothing of 'd'.*exactly the columns"):
        KTMEC(knowledge=known).fit(frame.assign(d=1.0))
    with pytest.raises(InputError, match=r"X has 2 columns and the knowledge has 3"):
        KTMEC(knowledge=KNOWN).fit(X[:, :2])


def test_a_stream_of_one_batch_is_a_fit():
    fitted = KTMEC(knowledge=KNOWN, random_state=0).fit(X)
    streamed = KTMEC(knowledge=KNOWN, random_state=0).partial_fit(X)
    laws.assert_same_fit(fitted, streamed)


@pytest.mark.parametrize("eta", [0.5, 1.0])
def test_a_second_batch_minimises_j_with_earlier_memberships_held(eta):
    first, second = X[:35], X[35:]
    settings = {"temperature": 2.0, "transfer_weight": 0.5, "own_share": eta, "random_state": 0}
    model = KTMEC(knowledge=KNOWN, n_init=1, max_iter=500, tol=0, **settings).fit(first)
    B, V = model.memberships_, model.cluster_centers_
    model.partial_fit(second)
    U_source = oracles.source_memberships(second, SOURCE, 2.0)
    for sweep in range(model.n_iter_ + 1):
        U = oracles.memberships(second, V, SOURCE, 2.0, 0.5, eta)
        B2 = oracles.mixed(U, U_source, eta)
        both, rows = np.vstack([B, B2]), np.vstack([first, second])
        E = distances.squared(rows, V) + 0.5 * np.square(V - SOURCE).sum(axis=1)
        J = np.sum(both * E) + 2.0 * np.sum(U * np.log(U))
        assert model.objective_trace_[sweep] == pytest.approx(J, rel=1e-9)
        if sweep < model.n_iter_:
            mass = both.sum(axis=0)[:, None]
            V = (both.T @ rows / mass + 0.5 * SOURCE) / 1.5
    np.testing.assert_allclose(model.cluster_centers_, V, rtol=1e-8)
    np.testing.assert_allclose(model.cluster_weights_.sum(), 60)
    assert model.labels_.shape == (25,)
    assert np.diff(model.objective_trace_).max() <= 1e-9 * model.objective_trace_[0]


def test_a_stream_comes_near_the_fit_of_all_rows_and_may_forget():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(900, 2)) * 0.4 + 4 * np.eye(2)[np.arange(900) % 2]
    stream = KTMEC(2, random_state=0)
    for batch in np.split(rows, 9):
        stream.partial_fit(batch)
    whole = KTMEC(2, temperature=stream.temperature_, random_state=0).fit(rows)
    gap = np.sort(stream.cluster_centers_, axis=0) - np.sort(whole.cluster_centers_, axis=0)
    assert abs(gap).max() < 0.01
    forgetful = KTMEC(2, forgetting=0.9, random_state=0).fit(rows)
    faithful = clone(forgetful).set_params(forgetting=0).fit(rows)
    for _ in range(3):
        forgetful.partial_fit(rows + 1)
        faithful.partial_fit(rows + 1)
    shifted = whole.cluster_centers_.mean() + 1
    assert abs(forgetful.cluster_centers_.mean() - shifted) < 0.05
    assert abs(faithful.cluster_centers_.mean() - shifted) > 0.15
    assert KTMEC(2).fit(rows).partial_fit(rows[:1]).labels_.shape == (1,)


def test_blocks_change_nothing_but_rounding(monkeypatch):
    expected = KTMEC(knowledge=KNOWN, temperature=1.0, random_state=0).fit(X)
    monkeypatch.setattr("kinfolk.numerics.operators.BLOCK", 4 * 3 * 7)
    found = KTMEC(knowledge=KNOWN, temperature=1.0, random_state=0).fit(X)
    assert len(entropic._blocks(X, 3)) == 9
    laws.assert_same_fit(expected, found)
    np.testing.assert_allclose(found.memberships_, expected.memberships_, rtol=1e-10)


def test_a_change_of_units_changes_units_only():
    a = KTMEC(None, KNOWN, 2.0, random_state=0).fit(X)
    scaled = Knowledge(7 * SOURCE, [20.0] * 3)
    b = KTMEC(None, scaled, 49 * 2.0, random_state=0).fit(7 * X)
    np.testing.assert_allclose(b.memberships_, a.memberships_, atol=1e-9)
    np.testing.assert_allclose(b.objective_trace_, 49 * a.objective_trace_, rtol=1e-10)


def test_help_from_the_source_is_visible_on_few_noisy_rows():
    rng = np.random.default_rng(2)
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    gains = []
    for _ in range(10):
        rows = (centers[np.arange(15) % 3] + 0.3) + rng.normal(size=(15, 2))
        known = Knowledge(centers + 0.2 * rng.normal(size=(3, 2)), [250.0] * 3)
        alone = KTMEC(3, random_state=0).fit(rows)
        helped = KTMEC(knowledge=known, random_state=0).fit(rows)
        errors = [
            np.square(distances.squared(centers + 0.3, m.cluster_centers_).min(axis=1)).sum()
            for m in (alone, helped)
        ]
        gains.append(errors[0] - errors[1])
    assert np.mean(gains) > 0
    assert np.mean(np.array(gains) > 0) >= 0.7


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"knowledge": SOURCE}, "knowledge is an array of shape .*kf.Knowledge.load"),
        ({"own_share": 1.1}, "own_share is 1.1; give a number from 0 to 1"),
        ({"own_share": True}, "own_share is True"),
        ({"transfer_weight": -1}, "transfer_weight is -1; give a number of at least 0"),
        ({"center_update": "printed"}, "center_update is 'printed'; choose one of 'derived'"),
        ({"temperature": 0}, "temperature is 0"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_init": 0}, "n_init is 0"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"tol": -1}, "tol is -1"),
    ],
)
def test_refusals_are_one_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        KTMEC(**parameters).fit(X)
    with pytest.raises(InputError, match="forgetting is 1"):
        KTMEC(2, forgetting=1).fit(X).partial_fit(X)


@parametrize_with_checks([KTMEC(n_init=1)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


ENTRY = replace(
    METHODS["mec"],
    name="kt-mec",
    class_path=(KTMEC.__module__, "KTMEC"),
    grid={"transfer_weight": (0, 100), "own_share": (0.0, 1.0), "temperature": (0.1, 150)},
)


def knowing(name):
    """Build the method with centers of the clear groups of `laws.related`."""
    centers = np.zeros((3, 6))
    for c in range(3):
        centers[c, c % 6 :: 3] = 2.0
    preset = {"knowledge": Knowledge(centers, [20.0] * 3), "own_share": 0.7, "match": True}
    return replace(ENTRY, name=name, grid={}, preset=preset)


SIX_COLUMNS = {
    check.__name__
    for check, _ in laws.LAWS
    if check.__name__
    not in {
        "the_objective_never_rises",
        "more_starts_never_end_higher",
        "the_order_of_columns_does_not_matter",
        "no_draw_depends_on_the_order_of_columns",  # the knowledge has its own
        "a_second_fit_forgets_the_first",
        "sparse_and_dense_tables_agree",
        "rows_of_the_fit_keep_their_labels",
        "single_precision_finds_the_objective_of_double_precision",
        "the_objective_never_rises_in_single_precision",
        "labels_of_the_fit_are_those_of_the_rows_when_they_come_again",
        "rows_far_from_zero_keep_their_clusters_or_bring_a_warning",  # its knowledge stays near 0
    }
}
CASES = [
    pytest.param(check, entry, id=f"{entry.name}-{check.__name__}")
    for entry in (ENTRY, knowing("kt-mec-knowing"))
    for check, applies in laws.LAWS
    if applies(entry) and (entry is ENTRY or check.__name__ in SIX_COLUMNS)
]


@pytest.mark.parametrize(("law", "entry"), CASES)
def test_law_holds(law, entry):
    law(entry)


@pytest.mark.parametrize("table", laws.AWKWARD)
def test_awkward_tables_give_usable_answers(table):
    for check, _ in laws.TABLE_LAWS:
        check(ENTRY, table)
        rows, k = laws.AWKWARD[table]
        for scale in (0.0, 1.0):
            source = np.resize(rows[:k], (k, rows.shape[1])) * scale + scale
            preset = {"knowledge": Knowledge(source, [20.0] * k)}
            check(replace(ENTRY, name="knowing", preset=preset), table)


@pytest.mark.parametrize("lam", [0, 0.5, 2, 100])
@pytest.mark.parametrize("eta", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.filterwarnings(f"error::{DescentWarning.__module__}.DescentWarning")
def test_the_objective_never_rises_with_knowledge(lam, eta):
    rng = np.random.default_rng(3)
    for gamma in (0.1, 2.0, 150.0):
        rows = rng.normal(size=(24, 5))
        known = Knowledge(3 * rng.normal(size=(3, 5)), [20.0] * 3)
        settings = {"tol": 0.0, "max_iter": 40, "n_init": 2, "random_state": 0}
        model = KTMEC(None, known, gamma, lam, eta, **settings).fit(rows)
        laws.assert_never_rises(model)


def test_rows_of_the_fit_keep_their_labels_with_knowledge():
    order = np.random.default_rng(0).permutation(60)
    for gamma in (1e-3, 1.0, 100.0):
        for eta in (0.0, 0.5, 1.0):
            model = KTMEC(None, KNOWN, gamma, 0.5, eta, random_state=0).fit(X)
            np.testing.assert_array_equal(model.predict(X[order]), model.labels_[order])
            B = model.predict_memberships(X)
            np.testing.assert_allclose(B, model.memberships_, atol=1e-12)


def test_a_stored_model_goes_on_with_its_stream(tmp_path):
    model = PerTask(KTMEC(3, KNOWN, random_state=0)).fit(X[:40])
    save(model, tmp_path / "model")
    after = load(tmp_path / "model").estimator.estimators_[0]
    before = model.estimators_[0]
    np.testing.assert_array_equal(after._problem.source, before._problem.source)
    assert isinstance(after._problem, TransferProblem)
    assert isinstance(after._problem.held, Moments)
    again = after.partial_fit(X[40:]).cluster_centers_
    np.testing.assert_array_equal(again, before.partial_fit(X[40:]).cluster_centers_)


def test_problems_of_older_model_files_are_read():
    new = problem(2.0, 0.5, 0.3)
    old = {**new._asdict(), "held": tuple(new.held)}
    read = current_names(KTMEC, {"_given": old, "centre_update": "derived"})
    assert isinstance(read["_problem"], TransferProblem)
    assert isinstance(read["_problem"].held, Moments)
    assert read["_problem"].gamma == 2.0
    assert read["center_update"] == "derived"


def test_a_further_batch_draws_no_number_from_a_shared_generator():
    random = np.random.RandomState(0)
    model = KTMEC(knowledge=KNOWN, random_state=random).fit(X[:40])
    _, numbers, place, *_ = random.get_state()
    numbers = numbers.copy()
    model.partial_fit(X[40:])
    np.testing.assert_array_equal(random.get_state()[1], numbers)
    assert random.get_state()[2] == place  # a few draws move the place alone


def test_the_old_name_of_center_update_is_accepted():
    with pytest.warns(FutureWarning, match="'centre_update' of KTMEC is now called"):
        assert KTMEC(centre_update="as_printed").center_update == "as_printed"


@pytest.mark.parametrize("shift", [0.0, 0.5, 20.0])
def test_knowledge_that_says_less_of_the_rows_than_their_mean_is_told(shift):
    centers = np.array([X[k == TRUTH].mean(axis=0) for k in range(3)]) + shift
    nearest = sum(min(((x - v) ** 2).sum() for v in centers) for x in X)
    worse = nearest > ((X - X.mean(axis=0)) ** 2).sum()
    assert worse == (shift == 20.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KTMEC(knowledge=Knowledge(centers, [20.0] * 3), random_state=0).fit(X)
    told = [w for w in caught if issubclass(w.category, SharingWarning)]
    assert len(told) == worse
    assert all("farther from the nearest center of the knowledge" in str(w.message) for w in told)


def test_random_memberships_start_both_methods_alike_where_nothing_is_known():
    settings = {"temperature": 2.0, "init": "random", "random_state": 0, "n_init": 2}
    ours, mec = KTMEC(3, None, **settings).fit(X), MEC(3, **settings).fit(X)
    np.testing.assert_allclose(ours.objective_trace_[0], mec.objective_trace_[0], rtol=1e-9)
    np.testing.assert_array_equal(ours.labels_, mec.labels_)


def test_from_random_memberships_cluster_c_is_drawn_to_center_c():
    settings = {"temperature": 2.0, "transfer_weight": 50.0, "random_state": 0}
    model = KTMEC(None, KNOWN, init="random", **settings).fit(X)
    np.testing.assert_array_equal(model.source_clusters_, np.arange(len(KNOWN)))
    known = KTMEC(None, KNOWN, **settings).fit(X)
    assert model.objective_trace_[0] > known.objective_trace_[0]
    np.testing.assert_allclose(model.cluster_centers_, known.cluster_centers_, atol=0.05)


@pytest.mark.parametrize("far", [0.0, 5e8])
def test_rows_and_knowledge_far_from_zero_keep_their_clusters(far):
    X, _, truth = laws.related(signed=False)
    known = knowing("moved").preset["knowledge"].cluster_centers.copy()
    X[:, ::2] += far
    known[:, ::2] += far
    model = KTMEC(3, knowledge=Knowledge(known, [20.0] * 3), own_share=0.7, match=True)
    assert laws.same_clusters(model.set_params(random_state=0).fit(X).labels_, truth)


def test_knowledge_far_from_the_rows_brings_a_warning():
    X, _, _ = laws.related(signed=False)
    model = KTMEC(3, knowledge=knowing("near").preset["knowledge"], match=True, random_state=0)
    with pytest.warns(UserWarning, match="farther from the nearest center of the knowledge"):
        model.fit(X + 5e8)
