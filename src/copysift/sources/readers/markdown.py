"""Markdown: addresses, tags and attributes are overwritten; all other markup is punctuation, which counts for
nothing anyway. Offsets are those of the file."""

from __future__ import annotations

import html
import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_FENCE = re.compile(rb"^ {0,3}(`{3,}+|~{3,}+)([^\n]*)$", re.MULTILINE)
_FRONT = re.compile(rb"---[ \t]*\r?\n.{0,20000}?\n(?:---|\.\.\.)[ \t]*\r?\n", re.DOTALL)
_MARKUP = re.compile(
    rb"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?\)"  # a target of a link
    rb"|\]\[[^\[\]\n]*\]"  # a reference
    rb"|^ {0,3}\[[^\]\n]+\]:[ \t][^\n]*$"  # its definition
    rb"|<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>\n]{0,1000}>|<[a-z]+:[^<>\s]*>"
    rb"|\{[#.][^{}\n]{0,200}\}"  # attributes of headings and code
    rb"|(?<![A-Za-z0-9_])_+(?=[^\s_])|(?<=[^\s_])_+(?![A-Za-z0-9_])"  # emphasis
    rb"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});",
    re.MULTILINE | re.DOTALL,
)


class MarkdownReader(TextReader):
    """The text of a Markdown file."""

    traits = definition("markdown", "Markdown")
    says = "Markdown without its addresses and tags"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite what is not text, outside of blocks of code."""
        return Extracted(blank_markdown(data))


def blank_markdown(data: bytes) -> bytes:
    """Overwrite what is not text; blocks of code stay as they are."""
    canvas = Canvas(data)
    at = 0
    front = _FRONT.match(data)
    if front:
        canvas.blank(*front.span())
        at = front.end()
    while at < len(data):
        fence = _FENCE.search(data, at)
        _prose(canvas, at, fence.start() if fence else len(data))
        if fence is None:
            break
        canvas.blank(*fence.span())
        mark = fence.group(1)
        close = re.compile(rb"^ {0,3}" + mark + mark[:1] + rb"*[ \t]*\r?$", re.MULTILINE).search(
            data, fence.end()
        )
        at = close.end() if close else len(data)
    return canvas.made()


def _prose(canvas: Canvas, start: int, end: int) -> None:
    for found in _MARKUP.finditer(canvas.data, start, end):
        text = found.group()
        if text.startswith(b"&"):
            canvas.put(*found.span(), html.unescape(text.decode()))
        elif text.startswith((b"<", b"_")):
            canvas.join(*found.span())
        else:
            canvas.blank(*found.span())


MARKDOWN = MarkdownReader()
