"""YAML by value: comments, tags, anchors and escapes are overwritten in place; names and values stay.

A file is read line by line and never composed, so aliases cannot unfold it. Text blocks (`|` and `>`) are
kept whole: a # in them starts nothing.
"""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.blanking import Canvas
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition

_DIRECTIVE = re.compile(rb"%(?:YAML|TAG)[^\r\n]*")
_INDENT = re.compile(rb" *")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
# Strings may go on over lines. Counts are possessive: no text makes them look back.
_TOKEN = re.compile(
    rb'(?P<string>"(?:[^"\\]|\\.)*+(?:"|\Z))'
    rb"|(?P<single>'[^']*+(?:'|\Z))"
    rb"|(?P<comment>#[^\r\n]*)"
    rb"|(?P<mark>!<[^>\s]*>|[!&*][^\s,\[\]{}]*)"
    rb"|(?P<block>[|>][-+0-9]{0,2}[ \t]*(?:#[^\r\n]*)?(?=\r|\n|\Z))"
    rb"|(?P<end>\r\n|\r|\n)"
    rb"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)
_STARTS = re.compile(rb"(?:[ \t]|---(?=\s)|[-?:](?=\s))*+")  # what stands before a value
_STARTS_INSIDE = re.compile(rb"[ \t,:?]*+")  # in [] and {}
_PLAIN = re.compile(rb"(?:[^\s#:]|:(?!\s)|(?<!\s)#|[ \t]++(?!#|:\s|[\r\n]))++")
_PLAIN_INSIDE = re.compile(rb"(?:[^\s#:,\[\]{}]|:(?![\s,\[\]{}])|(?<!\s)#|[ \t]++(?!#|:\s|[\r\n]))++")
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|.))", re.DOTALL)
_SIGNS = {b"N": "\x85", b"_": "\xa0", b"L": "\u2028", b"P": "\u2029"}
_LAST = 0x10FFFF


class YamlReader(TextReader):
    """The names and values of a YAML file."""

    traits = definition("yaml", "YAML")
    says = "YAML by value"
    in_place = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Overwrite what is not a name or a value."""
        canvas = Canvas(data)
        at = indent = depth = 0
        fresh = True  # at the start of a line
        while at < len(data):
            if fresh and not depth:
                directive = _DIRECTIVE.match(data, at)
                if directive:
                    canvas.blank(*directive.span())
                    at = directive.end()
                    continue
                indent = _INDENT.match(data, at).end() - at  # type: ignore[union-attr] # it matches nothing, too
            fresh = False
            at = (_STARTS_INSIDE if depth else _STARTS).match(data, at).end()  # type: ignore[union-attr] # as above
            found = _TOKEN.match(data, at)
            if found is None:
                plain = (_PLAIN_INSIDE if depth else _PLAIN).match(data, at)
                at = plain.end() if plain else at + 1
                continue
            at, what = found.end(), found.lastgroup
            if what == "end":
                fresh = True
            elif what == "open" or what == "close":
                depth = max(0, depth + (1 if what == "open" else -1))
            elif what == "string":
                _unescape(canvas, data, *found.span())
            elif what != "single":
                canvas.blank(*found.span())
                if what == "block" and not depth:
                    at, fresh = _after_block(data, at, indent), True
        return Extracted(canvas.made())


def _after_block(data: bytes, at: int, indent: int) -> int:
    """Give where a text block ends: at the first line that is not blank and not further in."""
    header = _LINE.match(data, at)
    at = header.end() if header else at
    while at < len(data):
        line = _LINE.match(data, at)
        assert line is not None
        text = line.group()
        if text.strip() and len(text) - len(text.lstrip(b" ")) <= indent:
            break
        at = line.end()
    return at


def _unescape(canvas: Canvas, data: bytes, start: int, end: int) -> None:
    """Overwrite the escapes of a string in double quotes."""
    for found in _ESCAPE.finditer(data, start, end):
        sign = found.group(4)
        code = next((int(each, 16) for each in found.groups()[:3] if each), None)
        if code is not None and code <= _LAST and not 0xD800 <= code < 0xE000:
            canvas.put(*found.span(), chr(code))
        elif sign in _SIGNS:
            canvas.put(*found.span(), _SIGNS[sign])
        elif sign is None or sign not in (b'"', b"\\", b"/"):
            canvas.blank(*found.span())


YAML = YamlReader()
