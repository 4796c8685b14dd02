"""Talk to a copysift server: what `--server URL` does. Needs nothing that the standard library lacks."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from copysift.errors import InputError, UsageError
from copysift.model.answers import Answer, Hit
from copysift.model.intervals import Interval, Intervals
from copysift.model.values import (
    Cluster,
    Group,
    Ignored,
    Pair,
    Region,
    Result,
    Side,
    Skipped,
)

INDEX_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LOOK = 0.3  # seconds between two looks at a job
CHUNK = 1 << 20


class Client:
    """A server by its address; a token is sent with every request."""

    def __init__(self, url: str, token: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(
                f"--server {url} is not an address", hint="use an address such as http://127.0.0.1:8690"
            )
        self._url, self._token = f"{url.rstrip('/')}/api/v1", token

    def scan(
        self, files: Iterable[tuple[str, str, str]], settings: Mapping[str, Any], *, earlier_index: str = ""
    ) -> Result:
        """Compare files there (role, path, name), and with an index of the server if one is named.

        The job is deleted when its result has come.
        """
        boundary = secrets.token_hex(16)
        fields = {"settings": json.dumps(settings), "earlier_index": earlier_index}
        job = self._ask(
            "POST", "/jobs", _form(files, fields, boundary), f"multipart/form-data; boundary={boundary}"
        )
        place = f"/jobs/{job['id']}"
        try:
            while job["state"] in ("queued", "running"):
                time.sleep(LOOK)
                job = self._ask("GET", place)
            if job["state"] != "done":
                raise InputError(f"the server says: {job['error'] or job['state']}")
            return result_of(self._ask("GET", f"{place}/result"))
        finally:
            self._ask("DELETE", place)

    def query(self, index: str, text: str, name: str, asked: Mapping[str, Any], passages: bool) -> Answer:
        """Ask an index of the server."""
        content = {"text": text, "name": name, "passages": passages, **asked}
        found = self._ask(
            "POST",
            f"/indexes/{quote(index, safe='')}/query",
            [json.dumps(content).encode()],
            "application/json",
        )
        return answer_of(found)

    def _ask(self, method: str, path: str, body: Iterable[bytes] | None = None, kind: str = "") -> Any:
        request = urllib.request.Request(self._url + path, body, method=method)
        if kind:
            request.add_header("Content-Type", kind)
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _problem(error) from None
        except OSError as error:
            reason = getattr(error, "reason", None) or error.strerror or error
            if isinstance(reason, BrokenPipeError | ConnectionResetError):
                raise InputError(
                    "the server closed the connection", hint="the upload may be too large"
                ) from None
            raise InputError(f"the server cannot be reached: {reason}", hint="is it running there?") from None
        return json.loads(content) if content else None


def _problem(error: urllib.error.HTTPError) -> Exception:
    try:
        told = json.loads(error.read())["error"]
        message, hint = told["message"], told["hint"]
    except (ValueError, KeyError, TypeError):
        message, hint = f"HTTP status {error.code}", "is that the address of a copysift server?"
    if error.code == 401:
        hint = "set the variable COPYSIFT_TOKEN to a token of this server"
    return InputError(f"the server says: {message}", hint=hint)


def _form(files: Iterable[tuple[str, str, str]], fields: Mapping[str, str], boundary: str) -> Iterator[bytes]:
    """Give a multipart form piece by piece: no file is ever whole in memory."""
    for name, value in fields.items():
        yield f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    for role, path, name in files:
        shown = os.fsencode(name).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        shown = shown.replace(b"\r", b" ").replace(b"\n", b" ")
        yield f'--{boundary}\r\nContent-Disposition: form-data; name="{role}"; filename="'.encode() + shown
        yield b'"\r\n\r\n'
        with open(path, "rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
        yield b"\r\n"
    yield f"--{boundary}--\r\n".encode()


def result_of(found: Mapping[str, Any]) -> Result:
    """Make a result of its JSON, schema version 1."""
    pairs = tuple(map(_pair, found["pairs"]))
    return Result(
        settings=dict(found["settings"]),
        documents=tuple(Group(**each) for each in found["documents"]),
        pairs=pairs,
        clusters=tuple(Cluster(tuple(each["members"]), each.get("strength")) for each in found["clusters"]),
        ignored=tuple(
            Ignored(int(each["hash"], 16), each["groups"], each["text"]) for each in found["ignored"]
        ),
        skipped=tuple(Skipped(**each) for each in found["skipped"]),
        notes=tuple(found.get("notes", ())),
        equal=_equal(pairs),
        ignored_count=len(found["ignored"]),
    )


def answer_of(found: Mapping[str, Any]) -> Answer:
    """Make an answer of its JSON, schema version 1."""
    names = Hit.__dataclass_fields__
    hits = []
    for each in found["hits"]:
        values = {name: value for name, value in each.items() if name in names}
        values |= {
            "regions": _regions(each["regions"]),
            "bytes": each.get("bytes", each.get("bytes_right", 0)),
            "intervals": _intervals(each.get("intervals")),
        }
        hits.append(Hit(**values))
    queries = tuple(Group(**each) for each in found["queries"])
    return Answer(dict(found["settings"]), queries, tuple(hits), ())


def _pair(found: Mapping[str, Any]) -> Pair:
    """Make a pair of its JSON; fields of a newer server are left out."""
    values = {name: value for name, value in found.items() if name in Pair.__dataclass_fields__}
    values |= {"regions": _regions(found["regions"]), "intervals": _intervals(found.get("intervals"))}
    return Pair(**values)


def _intervals(found: Mapping[str, Any] | None) -> Intervals | None:
    return None if found is None else Intervals(**{name: Interval(*ends) for name, ends in found.items()})


def _regions(listed: Iterable[Mapping[str, Any]] | None) -> tuple[Region, ...] | None:
    if listed is None:
        return None
    return tuple(Region(each["length"], Side(**each["left"]), Side(**each["right"])) for each in listed)


def _equal(pairs: Iterable[Pair]) -> tuple[tuple[str, ...], ...]:
    sets: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.equal:
            sets.setdefault(pair.left, [pair.left]).append(pair.right)
    return tuple(tuple(members) for members in sets.values())
