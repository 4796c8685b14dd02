"""An index as a source: its documents with their texts, for every command that reads documents.

The definition is here because it opens indexes, and is loaded by its name, as plug-ins are.
"""

from __future__ import annotations

from pathlib import Path

from copysift.model.document import Document
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
        from copysift.workflows.indexed_documents import (
            indexed_documents,  # loads SQLite, which a list of sources does not need
        )

        for found in indexed_documents(Path(outer.name).parent, reading):
            yield found if isinstance(found, Skipped) else found.document


SOURCE = IndexSource()
