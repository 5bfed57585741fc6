"""The plot of matched clusters: blocks as tall as shares of rows, and bands between them."""

import re

import numpy as np
import pytest
from tests.report import studies

from kinfolk.report import alluvial
from kinfolk.report.content import read


def test_blocks_of_a_column_are_as_tall_as_their_shares_of_rows(make_study):
    page = read(make_study())
    blocks = alluvial._stacked(alluvial.of_page(page))
    for x, task in enumerate(page.tasks):
        column = [block for block in blocks if block.x == x]
        sizes = np.array([block.cluster.size for block in column])
        tall = np.array([block.high - block.low for block in column])
        np.testing.assert_allclose(tall / tall.sum(), sizes / len(page.rows[task]))
        assert column[0].low == 0
        assert column[-1].high == pytest.approx(1)
        gaps = [low.low - up.high for up, low in zip(column[:-1], column[1:], strict=True)]
        np.testing.assert_allclose(gaps, alluvial._GAP)


def test_blocks_stand_in_the_order_of_their_groups(make_study):
    blocks = alluvial._stacked(alluvial.of_page(read(make_study())))
    for x in range(3):
        groups = [block.cluster.group for block in blocks if block.x == x]
        assert groups == sorted(groups)


def test_each_block_knows_its_place_in_the_model(make_study):
    page = read(make_study())
    for block in alluvial._stacked(alluvial.of_page(page)):
        assert page.clusters[block.place] is block.cluster


def test_bands_join_blocks_of_one_group_in_the_next_column_that_has_it(make_study):
    page = read(make_study())
    joined = alluvial._joined(alluvial._stacked(alluvial.of_page(page)))
    found = {(a.cluster.group, a.x, b.x) for a, b in joined}
    # Groups by task are {0, 1, 2}, {0, 1, 3} and {0, 1, 2, 4}: group 2 skips the second column.
    assert found == {(0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 1, 2), (2, 0, 2)}


def test_the_picture_writes_every_group_size_and_adjacent_strength(make_study):
    study = make_study()
    page = read(study)
    written = re.findall(r">([^<>]+)</text>", alluvial.picture(page))
    for cluster in page.clusters:
        assert str(cluster.group) in written
        assert f"{cluster.size:,}" in written
    links = study.model.cluster_links_
    for left, right in alluvial._joined(alluvial._stacked(alluvial.of_page(page))):
        text = f"{links[left.place, right.place]:.2f}"
        assert (text in written) == (right.x == left.x + 1)


def test_tasks_stand_above_their_columns_with_their_rows(make_study):
    page = read(make_study())
    picture = alluvial.picture(page)
    for task in page.tasks:
        assert f">{task}</" in picture
        assert f">{len(page.rows[task]):,} rows</" in picture


def test_a_single_task_has_blocks_and_no_bands():
    page = read(studies.fitted("several views"))
    blocks = alluvial._stacked(alluvial.of_page(page))
    assert len(blocks) == 3
    assert alluvial._joined(blocks) == []
    assert alluvial.picture(page).startswith("<svg")


def test_an_empty_cluster_has_a_block_without_height(make_study):
    study = make_study()
    study.model.labels_ = np.where(study.model.labels_ == 2, 0, study.model.labels_)
    blocks = alluvial._stacked(alluvial.of_page(read(study)))
    flat = [block for block in blocks if block.cluster.size == 0]
    assert len(flat) == 3
    assert all(block.low == block.high for block in flat)
