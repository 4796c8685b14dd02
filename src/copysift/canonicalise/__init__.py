"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""

from __future__ import annotations

from collections.abc import Callable

from copysift.canonicalise.canonicaliser import Canonicaliser
from copysift.canonicalise.markup import Html, blank_markup
from copysift.canonicalise.raw import Raw
from copysift.canonicalise.sniff import detect_encoding, detect_kind, looks_binary, to_utf8, transcode
from copysift.canonicalise.text import Text
from copysift.canonicalise.words import Words
from copysift.errors import UsageError

__all__ = [
    "KINDS", "Canonicaliser", "blank_markup", "canonicaliser", "detect_encoding", "detect_kind",
    "looks_binary", "to_utf8", "transcode",
]  # fmt: skip

KINDS: dict[str, Callable[[], Canonicaliser]] = {
    "bytes": Raw,
    "html": lambda: Html(Text()),
    "html-words": lambda: Html(Words()),
    "text": Text,
    "words": Words,
}


def canonicaliser(kind: str) -> Canonicaliser:
    """Make the canonicaliser of a kind of document: one of KINDS."""
    if kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r}", hint=f"Choose one of {', '.join(sorted(KINDS))}.")
    return KINDS[kind]()
