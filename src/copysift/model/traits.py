"""All facts about a scheme and about a kind, one value each.

The definition of a scheme or kind has its traits. Code that needs a fact looks it up here by name, and keeps
no list of names. Only that definition is loaded.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from copysift.runtime import registry
from copysift.runtime.lazy_dataclass import dataclass

DEFAULT_SCHEME = "open-closed"
SCHEME_OPTIONS = ("modulus", "sketch", "anchor", "disjoint")  # options that only some schemes use
COUNTS, SMALLEST, LEVELS = "counts", "smallest", "levels"  # how two sets of fingerprints are compared

_ODD, _PRIME = 0x9E3779B97F4A7C15, 2**64 - 59


class Windowing(NamedTuple):
    """How the smallest k-gram of a window is chosen by the kernels.

    `robust`: of equal ones the one that was chosen last, else the rightmost. `inner`: open and closed k-grams
    come first. The order depends on the symbols of a k-gram alone, so the hashes of a larger window are among
    those of a smaller one.
    """

    robust: bool = True
    inner: bool = False


@dataclass(frozen=True, slots=True)
class SchemeTraits:
    """All facts about a scheme.

    `options` are those of SCHEME_OPTIONS that change what it chooses; the others are refused. `guarantee`:
    two documents that share a run of the guarantee threshold share a fingerprint. `windows`: it chooses the
    smallest of every window. `estimator` says how measures are computed from two sets: COUNTS of shared
    fingerprints, or as sketches, of the SMALLEST hashes or of LEVELS of a modulus. `learned`: without its
    option it learns from the files. `corpus`: `cluster` and `dedup` can use it. `every`: it keeps every
    k-gram. `edge` is how many fingerprints a difference hides in the equal text beside it, at winnowing's
    density 2/(w + 1), and `variance` that of a sample divided by that of independent draws;
    `experiments/winnowing` measures both. `density` is about how many fingerprints it keeps, as a share of
    winnowing's: limits that count them are multiplied by it.
    """

    name: str
    description: str
    options: tuple[str, ...] = ()
    guarantee: bool = False
    windows: Windowing | None = None
    estimator: str = COUNTS
    learned: str = ""
    corpus: bool = False
    every: bool = False
    edge: float = 0.0
    variance: float = 1.0
    density: float = 1.0

    @property
    def sketch(self) -> bool:
        """Whether it keeps a sample of whole documents whose density differs between them."""
        return self.estimator != COUNTS


class Thresholds(NamedTuple):
    """Noise threshold k and guarantee threshold t, in symbols; the window is w = t − k + 1."""

    noise: int
    guarantee: int

    @property
    def window(self) -> int:
        return self.guarantee - self.noise + 1


@cache
def scheme_traits(name: str) -> SchemeTraits:
    """Give the facts about a scheme; one of a package for version 0.1 has none and may use every option."""
    made = registry.load(registry.SCHEMES, name)
    traits: SchemeTraits = getattr(made, "traits", None) or SchemeTraits(name, "plug-in", SCHEME_OPTIONS)
    return traits


def schemes_with(option: str) -> list[str]:
    """Name the schemes that use an option."""
    names = registry.names(registry.SCHEMES)
    return [name for name in names if option in scheme_traits(name).options]


@dataclass(frozen=True, slots=True)
class KindTraits:
    """All facts about a kind of document.

    `symbols` says what a symbol is, in the plural. `thresholds` are the default k and t, `inner` is r of
    open-closed. Kinds of one `family` have the same symbols; kinds of one `channel` are joined with each
    other. `magic`, the first bytes of a file, and `suffixes` of file names, lower case, choose the kind; a
    `raw` kind is offered binary files, any other kind texts; a text without
    the `magic` of a kind is never read as that kind. `languages`: one kind per programming
    language, `NAME:LANGUAGE`. `raw`: bytes are not decoded as text. `markup`: whether the batch kernel
    removes tags first; None: it does not know these symbols. `salt` is mixed into the hashes of a corpus, so
    that those of different symbols never meet; 0: it follows from the name. `linked`: linkers put libraries
    into its documents, so that what several of them have is the less evidence.
    """

    name: str
    description: str
    symbols: str
    thresholds: Thresholds
    family: str = ""
    channel: str = "text"
    inner: int = 2
    suffixes: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    languages: bool = False
    raw: bool = False
    markup: bool | None = None
    salt: int = 0
    linked: bool = False

    @property
    def mark(self) -> int:
        """What is mixed into the hashes of a corpus."""
        name = int.from_bytes((self.family or self.name).encode(), "big")
        return self.salt or name * _ODD % _PRIME


@cache
def kind_traits(kind: str) -> KindTraits:
    """Give the facts about a kind, also of `code:java`.

    A kind of a package for version 0.1, or of one that is not installed any longer, has those of text.
    """
    name = kind.partition(":")[0]
    known = name in registry.built_in(registry.KINDS) or name in registry.names(registry.KINDS)
    traits: KindTraits | None = getattr(known and registry.load(registry.KINDS, name), "traits", None)
    return traits or replace(kind_traits("text"), name=name, description="plug-in", markup=None, suffixes=())


def is_raw(kind: str) -> bool:
    """Say whether documents of a kind are not decoded as text; `auto` and no kind are not a kind yet."""
    return kind not in ("", "auto") and kind_traits(kind).raw


def default_thresholds() -> dict[str, Thresholds]:
    """Give k and t of every built-in kind."""
    return {name: kind_traits(name).thresholds for name in registry.built_in(registry.KINDS)}
