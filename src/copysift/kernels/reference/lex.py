"""The lexer, readable: the definition of what `_lex` computes.

A language is data (see canonicalise/lextable.py): classes of bytes, rules for comments and literals,
operators, keywords. A token is (symbol, start, end, hash of its lexeme). Identifiers, numbers, strings,
characters and regexes have one symbol each; a keyword or operator has the upper half of the hash of its
lexeme, with the top bit set, so it is the same in every language. Nothing raises and no byte is looked
at more than a constant number of times, whatever the input.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from copysift.kernels.reference.lex_bodies import (
    ADJACENT,
    AFTER_BLANK,
    AFTER_OPERAND,
    BRANCH,
    BREAK,
    DEDENT,
    DIGIT,
    FAILURES,
    FENCED,
    HEREDOC,
    IDENTIFIER,
    LETTER,
    LINE,
    LINE_START,
    MASK,
    MULTILINE,
    NUMBER,
    OPTION_FIELDS,
    PART,
    QUOTED,
    QUOTED_MAX,
    RULE,
    RULE_FIELDS,
    SIGIL,
    SPACE,
    SPACED,
    SPAN,
    START,
    STRING,
    TAIL,
    WHOLE_WORD,
    WORD,
    Bodies,
    Rule,
    blank,
    lexeme_hash,
    symbol_of,
)  # fmt: skip

__all__ = ["OPTION_FIELDS", "RULE_FIELDS", "lex", "lexeme_hash", "statements", "strings"]

PARTNERS = {0x28: 0x29, 0x5B: 0x5D, 0x7B: 0x7D, 0x3C: 0x3E}
ZERO, DOT, EQUALS = b"0.="
Columns = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]


class Lexer(Bodies):
    """The loop over a source."""

    def quoted(self, number: int, at: int) -> bool:
        """Take q(…), m/…/, s/…/…/: any byte that is neither a blank nor a letter may be the quote."""
        rule, before = self.rules[number], self.byte(self.at - 1)
        opening = self.byte(at)
        closing = PARTNERS.get(opening, opening)
        if not opening or self.is_(at, PART | SPACE | BREAK) or opening in b"=,;)]}>.:" or before in b"$@%&>":
            return False
        if self.failures >= FAILURES:
            return False
        stop, parts, nested = min(self.n, at + QUOTED_MAX), rule.parts, 0
        while at < stop and parts:
            byte = self.data[at]
            if byte == 0x5C:
                at += 1
            elif byte == closing and (nested == 1 or (opening == closing and nested)):
                parts -= 1
                nested = int(opening == closing)
                while opening != closing and parts and at + 1 < stop and self.is_(at + 1, SPACE | BREAK):
                    at += 1
            elif byte == opening:
                nested += 1
            elif byte == closing:
                nested -= 1
            elif not nested:
                break
            at += 1
        if parts == rule.parts:
            self.failures += 1
            return False
        self.take(rule.symbol, min(at, self.n))
        return True

    def letter(self, number: int, at: int) -> bool:
        """Take one character after an opening, or the whole word."""
        rule = self.rules[number]
        at += self.byte(at) == rule.escape and at < self.n
        if at >= self.n or self.is_(at, SPACE | BREAK):
            return False
        word = bool(rule.flags & WHOLE_WORD) and self.is_(at, START)
        at += 1
        while at < self.n and (self.data[at] & 0xC0 == 0x80 or (word and self.is_(at, PART))):
            at += 1
        self.take(rule.symbol, at)
        return True

    def opened(self, rule: Rule) -> int:
        """Give one past a rule's opening if it is here, where it may; else 0."""
        flags, after = rule.flags, self.at + len(rule.open)
        if flags & SPACED:
            after = self.spaced(rule.open, self.at)
        elif not self.stands(rule.open, self.at, flags & 256):
            after = 0
        if not after:
            return 0
        if (flags & LINE_START and not self.fresh) or (
            rule.column and self.at - self.line + 1 != rule.column
        ):
            return 0
        touching = bool(self.tokens) and self.tokens[-1][2] == self.at
        if (flags & AFTER_OPERAND or (flags & ADJACENT and touching)) and self.operand():
            return 0
        apart = self.byte(self.at - 1) in b";)" or self.is_(self.at - 1, SPACE | BREAK) if self.at else True
        if flags & AFTER_BLANK and not apart:
            return 0
        return 0 if flags & WORD and self.is_(after, PART) else after

    def rule(self) -> bool:
        """Try the rules of this byte, the longest opening first."""
        for number in self.rules_of[self.data[self.at]]:
            rule = self.rules[number]
            start = self.opened(rule)
            if not start:
                continue
            if rule.kind in (LINE, BRANCH):
                self.at = (self.line_body if rule.kind == LINE else self.branch)(rule, start)
                return True
            if rule.kind == HEREDOC:
                done = self.heredoc(start)
            else:
                take = {SPAN: self.span, FENCED: self.fenced, QUOTED: self.quoted, LETTER: self.letter}[
                    rule.kind
                ]
                done = take(number, start)
            if done:
                return True
        return False

    def number(self) -> None:
        """Take a number with its letters, fraction, exponent and separators."""
        at, data = self.at, self.data
        hexadecimal = data[at] == ZERO and self.byte(at + 1) | 32 == 0x78
        while at < self.n:
            byte, following = data[at], self.byte(at + 1)
            if chr(byte | 32) in "abcdefghijklmnopqrstuvwxyz" or self.is_(at, DIGIT) or byte == 0x5F:
                exponent = byte | 32 == (0x70 if hexadecimal else 0x65)
                at += 2 if exponent and following in b"+-" and following and self.is_(at + 2, DIGIT) else 1
            elif (byte == DOT and self.is_(at + 1, DIGIT)) or (
                at > self.at and byte in self.marks and self.is_(at + 1, PART) and following < 0x80
            ):
                at += 1
            else:
                break
        self.take(NUMBER, at)

    def word(self, at: int) -> None:
        """Take an identifier or keyword whose first letter is at a place."""
        while self.is_(at, PART):
            if self.data[at] >= 0x80:
                width, thin = blank(self.data, at)
                if width and not thin:
                    break
            at += 1
        if self.is_(at, TAIL) and self.byte(at + 1) != EQUALS:
            at += 1
        value = lexeme_hash(self.data[self.at : at], self.fold)
        member = bool(self.tokens) and self.tokens[-1][0] in self.members
        self.emit(symbol_of(value) if value in self.keywords and not member else IDENTIFIER, at, value)

    def operator(self) -> None:
        """Take the longest operator, or one byte."""
        byte = self.data[self.at]
        length = next((len(op) for op in self.ops_of[byte] if self.stands(op, self.at, self.fold)), 1)
        if byte in b"([{":
            self.depth += 1
            if self.holes:
                self.holes[-1][1] += 1
        elif byte in b")]}":
            self.depth = max(0, self.depth - 1)
            if self.holes:
                self.holes[-1][1] = max(0, self.holes[-1][1] - 1)
        value = lexeme_hash(self.data[self.at : self.at + length], self.fold)
        self.emit(symbol_of(value), self.at + length, value)

    def break_line(self) -> None:
        """Pass a line end: it closes what may not continue, and starts the bodies of heredocs."""
        width = self.break_width(self.at)
        while self.holes and not self.rules[self.holes[-1][0]].flags & MULTILINE:
            self.holes.pop()
        self.end_line(self.at, self.at + width)
        self.at += width
        self.line, self.fresh = self.at, True
        if self.wanted:
            self.heredoc_bodies()

    def continued(self) -> bool:
        """Pass a line end that a continuation mark is before."""
        at = self.at + 1
        while self.byte(at) in b" \t" and at < self.n:
            at += 1
        if not self.is_break(at):
            return False
        self.at = at + self.break_width(at)
        return True

    def sigils(self) -> int:
        """Give the place of the word that sigils are before, 0 if there is none."""
        at = self.at
        while at - self.at < 3 and self.is_(at, SIGIL):
            at += 1
        return at if self.is_(at, START) else 0

    def step(self) -> None:
        """Take one token, or pass what is none."""
        byte = self.data[self.at]
        if self.is_(self.at, SPACE):
            self.at += 1
        elif self.is_(self.at, BREAK):
            self.break_line()
        elif byte == self.continuation and self.continued():
            return
        elif byte >= 0xC2 and (width := blank(self.data, self.at)[0]):
            self.at += width
        elif self.holes and not self.holes[-1][1] and byte == self.rules[self.holes[-1][0]].hole_close:
            number, _ = self.holes.pop()
            end, how = self.body(self.rules[number], self.at + 1)
            self.literal(number, end, how)
        elif self.is_(self.at, RULE) and self.rule():
            return
        elif self.is_(self.at, DIGIT) or (byte == DOT and self.is_(self.at + 1, DIGIT)):
            self.number()
        elif self.is_(self.at, START):
            self.word(self.at)
        elif self.is_(self.at, SIGIL) and (place := self.sigils()):
            self.word(place)
        else:
            self.operator()

    def run(self) -> None:
        """Lex all of it."""
        while self.at < self.n:
            self.step()
        self.end_line(self.n, self.n)
        for _ in self.levels:
            self.layout(DEDENT, self.n, self.n)


def lex(
    data: bytes, *arrays: NDArray[np.generic], brief: NDArray[np.uint32] | None = None, most: int = 0
) -> Columns:
    """Lex a source; give symbols, starts, ends and the hash of each lexeme.

    `brief`: no hashes, and the first `most` tokens alone, or all if it is 0; it has the lengths of the
    keywords for each first byte, as bits, which the kernel alone needs.
    """
    lexer = Lexer(bytes(data), *arrays)
    lexer.run()
    columns = list(zip(*lexer.tokens, strict=True)) or [(), (), (), ()]
    symbols, starts, ends = (np.array(column, np.uint32) for column in columns[:3])
    if brief is not None:
        return symbols[: most or None], starts[: most or None], ends[: most or None], np.empty(0, np.uint64)
    return symbols, starts, ends, np.array(columns[3], np.uint64)


def statements(
    data: bytes,
    symbols: NDArray[np.uint32],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    lexemes: NDArray[np.uint64],
    ending: NDArray[np.uint32],
    lines: bool,
    shortest: int,
) -> NDArray[np.uint64]:
    """Give the hash of every statement of at least `shortest` tokens, separators left out."""
    parts: list[list[int]] = [[]]
    last = 0
    for symbol, start, end, lexeme in zip(
        symbols.tolist(), starts.tolist(), ends.tolist(), lexemes.tolist(), strict=True
    ):
        if symbol in ending or (lines and parts != [[]] and b"\n" in bytes(data[last:start])):
            parts.append([])
        if symbol not in ending:
            parts[-1].append(lexeme)
        last = end
    return np.array([_sequence(each) for each in parts if len(each) >= shortest], np.uint64)


def _sequence(lexemes: list[int]) -> int:
    value = 0
    for lexeme in lexemes:
        value = (value ^ lexeme) * 0x9E3779B97F4A7C15 & MASK
        value ^= value >> 29
    return value


def strings(
    symbols: NDArray[np.uint32],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    lexemes: NDArray[np.uint64],
    longest: int,
) -> NDArray[np.uint64]:
    """Give hashes of every string literal: one for each character, up to `longest`."""
    found = []
    for at in np.flatnonzero(symbols == STRING).tolist():
        for place in range(1, min(longest, int(ends[at]) - int(starts[at]) - 2) + 1):
            found.append((int(lexemes[at]) * 0x9E3779B97F4A7C15 + place * 0xD1B54A32D192ED03) & MASK)
    return np.array(found, np.uint64)
