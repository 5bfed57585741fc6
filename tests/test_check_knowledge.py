"""Membership tests against loops, and sentences on what should not leave."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge, check_knowledge, membership

RANDOM = np.random.default_rng(0)


def groups(n=80, d=5, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) + 8 * np.eye(d)[np.arange(n) % 2]


def of(X, k=2, **more):
    return Knowledge.of(KMeans(k, n_init=2, random_state=0).fit(X), **more)


@pytest.mark.parametrize("ties", [False, True])
def test_the_area_and_its_error_are_those_of_loops(ties):
    a = RANDOM.normal(0.5, size=30)
    b = RANDOM.normal(size=20)
    if ties:
        a, b = a.round(), b.round()
    wins = np.array([[(x > y) + (x == y) / 2 for y in b] for x in a])
    area, error = membership.area(a, b)
    assert area == pytest.approx(wins.mean())
    by_a = np.var(wins.mean(axis=1), ddof=1) / len(a)
    by_b = np.var(wins.mean(axis=0), ddof=1) / len(b)
    assert error == pytest.approx(np.sqrt(by_a + by_b))


def test_the_likelihood_ratio_is_that_of_two_normal_densities():
    others = groups(40, 3, 1)
    others[:, 2] = 7.0  # a column that does not vary tells nothing
    known = Knowledge([[8.1, 0.2, 7.0], [0.1, 7.8, 7.0]], [20.0, 12.0])
    X = groups(6, 3, 2)
    V = known.cluster_centers

    def near(x):
        return min(range(2), key=lambda c: np.sum((x - V[c]) ** 2))

    own = [np.array([x for x in others if near(x) == c]) for c in range(2)]
    means = [rows.mean(axis=0) for rows in own]
    left = sum(((rows - mean) ** 2).sum(axis=0) for rows, mean in zip(own, means, strict=True))
    spread = left / (len(others) - 2)

    def density(v, mean, variance):
        return sum(-((v[j] - mean[j]) ** 2) / (2 * variance[j]) for j in range(2))

    expected = []
    for x in X:
        c = near(x)
        n = known.cluster_weights[c]
        variance = spread * (1 / n + 1 / len(own[c]))
        inside = density(V[c], means[c] + (x - means[c]) / n, variance)
        expected.append(inside - density(V[c], means[c], variance))
    np.testing.assert_allclose(membership.likelihood_ratios(X, known, others), expected)


def test_a_center_without_rows_of_the_attacker_tells_only_of_itself():
    known = Knowledge([[0.0], [100.0]], [10.0, 10.0])
    ratios = membership.likelihood_ratios(
        np.array([[100.0], [101.0]]), known, RANDOM.random((9, 1))
    )
    assert np.isfinite(ratios).all()
    assert ratios[0] > ratios[1]  # the center itself is the likeliest row behind it


def test_few_rows_of_many_columns_are_recognized_and_many_of_few_are_not():
    wide = RANDOM.normal(size=(80, 600))
    told = membership.of_halves(of(wide), wide)
    assert told.auc > 0.9
    assert told.low > 0.8
    assert told.found > 0.5
    tall = groups(2000, 2)
    hidden = membership.of_halves(of(tall), tall)
    assert hidden.low < 0.5 < hidden.high
    assert hidden.auc < 0.55


def test_other_rows_of_the_same_kind_score_no_better_than_each_other():
    X = groups(900, 30)
    known = of(X[:300])
    for attack in membership.attacked(X[300:500], X[500:700], known, X[700:]):
        assert attack.low < 0.5 < attack.high


def test_the_same_file_and_rows_give_the_same_answer():
    X = groups()
    assert check_knowledge(of(X), X) == check_knowledge(of(X), X)


def test_more_clusters_tell_more():
    X = np.random.default_rng(3).normal(size=(240, 10))
    few = membership.of_halves(of(X, 2), X).auc
    many = membership.of_halves(of(X, 24, minimum_cluster_size=2), X).auc
    assert many > few + 0.05


def test_rounding_to_a_single_digit_tells_no_more():
    X = np.random.default_rng(3).normal(size=(120, 20))
    known = of(X, 4)
    assert membership.of_halves(known, X, digits=1).auc <= membership.of_halves(known, X).auc + 0.02


def test_rows_are_scaled_as_the_centers_are():
    X = groups(100, 4)
    center, spread = X.mean(axis=0), X.std(axis=0)
    Z = (X - center) / spread
    scaled = of(Z, scaling="standard", center=center, spread=spread)
    assert check_knowledge(scaled, X).membership == membership.of_halves(scaled, Z)


def test_the_path_of_a_file_is_no_knowledge():
    with pytest.raises(InputError, match=r"known is 'k.safetensors', .* kf.Knowledge.load\(path\)"):
        check_knowledge("k.safetensors")


def test_too_few_rows_and_other_columns_are_refused():
    known = of(groups())
    with pytest.raises(InputError, match="39 rows are too few to test for members; give 40"):
        check_knowledge(known, groups()[:39])
    with pytest.raises(InputError, match="give rows with the 5 columns"):
        check_knowledge(known, groups(80, 6))
    many = Knowledge(groups(21), np.full(21, 10.0))
    with pytest.raises(InputError, match="21 clusters need at least 42 rows; there are 41"):
        check_knowledge(many, groups(41))
    assert check_knowledge(many, groups(42)).membership is not None


def knowledge(weights=(30.0, 40.0), names=("age", "mass"), V=((1.5, 2.0), (4.0, 8.0)), **more):
    return Knowledge(V, weights, names, **more)


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (knowledge(weights=(1.0, 40.0), minimum_cluster_size=1), "A center rests on one row: it"),
        (knowledge(weights=(4.0, 40.0), minimum_cluster_size=4), "A center rests on 4 rows, of wh"),
        (knowledge(V=[[1 / 3, 2.0], [4.0, 8.0]]), "more digits than the rows behind them support"),
        (knowledge(names=("patient_id", "mass")), r"named single persons \('patient_id'\): leave"),
        (knowledge(names=("E-Mail", "mass")), "named single persons"),
        (knowledge(names=("PatientID", "mass")), r"named single persons \('PatientID'\)"),
        (knowledge(names=("IDCard", "mass")), "named single persons"),
        (
            knowledge(names=("grey", "meier"), V=[[0.5, 0.0], [0.25, 0.1]]),
            "1 column stands for fewer than",
        ),
    ],
)
def test_what_should_not_leave_is_told(known, sentence):
    (said,) = check_knowledge(known).warnings
    assert re.search(sentence, said)


@pytest.mark.parametrize("name", ["width", "idle_time", "notes", "nova", "identity", "GRID"])
def test_ordinary_names_are_no_reason_to_warn(name):
    known = knowledge(names=(name, "mass"))
    assert not check_knowledge(known).warnings
    assert str(check_knowledge(known)) == (
        "Sizes, digits and names of columns tell of no single row."
    )


def test_sparse_rows_are_tested_as_dense_ones_and_gaps_are_told():
    random = np.random.default_rng(0)
    X = random.poisson(1.0, size=(60, 5)) + 9.0 * np.eye(5)[np.arange(60) % 2]
    known = Knowledge.of(KMeans(2, n_init=1, random_state=0).fit(X)).rounded(np.int64(3))
    assert known.rounding.endswith("at most 3 digits")
    assert check_knowledge(known, sp.csr_array(X)) == check_knowledge(known, X)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="rows has entries that are NaN or infinite"):
        check_knowledge(known, X)
    with pytest.raises(InputError, match="X holds text, for example .many."):
        check_knowledge(known, [["many"] * 5] * 60)


def test_scaled_columns_are_no_counts_of_words():
    known = knowledge(V=[[0.5, 0.0], [0.25, 0.1]], scaling="unit")
    assert not check_knowledge(known).warnings


def test_advice_comes_with_the_figure_for_half_as_many_clusters():
    X = np.random.default_rng(3).normal(size=(240, 30))
    found = check_knowledge(of(X, 24, minimum_cluster_size=2).rounded(), X)
    assert found.membership.low > 0.55
    assert f"help: with half as many {100 * found.fewer.auc:.0f} of 100." in str(found)


def test_advice_that_does_not_help_is_not_given():
    X = np.random.default_rng(0).normal(size=(60, 100))
    found = check_knowledge(of(X).rounded(), X)
    assert found.fewer.auc > found.membership.auc
    assert str(found).endswith("More rows help; fewer clusters or digits hardly.")
