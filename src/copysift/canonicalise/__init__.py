"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""

from __future__ import annotations

from copysift import registry
from copysift.canonicalise import foreign, notebook
from copysift.canonicalise.canonicaliser import Canonicaliser
from copysift.canonicalise.catalog import Languages, languages
from copysift.canonicalise.code import Code
from copysift.canonicalise.lexemes import Lexemes
from copysift.canonicalise.markup import Html, blank_markup
from copysift.canonicalise.raw import Raw
from copysift.canonicalise.sniff import detect_kind
from copysift.canonicalise.text import Text
from copysift.canonicalise.words import Words
from copysift.encoding import detect_encoding, looks_binary, to_utf8, transcode

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
