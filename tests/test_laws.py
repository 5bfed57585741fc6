import pytest

import laws
from kinfolk.catalogue import METHODS

ENTRIES = [entry for entry in METHODS.values() if entry.relation.name != "tasks with labels"]
CASES = [
    pytest.param(check, entry, id=f"{entry.name}-{check.__name__}")
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

pytestmark = [
    pytest.mark.usefixtures("short_sweeps"),
    pytest.mark.filterwarnings("ignore::kinfolk.errors.SingleColumnWarning"),  # of small tables
]


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # of scikit-learn's k-means
@pytest.mark.parametrize(("law", "entry"), CASES)
def test_law_holds(law, entry):
    law(entry)


@pytest.mark.parametrize(("law", "entry", "table"), TABLES)
def test_law_holds_for_awkward_table(law, entry, table):
    law(entry, table)
