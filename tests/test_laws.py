import importlib
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from kinfolk.catalogue import METHODS

pytest.register_assert_rewrite("laws")
laws = importlib.import_module("laws")

TIES = "entries equal to eps_t are compared with it to the last bit, which rounding decides"
NUMBERED = "a data frame is asked for its columns by name, which fails where names are numbers"
KNOWN = {
    ("mtcfir", "the_order_and_the_names_of_tasks_do_not_matter"): TIES,
    ("mtcfir", "tasks_may_be_given_in_many_forms"): TIES,
    ("mtcfir", "sparse_and_dense_tables_agree"): TIES,
    **{(name, "data_frames_may_number_their_columns"): NUMBERED for name in METHODS},
}
"""Laws that a method is known to break, and why."""


def case(entry, check):
    reason = KNOWN.get((entry.name, check.__name__))
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
    return pytest.param(check, entry, id=f"{entry.name}-{check.__name__}", marks=marks)


CASES = [
    case(entry, check)
    for entry in METHODS.values()
    for check, applies in laws.LAWS
    if applies(entry)
]
TABLES = [
    pytest.param(check, entry, table, id=f"{entry.name}-{table}")
    for entry in METHODS.values()
    for check, applies in laws.TABLE_LAWS
    if applies(entry)
    for table in laws.AWKWARD
]


@pytest.mark.parametrize(("law", "entry"), CASES)
def test_law_holds(law, entry):
    law(entry)


@pytest.mark.parametrize(("law", "entry", "table"), TABLES)
def test_law_holds_for_awkward_table(law, entry, table):
    with warnings.catch_warnings():
        if entry.name in {"per-task", "pooled"}:  # k-means tells of clusters that it did not find
            warnings.simplefilter("ignore", ConvergenceWarning)
        law(entry, table)
