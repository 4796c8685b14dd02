"""What the fingerprint stage needs to know, checked when it is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from copysift.errors import UsageError

MAX_WINDOW = 8192  # a window must fit a chunk of the kernel
MAX_NOISE = 1 << 20


@dataclass(frozen=True, slots=True)
class FingerprintSettings:
    """Noise threshold k, window w = t − k + 1, and what the schemes besides winnowing take.

    `modulus` 0 means: as dense as winnowing would be, p = (w + 1) / 2 (§3.1.1), and for safe-mod the
    best, P = ln w / w (§3.1.2), and for adaptive-mod 1. `size` is s of MIN_s. `inner` is r of
    open-closed: 4 characters, 2 tokens. `overlap=False` is sif's rule that fingerprints under `mod` do not
    overlap. `anchors` are strings of canonical symbols, for the anchor scheme.
    """

    scheme: str = "robust"
    k: int = 25
    w: int = 26
    modulus: int = 0
    size: int = 100
    seed: int = 0
    inner: int = 4
    overlap: bool = True
    anchors: tuple[bytes, ...] = ()

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
        if self.scheme == "open-closed" and not 1 <= self.inner <= min(4, self.k - 2):
            raise UsageError(
                f"open-closed needs inner grams of 1 to 4 symbols and k-grams at least two longer, "
                f"not {self.inner} in {self.k}",
                hint="use a larger noise threshold, or the scheme robust",
            )

    @property
    def effective_modulus(self) -> int:
        """The modulus that `mod` or `safe-mod` uses."""
        if self.modulus:
            return self.modulus
        if self.scheme == "safe-mod":
            return max(1, round(self.w / math.log(self.w))) if self.w > 1 else 1
        return max(1, (self.w + 1) // 2)
