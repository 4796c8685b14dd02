"""Jupyter notebooks: the cells as a readable text, then code cells as code and the others as words.

The readable text has a line `# %%` before a code cell and `# %% [markdown]` before one of prose (the
percent format that editors know); outputs are left out. Offsets are those of that text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.errors import UsageError
from copysift.kinds.code import Code
from copysift.kinds.kind import CodeCanonicaliser
from copysift.kinds.lexemes import Lexemes, PlacedLexemes
from copysift.kinds.positions import Explicit
from copysift.kinds.words import Words
from copysift.model.values import Canonical

if TYPE_CHECKING:
    from copysift.kinds.catalog import Languages

NAME = "ipynb"
KIND = f"code:{NAME}"
_MARK = re.compile(rb"^# %%(?: \[(\w+)\]| (\w+))?\n", re.MULTILINE)


def readable(data: bytes) -> bytes | None:
    """Give the cells of a notebook as text, or None if it is none."""
    try:
        notebook = json.loads(data)
        cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
        parts = [_cell(cell, _language(notebook)) for cell in cells]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None
    return "".join(parts).encode("utf-8", "replace")


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata", {})
    named = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
    return re.sub(r"\W", "", str(named or "python").lower())


def _cell(cell: dict[str, Any], language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(source) if isinstance(source, list) else str(source)
    mark = f"# %% {language}\n" if cell["cell_type"] == "code" else "# %% [markdown]\n"
    # A line that looks like a mark would cut the cell: an editor could not tell it either.
    return mark + text.replace("\r\n", "\n").rstrip("\n") + "\n"


class Notebook(CodeCanonicaliser):
    """Canonicalises the readable text of a notebook."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._words = Words()
        self._code: dict[str, Code] = {}

    def told(self, chunks: Iterable[bytes], into: list[Lexemes] | None) -> Iterator[Canonical]:
        """Canonicalise, and put what the lexemes of code cells say into a list."""
        for language, at, text in _cells(b"".join(chunks)):
            blocks = self._lexer(language).told([text], into) if language else self._words.blocks([text])
            for block in blocks:
                shift = np.uint32(at)
                symbols = block.symbols.astype(np.uint64)
                yield Canonical(symbols, Explicit(block.starts + shift, block.ends + shift))

    def places(self, data: bytes) -> PlacedLexemes:
        """Find the statements and strings of the code cells of the readable text."""
        return PlacedLexemes.together(
            self._lexer(language).places(text).moved(at) for language, at, text in _cells(data) if language
        )

    def _lexer(self, language: str) -> Code:
        if language not in self._code:
            try:
                entry = self._languages.find(language)
            except UsageError:
                entry = self._languages.find("python")
            self._code[language] = Code(entry)
        return self._code[language]


def _cells(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Give the cells of the readable text: language ("" for words), byte offset, text."""
    marks = list(_MARK.finditer(data))
    for mark, following in zip_longest(marks, marks[1:]):
        text = data[mark.end() : following.start() if following else len(data)]
        yield (mark.group(2) or b"").decode(), mark.end(), text
