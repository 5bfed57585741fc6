import re

import numpy as np
import pytest

from kinfolk.report import cluster_relatedness
from kinfolk.report.content import read


def test_every_pair_has_what_the_model_gave_it_in_even_shares(fit_study):
    study = fit_study("several tasks")
    found = cluster_relatedness.pairs(read(study))
    assert len(found) == 9
    for pair in found:
        block = study.model.cluster_relatedness_[pair.one.task, pair.other.task]
        even = 1 / (3 * 3)
        assert pair.times == pytest.approx(block[pair.one.number, pair.other.number] / even)
    assert np.mean([pair.times for pair in found]) == pytest.approx(1)
    assert [p.times for p in found] == sorted((p.times for p in found), reverse=True)


def test_the_matrix_is_symmetric_and_free_within_a_task(fit_study):
    study = fit_study("several tasks")
    G = cluster_relatedness.matrix(read(study))
    owners = np.array([cluster.task for cluster in read(study).clusters])
    np.testing.assert_array_equal(np.isnan(G), owners[:, None] == owners[None, :])
    np.testing.assert_array_equal(G, G.T)


def test_the_strongest_pair_is_named_first_by_its_kinds(fit_study):
    study = fit_study("several tasks")
    first = cluster_relatedness.pairs(read(study))[0]
    sentence, agreement = cluster_relatedness.sentences(read(study))
    assert sentence.startswith(
        f"Most closely related: kind {first.one.group} of {first.one.task} with "
        f"kind {first.other.group} of {first.other.task} ({first.times:.1f} times an even share)"
    )
    assert agreement.startswith("In ")


def test_the_agreement_with_the_match_is_counted(fit_study):
    study = fit_study("several tasks")
    a, b = study.model.task_names_
    kinds = {(c.task, c.number): c.group for c in read(study).clusters}
    agree = 0
    cases = 0
    for here, there in ((a, b), (b, a)):
        block = study.model.cluster_relatedness_[here, there]
        for c in range(3):
            # The tasks share two of three groups, and the third has no kind in common.
            cases += kinds[here, c] in [kinds[there, e] for e in range(3)]
            agree += kinds[here, c] == kinds[there, int(np.argmax(block[c]))]
    assert f"In {agree} of {cases} cases" in cluster_relatedness.sentences(read(study))[1]


def test_even_shares_are_called_equal(fit_study):
    (sentence,) = cluster_relatedness.sentences(read(fit_study("several tasks", evenness=1e6)))
    assert sentence.startswith("All clusters are related about equally")


def test_the_picture_writes_every_pair_once_and_every_kind(fit_study):
    study = fit_study("several tasks")
    picture = cluster_relatedness.picture(read(study))
    written = re.findall(r"<text[^>]*>([^<]+)</text>", picture)
    times = [f"{pair.times:.1f}" for pair in cluster_relatedness.pairs(read(study))]
    kinds = [str(c.group) for c in read(study).clusters]
    assert sorted(written) == sorted([*times, *kinds, "task-0", "task-1"])


def test_a_method_that_learns_no_relatedness_has_neither_sentence_nor_picture(make_study):
    study = make_study()
    assert cluster_relatedness.matrix(read(study)) is None
    assert cluster_relatedness.pairs(read(study)) == []
    assert cluster_relatedness.sentences(read(study)) == []
    assert cluster_relatedness.picture(read(study)) == ""


def test_every_picture_of_three_tasks_shows_each_pair_once(make_study):
    study = make_study()
    sizes = dict(zip(study.model.task_names_, (3, 3, 4), strict=True))
    rng = np.random.default_rng(0)
    blocks = {}
    for task in sizes:
        for other in sizes:
            if task != other and (other, task) not in blocks:
                shares = rng.dirichlet(np.ones(sizes[task] * sizes[other]))
                blocks[task, other] = shares.reshape(sizes[task], sizes[other])
    both = {**blocks, **{(b, a): block.T for (a, b), block in blocks.items()}}
    study.model.cluster_relatedness_ = both
    page = read(study)
    found = cluster_relatedness.pairs(page)
    assert len(found) == 3 * 3 + 3 * 4 + 3 * 4
    written = re.findall(r"<text[^>]*>(\d+\.\d)</text>", cluster_relatedness.picture(page))
    assert sorted(written) == sorted(f"{pair.times:.1f}" for pair in found)
    G = cluster_relatedness.matrix(page)
    for task in sizes:
        for other in sizes:
            mine = [c.task == task for c in page.clusters]
            theirs = [c.task == other for c in page.clusters]
            block = G[np.ix_(mine, theirs)]
            assert np.isnan(block).all() if task == other else block.mean() == pytest.approx(1)


def test_many_clusters_are_shaded_without_numbers(fit_study, monkeypatch):
    monkeypatch.setattr(cluster_relatedness, "_MOST_WRITTEN", 2)
    picture = cluster_relatedness.picture(read(fit_study("several tasks")))
    assert re.findall(r"<text[^>]*>(\d+\.\d)</text>", picture) == []


def test_three_pairs_at_most_are_named(fit_study):
    page = read(fit_study("several tasks"))
    sentence = cluster_relatedness.sentences(page)[0]
    named = sum(pair.times >= 1.2 for pair in cluster_relatedness.pairs(page))
    assert sentence.count("times an even share") == min(3, named)
