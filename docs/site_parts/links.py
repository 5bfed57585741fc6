"""Links of the built site that lead nowhere within it."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

STATIC = "_static"
"""Folder of what the theme brings: templates are no pages."""


class _Page(HTMLParser):
    """The links and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag names and where it leads."""
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


def broken(site: Path) -> list[str]:
    """Return "page: link" for each link to a file or an anchor that the site does not have.

    Addresses of other sites are not asked for: a build needs no network.
    """
    written = [path for path in sorted(site.rglob("*.html")) if STATIC not in path.parts]
    pages = {path.resolve(): _Page(path.read_text("utf-8")) for path in written}
    return [
        f"{path.relative_to(site.resolve())}: {link}"
        for path, page in pages.items()
        for link in dict.fromkeys(_lost(path, page, pages))
    ]


def _lost(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        anchor = unquote(parts.fragment)
        if not target.exists() or (target in pages and anchor not in pages[target].anchors):
            yield link
