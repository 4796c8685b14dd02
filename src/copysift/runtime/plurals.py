"""Counts with their nouns, as people read them."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """Spell a count with its noun: `1 pair`, `2,000 pairs`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
