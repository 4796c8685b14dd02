"""Books in EPUB: the chapters in the order in which they are read, without their markup."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from copysift import kernels
from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, Parts, parse, plural

_BLANKS = re.compile(r"[ \t]+")
_SPACE = re.compile(r"\s+")
_HEAD = re.compile(rb"<head[\s>]", re.IGNORECASE)
_HEAD_END = re.compile(rb"</head\b[^<>]*>", re.IGNORECASE)


class BookReader(TextReader):
    """The text of a book."""

    traits = definition("epub", "EPUB books")
    says = "epub text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text of the spine; tables of contents are not part of it where the book says so."""
        parts, output = Parts(data, limits, budget), Output(limits)
        if "META-INF/encryption.xml" in parts and "META-INF/rights.xml" in parts:
            raise UnreadableError("is protected against copying")
        chapters = [name for name in _spine(parts) if name in parts]
        for name in chapters:
            output.add(page_text(parts.read(name)))
        return Extracted(output.text(), plural(len(chapters), "chapter"))


def _spine(parts: Parts) -> list[str]:
    """Give the parts with text, in order."""
    packages: list[str] = []
    items: dict[str, tuple[str, str]] = {}
    order: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "rootfile":
            packages.append(attributes.get("full-path", ""))
        elif tag == "item":
            items[attributes.get("id", "")] = (attributes.get("href", ""), attributes.get("properties", ""))
        elif tag == "itemref" and attributes.get("linear") != "no":
            order.append(attributes.get("idref", ""))

    for name in ("META-INF/container.xml", None):
        if name is None and not packages:
            raise UnreadableError("is damaged: it names no package")
        parse(parts.chunks(name or packages[0]), start, lambda tag: None, lambda text: None)
    base = posixpath.dirname(packages[0])
    found = [items[each] for each in order if each in items]
    return [
        posixpath.normpath(posixpath.join(base, unquote(href))) for href, has in found if "nav" not in has
    ]


def page_text(page: bytes) -> str:
    """Give the text of a page of HTML without its markup and its head."""
    page = _without_head(page)
    blanked = kernels.text.markup_block(page, 0, 0, True)[0].replace(b"\x7f", b"")
    text = blanked.decode("utf-8", "replace")
    text = _SPACE.sub(lambda found: "\n" if "\n" in found[0] else found[0], _BLANKS.sub(" ", text))
    return text.strip() + "\n"


def _without_head(page: bytes) -> bytes:
    """Leave out the head of a page; one that is not closed stays."""
    head = _HEAD.search(page)
    end = _HEAD_END.search(page, head.end()) if head else None
    return page[: head.start()] + b" " + page[end.end() :] if head and end else page


EPUB = BookReader()
