"""`datasets.fetch` gets a published archive by its checksum, once; the server is this machine."""

import hashlib
import io
import re
import sys
import tarfile
import threading
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler

import pooch
import pytest
import requests

from kinfolk import datasets
from kinfolk.datasets import fetching, registry
from kinfolk.errors import FileFormatError, InputError, MissingDataError, MissingExtraError

INFO = datasets.AVAILABLE["20newsgroups"]


class Quiet(SimpleHTTPRequestHandler):
    """HTTP handler that counts requests and prints nothing."""

    asked = 0

    def do_GET(self):
        type(self).asked += 1
        super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def published(tmp_path):
    """Fixture: an archive served from this machine; returns its address and checksum."""
    site = tmp_path / "site"
    site.mkdir()
    text = b"From: me\n\nhello\n"
    with tarfile.open(site / "news.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("20news-bydate-test/sci.space/1")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    Quiet.asked = 0
    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    sha256 = hashlib.sha256((site / "news.tar.gz").read_bytes()).hexdigest()
    yield {"url": f"http://127.0.0.1:{server.server_port}/news.tar.gz", "sha256": sha256}
    server.shutdown()
    server.server_close()


def collection(download):
    downloads = {"20news-bydate.tar.gz": download}
    return registry.Collection("http://home.example", "CC0.", {}, downloads)


def test_an_archive_is_fetched_once_and_unpacked_where_the_loader_looks(published, tmp_path):
    home = tmp_path / "data"
    found = fetching.fetch_files(INFO, collection(published), home)
    message = home / "20news-bydate" / "20news-bydate-test" / "sci.space" / "1"
    assert found == [message]
    assert message.read_text().endswith("hello\n")
    again = fetching.fetch_files(INFO, collection(published), home)
    assert again == found
    assert Quiet.asked == 1


def test_another_file_than_the_published_one_is_refused(published, tmp_path):
    wrong = {**published, "sha256": "0" * 64}
    with pytest.raises(FileFormatError, match="not the file that was published"):
        fetching.fetch_files(INFO, collection(wrong), tmp_path / "data")
    assert not list((tmp_path / "data").rglob("*sci.space*"))


def test_an_address_that_does_not_answer_is_named(published, tmp_path):
    gone = {**published, "url": published["url"].replace("news.tar.gz", "gone.tar.gz")}
    place = re.escape(str(tmp_path / "data" / "20news-bydate.tar.gz"))
    said = rf"gone\.tar\.gz could not be fetched: .* status 404\. .* put it there as {place}, and"
    # The error is not kept: it holds a connection that would be closed late.
    with pytest.raises(MissingDataError, match=said):
        fetching.fetch_files(INFO, collection(gone), tmp_path / "data")


def test_without_a_network_the_sentence_says_so_and_nothing_of_libraries(tmp_path, monkeypatch):
    def away(*_, **__):
        raise requests.ConnectionError("HTTPSConnectionPool(host='nowhere.invalid', port=443): Max")

    monkeypatch.setattr(pooch, "retrieve", away)
    gone = {"url": "https://nowhere.invalid/news.tar.gz", "sha256": "0" * 64}
    with pytest.raises(MissingDataError) as caught:
        fetching.fetch_files(INFO, collection(gone), tmp_path / "data")
    assert "fetched: there is no connection to nowhere.invalid. Try" in str(caught.value)
    assert "HTTPSConnectionPool" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("penguins", "comes with the package"),
        ("olive", "comes with the package"),
        ("webkb4", r"get it from http://www\.cs\.cmu\.edu"),
        ("penguin", "did you mean 'penguins'"),
    ],
)
def test_what_cannot_be_fetched_is_said_with_what_to_do(name, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        datasets.fetch(name, tmp_path)


def test_without_pooch_the_extra_is_named(published, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=r"\[data\]"):
        fetching.fetch_files(INFO, collection(published), tmp_path)


def test_every_download_has_an_address_and_a_checksum():
    downloads = [d for c in registry.COLLECTIONS.values() for d in c.downloads.values()]
    assert downloads
    for download in downloads:
        assert download["url"].startswith("https://")
        assert len(bytes.fromhex(download["sha256"])) == 32


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("olive", "670ce83b75c03060fe7f082159190d5e5d2eb5fc9728301bb01cb1d9de9ce25f"),
        ("vowel", "afb9b466c54767b4014c4b21065f3d7a1c857afba60cd1e39ef2e0788e838fb5"),
    ],
)
def test_embedded_tables_are_those_that_were_published(name, sha256):
    from importlib import resources

    raw = resources.files("kinfolk.datasets").joinpath(f"{name}.csv").read_bytes()
    assert hashlib.sha256(raw).hexdigest() == sha256
    assert len(datasets.load(name)) in {572, 990}
