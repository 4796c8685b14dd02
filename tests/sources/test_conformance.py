"""Every built-in source passes the kit, and the kit finds what is broken."""

import gzip
import json

import pytest

from copysift.model.document import Document, Hint, Memory
from copysift.runtime import registry
from copysift.sources import source as sources
from copysift.sources.conformance import check
from copysift.sources.containers import OFFICE, ZIP, ZipSource
from tests.sources.packing import tarred, zipped

FILES = {"a.txt": b"one two three", "src/b.c": b"int main(void) { return 0; }"}
RECORDS = {f"r{n}": f"text number {n} of some records".encode() for n in range(9)}
JSONL = b"".join(
    json.dumps({"id": name, "text": text.decode()}).encode() + b"\n" for name, text in RECORDS.items()
)


def table(delimiter):
    rows = [delimiter.join([name, text.decode()]) for name, text in RECORDS.items()]
    return "\n".join([delimiter.join(["id", "text"]), *rows]).encode() + b"\n"


def parquet():
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([{"id": n, "text": t.decode()} for n, t in RECORDS.items()]), out)
    return out.getvalue()


def arrow():
    import io

    import pyarrow as pa

    from copysift.sources.records import SCHEMA, batches

    out = io.BytesIO()
    with pa.ipc.new_stream(out, SCHEMA) as writer:
        for batch in batches([(name, text, None) for name, text in RECORDS.items()], raw=False):
            writer.write_batch(batch)
    return out.getvalue()


def warc():
    parts = []
    for name, text in RECORDS.items():
        head = f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {name}\r\nContent-Type: text/plain\r\n"
        parts.append(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text + b"\r\n\r\n")
    return b"".join(parts)


DOCX = zipped({"[Content_Types].xml": b"<t/>", "word/document.xml": b"<w/>"})
SAMPLES = {
    "zip": ("x.whl", zipped(FILES), FILES),
    "tar": ("x.tar", tarred(FILES), FILES),
    "compressed": ("x.txt.gz", gzip.compress(b"hello"), {"x.txt": b"hello"}),
    "office": ("x.docx", DOCX, {"x.docx": DOCX}),
    "jsonl": ("x.jsonl", JSONL, RECORDS),
    "lines": ("x.txt", b"one\ntwo\n\nfour\n", {"x.txt:1": b"one", "x.txt:2": b"two", "x.txt:4": b"four"}),
    "csv": ("x.csv", table(","), RECORDS),
    "tsv": ("x.tsv", table("\t"), RECORDS),
    "parquet": ("x.parquet", parquet(), RECORDS),
    "arrow": ("x.arrow", arrow(), RECORDS),
    "warc": ("x.warc", warc(), RECORDS),
}


def test_every_built_in_source_has_a_sample():
    assert set(registry.names(registry.SOURCES)) == set(SAMPLES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAMPLES)
def test_built_in_sources_pass_the_kit(name):
    check(sources.source(name), *SAMPLES[name])


def test_compressed_tars_pass_the_kit():
    check(sources.source("tar"), "x.tgz", gzip.compress(tarred(FILES)), FILES)


class Broken(ZipSource):
    def __init__(self, law):
        self.law, self.times = law, 0

    def claims(self, name, head):
        return self.law == "claims" or ZIP.claims(name, head)

    def open(self, outer, reading, part=sources.WHOLE):
        self.times += 1
        if self.law == "budget":
            reading = sources.Reading()
        if self.law == "raises" and not (outer.content.data or b"").endswith(b"\0\0"):
            raise ValueError("damaged")
        for each in ZIP.open(outer, reading, part):
            if not isinstance(each, Document):
                yield each
            elif self.law == "names":
                yield Document(each.hint.file, each.content, each.hint, read_as=OFFICE)
            elif self.law == "again":
                yield Document(each.name, Memory(b"%d" % self.times), each.hint, read_as=OFFICE)
            elif self.law == "silent":
                yield Document(each.name, each.content, each.hint)
            elif self.law == "hint":
                yield Document(each.name, each.content, Hint(), read_as=OFFICE)
            else:
                yield each

    def split(self, outer, size):
        return [sources.WHOLE] * (2 if self.law == "parts" else 1)

    def stamp(self, outer):
        return sources.Stamp(0, 0) if self.law == "stamp" else ZIP.stamp(outer)


def test_the_kit_passes_an_unbroken_source():
    check(Broken(""), *SAMPLES["zip"])


@pytest.mark.parametrize(
    ("law", "error"),
    [(law, AssertionError) for law in ("claims", "budget", "names", "again", "silent", "hint", "parts")]
    + [("stamp", AssertionError), ("raises", ValueError)],
)
def test_the_kit_finds_every_law_that_is_broken(law, error):
    with pytest.raises(error):
        check(Broken(law), *SAMPLES["zip"])
