"""Which documents of an index moved: a file that disappeared, and a new one of the same content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from copysift.store.catalog import Catalog


def find_moves(vanished: Mapping[str, int], new: Iterable[str], catalog: Catalog) -> list[tuple[str, str]]:
    """Pair documents that disappeared, by name with their contents, with new ones; same file names first."""
    here: dict[int, list[str]] = {}
    for row in map(catalog.document, sorted(new)):
        if row is not None:
            here.setdefault(row.content, []).append(row.name)
    moves: dict[str, str] = {}
    for same_name in (True, False):
        for old, content in vanished.items():
            names, base = here.get(content, []), PurePath(old).name
            found = next((name for name in names if not same_name or PurePath(name).name == base), None)
            if found is not None and old not in moves:
                names.remove(found)
                moves[old] = found
    return list(moves.items())
