"""Note what a repair has found of a content: fewer postings than it had, or others."""

from __future__ import annotations

from copysift.store.catalog import short
from copysift.store.catalog_rows import LOST
from copysift.store.timeline import is_swept
from copysift.store.writer import Writer


def shrink(writer: Writer, content: int, fingerprints: int, hashes: int) -> None:
    """Note that a content has lost postings; its documents are read again when their files are met."""
    recount(writer, content, fingerprints, hashes)
    distrust(writer, content)
    writer.drop_views(content)  # what is left of them would be measured against what they were


def distrust(writer: Writer, content: int) -> None:
    """Let no file be taken for the same as a content: its documents are read again when they are met."""
    catalog = writer.catalog
    marked = LOST + catalog.contents([content])[content].original
    writer.changed = True
    catalog.run(
        "UPDATE contents SET checksum = ?, short = ? WHERE number = ?", (marked, short(marked), content)
    )
    if not is_swept(catalog):  # sweeps keep no time of a file
        catalog.run("UPDATE documents SET mtime = 0 WHERE content = ?", (content,))


def recount(writer: Writer, content: int, fingerprints: int, hashes: int) -> None:
    """Note how many postings a content has, where that is not what it had."""
    writer.changed = True
    writer.catalog.run(
        "UPDATE contents SET fingerprints = ?, hashes = ? WHERE number = ?", (fingerprints, hashes, content)
    )
