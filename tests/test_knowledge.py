"""What travels is what was meant to, whole, and nothing else; what comes in is not trusted."""

import json
import os
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans

from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.knowledge import Knowledge, layout
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.transfer.entropy_transfer import KTMEC

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 3)) + 5 * np.eye(3)[np.repeat([0, 1, 2], [50, 36, 4])]
FULL = Knowledge(
    RANDOM.normal(size=(2, 3)),
    [12.0, 30.5],
    ("größe", "b\x1b[31m", "c"),
    "standard",
    [0.1, 0.2, 1 / 3],
    [1.0, 0.0, 2.0],
    12,
)
PLAIN = Knowledge(FULL.cluster_centers, FULL.cluster_weights)


@pytest.mark.parametrize("known", [FULL, PLAIN], ids=["full", "plain"])
def test_what_is_read_is_what_was_written(known, tmp_path):
    known.save(tmp_path / "a")
    read = Knowledge.load(str(tmp_path / "a"))
    assert read == known
    assert hash(read) == hash(known)
    for name in ("cluster_centers", "cluster_weights", "center", "spread"):
        np.testing.assert_array_equal(getattr(read, name), getattr(known, name))
    assert read.feature_names == known.feature_names
    assert (read.scaling, read.minimum_cluster_size) == (known.scaling, known.minimum_cluster_size)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


def test_a_file_of_an_earlier_version_is_read_and_would_be_written_the_same():
    earlier = Path(__file__).parent / "knowledge-1.safetensors"
    known = Knowledge.load(earlier)
    np.testing.assert_array_equal(known.cluster_centers, [[0.5, -2.0, 1 / 3], [4.0, 0.0, 1e-9]])
    assert known.feature_names == FULL.feature_names
    assert (known.scaling, known.minimum_cluster_size) == ("standard", 12)
    assert known.to_bytes() == earlier.read_bytes()


def test_the_file_holds_exactly_the_documented_parts():
    raw = FULL.to_bytes()
    arrays = parse_arrays(raw)
    assert set(arrays) == {"cluster_centers", "cluster_weights", "center", "spread"}
    size = struct.unpack("<Q", raw[:8])[0]
    outer = json.loads(raw[8 : 8 + size])
    assert set(outer) == set(arrays) | {"__metadata__"}
    assert set(outer["__metadata__"]) == {"knowledge"}
    assert set(json.loads(outer["__metadata__"]["knowledge"])) == {
        "format", "schema", "feature_names", "scaling", "minimum_cluster_size", "sha256",
    }  # fmt: skip
    assert len(raw) == 8 + size + sum(a.nbytes for a in arrays.values())
    assert set(parse_arrays(PLAIN.to_bytes())) == {"cluster_centers", "cluster_weights"}


def test_the_same_knowledge_gives_the_same_bytes():
    again = Knowledge.from_bytes(FULL.to_bytes())
    assert again.to_bytes() == FULL.to_bytes()
    assert clone(KTMEC(knowledge=FULL)).knowledge == FULL
    assert FULL != PLAIN
    assert FULL != "knowledge"


@pytest.mark.parametrize("known", [FULL, PLAIN], ids=["full", "plain"])
def test_every_changed_byte_is_refused(known):
    raw = known.to_bytes()
    for i in range(len(raw)):
        damaged = bytearray(raw)
        damaged[i] ^= 1 << (i % 7)
        with pytest.raises(FileFormatError):
            Knowledge.from_bytes(bytes(damaged))


def test_every_shorter_and_longer_file_is_refused():
    raw = PLAIN.to_bytes()
    for size in range(0, len(raw), 5):
        with pytest.raises(FileFormatError, match="the file"):
            Knowledge.from_bytes(raw[:size])
    with pytest.raises(FileFormatError, match="no sound knowledge"):
        Knowledge.from_bytes(raw + b"x")


def forged(known=PLAIN, arrays=None, outer=None, **changes):
    """File of centers with altered content and a recomputed checksum."""
    header = {**known._header(), **changes}
    header.setdefault("sha256", known._checksum())
    whole = known._arrays() | (arrays or {})
    return format_arrays(whole, {"knowledge": sealed.canonical(header), **(outer or {})})


def test_one_array_or_entry_more_is_refused():
    for raw, sentence in [
        (forged(arrays={"rows": X}), "no sound knowledge.*rows"),
        (forged(outer={"note": "a row"}), "more or less than knowledge"),
        (forged(note="a row"), "lab should not have note"),
        (forged(feature_names={"a": 1}), "lab has feature_names={'a': 1}"),
        (forged(arrays={"cluster_weights": np.ones(2, np.float32)}), "no doubles in cluster_wei"),
        (forged(arrays={"cluster_weights": np.array([12, 13])}), "no doubles in cluster_weights"),
    ]:
        with pytest.raises(FileFormatError, match=sentence):
            Knowledge.from_bytes(raw, "lab")


def test_hidden_text_in_the_header_is_refused():
    raw = PLAIN.to_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header, rest = raw[8 : 8 + size].rstrip(), raw[8 + size :]
    for hidden in (
        header.replace(b'{"__metadata__"', b'{   "__metadata__"'),
        header.replace(b'"cluster_weights"', b'"cluster_\\u0077eights"'),
        header[:-1] + b',"cluster_weights"' + header.split(b'"cluster_weights"')[1],
    ):
        assert json.loads(hidden) == json.loads(header)
        again = struct.pack("<Q", len(hidden)) + hidden + rest
        with pytest.raises(FileFormatError, match="more or less than knowledge|no sound"):
            Knowledge.from_bytes(again)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"schema": 3}, "has schema 3 and this version of Kinfolk reads 1 and 2"),
        ({"schema": 2}, "lab lacks rounding"),
        ({"rounding": "by hand"}, "lab should not have rounding"),
        ({"schema": 2, "rounding": "Ann, 1980"}, "rounding is 'Ann, 1980'; give that of"),
        ({"schema": 2, "rounding": "to 1/30 of the standard error, at most 2 digit"}, "give that"),
        ({"schema": None}, "has schema None"),
        ({"format": "kinfolk-model"}, "is no knowledge of Kinfolk"),
        ({"scaling": "log"}, "scaling is 'log'; choose one of 'none', 'unit', 'standard'"),
        ({"scaling": "standard"}, 'center belongs to scaling "standard"'),
        ({"scaling": ["none"]}, r"has scaling=\['none'\]"),
        ({"feature_names": ["a", "b"]}, "feature_names are not 3 different names"),
        ({"feature_names": ["a", "b", "b"]}, "feature_names are not 3 different names"),
        ({"feature_names": ["a", "b", 3]}, r"feature_names is \['a', 'b', 3\]; give a list"),
        ({"minimum_cluster_size": 13}, "a center rests on 12 rows, at least 13"),
        ({"minimum_cluster_size": 0}, "minimum_cluster_size is 0; give a whole number from 1"),
        ({"minimum_cluster_size": True}, "has minimum_cluster_size=True"),
        ({"minimum_cluster_size": 11}, "checksum differs"),
        ({"sha256": "0" * 64}, "checksum differs"),
        ({"sha256": None}, "has sha256=None: ask for a file that this version wrote"),
    ],
)
def test_a_header_that_cannot_be_right_is_refused(changes, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        Knowledge.from_bytes(forged(**changes), "lab")


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"cluster_centers": np.full((2, 3), np.nan)}, "cluster_centers has entries that are NaN"),
        ({"cluster_centers": np.full((2, 3), 1e80)}, "infinite or above 1e"),
        ({"cluster_centers": np.zeros(3)}, "cluster_centers has shape"),
        ({"cluster_centers": np.zeros((0, 3))}, "give at least one center"),
        ({"cluster_centers": np.zeros((2, 0))}, "give at least one center"),
        ({"cluster_weights": np.full(3, 12.0)}, "there are 3 weights for 2 centers"),
        ({"cluster_weights": np.array([12.0, np.inf])}, "cluster_weights has entries"),
        ({"center": np.zeros(2)}, "center is not one number for each of the 3 columns"),
        ({"spread": np.array([1.0, -1.0, 0.0])}, "spread is not one number"),
        ({"spread": np.array([1.0, 1e-320, 0.0])}, "spread has numbers between 0 and 1e-75"),
    ],
)
def test_arrays_that_cannot_be_right_are_refused(arrays, sentence):
    known = FULL if {"center", "spread"} & set(arrays) else PLAIN
    with pytest.raises(FileFormatError, match=sentence):
        Knowledge.from_bytes(forged(known, arrays))


def test_files_that_are_not_there_or_too_large_are_refused(tmp_path, monkeypatch):
    with pytest.raises(FileFormatError, match="no cannot be read|cannot be read.*export"):
        Knowledge.load(tmp_path / "no")
    with pytest.raises(FileFormatError, match="cannot be read"):
        Knowledge.load(tmp_path)
    PLAIN.save(tmp_path / "a")
    monkeypatch.setattr(layout, "LARGEST_FILE", 10)
    with pytest.raises(FileFormatError, match="more than 10 bytes"):
        Knowledge.load(tmp_path / "a")


def test_a_file_of_others_is_replaced_only_on_demand(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match=r"mine.txt was not written by Kinfolk: .*overwrite=True"):
        PLAIN.save(tmp_path / "mine.txt")
    assert (tmp_path / "mine.txt").read_text() == "precious"
    PLAIN.save(tmp_path / "mine.txt", overwrite=True)
    FULL.save(tmp_path / "mine.txt")
    assert Knowledge.load(tmp_path / "mine.txt") == FULL


def test_a_failed_write_leaves_the_older_file(tmp_path, monkeypatch):
    PLAIN.save(tmp_path / "a")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(InputError, match="a could not be written .full.: name another place"):
        FULL.save(tmp_path / "a")
    assert Knowledge.load(tmp_path / "a") == PLAIN
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, n_init=3, random_state=0),
        MEC(3, random_state=0),
        KTMEC(3, random_state=0),
        KTMEC(knowledge=Knowledge(5 * np.eye(3), [10.0] * 3), random_state=0),
    ],
    ids=["k-means", "mec", "kt-mec", "kt-mec knowing"],
)
def test_small_clusters_stay_at_home(model):
    model.fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    known = Knowledge.of(model)
    sizes = np.bincount(model.labels_)
    assert (sizes < 10).sum() == 1
    assert len(known) == 2
    assert known.feature_names == ("a", "b", "c")
    assert known.minimum_cluster_size == 10
    np.testing.assert_array_equal(known.cluster_centers, model.cluster_centers_[sizes >= 10])
    np.testing.assert_allclose(known.cluster_weights, sizes[sizes >= 10], atol=3)
    assert len(Knowledge.of(model, minimum_cluster_size=1)) == 3
    with pytest.raises(InputError, match=r"every cluster has fewer than 60 rows.*no center may"):
        Knowledge.of(model, minimum_cluster_size=60)


def test_models_without_centers_are_refused():
    with pytest.raises(InputError, match="^DBSCAN has no centers; fit"):
        Knowledge.of(DBSCAN().fit(X))
    with pytest.raises(ValueError, match="not fitted"):
        Knowledge.of(KMeans(2))


def test_columns_are_put_in_order_by_name():
    known = FULL.aligned(["c", "größe", "b\x1b[31m"])
    np.testing.assert_array_equal(known.cluster_centers, FULL.cluster_centers[:, [2, 0, 1]])
    np.testing.assert_array_equal(known.center, [1 / 3, 0.1, 0.2])
    np.testing.assert_array_equal(known.spread, [2.0, 1.0, 0.0])
    assert known.feature_names == ("c", "größe", "b\x1b[31m")
    with pytest.raises(InputError, match=r"the table lacks 'c', which the knowledge is about"):
        FULL.aligned(["größe", "b\x1b[31m"])
    with pytest.raises(InputError, match=r"the knowledge says nothing of 'd'"):
        FULL.aligned(["größe", "b\x1b[31m", "c", "d"])
    with pytest.raises(InputError, match=r"the table names 'c' more than once"):
        FULL.aligned(["größe", "b\x1b[31m", "c", "c"])
    with pytest.raises(InputError, match=r"the knowledge says nothing of 'a'"):
        PLAIN.aligned(["a"])


def test_rows_of_another_site_are_scaled_as_those_of_the_source():
    rows = RANDOM.normal(size=(5, 3))
    expected = (rows - FULL.center) / [1.0, np.inf, 2.0]
    np.testing.assert_allclose(FULL.scaled(rows), expected)
    np.testing.assert_array_equal(PLAIN.scaled(rows), rows)
    unit = Knowledge(np.ones((1, 3)), [10.0], scaling="unit").scaled(np.vstack([rows, 0 * rows]))
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), [1] * 5 + [0] * 5)
    with pytest.raises(InputError, match=r"X has shape \(5, 2\); give rows with the 3 columns"):
        PLAIN.scaled(rows[:, :2])


def test_the_text_shows_every_number_and_escapes_every_name():
    text = FULL.contents()
    for number in [
        *FULL.cluster_centers.ravel(),
        *FULL.cluster_weights,
        *FULL.center,
        *FULL.spread,
    ]:
        assert repr(float(number)) in text
    assert "'größe'" in text
    assert "\x1b" not in text
    assert "'b\\x1b[31m'" in text
    assert FULL._checksum() in text
    assert len(text.splitlines()) == 5 + 1 + 2 + 3
    assert PLAIN.contents().splitlines()[-1].startswith("2\t")


def test_knowledge_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        PLAIN.cluster_centers[0, 0] = 1.0
    with pytest.raises(AttributeError):
        PLAIN.scaling = "unit"


def test_a_rounded_copy_has_no_digits_that_its_rows_cannot_support():
    rounded = FULL.rounded()
    for name in ("cluster_centers", "center", "spread"):
        rows = FULL.cluster_weights.sum()
        error = {"cluster_centers": 1 / FULL.cluster_weights[:, None] ** 0.5}.get(
            name, FULL.spread / rows**0.5
        )
        moved = np.abs(getattr(rounded, name) - getattr(FULL, name))
        assert (moved <= np.where(error > 0, error / 60, 1e-5)).all()
        assert all(len(repr(x)) < 9 for x in getattr(rounded, name).ravel().tolist())
    assert rounded.cluster_weights.tolist() == [12, 30]
    assert Knowledge.from_bytes(rounded.to_bytes()) == rounded
    assert rounded.rounded() == rounded


def test_fewer_digits_never_put_a_weight_below_the_minimum():
    assert FULL.rounded(1).cluster_weights.tolist() == [12, 30]  # 10 is below the 12 that it needs
    with pytest.raises(InputError, match="digits is 0"):
        FULL.rounded(0)


def test_a_rounded_file_says_how_it_was_rounded_and_others_stay_as_they_were():
    told = json.loads(sealed.metadata(FULL.rounded(3).to_bytes(), "knowledge")[0])
    assert told["schema"] == 2
    assert told["rounding"] == "to 1/30 of the standard error, at most 3 digits"
    assert "rounding: to 1/30 of the standard error, at most 3 digits" in FULL.rounded(3).contents()
    assert Knowledge.from_bytes(FULL.rounded(3).to_bytes()) == FULL.rounded(3)
    assert FULL.rounded(3).rounded().rounding == FULL.rounded(3).rounding
    assert "rounding" not in json.loads(sealed.metadata(FULL.to_bytes(), "knowledge")[0])


def test_means_of_all_rows_do_not_give_a_small_cluster_away():
    rows = np.vstack(
        [RANDOM.normal(size=(40, 3)), 20 + RANDOM.normal(size=(15, 3)), [[60, 50, 40]]]
    )
    center = rows.mean(axis=0)
    spread = rows.std(axis=0)
    Z = (rows - center) / spread
    model = KMeans(3, n_init=3, random_state=0).fit(Z)
    # Scaled rows sum to 0, so that centers without one row tell this row.
    sizes = np.bincount(model.labels_)
    large = sizes >= 10
    given_away = -sizes[large] @ model.cluster_centers_[large]
    np.testing.assert_allclose(given_away * spread + center, [60, 50, 40])
    known = Knowledge.of(model, scaling="standard", center=center, spread=spread)
    np.testing.assert_array_equal(known.cluster_weights, [40])
    assert len(rows) - known.cluster_weights.sum() >= 10
    # Without the means of all rows nothing is given away.
    assert len(Knowledge.of(model)) == 2


def test_no_cluster_leaves_if_the_rest_would_be_too_few():
    model = KMeans(2, n_init=1, random_state=0).fit(np.repeat([[0.0], [9.0]], [12, 3], axis=0))
    with pytest.raises(InputError, match="would give away clusters of fewer than 10 rows, so no"):
        Knowledge.of(model, scaling="standard", center=[1.8], spread=[3.6])
