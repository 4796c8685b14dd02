"""Inputs to begin with, from the samples of the tests: seeds.py FOLDER writes them for every target."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from program_targets import FORMS, SUFFIXES, TEXT

from tests.sources import samples

REQUESTS = (
    b"GET /api/v1/health",
    b"GET /api/v1/jobs?limit=3&state=done",
    b"GET /?q=%C3%A9",
    b"GET /api/v1/jobs/none\nAuthorization: Bearer x",
    b"DELETE /api/v1/indexes/x\nOrigin: http://127.0.0.1:8690",
    b"POST /api/v1/compare\nContent-Type: application/json\n\n"
    + json.dumps({"left": {"name": "a", "text": TEXT}, "right": {"name": "b", "text": TEXT}}).encode(),
    b"POST /api/v1/fingerprints\nContent-Type: application/json\n\n" + json.dumps({"text": TEXT}).encode(),
    b"POST /api/v1/jobs\nContent-Type: multipart/form-data; boundary=b\n\n--b\r\n"
    b'Content-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nsome text\r\n--b--\r\n',
    b"POST /login\nContent-Type: application/x-www-form-urlencoded\nHost: [::1\n\ntoken=x",
)
MOSS = (
    b"\x05moss 123\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n"
    b"file 1 c 4 a.c\nint file 2 c 3 b.c\nab\n"
    b"query 0 hello\nend\n",
    b"\x01moss 1\nlanguage klingon\nfile 0 c 0 x\nquery 0 \n",
)


def formats() -> dict[str, bytes]:
    """Give a small file of many formats by suffix."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 400
        archive.addfile(info, io.BytesIO(TEXT.encode()[:400]))
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("a/b.txt", TEXT)
    text = TEXT[:300]
    return {
        ".docx": samples.docx(text), ".odt": samples.odf(text), ".pptx": samples.pptx(text),
        ".xlsx": samples.xlsx([["a", "b"], ["c", "d"]]), ".epub": samples.epub(text),
        ".rtf": samples.rtf(text),
        ".tex": samples.tex(text), ".ps": samples.postscript(text, 20), ".eml": samples.mail(text),
        ".mbox": samples.mailbox(samples.mail(text), samples.mail(text)), ".a": samples.ar({"x": b"1234"}),
        ".cpio": samples.cpio({"x": b"1234"}), ".tar": packed.getvalue(), ".zip": zipped.getvalue(),
        ".gz": gzip.compress(TEXT.encode()), ".md": b"# A\n\n*b* [c](d)\n" * 9,
        ".json": json.dumps({"a": [text] * 3}).encode(),
        ".xml": b"<a><b>text</b><c d='e'/></a>" * 3, ".srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello\n\n",
        ".html": b"<html><body><p>text &amp; more<script>x</script></body></html>",
    }  # fmt: skip


def seeds(target: str) -> Iterator[bytes]:
    """Give the first inputs of a target."""
    yield TEXT.encode()[:200]
    if target == "sources":
        for suffix, data in formats().items():
            if suffix in SUFFIXES:
                yield bytes([SUFFIXES.index(suffix)]) + data
            yield b"\0" + data
    elif target == "records":
        rows = b'{"id": "a", "text": "b"}\n{"id": "c", "text": "d\\u00e9"}\n'
        table = b'id,text\na,"b\nc"\nd,e\n'
        for form, data in (
            ("jsonl", rows),
            ("csv", table),
            ("tsv", table.replace(b",", b"\t")),
            ("lines", b"a\nb\n"),
        ):
            yield bytes([FORMS.index(form)]) + data
    elif target == "rest":
        yield from REQUESTS
    elif target == "moss":
        yield from MOSS
    elif target == "jsonl":
        yield b'\1{"id": "a", "text": "b\\n"}\n{"id": "c", "text": "d"}'
    elif target == "packed":  # one page of one posting, with tables of one class
        yield b"\0\0\0\0\0\0\xff\0\x0c" + b"\0\4\10" + bytes(9) + b"\0\0\0\0\5\0\0\0\x42"
        yield b"\1\0\0\0\0\0\xff\0\x0c" + b"\0\4\10" + bytes(9) + b"\0\0\0\0\0\5\x42"
    elif target == "markup":
        yield b"\1\5\0<html><!-- a --><p class='b'>x &amp; y &#65;</p><script>if (a < b) x</script>"
    elif target == "language_file":
        folder = Path(__file__).parents[1] / "src/copysift/kinds/languages"
        yield from (path.read_bytes() for path in sorted(folder.glob("*.toml"))[::6])


def main() -> None:
    """Write the seeds of a target to a folder."""
    target, folder = sys.argv[1], Path(sys.argv[2])
    for number, data in enumerate(seeds(target)):
        (folder / f"seed-{number}").write_bytes(data)


if __name__ == "__main__":
    main()
