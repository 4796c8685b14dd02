"""PostScript: the strings that are shown, in their order; headers, fonts and programs are dropped.

It is a programming language, so no scan of its source is sure. What the common programs write (groff, dvips,
Ghostscript, Cairo, browsers) shows strings in parentheses or in hexadecimal. A document whose shown strings
are not text in a usual encoding is said to be unreadable: run it through `--filter '*.ps=ps2ascii'`.
"""

from __future__ import annotations

import re

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import plural

_PROLOG = re.compile(
    rb"^%%Begin(Prolog|Setup|Resource|Font|ProcSet|Defaults|Preview|Data|Document|Encoding)\b|"
    rb"^%%End(Prolog|Setup|Resource|Font|ProcSet|Defaults|Preview|Data|Document|Encoding)\b",
    re.MULTILINE,
)
_TOKEN = re.compile(rb"%[^\r\n]*|\(|<[0-9A-Fa-f\s]*>|[^\s()<>%\[\]{}/]+|/[^\s()<>%\[\]{}/]*")
_INSIDE = re.compile(rb"\\.|[()]", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\s\S]))")
_ESCAPED = {
    b"n": b"\n",
    b"r": b"\n",
    b"t": b"\t",
    b"b": b"",
    b"f": b"\n",
    b"\n": b"",
    b"\r": b"",
    b"\r\n": b"",
}
_KERN = 20  # units of TeX's programs that move letters of a word
_NUMBER = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)$")
# Ligatures in the encodings of TeX (OT1 and T1), groff and Adobe.
_LIGATURES = {
    0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl",
    0x1E: "ffi", 0x1F: "ffl", 0x8B: "ff", 0x8C: "fi", 0x8D: "fl", 0x8E: "ffi", 0x8F: "ffl", 0xAE: "fi",
    0xAF: "fl", 0x02: "fi", 0x03: "fl",
}  # fmt: skip
_NO_TEXT = frozenset(b"def put bind cvn run findfont definefont load store get known token".split())
_PAGE = re.compile(rb"^%%Page:", re.MULTILINE)
_CODES = bytes(range(32))  # of ligatures, at the most a few of them; fonts that are numbered anew begin here
_MOST_CODES = 0.1


class PostScriptReader(TextReader):
    """The text that a PostScript file shows."""

    traits = definition("postscript", "PostScript documents")
    says = "PostScript, strings shown"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the shown strings, with a line for each change of the height."""
        body = _body(data)
        found = _shown(body)
        text = "".join(found.out)
        letters = sum(each.isalpha() or each.isspace() for each in text)
        if text and (letters < 0.5 * len(text) or found.codes > _MOST_CODES * found.bytes):
            raise UnreadableError(
                "shows strings in an encoding of its own fonts; use --filter '*.ps=ps2ascii' to read its text"
            )
        if not text.strip():
            raise UnreadableError(
                "shows no strings: it is a drawing, or a program that makes its text, "
                "which --filter '*.ps=ps2ascii' may read"
            )
        return Extracted(text.encode(), plural(len(_PAGE.findall(data)), "page"))


def _body(data: bytes) -> bytes:
    """Give the file without its prolog, fonts and included documents, as comments mark them."""
    if data.startswith(b"\xc5\xd0\xd3\xc6"):  # with a preview around it
        start, size = int.from_bytes(data[4:8], "little"), int.from_bytes(data[8:12], "little")
        data = data[start : start + size]
    parts, at, depth = [], 0, 0
    for mark in _PROLOG.finditer(data):
        if mark.group(1):
            if not depth:
                parts.append(data[at : mark.start()])
            depth += 1
        elif depth:
            depth -= 1
            at = mark.end()
        else:  # an end without a beginning: all before it is prolog
            parts.clear()
            at = mark.end()
    if not depth:
        parts.append(data[at:])
    first = _PAGE.search(data)
    body = b"\n".join(parts)
    if first:
        page = _PAGE.search(body)
        body = body[page.start() :] if page else body
    return body


class _Strings:
    """The strings of an operation, and where a line may end."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.bytes = self.codes = 0  # of strings that were shown
        self.waiting: list[str] = []
        self._bytes = self._codes = 0  # of those that wait
        self.height = b""
        self.numbers: list[bytes] = []
        self._gap = ""

    def string(self, raw: bytes) -> None:
        """Take a string."""
        self.waiting.append(_plain(raw))
        self._bytes += len(raw)
        self._codes += len(raw) - len(raw.translate(None, _CODES))

    def word(self, word: bytes) -> None:
        """Take an operator: what waits was shown, unless it is of those that show nothing."""
        self._move(word)
        if self.waiting:
            if word not in _NO_TEXT:
                self.out += [self._gap if self.out else "", *self.waiting]
                self._gap = " "
                self.bytes += self._bytes
                self.codes += self._codes
            self.waiting = []
            self._bytes = self._codes = 0
        self.numbers = []

    def _move(self, word: bytes) -> None:
        """Notice where the next string is: on another line, after a space, or close by."""
        if len(self.numbers) > 1:
            if self.numbers[-1] != self.height:
                self._gap = "\n"
            self.height = self.numbers[-1]
        elif self.numbers and len(word) == 1 and abs(float(self.numbers[0])) <= _KERN:
            self._gap = ""

    def number(self, word: bytes) -> None:
        """Take a number; in an array between strings a large one moves by a word."""
        self.numbers.append(word)
        if self.waiting and abs(float(word)) > 200:
            self.waiting.append(" ")


def _shown(body: bytes) -> _Strings:
    found, at = _Strings(), 0
    while token := _TOKEN.search(body, at):
        text, at = token.group(), token.end()
        if text == b"(":
            end = _string_end(body, at)
            found.string(_decoded(body[at:end]))
            at = end + 1
        elif text[:1] in b"%/":
            continue
        elif text[:1] == b"<":
            digits = re.sub(rb"[^0-9A-Fa-f]", b"", text)
            found.string(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()))
        elif _NUMBER.match(text):
            found.number(text)
        else:
            found.word(text)
    return found


def _string_end(body: bytes, at: int) -> int:
    """Give the place of the parenthesis that closes a string."""
    depth = 1
    for sign in _INSIDE.finditer(body, at):
        depth += {b"(": 1, b")": -1}.get(sign.group(), 0)
        if not depth:
            return sign.start()
    return len(body)


def _decoded(raw: bytes) -> bytes:
    def value(found: re.Match[bytes]) -> bytes:
        octal, sign = found.groups()
        return bytes([int(octal, 8) & 255]) if octal else _ESCAPED.get(sign, sign)

    return _ESCAPE.sub(value, raw)


def _plain(raw: bytes) -> str:
    return "".join(
        _LIGATURES.get(byte, "" if byte < 32 and byte not in b"\n\t" else chr(byte)) for byte in raw
    )


POSTSCRIPT = PostScriptReader()
