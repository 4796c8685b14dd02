"""What is this file?  Of which kind, by its first bytes and its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from copysift.kinds import header, notebook
from copysift.kinds import pygments_code as foreign
from copysift.kinds.catalog import Languages, languages
from copysift.kinds.kind import CODE, TEXT, channel_of
from copysift.model.traits import kind_traits
from copysift.runtime import registry
from copysift.runtime.encoding import detect_encoding

_MARK = b"\xef\xbb\xbf"  # of UTF-8
_BLANKS = re.compile(rb"\s*")
_HTML_TAG = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)


Known = Languages | Callable[[], Languages] | None


@cache
def kinds_by_suffix() -> dict[str, str]:
    """Give the kinds that the suffix of a name chooses, besides the languages of `code`."""
    names = (*registry.built_in(registry.KINDS), *registry.plug_in_names(registry.KINDS))
    return {suffix: name for name in names for suffix in kind_traits(name).suffixes}


@cache
def kinds_by_magic() -> dict[bytes, str]:
    """Give the kinds that the first bytes of a file choose."""
    names = (*registry.built_in(registry.KINDS), *registry.plug_in_names(registry.KINDS))
    return {magic: name for name in names for magic in kind_traits(name).magic}


@cache
def _first_bytes() -> frozenset[int]:
    return frozenset(magic[0] for magic in kinds_by_magic())


def kind_by_magic(head: bytes, *, raw: bool = False) -> str:
    """Choose the kind of a text, or of a binary file, by its first bytes; "" for none."""
    if head[:1] and head[0] in _first_bytes():
        for magic, name in kinds_by_magic().items():
            if head.startswith(magic) and kind_traits(name).raw == raw:
                return name
    return ""


def kind_of_binary(name: str, head: bytes) -> str:
    """Choose the kind of a binary file: one that its first bytes or its name choose, else `bytes`."""
    by_name = kinds_by_suffix().get(name[name.rfind(".") :].lower(), "") if "." in name else ""
    chosen = kind_by_magic(head, raw=True) or by_name
    return chosen if chosen and kind_traits(chosen).raw else "bytes"


def detect_kind(name: str, head: bytes, known: Languages | None = None) -> str:
    """Choose the kind for `auto`: by what the first bytes look like, then by the suffix of the name.

    A program is `code:` and its language; `known` are the languages to look in.
    """
    encoding = detect_encoding(head)
    if encoding is None:
        return kind_of_binary(name, head)
    if encoding != "utf-8":
        head = head.decode(encoding, "replace").encode("utf-8", "replace")
    return kind_of_text(name, head, known)


def kind_of_suffix(name: str, known: Languages, every: bool = True) -> str:
    """Give the kind of texts with the suffix of a name, as `kind_of_text` does; "" where they may differ.

    Callers need it once for a suffix. Only the first bytes of a file may say otherwise (`may_have_magic`).
    """
    by_name = kinds_by_suffix().get(name[name.rfind(".") :].lower())
    if by_name or not known.is_decided(name):
        return ""
    kind = kind_of_text(name, b"", known, every)
    return kind if kind.startswith("code:") else ""


def may_have_magic(head: bytes) -> bool:
    """Say whether the first bytes of a file may choose its kind."""
    return bool(head) and head[0] in _first_bytes()


def kind_of_text(name: str, head: bytes, known: Known = None, every: bool = True) -> str:
    """Choose the kind of a text by the suffix of its name, then by its first bytes, in UTF-8.

    The languages are looked up only where a suffix may name one. Without `every`, headers of C are a kind of
    their own, for the tokens of declarations say little, and what only Pygments can lex, which takes long, is
    a text.
    """
    if by_content := kind_by_magic(head):
        return by_content
    dot = name.rfind(".")  # not Path.suffix: this runs for every file, and only known suffixes matter
    if dot >= 0:
        by_name = kinds_by_suffix().get(name[dot:].lower())
        if by_name and not kind_traits(by_name).raw:
            return by_name
        language = detect_language(name, head, known() if callable(known) else known, every)
        if not every and language == header.LANGUAGE and name.endswith(header.SUFFIXES):
            return header.KIND
        if language:
            return f"code:{language}"
    return "html" if _begins_a_page(head) else "text"


def kind_among_texts(name: str, head: bytes, known: Callable[[], Languages]) -> str:
    """Choose the kind of a text where programs are texts like all others; notebooks are taken apart.

    The languages are loaded only where a program may start like a page.
    """
    if name.lower().endswith(".ipynb"):
        return f"code:{notebook.NAME}"
    if by_content := kind_by_magic(head):
        return by_content
    if kinds_by_suffix().get(name[name.rfind(".") :].lower()) is None and not _begins_a_page(head):
        return "text"
    kind = kind_of_text(name, head, known())
    return TEXT if channel_of(kind) == CODE else kind


def _begins_a_page(head: bytes) -> bool:
    """Whether HTML comes after blanks, comments and XML declarations.

    One pass by hand: a regular expression would try every way to divide a row of comments.
    """
    at = len(_MARK) if head.startswith(_MARK) else 0
    while True:
        blanks = _BLANKS.match(head, at)
        at = blanks.end() if blanks else at
        if head.startswith(b"<!--", at):
            end, size = head.find(b"-->", at + 4), 3
        elif head[at : at + 5].lower() == b"<?xml":
            end, size = head.find(b">", at + 5), 1
        else:
            return _HTML_TAG.match(head, at) is not None
        if end < 0:
            return False
        at = end + size


def detect_language(name: str, head: bytes, known: Languages | None = None, every: bool = True) -> str | None:
    """Name the language of a program by its file name: a language file, a notebook, or Pygments' choice."""
    if name.lower().endswith(".ipynb"):
        return notebook.NAME
    known = known or languages()
    entry = known.by_extension(name, head)
    if entry is not None or known.has_extension(name):
        return entry.name if entry else None
    return foreign.by_extension(name) if every else None


def chosen_kind(language: str, known: Languages) -> str:
    """Give the kind of files in a language that was named, also by an alias; MOSS's ascii is text."""
    if language == notebook.NAME or language.startswith(foreign.PREFIX):
        return f"code:{language}"
    entry = known.find(language)
    return "text" if entry.language.text else f"code:{entry.name}"
