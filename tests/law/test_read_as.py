"""A file of every format says how it was read."""

import bz2
import json
import lzma

import pyarrow as pa

from tests.cli.program import copysift as run
from tests.sources import samples
from tests.sources.test_conformance import SAMPLES

TEXT = b"The quick brown fox jumps over the lazy dog.\n" * 9
PAGE = b"<!doctype html><html><body><p>" + TEXT + b"</p></body></html>"
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["x " * 99]}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
FURTHER = {
    "bzip2": ("x.txt.bz2", bz2.compress(TEXT)),
    "xz": ("x.txt.xz", lzma.compress(TEXT)),
    "zstd": ("x.txt.zst", pa.compress(TEXT, "zstd", asbytes=True)),
    "deb": ("x.deb", samples.ar({"debian-binary": b"2.0\n"})),
    "html": ("x.html", PAGE),
    "notebook": ("x.ipynb", json.dumps(NOTEBOOK).encode()),
    "text": ("x.txt", TEXT),
    "program": ("x.py", b"print(1)\n"),
    "image": ("x.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    "sound": ("x.wav", b"RIFF\0\1\0\0WAVEfmt " + bytes(range(256))),
}
READ_AS = {
    "zip": "member of a zip archive",
    "tar": "member of a tar archive",
    "compressed": "compressed file, unpacked",
    "bzip2": "compressed file, unpacked",
    "xz": "compressed file, unpacked",
    "zstd": "compressed file, unpacked",
    "ar": "member of an ar archive",
    "deb": "member of an ar archive",
    "cpio": "member of a cpio archive",
    "7z": "member of a 7z archive",
    "docx": "docx text, 2 paragraphs",
    "pptx": "pptx text, 2 slides",
    "xlsx": "xlsx values, 1 sheet",
    "odt": "odt text, 2 paragraphs",
    "ods": "ods text, 2 paragraphs",
    "odp": "odp text, 2 paragraphs",
    "fodt": "flat OpenDocument text, 3 paragraphs",
    "epub": "epub text, 2 chapters",
    "rtf": "rtf text, 2 lines",
    "pdf": "pdf text (pypdfium2), 1 page",
    "postscript": "PostScript, strings shown, 1 page",
    "mail": "mail text",
    "mbox": "mail text",
    "sqlite": "rows of SQLite, 1 row",
    "tex": "LaTeX without its commands",
    "troff": "troff without its requests",
    "markdown": "Markdown without its addresses and tags",
    "rst": "reStructuredText without its directives",
    "subrip": "subtitles without numbers and times, 1 cue",
    "webvtt": "subtitles without numbers and times, 1 cue",
    "json": "JSON by value",
    "xml": "XML by value",
    "yaml": "YAML by value",
    "table": "table by value, 2 rows of 2 columns",
    "executable": "machine code (capstone), x86-64, 3 instructions, 1 string",
    "class": "Java class, 1 method, 1 instruction",
    "pyc": "compiled Python, 3.11, 1 function, 1 instruction",
    "jsonl": "record of JSON lines",
    "csv": "record of CSV",
    "tsv": "record of TSV",
    "parquet": "record of Parquet",
    "arrow": "record of Arrow",
    "html": "HTML without its markup",
    "notebook": "cells of a notebook",
    "text": "plain text",
    "program": "a program: text, and tokens",
    "image": "raw bytes",
    "sound": "raw bytes",
}


def test_a_file_of_every_format_says_how_it_was_read(tmp_path):
    left_out = ("lines", "warc")  # lines are chosen by an option; the library of WARC warns
    files = {name: each[:2] for name, each in SAMPLES.items() if name not in left_out} | FURTHER
    found = {}
    for name, (file, content) in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_bytes(content)
        done = run(tmp_path, "scan", name, "--format", "json", "--no-regions")
        assert done.out, (name, done.err)
        answer = json.loads(done.out)
        found[name] = " | ".join(sorted({each["read_as"] for each in answer["documents"]}))
    assert found == READ_AS
