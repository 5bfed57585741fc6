"""Makes data sets: selects rows as tasks and alters them as a file describes.

    classes    tasks of named classes of a pool, rows drawn of each
    parts      one pool in random parts
    loaded     a data set of Kinfolk, with fewer rows
    held_out   a set of `benchmarks.heldout`
    mixed      a mixed table of `benchmarks.mixed_tables`
    hostile    an adversarial case
    blobs, documents, gaussians   made ones

All take the data directory, then the arguments of the set's file. `alter` is a list of changes,
each a table with `how`: noise, shuffle, cut, coarser, units (`ALTERATIONS`).
"""

import dataclasses

import numpy as np

import kinfolk as kf
from benchmarks import heldout, mixed_tables
from benchmarks.related import pools
from kinfolk.comparison import rows as sources
from kinfolk.datasets import alterations, makers
from kinfolk.tables import RelatedData


def make(wanted, data=None):
    """Make the set that a `files.SetFile` describes, from the data directory.

    Raises
    ------
    MissingDataError : the data directory, or this Python, does not hold it
    """
    arguments = dict(wanted.arguments)
    changes = arguments.pop("alter", ())
    made = MAKERS[wanted.maker](data, **arguments)
    for seed, change in enumerate(changes):
        given = {name: value for name, value in change.items() if name != "how"}
        made = ALTERATIONS[change["how"]](made, seed, **given)
    return dataclasses.replace(made, name=wanted.name)


def _classes(data, source, tasks, rows, seed):
    """Draw at most `rows` of each class of each task, none twice.

    A task is a list of classes, or a table of properties and their values, for example
    { class = ["earn", "acq"], month = ["MAR"], n = 40 }.
    """
    pool = pools.pool(source, data)
    random = np.random.RandomState(seed)
    free = np.ones(len(pool), dtype=bool)
    found, names = [], []
    for task, wanted in tasks.items():
        wanted = {"class": wanted} if isinstance(wanted, list) else dict(wanted)
        n = wanted.pop("n", rows)
        among = pool.where(**wanted)
        for kind in np.unique(pool.properties["class"][among]):
            of_kind = among[(pool.properties["class"][among] == kind) & free[among]]
            drawn = random.permutation(of_kind)[:n]
            free[drawn] = False
            found.append(drawn)
            names.extend([task] * len(drawn))
    positions = np.concatenate(found)
    return pool.take(positions, names, pool.properties["class"][positions], source)


def _parts(data, source, number, rows, seed, **wanted):
    """Split rows with wanted properties into random parts, `rows` per class in each."""
    pool = pools.pool(source, data)
    random = np.random.RandomState(seed)
    among = pool.where(**wanted)
    found, names = [], []
    for kind in np.unique(pool.properties["class"][among]):
        drawn = random.permutation(among[pool.properties["class"][among] == kind])[: number * rows]
        found.append(drawn)
        names.append(np.arange(len(drawn)) * number // len(drawn))
    positions, part = np.concatenate(found), np.concatenate(names)
    order = np.argsort(part, kind="stable")
    positions = positions[order]
    tasks = np.array([f"part {t + 1}" for t in part[order]])
    return pool.take(positions, tasks, pool.properties["class"][positions], source)


def _loaded(data, name, rows=None, tasks=None, seed=0, **options):
    """Load a data set of Kinfolk, with some tasks and at most `rows` per class."""
    whole = kf.datasets.load(name, data, **options)
    if tasks is not None:
        whole = alterations.take(whole, np.flatnonzero(np.isin(whole.tasks, tasks)))
    return whole if rows is None else heldout.drawn(whole, rows, seed)


def _held_out(data, name, rows=None):
    made = heldout.SETS[name](data)
    return made if rows is None else heldout.drawn(made, rows, 0)


def _mixed(data, name, seed=0):
    table = mixed_tables.SETS[name](data, seed)
    roles = {"tasks": table.tasks, "target": table.target}
    return sources.collect(table.frame, roles).data


def _hostile(data, name, seed=None):
    given = {} if seed is None else {"random_state": seed}
    return kf.datasets.ADVERSARIAL[name](**given)


def _blobs(data, **given):
    return makers.make_related_blobs(**given)


def _documents(data, **given):
    return makers.make_related_documents(**given)


def _gaussians(data, sizes, columns, distance, seed, displaced=1.0, shape="shared"):
    """Draw elongated Gaussian clusters at the same places in all tasks, displaced.

    Parameters
    ----------
    sizes : task -> rows of each class, 0 for a class that it lacks
    distance : of two class means, in standard deviations within a class
    displaced : standard deviation of the zero of each column of a task
    shape : "shared", one covariance for all tasks and classes, or "own", one for each task
    """
    random = np.random.RandomState(seed)
    k = max(len(rows) for rows in sizes.values())
    axes, _ = np.linalg.qr(random.normal(size=(columns, k)))
    means = axes.T * distance / np.sqrt(2)
    one = random.normal(size=(columns, columns))
    X, tasks, target = [], [], []
    for task, rows in sizes.items():
        root = np.eye(columns) + 0.4 * (
            one if shape == "shared" else random.normal(size=(columns, columns))
        )
        scale = np.sqrt(np.square(root).sum(axis=1))
        zero = displaced * random.normal(size=columns)
        for kind, n in enumerate(rows):
            noise = random.normal(size=(n, columns)) @ (root / scale[:, None]).T
            X.append(means[kind] + zero + noise)
            tasks += [task] * n
            target += [f"c{kind}"] * n
    names = tuple(f"x{j}" for j in range(columns))
    ids = np.arange(len(tasks)).astype(str)
    return RelatedData("gaussians", np.array(tasks), ids, np.vstack(X), names, None,
                       np.array(target))  # fmt: skip


MAKERS = {
    "classes": _classes, "parts": _parts, "loaded": _loaded, "held_out": _held_out,
    "mixed": _mixed, "hostile": _hostile, "blobs": _blobs, "documents": _documents,
    "gaussians": _gaussians,
}  # fmt: skip


def _noise(data, seed, n):
    return alterations.with_noise(data, n, random_state=seed)


def _shuffle(data, seed, task):
    return alterations.shuffled_features(data, task, random_state=seed)


def _cut(data, seed, task, n):
    return alterations.cut(data, task, n, random_state=seed)


def _coarser(data, seed, task, groups):
    """Merge the classes of one task into groups."""
    group = {kind: name for name, kinds in groups.items() for kind in kinds}
    target = [
        group.get(kind, kind) if own == task else kind
        for own, kind in zip(data.tasks.tolist(), data.target.tolist(), strict=True)
    ]
    return dataclasses.replace(data, target=np.array(target))


def _units(data, seed, strength):
    """Give each task its own units and offsets."""
    random = np.random.RandomState(seed)
    X = np.array(data.X, dtype=float)
    spread = X.std(axis=0)
    for task in data.task_names:
        rows = data.tasks == task
        unit = np.exp(strength * random.normal(size=X.shape[1]))
        X[rows] = X[rows] * unit + random.normal(size=X.shape[1]) * spread
    return dataclasses.replace(data, X=X, views={})


ALTERATIONS = {
    "noise": _noise, "shuffle": _shuffle, "cut": _cut, "coarser": _coarser, "units": _units,
}  # fmt: skip
"""Name of a change -> the function of a set, a seed and the arguments of the change."""
