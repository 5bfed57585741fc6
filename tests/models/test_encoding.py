"""Values that a model holds come back as they were, and nothing else comes in."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

import kinfolk as kf
from kinfolk.choosing.suggestions import Suggestions
from kinfolk.errors import InputError
from kinfolk.models import encoding
from kinfolk.numerics.denoising import Layer

VALUES = {
    "none": None,
    "true": True,
    "whole": -(2**70),
    "double": 0.1 + 0.2,
    "infinite": -np.inf,
    "text": "🦊 <b>\n",
    "tuple": ("a", (1, (2.5,))),
    "list": [[], [None, "x"]],
    "keys of any kind": {("no", 1): "pair", 3: "number", "3": "text", None: "none"},
    "slice": slice(None, 7),
    "numpy number": np.float64(1 / 3),
    "array of names": np.array(["north", "south"]),
    "knowledge": kf.Knowledge([[1.0, 2.0]], [10.0], ("a", "b")),
}


def returned(value):
    """Encode, write and read as JSON, and decode a value."""
    arrays = {}
    text = json.dumps(encoding.encode(value, arrays), allow_nan=False)
    return encoding.decode(json.loads(text), arrays)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_plain_value_comes_back(value):
    found = returned(value)
    np.testing.assert_equal(found, value)
    if not isinstance(value, np.generic | np.ndarray):
        assert type(found) is type(value)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (0, 4)])
def test_an_array_keeps_type_shape_and_content(dtype, shape):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for given in (array, np.asfortranarray(array), array[::-1]):
        found = returned({"a": given})["a"]
        assert (found.dtype, found.shape) == (given.dtype, given.shape)
        np.testing.assert_array_equal(found, given)


def test_single_values_of_records_are_read_and_built_together(monkeypatch):
    records = [dict.fromkeys("abcdefghi", 0.5) for _ in range(100)]
    stored = json.loads(json.dumps(encoding.encode(records, {})))
    calls = []
    for name in ("_read", "_built"):
        whole = getattr(encoding, name)
        monkeypatch.setattr(
            encoding, name, lambda *given, whole=whole: calls.append(1) or whole(*given)
        )
    assert encoding.decode(stored, {}) == records
    assert len(calls) == 2 * (1 + 100)


def test_equal_arrays_are_put_aside_once_and_others_never_share_a_name():
    arrays = {}
    thirds = np.full(4, 1 / 3)  # which has no equal in single precision
    others = [thirds.reshape(2, 2), thirds.astype(np.float32), np.zeros(4, int), thirds - 0.0]
    encoded = [encoding.encode(array, arrays) for array in (thirds, thirds.copy(), *others)]
    assert encoded[0] == encoded[1] == encoded[5]
    assert len(arrays) == 4


NARROW = {
    "halves": ([0.5, -0.0, 3.0], np.float64, np.float32),
    "not a number": ([np.nan, np.inf, 1.0], np.float64, np.float32),
    "thirds": ([1 / 3], np.float64, np.float64),
    "too large for single precision": ([1e300], np.float64, np.float64),
    "too small for single precision": ([1e-300], np.float64, np.float64),
    "labels": ([0, -1, 127], np.int64, np.int8),
    "positions": ([128], np.int64, np.int16),
    "columns": ([2**15], np.int32, np.int32),
    "many rows": ([2**31], np.int64, np.int64),
    "bytes": ([2], np.uint8, np.uint8),
}


@pytest.mark.parametrize(("values", "given", "kept"), NARROW.values(), ids=NARROW)
def test_arrays_are_stored_in_the_smallest_type_with_equal_values(values, given, kept):
    array = np.array(values, dtype=given)
    arrays = {}
    told = encoding.encode(array, arrays)
    assert [stored.dtype for stored in arrays.values()] == [kept]
    assert ("as" in told) == (given != kept)
    found = encoding.decode(told, arrays)
    assert found.dtype == given
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", ["object", "float64", "int32", "S99999999", "bool", None, []])
def test_an_array_of_another_type_than_it_is_meant_to_have_is_an_error(name):
    stored = {"a": np.zeros(2, dtype=np.int32)}
    with pytest.raises((ValueError, TypeError)):
        encoding.decode({"array": "a", "as": name}, stored)


def test_a_sparse_table_comes_back_as_rows():
    table = sp.csc_array(np.diag([1.0, 0.0, 3.0])).tocsr()
    found = returned(table)
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), table.toarray())


def test_named_tuples_of_the_table_keep_their_class_and_others_become_tuples():
    layer = Layer(np.eye(2), np.ones(2), np.zeros(2))
    found = returned([layer])[0]
    assert type(found) is Layer
    np.testing.assert_equal(tuple(found), tuple(layer))
    assert type(returned(np.unravel_index(3, (2, 2)))) is tuple


def test_suggestions_come_back_as_the_sequence_they_are():
    rows = np.repeat([[0.0, 0.0], [9.0, 9.0]], 12, axis=0) + np.eye(24, 2)
    suggested = kf.suggest_clusters(rows, random_state=0, at_most=3)
    found = returned(suggested)
    assert type(found) is Suggestions
    assert list(found) == list(suggested)


def test_an_estimator_inside_comes_back_with_its_attributes():
    model = KMeans(2, n_init=1, random_state=0).fit(np.eye(4))
    found = returned({"inner": model})["inner"]
    assert type(found) is KMeans
    np.testing.assert_array_equal(found.cluster_centers_, model.cluster_centers_)
    np.testing.assert_array_equal(found.predict(np.eye(4)), model.labels_)


class Foreign(KMeans):
    pass


def test_an_array_without_axes_keeps_its_shape():
    arrays = {}
    encoded = encoding.encode(np.array(1.5), arrays)
    assert encoding.decode(encoded, arrays).shape == ()


@pytest.mark.parametrize("value", [{1, 2}, object(), Foreign(), b"raw", 1j, print])
def test_a_value_of_another_class_is_refused_by_name(value):
    with pytest.raises(InputError, match=f"a model with a {type(value).__name__} inside cannot be"):
        encoding.encode({"deep": [value]}, {})


@pytest.mark.parametrize(
    "forged",
    [
        {"os.system": ["ls"]},
        {"Path": ["/"]},
        {"estimator": "Foreign", "attributes": {}},
        {"estimator": "KMeans", "attributes": {"fit": 1}},
        {"estimator": "KMeans", "attributes": {"__dict__": {"pairs": []}}},
        {"estimator": "KMeans"},
        {"array": "none"},
        {"tuple": [], "slice": []},
        {"number": ["0x10"]},
        {"slice": [True, 1, 2]},
        {"csr": [[1.0], [5], [0, 1]], "shape": [1, 2]},
    ],
)
def test_json_that_was_never_written_is_an_error(forged):
    with pytest.raises((LookupError, ValueError, TypeError)):
        encoding.decode([forged], {})
