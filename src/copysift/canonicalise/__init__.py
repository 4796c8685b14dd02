"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""

from __future__ import annotations

from copysift import registry
from copysift.canonicalise.canonicaliser import Canonicaliser
from copysift.canonicalise.markup import Html, blank_markup
from copysift.canonicalise.raw import Raw
from copysift.canonicalise.sniff import detect_encoding, detect_kind, looks_binary, to_utf8, transcode
from copysift.canonicalise.text import Text
from copysift.canonicalise.words import Words

__all__ = [
    "Canonicaliser", "Raw", "Text", "Words", "blank_markup", "canonicaliser", "detect_encoding",
    "detect_kind", "html", "html_words", "looks_binary", "to_utf8", "transcode",
]  # fmt: skip


def html() -> Canonicaliser:
    """Make the canonicaliser of HTML whose symbols are characters."""
    return Html(Text())


def html_words() -> Canonicaliser:
    """Make the canonicaliser of HTML whose symbols are words."""
    return Html(Words())


def canonicaliser(kind: str) -> Canonicaliser:
    """Make the canonicaliser of a kind of document; plug-ins add theirs to the registry."""
    made: Canonicaliser = registry.load(registry.KINDS, kind)()
    return made
