"""How long one document may take, checked between its blocks: without a limit it costs nothing.

What counts is the processor time of the thread that reads it: on a busy machine the answer is the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from copysift.errors import InputError

Item = TypeVar("Item")


class TooSlowDocumentError(InputError):
    """A document took longer than --max-seconds-per-file; the others are read without it."""


def too_slow(seconds: float) -> str:
    """Say that a document took too long."""
    return f"takes more than {seconds:g} second{'' if seconds == 1 else 's'} to read (--max-seconds-per-file)"


def timed(items: Iterable[Item], seconds: float | None) -> Iterable[Item]:
    """Give the items; raise TooSlowDocumentError when they and what is done with them take too long."""
    return items if seconds is None else _timed(items, seconds)


def _timed(items: Iterable[Item], seconds: float) -> Iterator[Item]:
    until = time.thread_time() + seconds
    for item in items:
        if time.thread_time() > until:
            raise TooSlowDocumentError(too_slow(seconds))
        yield item
    if time.thread_time() > until:
        raise TooSlowDocumentError(too_slow(seconds))
