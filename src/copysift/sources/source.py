"""The one protocol of a place that documents come from, and the registry of those that are known.

A source opens a document that holds others: an archive, a compressed file, a file of records. What comes
out may be opened again, to a depth that is limited. Built-ins are registered as plug-ins are, by the
entry point group `copysift.sources`; `copysift.sources.conformance` checks any of them.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runtime import registry
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.container_limits import ArchiveLimits, Budget
from copysift.sources.fields import Fields
from copysift.sources.file_content import FileContent
from copysift.sources.walk import WalkSettings

if TYPE_CHECKING:  # with Arrow, which most scans do not need
    from copysift.sources.documents import Documents

# What a source gives.
MEMBERS, RECORDS, ITSELF, DOCUMENTS = "members", "records", "itself", "documents"
KEPT = "text that an index kept"  # what a document of an index was read as, if its file is not as it was
BATCH_BYTES = 2 << 20  # of text, about, in one batch of records

Given = Iterator["Document | Documents | Skipped"]


@dataclass(frozen=True, slots=True)
class SourceTraits:
    """All facts about a source.

    `gives` is MEMBERS (files in a container), RECORDS (rows, all of one shape), ITSELF (the document
    is one, only read in another way) or DOCUMENTS (texts that nothing else opens). `magic` are the first
    bytes of its files, `suffixes` the ends of their names, lower case. `extra` is what `pip install` needs
    for it. `raw`: a container of which nothing can be read is compared as raw bytes.
    """

    name: str
    description: str
    gives: str
    magic: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()
    extra: str = ""
    raw: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that can be read alone: half-open, in the unit of its source.

    `before` counts the records that come before it. A whole document is Part().
    """

    start: int = 0
    end: int = -1
    before: int = 0


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when the content of a file changes."""

    size: int
    mtime_ns: int
    token: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a job wants from its sources.

    `records` says whether files of records give their records (yes), are texts (no), or what their
    content and name say (auto). `wide`: also CSV, JSON and text files that were named themselves are
    records, as for a corpus. `binary`: what is not text is wanted too. `form`: the format of files that were
    named themselves. A document of more than `max_bytes`, or that takes more than `max_seconds` to read, is
    left out. `blank`: markup of texts is overwritten in place; without it they are given as they are, with
    the same offsets. `filters` are programs that make the text of some files, each GLOB=COMMAND. `budget` is
    what is left of the limits of the outermost container.
    """

    fields: Fields = field(default_factory=Fields)
    walking: WalkSettings = field(default_factory=WalkSettings)
    limits: ArchiveLimits = field(default_factory=ArchiveLimits)
    containers: bool = True
    records: str = "auto"
    wide: bool = False
    binary: bool = False
    form: str = "auto"
    max_bytes: int | None = None
    max_seconds: float | None = None
    blank: bool = True
    filters: tuple[str, ...] = ()
    batch: int = BATCH_BYTES
    budget: Budget | None = None
    top: str = ""  # path of the outermost container, which members are judged below

    def refuse(self, name: str, size: int) -> Skipped | None:
        """Say why a document is left out if it is too large."""
        if self.max_bytes is None or size <= self.max_bytes:
            return None
        return Skipped(name, f"is larger than {self.max_bytes:,} bytes (--max-bytes-per-file)")

    def inside(self, outer: Document) -> Reading:
        """Give the reading of what is in a container, which shares the budget of the outermost one."""
        if self.budget is not None:
            return self
        return replace(self, budget=self.budget_of(outer), top=outer.file)

    def budget_of(self, outer: Document) -> Budget:
        """Give what is left of the limits for a container, or the one that it is in."""
        return self.budget or Budget(self.limits, outer.size, self.max_seconds)


class Source(Protocol):
    """A place that documents come from."""

    @property
    def traits(self) -> SourceTraits:
        """All facts about it."""

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is of this source, by its first 512 bytes, then by its name."""

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the documents in a document, or in a part of it, and what was left out."""

    def split(self, outer: Document, size: int) -> Sequence[Part]:
        """Cut a document into parts of about `size` bytes, in order, that can be read alone."""

    def stamp(self, outer: Document) -> Stamp | None:
        """Give what changes when the content changes; None: read it every time."""


class WholeSource:
    """What most sources share: known by magic, then suffix; read whole; changed when the file has."""

    traits: SourceTraits

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is of this source."""
        traits = self.traits
        if traits.magic:
            return head.startswith(traits.magic)
        return name.lower().endswith(traits.suffixes) if traits.suffixes else False

    def split(self, outer: Document, size: int) -> Sequence[Part]:
        """Give the whole as the only part."""
        return [WHOLE]

    def stamp(self, outer: Document) -> Stamp | None:
        """Give size and time of the file."""
        content = outer.content
        return Stamp(content.size, content.mtime_ns) if isinstance(content, FileContent) else None


def source(name: str) -> Source:
    """Give a source by its name."""
    loaded: Source = registry.load(registry.SOURCES, name)
    return loaded


class Marks(NamedTuple):
    """How the files of a source are recognized, as far as its file says before it is loaded."""

    name: str
    magic: tuple[bytes, ...]
    suffixes: tuple[str, ...]

    def may_claim(self, name: str, head: bytes) -> bool:
        """Say whether a file may be of this source, so that it is worth loading."""
        if not self.magic and not self.suffixes:
            return True
        return head.startswith(self.magic) or name.lower().endswith(self.suffixes)


_WRITTEN = re.compile(r"""\b(magic|suffixes)=(\((?:[^()"']|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*\))""")


@cache
def added() -> tuple[Marks, ...]:
    """Give the sources that are built in by their file alone; none is loaded to know its marks.

    They are read from the text of `SourceTraits(…)`, where they are literals.
    """
    found = []
    for name, path in registry.files_named(registry.SOURCES, "_source").items():
        try:
            text = path.read_text(encoding="utf-8")
            marks = {key: literal_eval(value) for key, value in _WRITTEN.findall(text)}
        except (
            OSError,
            ValueError,
            SyntaxError,
        ):  # no source text, or no literals: it is asked for all files
            marks = {}
        found.append(Marks(name, marks.get("magic", ()), marks.get("suffixes", ())))
    return tuple(found)


@cache
def plug_ins() -> tuple[Source, ...]:
    """Give the sources that other packages declare, which are tried before the built-in ones."""
    return tuple(source(name) for name in registry.plug_in_names(registry.SOURCES))
