"""What every front-end offers, and how a document streams through one in blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from copysift.kinds import positions
from copysift.kinds.positions import Explicit, Shifted
from copysift.model.traits import KindTraits, kind_traits
from copysift.model.values import Canonical
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from copysift.kinds.lexemes import Lexemes, PlacedLexemes

BLOCK = 256 * 1024  # bytes: a block and what is made of it stay in the cache

TEXT, CODE = CHANNELS = "text", "code"  # lists of fingerprints that are joined apart

Made = TypeVar("Made")
Step = Callable[[bytes | memoryview, int, bool], tuple[Made, int]]


def family(kind: str) -> str:
    """Give the kind whose symbols a kind has: `code` for every language, text for HTML."""
    traits = kind_traits(kind)
    return traits.family or traits.name


@cache
def channel_of(kind: str) -> str:
    """Give the channel of a kind: programs by their tokens have one, all else shares another."""
    return kind_traits(kind).channel


class Canonicaliser(Protocol):
    """Turns documents of one kind into symbols; holds no state between them, so threads may share it.

    The symbols and spans of the blocks, one after the other, are those of the whole, however the
    document was cut into chunks.
    """

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size, in bounded memory.

        The blocks are consecutive and none is empty; their offsets are those of the document.
        """

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""


@dataclass(frozen=True)
class Kind:
    """The definition of a kind: all facts about it, and what makes its canonicaliser.

    A kind with languages is made with the name of one, and the languages to look in.
    """

    traits: KindTraits
    make: Callable[..., Canonicaliser]

    def __call__(self, *language: object) -> Canonicaliser:
        """Make the canonicaliser."""
        return self.make(*language)


class CodeCanonicaliser(ABC):
    """A canonicaliser of programs, whose lexemes say more than their symbols."""

    @abstractmethod
    def told(self, chunks: Iterable[bytes], into: list[Lexemes] | None) -> Iterator[Canonical]:
        """Canonicalise, and put what the lexemes of each block say into a list."""

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        return self.told(chunks, None)

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        return joined(self.blocks([data]))

    def places(self, data: bytes) -> PlacedLexemes | None:
        """Find the statements and strings of a readable source in memory; None if it cannot say where."""
        return None


def stream(
    chunks: Iterable[bytes], step: Step[Made], block: int = BLOCK, uneven: bool = False
) -> Iterator[Made]:
    """Cut chunks into other blocks and take a step for each; yield what the steps make.

    A step is given a block, its offset in the document and whether it is the last. It says how many
    bytes it used; the others, always less than a block, come again at the head of the next one.
    All blocks but the last have the same size. Where their size changes nothing that the steps make they may
    be `uneven`: half a block at the end of a chunk is a block too, which saves copying it.
    """
    rest: bytes | bytearray | memoryview = b""
    offset, least = 0, (block + 1) // 2 if uneven else block
    for chunk in chunks:
        view, at = memoryview(chunk), 0
        while at < len(view) and len(rest) + len(view) - at >= least:
            end = min(at + block - len(rest), len(view))
            data = memoryview(b"".join((rest, view[at:end]))) if len(rest) else view[at:end]
            made, used = step(data, offset, False)
            yield made
            offset += used
            if len(data) < block or used < len(rest):
                at, rest = end, data[used:]
            else:
                at, rest = at + used - len(rest), b""
        if not len(rest):  # a document of one chunk is not copied
            rest = view[at:] if at else chunk
        elif at < len(view):
            rest = rest if isinstance(rest, bytearray) else bytearray(rest)
            rest += view[at:]
    yield step(rest if isinstance(rest, bytes) else bytes(rest), offset, True)[0]


def placed(step: Step[Canonical]) -> Step[Canonical]:
    """Make a step that is never given an offset of over 32 bits; its blocks beyond them are shifted."""

    def anywhere(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
        if offset + len(data) <= positions.NARROW:
            return step(data, offset, final)
        made, used = step(data, 0, final)
        return Canonical(made.symbols, Shifted(made.positions, offset)), used

    return anywhere


def joined(blocks: Iterable[Canonical]) -> Canonical:
    """Put the blocks of a document together."""
    every = list(blocks)
    if len(every) == 1:
        return every[0]
    empty = np.empty(0, np.uint32)
    starts, ends = (
        np.concatenate([empty, *(getattr(each, side) for each in every)]) for side in ("starts", "ends")
    )
    symbols = np.concatenate([each.symbols for each in every]) if every else empty
    return Canonical(symbols, Explicit(starts, ends))
