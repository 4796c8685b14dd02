"""The schemes, one file each: a scheme looks at the k-grams of a document and chooses some of them.

A file `NAME.py` here defines the scheme NAME (`safe_mod.py`: safe-mod) as SCHEME, a class with `traits` that
is made once per document. `feed` gets the symbols that it wanted to keep from the last block followed by new
ones, and returns the chosen places, their hashes, and from which symbol on it wants to see the symbols again.
The answer never depends on where the blocks were cut. `copysift.fingerprints.conformance` checks any scheme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from copysift.model.traits import SchemeTraits
    from copysift.model.values import Symbols, UInt32s, UInt64s

__all__ = ["Choice", "Scheme", "incomplete"]


class Choice(NamedTuple):
    """Chosen places in the symbols that were fed, their hashes, and the first symbol to keep."""

    places: UInt32s
    hashes: UInt64s
    keep: int


class Scheme(Protocol):
    """What chooses; `settle` says at the end which of all choices, by number, remain (None: all)."""

    traits: ClassVar[SchemeTraits]

    def feed(self, symbols: Symbols, last: bool) -> Choice: ...

    def settle(self, hashes: UInt64s) -> UInt32s | None: ...


def incomplete(symbols: Symbols, k: int) -> int:
    """Give the first symbol whose k-gram is not complete yet."""
    return max(0, len(symbols) - k + 1)
