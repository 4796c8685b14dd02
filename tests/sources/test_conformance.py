"""Every built-in source passes the kit, and the kit finds what is broken."""

import gzip
import json

import pytest

from copysift.model.document import Document, Hint, Memory
from copysift.runtime import registry
from copysift.sources import source as sources
from copysift.sources.conformance import check
from copysift.sources.containers import ZIP, ZipSource
from tests.sources import samples
from tests.sources.packing import tarred, zipped
from tests.sources.programs import class_file, pe

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

    from copysift.sources.records import SCHEMA, Builder

    out = io.BytesIO()
    built = Builder()
    for name, text in RECORDS.items():
        built.add(name, text)
    with pa.ipc.new_stream(out, SCHEMA) as writer:
        for batch in built.give():
            writer.write_batch(batch)
    return out.getvalue()


def warc():
    parts = []
    for name, text in RECORDS.items():
        head = f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {name}\r\nContent-Type: text/plain\r\n"
        parts.append(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text + b"\r\n\r\n")
    return b"".join(parts)


LONG = {"a.txt": b"one", "a-very-long-name-of-a-file.txt": b"two"}
TEXT = "First paragraph of a small text.\n\nA second one, so that there are two of them."
LINES = b"First paragraph of a small text.\nA second one, so that there are two of them.\n"
MESSAGE = samples.mail("Body of the mail.\n", "Plan")
ROWS = [["name", "town"], ["Ann", "Rome"]]
SHOWN = b"First paragraph of a small text.\nA second one, so that there are two of them."
CUES = b"1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i> there\n"


def in_place(name, data, text):
    """Give a sample of a format that is read in place: only blanks are between the words."""
    return name, data, {name: text}


_EMPTY = b")\0"
PYC = (
    b"\xa7\x0d\r\n"
    + bytes(12)
    + b"c"
    + bytes(20)
    + b"s\2\0\0\0d\0)\1z\4word"
    + _EMPTY * 6
    + bytes(4)
    + _EMPTY * 2
)
SAMPLES = {
    "zip": ("x.whl", zipped(FILES), FILES),
    "tar": ("x.tar", tarred(FILES), FILES),
    "compressed": ("x.txt.gz", gzip.compress(b"hello"), {"x.txt": b"hello"}),
    "ar": ("x.a", samples.ar(LONG), LONG),
    "cpio": ("x.cpio", samples.cpio(FILES), FILES),
    "7z": ("x.7z", samples.seven_zip(FILES), FILES),
    "docx": ("x.docx", samples.docx(TEXT), {"x.docx": LINES}),
    "pptx": ("x.pptx", samples.pptx(TEXT), {"x.pptx": LINES}),
    "xlsx": ("x.xlsx", samples.xlsx(ROWS), {"x.xlsx": b"name\ttown\nAnn\tRome\n"}),
    "odt": ("x.odt", samples.odf(TEXT), {"x.odt": LINES}),
    "fodt": ("x.fodt", samples.flat_odf(TEXT), {"x.fodt": b"\n" + LINES}),
    "ods": ("x.ods", samples.odf(TEXT, "spreadsheet"), {"x.ods": LINES}),
    "odp": ("x.odp", samples.odf(TEXT, "presentation"), {"x.odp": LINES}),
    "epub": ("x.epub", samples.epub(TEXT), {"x.epub": LINES}),
    "rtf": ("x.rtf", samples.rtf(TEXT), {"x.rtf": LINES}),
    "pdf": ("x.pdf", samples.pdf(TEXT), {"x.pdf": LINES}),
    "postscript": ("x.ps", samples.postscript(TEXT, 3), {"x.ps": SHOWN}),
    "mail": ("x.eml", MESSAGE, {"x.eml": b"Plan\n\nBody of the mail.\n"}),
    "mbox": ("x.mbox", samples.mailbox(MESSAGE, MESSAGE), {"1": MESSAGE + b"\n", "2": MESSAGE + b"\n"}),
    "sqlite": ("x.db", samples.database(a=[("x", 1)], b=[("y", 2.5)]), {"a": b"x\t1\n", "b": b"y\t2.5\n"}),
    "tex": in_place("x.tex", b"A \\emph{b} % c\n", b"A \x7f\x7f\x7f\x7f\x7f\x7fb\x7f    \n"),
    "troff": in_place("x.1", b".SH NAME\na\\fBb\\fPc\n", b"    NAME\na\x7f\x7f\x7fb\x7f\x7f\x7fc\n"),
    "markdown": in_place("x.md", b"A [b](c) d\n", b"A [b     d\n"),
    "rst": in_place("x.rst", b"A :ref:`b <c>`\n", b"A      `b    `\n"),
    "subrip": in_place("x.srt", CUES, b" \n" + b" " * 29 + b"\n   Hello     there\n"),
    "webvtt": in_place(
        "x.vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n", b"      \n\n" + b" " * 23 + b"\nHello\n"
    ),
    "json": in_place("x.json", b'{"a": "b\\nc\\u00e9"}', b'{"a": "b  c\xc3\xa9\x7f\x7f\x7f\x7f"}'),
    "xml": in_place("x.xml", b'<?xml?><a b="c">d</a>', b"       " + b"      c  d    "),
    "yaml": in_place("x.yml", b"a: &n 'b' # c\n", b"a:    'b'    \n"),
    "table": in_place("x.csv", b'a;"b"\nc;3.50\n', b"a  b \nc 3.5\x7f\n"),
    "executable": (
        "x.exe",
        pe(b"\x55\x8b\x05\1\2\3\4\xc3", b"a message\0"),
        {"x.exe": b'; machine code: PE x86-64\npush rbp\nmov eax, dword ptr [rip + #]\nret\n"a message"\n'},
    ),
    "class": (
        "A.class",
        class_file(b"\xb1"),
        {"A.class": b'; machine code: Java class\nreturn\n"a long greeting"\n'},
    ),
    "pyc": ("x.pyc", PYC, {"x.pyc": b"; machine code: Python 3.11\nop 100 'word'\n"}),
    "jsonl": ("x.jsonl", JSONL, RECORDS),
    "lines": ("x.txt", b"one\ntwo\n\nfour\n", {"x.txt:1": b"one", "x.txt:2": b"two", "x.txt:4": b"four"}),
    "csv": ("x.csv", table(","), RECORDS),
    "tsv": ("x.tsv", table("\t"), RECORDS),
    "parquet": ("x.parquet", parquet(), RECORDS),
    "arrow": ("x.arrow", arrow(), RECORDS),
    "warc": ("x.warc", warc(), RECORDS),
}


UNREADABLE = {"compound", "packed"}  # known, so that it can be said that it is not read
FOLDERS = {"index"}  # no single file: tests/law/test_index_source.py


def test_every_built_in_source_has_a_sample():
    assert set(registry.names(registry.SOURCES)) == set(SAMPLES) | UNREADABLE | FOLDERS


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
                yield Document(each.hint.file, each.content, each.hint, read_as="a member")
            elif self.law == "again":
                yield Document(each.name, Memory(b"%d" % self.times), each.hint, read_as="a member")
            elif self.law == "silent":
                yield Document(each.name, each.content, each.hint)
            elif self.law == "hint":
                yield Document(each.name, each.content, Hint(), read_as="a member")
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
