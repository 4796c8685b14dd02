"""How the engine shows its callers how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears of every phase and of every step in it, from one thread."""

    def phase(self, name: str, total: int | None) -> None:
        """Start a phase; a total of None is not known yet."""

    def advance(self, count: int = 1) -> None:
        """Note that this many steps of the phase are done."""


class NullProgress:
    """Nobody looks."""

    def phase(self, name: str, total: int | None) -> None:
        """Say nothing."""

    def advance(self, count: int = 1) -> None:
        """Say nothing."""
