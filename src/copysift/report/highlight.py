"""Colour sources when a report is made: text and runs of token classes, never markup.

The page makes elements of them with text nodes only, so that no source can become markup.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from pygments.lexers import find_lexer_class_for_filename
from pygments.token import Token

from copysift.runtime.pygments_tokens import tokens
from copysift.runtime.timing import TooSlowDocumentError

SECONDS = 5.0  # that colouring one source may take
FAILURES = 10  # after so many that took longer nothing is coloured any more
COLOURED = 200_000  # characters; what is longer stays plain, for a lexer takes a second a megabyte
# The classes of the page, by number: 0 is plain. The first that a token type belongs to.
CLASSES: tuple[tuple[Any, str], ...] = (
    (Token.Comment.Preproc, "tp"),
    (Token.Comment, "tc"),
    (Token.Keyword, "tk"),
    (Token.Operator.Word, "tk"),
    (Token.Literal.String, "ts"),
    (Token.Literal.Number, "tn"),
    (Token.Name.Function, "tf"),
    (Token.Name.Class, "tf"),
    (Token.Name.Decorator, "tp"),
    (Token.Name.Builtin, "tb"),
    (Token.Name.Tag, "tk"),
    (Token.Generic.Heading, "tk"),
)
_failures: list[str] = []
CLASS_NAMES = ("", *dict.fromkeys(name for _, name in CLASSES))

# Characters that would draw text in another order than it has, and controls, each as one visible sign.
# DEL is not shown: readers put it in place of markup inside of words.
_VISIBLE: dict[int, int | None] = {0x7F: None}
_VISIBLE |= {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)}
_VISIBLE |= dict.fromkeys((*range(0x80, 0xA0), *range(0x200E, 0x2010)), 0xFFFD)
_VISIBLE |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)


@dataclass(frozen=True, slots=True)
class ColouredSource:
    """A source as the page shows it; `runs` is class, length, class, length, … in UTF-16 units."""

    text: str
    runs: tuple[int, ...]


def coloured(name: str, text: str) -> ColouredSource:
    """Colour a source by the suffix of its name."""
    return ColouredSource(text, tuple(_flat(_tokens(name, text), len(text), text)))


def readable(data: bytes, offsets: Collection[int]) -> tuple[str, dict[int, int]]:
    """Decode a source; give it, and where the byte offsets are in it, in UTF-16 units.

    The text is cut at the offsets before it is decoded: damaged bytes never move what is behind them.
    """
    marks = sorted({min(offset, len(data)) for offset in offsets} | {0, len(data)})
    parts, places, at = [], {0: 0}, 0
    for start, end in pairwise(marks):
        part = data[start:end].decode("utf-8", "replace").translate(_VISIBLE)
        parts.append(part)
        at += units(part)
        places[end] = at
    return "".join(parts), {offset: places[min(offset, len(data))] for offset in offsets}


def units(text: str) -> int:
    """Count UTF-16 units, in which JavaScript measures strings."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _tokens(name: str, text: str) -> Iterator[tuple[int, str]]:
    suffix = _suffix(name)
    if not _has_lexer(suffix) or len(text) > COLOURED or len(_failures) >= FAILURES:
        return
    try:
        for _, kind, value in tokens(text, SECONDS, file=f"x{suffix}"):
            yield _class(kind), value
    except TooSlowDocumentError:  # or a lexer that breaks down: the text stays plain
        _failures.append(name)


def _flat(tokens: Iterator[tuple[int, str]], length: int, text: str) -> Iterator[int]:
    """Join neighbours of one class; what the lexer left out at the end is plain."""
    open_class, open_units, seen = 0, 0, 0
    for number, value in tokens:
        seen += len(value)
        if number != open_class and open_units:
            yield from (open_class, open_units)
            open_units = 0
        open_class = number
        open_units += units(value)
    if open_units:
        yield from (open_class, open_units)
    if seen < length:
        yield from (0, units(text[seen:]))


@lru_cache(maxsize=1024)
def _class(kind: Any) -> int:
    for wanted, name in CLASSES:
        if kind in wanted:
            return CLASS_NAMES.index(name)
    return 0


@lru_cache(maxsize=256)
def _has_lexer(suffix: str) -> bool:
    return bool(suffix) and find_lexer_class_for_filename(f"x{suffix}") is not None


def _suffix(name: str) -> str:
    leaf = name.rpartition("/")[2]
    stem, dot, suffix = leaf.rpartition(".")
    return f".{suffix.lower()}" if dot and stem else ""
