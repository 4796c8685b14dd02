"""Fetch a file from another server, if the operator allows that server, and never from the own network.

The addresses of a name are checked and then connected to, one of them, so that a name cannot mean another
machine the second time. A redirect is followed to allowed servers only, and checked in the same way.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import unquote, urljoin, urlsplit

from copysift._version import __version__
from copysift.errors import UsageError
from copysift.serve.incoming import IncomingFolder
from copysift.serve.limits import LimitError, Limits

REDIRECTS = 5
TIMEOUT = 20.0  # seconds without a byte
CHUNK = 1 << 16
PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"(\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?")


def check_hosts(hosts: tuple[str, ...]) -> None:
    """Refuse what cannot be the name of a server; `*.example.org` are all below that domain."""
    for each in hosts:
        if not HOST.fullmatch(each):
            raise UsageError(
                f"--import-from {each} is not the name of a server", hint="write git.example.org"
            )


def is_allowed(host: str, port: int, scheme: str, hosts: tuple[str, ...]) -> bool:
    """Say whether a server is on the list; another port than the usual one must be named there."""
    for each in hosts:
        name, _, wanted = each.lower().partition(":")
        right_port = port == (int(wanted) if wanted else PORTS[scheme])
        named = host == name or (
            name.startswith("*.") and host.endswith(name[1:]) and len(host) > len(name) - 1
        )
        if right_port and named:
            return True
    return False


def is_public(address: str) -> bool:
    """Say whether an address is on the public internet: no loopback, private, link-local or special one."""
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    teredo = getattr(found, "teredo", None)
    inner = mapped or (teredo[1] if teredo else None)
    plain = found.is_global and not found.is_multicast and not found.is_reserved
    return plain and (inner is None or is_public(str(inner)))


def addresses_of(host: str, port: int) -> list[str]:
    """Give the addresses of a name; refuse it if any of them is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UsageError(f"there is no server {host!r}") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses or not all(map(is_public, addresses)):
        raise UsageError(f"{host} is not on the public internet", hint="upload the file instead")
    return addresses


def import_file(url: str, upload: IncomingFolder, hosts: tuple[str, ...], limits: Limits) -> None:
    """Add the file at an address to an upload; raise UsageError with the reason if that cannot be."""
    deadline = time.monotonic() + limits.upload
    for _ in range(REDIRECTS + 1):
        scheme, host, port = _checked(url, hosts)
        with closing(_connected(scheme, host, port)) as connection:
            answer = _asked(connection, url)
            if answer.status in (301, 302, 303, 307, 308):
                url = urljoin(url, answer.headers.get("location", ""))
                continue
            if answer.status != 200:
                raise UsageError(f"{host} answers {answer.status}", hint="check the address")
            upload.begin(_name(url, answer))
            for piece in _pieces(answer, deadline):
                upload.write(piece)
            upload.end()
            return
    raise UsageError(f"more than {REDIRECTS} redirects", hint="give the address of the file itself")


def _checked(url: str, hosts: tuple[str, ...]) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise UsageError("that is not an address") from None
    if scheme not in PORTS or not host or parts.username is not None or parts.password is not None:
        raise UsageError("only plain http: and https: addresses can be imported")
    port = port or PORTS[scheme]
    if not is_allowed(host, port, scheme, hosts):
        listed = ", ".join(hosts)
        raise UsageError(f"files cannot be imported from {host}", hint=f"allowed: {listed}" if listed else "")
    return scheme, host, port


def _connected(scheme: str, host: str, port: int) -> http.client.HTTPConnection:
    """Connect to one of the addresses that were checked, whatever the name means by now."""
    error: OSError | None = None
    for address in addresses_of(host, port):
        try:
            opened = socket.create_connection((address, port), TIMEOUT)
            if scheme == "https":
                opened = ssl.create_default_context().wrap_socket(opened, server_hostname=host)
            made = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
            made.sock = opened
            return made
        except OSError as problem:
            error = problem
    raise UsageError(f"{host} does not answer: {error}")


def _asked(connection: http.client.HTTPConnection, url: str) -> http.client.HTTPResponse:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": f"copysift/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}
    if parts.port is None:
        headers["Host"] = parts.hostname or ""
    try:
        connection.request("GET", target, headers=headers)
        return connection.getresponse()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UsageError(f"{parts.hostname} gives no answer: {error}") from None


def _pieces(answer: http.client.HTTPResponse, deadline: float) -> Iterator[bytes]:
    try:
        while piece := answer.read1(CHUNK):
            if time.monotonic() > deadline:
                raise LimitError("the import takes too long", status=408)
            yield piece
        if answer.length:
            raise UsageError("the file ended too early", hint="try again")
    except (OSError, http.client.HTTPException) as error:
        raise UsageError(f"the connection broke: {error}", hint="try again") from None


def _name(url: str, answer: http.client.HTTPResponse) -> str:
    """Name the file: as its server does, else by the address."""
    named = answer.headers.get_filename("") or unquote(urlsplit(url).path.rpartition("/")[2])
    return named.replace("\\", "/").rpartition("/")[2][:200] or "download"
