"""Whether a regular expression takes linear time: looks for words that it can read in more than one way.

A pattern becomes the automaton of its positions (Glushkov). Backtracking is more than linear if the automaton
is ambiguous in a loop and what follows the loop can fail (Weideman et al. 2016, Weber and Seidl 1991):

- exponential: a word leads from a position to itself in two ways;
- quadratic or worse: a word leads from p to p, from p to q and from q to q. A search is a loop before the
  pattern, so `<!--.*?-->` is one of these: each `<!--` that is not closed is read to the end.

Where it cannot be exact it is strict: a lookaround is a branch that ends in nothing, repeats of more than
`MANY` count as unbounded, and a back reference is refused.
"""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MANY = 16
# Characters that stand for all others: ASCII, Latin-1, and some that \w, \d and \s know.
_TEXT = [*map(chr, range(0x180)), *"\u0660\u061c\u200e\u2028\u2029\u202e\u3000\u4e00\ud800\udc80\U0001f600"]
_BYTES = [bytes([value]) for value in range(256)]
_CATEGORIES = {
    sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


class RefusedError(Exception):
    """The pattern has something that cannot be judged."""


def _is_single(tree: Any) -> bool:
    return len(tree) == 1 and tree[0][0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


@dataclass
class _Part:
    """Whether a sub-pattern matches nothing; its first and last positions with what they demand."""

    empty: set[frozenset[tuple[str, bool]]] = field(default_factory=lambda: {frozenset()})
    first: list[tuple[int, frozenset[Any]]] = field(default_factory=list)
    last: list[tuple[int, frozenset[Any]]] = field(default_factory=list)


class Automaton:
    """The positions of a pattern, and which follows which; 0 is the start."""

    def __init__(self, pattern: str | bytes, flags: int, *, searched: bool, whole: bool) -> None:
        tree = parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.alphabet: list[Any] = _BYTES if isinstance(pattern, bytes) else _TEXT
        self.newline = self._mask(lambda one: one in ("\n", b"\n"))
        self.word = self._mask(self._test("\\w"))
        self.splits = [
            self.newline,
            self.word,
        ]  # what a set is cut by, so that demands on neighbours are exact
        self.splits += [mask for mask in self._demanded(tree) if mask not in self.splits]
        self.sets: list[int] = [0]
        self.follow: dict[tuple[int, int], int] = defaultdict(int)
        everything = self._part(tree)
        if searched:
            before = self._position((1 << len(self.alphabet)) - 1)
            for one in (0, *before):
                for other in before:
                    self.follow[one, other] += 1
            for one in (0, *before):
                for other, demands in everything.first:
                    self._edge(one, other, demands)
        else:
            for other, demands in everything.first:
                self._edge(0, other, demands)
        # positions after which the pattern may end wherever it is: there nothing is tried again
        self.next: dict[int, list[int]] = defaultdict(list)
        for one, other in self.follow:
            self.next[one].append(other)
        self.free = {one for one, demands in everything.last if self._is_free(one, demands, whole)}

    def _is_free(self, one: int, demands: frozenset[Any], whole: bool) -> bool:
        """Say whether the pattern may end after a position, whatever follows.

        A loop that takes every character, or every one up to the end of a line, never misses that end.
        """
        kinds = {kind for kind, value in demands if kind != "next"}
        taken = 0
        for other in self.next[one]:
            taken |= self.sets[other] if one in self.next[other] else 0
        if "line_end" in kinds:
            taken |= self.newline
        for kind, value in demands:
            taken |= ~value if kind == "next" else 0
        complete = not ((1 << len(self.alphabet)) - 1) & ~taken
        if kinds <= {"end", "line_end"} and complete and one in self.next[one]:
            return True
        return not whole and not demands

    def _mask(self, test: Any) -> int:
        return sum(1 << place for place, one in enumerate(self.alphabet) if test(one))

    def _test(self, written: str) -> Any:
        compiled = re.compile(
            written.encode() if self.alphabet is _BYTES else written, self.flags & ~re.VERBOSE & ~re.DEBUG
        )
        return lambda one: compiled.fullmatch(one) is not None

    def _demanded(self, tree: Any) -> Iterator[int]:
        """Give the sets of single characters that are looked at, or that a possessive repeat takes."""
        for kind, value in tree:
            if kind in (sre.ASSERT, sre.ASSERT_NOT, sre.POSSESSIVE_REPEAT):
                inner = value[-1]
                if _is_single(inner):
                    yield self._members(*inner[0])
                else:
                    yield from self._demanded(inner)
            elif kind is sre.SUBPATTERN:
                yield from self._demanded(value[3])
            elif kind is sre.ATOMIC_GROUP:
                yield from self._demanded(value)
            elif kind is sre.BRANCH:
                for each in value[1]:
                    yield from self._demanded(each)
            elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
                yield from self._demanded(value[2])

    def _position(self, mask: int) -> list[int]:
        """Add a position for each part of a set."""
        parts = [mask]
        for split in self.splits:
            parts = [cut for part in parts for cut in (part & split, part & ~split) if cut]
        self.sets += parts
        return list(range(len(self.sets) - len(parts), len(self.sets)))

    def _edge(self, one: int, other: int, demands: frozenset[Any]) -> None:
        """Note that a position follows another, unless what is demanded between them is not true."""
        before, after = self.sets[one], self.sets[other]
        for kind, value in demands:
            if kind == "line" and one and before != self.newline:
                return
            if kind == "begin" and one:
                return
            if kind == "line_end" and after != self.newline:
                return
            if kind == "end":
                return
            if kind == "boundary" and one:
                edge = (before & self.word != 0) != (after & self.word != 0)
                if edge is not value:
                    return
            if kind == "next" and not after & value:
                return
            if kind == "previous" and one and not before & value:
                return
        self.follow[one, other] += 1

    def _part(self, tree: Any) -> _Part:
        whole = _Part()
        for item in tree:
            whole = self._joined(whole, self._item(item))
        return whole

    def _joined(self, one: _Part, other: _Part) -> _Part:
        for left, demands in one.last:
            for right, more in other.first:
                self._edge(left, right, demands | more)
        return _Part(
            {a | b for a in one.empty for b in other.empty},
            one.first + [(p, d | e) for p, d in other.first for e in one.empty],
            other.last + [(p, d | e) for p, d in one.last for e in other.empty],
        )

    def _set(self, mask: int) -> _Part:
        made = [(one, frozenset()) for one in self._position(mask)]
        return _Part(set(), list(made), list(made))

    def _item(self, item: Any) -> _Part:
        kind, value = item
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self._set(self._members(kind, value))
        if kind is sre.SUBPATTERN:
            return self._part(value[3])
        if kind is sre.ATOMIC_GROUP:
            return self._part(value)
        if kind is sre.BRANCH:
            parts = [self._part(each) for each in value[1]]
            if sum(bool(part.empty) for part in parts) > 1:
                raise RefusedError("two alternatives that match nothing")
            return _Part(
                set().union(*(part.empty for part in parts)),
                [each for part in parts for each in part.first],
                [each for part in parts for each in part.last],
            )
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._repeat(*value, possessive=kind is sre.POSSESSIVE_REPEAT)
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            if _is_single(value[1]):
                mask = self._members(*value[1][0])
                mask = mask if kind is sre.ASSERT else ~mask
                return _Part({frozenset({("next" if value[0] > 0 else "previous", mask)})})
            inner = self._part(value[1]) if value[0] > 0 else _Part()
            return _Part({frozenset({("look", True)})}, inner.first, [])
        if kind is sre.AT:
            return _Part({frozenset({self._demand(value)})})
        raise RefusedError(str(kind))

    def _demand(self, at: Any) -> tuple[str, bool]:
        many = bool(self.flags & re.MULTILINE)
        return {
            sre.AT_BEGINNING: ("line", True) if many else ("begin", True),
            sre.AT_BEGINNING_STRING: ("begin", True),
            sre.AT_END: ("line_end", True) if many else ("end", True),
            sre.AT_END_STRING: ("end", True),
            sre.AT_BOUNDARY: ("boundary", True),
            sre.AT_NON_BOUNDARY: ("boundary", False),
        }[at]

    def _members(self, kind: Any, value: Any) -> int:
        if kind is sre.ANY:
            return self._mask(lambda one: self.flags & re.DOTALL or one not in ("\n", b"\n"))
        items = value if kind is sre.IN else [(sre.LITERAL, value)]
        negated = kind is sre.NOT_LITERAL
        mask = 0
        for which, what in items:
            if which is sre.NEGATE:
                negated = True
            elif which is sre.CATEGORY:
                mask |= self._mask(self._test(_CATEGORIES[what]))
            else:
                low, high = (what, what) if which is sre.LITERAL else what
                mask |= self._mask(lambda one, low=low, high=high: self._in_range(one, low, high))
        return ~mask & ((1 << len(self.alphabet)) - 1) if negated else mask

    def _in_range(self, one: Any, low: int, high: int) -> bool:
        forms = {one, one.lower(), one.upper()} if self.flags & re.IGNORECASE else {one}
        return any(len(form) == 1 and low <= ord(form) <= high for form in forms)

    def _repeat(self, least: int, most: Any, tree: Any, *, possessive: bool) -> _Part:
        endless = most is sre.MAXREPEAT or most > MANY
        whole = _Part()
        for copy in range(max(least - 1, 0) and 1 if endless else most):
            part = self._part(tree)
            if not endless and copy >= least:
                part.empty = part.empty | {frozenset()}
            whole = self._joined(whole, part)
        if not endless:
            return whole
        loop = self._part(tree)
        for left, demands in loop.last:
            for right, more in loop.first:
                self._edge(left, right, demands | more)
        if not least:
            loop.empty = loop.empty | {frozenset()}
        if possessive and _is_single(tree):  # it ends only before another character
            ends = frozenset({("next", ~self._members(*tree[0]))})
            loop.last = [(one, demands | ends) for one, demands in loop.last]
            loop.empty = {demands | ends for demands in loop.empty}
        return self._joined(whole, loop)

    # -- ambiguity

    def components(self) -> Iterator[list[int]]:
        """Give the loops: sets of positions that reach each other."""
        reach = {one: self._reached(one) for one in range(len(self.sets))}
        seen: set[int] = set()
        for one in range(len(self.sets)):
            if one in seen or one not in reach[one]:
                continue
            loop = [other for other in reach[one] if one in reach[other]]
            seen |= set(loop)
            yield loop

    def _reached(self, one: int) -> set[int]:
        found, left = set(), list(self.next[one])
        while left:
            at = left.pop()
            if at not in found:
                found.add(at)
                left += self.next[at]
        return found

    def verdict(self) -> str:
        """Say `linear`, `polynomial` or `exponential`."""
        loops = [loop for loop in self.components() if any(one in self._reached(0) for one in loop)]
        if any(self._exponential(loop) for loop in loops):
            return "exponential"
        if any(self._polynomial(one, other) for one in loops for other in loops if one is not other):
            return "polynomial"
        return "linear"

    def _exponential(self, loop: list[int]) -> bool:
        inside = set(loop)
        if any(count > 1 and a in inside and b in inside for (a, b), count in self.follow.items()):
            return True
        begin = [
            (a, b) for one in loop for a in self.next[one] for b in self.next[one]
            if a < b and a in inside and b in inside and self.sets[a] & self.sets[b]
        ]  # fmt: skip
        seen, left = set(begin), list(begin)
        while left:
            a, b = left.pop()
            for c in self.next[a]:
                for d in self.next[b]:
                    if c in inside and d in inside and self.sets[c] & self.sets[d]:
                        if c == d:
                            return True
                        if (c, d) not in seen:
                            seen.add((c, d))
                            left.append((c, d))
        return False

    def _polynomial(self, loop: list[int], later: list[int]) -> bool:
        first, third = set(loop), set(later)
        between = self._reached(loop[0])
        if not third & between:
            return False
        for p in loop:
            for q in later:
                if q in self.free or not self._can_fail(later):
                    continue
                if self._leads(p, q, first, third, between):
                    return True
        return False

    def _can_fail(self, loop: list[int]) -> bool:
        return not any(one in self.free for one in loop)

    def _leads(self, p: int, q: int, first: set[int], third: set[int], between: set[int]) -> bool:
        seen, left = {(p, p, q)}, [(p, p, q)]
        while left:
            a, b, c = left.pop()
            for d in self.next[a]:
                if d not in first:
                    continue
                for f in self.next[c]:
                    common = self.sets[d] & self.sets[f]
                    if f not in third or not common:
                        continue
                    for e in self.next[b]:
                        if e in between and common & self.sets[e]:
                            if (d, e, f) == (p, q, q):
                                return True
                            if (d, e, f) not in seen:
                                seen.add((d, e, f))
                                left.append((d, e, f))
        return False


def verdict(pattern: str | bytes, flags: int = 0, *, searched: bool = True, whole: bool = False) -> str:
    """Say whether matching takes linear time: `linear`, `polynomial` or `exponential`.

    `searched`: it may begin at any place; `whole`: it must end where the text ends.
    """
    return Automaton(pattern, flags & ~re.DEBUG, searched=searched, whole=whole).verdict()
