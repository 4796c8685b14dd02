"""Robust winnowing: of equal smallest hashes, the one that was chosen before."""

from __future__ import annotations

from typing import ClassVar

from copysift.fingerprints.windows import Windows
from copysift.model.traits import SchemeTraits, Windowing


class Robust(Windows):
    """`robust`: one choice per window, so a guarantee."""

    traits: ClassVar = SchemeTraits(
        "robust",
        "robust winnowing: the smallest hash of every window, ties by history",
        guarantee=True,
        windows=Windowing(),
        edge=0.37,
        variance=0.5,
    )


SCHEME = Robust
