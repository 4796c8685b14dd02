"""Run readers in a watched process: what hangs, crashes or grows there is one document that is skipped."""

from __future__ import annotations

from copysift.runtime.timing import too_slow
from copysift.runtime.watched import CrashedError, TooSlowError, WatchedProcess
from copysift.sources.container_limits import Budget, LimitReachedError
from copysift.sources.readers.extraction import Extracted, Member, TextLimits, UnreadableError

CRASHED = "broke its reader, which may be an attack; its text was not read"
PROCESS = WatchedProcess("copysift.sources.readers.worker")


def extract_apart(reader: str, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
    """Give the text of a document as `TextReader.extract` does, from the watched process."""
    about = {
        "reader": reader, "text_bytes": limits.text_bytes, "total_bytes": budget.limits.total_bytes,
        "members": budget.limits.members,
    }  # fmt: skip
    try:
        answer, parts = PROCESS.ask(about, data, limits.seconds, limits.text_bytes, limits.memory)
    except TooSlowError:
        raise LimitReachedError(too_slow(limits.seconds)) from None
    except CrashedError:
        raise UnreadableError(CRASHED) from None
    if "failed" in answer:
        raise UnreadableError(answer["failed"])
    if "limited" in answer:
        raise LimitReachedError(answer["limited"])
    text, *contents = parts
    members = tuple(
        Member(name, content, as_) for (name, as_), content in zip(answer["members"], contents, strict=True)
    )
    return Extracted(text if answer["text"] else None, answer["detail"], members)


def end() -> None:
    """End the watched process, if there is one; the next document starts another."""
    PROCESS.end()
