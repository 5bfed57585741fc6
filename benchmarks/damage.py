"""Random damage to files: bytes, archive members, JSON, arrays and SQLite."""

import copy
import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing

import numpy as np

NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"-1e400",
    b"nan",
    b"inf",
    b"99999999999999999999",
    b"",
    b"1e-320",
)
"""Texts in the place of a number."""

VALUES = (
    *(None, True, False, 0, -1, 7, 2**31, -(2**63), 2**70, 0.5, 1e308, -1e308, "", "x", "nan"),
    *([], {}, [1], ["a", "b"], [[1], [2]], {"a": 1}, {"number": ["nan"]}, {"number": ["inf"]}),
    *({"array": "none"}, {"pairs": []}, {"objects": ["a"]}, {"tuple": [1]}, "../../etc", "\ud800"),
)
"""Values in the place of a value of JSON."""

CELLS = (
    *(None, 0, -1, 2**62, -0.5, 1e308, float("inf"), "", "x", "NaN", "[]", "{}", "[1", "9" * 400),
    *("\ud83d", b"", b"\x00\xff", b"x" * 50, '{"a": NaN}', "[[[]]]", '"text"', "1e999"),
)
"""Values in the place of a cell of SQLite."""


def of_bytes(raw, rng):
    """Change bytes at one to three random places."""
    for _ in range(rng.integers(1, 4)):
        raw = _CHANGES[rng.integers(len(_CHANGES))](raw, rng) or raw
    return raw


def _flipped(raw, rng):
    changed = bytearray(raw)
    for place in rng.integers(len(raw), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _cut(raw, rng):
    return raw[: rng.integers(len(raw))]


def _repeated(raw, rng):
    start, end = sorted(rng.integers(len(raw), size=2))
    place = rng.integers(len(raw))
    return raw[:place] + raw[start : min(end, start + 4000)] + raw[place:]


def _removed(raw, rng):
    start = rng.integers(len(raw))
    return raw[:start] + raw[start + rng.integers(1, 200) :]


def _swapped(raw, rng):
    a, b = sorted(rng.integers(len(raw), size=2))
    width = int(rng.integers(1, 20))
    return raw[:a] + raw[b : b + width] + raw[a + width : b] + raw[a : a + width] + raw[b + width :]


def _number(raw, rng):
    """Draw another number, as text or as eight bytes."""
    places = [found.span() for found in re.finditer(rb"-?\d+\.?\d*", raw[:100_000])]
    if rng.random() < 0.3 or not places:
        start = rng.integers(len(raw))
        value = (2**31 - 1, 2**63 - 1, 2**64 - 1, 0, 0x7FF8 << 48)[rng.integers(5)]
        return raw[:start] + value.to_bytes(8, "little") + raw[start + 8 :]
    start, end = places[rng.integers(len(places))]
    return raw[:start] + NUMBERS[rng.integers(len(NUMBERS))] + raw[end:]


def one_bit(raw, rng):
    """Flip one bit."""
    changed = bytearray(raw)
    changed[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


_CHANGES = (_flipped, _cut, _repeated, _removed, _swapped, _number)


def of_archive(raw, rng):
    """Change or drop one member of a zip archive, or change its bytes."""
    if rng.random() < 0.3:
        return of_bytes(raw, rng)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    names = list(members)
    chosen = names[rng.integers(len(names))]
    if rng.random() < 0.1:
        del members[chosen]
    elif rng.random() < 0.1:
        members[chosen] = members[names[rng.integers(len(names))]]
    else:
        members[chosen] = of_bytes(members[chosen] or b"x", rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def of_json(value, rng):
    """Replace, drop, repeat or swap one to three parts of a JSON value."""
    value = json.loads(json.dumps(value))
    for _ in range(_few(rng)):
        places = list(_places(value))
        if not places:
            return value
        holder, key = places[rng.integers(len(places))]
        action = rng.random()
        if action < 0.1:
            del holder[key]
        elif action < 0.2 and isinstance(holder, list):
            holder.append(holder[key])
        elif action < 0.35:
            other, place = places[rng.integers(len(places))]
            holder[key] = json.loads(json.dumps(other[place]))
        elif action < 0.5 and isinstance(holder[key], int | float):
            holder[key] = _other_number(holder[key], rng)
        else:
            # A copy, so that a value is never put into itself.
            holder[key] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
    return value


def _few(rng):
    """Draw the number of changes: one in half of the cases, as several hide each other."""
    return 1 if rng.random() < 0.5 else rng.integers(2, 4)


def _other_number(number, rng):
    return (number + 1, number - 1, -number, number * 10**9, number / 3, str(number))[
        rng.integers(6)
    ]


def _places(value):
    """Yield the place of every part of a JSON value, at any depth, as (container, key)."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def of_arrays(arrays, rng):
    """Change one to three named arrays in shape, type or value, or swap them."""
    arrays = dict(sorted(arrays.items()))  # safetensors reads them in any order
    for _ in range(_few(rng)):
        names = list(arrays)
        if not names:
            return arrays
        name = names[rng.integers(len(names))]
        array = arrays[name]
        action = rng.integers(7)
        if action == 0:
            arrays[name] = arrays[names[rng.integers(len(names))]]
        elif action == 1:
            arrays[name] = array.astype(rng.choice(["f8", "f4", "i8", "u1", "i4", "?"]))
        elif action == 2:
            arrays[name] = _reshaped(array, rng)
        elif action == 3:
            del arrays[name]
        elif array.size:
            changed = array.copy()
            places = rng.integers(changed.size, size=rng.integers(1, 4))
            changed.ravel()[places] = _extreme(changed.dtype, rng)
            arrays[name] = changed
    return arrays


def _reshaped(array, rng):
    action = rng.integers(5)
    if action == 0:
        return array.ravel()
    if action == 1:
        return array[:-1]
    if action == 2:
        return array.T.copy()
    if action == 3:
        return np.concatenate([array, array]) if array.ndim else array
    return array[..., :0] if array.ndim else array


def _extreme(dtype, rng):
    if dtype.kind == "f":
        return rng.choice([0.0, -1.0, 1e300, -1e300, np.nan, np.inf, 1e-320])
    if dtype.kind == "b":
        return bool(rng.integers(2))
    limits = np.iinfo(dtype)
    return rng.choice(np.array([limits.min, limits.max, 0, 1, 2, 99], dtype=dtype))


def of_sqlite(path, rng):
    """Change cells, drop or repeat rows of an SQLite file, or change its bytes."""
    if rng.random() < 0.4:
        path.write_bytes(of_bytes(path.read_bytes(), rng))
        return
    with closing(sqlite3.connect(path)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        for _ in range(rng.integers(1, 4)):
            table = tables[rng.integers(len(tables))]
            columns = [line[1] for line in db.execute(f"PRAGMA table_info({table})")]
            rows = [line[0] for line in db.execute(f"SELECT rowid FROM {table}")]
            if not rows:
                continue
            row = rows[rng.integers(len(rows))]
            column = columns[rng.integers(len(columns))]
            value = CELLS[rng.integers(len(CELLS))]
            if isinstance(value, str):
                value = value.encode("utf-8", "surrogatepass")
                statement = (
                    f"UPDATE OR IGNORE {table} SET {column} = CAST(? AS TEXT) WHERE rowid = ?"
                )
            else:
                statement = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"
            try:
                db.execute("PRAGMA ignore_check_constraints = ON")
                db.execute(statement, (value, row))
                if rng.random() < 0.1:
                    db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            except sqlite3.Error:
                continue
        db.commit()
