"""Downloads published files of data sets and verifies their checksums."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kinfolk.datasets import data_home
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import Collection, DatasetInfo
from kinfolk.errors import FileFormatError, InputError, MissingDataError, import_extra


def fetch_files(info: DatasetInfo, collection: Collection, data: DataHome = None) -> list[Path]:
    """Download and unpack a data set's archives; return the files.

    An archive that is there with the right checksum is not fetched again.

    Parameters
    ----------
    info : the data set
    collection : its collection
    data : the data directory; it is made if it does not exist

    Raises
    ------
    InputError : nothing has to be fetched, or no published file with a known checksum exists
    MissingDataError : the file could not be fetched
    FileFormatError : what came is not the file that was published
    MissingExtraError : pooch is not installed
    """
    folder = data_home.directory(data)
    if info.embedded:
        raise InputError(f"{info.name} comes with the package: nothing has to be fetched.")
    if not collection.downloads:
        raise InputError(
            f"{info.name} has no published file that Kinfolk can check: get it from "
            f"{collection.home_page}, and put it into {folder} in a form that docs/datasets.md "
            "names."
        )
    pooch = import_extra("pooch", "data", "Fetching data needs")
    pooch.get_logger().setLevel("WARNING")  # it would print paths of the cache
    found: list[Path] = []
    for name, download in collection.downloads.items():
        found += _retrieved(pooch, name, download, folder)
    return found


def _retrieved(pooch: Any, name: str, download: dict[str, str], folder: Path) -> list[Path]:
    """Download one archive, verify it, and return its unpacked files."""
    unpacked = Path(name).name.partition(".")[0]
    try:
        files = pooch.retrieve(
            download["url"],
            known_hash=f"sha256:{download['sha256']}",
            fname=name,
            path=folder,
            processor=pooch.Untar(extract_dir=unpacked),
        )
    except ValueError as error:
        raise FileFormatError(
            f"{download['url']} is not the file that was published ({error}); nothing was kept."
        ) from error
    # requests' own errors are OSErrors too.
    except OSError as error:
        raise MissingDataError(
            f"{download['url']} could not be fetched: {_reason(error, download['url'])}. Try again "
            f"later, or get it in another way, put it there as {folder.resolve() / name}, and "
            "fetch again."
        ) from error
    return [Path(file) for file in files]


def _reason(error: OSError, url: str) -> str:
    """Describe why a download failed, in fewer words than the error of the library."""
    host = urlsplit(url).hostname
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"{host} answers with status {answer.status_code}"
    return error.strerror or f"there is no connection to {host}"
