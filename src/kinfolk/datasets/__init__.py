"""Related data sets by name: downloaded, embedded, or simulated, with known classes."""

from pathlib import Path
from typing import Any

from kinfolk.arguments import spelled, text
from kinfolk.datasets import adversarial, fetching, registry, simulated
from kinfolk.datasets.adversarial import make_hostile_digits
from kinfolk.datasets.alterations import (
    NOISE,
    cut,
    disjoint_groups,
    shuffled_features,
    take,
    unequal,
    unrelated,
    with_noise,
)
from kinfolk.datasets.caltech import load_caltech101_7
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.digits import load_digits_two_sources
from kinfolk.datasets.faces import load_jaffe_faces_rotated, load_orl_faces_rotated
from kinfolk.datasets.handwriting import load_handdigits, load_mnist_10k
from kinfolk.datasets.image_views import (
    load_handwritten_rnsp,
    load_hw2sources,
    load_mfeat,
    load_msrc_v1,
    load_orl_views,
)
from kinfolk.datasets.makers import make_related_blobs, make_related_documents
from kinfolk.datasets.measurements import (
    load_heart,
    load_olive,
    load_penguins,
    load_vowel,
    penguins_csv,
)
from kinfolk.datasets.newsgroup_counts import load_20newsgroups_500, load_compvssci, load_recvstalk
from kinfolk.datasets.newsgroups import (
    load_20newsgroups,
    load_newsgroups_compvssci_500,
    load_newsgroups_recvstalk_500,
)
from kinfolk.datasets.registry import DatasetInfo
from kinfolk.datasets.reuters import load_reuters
from kinfolk.datasets.simulated import (
    distance_to_truth,
    make_syn500,
    make_toydata,
    make_transfer_scene,
)
from kinfolk.datasets.threesources import load_3sources, load_3sources_tasks
from kinfolk.datasets.webkb import load_webkb4
from kinfolk.errors import InputError, no_such, warn_renamed
from kinfolk.tables import RelatedData

__all__ = [
    "ADVERSARIAL",
    "AVAILABLE",
    "NOISE",
    "DatasetInfo",
    "cut",
    "disjoint_groups",
    "distance_to_truth",
    "fetch",
    "load",
    "load_20newsgroups",
    "load_20newsgroups_500",
    "load_3sources",
    "load_3sources_tasks",
    "load_caltech101_7",
    "load_compvssci",
    "load_digits_two_sources",
    "load_handdigits",
    "load_handwritten_rnsp",
    "load_heart",
    "load_hw2sources",
    "load_jaffe_faces_rotated",
    "load_mfeat",
    "load_mnist_10k",
    "load_msrc_v1",
    "load_newsgroups_compvssci_500",
    "load_newsgroups_recvstalk_500",
    "load_olive",
    "load_orl_faces_rotated",
    "load_orl_views",
    "load_penguins",
    "load_recvstalk",
    "load_reuters",
    "load_vowel",
    "load_webkb4",
    "make_hostile_digits",
    "make_related_blobs",
    "make_related_documents",
    "make_syn500",
    "make_toydata",
    "make_transfer_scene",
    "penguins_csv",
    "shuffled_features",
    "take",
    "unequal",
    "unrelated",
    "with_noise",
]

# A table, so that nothing a data file names is looked up or imported by its name.
LOADERS = {
    name: value
    for start, names in (
        ("load_", globals()),
        ("make_", vars(simulated)),
        ("make_", vars(adversarial)),
    )
    for name, value in names.items()
    if name.startswith(start)
}
"""The functions that `registry.toml` may name, by name."""

AVAILABLE: dict[str, DatasetInfo] = registry.dataset_infos(LOADERS)
"""The data sets by name."""

ADVERSARIAL = {name: info.loader for name, info in AVAILABLE.items() if info.adversarial}
"""Data sets on which clustering all tasks as one does harm: name -> maker(random_state)."""


def load(name: str, data: DataHome = None, **options: Any) -> RelatedData:
    """Load a data set by its name, one of `AVAILABLE`.

    Parameters
    ----------
    name : for example "webkb4"
    data : the data directory; None for KINFOLK_DATA, else `~/.local/share/kinfolk`
    options : keyword arguments of its loader, for example the number of the random draw

    Raises
    ------
    InputError : there is no data set of that name, or it has no such option
    MissingDataError : the data directory does not hold it
    FileFormatError : its files are damaged or incomplete

    >>> data = load("digits-two-sources", n_rows=(50, 30))
    >>> data.task_names, len(data)
    (['forms', 'maps'], 80)
    """
    info = _info(name)
    if unknown := sorted(options.keys() - set(info.options)):
        raise InputError(
            f"The data set {name!r} has no option {unknown[0]!r}; its options are: "
            f"{', '.join(info.options) or 'none'}."
        )
    return info.loader(**options) if info.embedded else info.loader(data, **options)


def fetch(name: str, data: DataHome = None) -> list[Path]:
    """Download a data set's published archive into the data directory and verify its checksum.

    An archive that is there already is not fetched again. Read `AVAILABLE[name].terms` first.

    Parameters
    ----------
    name : a data set of `AVAILABLE`
    data : the data directory; None for KINFOLK_DATA, else `~/.local/share/kinfolk`

    Returns
    -------
    the paths of all unpacked files

    Raises
    ------
    InputError : there is no such data set, nothing has to be fetched, or no published file with a
        known checksum exists: the sentence says where to get which file
    MissingDataError : it could not be fetched
    FileFormatError : what came is not the file that was published
    MissingExtraError : pooch is not installed
    """
    info = _info(name)
    return fetching.fetch_files(info, registry.COLLECTIONS[info.collection], data)


def _info(name: str) -> DatasetInfo:
    """Return the entry of a data set; InputError with the closest name if there is none."""
    if text("name", name) not in AVAILABLE:
        listing = spelled("`kinfolk datasets` lists", "kf.datasets.AVAILABLE has")
        raise no_such("data set", name, AVAILABLE, listing)
    return AVAILABLE[name]


def __getattr__(name: str) -> Any:
    """Accept the old name of `DatasetInfo` for one version."""
    if name == "Entry":
        warn_renamed("kinfolk.datasets.Entry", "DatasetInfo")
        return DatasetInfo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
