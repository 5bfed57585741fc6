import pytest

import laws
from kinfolk.catalogue import METHODS

ENTRIES = [entry for entry in METHODS.values() if entry.relation.name != "tasks with labels"]
LABELS_DIFFER = {
    "cf": "labels are those of unfinished memberships",
    "lccf": "labels are those of unfinished memberships",
}
"""Methods whose labels are not yet those that `predict` gives the rows of the fit, and why."""


def marks(check, entry):
    """A method that is known to break the law of labels must break it."""
    reason = LABELS_DIFFER.get(entry.name, "")
    known = check is laws.labels_of_the_fit_are_those_of_the_rows_when_they_come_again and reason
    return [pytest.mark.xfail(reason=reason, strict=True)] if known else []


CASES = [
    pytest.param(check, entry, id=f"{entry.name}-{check.__name__}", marks=marks(check, entry))
    for entry in ENTRIES
    for check, applies in laws.LAWS
    if applies(entry)
]
TABLES = [
    pytest.param(check, entry, table, id=f"{entry.name}-{table}")
    for entry in ENTRIES
    for check, applies in laws.TABLE_LAWS
    if applies(entry)
    for table in laws.AWKWARD
]

pytestmark = pytest.mark.usefixtures("few_null_tables")  # no law is about the level of chance


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # of scikit-learn's k-means
@pytest.mark.parametrize(("law", "entry"), CASES)
def test_law_holds(law, entry):
    law(entry)


@pytest.mark.parametrize(("law", "entry", "table"), TABLES)
def test_law_holds_for_awkward_table(law, entry, table):
    law(entry, table)
