"""Mail: the subject and the text of a message; attachments are files in it, opened like all others."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.epub import page_text
from copysift.sources.readers.reader import Extracted, Member, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import plural

_MOST_PARTS = 10_000


class MailReader(TextReader):
    """A message; of its headers only the subject counts, for the rest says how it was sent."""

    traits = definition("mail", "Mail messages")
    says = "mail text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text, that of attached messages included, and the attachments."""
        from email import message_from_bytes, policy  # slow to load: for those who have mail
        from email.message import EmailMessage

        message = message_from_bytes(data, policy=policy.default)
        texts: list[str] = [str(message["subject"] or "").strip(), ""]
        files: list[Member] = []
        pages: list[str] = []
        for at, part in enumerate(message.walk()):
            assert isinstance(part, EmailMessage)
            if at > _MOST_PARTS:
                budget.member(budget.limits.members + 1)
            if part.is_multipart():
                continue
            kind, name = part.get_content_type(), part.get_filename()
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


def _decoded(part: object) -> str:
    data = part.get_payload(decode=True)  # type: ignore[attr-defined]
    charset = part.get_content_charset() or "utf-8"  # type: ignore[attr-defined]
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


MAIL = MailReader()
