"""What a sweep meets: addresses and contents, of a folder, a git tree, WARC files or records.

Of folders and trees the address is the path below the folder that was named, so that two releases in
two folders have the same addresses. A source that ends before it should is an error here and no note:
all that it has not told of would count as gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from copysift.errors import InputError
from copysift.model.values import Skipped
from copysift.sources.detection import CUT, open_source
from copysift.sources.files import Loaded, load
from copysift.sources.formats import format_of
from copysift.sources.records import Fields
from copysift.sources.walk import Entry, Linked, WalkSettings, walk


class Again(NamedTuple):
    """An address that has what `of` had on date `when` (which may be empty): a crawler fetched it once."""

    uri: str
    of: str
    when: str


Met = Iterator[tuple[str, bytes] | Again | Skipped]
NAMES = ("uri", "url", "id")  # the fields that may hold an address, in this order


def crawl(place: str, wanted: str, fields: Fields, walking: WalkSettings, avoid: str = "") -> Met:
    """Give the addresses and contents of a source; files below `avoid`, the index itself, are left out."""
    if place != "-" and not os.path.exists(place):
        raise InputError(f"{place}: there is no such file or folder")
    chosen = format_of(place) if wanted == "auto" else wanted
    if chosen in ("folder", "file"):
        return _files(place, walking, avoid)
    return _whole(place, _warc(place) if chosen == "warc" else _records(place, wanted, fields, walking))


def _files(place: str, walking: WalkSettings, avoid: str) -> Met:
    top = place if os.path.isdir(place) else os.path.dirname(place)
    prefix = len(top.rstrip(os.sep)) + 1 if top else 0
    for found in walk([place], walking):
        path = found.name if isinstance(found, Skipped) else found.path
        uri = path[prefix:].replace(os.sep, "/")
        if avoid and os.path.abspath(path).startswith(avoid):
            continue
        if isinstance(found, Skipped):
            if path == place:
                raise InputError(f"{place}: {found.reason}")
            yield Skipped(uri, found.reason)
            continue
        entry = Entry(path, 0, 0, 0, 0, place, follow=True) if isinstance(found, Linked) else found
        loaded = load(entry)
        if isinstance(loaded, Loaded):
            try:
                yield uri, b"".join(loaded.open())
            except InputError as error:
                yield Skipped(uri, error.message.removeprefix(f"{path}: "))
        else:
            yield Skipped(uri, loaded.reason)


def _records(place: str, wanted: str, fields: Fields, walking: WalkSettings) -> Met:
    for batch in open_source(place, wanted, fields, walking):
        if isinstance(batch, Skipped):
            cut = batch.reason.endswith(CUT)
            line = batch.name.rpartition(":")[2]
            yield Skipped(place, f"ends before it should, in line {line}") if cut else batch
        else:
            names, texts = batch.column("id").to_pylist(), batch.column("text").to_pylist()
            yield from zip(names, texts, strict=True)


def _warc(place: str) -> Met:
    try:
        from copysift.sources.warc import Captured, captures
    except ImportError:
        raise InputError(
            f"{place}: WARC needs the package fastwarc", hint="pip install 'copysift[warc]'"
        ) from None
    digests: dict[str, str] = {}  # of this file: where a revisit names no address, its digest does
    for item in captures(place):
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item, Captured):
            if item.digest:
                digests.setdefault(item.digest, item.uri)
            yield item.uri, item.content
        else:
            yield Again(item.uri, digests.get(item.digest, item.of), item.when)


def _whole(place: str, met: Met) -> Met:
    for each in met:
        if isinstance(each, Skipped) and each.name == place:
            raise InputError(
                f"{place} {each.reason}", hint="nothing was changed: what it does not tell of would be gone"
            )
        yield each
