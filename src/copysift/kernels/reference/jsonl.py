"""JSON lines of an id and a text, in plain Python: the definition of `_jsonl`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Strings = tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]

_LARGEST = 1 << 30
_PLAIN = rb'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"'
_SPACE = rb"[ \t\r]*"


def two_strings(block: bytes | memoryview, name: bytes, text: bytes) -> Strings | None:
    """Give the strings of two fields of every line, or None when a line is anything but those two.

    The block is whole lines without the last line break. Gives the bytes of all names, their ends, the
    bytes of all texts, their ends; the ends start with a 0. A name is never empty.
    """
    raw = bytes(block)
    if not raw.startswith(b"{") or len(raw) > _LARGEST or name == text:
        return None
    names: list[bytes] = []
    texts: list[bytes] = []
    field = _SPACE + b"(" + _PLAIN + b")" + _SPACE + b":" + _SPACE + b"(" + _PLAIN + b")" + _SPACE
    shape = re.compile(rb"\{" + field + b"," + field + rb"\}" + _SPACE, re.DOTALL)
    for line in raw.split(b"\n"):
        found = shape.fullmatch(line)
        if found is None:
            return None
        fields = {found[1]: found[2], found[3]: found[4]}
        if fields.keys() != {b'"' + name + b'"', b'"' + text + b'"'}:
            return None
        try:
            one, other = (
                json.loads(fields[b'"' + each + b'"'].decode()).encode() for each in (name, text)
            )  # a half of a surrogate pair cannot be encoded
        except ValueError:
            return None
        if not one:
            return None
        names.append(one)
        texts.append(other)
    return (*_joined(names, np.dtype(np.int32)), *_joined(texts, np.dtype(np.int64)))


def _joined(
    strings: list[bytes], kind: np.dtype[np.signedinteger]
) -> tuple[NDArray[np.uint8], NDArray[np.signedinteger]]:
    ends = np.zeros(len(strings) + 1, kind)
    np.cumsum([len(each) for each in strings], out=ends[1:])
    return np.frombuffer(b"".join(strings), np.uint8), ends
