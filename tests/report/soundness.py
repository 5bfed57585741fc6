"""What holds of every page: identifiers, references and pictures."""

import re
from xml.etree import ElementTree


def assert_sound(html):
    """Assert that identifiers are unique, references have targets, and pictures have texts."""
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    references = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html)
    assert {"".join(pair) for pair in references} <= set(ids)
    for svg in re.findall(r"<svg.*?</svg>", html, flags=re.S):
        title, described = list(ElementTree.fromstring(svg))[:2]
        assert title.text
        assert described.text
