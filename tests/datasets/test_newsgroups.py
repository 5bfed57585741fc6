from collections import Counter
from pathlib import Path

import pytest

from kinfolk.datasets import jsonlines, newsgroups
from kinfolk.errors import FileFormatError, InputError, MissingDataError

EXPECTED = {(t, c): n for t, groups in newsgroups.COUNTS.items() for c, n in groups.items()}
HEADER = "From: someone@some.where\nNewsgroups: the.class\nSubject: secret\n\n"
WORDS = "engine wheel brake clutch mirror gasket"


def counted(data):
    return Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))


def store(folder, split, group, bodies):
    place = folder / f"20news-bydate-{split}" / group
    place.mkdir(parents=True)
    for number, body in enumerate(bodies, start=101):
        (place / str(number)).write_bytes((HEADER + body).encode("latin-1"))


@pytest.fixture
def two_groups(tmp_path, monkeypatch):
    """Fixture: an archive of one task with two groups, with messages to take and to leave out."""
    sizes = {"rec.autos": {"train": 3, "test": 4}, "sci.crypt": {"train": 1, "test": 2}}
    monkeypatch.setattr(newsgroups, "COUNTS", {"both": {"rec.autos": 2, "sci.crypt": 1}})
    monkeypatch.setattr(newsgroups, "SIZES", sizes)
    bodies = ["the and of with they are not", "Bogot\xe1\n\n car  wheels", "", "car wheels engine"]
    store(tmp_path, "test", "rec.autos", bodies)
    store(tmp_path, "test", "sci.crypt", ["keys", "secret keys"])
    return tmp_path


@pytest.fixture
def pools(tmp_path, monkeypatch):
    """Fixture: an archive with 6 messages per group, of which a data set takes 4 or 2."""
    groups = [group for pair in newsgroups.RECVSTALK.values() for group in pair]
    monkeypatch.setattr(newsgroups, "SIZES", {group: {"train": 4, "test": 2} for group in groups})
    monkeypatch.setattr(newsgroups, "PER_GROUP", {"source": 4, "target": 2})
    for group in groups:
        words = [f"{group} {word}" for word in WORDS.split()]
        store(tmp_path, "train", group, words[:4])
        place = tmp_path / "20news-bydate-test" / group
        place.mkdir(parents=True)
        for number, body in enumerate(words[4:], start=201):
            (place / str(number)).write_text(HEADER + body)
    return tmp_path


def test_messages_with_most_words_stay_without_their_headers(two_groups):
    data = newsgroups.load_20newsgroups(two_groups)
    assert data.texts == ("Bogot\xe1 car wheels", "car wheels engine", "secret keys")
    assert data.row_ids.tolist() == ["rec.autos/102", "rec.autos/104", "sci.crypt/102"]
    assert data.tasks.tolist() == ["both"] * 3
    assert data.target.tolist() == ["rec.autos", "rec.autos", "sci.crypt"]


def test_a_missing_message_is_noticed_although_it_would_be_left_out(two_groups):
    (two_groups / "20news-bydate-test" / "rec.autos" / "103").unlink()
    sentence = "holds 5 of the 6 documents of 20newsgroups: class rec.autos of both has 3 instead"
    with pytest.raises(FileFormatError, match=sentence):
        newsgroups.load_20newsgroups(two_groups)


def test_a_scene_draws_each_group_from_both_splits_without_repetition(pools):
    scenes = [newsgroups.load_newsgroups_recvstalk_500(pools, draw) for draw in range(20)]
    for scene in scenes:
        assert scene.tasks.tolist() == ["source"] * 8 + ["target"] * 4
        assert scene.target.tolist() == 4 * ["rec"] + 4 * ["talk"] + 2 * ["rec"] + 2 * ["talk"]
        assert len(set(scene.row_ids)) == 12
        groups = [text.split()[0] for text in scene.texts]
        assert [id.partition("/")[0] for id in scene.row_ids] == groups
    drawn = {id for scene in scenes for id in scene.row_ids}
    assert len(drawn) == 24


def test_a_draw_repeats_and_another_differs(pools):
    first, again, other = (
        newsgroups.load_newsgroups_recvstalk_500(pools, draw) for draw in (3, 3, 4)
    )
    assert first.row_ids.tolist() == again.row_ids.tolist()
    assert first.row_ids.tolist() != other.row_ids.tolist()


@pytest.mark.parametrize("draw", [-1, 1.5, "first", True])
def test_a_draw_is_a_whole_number_from_zero(draw, tmp_path):
    with pytest.raises(InputError, match="draw is .*; give"):
        newsgroups.load_newsgroups_recvstalk_500(tmp_path, draw)


def test_a_scene_without_the_training_part_is_refused(pools):
    for file in (pools / "20news-bydate-train").glob("*/*"):
        file.unlink()
    with pytest.raises(FileFormatError, match="holds 8 of the 24 documents"):
        newsgroups.load_newsgroups_recvstalk_500(pools)


def test_a_changed_list_of_messages_is_refused(tmp_path):
    (tmp_path / Path(newsgroups.FILE).name).write_bytes(b"something else")
    with pytest.raises(FileFormatError, match="5b103d6bfbf4 is expected"):
        newsgroups.load_20newsgroups(tmp_path)


def test_an_empty_directory_gives_a_sentence(tmp_path):
    with pytest.raises(MissingDataError, match="newsgroups-compvssci-500 was not found"):
        newsgroups.load_newsgroups_compvssci_500(tmp_path)


def test_real_messages_have_the_counts_of_the_papers(real):
    messages = real("20newsgroups")
    assert counted(messages) == EXPECTED
    assert len(set(messages.row_ids)) == len(messages.texts) == 5338
    assert all(messages.texts)


def test_real_messages_left_out_have_next_to_no_words(data, real):
    kept = set(real("20newsgroups").row_ids)
    path = newsgroups._locate("20newsgroups", data)
    groups = {group for _, group in EXPECTED}
    left_out = [
        newsgroups._body(message.text)
        for message in newsgroups._packed(path)
        if message.label in groups and message.split == "test" and message.id not in kept
    ]
    assert len(left_out) == 18
    assert max(len(body) for body in left_out) < 60


def test_real_messages_are_the_same_in_both_layouts(data, real, tmp_path):
    source = newsgroups._locate("20newsgroups", data)
    groups = {group for _, group in EXPECTED}
    for group in groups:
        (tmp_path / "20news-bydate" / "20news-bydate-test" / group).mkdir(parents=True)
    for record in jsonlines.records(source, newsgroups._FIELDS):
        if record["split"] == "test" and record["label"] in groups:
            file = tmp_path / "20news-bydate" / "20news-bydate-test" / record["id"]
            file.write_bytes(record["text"].encode("latin-1"))
    listed = real("20newsgroups")
    archived = newsgroups.load_20newsgroups(tmp_path)
    assert listed.texts == archived.texts
    assert listed.row_ids.tolist() == archived.row_ids.tolist()
    assert listed.target.tolist() == archived.target.tolist()


@pytest.mark.parametrize(
    ("name", "groups", "classes"),
    [
        ("newsgroups-recvstalk-500", newsgroups.RECVSTALK, ("rec", "talk")),
        ("newsgroups-compvssci-500", newsgroups.COMPVSSCI, ("comp", "sci")),
    ],
)
def test_real_scenes_have_the_sizes_of_the_paper(name, groups, classes, real):
    scene = real(name)
    drawn = Counter(id.partition("/")[0] for id in scene.row_ids)
    for task, n in (("source", 750), ("target", 250)):
        assert [drawn[group] for group in groups[task]] == [n, n]
        assert [counted(scene)[task, label] for label in classes] == [n, n]
    assert len(set(scene.row_ids)) == len(scene) == 2000


def test_packed_messages_of_the_test_split_are_taken(packed_lines, monkeypatch, tmp_path):
    groups = ("rec.autos", "sci.crypt")
    records = [
        {"id": f"{group}/{number}", "split": split, "label": group, "text": HEADER + body}
        for group in (*groups, "alt.atheism")
        for split, number, body in (("test", 2, "two words"), ("test", 1, "one"), ("train", 3, ""))
    ]
    collection = packed_lines(newsgroups.FILE, records)
    monkeypatch.setattr(newsgroups, "NEWSGROUPS", collection)
    monkeypatch.setattr(newsgroups, "COUNTS", {"both": dict.fromkeys(groups, 1)})
    sizes = {group: {"train": 1, "test": 2} for group in groups}
    monkeypatch.setattr(newsgroups, "SIZES", sizes)
    data = newsgroups.load_20newsgroups(tmp_path)
    assert data.row_ids.tolist() == ["rec.autos/2", "sci.crypt/2"]
    assert data.texts == ("two words", "two words")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("From: a\n\nbody", "body"),
        ("From: a\n\none\n\ntwo", "one two"),
        ("no header at all", ""),
        ("From: a\n\n", ""),
        ("\n\n  spaces   and\ttabs\n", "spaces and tabs"),
    ],
)
def test_the_body_begins_after_the_first_empty_line(text, body):
    assert newsgroups._body(text) == body


def test_both_pairs_have_one_class_per_field_and_share_no_group():
    for pair in (newsgroups.RECVSTALK, newsgroups.COMPVSSCI):
        fields = [[newsgroups._field_of(group) for group in groups] for groups in pair.values()]
        assert fields[0] == fields[1]
        assert not set(pair["source"]) & set(pair["target"])
        for task, groups in pair.items():
            for group in groups:
                assert sum(newsgroups.SIZES[group].values()) >= newsgroups.PER_GROUP[task]


def test_the_tasks_of_the_papers_take_no_more_messages_than_there_are():
    for groups in newsgroups.COUNTS.values():
        for group, count in groups.items():
            assert 0 <= newsgroups.SIZES[group]["test"] - count <= 4
