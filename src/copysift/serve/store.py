"""Where files are kept that servers and workers on other machines share: a folder or a bucket, by its URI.

Nothing in it ever changes. What a job was given and what came of it are an object each. An index is a list
of objects by their digests, and a change of the index is another list; the database names the current one.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from pyarrow import fs

from copysift.errors import StoreError, UsageError
from copysift.runtime import durable

BLOCK = 1 << 20
ORPHAN = 3600.0  # seconds after which an object without a job is removed: its upload was never accepted


class Store:
    """Objects under keys; what is put is there as a whole or not at all."""

    def __init__(self, uri: str) -> None:
        """Open a store, and see that it can be written to."""
        try:
            self._fs, base = fs.FileSystem.from_uri(str(Path(uri).absolute()) if "://" not in uri else uri)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--store {uri.partition('?')[0]}: {error}", hint="give a folder or s3://bucket/path"
            ) from None
        self.uri, self._base = uri, base.rstrip("/")
        self._local = self._fs.type_name == "local"
        try:
            with self._writing("probe") as out:
                out.write(b"copysift")
            self._fs.delete_file(self._path("probe"))
        except OSError as error:
            raise StoreError(f"cannot write to --store {uri.partition('?')[0]}: {error}") from None

    def put_folder(self, key: str, folder: Path) -> None:
        """Keep the files of a folder as one object."""
        with self._writing(key) as out, tarfile.open(fileobj=out, mode="w|", bufsize=BLOCK) as packed:
            packed.add(folder, arcname=".")

    def get_folder(self, key: str, folder: Path) -> None:
        """Bring a folder here, which appears when it is whole; StoreError if it is not there."""
        part = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
        part.mkdir(mode=0o700, parents=True)
        try:
            with (
                self._reading(key) as source,
                tarfile.open(fileobj=source, mode="r|", bufsize=BLOCK) as packed,
            ):
                packed.extractall(part, filter="data")
            with suppress(OSError):  # another thread was first
                part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def put_index(self, name: str, folder: Path, version: str, before: str) -> None:
        """Keep an index under a version; what the version before has already is not sent again."""
        known = set(self._files(name, before).values()) if before else set()
        listed: dict[str, str] = {}
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            digest = _digest(path)
            listed[str(path.relative_to(folder))] = digest
            if digest not in known:
                known.add(digest)
                with self._writing(f"indexes/{name}/{digest}") as out, path.open("rb") as source:
                    shutil.copyfileobj(source, out, BLOCK)
        with self._writing(f"indexes/{name}/{version}.json") as out:
            out.write(json.dumps(listed).encode())

    def get_index(self, name: str, version: str, folder: Path) -> None:
        """Bring a version of an index here, which appears when it is whole."""
        part = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
        part.mkdir(mode=0o700, parents=True)
        try:
            for path, digest in self._files(name, version).items():
                target = part / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with self._reading(f"indexes/{name}/{digest}") as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out, BLOCK)
            with suppress(OSError):
                part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def index_bytes(self, name: str, version: str) -> int:
        """Give the size of a version of an index."""
        keys = {self._path(f"indexes/{name}/{each}") for each in self._files(name, version).values()}
        return sum(info.size or 0 for info in self._fs.get_file_info(sorted(keys)))

    def prune_index(self, name: str, *versions: str) -> None:
        """Remove what none of these versions of an index has."""
        kept = {f"{each}.json" for each in versions if each}
        for version in versions:
            kept.update(self._files(name, version).values() if version else ())
        for info in self._listed(f"indexes/{name}"):
            if info.base_name not in kept:
                with suppress(FileNotFoundError):
                    self._fs.delete_file(info.path)

    def remove(self, key: str) -> None:
        """Remove everything below a key."""
        with suppress(FileNotFoundError):
            self._fs.delete_dir(self._path(key))

    def remove_orphans(self, is_known: Callable[[str], bool]) -> None:
        """Remove the objects of jobs that do not exist, and are not about to."""
        for info in self._listed("jobs", recursive=True):
            id_ = info.path.rpartition("/")[0].rpartition("/")[2]
            if info.mtime_ns and time.time() - info.mtime_ns / 1e9 > ORPHAN and not is_known(id_):
                self.remove(f"jobs/{id_}")

    def _files(self, name: str, version: str) -> dict[str, str]:
        with self._reading(f"indexes/{name}/{version}.json") as source:
            return cast(dict[str, str], json.loads(source.read()))

    def _listed(self, key: str, *, recursive: bool = False) -> list[Any]:
        found = self._fs.get_file_info(
            fs.FileSelector(self._path(key), recursive=recursive, allow_not_found=True)
        )
        return [info for info in found if info.type == fs.FileType.File]

    def _path(self, key: str) -> str:
        return f"{self._base}/{key}"

    @contextmanager
    def _reading(self, key: str) -> Iterator[BinaryIO]:
        try:
            with self._fs.open_input_stream(self._path(key), compression=None, buffer_size=BLOCK) as source:
                yield source
        except FileNotFoundError:
            raise StoreError(f"the store has no {key}", hint="was it deleted?") from None

    @contextmanager
    def _writing(self, key: str) -> Iterator[BinaryIO]:
        """Write an object; in a folder it gets its name when it is on disk, in a bucket when it is closed.

        If the block fails, a bucket may keep a part: nothing in the database names it then.
        """
        path = self._path(key)
        if not self._local:
            out = self._fs.open_output_stream(path, compression=None, buffer_size=BLOCK)
            yield out
            out.close()
            return
        target = Path(path)
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                yield file
            durable.sync(part)
            part.replace(target)
            durable.sync(target.parent)
        finally:
            part.unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
