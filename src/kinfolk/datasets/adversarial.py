"""Data sets on which clustering all tasks as one does harm, for tests.

A method that clusters several tasks together should do no worse here than each task by itself,
and should report that nothing is shared where this is so. Nothing has to be fetched: each data
set consists of digits that come with the package or with scikit-learn, or of simulated documents.

Units   ink from 0 to 1 (hostile-digits) or from 0 to 16 (other digits), counts of words.
Source  transfer is known to fail in these cases; the digits are those of
        `load_digits_two_sources`, the documents those of `make_related_documents`.
"""

import dataclasses
from numbers import Integral

import numpy as np
from sklearn import datasets

from kinfolk.arrays import Seed
from kinfolk.datasets import alterations, digits, makers
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

LOW = ("0", "1", "2", "3", "4")
HIGH = ("5", "6", "7", "8", "9")


def make_hostile_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of digits, one shifted, dimmed and noisy, so that pooling fails.

    Half of the 1797 digits of scikit-learn, drawn at random, are task "lab". The others are task
    "field": each image is moved one pixel to the right (its last column comes in at the left),
    its ink is multiplied by 0.6, normal noise of standard deviation 0.1 is added, and it is cut
    to the range from 0 to 1. The table shows the accuracy of k-means with 10 clusters, matched to
    the classes in each task by itself: mean and standard deviation over random states 0 to 4.

    ========================================= ============= =============
    k-means (10 starts)                       lab           field
    ========================================= ============= =============
    on each task alone                        .763 +- .033  .763 +- .014
    on both as one                            .673 +- .044  .254 +- .047
    each task centered, then both as one       .703 +- .031  .342 +- .025
    z-scores in each task, then both as one   .574 +- .057  .544 +- .020
    ========================================= ============= =============

    Parameters
    ----------
    random_state : int, RandomState or None, for the draw and the noise

    Returns
    -------
    RelatedData : `X` (1797, 64) ink from 0 to 1, image rows one after the other, 898 rows of lab
        and 899 of field; `row_ids` positions in the source; `target` "0" to "9"

    >>> data = make_hostile_digits()
    >>> {task: round(float(data.X[data.tasks == task].mean()), 2) for task in data.task_names}
    {'lab': 0.3, 'field': 0.2}
    """
    random = _generator(random_state)
    source = datasets.load_digits()
    order = random.permutation(len(source.target))
    # Pixels count ink from 0 to 16.
    lab, field = np.split(source.images[order] / 16, [len(order) // 2])
    # Shift, dim, add noise, cut: in this order the published figures come back.
    field = 0.6 * np.roll(field, 1, axis=2)
    field = np.clip(field + 0.1 * random.normal(size=field.shape), 0, 1)
    what = "Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak)"
    collection = COLLECTIONS["optical-digits"]
    return RelatedData(
        name="hostile-digits",
        tasks=np.repeat(["lab", "field"], [len(lab), len(field)]),
        row_ids=order.astype(str),
        X=np.concatenate([lab, field]).reshape(len(order), -1),
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)),
        target=source.target[order].astype(str),
        origin=f"{what}, {collection.home_page}; the images of the field are shifted, dimmed and "
        f"noisy. {collection.terms}",
    )


def make_unrelated_documents(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 150 documents that share neither words nor topics.

    >>> data = make_unrelated_documents()
    >>> data.X.shape, data.task_names
    ((300, 880), ['first: task-0', 'second: task-0'])
    """
    random = checks.random(random_state)
    # Two calls, so that the second draws topics of its own.
    sets = [_renamed(_documents(1, random), name) for name in ("first", "second")]
    return _renamed(alterations.unrelated(*sets), "unrelated-documents")


def make_shuffled_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 300 digits, the second one with its pixels permuted.

    >>> data = make_shuffled_digits()
    >>> data.X[300].reshape(8, 8).astype(int)[:2]
    array([[ 9,  5,  6,  2, 16,  3,  6,  0],
           [ 0,  6,  0, 15,  0, 16, 16,  2]])
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((300, 300), random)
    return _renamed(alterations.shuffled_features(data, "maps", random), "shuffled-digits")


def make_noise_documents(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 150 documents with common topics, and 150 documents without topics.

    >>> make_noise_documents().task_names
    ['task-0', 'task-1', 'noise']
    """
    random = checks.random(random_state)
    data = _documents(2, random)
    return _renamed(alterations.with_noise(data, None, random), "noise-documents")


def make_noise_digits(random_state: Seed = 0) -> RelatedData:
    """Make 300 digits of each of two sources, and 300 images of uniform noise.

    >>> make_noise_digits().task_names
    ['forms', 'maps', 'noise']
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((300, 300), random)
    return _renamed(alterations.with_noise(data, None, random), "noise-digits")


def make_disjoint_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 300 digits: 0 to 4 of the first source, 5 to 9 of the second.

    >>> data = make_disjoint_digits()
    >>> data.target[[0, 1, -2, -1]].tolist()
    ['3', '3', '9', '9']
    """
    # 600 rows of ten classes leave 300 of five.
    data = digits.load_digits_two_sources((600, 600), random_state)
    classes = {"forms": LOW, "maps": HIGH}
    return _renamed(alterations.disjoint_groups(data, classes), "disjoint-digits")


def make_unequal_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of ten digits, of 1000 and of 50 rows.

    >>> len(make_unequal_digits())
    1050
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((1000, 1000), random)
    return _renamed(alterations.unequal(data, {"maps": 50}, random), "unequal-digits")


def make_few_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of the digits 0 to 4, of 300 and of 20 rows.

    >>> len(make_few_digits())
    320
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((600, 600), random)
    low = alterations.take(data, np.isin(np.asarray(data.target), LOW))
    return _renamed(alterations.cut(low, "maps", 20, random), "few-digits")


def make_few_documents(random_state: Seed = 0) -> RelatedData:
    """Make three tasks of documents with common topics, of 150, 150 and 20 rows.

    >>> len(make_few_documents())
    320
    """
    random = checks.random(random_state)
    data = _documents(3, random)
    return _renamed(alterations.cut(data, "task-2", 20, random), "few-documents")


def _documents(n_tasks: int, random: np.random.RandomState) -> RelatedData:
    """Make tasks of 150 short documents of mixed topics; all tasks have the same three topics."""
    return makers.make_related_documents(
        n_samples=150,
        n_terms=400,
        n_clusters=3,
        n_tasks=n_tasks,
        shared=3,
        # Mixed and short, so that k-means on tf-idf gets .75 to .9 right, not all.
        purity=0.4,
        length=25,
        random_state=random,
    )


def _renamed(data: RelatedData, name: str) -> RelatedData:
    return dataclasses.replace(data, name=name)


def _generator(seed: Seed) -> np.random.Generator:
    """Convert a checked `random_state` to NumPy's `Generator`; a whole number seeds it directly."""
    random = checks.random(seed)
    # `checks.random` makes a RandomState, so a whole number is passed on as it was given.
    return np.random.default_rng(seed if isinstance(seed, Integral) else random.randint(2**31))
