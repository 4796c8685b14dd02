"""Mail: the subject and the text of a message; attachments are files in it, opened like all others.

Headers are taken apart by the older policy of Python's parser (`compat32`), which finds the same types and
names of parts in a tenth of the time; the newer one decodes words that are encoded, where there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copysift.sources.container_limits import Budget
from copysift.sources.readers.epub import page_text
from copysift.sources.readers.reader import Extracted, Member, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import plural

if TYPE_CHECKING:
    from email.message import Message

_MOST_PARTS = 10_000


class MailReader(TextReader):
    """A message; of its headers only the subject counts, for the rest says how it was sent."""

    traits = definition("mail", "Mail messages")
    says = "mail text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text, that of attached messages included, and the attachments."""
        from email import message_from_bytes  # slow to load: for those who have mail

        message = message_from_bytes(data)
        texts: list[str] = [_subject(message), ""]
        files: list[Member] = []
        pages: list[str] = []
        for at, part in enumerate(message.walk()):
            if at > _MOST_PARTS:
                budget.member(budget.limits.members + 1)
            if part.is_multipart():
                continue
            kind, name = part.get_content_type(), _name(part)
            if name or not kind.startswith("text/"):
                content = part.get_payload(decode=True)
                if isinstance(content, bytes):
                    files.append(
                        Member(name or f"part-{at}.{part.get_content_subtype()}", content, "attachment")
                    )
            elif kind == "text/html":
                pages.append(page_text(_decoded(part).encode("utf-8", "replace")))
            else:
                texts.append(_decoded(part).replace("\r\n", "\n"))
        if len(texts) == 2:  # HTML says again what a plain text beside it says
            texts += pages
        text = "\n".join(texts).encode("utf-8", "replace")
        return Extracted(text, plural(len(files), "attachment") if files else "", tuple(files))


def _subject(message: Message) -> str:
    found = (str(value) for name, value in message.raw_items() if name.lower() == "subject")
    line = _unfolded(next(found, ""))
    if not _is_plain(line):
        from email.policy import default

        line = str(default.header_factory("subject", line))
    return line.strip()


def _name(part: Message) -> str:
    """Give the name of an attachment, "" for a part that has none."""
    name = part.get_filename() or ""
    if not _is_plain(name):
        from email.policy import default

        part.policy = default
        name = part.get_filename() or ""
    return _unfolded(name)


def _is_plain(value: str) -> bool:
    return value.isascii() and "=?" not in value


def _unfolded(value: str) -> str:
    return value.replace("\r", "").replace("\n", "")


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    charset = part.get_content_charset() or "utf-8"
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


MAIL = MailReader()
