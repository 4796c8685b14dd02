"""Languages that only Pygments knows: its tokens become the same token classes.

Pygments reads at about a megabyte a second, in a watched process, so it is the last resort, for programs of
ordinary size; markup, prose and data formats stay text. Exceptions to the position-map law: whatever a
Pygments lexer decides by what is before the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.errors import UsageError
from copysift.kinds import positions
from copysift.kinds.kind import CodeCanonicaliser
from copysift.kinds.lexemes import Lexemes
from copysift.kinds.lextable import CHARACTER, IDENTIFIER, NUMBER, REGEX, STRING
from copysift.kinds.positions import Explicit
from copysift.model.values import Canonical

if TYPE_CHECKING:
    from copysift.model.values import Offsets, UInt32s

PREFIX = "pygments-"
LARGEST = 1 << 20  # bytes
SECONDS = 60.0  # for so many
# Lexers of what is no program: prose, markup, data, messages.
_NO_CODE = {
    "asciidoc", "bibtex", "cfg", "csv", "debcontrol", "diff", "docker", "dtd", "email", "gettext",
    "groff", "html", "ini", "irc", "json", "jsonld", "latex", "ldif", "markdown", "notmuch", "output",
    "po", "postscript", "properties", "registry", "restructuredtext", "rst", "tex", "text", "toml",
    "trac-wiki", "udiff", "vctreestatus", "xml", "xslt", "yaml",
}  # fmt: skip


@lru_cache(maxsize=1)
def _suffixes() -> dict[str, str]:
    """Give the alias of the Pygments lexer of each suffix, the first that has it."""
    from pygments.lexers import get_all_lexers

    found: dict[str, str] = {}
    for _, aliases, patterns, _ in get_all_lexers(plugins=False):
        if aliases and not _NO_CODE.intersection(aliases):
            for pattern in patterns:
                if pattern.startswith("*.") and not set(pattern[1:]) & set("*?["):
                    found.setdefault(pattern[1:].lower(), aliases[0])
    return found


def by_extension(name: str) -> str | None:
    """Name the language of a file that Pygments knows by its suffix."""
    suffix = PurePath(name).suffix.lower()
    alias = _suffixes().get(suffix) if suffix else None
    return PREFIX + alias if alias else None


class Foreign(CodeCanonicaliser):
    """Lexes documents of one language of Pygments."""

    def __init__(self, name: str) -> None:
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

        self._alias = name.removeprefix(PREFIX)
        self.seconds = SECONDS
        try:
            get_lexer_by_name(self._alias)
        except ClassNotFound as error:
            raise UsageError(f"Pygments knows no language {name!r}") from error

    def told(self, chunks: Iterable[bytes], into: list[Lexemes] | None) -> Iterator[Canonical]:
        """Canonicalise; nothing is put into the list, as tokens of Pygments say nothing more here."""
        data = b"".join(chunks)
        for start in range(0, len(data), LARGEST):
            block = self._lexed(data[start : start + LARGEST], start)
            if len(block.symbols):
                yield block

    def _lexed(self, data: bytes, offset: int) -> Canonical:
        text = data.decode("utf-8", "surrogateescape")
        rows = list(self._tokens(text))
        symbols = np.array([row[0] for row in rows], np.uint32)
        starts, ends = (np.array([row[side] for row in rows], np.int64) for side in (1, 2))
        places: Offsets = _byte_offsets(text, len(data))
        if offset + len(data) <= positions.NARROW:
            places = places + np.uint32(offset)
        else:
            places = positions.moved(places, offset)
        return Canonical(symbols, Explicit(places[starts], places[ends]))

    def _tokens(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Give symbol, start and end, in characters; pieces of one literal are one token."""
        from copysift.runtime.pygments_tokens import tokens  # starts processes: slow to load, seldom wanted

        last: tuple[int, int, int] | None = None
        for at, kind, value in tokens(text, self.seconds, alias=self._alias):
            stripped = value.strip()
            symbol = _symbol(kind, stripped)
            if not symbol:
                continue
            start = at + value.index(stripped)
            end = start + len(stripped)
            if last and symbol == last[0] in (STRING, REGEX, CHARACTER) and last[2] == start:
                last = (symbol, last[1], end)
                continue
            if last:
                yield last
            last = (symbol, start, end)
        if last:
            yield last


def _symbol(kind: Any, value: str) -> int:
    from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

    if not value or kind in Comment or kind in Whitespace:
        return 0
    if kind in String:
        return CHARACTER if kind in String.Char else REGEX if kind in String.Regex else STRING
    if kind in Number:
        return NUMBER
    if kind in Keyword or kind in Operator or kind in Punctuation:
        lexeme = value.encode("utf-8", "surrogateescape")
        return kernels.lex.lexeme_hash(lexeme, False) >> 32 | 0x80000000
    return IDENTIFIER if kind in Name or value.isidentifier() else 0x80000000


def _byte_offsets(text: str, size: int) -> UInt32s:
    """Give the byte offset of every character, and of the end."""
    if len(text) == size:
        return np.arange(size + 1, dtype=np.uint32)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    widths = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    widths[(codes >= 0xDC80) & (codes <= 0xDCFF)] = 1  # a byte that was no UTF-8
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.uint32)
