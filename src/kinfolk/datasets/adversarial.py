"""Adversarial cases: related data on which clustering all tasks as one does harm.

Whatever clusters several tasks together should here be no worse than each task by itself, and say
so where nothing is shared. Nothing has to be fetched: each case is made of digits that come
with the package or with scikit-learn, or of documents made by chance.

Units   ink from 0 to 1 (hostile-digits) or from 0 to 16 (other digits), counts of words.
Source  the cases are those in which methods of transfer are known to fail; the digits those of
        `load_digits_two_sources`, the documents those of `make_related_documents`.
"""

import dataclasses
from numbers import Integral

import numpy as np
from sklearn import datasets

from kinfolk.arrays import Seed
from kinfolk.datasets import alterations, digits, makers
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

HOME_PAGE = "https://doi.org/10.24432/C50P49"
TERMS = "In the UCI Machine Learning Repository under CC BY 4.0."
LOW, HIGH = ("0", "1", "2", "3", "4"), ("5", "6", "7", "8", "9")


def make_hostile_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of digits that pooling confuses: one is shifted, dimmed and noisy.

    Half of the 1797 digits of scikit-learn, drawn at random, are task "lab". The others are task
    "field": each image is moved one pixel to the right, what leaves it coming in at the left,
    its ink is multiplied by 0.6, normal noise of standard deviation 0.1 is added, and it is cut
    to the range from 0 to 1. Accuracy, in each task with a matching of its own, of k-means with 10
    clusters, mean and standard deviation over random states 0 to 4:

    ========================================= ============= =============
    k-means (10 starts)                       lab           field
    ========================================= ============= =============
    on each task alone                        .763 +- .033  .763 +- .014
    on both as one                            .673 +- .044  .254 +- .047
    each task centred, then both as one       .703 +- .031  .342 +- .025
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
    lab, field = np.split(source.images[order] / 16, [len(order) // 2])
    field = 0.6 * np.roll(field, 1, axis=2)
    field = np.clip(field + 0.1 * random.normal(size=field.shape), 0, 1)
    return RelatedData(
        name="hostile-digits",
        tasks=np.repeat(["lab", "field"], [len(lab), len(field)]),
        row_ids=order.astype(str),
        X=np.concatenate([lab, field]).reshape(len(order), -1),
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)),
        target=source.target[order].astype(str),
        origin=f"Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak), {HOME_PAGE}; "
        f"the images of the field are shifted, dimmed and noisy. {TERMS}",
    )


def make_unrelated_documents(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 150 documents that share neither words nor topics.

    >>> make_unrelated_documents().X.shape
    (300, 880)
    """
    random = checks.random(random_state)
    sets = [_called(name, _documents(1, random)) for name in ("first", "second")]
    return _called("unrelated-documents", alterations.unrelated(*sets))


def make_shuffled_digits(random_state: Seed = 0) -> RelatedData:
    """Make 300 digits of each of two sources, the pixels of the second in another order.

    >>> len(make_shuffled_digits())
    600
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((300, 300), random)
    return _called("shuffled-digits", alterations.shuffled_features(data, "maps", random))


def make_noise_documents(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 150 documents with common topics, and 150 documents of one distribution.

    >>> make_noise_documents().task_names
    ['task-0', 'task-1', 'noise']
    """
    random = checks.random(random_state)
    return _called("noise-documents", alterations.with_noise(_documents(2, random), None, random))


def make_noise_digits(random_state: Seed = 0) -> RelatedData:
    """Make 300 digits of each of two sources, and 300 images of uniform noise.

    >>> make_noise_digits().task_names
    ['forms', 'maps', 'noise']
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((300, 300), random)
    return _called("noise-digits", alterations.with_noise(data, None, random))


def make_disjoint_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of 300 digits: 0 to 4 of the first source, 5 to 9 of the second.

    >>> len(make_disjoint_digits())
    600
    """
    data = digits.load_digits_two_sources((600, 600), random_state)
    own = {"forms": LOW, "maps": HIGH}
    return _called("disjoint-digits", alterations.disjoint_groups(data, own))


def make_unequal_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of ten digits, of 1000 and of 50 rows.

    >>> len(make_unequal_digits())
    1050
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((1000, 1000), random)
    return _called("unequal-digits", alterations.unequal(data, {"maps": 50}, random))


def make_few_digits(random_state: Seed = 0) -> RelatedData:
    """Make two tasks of the digits 0 to 4, of 300 and of 20 rows.

    >>> len(make_few_digits())
    320
    """
    random = checks.random(random_state)
    data = digits.load_digits_two_sources((600, 600), random)
    low = alterations.take(data, np.isin(np.asarray(data.target), LOW))
    return _called("few-digits", alterations.cut(low, "maps", 20, random))


def make_few_documents(random_state: Seed = 0) -> RelatedData:
    """Make three tasks of documents with common topics, of 150, 150 and 20 rows.

    >>> len(make_few_documents())
    320
    """
    random = checks.random(random_state)
    return _called("few-documents", alterations.cut(_documents(3, random), "task-2", 20, random))


def _documents(n_tasks: int, random: np.random.RandomState) -> RelatedData:
    """Make short documents of mixed topics, of which k-means on tf-idf gets .75 to .9 right."""
    return makers.make_related_documents(
        n_samples=150,
        n_terms=400,
        n_clusters=3,
        n_tasks=n_tasks,
        shared=3,
        purity=0.4,
        length=25,
        random_state=random,
    )


def _called(name: str, data: RelatedData) -> RelatedData:
    return dataclasses.replace(data, name=name)


def _generator(seed: Seed) -> np.random.Generator:
    """Return NumPy's newer generator, with which the hostile digits were made when published."""
    random = checks.random(seed)
    whole = isinstance(seed, Integral)
    return np.random.default_rng(seed if whole else random.randint(2**31))
