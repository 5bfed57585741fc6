import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from file_contents import packed, sparse_file
from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import array_files, limits
from kinfolk.sources.sheets import Roles

BROKEN = [
    # name, content, options, error, pattern
    ("t.npz", b"PK junk", {}, FileFormatError, r"t\.npz is damaged"),
    ("t.npz", packed(X=np.eye(9))[:-30], {}, FileFormatError, "is damaged"),
    ("t.npz", packed(X=np.array([[object()]])), {}, FileFormatError, "holds Python objects"),
    (
        "t.npz",
        packed(X=np.eye(2), tasks=np.array(["a", None])),
        {},
        FileFormatError,
        "holds Python objects, which are never read",
    ),
    *(
        (
            "t.npz",
            packed(X=np.eye(2), tasks=np.array([0x61, 0x110000], f"{order}u4").view(f"{order}U1")),
            {},
            FileFormatError,
            "'tasks' has characters that no text has",
        )
        for order in "<>"
    ),
    ("t.npz", packed(a=np.eye(2), b=np.eye(2)), {}, FileFormatError, "needs one array 'X'"),
    ("t.npz", packed(X=np.ones(3)), {}, FileFormatError, "needs one array 'X'.*two axes"),
    ("t.npz", packed(X=np.array([["a"]])), {}, FileFormatError, "'X' of numbers"),
    ("t.npz", packed(X=np.eye(2) * 1j), {}, FileFormatError, "has 'X' of complex128 and shape"),
    ("t.npz", packed(X=np.eye(3), tasks=np.ones(2)), {}, InputError, r"'tasks' has shape \(2,\)"),
    ("t.npz", packed(X=np.eye(2), tasks=np.array(["", "a"])), {}, InputError, "row 1 .*'tasks'"),
    ("t.npz", packed(X=np.eye(2)), {"tasks": "site"}, InputError, "no array 'site'; it has 'X'"),
    ("t.npz", packed(X=np.eye(2)), {"text": "X"}, InputError, "holds arrays, not texts"),
    ("t.npz", packed(X=np.array([[1, np.nan]])), {}, InputError, "data row 1 .*'x2'"),
    ("t.npz", packed(X=np.ones((2, 0))), {}, FileFormatError, "has 0 columns"),
    ("t.npz", packed(X=np.ones((0, 2))), {}, FileFormatError, "has no rows"),
    (
        "t.npz",
        packed(X=np.eye(2), feature_names=np.array(["a", "a"])),
        {},
        FileFormatError,
        "more than one column named 'a'",
    ),
    (
        "t.npz",
        sparse_file(sp.csr_array([[0, 1.0], [np.inf, 0]])),
        {},
        InputError,
        "data row 2 has an infinite number in column 'x1'",
    ),
    (
        "t.npz",
        packed(
            format=b"csr", shape=np.array([2, 2]), data=np.ones(2),
            indices=np.array([0, 99]), indptr=np.array([0, 1, 2]),
        ),
        {},
        FileFormatError,
        "not a sound sparse matrix",
    ),
    (
        "t.npz",
        sparse_file(sp.csr_array((1, limits.AXIS_FLOOR + 1))),
        {},
        FileFormatError,
        "claims 1 rows and 100,001 columns, too many for its",
    ),
]  # fmt: skip


@pytest.mark.parametrize("file", BROKEN, ids=[row[-1] for row in BROKEN])
def test_an_archive_that_cannot_be_used_is_refused_in_one_sentence(assert_refused, file):
    assert_refused(*file)


def test_an_archive_names_its_own_labels(put):
    content = packed(
        other=np.eye(3), tasks=np.array([1, 1, 2]), target=np.array([b"x", b"y", b"x"]),
        row_ids=np.array(["p", "q", "p"]),
    )  # fmt: skip
    data, *_ = sources.read(put(**{"t.npz": content}))
    assert data.tasks.tolist() == ["1", "1", "2"]
    assert data.target.tolist() == ["x", "y", "x"]
    assert data.row_ids.tolist() == ["p", "q", "p"]
    assert data.feature_names == ("x1", "x2", "x3")


def test_tasks_that_only_some_archives_name_are_refused(put):
    files = put(**{
        "a.npz": packed(X=np.eye(2), tasks=np.array(["u", "v"])),
        "b.npz": packed(X=np.eye(2)),
    })  # fmt: skip
    with pytest.raises(InputError, match="a.npz names the task of each row and .*b.npz does not"):
        sources.read(files)


def test_an_archive_is_not_believed_about_the_size_of_its_arrays(put):
    stream = io.BytesIO()
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000, 9), }"
    header = header.ljust(117) + "\n"
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + b"\0" * 64)
    with pytest.raises(FileFormatError, match="is damaged"):
        sources.read(put(**{"t.npz": stream.getvalue()}))


NO_ROLES = Roles()


def read(roles=NO_ROLES, *, optional=False, **arrays):
    return array_files.sheet("t.npz", packed(**arrays), roles, optional=optional)


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_numbers_of_every_kind_become_doubles(kind):
    X = np.array([[0, 1], [1, 0]], dtype=kind)
    found = read(X=X)
    assert found.X.dtype == np.float64
    np.testing.assert_array_equal(found.X, X)


def test_an_array_of_another_memory_order_is_read_row_by_row():
    X = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found = read(X=X)
    assert found.X.flags.c_contiguous
    np.testing.assert_array_equal(found.X, X)


def test_x_is_read_even_beside_other_arrays_with_two_axes():
    found = read(X=np.eye(2), weights=np.ones((2, 2)), mean=np.ones(7))
    np.testing.assert_array_equal(found.X, np.eye(2))


def test_arrays_take_the_roles_they_are_named_for():
    found = read(
        Roles(tasks="site", target="kind", row_id="id", labels="known"),
        X=np.eye(3),
        site=np.array(["u", "u", "v"]),
        kind=np.array([3, 1, 3]),
        id=np.array([7, 8, 9]),
        known=np.array([-1, 3, -1]),
        tasks=np.array(["x", "y", "z"]),
    )
    assert found.tasks.tolist() == ["u", "u", "v"]
    assert found.target.tolist() == ["3", "1", "3"]
    assert found.row_ids.tolist() == ["7", "8", "9"]
    assert found.labels.tolist() == ["-1", "3", "-1"]


def test_the_archive_of_a_view_may_lack_the_named_arrays():
    roles = Roles(tasks="site", target="kind", labels="known")
    found = read(roles, optional=True, X=np.eye(2), kind=np.array(["a", "b"]))
    assert found.tasks is None
    assert found.labels is None
    assert found.target.tolist() == ["a", "b"]
    with pytest.raises(InputError, match="no array 'site'"):
        read(roles, X=np.eye(2))
    # Rows are joined by their ids, so that these must be there.
    with pytest.raises(InputError, match="no array 'id'"):
        read(Roles(row_id="id"), optional=True, X=np.eye(2))


@pytest.mark.parametrize("name", ["tasks", "target", "row_ids", "feature_names"])
def test_arrays_beside_the_numbers_need_their_length(name):
    with pytest.raises(InputError, match=rf"array '{name}' has shape \(3,\)"):
        read(X=np.eye(2), **{name: np.array(["a", "b", "c"])})
    with pytest.raises(InputError, match=rf"array '{name}' has shape \(2, 1\)"):
        read(X=np.eye(2), **{name: np.array([["a"], ["b"]])})


def test_bytes_that_are_not_utf8_are_replaced():
    assert read(X=np.eye(2), target=np.array([b"caf\xe9", b"tea"])).target.tolist() == [
        "caf\ufffd",
        "tea",
    ]


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_duplicate_entries_of_a_sparse_matrix_are_added(kind):
    data = np.array([1.0, 2.0, 4.0])
    if kind == "csr":
        X = sp.csr_array((data, np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    else:
        X = sp.coo_array((data, ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    found = array_files.sheet("t.npz", sparse_file(X), Roles())
    assert found.X.nnz == 2
    np.testing.assert_array_equal(found.X.toarray(), [[0, 3], [4, 0]])


def test_a_sparse_file_has_row_numbers_and_numbered_columns():
    found = array_files.sheet("t.npz", sparse_file(sp.csr_array(np.eye(3))), Roles())
    assert found.row_ids.tolist() == ["1", "2", "3"]
    assert found.feature_names == ("x1", "x2", "x3")
    assert found.tasks is None


def test_a_pickle_in_an_archive_is_never_run():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("the archive ran code",)

    stream = io.BytesIO()
    np.savez(stream, X=np.eye(2), tasks=np.array([Trap(), Trap()], dtype=object))
    with pytest.raises(FileFormatError, match="holds Python objects, which are never read"):
        array_files.sheet("t.npz", stream.getvalue(), Roles())


def saved(array, **options):
    """Bytes of an .npy file."""
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def test_a_single_array_is_a_table_of_one_task(tmp_path):
    X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    for name, table in {"north": X, "south": np.asfortranarray(X[:2])}.items():
        (tmp_path / f"{name}.npy").write_bytes(saved(table))
    found = sources.read([tmp_path / "north.npy", tmp_path / "south.npy"]).data
    assert found.tasks.tolist() == ["north"] * 4 + ["south"] * 2
    np.testing.assert_array_equal(found.X, np.vstack([X, X[:2]]))
    assert found.feature_names == ("x1", "x2", "x3")


def large_claim():
    header = str({"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}).encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 64


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (saved(np.array([[object()]]), allow_pickle=True), "holds Python objects, which are never"),
        (
            saved(np.array([None] * 120), allow_pickle=True),
            "holds Python objects, which are never",
        ),
        (saved(np.eye(9))[:-30], "claims the shape|is damaged"),
        (saved(np.ones(3)), "needs one array 'X' of numbers with two axes"),
        (large_claim(), "claims the shape"),
        (b"no numpy", "is damaged"),
    ],
)
def test_single_arrays_that_cannot_be_read_are_refused(tmp_path, raw, words):
    (tmp_path / "t.npy").write_bytes(raw)
    with pytest.raises(FileFormatError, match=words):
        sources.read(tmp_path / "t.npy")
