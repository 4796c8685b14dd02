"""JSON lines of nothing but an id and a text, a block at a time, without a Python object for a record.

The threads that shingle continue meanwhile. A block that is not exactly so is left to the reader that takes
line by line, which is the definition.
"""

from __future__ import annotations

import pyarrow as pa

from copysift import kernels
from copysift.sources.records import SCHEMA


def id_and_text(block: bytes | memoryview, name: str, text: str) -> pa.RecordBatch | None:
    """Give the records of whole lines, or None when one of them is anything but two strings."""
    found = kernels.jsonl.two_strings(block, name.encode(), text.encode())
    if found is None:
        return None
    ids, id_ends, texts, text_ends = (pa.py_buffer(column) for column in found)
    lines = len(found[1]) - 1
    columns = [
        pa.StringArray.from_buffers(lines, id_ends, ids),
        pa.LargeBinaryArray.from_buffers(pa.large_binary(), lines, [None, text_ends, texts]),
    ]
    empty = [pa.nulls(lines, kind) for kind in SCHEMA.types[2:]]
    return pa.record_batch([*columns, *empty], schema=SCHEMA)
