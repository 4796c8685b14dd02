"""Three tiny documents of each kind, two of which are copies, and every source that can hold them."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import marshal
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.cli.texts import prose
from tests.sources import samples

Contents = dict[str, bytes]  # name → bytes; the first two are copies of each other

PROGRAM = """\
def mean(values, weights):
    total = 0.0
    scale = 0.0
    for value, weight in zip(values, weights):
        if weight < 0:
            raise ValueError("negative weight")
        total += value * weight
        scale += weight
    return total / scale if scale else 0.0


def spread(values, weights):
    middle = mean(values, weights)
    squares = [(value - middle) ** 2 for value in values]
    return mean(squares, weights) ** 0.5


def histogram(values, width):
    counts = {}
    for value in values:
        place = int(value // width)
        counts[place] = counts.get(place, 0) + 1
    ordered = sorted(counts.items(), key=lambda each: each[0])
    while ordered and ordered[-1][1] == 0:
        ordered.pop()
    return [(place * width, count) for place, count in ordered]
"""
NAMES = ("mean", "values", "weights", "total", "scale", "value", "weight", "spread", "middle", "squares",
         "histogram", "width", "counts", "place", "ordered", "each", "count")  # fmt: skip
OTHER = """\
import os
import sys


class Walker:
    def __init__(self, root):
        self.root = root
        self.seen = set()

    def __iter__(self):
        stack = [self.root]
        while stack:
            here = stack.pop()
            if here in self.seen:
                continue
            self.seen.add(here)
            yield here
            try:
                stack.extend(entry.path for entry in os.scandir(here) if entry.is_dir())
            except PermissionError as error:
                print(error, file=sys.stderr)


if __name__ == "__main__":
    for folder in Walker(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(folder)
"""


def renamed(program: str) -> str:
    """Give the program with other names and no other change."""
    for number, name in enumerate(sorted(NAMES, key=len, reverse=True)):
        program = program.replace(name, f"q{number:02}")
    return program


def page(text: str) -> str:
    """Give an HTML page of a text."""
    paragraphs = "".join(f"<p class='c{at}'>{line}</p>\n" for at, line in enumerate(text.splitlines()))
    return f"<!DOCTYPE html>\n<html><head><title>page</title></head><body>\n{paragraphs}</body></html>\n"


def noise(seed: int) -> bytes:
    """Give bytes that are not text in any encoding."""
    return random.Random(seed).randbytes(40_000)


def edited(text: str) -> str:
    """Give the text with a sentence more in its middle."""
    half = len(text) // 2
    return text[:half] + " a sentence that nobody else has written so far " + text[half:]


TEXTS = {
    "a.txt": prose(1, 240).encode(),
    "b.txt": edited(prose(1, 240)).encode(),
    "c.txt": prose(2, 240).encode(),
}
CONTENTS: dict[str, Contents] = {
    "auto": TEXTS,
    "text": TEXTS,
    "words": TEXTS,
    "code": {"a.py": PROGRAM.encode(), "b.py": renamed(PROGRAM).encode(), "c.py": OTHER.encode()},
    "html": {
        "a.html": page(prose(1, 240)).encode(),
        "b.html": page(edited(prose(1, 240))).encode(),
        "c.html": page(prose(2, 240)).encode(),
    },
    "bytes": {"a.bin": noise(1), "b.bin": noise(1)[:-500] + b"\0\1\2", "c.bin": noise(2)},
}
CONTENTS["html-words"] = CONTENTS["html"]


def compiled(program: str) -> bytes:
    """Compile a program in Python, as a .pyc file has it."""
    code = marshal.dumps(compile(program, "program.py", "exec"))
    return importlib.util.MAGIC_NUMBER + bytes(12) + code


CONTENTS["executable"] = {
    "a.pyc": compiled(PROGRAM),
    "b.pyc": compiled("import os\nprint(os.getcwd())\n" + PROGRAM),
    "c.pyc": compiled(OTHER),
}


def _records(contents: Contents) -> list[dict[str, str]]:
    return [
        {"id": name.partition(".")[0], "path": name, "text": data.decode("utf-8", "replace")}
        for name, data in contents.items()
    ]


def folder(place: Path, contents: Contents) -> Path:
    """Write plain files."""
    target = place / "files"
    target.mkdir()
    for name, data in contents.items():
        (target / name).write_bytes(data)
    return target


def zipped(place: Path, contents: Contents) -> Path:
    """Write a zip whose name does not say so."""
    target = place / "files.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return target


def zip_in_folder(place: Path, contents: Contents) -> Path:
    """Write a folder with a zip in it."""
    inner = place / "folder"
    inner.mkdir()
    zipped(inner, contents)
    return inner


def tarred(place: Path, contents: Contents) -> Path:
    """Write a packed tar."""
    target = place / "files.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return target


def packed(place: Path, contents: Contents) -> Path:
    """Write each file packed by gzip, in a folder."""
    target = place / "packed"
    target.mkdir()
    for name, data in contents.items():
        (target / f"{name}.gz").write_bytes(gzip.compress(data))
    return target


def jsonl(place: Path, contents: Contents) -> Path:
    """Write JSON lines."""
    target = place / "records.jsonl"
    target.write_text("".join(json.dumps(each) + "\n" for each in _records(contents)))
    return target


def jsonl_gz(place: Path, contents: Contents) -> Path:
    """Write packed JSON lines."""
    target = place / "records.jsonl.gz"
    target.write_bytes(
        gzip.compress("".join(json.dumps(each) + "\n" for each in _records(contents)).encode())
    )
    return target


def shards(place: Path, contents: Contents) -> Path:
    """Write one shard a record, as Spark leaves them."""
    target = place / "shards"
    target.mkdir()
    (target / "_SUCCESS").touch()
    for number, each in enumerate(_records(contents)):
        (target / f"part-{number:05}.jsonl").write_text(json.dumps(each) + "\n")
    return target


def delimited(place: Path, contents: Contents) -> Path:
    """Write CSV."""
    target = place / "records.csv"
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ("id", "path", "text"))
        writer.writeheader()
        writer.writerows(_records(contents))
    return target


def parquet(place: Path, contents: Contents) -> Path:
    """Write Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target = place / "records.parquet"
    pq.write_table(pa.Table.from_pylist(_records(contents)), target)
    return target


def parquet_shards(place: Path, contents: Contents) -> Path:
    """Write a folder of Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target = place / "table"
    target.mkdir()
    for number, each in enumerate(_records(contents)):
        pq.write_table(pa.Table.from_pylist([each]), target / f"part-{number}.parquet")
    return target


def arrow(place: Path, contents: Contents) -> Path:
    """Write an Arrow file."""
    import pyarrow as pa

    table = pa.Table.from_pylist(_records(contents))
    target = place / "records.arrow"
    with pa.OSFile(str(target), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return target


def warc(place: Path, contents: Contents) -> Path:
    """Write a crawl."""
    from tests.sources.test_warc import record

    media = {
        "html": "text/html",
        "py": "text/x-python",
        "txt": "text/plain",
        "bin": "application/octet-stream",
    }
    target = place / "crawl.warc"
    target.write_bytes(
        b"".join(
            record(
                f"http://site.example/{name}",
                b"HTTP/1.1 200 OK\r\nContent-Type: "
                + media[name.rpartition(".")[2]].encode()
                + b"\r\n\r\n"
                + data,
            )
            for name, data in contents.items()
        )
    )
    return target


def documents(suffix: str, make: Callable[[str], bytes]) -> Callable[[Path, Contents], Path]:
    """Write each text as a document of a format."""

    def write(place: Path, contents: Contents) -> Path:
        target = place / suffix
        target.mkdir()
        for name, data in contents.items():
            (target / f"{name.partition('.')[0]}.{suffix}").write_bytes(make(data.decode()))
        return target

    return write


SOURCES: dict[str, Callable[[Path, Contents], Path]] = {
    "folder": folder,
    "zip": zipped,
    "zip in a folder": zip_in_folder,
    "tar.gz": tarred,
    "gz": packed,
    "jsonl": jsonl,
    "jsonl.gz": jsonl_gz,
    "shards": shards,
    "csv": delimited,
    "parquet": parquet,
    "parquet shards": parquet_shards,
    "arrow": arrow,
    "warc": warc,
    "docx": documents("docx", samples.docx),
    "pdf": documents("pdf", samples.pdf),
    "eml": documents("eml", lambda text: samples.mail(text, "A mail")),
    "tex": documents("tex", samples.tex),
}
PROSE = ("docx", "pdf", "eml", "tex")  # hold texts that are no programs and no pages
TEXT_ONLY = ("jsonl", "jsonl.gz", "shards", "csv", "parquet", "parquet shards", "arrow")  # hold no raw bytes
