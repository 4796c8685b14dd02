"""JSON lines of nothing but an id and a text, a block at a time, without a Python object for a record.

The threads that shingle go on meanwhile. A block that is not exactly so is left to the reader that takes
line by line, which is the definition.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from copysift.read.records import SCHEMA

LARGEST = 1 << 28  # bytes of a block


def id_and_text(block: bytes, name: str, text: str) -> pa.RecordBatch | None:
    """Give the records of whole lines, or None when one of them is anything but two strings."""
    if not block.startswith(b"{") or len(block) > LARGEST or name == text:
        return None
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    lines = len(ends) + 1
    if lines > 1 and (ends[-1] + 2 >= len(data) or (data[ends + 1] != ord("{")).any()):
        return None
    wanted = pa.schema([(name, pa.string()), (text, pa.large_binary())])
    reading = pj.ReadOptions(use_threads=False, block_size=len(block) + 1)
    parsing = pj.ParseOptions(explicit_schema=wanted, unexpected_field_behavior="error")
    try:
        table = pj.read_json(pa.BufferReader(block), reading, parsing)
        # every line begins an object, and no object has another inside: one on each line
        if len(table) != lines or table.column_names != [name, text]:
            return None
        if any(column.null_count or column.num_chunks != 1 for column in table.columns):
            return None
        ids, texts = (column.chunk(0) for column in table.columns)
        for column in (ids, texts.cast(pa.large_string())):  # the cast looks whether it is UTF-8
            column.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    if not np.diff(np.frombuffer(ids.buffers()[1], np.int32)[: lines + 1]).all():
        return None  # an empty id is no id
    empty = [pa.nulls(lines, kind) for kind in SCHEMA.types[2:]]
    return pa.record_batch([ids, texts, *empty], schema=SCHEMA)
