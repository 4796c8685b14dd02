"""What is at a place that the user named: a path of this machine, or a URI.

Files at URIs are listed and read through fsspec; S3, Google Storage, Azure and HDFS by Arrow, which is
installed anyway. A server never fetches anything: `forbid` sees to it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from hashlib import blake2b
from typing import IO, Any, BinaryIO, NamedTuple, cast

from copysift.errors import InputError, UsageError
from copysift.sources.opening import SpecialFileError

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BY_ARROW = {
    "s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs", "hdfs": "hdfs", "viewfs": "viewfs",
    "abfs": "abfs", "abfss": "abfss",
}  # fmt: skip
_WEB = ("http", "https")  # where nothing lists a folder: every URI is a file
_TOKENS = ("ETag", "etag", "e_tag", "Content-MD5", "Digest")
_TIMES = ("mtime", "LastModified", "last_modified", "Last-Modified", "created")
_BUFFER = 1 << 20
MOST = 1 << 32  # bytes of a file whose server does not say how large it is

_forbidden = False


class RemoteFileError(SpecialFileError):
    """A file at a URI cannot be had; its text says why."""


class RemoteStatus(NamedTuple):
    """What is known of a file or folder at a URI, with the fields of os.stat_result that a walk needs."""

    st_mode: int
    st_size: int
    st_mtime_ns: int  # or a number made of its ETag; 0: unknown
    st_dev: int = 0
    st_ino: int = 0


class RemoteEntry(NamedTuple):
    """An entry of a folder at a URI, with the methods of os.DirEntry that a walk needs."""

    name: str
    path: str
    status: RemoteStatus
    link: bool = False

    def is_symlink(self) -> bool:
        """Say whether it is a symbolic link: those are never followed at a URI."""
        return self.link

    def is_dir(self) -> bool:
        """Say whether it is a folder."""
        return stat.S_ISDIR(self.status.st_mode)

    def is_file(self) -> bool:
        """Say whether it is a file."""
        return stat.S_ISREG(self.status.st_mode)

    def stat(self) -> RemoteStatus:
        """Give what is known of it."""
        return self.status


def is_uri(place: str) -> bool:
    """Say whether a place is a URI."""
    return "://" in place and _URI.match(place) is not None


def forbid() -> None:
    """Let this process fetch nothing from now on: names that clients send may look like URIs."""
    global _forbidden
    _forbidden = True


def forbidden() -> bool:
    """Say whether this process reads what clients send: no URIs, and no indexes, which name other files."""
    return _forbidden


def exists(place: str) -> bool:
    """Say whether something is there: a file, a folder, a link, or what a glob of URIs matches."""
    if not is_uri(place):
        return os.path.lexists(place)
    return bool(expanded_uris(place)) if has_glob(place) else _mode(place) != 0


def is_folder(place: str) -> bool:
    """Say whether a folder is there."""
    return stat.S_ISDIR(_mode(place)) if is_uri(place) else os.path.isdir(place)


def is_file(place: str) -> bool:
    """Say whether a regular file is there."""
    return stat.S_ISREG(_mode(place)) if is_uri(place) else os.path.isfile(place)


def size_of(place: str) -> int:
    """Give the size of a file."""
    return status_of(place).st_size if is_uri(place) else os.path.getsize(place)


def top_of(place: str) -> str:
    """Give the folder below which files at a place are named: itself, or the one that a file is in."""
    while has_glob(place):
        place = place.rpartition("/")[0]
    return place if is_folder(place) else os.path.dirname(place)


def below(place: str, name: str) -> str:
    """Give the name of a file at or below a place, relative to it."""
    if is_uri(place):
        return name[len(top_of(place).rstrip("/")) + 1 :]
    return os.path.relpath(name, place) if os.path.isdir(place) else os.path.basename(name)


def _mode(uri: str) -> int:
    try:
        return status_of(uri).st_mode
    except OSError:
        return 0


def has_glob(place: str) -> bool:
    """Say whether a place is a glob of URIs."""
    scheme = place.partition("://")[0].lower()
    return is_uri(place) and scheme not in _WEB and any(mark in place for mark in "*?[")


def expanded_uris(place: str) -> list[str]:
    """Give the URIs that a URI or a glob of them names, in order."""
    if not has_glob(place):
        return [place]
    scheme = place.partition("://")[0]
    system, path = _opened_system(place)
    with _explained():
        found = sorted(system.glob(path))
    root = "" if scheme in ("file", "local") else "/"
    return [f"{scheme}://{str(each).lstrip(root) if root else each}" for each in found]


def status_of(uri: str) -> RemoteStatus:
    """Give what is known of a file or folder at a URI; raise OSError if it cannot be had."""
    system, path = _opened_system(uri)
    with _explained():
        return _status(uri, system.info(path))


def entries_of(uri: str) -> list[RemoteEntry]:
    """Give the entries of a folder at a URI; raise OSError if it cannot be had."""
    system, path = _opened_system(uri)
    with _explained():
        listed = system.ls(path, detail=True)
    found = []
    for info in listed:
        full = str(info["name"]).rstrip("/")
        name = full.rpartition("/")[2]
        if name in ("", ".", "..") or full == path.rstrip("/"):  # the folder itself, as S3 lists it
            continue
        place = f"{uri.rstrip('/')}/{name}"
        found.append(RemoteEntry(name, place, _status(place, info), bool(info.get("islink"))))
    return found


def open_uri(uri: str) -> BinaryIO:
    """Open a file at a URI as a stream that can seek; raise OSError if it cannot be had."""
    system, path = _opened_system(uri)
    with _explained():
        file = system.open(path, "rb")
        if _can_seek(file):
            return io.BufferedReader(_Explaining(file), _BUFFER)
        with file:
            return _copied(file)


def open_place(place: str) -> BinaryIO:
    """Open a file of this machine or at a URI, without a buffer where it needs none."""
    return open_uri(place) if is_uri(place) else cast("BinaryIO", open(place, "rb", buffering=0))


def _can_seek(file: Any) -> bool:
    """Say whether a file can really seek: a stream of the web only says so."""
    try:
        file.seek(0, os.SEEK_END)
        file.seek(0)
    except (OSError, ValueError):
        return False
    return bool(file.seekable())


def _copied(file: IO[bytes]) -> BinaryIO:
    """Bring a file here that can only be read from its beginning to its end."""
    copy = tempfile.TemporaryFile(prefix="copysift-")  # noqa: SIM115 - the caller closes it
    while chunk := file.read(_BUFFER):
        copy.write(chunk)
        if copy.tell() > MOST:
            copy.close()
            raise RemoteFileError(f"is larger than {MOST:,} bytes, and its server does not say how large")
    copy.seek(0)
    return cast("BinaryIO", copy)


class _Explaining(io.RawIOBase):
    """A file of fsspec, whose errors are OSErrors that say why."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        with _explained():
            data = self._file.read(len(into))
        into[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        with _explained():
            self._file.seek(offset, whence)
            return int(self._file.tell())

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what a protocol raises into an OSError that says why, in words."""
    try:
        yield
    except RemoteFileError:
        raise
    except FileNotFoundError as error:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
    except PermissionError as error:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES)) from error
    except Exception as error:  # of any client library
        text = str(error).partition("\n")[0] or type(error).__name__
        raise RemoteFileError(f"cannot be fetched: {text}") from error


def _status(uri: str, info: dict[str, Any]) -> RemoteStatus:
    if info.get("type") == "directory":
        return RemoteStatus(stat.S_IFDIR, 0, 0)
    if info.get("type") != "file":
        return RemoteStatus(stat.S_IFIFO, 0, 0)
    size = info.get("size")
    if size is None:  # a page that is made when it is asked for
        with open_uri(uri) as file:
            size = file.seek(0, os.SEEK_END)
        return RemoteStatus(stat.S_IFREG, size, 0)
    return RemoteStatus(stat.S_IFREG, int(size), _stamp(info))


def _stamp(info: dict[str, Any]) -> int:
    """Give a number that changes with the content: of the ETag, else the time; 0 if nothing is known."""
    for name in _TOKENS:
        if info.get(name):
            digest = blake2b(str(info[name]).encode(), digest_size=8).digest()
            return int.from_bytes(digest, "big") >> 4 | 1  # as a time it is before 2007, so it has settled
    for name in _TIMES:
        time = info.get(name)
        if isinstance(time, datetime):
            return int(time.timestamp() * 1e6) * 1000
        if isinstance(time, int | float):
            return int(time * 1e6) * 1000
        if time:
            from email.utils import parsedate_to_datetime  # only web servers write times as words

            try:
                return int(parsedate_to_datetime(str(time)).timestamp()) * 10**9
            except ValueError:
                continue
    return 0


def _opened_system(uri: str) -> tuple[Any, str]:
    """Give the file system of a URI, and the path in it."""
    if _forbidden:
        raise RemoteFileError("is a URI, which a server does not fetch")
    scheme, _, rest = uri.partition("://")
    if scheme.lower() in _BY_ARROW:
        with _explained():
            endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
            system = _by_arrow(_BY_ARROW[scheme.lower()], rest.partition("/")[0], endpoint)
        return system, rest.rstrip("/")
    system = _by_fsspec(scheme.lower())
    return system, str(_fsspec(scheme).core.strip_protocol(uri))


@cache
def _by_arrow(scheme: str, host: str, endpoint: str) -> Any:
    """Open a file system of Arrow; keys, region and endpoint are those of the environment (AWS_…)."""
    _fsspec(scheme)  # or say what to install
    from fsspec.implementations.arrow import ArrowFSWrapper
    from pyarrow import fs

    if scheme == "s3" and endpoint:  # Arrow reads all other variables itself
        protocol, _, server = endpoint.rpartition("://")
        return ArrowFSWrapper(fs.S3FileSystem(endpoint_override=server, scheme=protocol or "https"))
    return ArrowFSWrapper(fs.FileSystem.from_uri(f"{scheme}://{host}")[0])


@cache
def _by_fsspec(scheme: str) -> Any:
    try:
        return _fsspec(scheme).filesystem(scheme)
    except ImportError as error:
        hint = "pip install 'copysift[uri]'" if scheme in _WEB else str(error)
        raise InputError(f"{scheme}:// needs a package that is not installed", hint=hint) from None
    except ValueError as error:
        raise UsageError(f"{scheme}:// cannot be read: {error}", hint="give a path or another URI") from None


def _fsspec(scheme: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise InputError(
            f"{scheme}:// needs the package fsspec", hint="pip install 'copysift[uri]'"
        ) from None
    return fsspec
