"""Bring an index up to date with its files: what is new, changed, moved or gone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from copysift.errors import UsageError
from copysift.model.document import INSIDE
from copysift.model.values import Skipped
from copysift.sources.places import exists
from copysift.sources.walk import is_index
from copysift.store.catalog import Catalog
from copysift.store.writer import Writer
from copysift.workflows.index_additions import Adder
from copysift.workflows.stored_settings import Places

Place = str | os.PathLike[str]


def bring_up_to_date(
    adding: Adder, writer: Writer, known_places: Places, paths: Place | Iterable[Place] | None
) -> None:
    """Add what is new or changed at or below the paths, or at all known files; remove what is gone."""
    contents = {row.name: row.content for row in writer.catalog.documents() if row.file}
    known = list(contents)
    adding.read_again(contents)
    if paths is None:
        outers = dict.fromkeys(adding.outer_of(name) or name for name in known)
        named = [known_places.located(name) for name in outers]
        met = adding.files(path for path in named if exists(path))
        below = known
    else:
        places = [os.fspath(each) for each in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
        _refuse_indexes(places)
        met = adding.files(place for place in places if exists(place))
        below = [name for name in known if any(known_places.below(name, place) for place in places)]
        missing = [
            place
            for place in places
            if not exists(place) and not any(known_places.below(name, place) for name in below)
        ]
        adding.done.skipped += [Skipped(place, "no such file or folder") for place in missing]
    vanished = [
        name
        for name in below
        if name not in met and not exists(known_places.located(adding.outer_of(name) or name))
    ]
    moves = _find_moves({name: contents[name] for name in vanished}, met - contents.keys(), writer.catalog)
    for name in vanished:
        adding.done.removed += writer.remove(name)
    adding.done.moved += moves
    adding.done.added -= len(moves)
    adding.done.removed -= len(moves)


def _refuse_indexes(places: list[str]) -> None:
    """Refuse another index: nothing says which of the documents came from it and are gone there."""
    for place in places:
        if is_index(place):
            raise UsageError(
                f"{place} is an index, which does not say what was removed from it",
                hint="use copysift index add to add its documents",
            )


def _find_moves(vanished: Mapping[str, int], new: Iterable[str], catalog: Catalog) -> list[tuple[str, str]]:
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
