import time
from collections import Counter

import pytest

from kinfolk.datasets import jsonlines, webkb
from kinfolk.errors import FileFormatError, MissingDataError

HEADER = "Date: Mon, 02 Dec 1996\nServer: NCSA/1.4.2\nContent-type: text/html\n\n"


def counted(data):
    return Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))


EXPECTED = {(t, c): n for t, classes in webkb.COUNTS.items() for c, n in classes.items()}


def store(folder, university, label, url, page):
    """Write a page as in the official archive, unpacked on Windows."""
    place = folder / "webkb" / label / university
    place.mkdir(parents=True, exist_ok=True)
    name = url.replace("/", "^").replace(":", "\uf03a")
    (place / name).write_bytes(page.encode("latin-1"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Fixture: an archive of pages with three words each, and pages not of WebKB4."""
    folder = tmp_path_factory.mktemp("data")
    for (university, label), n in EXPECTED.items():
        for i in range(n):
            url = f"http://cs.{university}.edu/{label}/{i:03d}.html"
            store(folder, university, label, url, f"{HEADER}<html>caf\xe9 {label} {i}</html>")
    store(folder, "misc", "course", "http://elsewhere.edu/", "another university")
    store(folder, "texas", "other", "http://cs.texas.edu/", "another class")
    return folder


def test_archive_layout_gives_all_rows(archive):
    data = webkb.load_webkb4(archive)
    assert counted(data) == EXPECTED
    assert len(data) == len(data.texts) == 1041
    assert data.task_names == ["cornell", "texas", "washington", "wisconsin"]
    assert data.row_ids[0] == "http://cs.cornell.edu/course/000.html"
    assert data.texts[0] == "caf\xe9 course 0"


def test_archive_folder_itself_may_be_named(archive):
    inside = webkb.load_webkb4(archive / "webkb")
    assert inside.texts == webkb.load_webkb4(archive).texts


def test_an_incomplete_archive_gives_a_sentence(tmp_path):
    store(tmp_path, "cornell", "course", "http://cs.cornell.edu/1", "one page")
    sentence = (
        "holds 1 of the 1041 documents of webkb4: class course of cornell has 1 instead of 44"
    )
    with pytest.raises(FileFormatError, match=sentence):
        webkb.load_webkb4(tmp_path)


def test_a_changed_list_of_pages_is_refused(tmp_path):
    (tmp_path / "webkb_raw.jsonl.gz").write_bytes(b"something else")
    with pytest.raises(FileFormatError, match="54889eafa811 is expected"):
        webkb.load_webkb4(tmp_path)


def test_an_empty_directory_gives_a_sentence(tmp_path):
    with pytest.raises(MissingDataError, match="webkb4 was not found .*text/webkb_raw.jsonl.gz"):
        webkb.load_webkb4(tmp_path)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (HEADER + "Welcome", "Welcome"),
        (HEADER.replace("\n", "\r\n") + "Welcome", "Welcome"),
        ("Server: NCSA\ncut off\n: text/html\n \n\nWelcome", "Welcome"),
        ("WWW Alert: moved\n" + HEADER + "Welcome\n\nagain", "Welcome again"),
        ("<b>no</b> header: here\n\nand on", "no header: here and on"),
        ("a<!-- hidden <b>x</b> -->b <!--c--!>d", "a b d"),
        ("a <!-- never closed <b>text</b>", "a !-- never closed text"),
        ("a <!-- one <!-- two --> b", "a !-- one b"),
        ("<SCRIPT src='x'>if (a < b) run()</Script>seen", "seen"),
        ("<style>h1 {}</style >seen<script>never closed", "seen never closed"),
        ("<!WA0><!WA1><a href='x'>link</a><br/>next", "link next"),
        ("<a href='unclosed text <b>bold</b>", "a href='unclosed text bold"),
        ("last <a href='unclosed text", "last a href='unclosed text"),
        ("1 < 2 &lt; 3 &amp;&nbsp; caf&eacute;\n\t.", "1 2 < 3 & caf\xe9 ."),
        ("", ""),
    ],
)
def test_cleaning_keeps_what_a_reader_sees(page, words):
    assert webkb.visible_text(page) == words


@pytest.mark.parametrize(
    "soup", ["<!--", "<script>", "<", "<a ", "--><!--", "a:\n", "a: \n b\n", "<script></script "]
)
def test_cleaning_takes_no_more_than_linear_time_on_tag_soup(soup):
    begin = time.process_time()
    webkb.visible_text(soup * 100_000)
    assert time.process_time() - begin < 3


def test_real_pages_have_the_usual_counts_and_no_markup(real):
    pages = real("webkb4")
    assert counted(pages) == EXPECTED
    assert len(set(zip(pages.tasks, pages.row_ids, strict=True))) == 1041
    for text in pages.texts:
        assert "<html" not in text.lower()
        assert "content-type:" not in text[:500].lower()
        assert not text.startswith(("MIME-Version", "Server:", "Date:"))
    assert min(map(len, pages.texts)) > 0


def test_real_pages_are_the_same_in_both_layouts(data, real, tmp_path):
    source = webkb.WEBKB.locate(webkb.FILE, "webkb4", data)
    for page in jsonlines.records(source, webkb._FIELDS):
        if (page["university"], page["label"]) not in EXPECTED:
            continue
        store(tmp_path, page["university"], page["label"], page["url"], page["text"])
    listed = real("webkb4")
    archived = webkb.load_webkb4(tmp_path)
    assert listed.texts == archived.texts
    assert listed.row_ids.tolist() == archived.row_ids.tolist()
    assert listed.tasks.tolist() == archived.tasks.tolist()
    assert listed.target.tolist() == archived.target.tolist()


def page(university, label, number, text=""):
    url = f"http://cs.{university}.edu/{label}/{number}"
    return {"university": university, "label": label, "url": url, "text": text}


@pytest.fixture
def two_universities(packed_lines, monkeypatch, tmp_path):
    """Fixture: a JSON Lines file of three pages to load and two to leave out."""
    records = [
        page("texas", "course", 2, f"{HEADER}<h1>Logic &amp; Sets</h1>"),
        page("texas", "course", 1, "plain"),
        page("cornell", "student", 1, "<b>Ann</b>"),
        page("misc", "course", 1),
        page("texas", "department", 1),
    ]
    monkeypatch.setattr(webkb, "WEBKB", packed_lines(webkb.FILE, records))
    monkeypatch.setattr(webkb, "COUNTS", {"cornell": {"student": 1}, "texas": {"course": 2}})
    return tmp_path


def test_packed_pages_come_cleaned_by_university_class_and_address(two_universities):
    data = webkb.load_webkb4(two_universities)
    assert data.texts == ("Ann", "plain", "Logic & Sets")
    assert data.tasks.tolist() == ["cornell", "texas", "texas"]
    assert data.target.tolist() == ["student", "course", "course"]
    assert data.row_ids[2] == "http://cs.texas.edu/course/2"
    assert data.origin.endswith("Carnegie Mellon University, http://example.org. Free.")


def test_the_packed_file_comes_before_an_unpacked_archive(two_universities):
    store(two_universities, "cornell", "course", "http://cs.cornell.edu/1", "another page")
    assert len(webkb.load_webkb4(two_universities)) == 3


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("text", None, "line 1: the field 'text' must hold str, it holds NoneType"),
        ("label", 3, "line 1: the field 'label' must hold str, it holds int"),
    ],
)
def test_a_record_of_another_kind_is_named(
    field, value, sentence, packed_lines, monkeypatch, tmp_path
):
    records = [{**page("texas", "course", 1), field: value}]
    monkeypatch.setattr(webkb, "WEBKB", packed_lines(webkb.FILE, records))
    with pytest.raises(FileFormatError, match=sentence):
        webkb.load_webkb4(tmp_path)
