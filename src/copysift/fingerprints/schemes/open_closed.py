"""Winnowing whose order prefers open and closed k-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from copysift.errors import UsageError
from copysift.fingerprints.windows import Windows
from copysift.model.traits import SchemeTraits, Windowing

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings


class OpenClosed(Windows):
    """`open-closed`: one choice per window, so a guarantee."""

    traits: ClassVar = SchemeTraits(
        "open-closed",
        "winnowing with fewer fingerprints for the same guarantee",
        guarantee=True,
        windows=Windowing(inner=True),
        edge=0.25,
        variance=0.5,
        density=5 / 6,
    )

    def __init__(self, settings: FingerprintSettings) -> None:
        if not 1 <= settings.inner <= 4:
            raise UsageError(f"open-closed needs inner grams of 1 to 4 symbols, not {settings.inner}")
        super().__init__(settings)


SCHEME = OpenClosed
