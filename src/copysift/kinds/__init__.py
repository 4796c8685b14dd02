"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""

from __future__ import annotations

from copysift.kinds.catalog import Languages, languages
from copysift.kinds.choice import detect_kind
from copysift.kinds.code import Code
from copysift.kinds.kind import Canonicaliser
from copysift.kinds.lexemes import Lexemes
from copysift.kinds.markup import blank_markup
from copysift.kinds.programs import code
from copysift.kinds.raw_bytes import Raw
from copysift.kinds.text import Text
from copysift.kinds.words import Words
from copysift.runtime import registry
from copysift.runtime.encoding import detect_encoding, looks_binary, to_utf8, transcode

__all__ = [
    "Canonicaliser", "Code", "Languages", "Lexemes", "Raw", "Text", "Words", "blank_markup", "canonicaliser",
    "code", "detect_encoding", "detect_kind", "languages", "looks_binary", "to_utf8",
    "transcode",
]  # fmt: skip


def canonicaliser(kind: str, known: Languages | None = None) -> Canonicaliser:
    """Make the canonicaliser of a kind of document; plug-ins add theirs to the registry.

    The kind `code` is followed by the language, `code:java`; `known` are the languages to look in.
    """
    name, _, language = kind.partition(":")
    factory = registry.load(registry.KINDS, name)
    made: Canonicaliser = factory(language, known) if language else factory()
    return made
