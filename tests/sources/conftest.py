import pytest

from kinfolk import sources


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


@pytest.fixture
def assert_refused(put):
    """Fixture: function that reads a file and asserts that one sentence refuses it."""

    def read(name, content, options, error, sentence):
        with pytest.raises(error, match=sentence) as caught:
            sources.read(put(**{name: content}), **options)
        assert "\n" not in str(caught.value)

    return read
