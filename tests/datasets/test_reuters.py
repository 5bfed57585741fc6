from collections import Counter
from itertools import count

import pytest

from kinfolk.datasets import jsonlines, reuters
from kinfolk.errors import FileFormatError, MissingDataError

EXPECTED = {(t, c): n for t, classes in reuters.COUNTS.items() for c, n in classes.items()}


def story(number, topics, title, body, split="TRAIN", used="YES"):
    """Format one story as in the distribution; without BODY element if body is None."""
    marks = "".join(f"<D>{topic}</D>" for topic in topics)
    body = "Blah" if body is None else f"<BODY>{body}\n Reuter\n&#3;</BODY>"
    return (
        f'<REUTERS TOPICS="{used}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="9" '
        f'NEWID="{number}">\n<DATE>26-FEB-1987 15:01:01.79</DATE>\n<TOPICS>{marks}</TOPICS>\n'
        "<PLACES><D>usa</D></PLACES>\n<UNKNOWN> \n&#5;&#5;&#5;C\n&#22;f0704&#31;reute\n</UNKNOWN>\n"
        f"<TEXT>&#2;\n<TITLE>{title}</TITLE>\n<DATELINE>    PARIS, Feb 26 - </DATELINE>"
        f"{body}</TEXT>\n</REUTERS>\n"
    )


def store(folder, name, stories):
    folder.mkdir(exist_ok=True)
    text = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(stories)
    (folder / name).write_bytes(text.encode("latin-1"))


@pytest.fixture
def stories():
    """Make stories to keep, in two files, and one for each reason to leave one out."""
    numbers = count(1)
    taken = [
        story(next(numbers), [topic], f"ON {topic} &lt;X>", "R&amp;D\n  in Bogot\xe1", split)
        for (_, topic), n in EXPECTED.items()
        for split, _ in zip(("TRAIN", "TEST") * n, range(n), strict=False)
    ]
    left_out = [
        story(next(numbers), ["gold", "copper"], "TWO TOPICS", "text"),
        story(next(numbers), [], "NO TOPIC", "text"),
        story(next(numbers), ["earn"], "ANOTHER TOPIC", "text"),
        story(next(numbers), ["gold"], "NOT USED", "text", split="NOT-USED"),
        story(next(numbers), ["gold"], "NOT INDEXED", "text", used="NO"),
        story(next(numbers), ["gold"], "NO BODY", None),
    ]
    return taken[:300] + left_out, taken[300:]


def counted(data):
    return Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))


def test_distributed_files_give_the_stories_of_one_topic_with_body_and_split(tmp_path, stories):
    store(tmp_path / "reuters21578", "reut2-000.sgm", stories[0])
    store(tmp_path / "reuters21578", "reut2-021.sgm", stories[1])
    data = reuters.load_reuters(tmp_path)
    assert counted(data) == EXPECTED
    assert len(data) == len(set(data.row_ids)) == 526
    assert data.task_names == list(reuters.COUNTS)
    assert data.row_ids[0] == "1"
    assert data.texts[0] == "ON gnp <X> R&D in Bogot\xe1 Reuter"


def test_a_missing_file_of_the_distribution_is_noticed(tmp_path, stories):
    store(tmp_path, "reut2-000.sgm", stories[0])
    with pytest.raises(FileFormatError, match="holds 300 of the 526 documents of reuters"):
        reuters.load_reuters(tmp_path)


def test_a_file_that_ends_within_a_story_is_named(tmp_path, stories):
    store(tmp_path, "reut2-000.sgm", ["".join(stories[0])[:-50]])
    with pytest.raises(FileFormatError, match=r"reut2-000.sgm ends within story 306"):
        reuters.load_reuters(tmp_path)


def test_a_story_without_number_is_named(tmp_path):
    store(tmp_path, "reut2-000.sgm", [story(1, [], "", ""), "<REUTERS>\n</REUTERS>"])
    with pytest.raises(FileFormatError, match=r"reut2-000.sgm: story 2 has no NEWID"):
        reuters.load_reuters(tmp_path)


def test_a_changed_list_of_stories_is_refused(tmp_path):
    (tmp_path / "reuters21578_all.jsonl.gz").write_bytes(b"something else")
    with pytest.raises(FileFormatError, match="736ce4517321 is expected"):
        reuters.load_reuters(tmp_path)


def test_an_empty_directory_gives_a_sentence(tmp_path):
    with pytest.raises(MissingDataError, match="reuters was not found .*reut2-000.sgm"):
        reuters.load_reuters(tmp_path)


def test_real_stories_have_the_counts_of_the_papers(real):
    stories = real("reuters")
    assert counted(stories) == EXPECTED
    assert len(set(stories.row_ids)) == len(stories.texts) == 526
    assert min(map(len, stories.texts)) > 100


def test_real_stories_are_the_same_in_both_layouts(data, real, tmp_path):
    source = reuters.REUTERS.locate(reuters.FILE, "reuters", data)
    fields = {**reuters._FIELDS, "topics": list, "lewissplit": str, "topics_attr": str}
    topics = {topic for _, topic in EXPECTED}
    written = []
    for place, record in enumerate(jsonlines.records(source, fields)):
        # All stories of the nine topics, and a tenth of those to be left out.
        if place % 10 and not set(record["topics"]) & topics:
            continue
        text = record["text"].removesuffix(" Reuter\n").replace("&", "&amp;").replace("<", "&lt;")
        title, _, body = text.partition("\n")
        has_end = record["text"].endswith(" Reuter\n")
        page = story(
            record["id"],
            record["topics"],
            title,
            body if record["has_body"] else None,
            record["lewissplit"],
            record["topics_attr"],
        )
        written.append(page if has_end else page.replace("\n Reuter\n", "\n"))
    for number in range(22):
        store(tmp_path, f"reut2-{number:03d}.sgm", written[number * 1000 : (number + 1) * 1000])
    listed = real("reuters")
    distributed = reuters.load_reuters(tmp_path)
    assert listed.texts == distributed.texts
    assert listed.row_ids.tolist() == distributed.row_ids.tolist()
    assert listed.target.tolist() == distributed.target.tolist()


def listed(number, label, text="TITLE\ntext", modapte="train", has_body=True):
    return {"id": number, "label": label, "modapte": modapte, "has_body": has_body, "text": text}


def test_packed_stories_of_one_topic_with_body_and_split_are_taken(
    packed_lines, monkeypatch, tmp_path
):
    records = [
        listed(12, "gold", "GOLD RISES\nIn  Paris,\n gold rose."),
        listed(3, "cocoa", modapte="test"),
        listed(4, "earn"),
        listed(5, None),
        listed(6, "gold", modapte=None),
        listed(7, "gold", has_body=False),
    ]
    monkeypatch.setattr(reuters, "REUTERS", packed_lines(reuters.FILE, records))
    monkeypatch.setattr(reuters, "COUNTS", {"gnp-gold-cocoa": {"gold": 1, "cocoa": 1}})
    data = reuters.load_reuters(tmp_path)
    assert data.row_ids.tolist() == ["12", "3"]
    assert data.texts == ("GOLD RISES In Paris, gold rose.", "TITLE text")
    assert data.tasks.tolist() == ["gnp-gold-cocoa"] * 2
    assert data.target.tolist() == ["gold", "cocoa"]


@pytest.mark.parametrize("folder", ["", "reuters21578", "reuters", "text", "text/reuters21578"])
def test_the_distribution_is_found_in_each_folder(folder, tmp_path, stories):
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    store(tmp_path / folder, "reut2-000.sgm", stories[0])
    with pytest.raises(FileFormatError, match="holds 300 of the 526"):
        reuters.load_reuters(tmp_path)


@pytest.mark.parametrize(
    ("content", "name", "inside"),
    [
        ("<TITLE>A</TITLE><TITLE>B</TITLE>", "TITLE", "A"),
        ("<TITLE>A</TITLE>", "BODY", ""),
        ("<BODY>never closed", "BODY", "never closed"),
    ],
)
def test_an_element_is_the_text_between_its_first_tags(content, name, inside):
    assert reuters._element(content, name) == inside
