"""Which documents of an index moved: a file that disappeared, and a new one of the same content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from copysift.model.document import INSIDE
from copysift.store.catalog import Catalog


def find_moves(vanished: Mapping[str, int], new: Iterable[str], catalog: Catalog) -> list[tuple[str, str]]:
    """Pair documents that disappeared, by name with their contents, with new ones.

    Of several with the same content, those that keep the longest end of their path are paired first.
    """
    wanted = set(vanished.values())
    rows = (catalog.document(name) for name in sorted(new))
    here = {row.name: (row.content, _parts(row.name)) for row in rows if row and row.content in wanted}
    gone = {name: (content, _parts(name)) for name, content in sorted(vanished.items())}
    moves: dict[str, str] = {}
    for length in range(max((len(parts) for _, parts in gone.values()), default=0), -1, -1):
        ends: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for name, (content, parts) in reversed(here.items()):
            if len(parts) >= length:
                ends.setdefault((content, parts[len(parts) - length :]), []).append(name)
        for old, (content, parts) in list(gone.items()):
            names = ends.get((content, parts[len(parts) - length :])) if len(parts) >= length else None
            if names:
                moves[old] = names.pop()
                del gone[old], here[moves[old]]
    return sorted(moves.items())


def _parts(name: str) -> tuple[str, ...]:
    return PurePath(name.replace(INSIDE, "/")).parts
