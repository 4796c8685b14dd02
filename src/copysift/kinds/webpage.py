"""Web pages as programs: the markup as HTML, scripts as JavaScript, styles as CSS, each by its own lexer.

Where students hand web pages in, their work is in the script and the style sheet, not in the visible words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.code import Code
from copysift.kinds.kind import CodeCanonicaliser
from copysift.kinds.lexemes import Lexemes, PlacedLexemes
from copysift.kinds.positions import Explicit
from copysift.model.values import Canonical

if TYPE_CHECKING:
    from copysift.kinds.catalog import Languages

NAME = "webpage"
KIND = f"code:{NAME}"
_OPEN = re.compile(rb"<(script|style)\b|<!--", re.IGNORECASE)
_LONGEST_TAG = 4096
_LANGUAGES = {b"script": "javascript", b"style": "css"}


def parts(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Cut a page: give the language, start and end of each part, half-open; tags belong to the markup."""
    at = begun = 0
    last_comment = data.rfind(b"-->")  # beyond it no comment closes
    closed_at = -1  # where the last tag that was looked at ends
    while found := _OPEN.search(data, at):
        if found[0] == b"<!--":
            closed = found.end() <= last_comment
            at = data.find(b"-->", found.end()) + 3 if closed else found.end()
            continue
        name = found[1].lower()
        if closed_at < found.end():  # else nothing closes a tag before that
            closed_at = data.find(b">", found.end())
            closed_at = len(data) if closed_at < 0 else closed_at
        if closed_at == len(data) or closed_at - found.end() > _LONGEST_TAG:
            at = found.end()
            continue
        start = closed_at + 1
        closing = re.compile(rb"</" + name + rb"\b", re.IGNORECASE).search(data, start)
        end = closing.start() if closing else len(data)
        yield "html", begun, start
        yield _LANGUAGES[name], start, end
        at = begun = end
    yield "html", begun, len(data)


class WebPage(CodeCanonicaliser):
    """Canonicalises a page as code."""

    def __init__(self, languages: Languages) -> None:
        self._code = {name: Code(languages.find(name)) for name in ("html", "javascript", "css")}

    def told(self, chunks: Iterable[bytes], into: list[Lexemes] | None) -> Iterator[Canonical]:
        """Canonicalise, and put what the lexemes of all parts say into a list."""
        data = b"".join(chunks)
        for language, start, end in parts(data):
            for block in self._code[language].told([data[start:end]], into):
                shift = np.uint32(start)
                yield Canonical(block.symbols, Explicit(block.starts + shift, block.ends + shift))

    def places(self, data: bytes) -> PlacedLexemes:
        """Find the statements and strings of all parts."""
        return PlacedLexemes.together(
            self._code[language].places(data[start:end]).moved(start) for language, start, end in parts(data)
        )
