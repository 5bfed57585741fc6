"""What is known of a data set before it is loaded; entries of images, simulated and hard data."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kinfolk.datasets import (
    adversarial,
    digits,
    faces,
    feature_sets,
    handwriting,
    objects,
    simulated,
)
from kinfolk.tables import RelatedData


@dataclass(frozen=True)
class Entry:
    """What is known of a data set before it is loaded.

    Attributes
    ----------
    name : what `load` takes
    loader : the function that loads it; takes the data directory unless `embedded`, and its
        `options` by keyword
    tasks, rows, classes : its size, in words
    kind : "text" or "numbers"
    embedded : whether it comes with the package, so that nothing has to be fetched
    home_page : where it comes from; "" for data made by chance
    terms : on what terms, in a sentence
    """

    name: str
    loader: Callable[..., RelatedData]
    tasks: str
    rows: str
    classes: str
    kind: Literal["text", "numbers"]
    embedded: bool
    home_page: str
    terms: str

    @property
    def options(self) -> tuple[str, ...]:
        """What `load` takes by keyword: the parameters of the loader but for the directory."""
        return tuple(name for name in inspect.signature(self.loader).parameters if name != "data")


IMAGES = (
    Entry(
        name="handdigits",
        loader=handwriting.load_handdigits,
        tasks="2 sources",
        rows="10000 images of 16 x 16, 5000 of each source",
        classes="the same 10 in each: the digits",
        kind="numbers",
        embedded=False,
        home_page=handwriting.HOME_PAGE,
        terms=handwriting.TERMS,
    ),
    Entry(
        name="orl-faces-rotated",
        loader=faces.load_orl_faces_rotated,
        tasks="2: source and target",
        rows="240 faces upright and turned, 192 of the source and 48 of the target",
        classes="the same 8 in each: people",
        kind="numbers",
        embedded=False,
        home_page=faces.ORL_PAGE,
        terms=faces.ORL_TERMS,
    ),
    Entry(
        name="jaffe-faces-rotated",
        loader=faces.load_jaffe_faces_rotated,
        tasks="2: source and target",
        rows="408 faces upright and turned, 360 of the source and 48 of the target",
        classes="the same 8 in each: people",
        kind="numbers",
        embedded=False,
        home_page=faces.JAFFE_PAGE,
        terms=faces.JAFFE_TERMS,
    ),
    Entry(
        name="mfeat",
        loader=feature_sets.load_mfeat,
        tasks="1, in 6 views",
        rows="2000 images of digits as features",
        classes="10 digits",
        kind="numbers",
        embedded=False,
        home_page=feature_sets.MFEAT_PAGE,
        terms=feature_sets.MFEAT_TERMS,
    ),
    Entry(
        name="handwritten-rnsp",
        loader=feature_sets.load_handwritten_rnsp,
        tasks="1, in 2 views: pix, fou",
        rows="2000 images of digits as features",
        classes="10 digits",
        kind="numbers",
        embedded=False,
        home_page=feature_sets.MFEAT_PAGE,
        terms=feature_sets.MFEAT_TERMS,
    ),
    Entry(
        name="hw2sources",
        loader=feature_sets.load_hw2sources,
        tasks="1, in 2 views: mnist_pixels, usps_pixels",
        rows="2000 pairs of images of digits",
        classes="10 digits",
        kind="numbers",
        embedded=False,
        home_page=feature_sets.HW2SOURCES_PAGE,
        terms=feature_sets.HW2SOURCES_TERMS,
    ),
    Entry(
        name="orl-views",
        loader=feature_sets.load_orl_views,
        tasks="1, in 4 views: gist, lbp, hog, centrist; not the papers' three",
        rows="400 faces as features",
        classes="40 people",
        kind="numbers",
        embedded=False,
        home_page=feature_sets.ORL_PAGE,
        terms=feature_sets.ORL_TERMS,
    ),
    Entry(
        name="msrc-v1",
        loader=feature_sets.load_msrc_v1,
        tasks="1, in 5 views: colour_moment, hog, gist, lbp, centrist",
        rows="210 photographs as features",
        classes="7 kinds of things",
        kind="numbers",
        embedded=False,
        home_page=feature_sets.MSRC_PAGE,
        terms=feature_sets.MSRC_TERMS,
    ),
    Entry(
        name="caltech101-7",
        loader=objects.load_caltech101_7,
        tasks="1, in 4 views: hog, lbp, gabor, gist; computed, not the published six",
        rows="1474 photographs as features",
        classes="7 kinds of things",
        kind="numbers",
        embedded=False,
        home_page=objects.HOME_PAGE,
        terms=objects.TERMS,
    ),
    Entry(
        name="mnist-10k",
        loader=handwriting.load_mnist_10k,
        tasks="1, in 3 views: principal, cosine, slope; computed, not the paper's",
        rows="10000 images of digits as features",
        classes="10 digits",
        kind="numbers",
        embedded=False,
        home_page=handwriting.MNIST_PAGE,
        terms=handwriting.MNIST_TERMS,
    ),
)

SIMULATED = (
    *(
        Entry(
            name=f"simulated-transfer-{scene}",
            loader=functools.partial(simulated.make_transfer_scene, scene),
            tasks="2: source and target",
            rows=f"{750 + size} points in the plane, 750 of the source and {size} of the target",
            classes="the same 3 in each",
            kind="numbers",
            embedded=True,
            home_page=simulated.HOME_PAGE,
            terms=simulated.TERMS,
        )
        for scene, size in {"x1": 30, "x2": 300, "x3": 370, "x4": 300}.items()
    ),
    Entry(
        name="toydata",
        loader=simulated.make_toydata,
        tasks="1, in 2 views",
        rows="600 rows with negative values",
        classes="3",
        kind="numbers",
        embedded=True,
        home_page=simulated.HOME_PAGE,
        terms=simulated.TERMS,
    ),
    Entry(
        name="syn500",
        loader=simulated.make_syn500,
        tasks="1, in 3 views",
        rows="500 rows with negative values",
        classes="5",
        kind="numbers",
        embedded=True,
        home_page=simulated.HOME_PAGE,
        terms=simulated.TERMS,
    ),
)

ADVERSARIAL = (
    Entry(
        name="hostile-digits",
        loader=adversarial.make_hostile_digits,
        tasks="2: lab, and field, which is shifted, dimmed and noisy",
        rows="1797 images of 8 x 8, 898 of lab and 899 of field",
        classes="the same 10 in each: the digits",
        kind="numbers",
        embedded=True,
        home_page=adversarial.HOME_PAGE,
        terms=adversarial.TERMS,
    ),
    Entry(
        name="unrelated-documents",
        loader=adversarial.make_unrelated_documents,
        tasks="2 without common words",
        rows="300 documents as counts of 880 terms, 150 of each task",
        classes="3 topics in each, none shared",
        kind="numbers",
        embedded=True,
        home_page=simulated.HOME_PAGE,
        terms=simulated.TERMS,
    ),
    Entry(
        name="shuffled-digits",
        loader=adversarial.make_shuffled_digits,
        tasks="2 sources, the pixels of the second in another order",
        rows="600 images of 8 x 8, 300 of each source",
        classes="the same 10 in each: the digits",
        kind="numbers",
        embedded=True,
        home_page=digits.HOME_PAGE,
        terms=digits.TERMS,
    ),
    Entry(
        name="noise-documents",
        loader=adversarial.make_noise_documents,
        tasks="3, the last of which is noise",
        rows="450 documents as counts of 480 terms, 150 of each task",
        classes="the same 3 in two tasks; noise is one class",
        kind="numbers",
        embedded=True,
        home_page=simulated.HOME_PAGE,
        terms=simulated.TERMS,
    ),
    Entry(
        name="noise-digits",
        loader=adversarial.make_noise_digits,
        tasks="3: 2 sources and noise",
        rows="900 images of 8 x 8, 300 of each task",
        classes="the same 10 in two tasks: the digits; noise is one class",
        kind="numbers",
        embedded=True,
        home_page=digits.HOME_PAGE,
        terms=digits.TERMS,
    ),
    Entry(
        name="disjoint-digits",
        loader=adversarial.make_disjoint_digits,
        tasks="2 sources",
        rows="600 images of 8 x 8, 300 of each source",
        classes="5 in each, none shared: 0 to 4 and 5 to 9",
        kind="numbers",
        embedded=True,
        home_page=digits.HOME_PAGE,
        terms=digits.TERMS,
    ),
    Entry(
        name="unequal-digits",
        loader=adversarial.make_unequal_digits,
        tasks="2 sources of very different size",
        rows="1050 images of 8 x 8, 1000 of forms and 50 of maps",
        classes="the same 10 in each: the digits",
        kind="numbers",
        embedded=True,
        home_page=digits.HOME_PAGE,
        terms=digits.TERMS,
    ),
    Entry(
        name="few-documents",
        loader=adversarial.make_few_documents,
        tasks="3, of which one is small",
        rows="320 documents as counts of 520 terms: 150, 150 and 20",
        classes="the same 3 in each: topics",
        kind="numbers",
        embedded=True,
        home_page=simulated.HOME_PAGE,
        terms=simulated.TERMS,
    ),
    Entry(
        name="few-digits",
        loader=adversarial.make_few_digits,
        tasks="2 sources, of which one is small",
        rows="320 images of 8 x 8, 300 of forms and 20 of maps",
        classes="the same 5 in each: 0 to 4",
        kind="numbers",
        embedded=True,
        home_page=digits.HOME_PAGE,
        terms=digits.TERMS,
    ),
)
