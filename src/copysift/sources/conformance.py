"""The kit that every source must pass, built-in or added: call `check` with a sample of it.

    from copysift.sources.conformance import check
    check(source, "box.mbox", sample_bytes, {"first message": b"…", "second message": b"…"})

It raises AssertionError with the law that is broken. `expected` has the documents in the sample: their
names without that of the file, and their bytes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from copysift.errors import InputError
from copysift.model.document import INSIDE, Document, Memory
from copysift.model.values import Skipped
from copysift.sources.container_limits import ArchiveLimits, LimitReachedError
from copysift.sources.detection import HEAD
from copysift.sources.file_content import FileContent
from copysift.sources.source import MEMBERS, WHOLE, Part, Reading, Source

_NOTHING = b"Plain text, as most files have it.\n" * 20
_CUTS = 40  # places at which the sample is cut


def check(source: Source, name: str, sample: bytes, expected: Mapping[str, bytes]) -> None:
    """Check every law on a sample, a file of this name."""
    assert source.traits.name, "a source needs a name"
    assert source.traits.description, f"{source.traits.name} needs a description"
    document = Document(name, Memory(sample))
    knows_its_own(source, document)
    gives_its_documents(source, document, expected)
    gives_them_again(source, document)
    parts_make_the_whole(source, document)
    damage_raises_nothing(source, document)
    notices_change(source, document)
    if source.traits.gives == MEMBERS and len(expected) > 1:
        keeps_the_limits(source, document)


def knows_its_own(source: Source, document: Document) -> None:
    """It claims its files and no plain text; one that never claims is chosen by other means."""
    head = document.content.data or b""
    assert not source.claims("notes", _NOTHING[:HEAD]), f"{source.traits.name} claims plain text"
    assert not source.claims("empty", b""), f"{source.traits.name} claims an empty file"
    by_itself = source.traits.magic or source.traits.suffixes
    if by_itself:
        assert source.claims(document.name, head[:HEAD]), f"{source.traits.name} does not know its sample"


def gives_its_documents(source: Source, document: Document, expected: Mapping[str, bytes]) -> None:
    """All documents of the sample come, in order, each with its bytes, and say how they were read."""
    found = list(_documents(source, document))
    names = [_inner(each.name, document.name) for each in found]
    assert names == list(expected), f"{source.traits.name} gives {names}, not {list(expected)}"
    for each, name in zip(found, names, strict=True):
        data = b"".join(each.content.chunks())
        assert data == expected[name], f"{each.name}: the bytes are not those expected"
        assert each.size == len(data), f"{each.name}: its size is not that of its bytes"
        assert each.read_as, f"{each.name} does not say how it was read"
    members = [each for each in found if source.traits.gives == MEMBERS]
    assert all(each.name.startswith(f"{document.name}{INSIDE}") for each in members), "outer!inner"
    assert all(each.hint.file for each in members), "a member says by which path its kind is judged"


def gives_them_again(source: Source, document: Document) -> None:
    """A document can be opened as often as needed, with the same answer."""
    first, second = (
        [(each.name, b"".join(each.content.chunks())) for each in _documents(source, document)]
        for _ in range(2)
    )
    assert first == second, f"{source.traits.name} gives other documents the second time"


def parts_make_the_whole(source: Source, document: Document) -> None:
    """The parts, read alone and put together, are the whole."""
    whole = [(each.name, b"".join(each.content.chunks())) for each in _documents(source, document)]
    for size in (1, max(1, document.size // 3), document.size + 1):
        parts = source.split(document, size)
        assert parts, f"{source.traits.name} has no parts"
        found = [each for part in parts for each in _documents(source, document, part)]
        again = [(each.name, b"".join(each.content.chunks())) for each in found]
        assert again == whole, f"{source.traits.name}: parts of {size} bytes are not the whole"


def damage_raises_nothing(source: Source, document: Document) -> None:
    """What is truncated or overwritten gives what can be read, and names the rest."""
    data = document.content.data or b""
    for at in range(0, len(data), max(1, len(data) // _CUTS)):
        for damaged in (data[:at], data[:at] + b"\xff\0" + data[at + 2 :]):
            broken = Document(document.name, Memory(damaged))
            try:
                for _ in source.open(broken, Reading()):
                    pass
            except (InputError, LimitReachedError):  # a refusal of the whole file, which names it
                continue


def notices_change(source: Source, document: Document) -> None:
    """The stamp of a file is another one when the file has changed."""
    with tempfile.TemporaryDirectory(prefix="copysift-") as folder:
        path = Path(folder) / "sample"
        path.write_bytes(document.content.data or b"")
        before = source.stamp(_file(path))
        assert source.stamp(_file(path)) == before, f"{source.traits.name}: the stamp changes by itself"
        if before is None:
            return
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))
        assert source.stamp(_file(path)) != before, f"{source.traits.name}: the stamp does not change"


def keeps_the_limits(source: Source, document: Document) -> None:
    """A container counts its members against the budget that it is given."""
    reading = Reading(limits=ArchiveLimits(members=1)).inside(document)
    try:
        count = sum(isinstance(each, Document) for each in source.open(document, reading))
    except LimitReachedError:
        return
    raise AssertionError(f"{source.traits.name} gives {count} members where 1 is allowed")


def _documents(source: Source, document: Document, part: Part = WHOLE) -> Iterator[Document]:
    for found in source.open(document, Reading(), part):
        assert not isinstance(found, Skipped), f"{found.name}: {found.reason}"
        if isinstance(found, Document):
            yield found
        else:
            yield from found


def _inner(name: str, outer: str) -> str:
    return name.removeprefix(f"{outer}{INSIDE}")


def _file(path: Path) -> Document:
    status = path.stat()
    return Document(str(path), FileContent(str(path), status.st_size, status.st_mtime_ns, follow=True))
