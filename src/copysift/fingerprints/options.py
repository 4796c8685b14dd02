"""What the fingerprint stage needs to know, checked when it is made."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import UsageError
from copysift.model.traits import DEFAULT_SCHEME, Windowing, scheme_traits
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

MAX_WINDOW = 8192  # a window must fit a chunk of the kernel
MAX_NOISE = 1 << 20


@dataclass(frozen=True, slots=True)
class FingerprintSettings:
    """Noise threshold k, window w = t − k + 1, and what some schemes need besides.

    `modulus` 0 means: as dense as winnowing would be, p = (w + 1) / 2 (§3.1.1), and for safe-mod the
    best, P = ln w / w (§3.1.2), and for adaptive-mod 1. `size` is s of MIN_s. `inner` is r of
    open-closed: 4 characters, 2 tokens, or less, so that a k-gram has three of them. `overlap=False` is sif's
    rule that fingerprints under `mod` do not overlap. `anchors` are strings of canonical symbols, for the
    anchor scheme. `bits` are the bits of a hash that are kept, the highest ones: an index keeps fewer.
    """

    scheme: str = DEFAULT_SCHEME
    k: int = 25
    w: int = 26
    modulus: int = 0
    size: int = 100
    seed: int = 0
    inner: int = 4
    overlap: bool = True
    anchors: tuple[bytes, ...] = ()
    bits: int = 64

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MAX_NOISE:
            raise UsageError(f"the noise threshold must be 1 to {MAX_NOISE:,} symbols, not {self.k}")
        if not 1 <= self.w <= MAX_WINDOW:
            raise UsageError(
                f"the window must be 1 to {MAX_WINDOW:,} k-grams, not {self.w}",
                hint=f"the window is guarantee − noise + 1: choose a guarantee of {self.k} to "
                f"{self.k + MAX_WINDOW - 1:,}.",
            )
        if self.modulus < 0 or self.size < 1:
            raise UsageError("modulus and size must be positive")
        if not 0 <= self.seed < 2**64:
            raise UsageError("the seed must be a 64-bit number")
        if not 1 <= self.bits <= 64:
            raise UsageError(f"a hash keeps 1 to 64 bits, not {self.bits}")

    def kept(self, hashes: UInt64s) -> UInt64s:
        """Give hashes with the bits that are not kept set to 0, after a scheme chose by all of them."""
        if self.bits == 64:
            return hashes
        shortened: UInt64s = hashes & _mask(self.bits)
        return shortened

    @property
    def windowing(self) -> tuple[bool, int]:
        """What the kernels of winnowing need to know: whether it is robust, and r of open-closed or 0.

        K-grams of one or two symbols have no middle: none is open or closed, which is robust winnowing.
        """
        return _windowing(self.scheme, self.inner, self.k)

    @property
    def is_windowed(self) -> bool:
        """Whether the scheme chooses the smallest of every window."""
        return scheme_traits(self.scheme).windows is not None


@cache
def _mask(bits: int) -> np.uint64:
    return np.uint64(2**64 - 2 ** (64 - bits))


@cache
def _windowing(scheme: str, inner: int, k: int) -> tuple[bool, int]:
    windows = scheme_traits(scheme).windows or Windowing()
    return windows.robust, max(0, min(inner, k - 2)) if windows.inner else 0
