"""The documents of an index with their texts, for commands that read them as they read files.

The text is the file where that is unchanged, else the kept one; a document that has neither is named. Who
compares raw bytes gets those of unchanged files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from copysift.model.document import Document, Hint, Memory
from copysift.model.values import Skipped
from copysift.sources.containers import member_filter
from copysift.sources.source import KEPT, Reading
from copysift.store.catalog_rows import DocumentRow
from copysift.store.snapshot import Snapshot
from copysift.store.units import UnitRow
from copysift.workflows.stored_settings import Members, Places, members_of, unchanged


class IndexedDocument(NamedTuple):
    """A document under the name to show, with its submission; `unit.name` is empty for none.

    `place` is the absolute path of its file, empty for what never was one; `kept` says that the text is the
    kept one.
    """

    document: Document
    row: DocumentRow
    unit: UnitRow
    place: str
    kept: bool


def indexed_documents(path: Path, reading: Reading) -> Iterator[IndexedDocument | Skipped]:
    """Give the documents in the order of adding; names of documents and of submissions are those to show."""
    snapshot = Snapshot(path)
    try:
        places = Places(path)
        members = members_of(path, snapshot.catalog)
        raw = Members(reading) if reading.binary else None
        units, of = snapshot.units(), snapshot.members()
        for row, content in snapshot.listed():
            shown = places.shown(row)
            unit = units.get(of.get(row.number, 0), UnitRow(""))
            unit = unit._replace(name=places.shown_unit(unit.name, row))
            found = unchanged(members, places, row, content)
            kept = isinstance(found, str)
            if isinstance(found, str):
                text = snapshot.text(content.number)
                if text is None:
                    yield Skipped(shown, f"{found}, and {path} stores no texts")
                    continue
                found = Document(shown, Memory(text), read_as=KEPT)
            elif raw is not None:
                loaded = raw.load(places.located(row.name))
                if isinstance(loaded, Skipped):
                    yield replace(loaded, name=shown)
                    continue
                found = loaded
            document = replace(found, name=shown, hint=Hint(shown), unit=unit.name or shown)
            yield IndexedDocument(document, row, unit, places.located(row.name) if row.file else "", kept)
    finally:
        snapshot.close()


def wanted_documents(index: str, reading: Reading) -> Iterator[IndexedDocument | Skipped]:
    """Give the documents that the filters and limits of a reading take."""
    chosen = member_filter(replace(reading.walking, hidden=True))
    for found in indexed_documents(Path(index), reading):
        if isinstance(found, Skipped):
            yield found
        elif chosen(found.document.file):
            yield reading.refuse(found.document.name, found.document.size) or found
