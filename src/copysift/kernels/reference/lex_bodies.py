"""Where the comments and literals of a language end: the state of the readable lexer and its bodies.

A rule opens a body; what closes it, and whether it may stay open, is said by the rule's fields.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IDENTIFIER, NUMBER, STRING, CHARACTER, REGEX, NEWLINE, INDENT, DEDENT = range(1, 9)
START, PART, DIGIT, SPACE, BREAK, RULE, SIGIL, TAIL = (1 << bit for bit in range(8))
LINE, SPAN, FENCED, HEREDOC, QUOTED, LETTER, BRANCH = range(1, 8)
(
    NESTED,
    DOUBLED,
    MULTILINE,
    LINE_START,
    AFTER_OPERAND,
    ADJACENT,
    WORD,
    CONTINUED,
    FOLD,
    MUST_CLOSE,
    BRACKETS,
) = (1 << bit for bit in range(11))
WHOLE_WORD, AFTER_BLANK, QUOTES, SPACED = 2048, 4096, 8192, 16384
RULE_FIELDS, OPTION_FIELDS = 19, 10
HOLES, LEVELS, PENDING, FAILURES, FENCE, NEAR, QUOTED_MAX = 16, 128, 4, 64, 16, 256, 4096
CONDITION = 256  # tokens between if and the end of its condition, at most
CONDITIONS = (b"if", b"for", b"with", b"while")
CLOSED, OPEN, HOLE = range(3)
MASK = 2**64 - 1


def mixed(value: int) -> int:
    """Spread the bits of a hash."""
    value ^= value >> 32
    value = value * 0x9E3779B97F4A7C15 & MASK
    return value ^ value >> 29


def lexeme_hash(lexeme: bytes, fold: bool) -> int:
    """Give the 64-bit hash of a lexeme: FNV-1a, mixed; `fold` takes ASCII capitals as small letters."""
    value = 14695981039346656037
    for byte in bytes(lexeme).lower() if fold else bytes(lexeme):
        value = (value ^ byte) * 1099511628211 & MASK
    return mixed(value)


def symbol_of(value: int) -> int:
    """Give the symbol of a keyword or operator."""
    return value >> 32 | 0x80000000


def blank(data: bytes, at: int) -> tuple[int, bool]:
    """Give the bytes of a blank beyond ASCII that is at a place, and whether it has no width."""
    two, three = data[at : at + 2], data[at : at + 3]
    if two in (b"\xc2\xa0", b"\xc2\xad", b"\xc2\x85"):
        return 2, two == b"\xc2\xad"
    if len(three) < 3:
        return 0, False
    last = three[2]
    if three[:2] == b"\xe2\x80" and (0x80 <= last <= 0x8F or 0xA8 <= last <= 0xAF):
        return 3, 0x8B <= last <= 0x8F or 0xAA <= last <= 0xAE
    if three[:2] == b"\xe2\x81" and 0x9F <= last <= 0xA4:
        return 3, last != 0x9F
    if three == b"\xef\xbb\xbf":
        return 3, True
    return (3, False) if three == b"\xe3\x80\x80" else (0, False)


class Rule(NamedTuple):
    """One form of comment (symbol 0) or literal."""

    kind: int
    open: bytes
    close: bytes
    symbol: int
    escape: int
    flags: int
    column: int
    max: int
    hole: bytes
    hole_close: int
    fence: int
    middle: bytes
    end: bytes
    parts: int


def _rules(rows: list[int], blob: bytes) -> list[Rule]:
    def text(offset: int, length: int) -> bytes:
        return blob[offset : offset + length]

    rules = []
    for at in range(0, len(rows) - RULE_FIELDS + 1, RULE_FIELDS):
        r = rows[at : at + RULE_FIELDS]
        rules.append(
            Rule(
                kind=r[0], open=text(r[1], r[2]), close=text(r[3], r[4]), symbol=r[5], escape=r[6],
                flags=r[7], column=r[8], max=r[9], hole=text(r[10], r[11]), hole_close=r[12], fence=r[13],
                middle=text(r[14], r[15]), end=text(r[16], r[17]), parts=r[18],
            )
        )  # fmt: skip
    return rules


class Bodies:
    """One run over one source, up to what a rule opens."""

    def __init__(self, data: bytes, *arrays: NDArray[np.generic]) -> None:
        classes, rules, rule_first, rule_order, ops, op_first, options, keywords, blob = arrays
        self.data, self.n = data, len(data)
        self.classes = classes.tolist()
        text = blob.tobytes()
        self.rules = _rules(rules.tolist(), text)
        first, order = rule_first.tolist(), rule_order.tolist()
        self.rules_of = [order[first[byte] : first[byte + 1]] for byte in range(256)]
        bounds, flat = op_first.tolist(), ops.tolist()
        self.ops_of = [
            [text[flat[2 * i] : flat[2 * i] + flat[2 * i + 1]] for i in range(bounds[byte], bounds[byte + 1])]
            for byte in range(256)
        ]
        self.fold, self.indents, self.continuation, mark, marks, self.docstrings, *members = options.tolist()
        self.members = {each & 0xFFFFFFFF for each in members if each}  # after these no keywords
        self.marks = text[mark : mark + marks]
        self.keywords = set(keywords.tolist()) - {0}
        self.tokens: list[tuple[int, int, int, int]] = []
        self.at = self.line = self.line_token = self.depth = self.failures = 0
        self.fresh = True
        self.holes: list[list[int]] = []  # rule and depth of brackets of each open literal
        self.levels: list[int] = []
        self.wanted: list[bytes] = []  # heredocs whose bodies begin with the next line

    # -- bytes --

    def byte(self, at: int) -> int:
        return self.data[at] if 0 <= at < self.n else 0

    def is_(self, at: int, classes: int) -> bool:
        return at < self.n and bool(self.classes[self.data[at]] & classes)

    def stands(self, text: bytes, at: int, fold: int) -> bool:
        piece = self.data[at : at + len(text)]
        return piece == text or (bool(fold) and piece.lower() == text)

    def blanks(self, at: int) -> int:
        while self.byte(at) in (0x20, 0x09):
            at += 1
        return at

    def spaced(self, text: bytes, at: int) -> int:
        """Give one past a text, blanks after its first byte and for its spaces included, or 0."""
        for place, wanted in enumerate(text):
            found = self.byte(at)
            if at >= self.n or (found not in b" \t" if wanted == 0x20 else found != wanted):
                return 0
            at = at + 1 if place and wanted != 0x20 else self.blanks(at + 1)
        return at

    def is_break(self, at: int) -> bool:
        return self.byte(at) in (10, 13) and at < self.n

    def break_width(self, at: int) -> int:
        return 2 if self.data[at : at + 2] == b"\r\n" else 1

    def line_end(self, at: int) -> int:
        while at < self.n and not self.is_break(at):
            at += 1
        return at

    # -- tokens --

    def layout(self, symbol: int, start: int, end: int) -> None:
        self.tokens.append((symbol, start, end, mixed(symbol)))

    def logical(self) -> bool:
        """Say whether line ends count here."""
        return bool(self.indents) and not self.depth and not self.holes

    def indent(self, start: int) -> None:
        column = 0
        for byte in self.data[self.line : start]:
            column = (column // 8 + 1) * 8 if byte == 9 else column + 1
        while self.levels and self.levels[-1] > column:
            self.levels.pop()
            self.layout(DEDENT, self.line, self.line)
        if column > (self.levels[-1] if self.levels else 0) and len(self.levels) < LEVELS:
            self.levels.append(column)
            self.layout(INDENT, self.line, start)

    def emit(self, symbol: int, end: int, value: int) -> None:
        if self.fresh:
            if self.logical():
                self.indent(self.at)
                self.line_token = len(self.tokens)
            self.fresh = False
        self.tokens.append((symbol, self.at, end, value))
        self.at = end

    def take(self, symbol: int, end: int) -> None:
        self.emit(symbol, end, lexeme_hash(self.data[self.at : end], False))

    def end_line(self, start: int, end: int) -> None:
        if not self.logical() or self.fresh:
            return
        alone = len(self.tokens) == self.line_token + 1 and self.tokens[-1][0] == STRING
        if self.docstrings and alone:
            self.tokens.pop()  # a line that holds nothing but a string is a comment
        else:
            self.layout(NEWLINE, start, end)

    def condition(self) -> bool:
        """Say whether the last token closes the condition of `if (…)`: a statement follows."""
        depth = 0
        for at in range(len(self.tokens) - 1, max(0, len(self.tokens) - CONDITION), -1):
            _, start, end, _ = self.tokens[at]
            if end - start != 1:
                continue
            depth += (self.data[start] == 0x29) - (self.data[start] == 0x28)
            if depth:
                continue
            symbol, start, end, _ = self.tokens[at - 1]
            opens = self.data[self.tokens[at][1]] == 0x28
            return opens and symbol > REGEX and bytes(self.data[start:end]) in CONDITIONS
        return False

    def operand(self) -> bool:
        """Say whether the last token ends an operand."""
        if not self.tokens:
            return False
        symbol, _, end, _ = self.tokens[-1]
        if bytes(self.data[max(0, end - 2) : end]) in (b"++", b"--"):  # x++ / 2
            return True
        if end > 0 and self.byte(end - 1) == 0x29 and self.condition():  # if (a) /b/.test(c)
            return False
        return IDENTIFIER <= symbol <= REGEX or (end > 0 and self.byte(end - 1) in b")]}")

    # -- bodies --

    def line_body(self, rule: Rule, at: int) -> int:
        at = self.line_end(at)
        while rule.flags & CONTINUED and at < self.n and self.byte(at - 1) == 0x5C:
            at = self.line_end(at + self.break_width(at))
        return at

    def branch(self, rule: Rule, at: int) -> int:
        """Give the end of a branch never compiled: past the #else or #endif of its level, or its #elif."""
        level, at = 1, self.line_end(at)
        while at < self.n:
            at += self.break_width(at)
            start = self.blanks(at)
            word = self.blanks(start + 1) if self.data[start : start + 1] == rule.open[:1] else self.n
            if self.stands(b"if", word, 0):
                level += 1
            elif self.stands(b"endif", word, 0):
                level -= 1
                if not level:
                    return word + 5
            elif level == 1 and self.stands(b"else", word, 0):
                return word + 4
            elif level == 1 and self.stands(b"elif", word, 0):
                return start
            at = self.line_end(at)
        return self.n

    def body(self, rule: Rule, at: int) -> tuple[int, int]:
        """Give the end of a body, and what ended it."""
        nested, bracket, flags = 1, False, rule.flags
        quotes = bool(flags & QUOTES)
        room = rule.max + len(rule.close)
        stop = at + room if rule.max and self.n - at > room else self.n
        while at < stop:
            byte = self.data[at]
            if rule.hole and len(self.holes) < HOLES and self.stands(rule.hole, at, 0):
                at += len(rule.hole)
                if len(rule.hole) > 1 or self.byte(at) != byte or at >= self.n:
                    return at, HOLE
                at += 1  # {{ stands for {
            elif quotes and byte == 0x22:
                at = self.inner(at + 1, stop)
            elif byte == rule.escape and at + 1 < self.n:
                at += 1
                at += self.break_width(at) if self.is_break(at) else 1
            elif self.is_break(at) and not flags & MULTILINE:
                return at, OPEN
            elif byte == rule.close[0] and not bracket and self.stands(rule.close, at, flags & FOLD):
                at += len(rule.close)
                if flags & DOUBLED and self.stands(rule.close, at, 0):
                    at += len(rule.close)
                else:
                    nested -= 1
                    if not nested:
                        return at, CLOSED
            elif flags & NESTED and self.stands(rule.open, at, flags & FOLD):
                at += len(rule.open)
                nested += 1
            else:
                if flags & BRACKETS and byte in b"[]":
                    bracket = byte == 0x5B
                at += 1
        return min(at, self.n), OPEN

    def inner(self, start: int, stop: int) -> int:
        """Give one past the string opened before `start`, or `start` if it does not close in its line."""
        at = start
        while at < stop and not self.is_break(at):
            if self.data[at] == 0x22:
                return at + 1
            at += 2 if self.data[at] == 0x5C else 1
        return start

    def literal(self, number: int, end: int, how: int) -> None:
        self.take(self.rules[number].symbol, end)
        if how == HOLE:
            self.holes.append([number, 0])

    def short(self, rule: Rule, at: int) -> bool:
        """Say whether a body of limited size is one character, or an escape."""
        if not rule.max or at >= self.n or self.data[at] == rule.escape:
            return True
        at += 1
        while at < self.n and self.data[at] & 0xC0 == 0x80:
            at += 1
        return self.stands(rule.close, at, 0)

    def span(self, number: int, at: int) -> bool:
        rule = self.rules[number]
        must = rule.flags & MUST_CLOSE
        if not self.short(rule, at) or (must and self.failures >= FAILURES and not rule.max):
            return False
        end, how = self.body(rule, at)
        if how == OPEN and must:
            self.failures += end - at > NEAR
            return False
        if rule.symbol:
            self.literal(number, end, how)
        else:
            self.at = end
        return True

    def fenced(self, number: int, start: int) -> bool:
        rule, at = self.rules[number], start
        while (
            at < self.n
            and at - start < FENCE
            and (self.data[at] == rule.fence if rule.fence else self.is_(at, PART))
        ):
            at += 1
        if not self.stands(rule.middle, at, 0):
            return False
        closing = rule.close + self.data[start:at] + rule.end
        found = self.data.find(closing, at + len(rule.middle))
        end = self.n if found < 0 else found + len(closing)
        if rule.symbol:
            self.take(rule.symbol, end)
        else:
            self.at = end
        return True

    def find_end(self, name: bytes, at: int) -> int:
        """Give the end of the name that ends a heredoc, from the line at a place on; -1 if there is none."""
        while at < self.n:
            end, start = self.line_end(at), at
            while start < end and self.data[start] in b" \t":
                start += 1
            after = start + len(name)
            if (
                after <= end
                and self.data[start:after] == name
                and (after == end or not self.is_(after, PART))
            ):
                return after
            at = end + self.break_width(end) if end < self.n else self.n
        return -1

    def heredoc(self, at: int) -> bool:
        if len(self.wanted) == PENDING or self.failures >= FAILURES:
            return False
        at += self.byte(at) in b"-~" and at < self.n
        quote = self.byte(at) if self.byte(at) in b"\"'" and at < self.n else 0
        at += quote > 0
        if not self.is_(at, START):
            return False
        start = at
        while self.is_(at, PART):
            at += 1
        name = self.data[start:at]
        if quote:
            if self.byte(at) != quote:
                return False
            at += 1
        line = self.line_end(at)
        if line >= self.n or self.find_end(name, line + self.break_width(line)) < 0:
            self.failures += 4  # it was a shift, or the file is cut off
            return False
        self.wanted.append(name)
        self.at = at
        return True

    def heredoc_bodies(self) -> None:
        for name in self.wanted:
            after = self.find_end(name, self.at)
            if after < 0:
                break
            self.tokens.append((STRING, self.at, after, lexeme_hash(self.data[self.at : after], False)))
            self.at, self.fresh = after, False
        self.wanted.clear()
