"""The watched process of readers: gives the texts of documents, or why they have none."""

from __future__ import annotations

from copysift.runtime.watched import About, Answer, answer_requests
from copysift.sources.container_limits import ArchiveLimits, Budget, LimitReachedError
from copysift.sources.readers.reader import DEFECTS, Extracted, TextLimits, TextReader, UnreadableError
from copysift.sources.source import source

FAILED, LIMITED = "failed", "limited"


def answer(asked: About, data: bytes) -> Answer:
    """Read one document."""
    reader = source(asked["reader"])
    assert isinstance(reader, TextReader)
    limits = TextLimits(asked["text_bytes"], memory=asked["memory"])
    budget = Budget(ArchiveLimits(total_bytes=asked["total_bytes"], members=asked["members"]), len(data))
    try:
        return _described(reader.extract(data, limits, budget), limits)
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


def _described(found: Extracted, limits: TextLimits) -> Answer:
    parts = [found.text or b"", *(member.data for member in found.members)]
    if max(map(len, parts)) > limits.text_bytes:
        raise LimitReachedError(f"has more than {limits.text_bytes:,} bytes of text")
    members = [(member.name, member.read_as) for member in found.members]
    return {"text": found.text is not None, "detail": found.detail, "members": members}, parts


if __name__ == "__main__":
    answer_requests(answer)
