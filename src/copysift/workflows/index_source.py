"""An index as a source: its documents with their texts, for every command that reads documents.

The text is the file where that is unchanged, else the kept one; a document that has neither is named. The
definition is here because it opens indexes, and is loaded by its name, as plug-ins are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from copysift.model.document import Document, Hint, Memory
from copysift.model.values import Skipped
from copysift.sources.source import DOCUMENTS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource
from copysift.sources.walk import is_index


class IndexSource(WholeSource):
    """The documents of an index, which is known by its catalog."""

    traits = SourceTraits(
        "index",
        "Indexes of copysift: their documents, as unchanged files or kept texts",
        DOCUMENTS,
        suffixes=("catalog.sqlite",),
    )

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is the catalog of an index."""
        return name.lower().endswith(self.traits.suffixes) and is_index(str(Path(name).parent))

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the documents in the order of adding, with their submissions, by the names to show."""
        from copysift.store.snapshot import (
            Snapshot,  # these load SQLite, which a list of sources does not need
        )
        from copysift.store.units import UnitRow
        from copysift.workflows.stored_settings import Places, members_of, unchanged

        path = Path(outer.name).parent
        snapshot = Snapshot(path)
        try:
            places = Places(path)
            members = members_of(path, snapshot.catalog)
            units, of = snapshot.units(), snapshot.members()
            for row, content in snapshot.listed():
                shown = places.shown(row)
                unit = places.shown_unit(units.get(of.get(row.number, 0), UnitRow("")).name, row)
                found = unchanged(members, places, row, content)
                if isinstance(found, str):
                    text = snapshot.text(content.number)
                    if text is None:
                        yield Skipped(shown, f"{found}, and {path} stores no texts")
                        continue
                    found = Document(shown, Memory(text))
                yield replace(found, name=shown, hint=Hint(shown), unit=unit or shown)
        finally:
            snapshot.close()


SOURCE = IndexSource()
