"""The separate process: reads documents from standard input and writes their texts to standard output.

A request is a line of JSON and the bytes of a document; an answer is a line of JSON and the bytes that it
names. The process ends with its input, and is ended by its caller when it takes too long.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from contextlib import suppress

from copysift.sources.container_limits import ArchiveLimits, Budget, LimitReachedError
from copysift.sources.readers.reader import DEFECTS, Extracted, TextLimits, TextReader, UnreadableError
from copysift.sources.source import source

_GRACE = 5  # seconds
FAILED, LIMITED = "failed", "limited"


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    requests = sys.stdin.buffer
    while line := requests.readline():
        asked = json.loads(line)
        data = requests.read(asked["size"])
        limits = TextLimits(asked["text_bytes"], memory=asked["memory"])
        _limit_memory(limits.memory)
        _limit_time(asked["seconds"])
        reader = source(asked["reader"])
        assert isinstance(reader, TextReader)
        budget = Budget(ArchiveLimits(total_bytes=asked["total_bytes"], members=asked["members"]), len(data))
        about, parts = _answer(reader, data, limits, budget)
        answers.write(json.dumps(about).encode() + b"\n")
        for part in parts:
            answers.write(part)
        answers.flush()
        _limit_time(-_GRACE)  # there is no limit on waiting


def _answer(
    reader: TextReader, data: bytes, limits: TextLimits, budget: Budget
) -> tuple[dict[str, object], list[bytes]]:
    try:
        found = reader.extract(data, limits, budget)
    except UnreadableError as error:
        return {FAILED: str(error)}, []
    except LimitReachedError as error:
        return {LIMITED: str(error)}, []
    except MemoryError:
        return {LIMITED: f"needs more than {limits.memory >> 20:,} MiB of memory"}, []
    except RecursionError:
        return {LIMITED: "is nested too deeply"}, []
    except DEFECTS:
        return {FAILED: "is damaged; its text was not read"}, []
    return _described(found)


def _described(found: Extracted) -> tuple[dict[str, object], list[bytes]]:
    members = [(member.name, len(member.data), member.read_as) for member in found.members]
    about: dict[str, object] = {
        "text": None if found.text is None else len(found.text),
        "detail": found.detail,
        "members": members,
    }
    return about, [found.text or b"", *(member.data for member in found.members)]


def _limit_time(seconds: float) -> None:
    """End by itself a while after the caller would have ended it, if the caller is gone."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(seconds) + _GRACE)


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main()
