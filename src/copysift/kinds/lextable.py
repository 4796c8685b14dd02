"""Compile a language to the arrays that the lexer kernel reads; `kernels/lex_tokens.h` names the fields."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.kinds.language import MOST_MEMBERS, Language, Rule
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEXER = 2  # raise it when the kernel gives other tokens for the same tables: an index remembers it
IDENTIFIER, NUMBER, STRING, CHARACTER, REGEX, NEWLINE, INDENT, DEDENT = range(1, 9)

_START, _PART, _DIGIT, _SPACE, _BREAK, _RULE, _SIGIL, _TAIL = (1 << bit for bit in range(8))
_KINDS = {"line": 1, "span": 2, "fenced": 3, "heredoc": 4, "quoted": 5, "letter": 6, "branch": 7}
_SYMBOLS = {"comment": 0, "name": IDENTIFIER, "string": STRING, "character": CHARACTER, "regex": REGEX}
_FLAGS = {
    "nested": 1, "doubled": 2, "multiline": 4, "line_start": 8, "not_after_operand": 16, "not_adjacent": 32,
    "word": 64, "continued": 128, "fold": 256, "must_close": 512, "brackets": 1024,
    "whole_word": 2048, "after_blank": 4096, "quoted": 8192, "spaced": 16384,
}  # fmt: skip
_NONE = -1  # for a byte that is not set


@dataclass(frozen=True, slots=True)
class Table:
    """The arrays of one language, in the order in which `kernels.lex.lex` takes them."""

    classes: NDArray[np.uint8]
    rules: NDArray[np.int32]
    rule_first: NDArray[np.int32]
    rule_order: NDArray[np.int32]
    ops: NDArray[np.int32]
    op_first: NDArray[np.int32]
    options: NDArray[np.int32]
    keywords: NDArray[np.uint64]
    blob: NDArray[np.uint8]

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Give the arrays as arguments."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def digest(self) -> str:
        """Give what differs as soon as the language, or the lexer, gives other tokens."""
        found = hashlib.blake2b(str(LEXER).encode(), digest_size=8)
        for each in self.arrays():
            found.update(f"{each.dtype} {len(each)}".encode() + each.tobytes())
        return found.hexdigest()


class _Blob:
    """Strings one after the other, each by its offset and length."""

    def __init__(self) -> None:
        self.bytes = bytearray(b"\0")  # never empty: its address is taken

    def add(self, text: str, fold: bool = False) -> tuple[int, int]:
        data = (text.lower() if fold else text).encode()
        self.bytes += data
        return len(self.bytes) - len(data), len(data)


def compiled(language: Language) -> Table:
    """Compile a language."""
    blob = _Blob()
    fold = not language.case_sensitive
    rows, order, rule_first = _rules(language.rules, fold, blob)
    ops, op_first = _operators(language.operators, fold, blob)
    marks = blob.add(language.number_marks)
    options = [fold, language.indentation, _byte(language.continuation), *marks, language.docstrings]
    options += _members(language.members, fold)
    return Table(
        classes=_classes(language, rule_first),
        rules=np.array(rows or [0] * kernels.lex.RULE_FIELDS, np.int32),  # never empty: its address is taken
        rule_first=rule_first,
        rule_order=np.array(order or [0], np.int32),
        ops=ops,
        op_first=op_first,
        options=np.array(options, np.int64).astype(np.uint32).view(np.int32),
        keywords=_keyword_table(language.keywords, fold),
        blob=np.frombuffer(bytes(blob.bytes), np.uint8),
    )


def _members(operators: tuple[str, ...], fold: bool) -> list[int]:
    """Give the symbols of the operators after which every word is a name, filled up with 0."""
    hashes = [kernels.lex.lexeme_hash(each.encode(), fold) for each in operators]
    symbols = [value >> 32 | 0x80000000 for value in hashes]
    return symbols + [0] * (MOST_MEMBERS - len(symbols))


def _byte(text: str) -> int:
    return ord(text) if text else _NONE


def _rules(
    rules: tuple[Rule, ...], fold: bool, blob: _Blob
) -> tuple[list[int], list[int], NDArray[np.int32]]:
    """Give all rules in a row, and by first byte their numbers, the longest opening first."""
    rows: list[int] = []
    by_byte: list[list[int]] = [[] for _ in range(256)]
    for number, rule in enumerate(rules):
        flags = sum(bit for name, bit in _FLAGS.items() if name != "fold" and getattr(rule, name))
        rows += [
            _KINDS[rule.kind], *blob.add(rule.open, fold), *blob.add(rule.close, fold), _SYMBOLS[rule.symbol],
            _byte(rule.escape), flags | _FLAGS["fold"] * fold, rule.column, rule.max, *blob.add(rule.hole),
            _byte(rule.hole_close), ord(rule.fence) if rule.fence else 0, *blob.add(rule.middle),
            *blob.add(rule.end), rule.parts,
        ]  # fmt: skip
        first = rule.open.encode()[:1]
        for byte in {*first, *(first.lower() + first.upper() if fold else b"")}:
            by_byte[byte].append(number)
    for numbers in by_byte:
        numbers.sort(key=lambda number: -len(rules[number].open))
    first_of = np.cumsum([0, *map(len, by_byte)]).astype(np.int32)
    return rows, [number for numbers in by_byte for number in numbers], first_of


def _operators(
    operators: tuple[str, ...], fold: bool, blob: _Blob
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give the operators of several bytes by first byte, the longest first; one byte is always one."""
    by_byte: list[list[str]] = [[] for _ in range(256)]
    for operator in sorted(
        {each for each in operators if len(each) > 1}, key=lambda each: (-len(each), each)
    ):
        by_byte[operator.encode()[0]].append(operator)
    flat = [part for some in by_byte for each in some for part in blob.add(each, fold)]
    first = np.cumsum([0, *map(len, by_byte)]).astype(np.int32)
    return np.array(flat or [0, 0], np.int32), first


def _keyword_table(keywords: tuple[str, ...], fold: bool) -> NDArray[np.uint64]:
    """Give an open hash table of the keywords' hashes, at most a quarter full."""
    hashes = {kernels.lex.lexeme_hash(word.encode(), fold) for word in keywords}
    size = 8
    while size < 4 * len(hashes):
        size *= 2
    table = np.zeros(size, np.uint64)
    for value in sorted(hashes):
        slot = value & (size - 1)
        while table[slot]:
            slot = (slot + 1) & (size - 1)
        table[slot] = value
    return table


def _classes(language: Language, rule_first: NDArray[np.int32]) -> NDArray[np.uint8]:
    classes = np.zeros(256, np.uint8)
    classes[:33] = _SPACE
    classes[127] = _SPACE
    classes[[10, 13]] = _BREAK
    for byte in range(256):
        if byte >= 128 or chr(byte).isalpha() or chr(byte) in language.identifier_start:
            classes[byte] = _START | _PART
        elif chr(byte).isdigit():
            classes[byte] = _DIGIT | _PART
        elif chr(byte) in language.identifier_part:
            classes[byte] = _PART
    for bit, chars in ((_SIGIL, language.sigils), (_TAIL, language.identifier_tail)):
        for char in chars:
            classes[ord(char)] |= bit
    classes[np.diff(rule_first) > 0] |= np.uint8(_RULE)
    return classes
