"""The definition of HTML without its markup: the same bytes, with what is not text overwritten.

The length never changes, so that an offset in the blanked text is an offset in the HTML. Tags become
spaces, but those of inline elements and comments become joiners (0x7F), which do not part a word. The
contents of script, style, noscript, template and the like become spaces. A character reference becomes
its UTF-8, padded with joiners. This follows the HTML5 tokenizer (13.2.5), with these bounds so that
it can stream: a numeric reference of over 64 bytes is text; and whether an element is foreign (in SVG
or MathML) is not tracked, so CDATA is the bogus comment that it is in HTML, which ends at the first >.
"""

from __future__ import annotations

import html.entities
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt32s = NDArray[np.uint32]

JOINER, SPACE = 0x7F, 0x20
MAX_NAME = 10  # longer tag names are none that matter
MAX_REFERENCE = 64
BLANKS = b" \t\n\f\r"
DIGITS = b"0123456789"
HEX_DIGITS = b"0123456789abcdefABCDEF"
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

INLINE = frozenset(
    b"a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span "
    b"strike strong sub sup time tt u var wbr".split()
)
# Elements whose content is not markup; the first six are not shown, the next two know references.
RAW = [b"", b"script", b"style", b"noscript", b"iframe", b"noembed", b"noframes", b"title", b"textarea",
       b"xmp", b"plaintext"]  # fmt: skip
SCRIPT, LAST_HIDDEN, TITLE, TEXTAREA, PLAINTEXT = 1, 6, 7, 8, 10

(DATA, IN_RAW, IN_NAME, BEFORE_ATTRIBUTE, IN_ATTRIBUTE, BEFORE_VALUE, IN_DOUBLE, IN_SINGLE, IN_UNQUOTED,
 IN_BOGUS, COMMENT_START, COMMENT_START_DASH, IN_COMMENT, COMMENT_DASH, COMMENT_END,
 COMMENT_BANG) = range(16)  # fmt: skip

# Numeric references to C1 controls mean what they mean in Windows-1252.
WINDOWS = {
    byte: bytes([byte]).decode("cp1252")
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def _fit(name: str, value: str) -> bytes:
    encoded = value.encode()
    return encoded if len(encoded) <= len(name) + 1 else b" " + value[1:].encode()


ENTITIES = {name.encode(): _fit(name, value) for name, value in html.entities.html5.items()}


def _among(byte: int, these: bytes) -> bool:
    return byte >= 0 and byte in these


class _MoreNeeded(Exception):  # noqa: N818 - not an error: the rest comes with the next block
    """Raised where the answer depends on bytes after the end of the block."""


@dataclass
class _Blanker:
    data: bytes
    offset: int
    final: bool
    mode: int
    fill: int  # what the tag at hand is overwritten with
    raw: int  # the raw element that we are in, or shall be in after the tag at hand
    escaped: int  # in a script: 1 after <!--, 2 after <script inside that
    depth: int  # of templates
    at: int = 0
    out: bytearray = field(default_factory=bytearray)
    references: list[tuple[int, int]] = field(default_factory=list)

    def run(self) -> None:
        try:
            while self.at < len(self.data):
                if self.mode == DATA:
                    self.text_step()
                elif self.mode == IN_RAW:
                    self.raw_step()
                else:
                    self.markup_step(self.data[self.at])
        except _MoreNeeded:
            pass

    def peek(self, distance: int) -> int:
        """Give the byte at a distance; -1 past the end of the document."""
        if self.at + distance < len(self.data):
            return self.data[self.at + distance]
        if not self.final:
            raise _MoreNeeded
        return -1

    def blank(self, count: int, fill: int) -> None:
        count = min(count, len(self.data) - self.at)
        self.out += bytes([fill]) * count
        self.at += count

    def show(self) -> None:
        """Let one byte of text through, unless a template hides it."""
        self.out.append(SPACE if self.depth else self.data[self.at])
        self.at += 1

    def text_step(self) -> None:
        byte = self.data[self.at]
        if byte == ord("<"):
            self.open_markup()
        elif byte == ord("&"):
            self.reference()
        else:
            self.show()

    def open_markup(self) -> None:
        second = self.peek(1)
        if second == ord("!"):
            comment = self.peek(2) == ord("-") and self.peek(3) == ord("-")
            self.mode, self.fill = COMMENT_START if comment else IN_BOGUS, JOINER
            self.blank(4 if comment else 2, JOINER)
        elif second == ord("?"):
            self.mode, self.fill = IN_BOGUS, JOINER
            self.blank(2, JOINER)
        elif second == ord("/"):
            third = self.peek(2)
            if _among(third, LETTERS):
                self.open_tag(2)
            elif third < 0:
                self.show()
            else:
                self.mode, self.fill = IN_BOGUS, JOINER
                self.blank(2, JOINER)
        elif _among(second, LETTERS):
            self.open_tag(1)
        else:
            self.show()

    def open_tag(self, skip: int) -> None:
        name = bytearray()
        while len(name) < MAX_NAME:
            byte = self.peek(skip + len(name))
            if byte < 0 or byte in BLANKS + b"/>":
                break
            name.append(byte)
        known = bytes(name).lower() if len(name) < MAX_NAME else b""
        self.fill = JOINER if known in INLINE else SPACE
        self.mode = IN_NAME
        self.raw = RAW.index(known) if skip == 1 and known in RAW else 0
        if known == b"template":
            self.depth = self.depth + 1 if skip == 1 else max(0, self.depth - 1)
        self.blank(skip + len(name), self.fill)

    def markup_step(self, byte: int) -> None:
        """Overwrite one byte of a tag or comment and see where it leads."""
        if self.mode >= COMMENT_START:
            self.comment_step(byte)
        elif self.mode == IN_DOUBLE or self.mode == IN_SINGLE:
            if byte == ord('"' if self.mode == IN_DOUBLE else "'"):
                self.mode = BEFORE_ATTRIBUTE
        elif byte == ord(">"):
            self.mode = IN_RAW if self.raw else DATA
            self.escaped = 0
        elif self.mode == IN_NAME or self.mode == IN_UNQUOTED:
            if byte in BLANKS or (byte == ord("/") and self.mode == IN_NAME):
                self.mode = BEFORE_ATTRIBUTE
        elif self.mode == BEFORE_ATTRIBUTE:
            if byte not in BLANKS + b"/":
                self.mode = IN_ATTRIBUTE
        elif self.mode == IN_ATTRIBUTE:
            self.mode = {ord("/"): BEFORE_ATTRIBUTE, ord("="): BEFORE_VALUE}.get(byte, IN_ATTRIBUTE)
        elif self.mode == BEFORE_VALUE and byte not in BLANKS:
            self.mode = {ord('"'): IN_DOUBLE, ord("'"): IN_SINGLE}.get(byte, IN_UNQUOTED)
        self.blank(1, self.fill)

    def comment_step(self, byte: int) -> None:
        dash = byte == ord("-")
        if byte == ord(">") and self.mode not in (IN_COMMENT, COMMENT_DASH):
            self.mode = DATA
        elif self.mode == COMMENT_START:
            self.mode = COMMENT_START_DASH if dash else IN_COMMENT
        elif self.mode == COMMENT_START_DASH or self.mode == COMMENT_DASH:
            self.mode = COMMENT_END if dash else IN_COMMENT
        elif self.mode == COMMENT_END:
            self.mode = COMMENT_END if dash else COMMENT_BANG if byte == ord("!") else IN_COMMENT
        else:  # in the comment, or after --!
            self.mode = COMMENT_DASH if dash else IN_COMMENT

    def exactly(self, expected: bytes) -> bool:
        return all(self.peek(i) == byte for i, byte in enumerate(expected))

    def tag_ahead(self, start: bytes) -> bool:
        """Say whether a tag of the raw element comes next, its name in either case."""
        name = RAW[self.raw]
        if not self.exactly(start):
            return False
        if not all(self.peek(len(start) + i) | 0x20 == byte for i, byte in enumerate(name)):
            return False
        return _among(self.peek(len(start) + len(name)), BLANKS + b"/>")

    def raw_step(self) -> None:
        hidden = self.raw <= LAST_HIDDEN
        byte = self.data[self.at]
        if byte == ord("<") and self.raw != PLAINTEXT:
            if self.tag_ahead(b"</"):
                self.close_raw()
                return
            if self.raw == SCRIPT and not self.escaped and self.exactly(b"<!--"):
                self.escaped = 1
                self.blank(2, SPACE)  # the dashes may be those of --> too
                return
            if self.raw == SCRIPT and self.escaped == 1 and self.tag_ahead(b"<"):
                self.escaped = 2
        elif byte == ord("-") and self.escaped and self.exactly(b"-->"):
            self.escaped = 0
            self.blank(3, SPACE)
            return
        elif byte == ord("&") and self.raw in (TITLE, TEXTAREA):
            self.reference()
            return
        if hidden:
            self.blank(1, SPACE)
        else:
            self.show()

    def close_raw(self) -> None:
        length = 2 + len(RAW[self.raw])
        if self.escaped == 2:
            self.escaped = 1
        else:
            self.mode, self.fill, self.raw = IN_NAME, SPACE, 0
        self.blank(length, SPACE)

    def reference(self) -> None:
        length, value = self.number() if self.peek(1) == ord("#") else self.name()
        if not length:
            self.show()
        elif self.depth:
            self.blank(length, SPACE)
        else:
            self.references.append((self.offset + self.at, self.offset + self.at + length))
            self.out += value + bytes([JOINER]) * (length - len(value))
            self.at += length

    def number(self) -> tuple[int, bytes]:
        at = 3 if _among(self.peek(2), b"xX") else 2
        base, digits = (16, HEX_DIGITS) if at == 3 else (10, DIGITS)
        first, point = at, 0
        while at < MAX_REFERENCE and _among(self.peek(at), digits):
            point = min(0x110000, point * base + int(chr(self.peek(at)), 16))
            at += 1
        if at in (first, MAX_REFERENCE):
            return 0, b""
        if self.peek(at) == ord(";"):
            at += 1
        if point in WINDOWS:
            return at, WINDOWS[point].encode()
        if point == 0 or point >= 0x110000 or 0xD800 <= point < 0xE000:
            point = 0xFFFD
        return at, chr(point).encode()

    def name(self) -> tuple[int, bytes]:
        """Find the longest name here: all of a run that ends with ;, else an old name that needs none."""
        run = bytearray()
        while len(run) < 32:
            byte = self.peek(1 + len(run))
            if not _among(byte, LETTERS + DIGITS):
                break
            run.append(byte)
        if len(run) < 32 and self.peek(1 + len(run)) == ord(";") and bytes(run) + b";" in ENTITIES:
            return len(run) + 2, ENTITIES[bytes(run) + b";"]
        for length in range(min(6, len(run)), 1, -1):
            if bytes(run[:length]) in ENTITIES:
                return length + 1, ENTITIES[bytes(run[:length])]
        return 0, b""


def markup_block(
    data: bytes, offset: int, state: int, final: bool
) -> tuple[bytes, UInt32s, UInt32s, int, int]:
    """Blank the markup of one block of HTML; start a document with state 0.

    Gives the blanked bytes, the spans of the character references (half-open source offsets; `offset`
    is that of the block), the bytes used and the state for the next block, which starts with what was
    not used: at most 64 bytes.
    """
    fields = (state & 255, state >> 8 & 255, state >> 16 & 255, state >> 24 & 255, state >> 32)
    blanker = _Blanker(bytes(data), offset, final, *fields)
    blanker.run()
    spans = np.array(blanker.references, np.uint32).reshape(-1, 2)
    packed = blanker.mode | blanker.fill << 8 | blanker.raw << 16 | blanker.escaped << 24
    packed |= blanker.depth << 32
    starts, ends = np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
    return bytes(blanker.out), starts, ends, blanker.at, packed
