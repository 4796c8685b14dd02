"""XML by value: tags, names of attributes and comments are overwritten; text and values of attributes stay.

Nothing is parsed into a tree and no entity is expanded, so there is nothing to blow up.
"""

from __future__ import annotations

import html
import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!DOCTYPE[^\[<>]*(?:\[.*?(?:\]\s*>|\Z)|>)|<\?.*?(?:\?>|\Z)"
    rb"|</?[A-Za-z_:][^<>\"']*(?:(?:\"[^\"<]*\"|'[^'<]*')[^<>\"']*)*>"
    rb"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);",
    re.DOTALL,
)
_VALUE = re.compile(rb"=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_NAMESPACE = re.compile(rb"xmlns(?::[\w.-]+)?\s*$|schemaLocation\s*$")


class XmlReader(TextReader):
    """The values of an XML file."""

    traits = definition("xml", "XML")
    says = "XML by value"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite markup."""
        canvas = Canvas(data)
        for found in _MARKUP.finditer(data):
            text, (start, end) = found.group(), found.span()
            if text.startswith(b"&"):
                canvas.put(start, end, html.unescape(text.decode()))
            elif text.startswith(b"<![CDATA["):
                canvas.join(start, found.start(1))
                canvas.join(found.end(1), end)
            elif text.startswith((b"<!", b"<?", b"</")):
                canvas.blank(start, end)
            else:
                _tag(canvas, text, start)
        return Extracted(canvas.made(), "entities are not expanded" if b"<!ENTITY" in data else "")


def _tag(canvas: Canvas, tag: bytes, start: int) -> None:
    """Overwrite a tag but for the values of its attributes; addresses of namespaces go, too."""
    at = 0
    for value in _VALUE.finditer(tag):
        group = 1 if value.group(1) is not None else 2
        if _NAMESPACE.search(tag, at, value.start()):
            continue
        canvas.blank(start + at, start + value.start(group))
        at = value.end(group)
    canvas.blank(start + at, start + len(tag))


XML = XmlReader()
