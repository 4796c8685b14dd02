"""WARC files by fastwarc: responses and resources by their address, and the text of WET files."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, NamedTuple

from fastwarc import stream_io
from fastwarc.warc import ArchiveIterator, WarcRecordType

from copysift.model.values import ERROR_PAGE, REVISIT, Skipped
from copysift.sources.gunzip import MAGIC, Gunzip
from copysift.sources.payload import PayloadError, Response, response, unpacked

WANTED = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.conversion)
_NOTES = "metadata://"  # what Wget writes about itself: its arguments, its log
# where a page says its language, beside the headers
_LANG = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?([A-Za-z][A-Za-z0-9-]{1,34})", re.IGNORECASE)
# what fastwarc raises for a damaged record: version 1 has an error of its own, version 2 only those of Python
_DAMAGED = (getattr(stream_io, "FastWARCError", ValueError), EOFError, ValueError, OSError)
_TEXT = ("text/", "application/xhtml", "application/xml", "application/json")


class Revisit(NamedTuple):
    """A record that says: what was fetched is what was fetched before, at `of` on date `when`."""

    uri: str
    of: str
    when: str
    digest: str


class Page(NamedTuple):
    """A document of a web archive: address, content, date, and its language, where anything says it."""

    uri: str
    content: bytes
    date: str | None
    language: str


class CapturedRecord(NamedTuple):
    """A record with its content; `digest` is that of its payload, as the crawler wrote it."""

    uri: str
    content: bytes
    digest: str


def warc_records(
    place: str, opened: IO[bytes] | None = None, binary: bool = False
) -> Iterator[Page | Skipped]:
    """Give every page that is text, or all that was sent if `binary`.

    Error pages are no documents, and neither is a revisit: it has no content, that was fetched before.

    `opened` is the file where it is open.
    """
    for item in _records(
        place, (*WANTED, WarcRecordType.revisit), successful=not binary, binary=binary, opened=opened
    ):
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item, _Cut):
            yield Skipped(item.uri, f"is truncated in {place}")
        elif item.revisit:
            yield Skipped(item.uri, REVISIT)
        else:
            yield Page(item.uri, item.content, item.headers.get("WARC-Date"), item.language)


def captures(
    place: str, binary: bool = False, opened: IO[bytes] | None = None
) -> Iterator[CapturedRecord | Revisit | Skipped]:
    """Give what a crawl met: pages that were given (no error pages), and notes that one was as before.

    `binary`: also what is not text.
    """
    wanted = (*WANTED, WarcRecordType.revisit)
    for item in _records(place, wanted, successful=True, binary=binary, opened=opened):
        if isinstance(item, Skipped):
            if item.reason != ERROR_PAGE:  # an address that gives one is gone
                yield item
            continue
        if isinstance(item, _Cut):
            yield Skipped(place, f"ends before it should, in {item.uri}")
            return
        digest = item.headers.get("WARC-Payload-Digest") or ""
        if item.revisit:
            of = _address(item.headers.get("WARC-Refers-To-Target-URI")) or item.uri
            yield Revisit(item.uri, of, item.headers.get("WARC-Refers-To-Date") or "", digest)
        else:
            yield CapturedRecord(item.uri, item.content, digest)


class _Record(NamedTuple):
    uri: str
    content: bytes
    headers: Any
    revisit: bool
    language: str = ""


class _Cut(NamedTuple):
    """The file ends inside this record."""

    uri: str


def _records(
    place: str, types: tuple[Any, ...], successful: bool, binary: bool, opened: IO[bytes] | None = None
) -> Iterator[_Record | Skipped | _Cut]:
    done = 0
    given: Any = opened
    with io.BufferedReader(given) if opened is not None else open(place, "rb") as file:
        packed = file.peek(2)[:2] == MAGIC
        stream: Any = Gunzip(file) if packed else file
        try:
            # All types are looked at: the record in which a file ends may be one that is not wanted.
            for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=False):
                content = record.reader.read()
                name = (
                    _address(record.headers.get("WARC-Target-URI")) or record.record_id or f"{place}:{done}"
                )
                if len(content) < record.content_length or record.headers.get("Content-Length") is None:
                    yield _Cut(name)
                    return
                if record.record_type not in types or name.startswith(_NOTES):
                    continue
                done += 1
                found = _found(name, record, content, successful, binary)
                if found is not None:
                    yield found
        except _DAMAGED as error:
            yield Skipped(place, f"ends early or is damaged after {done:,} records: {error}")
            return
        if packed and stream.wrong:
            yield Skipped(place, f"{stream.wrong}, after {done:,} records")
            return
    if not done:
        yield Skipped(place, "has no WARC record that is text")


def _found(
    name: str, record: Any, content: bytes, successful: bool, binary: bool
) -> _Record | Skipped | None:
    """Give what a record holds; None where that is not a document, or, unless `binary`, no text."""
    headers = record.headers
    if record.record_type == WarcRecordType.revisit:
        return _Record(name, b"", headers, True)
    if record.is_http:
        page = _page(name, content, successful, binary)
        if page is None or isinstance(page, Skipped):
            return page
        text, sent = page
        return _Record(name, text, headers, False, _language(headers, sent.headers, text))
    wanted = binary or (headers.get("Content-Type") or "text/plain").lower().startswith(_TEXT)
    return _Record(name, content, headers, False, _language(headers, {}, content)) if wanted else None


def _language(record: Any, sent: Mapping[str, str], text: bytes) -> str:
    """Give the languages of a page as they are written: by the crawler, by the server, or in the page."""
    said = record.get("WARC-Identified-Content-Language") or sent.get("content-language", "")
    if not said and (found := _LANG.search(text[:4096])):
        said = found[1].decode()
    return said.strip()


def _page(name: str, block: bytes, successful: bool, binary: bool) -> tuple[bytes, Response] | Skipped | None:
    """Give the page of an HTTP response, and the response; None for what is not text, unless `binary`.

    If `successful`, an error page is none.
    """
    try:
        sent = response(block)
        if successful and not 200 <= sent.status < 300:  # a 404 with a friendly text is no document
            return Skipped(name, ERROR_PAGE)
        wanted = binary or (sent.media_type or "text/plain").startswith(_TEXT)
        return (unpacked(sent), sent) if wanted else None
    except PayloadError as error:
        return Skipped(name, str(error))


def _address(written: str | None) -> str:
    """Give an address without the angle brackets of older crawlers."""
    uri = written or ""
    return uri[1:-1] if uri.startswith("<") and uri.endswith(">") else uri
