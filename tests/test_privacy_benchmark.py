"""The benchmark of privacy: its figures are those of simple cases."""

import numpy as np
import pytest
from benchmarks import privacy

import kinfolk as kf

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def blobs():
    """Make clear groups of two tasks."""
    data = kf.datasets.make_related_blobs(40, n_features=4, random_state=0)
    return data.X, data.tasks, data.target


def test_clear_groups_are_labelled_alike_without_rows(blobs):
    changed, with_rows, without = privacy.cost("joint-spectral", *blobs, seed=0)
    assert changed == 0
    assert with_rows == without == 1


def test_a_line_of_members_has_a_cell_for_each_column(blobs):
    cells = privacy.members(blobs[0], 3)
    assert cells[:2] == [f"{len(blobs[0])} x 4", "3"]
    assert len(cells) == 7
    assert all(0.4 < float(cell) < 0.7 for cell in cells[4:])


def test_transfers_are_between_ordered_pairs_and_rounding_keeps_clear_groups(blobs):
    found = privacy.transfers(*blobs)
    assert {len(scores) for scores in found.values()} == {2}
    np.testing.assert_array_equal(found["not rounded"], found["1/30 of the error"])


def test_standard_rows_have_mean_0_and_deviation_1_and_constants_are_0():
    X = np.column_stack([np.arange(4.0), np.full(4, 7.0)])
    Z, center, spread = privacy.standard(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0)
    np.testing.assert_allclose(Z.std(axis=0), [1, 0])
    np.testing.assert_array_equal(center, [1.5, 7.0])
    assert spread[1] == 0


def test_accuracy_is_the_mean_over_tasks():
    truth = np.array([0, 1, 0, 1])
    labels = np.array([1, 0, 0, 0])
    assert privacy.by_task(truth, labels, np.array(["a", "a", "b", "b"])) == 0.75


def test_tables_are_printed_as_markdown(capsys):
    privacy.main(["members", "--only", "penguins"])
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0].startswith("| set | rows x columns | k | AUC")
    assert [line.split("|")[3].strip() for line in lines[2:]] == ["3", "9"]
