import pytest

from kinfolk.papers.store import Store


@pytest.fixture
def path(tmp_path):
    """Fixture: the file of `store`."""
    return tmp_path / "runs.sqlite"


@pytest.fixture
def store(path):
    """Fixture: an empty store."""
    with Store(path) as opened:
        yield opened
