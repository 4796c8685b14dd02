"""The elements of one JSON array, a stream of bytes in, one element after the other out.

No more than an element and a block are held. Only brackets and strings are looked at; whoever takes an
element parses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import orjson

LONGEST = 1 << 30  # bytes of one element; a longer one is no record
BLOCK = 1 << 20

# A string that has no end yet is given by its quote alone. Nothing is given back, so this is linear.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_SPACE = re.compile(rb"\s+")  # with a line break in JSON only between tokens


class Element(NamedTuple):
    """The bytes of an element on one line, or why there is none; numbered from 1."""

    number: int
    data: bytes
    reason: str = ""
    last: bool = False  # the file ends inside of it


def is_array(head: bytes) -> bool:
    """Say whether bytes start a JSON array of records, rather than JSON lines of which the first is bad."""
    opened = head[:4096].lstrip()
    if not opened.startswith(b"["):
        return False
    if opened[1:].lstrip().startswith(b"{"):
        return True
    try:
        orjson.loads(head.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return True
    return not head.partition(b"\n")[2].lstrip().startswith(b"{")


def _unbroken(found: re.Match[bytes]) -> bytes:
    return b"" if b"\n" in found[0] else found[0]


def elements(head: bytes, read: Callable[[int], bytes]) -> Iterator[Element]:
    """Give the elements of an array that starts with `head`; `read` gives the bytes that follow."""
    held = head.lstrip()[1:]
    number, depth, start, at, wanted = 1, 0, 0, 0, BLOCK
    while True:
        for token in _TOKEN.finditer(held, at):
            sign = token.group()
            if sign == b'"':
                at = token.start()
                break
            at = token.end()
            if sign in (b"{", b"["):
                if not depth:
                    between = held[start : token.start()].strip(b" \t\r\n,")
                    if between:
                        yield Element(number, b"", "is not an object with fields")
                        number += 1 + between.count(b",")
                    start = token.start()
                depth += 1
            elif sign in (b"}", b"]") and depth:
                depth -= 1
                if not depth:
                    yield Element(number, _SPACE.sub(_unbroken, held[start:at]))
                    number, start, wanted = number + 1, at, BLOCK
            elif sign in (b"}", b"]"):
                if held[start : token.start()].strip(b" \t\r\n,"):
                    yield Element(number, b"", "is not an object with fields")
                if held[at:].strip() or read(1).strip():
                    yield Element(number, b"", "more follows the array, which was not read")
                return
        else:
            at = len(held)
        held, at, start = held[start:], at - start, 0
        if len(held) > LONGEST:
            raise OSError("an element is longer than 1 GiB")
        more = read(wanted)
        if not more:
            reason = "the array has no end" if not depth and not held.strip(b" \t\r\n,") else ""
            yield Element(number, held, reason, last=True)
            return
        held += more
        wanted = max(BLOCK, len(held))  # so that a long element is not looked through many times
