"""Sources of the law at URIs: written as files, then put where fsspec or an S3 server has them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.law.contents import SOURCES, Contents

KEYS = {
    "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}  # fmt: skip
BUCKET = "law"


class Uri(str):
    """A URI of a source; `less` is that of the same without its first document."""

    less: str


def memory(path: Path) -> str:
    """Put a file or folder into the memory of this process."""
    import fsspec

    place = f"/{uuid.uuid4().hex}"
    system = fsspec.filesystem("memory")
    if path.is_file():
        system.pipe_file(f"{place}/{path.name}", path.read_bytes())
    else:
        for file in sorted(each for each in path.rglob("*") if each.is_file()):
            system.pipe_file(f"{place}/{path.name}/{file.relative_to(path)}", file.read_bytes())
    return f"memory:/{place}/{path.name}"


def local(path: Path) -> str:
    """Name a file or folder by a URI."""
    return path.absolute().as_uri()


def bucket(path: Path) -> str:
    """Put a file or folder into the bucket of the S3 server that the environment names."""
    from pyarrow import fs

    place = f"{BUCKET}/{uuid.uuid4().hex}/{path.name}"
    system = fs.S3FileSystem(
        endpoint_override=os.environ["AWS_ENDPOINT_URL"].partition("://")[2], scheme="http"
    )
    for file in [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file()):
        inside = "" if file == path else f"/{file.relative_to(path)}"
        with system.open_output_stream(f"{place}{inside}") as out:
            out.write(file.read_bytes())
    return f"s3://{place}"


def source_at(put: Callable[[Path], str], source: str, place: Path, contents: Contents) -> Uri:
    """Write a source of the law, and the same without its first document, to URIs."""
    found = Uri(_put(put, source, place / "all", contents))
    found.less = _put(put, source, place / "fewer", dict(list(contents.items())[1:]))
    return found


def _put(put: Callable[[Path], str], source: str, place: Path, contents: Contents) -> str:
    place.mkdir()
    made = SOURCES[source.removesuffix(" by a glob")](place, contents)
    uri = put(made)
    if put is not local:
        shutil.rmtree(place)  # nothing of it may be read from here
    return f"{uri}/*" if source.endswith(" by a glob") else uri


@contextmanager
def s3_server(log: Path) -> Iterator[None]:
    """Run a local S3 server with an empty bucket, which the environment names."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("flask", reason="moto[server] is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    endpoint = f"http://127.0.0.1:{port}"
    with log.open("w") as out, pytest.MonkeyPatch.context() as patch:
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **KEYS})
        try:
            for name, value in {**KEYS, "AWS_ENDPOINT_URL": endpoint}.items():
                patch.setenv(name, value)
            _make_bucket(endpoint)
            yield
        finally:
            process.terminate()
            process.wait(30)


def _make_bucket(endpoint: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 60
    while True:
        try:
            opener.open(urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT"), timeout=5).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the S3 server did not start"
            time.sleep(0.2)
