"""Sources cut into segments that can be read alone, by any thread or process, in any order.

A folder of record files is cut into its files, and a long file of lines into spans of bytes. Anything else is
one segment: a compressed file, a folder of texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.documents import Documents
from copysift.sources.inputs import File, Inputs, ReadAs
from copysift.sources.places import below, is_folder
from copysift.sources.record_files import Batches
from copysift.sources.source import RECORDS, WHOLE, Part

SPLIT = 64 << 20  # bytes of a segment of lines
LONG = 4 * SPLIT  # bytes of a file that is worth being cut: its lines are counted first


@dataclass(frozen=True, slots=True)
class Segment:
    """A source, or a file of a folder that is one, or a part of it."""

    place: str
    found: bool = False  # in a folder, not named by the user
    part: Part = WHOLE


class Origin(NamedTuple):
    """Says among batches that those of another file follow: its path, and its name below its source."""

    place: str
    name: str


def origins(inputs: Inputs, source: str) -> Iterator[tuple[Origin, Segment]]:
    """Give the files of records of a source, in order; refuse a source that has others."""
    for file in inputs.files([source]):
        if not isinstance(file, File):
            continue
        name = file.document.name
        if file.source is None or file.source.traits.gives != RECORDS:
            raise UsageError(
                f"{name} has no records, so no file of the same name can be written",
                hint="name a file with -o instead of a folder",
            )
        yield Origin(name, below(source, name)), Segment(name, not file.named)


def segments(inputs: Inputs, source: str, split: bool = True) -> list[Segment]:
    """Cut a source into segments, in order; without `split` no file is cut."""
    whole = [Segment(source)]
    cut: list[Segment] = []
    if source == "-":
        return whole
    for file in inputs.files([source]):
        if not isinstance(file, File) or file.source is None or file.source.traits.gives != RECORDS:
            return whole  # texts and archives keep the order of the walk
        long = split and file.document.size >= LONG
        parts = file.source.split(file.document, SPLIT) if long else [WHOLE]
        cut += [Segment(file.document.name, not file.named, part) for part in parts]
    return cut if is_folder(source) or len(cut) > 1 else whole


def read_segment(inputs: Inputs, segment: Segment, read_as: ReadAs) -> Batches:
    """Give the records of a segment that is a file or a part of one; what it is read as is added."""
    for found in inputs.files([segment.place]):
        if isinstance(found, Skipped):
            yield found
        if not isinstance(found, File):
            continue
        file = File(found.document, inputs.source_of(found.document), False) if segment.found else found
        for each in _opened(inputs, file, segment.part):
            if isinstance(each, Documents):
                yield each.table
            elif isinstance(each, Skipped):
                yield each
    read_as.add(inputs.read_as)


def _opened(inputs: Inputs, file: File, part: Part) -> Iterator[object]:
    if part == WHOLE or file.source is None:
        return inputs.opened(file)
    return file.source.open(file.document, inputs.reading, part)
