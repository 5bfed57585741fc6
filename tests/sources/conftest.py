import pytest


@pytest.fixture
def put(tmp_path):
    """Fixture: function that writes files (name=content) and returns their paths."""

    def write(**contents):
        paths = []
        for name, content in contents.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            paths.append(path)
        return paths

    return write
