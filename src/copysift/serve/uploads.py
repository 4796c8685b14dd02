"""Uploads over HTTP: multipart forms straight to disk, within limits; `guard` has the timeouts."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from copysift.errors import UsageError
from copysift.serve.incoming import ROLES, IncomingFolder
from copysift.serve.limits import LimitError, Limits
from copysift.sources.replacement import mended

FIELDS = {"files": "file", "file": "file", "base": "base", "earlier": "earlier", "metadata": "metadata"}


async def form(
    request: Request, upload: IncomingFolder, limits: Limits, longest: int | None = None,
    roles: Collection[str] = ROLES,
) -> dict[str, str]:  # fmt: skip
    """Read a multipart form: files go to the upload, the other fields are returned.

    A field has at most `longest` bytes, where that is more than usual; files of other roles are refused.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise UsageError(
            "the body is not a multipart form", hint="send multipart/form-data, or application/json"
        )
    parts = _Parts(upload, limits, longest or limits.field_bytes, roles)
    try:
        parser = MultipartParser(boundary, parts.callbacks())
        async for piece in request.stream():
            parser.write(piece)
        parser.finalize()
    except FormParserError as error:
        raise UsageError(f"the form is damaged: {error}") from None
    if not parts.whole:
        raise UsageError("the form is truncated")
    return parts.fields


async def documents(
    request: Request, upload: IncomingFolder, limits: Limits, roles: Collection[str] = ROLES
) -> dict[str, Any]:
    """Read a JSON object with `documents`, each a name, a text and optionally a role; return the rest."""
    body = await json_body(request, limits)
    listed = body.pop("documents", [] if body.get("url") else None)
    if not isinstance(listed, list) or not (listed or body.get("url")):
        raise UsageError("nothing to compare", hint='send {"documents": [{"name": …, "text": …}]}')
    for number, each in enumerate(listed, 1):
        if not isinstance(each, dict) or not isinstance(each.get("text"), str):
            raise UsageError(f"document {number} has no text")
        name, role = each.get("name") or f"document {number}", each.get("role", "file")
        if not isinstance(name, str) or role not in roles:
            raise UsageError(f"document {number}: name must be a string, role one of {', '.join(roles)}")
        upload.add(name, each["text"].encode(), role)
    return body


async def json_body(request: Request, limits: Limits) -> dict[str, Any]:
    """Read a JSON object of limited size."""
    held = bytearray()
    try:
        async for piece in request.stream():
            held += piece
            if len(held) > limits.json_bytes:
                raise LimitError(f"the body is larger than {limits.json_bytes:,} bytes")
        found = mended(json.loads(held))  # halves of surrogate pairs fit in no file and no database
    except ClientDisconnect:
        raise UsageError("the body is truncated") from None
    except (ValueError, RecursionError):
        raise UsageError("the body is not JSON") from None
    if not isinstance(found, dict):
        raise UsageError("the body is not a JSON object")
    return found


class _Parts:
    """What the parser reports, part by part."""

    def __init__(self, upload: IncomingFolder, limits: Limits, longest: int, roles: Collection[str]) -> None:
        self.fields: dict[str, str] = {}
        self.whole = False
        self._upload, self._limits, self._longest, self._roles = upload, limits, longest, roles
        self._header, self._value = bytearray(), bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._name = ""
        self._text: bytearray | None = None  # of a field; None inside a file, or in a part without a name
        self._file = False
        self._parts = 0

    def callbacks(self) -> Any:
        """Give the functions that the parser calls."""
        return {
            "on_part_begin": self.part_begin, "on_header_field": self.header_field,
            "on_header_value": self.header_value, "on_header_end": self.header_end,
            "on_headers_finished": self.headers_finished, "on_part_data": self.part_data,
            "on_part_end": self.part_end, "on_end": self.end,
        }  # fmt: skip

    def part_begin(self) -> None:
        self._headers, self._text, self._file = {}, None, False
        self._parts += 1
        if self._parts > self._limits.fields + self._limits.job_files:
            raise LimitError("the form has too many parts")

    def header_field(self, data: bytes, start: int, end: int) -> None:
        self._grow(self._header, data[start:end])

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._grow(self._value, data[start:end])

    def header_end(self) -> None:
        if len(self._headers) < 8:
            self._headers[bytes(self._header).lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        filename = options.get(b"filename")
        if filename is not None:
            if not filename:  # a file field that was left empty
                return
            if FIELDS.get(self._name) not in self._roles:
                known = [name for name, role in FIELDS.items() if role in self._roles and name != "file"]
                raise UsageError(
                    f"there is no file field {self._name!r}", hint=f"files go to {', '.join(known)}"
                )
            self._file = True
            self._upload.begin(filename.decode("utf-8", "replace"), FIELDS[self._name])
        else:
            if len(self.fields) >= self._limits.fields:
                raise LimitError("the form has too many fields")
            self._text = bytearray()

    def part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file:
            self._upload.write(data[start:end])
        elif self._text is not None:
            self._grow(self._text, data[start:end], self._longest)

    def part_end(self) -> None:
        if self._file:
            self._upload.end()
        elif self._text is not None:
            if self._name in self.fields:
                raise UsageError(f"the field {self._name!r} is there twice")
            self.fields[self._name] = self._text.decode("utf-8", "replace")

    def end(self) -> None:
        self.whole = True

    def _grow(self, held: bytearray, data: bytes, most: int | None = None) -> None:
        held += data
        most = most or self._limits.field_bytes
        if len(held) > most:
            raise LimitError(f"a field is longer than {most:,} bytes")
