"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""

from __future__ import annotations

from copysift.kinds import notebook, webpage
from copysift.kinds import pygments_code as foreign
from copysift.kinds.catalog import Languages, languages
from copysift.kinds.choice import detect_kind
from copysift.kinds.code import Code
from copysift.kinds.kind import Canonicaliser
from copysift.kinds.lexemes import Lexemes
from copysift.kinds.markup import Html, blank_markup
from copysift.kinds.raw_bytes import Raw
from copysift.kinds.text import Text
from copysift.kinds.words import Words
from copysift.runtime import registry
from copysift.runtime.encoding import detect_encoding, looks_binary, to_utf8, transcode

__all__ = [
    "Canonicaliser", "Code", "Languages", "Lexemes", "Raw", "Text", "Words", "blank_markup", "canonicaliser",
    "code", "detect_encoding", "detect_kind", "html", "html_words", "languages", "looks_binary", "to_utf8",
    "transcode",
]  # fmt: skip


def html() -> Canonicaliser:
    """Make the canonicaliser of HTML whose symbols are characters."""
    return Html(Text())


def html_words() -> Canonicaliser:
    """Make the canonicaliser of HTML whose symbols are words."""
    return Html(Words())


def code(language: str = "", known: Languages | None = None) -> Canonicaliser:
    """Make the canonicaliser of a language; of one that is plain text, or of none, that of text."""
    known = known or languages()
    if language == webpage.NAME:
        return webpage.WebPage(known)
    if language == notebook.NAME:
        return notebook.Notebook(known)
    if language.startswith(foreign.PREFIX):
        return foreign.Foreign(language)
    if not language or (entry := known.find(language)).language.text:
        return Text()
    return Code(entry)


def canonicaliser(kind: str, known: Languages | None = None) -> Canonicaliser:
    """Make the canonicaliser of a kind of document; plug-ins add theirs to the registry.

    The kind `code` is followed by the language, `code:java`; `known` are the languages to look in.
    """
    name, _, language = kind.partition(":")
    factory = registry.load(registry.KINDS, name)
    made: Canonicaliser = factory(language, known) if language else factory()
    return made
