"""Mailboxes in the mbox format: each message is a document, read as mail; the file is read as a stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from copysift.model.document import Document, Hint
from copysift.sources.container_limits import Budget, Item
from copysift.sources.containers import give_members
from copysift.sources.readers.known import magic_of, reader_name, suffixes_of
from copysift.sources.source import MEMBERS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

_BEGIN = re.compile(rb"From \S.*\d\r?\n")
_LONGEST = 1 << 20  # bytes of a line


class MailboxSource(WholeSource):
    """Messages of a mailbox, named by their numbers from 1."""

    traits = SourceTraits("mbox", "Mailboxes (mbox)", MEMBERS, magic_of("mbox"), suffixes_of("mbox"))

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file starts like a mailbox."""
        return reader_name(name, head) == "mbox"

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the messages, whose text and attachments the reader of mail takes out."""
        for found in give_members(outer, reading, "message of a mailbox", _messages):
            if isinstance(found, Document):  # a name says so even of a message with strange headers
                yield replace(found, hint=Hint(f"{found.file}.eml"))
            else:
                yield found


def _messages(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    most, number = budget.limits.member_bytes, 0
    message: list[bytes] = []
    size, blank = 0, True
    while line := file.readline(_LONGEST):
        if blank and line.startswith(b"From ") and _BEGIN.match(line):
            if number:
                yield _item(number, message, size > most, budget)
            number, message, size = number + 1, [], 0
        elif number:
            size += len(line)
            if size <= most:
                message.append(line[1:] if line.startswith(b">From ") else line)
        blank = line in (b"\n", b"\r\n")
    if number:
        yield _item(number, message, size > most, budget)


def _item(number: int, message: list[bytes], too_large: bool, budget: Budget) -> Item:
    reason = f"is larger than {budget.limits.member_bytes:,} bytes" if too_large else ""
    return Item(f"{number}", 0, reason, _chunks(b"".join(message), budget))


def _chunks(data: bytes, budget: Budget) -> Callable[[], Iterator[bytes]]:
    def chunks() -> Iterator[bytes]:
        budget.unpack(len(data))
        yield data

    return chunks


MAILBOX = MailboxSource()
