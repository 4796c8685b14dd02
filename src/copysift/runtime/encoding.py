"""Is it text, and in which encoding?

Everything after reading works on UTF-8: text in another encoding is transcoded, and offsets are those of
the readable UTF-8. UTF-8 itself is never touched, not even where a few bytes of it are damaged.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from copysift import kernels

SAMPLE = 64 * 1024  # bytes that decide
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Formats with long readable heads that are no text.
_MAGIC = (
    b"%PDF-",
    b"%!PS-Adobe",
    b"{\\rtf",
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
)
# DEL is none of them: readers overwrite markup with it, which may be a good part of a text.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b\x1a"))
_CONTROL_SHARE = 0.05  # of the bytes, at the most, in text; random bytes have 0.1
_FEW = 12  # bytes outside ASCII: too few to tell Western encodings from others


def looks_binary(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of no text in any encoding."""
    if head.startswith(_MAGIC):
        return True
    if _unicode_by_marks(head) or not head:
        return False
    if b"\0" in head:
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > _CONTROL_SHARE * len(head)


def detect_encoding(head: bytes) -> str | None:
    """Name the encoding of a text by its first bytes; None if they look binary."""
    if known_utf8([head])[0]:  # nearly every text, and the kernel is ten times as fast as what follows
        return "utf-8"
    marked = _unicode_by_marks(head)
    if marked:
        return marked
    if looks_binary(head):
        return None
    if head.isascii() or _is_utf8(head):
        return "utf-8"
    return _legacy(head)


def to_utf8(data: bytes) -> tuple[bytes, str | None]:
    """Give a text as UTF-8 with the encoding it had; binary data comes back as it is, with None.

    What the encoding cannot explain becomes U+FFFD, which counts as nothing; it never raises.
    """
    head = data[:SAMPLE]
    encoding = detect_encoding(head)
    if encoding == "utf-8" and head.isascii() and not data.isascii():
        encoding = detect_encoding(_beyond_ascii(data)) or encoding
    if encoding is None or encoding == "utf-8":
        return data, encoding
    return data.decode(encoding, "replace").encode("utf-8", "replace"), encoding


def known_utf8(sources: list[bytes]) -> list[bool]:
    """Say of each source whether it is surely a text in UTF-8; `to_utf8` then gives it as it is.

    What is not so plain (a NUL, a damaged byte, many control characters) is for that to judge.
    """
    controls = kernels.text.sound(sources, SAMPLE)
    return [
        0 <= count <= _CONTROL_SHARE * min(len(source), SAMPLE) and not source.startswith(_MAGIC)
        for source, count in zip(sources, controls, strict=True)
    ]


def transcode(chunks: Iterable[bytes], encoding: str | None) -> Iterator[bytes]:
    """Give the chunks of a document as UTF-8, whatever sequences the cuts between them split."""
    if encoding is None or encoding == "utf-8":
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")


def is_damaged(data: bytes) -> bool:
    """Say whether a text is taken as UTF-8 and holds bytes that are none."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        head = data[:SAMPLE]
        head = _beyond_ascii(data) if head.isascii() else head
        marked = _unicode_by_marks(head)
        return marked == "utf-8" if marked else _is_utf8(head)
    return False


def _unicode_by_marks(head: bytes) -> str | None:
    """Know UTF-8, -16 and -32 by their byte order mark, and UTF-16 without one by its zeros."""
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    if len(head) < 4 or b"\0" not in head:
        return None
    even, odd = head[: len(head) & ~1][0::2], head[1::2]
    # In UTF-16 of a Western script nearly every other byte is zero, and never two in one character.
    for high, low, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if high.count(0) > 0.7 * len(high) and low.count(0) < 0.01 * len(low) + 1 and _is_readable(low, high):
            return encoding
    return None


def _is_readable(low: bytes, high: bytes) -> bool:
    """Say whether the characters below 256 among UTF-16 units are text rather than small numbers."""
    plain = bytes(a for a, b in zip(low[:4096], high[:4096], strict=False) if b == 0)
    return len(plain.translate(None, _CONTROLS + b"\0")) > 0.95 * len(plain)


def _is_utf8(head: bytes) -> bool:
    """Accept UTF-8 whose last character is cut off, or that has a damaged byte among many sound ones."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return True
    except UnicodeDecodeError:
        text = head.decode("utf-8", "replace")
        damaged = text.count("\ufffd")
        sound = len(text) - damaged - len(text.encode("ascii", "ignore"))
        return sound >= 10 * damaged


def _beyond_ascii(data: bytes) -> bytes:
    """Give the bytes around the first that is not ASCII."""
    outside = re.search(rb"[\x80-\xff]", data)
    at = max(0, outside.start() - SAMPLE // 4) if outside else 0
    return data[at : at + SAMPLE]


def _legacy(head: bytes) -> str:
    """Guess an encoding of before Unicode; Windows-1252, the most common one, where little speaks."""
    outside = len(head) - len(head.decode("ascii", "ignore"))
    if outside < _FEW:
        return "cp1252"
    from charset_normalizer import from_bytes  # slow to import, and most text is UTF-8

    matches = from_bytes(head[: SAMPLE // 4])
    best = matches.best()
    if best is None or best.encoding in ("ascii", "latin_1", "utf_8"):
        return "cp1252"
    # Encodings of other parts of Europe read Western text nearly as well: prefer the common one.
    for match in matches:
        as_good = match.chaos <= best.chaos + 0.06 and match.coherence >= best.coherence - 0.02
        if as_good and "cp1252" in match.could_be_from_charset:
            return "cp1252"
    return best.encoding
