"""What a reader takes and gives: limits, the text and the files inside a document, and failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from copysift.runtime.watched import MEMORY

SECONDS = 60.0  # that a separate process may take for one document


class UnreadableError(Exception):
    """A document whose text cannot be read; the text says why, after the name of the file."""


@dataclass(frozen=True, slots=True)
class TextLimits:
    """What is too much for one document."""

    text_bytes: int = 128 << 20  # of text, and of each part of it
    seconds: float = SECONDS
    memory: int = MEMORY


class Member(NamedTuple):
    """A file inside a document, such as an attachment of a mail; it may be read by another reader."""

    name: str
    data: bytes
    read_as: str = ""


class Extracted(NamedTuple):
    """The text of a document in UTF-8 (None: it has members only), a detail to show, and its members."""

    text: bytes | None
    detail: str = ""
    members: tuple[Member, ...] = ()
