"""Winnowing as the paper first defines it: of equal smallest hashes, the rightmost."""

from __future__ import annotations

from typing import ClassVar

from copysift.fingerprints.windows import Windows
from copysift.model.traits import SchemeTraits, Windowing


class Winnow(Windows):
    """`winnow`: one choice per window, so a guarantee."""

    traits: ClassVar = SchemeTraits(
        "winnow",
        "winnowing: the smallest hash of every window, ties to the right",
        guarantee=True,
        windows=Windowing(robust=False),
        edge=0.37,
        variance=0.5,
    )


SCHEME = Winnow
