"""WARC files by fastwarc: responses and resources by their address, and the text of WET files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastwarc.stream_io import FastWARCError
from fastwarc.warc import ArchiveIterator, WarcRecordType

from copysift.values import Skipped

WANTED = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion
_TEXT = ("text/", "application/xhtml", "application/xml", "application/json", "application/http")


def warc_records(
    place: str, successful: bool = False
) -> Iterator[tuple[str, bytes | str, str | None] | Skipped]:
    """Give address, content and date of every record that is text; `successful`: no error pages."""
    done = 0
    with open(place, "rb") as stream:
        try:
            for record in ArchiveIterator(stream, record_types=WANTED, parse_http=True):
                headers = record.headers
                name = headers.get("WARC-Target-URI") or record.record_id or f"{place}:{done}"
                promised, content = record.content_length, record.reader.read()
                done += 1
                if len(content) < promised:
                    yield Skipped(name, f"is cut short in {place}")
                    continue
                kind = (record.http_content_type or headers.get("Content-Type") or "text/plain").lower()
                if successful and record.http_headers is not None and not _is_success(record):
                    continue
                if kind.startswith(_TEXT):
                    yield name, content, headers.get("WARC-Date")
        except (FastWARCError, EOFError, ValueError) as error:
            yield Skipped(place, f"ends early or is damaged after {done:,} records: {error}")
            return
    if not done:
        yield Skipped(place, "has no WARC record that is text")


def _is_success(record: Any) -> bool:
    """Tell whether the server gave the page: a 404 with a friendly text is no document."""
    status = record.http_headers.status_code
    return status is None or 200 <= status < 300
