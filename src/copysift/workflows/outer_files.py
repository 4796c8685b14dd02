"""What an index knows of containers and files of records: their size and time, and who is in them."""

from __future__ import annotations

from functools import cached_property

from copysift.model.document import INSIDE
from copysift.sources.source import Stamp
from copysift.store.writer import Writer

KEY = "outers"  # name → size, time, number of documents


class Outers:
    """The containers and files of records of an index; one that has not changed is not opened."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._known: dict[str, list[int]] = writer.catalog.about(KEY) or {}
        self._changed = False

    def unchanged(self, outer: str, stamp: Stamp) -> bool:
        """Say whether a file is as it was, and all that was in it is in the index."""
        known = self._known.get(outer)
        return known is not None and known == [stamp.size, stamp.mtime_ns, len(self.members(outer))]

    def members(self, outer: str) -> set[str]:
        """Give the names of the documents in a file, as they were before this command."""
        return self._members.get(outer, set())

    def of(self, name: str) -> str:
        """Give the file that a document is in; "" for a file."""
        at = name.find(INSIDE)
        while at >= 0:
            if name[:at] in self._known:
                return name[:at]
            at = name.find(INSIDE, at + 1)
        return ""

    def note(self, outer: str, stamp: Stamp, count: int) -> None:
        """Note a file that was read."""
        self._known[outer] = [stamp.size, stamp.mtime_ns, count]
        self._changed = True

    def drop(self, outer: str) -> None:
        """Forget a file."""
        self._changed = self._known.pop(outer, None) is not None or self._changed

    def save(self) -> None:
        """Write what was noted, with the next commit."""
        if self._changed:
            self._writer.changed = True
            self._writer.catalog.set_about(KEY, self._known)
            self._changed = False

    @cached_property
    def _members(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for row in self._writer.catalog.documents() if self._known else ():
            outer = self.of(row.name) if row.file and INSIDE in row.name else ""
            if outer:
                found.setdefault(outer, set()).add(row.name)
        return found
