"""Archives of every kind, made in memory."""

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile

import pyarrow

from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources.inputs import members

FILES = {"a.c": b"int main() {}\n", "src/b.c": b"x" * 5000, "empty": b""}
NOISE = {f"{n}.bin": random.Random(n).randbytes(3000) for n in range(10)}


def zipped(files=FILES, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(zipfile.ZipInfo(name, (2003, 6, 9, 12, 0, 0)), data, method)
    return out.getvalue()


def tarred(files=FILES):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1055160000
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd(data):
    return pyarrow.Codec("zstd").compress(data).to_pybytes()


def opened(data, limits=None, **options):
    """Members by name, and the (name, reason) of what was skipped."""
    name = options.get("name") or (data if isinstance(data, str) else "the archive")
    out = list(members(data, limits, **options))
    good = [(one.name, one.content.data) for one in out if isinstance(one, Document)]
    assert len(dict(good)) == len(good)
    skipped = [(one.name, one.reason) for one in out if isinstance(one, Skipped)]
    if options.get("name"):
        return dict(good), skipped
    return (
        {inner.removeprefix(f"{name}!"): found for inner, found in good},
        [(inner.removeprefix(f"{name}!"), why) for inner, why in skipped],
    )


PACKED = {
    "zip": zipped(),
    "zip, stored": zipped(method=zipfile.ZIP_STORED),
    "zip, bzip2": zipped(method=zipfile.ZIP_BZIP2),
    "zip, lzma": zipped(method=zipfile.ZIP_LZMA),
    "tar": tarred(),
    "tar.gz": gzip.compress(tarred()),
    "tar.bz2": bz2.compress(tarred()),
    "tar.xz": lzma.compress(tarred()),
    "tar.zst": zstd(tarred()),
}
