"""Files that are broken or were made to break a reader: a line each, and the rest is read."""

import json
import os
import random
import signal
import stat
import subprocess
import sys
import tarfile
import time
import zipfile

import pytest

import copysift
from copysift.errors import UsageError
from copysift.model.document import Document, Memory
from copysift.model.values import Skipped
from copysift.sources.filters import FilterSource
from copysift.sources.inputs import members
from copysift.sources.readers import process
from copysift.sources.readers.pdf import PDF
from copysift.sources.readers.reader import TextLimits
from copysift.sources.source import Reading, source
from tests.cli.program import copysift as run
from tests.cli.texts import prose
from tests.sources import samples
from tests.sources.packing import tarred, zipped

TEXT = "\n\n".join(prose(each) for each in range(4))
W = samples.W


def word_xml(xml: str) -> bytes:
    return zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": xml.encode()})


def laughs() -> str:
    rows = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE d [<!ENTITY l0 "ha">{rows}]><w:d xmlns:w="{W}"><w:t>&l9;</w:t></w:d>'


def quine() -> bytes:
    """Give a zip that has itself in it, to a depth that no limit reaches."""
    inner = b"the end"
    for number in range(1000):
        inner = zipped({f"{number}.zip" if number else "end.txt": inner}, zipfile.ZIP_STORED)
    return inner


def terabyte() -> bytes:
    info = tarfile.TarInfo("huge.txt")
    info.size = 1 << 40
    before = tarred({"a.txt": TEXT.encode()}).rstrip(b"\0")
    return before + bytes(-len(before) % 512) + info.tobuf(tarfile.GNU_FORMAT) + b"x" * 2048


def bomb_docx() -> bytes:
    body = f"<w:d xmlns:w='{W}'><w:t>{'a' * (80 << 20)}</w:t></w:d>"
    return word_xml(body)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BAD = {
    "locked.pdf": (lambda: samples.pdf(TEXT, "secret"), "is protected by a password"),
    "cut.pdf": (lambda: samples.pdf(TEXT)[:300], "is damaged"),
    "noise.pdf": (lambda: b"%PDF-1.7\n" + random.Random(1).randbytes(5000), "is damaged"),
    "empty.pdf": (lambda: samples.pdf(""), ""),
    "cut.docx": (lambda: samples.docx(TEXT)[:900], "damaged"),
    "no-main.docx": (lambda: zipped({"[Content_Types].xml": b"<T/>", "word/x": b"<a/>"}), "has no word/doc"),
    "bad-xml.docx": (lambda: word_xml("<w:d><w:t>never closed"), "is damaged"),
    "laughs.docx": (lambda: word_xml(laughs()), "declares entities"),
    "bomb.docx": (bomb_docx, "unpacks to more than"),
    "deep.docx": (lambda: word_xml("<a>" * 200_000), "is damaged"),
    "locked.docx": (lambda: OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
    "old.doc": (lambda: OLE + bytes(600), "--filter"),
    "locked.odt": (
        lambda: zipped({
            "mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"\0\1",
            "META-INF/manifest.xml": b"<m><encryption-data/></m>",
        }),
        "is protected by a password",
    ),
    "bad.epub": (lambda: zipped({"mimetype": b"application/epub+zip"}), "is damaged"),
    "nested.zip": (quine, "too deep"),
    "huge.tar": (terabyte, "is truncated or damaged"),
    "cut.deb": (lambda: samples.ar({"debian-binary": b"2.0\n", "data.tar": TEXT.encode()})[:-100], "damaged"),
    "cut.cpio": (lambda: samples.cpio({"a": TEXT.encode()})[:-300], "damaged"),
    "locked.7z": (lambda: samples.seven_zip({"a.txt": b"x" * 100}, "secret"), "is protected by a password"),
    "hidden.7z": (
        lambda: samples.seven_zip({"a.txt": b"x" * 100}, "secret", hidden=True), "is protected by a password",
    ),
    "cut.7z": (lambda: samples.seven_zip({"a.txt": TEXT.encode()})[:-40], "is damaged"),
    "bad.sqlite": (lambda: samples.database(a=[("x",)])[:4000] + b"\xff" * 4000, "is damaged"),
    "own-codes.ps": (lambda: samples.postscript_of_own_codes(TEXT), "an encoding of its own fonts"),
    "drawing.ps": (lambda: b"%!PS-Adobe-3.0\n0 0 moveto 9 9 lineto stroke\n", "shows no strings"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_and_its_neighbour_is_read(tmp_path, name):
    make, reason = BAD[name]
    (tmp_path / name).write_bytes(make())
    (tmp_path / "zzz.txt").write_text(TEXT)
    start = time.process_time()
    result = copysift.scan(tmp_path)
    assert time.process_time() - start < 20
    assert f"{tmp_path}/zzz.txt" in {each.name for each in result.documents}
    if reason:
        about = [each for each in result.skipped if each.name.startswith(f"{tmp_path}/{name}")]
        assert 1 <= len(about) <= 2  # a cut archive and the member that is cut
        assert reason in about[0].reason
        assert f"{tmp_path}/{name}" not in {each.name for each in result.documents}


def test_what_comes_before_a_terabyte_in_a_tar_is_read(tmp_path):
    (tmp_path / "huge.tar").write_bytes(terabyte())
    assert [each.name for each in copysift.scan(tmp_path).documents] == [f"{tmp_path}/huge.tar!a.txt"]


@pytest.mark.parametrize("name", ["laughs.xml", "laughs.yaml"])
def test_bombs_of_entities_and_aliases_are_never_unfolded(tmp_path, name):
    yaml = "a0: &a0 [lol]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 20))
    (tmp_path / name).write_text(laughs() if name == "laughs.xml" else yaml)
    (document,) = copysift.scan(tmp_path).documents
    assert document.bytes < 5000


def test_the_size_of_a_document_is_that_of_its_file(tmp_path):
    for name, text in (("a.docx", TEXT), ("b.docx", TEXT + "more")):
        (tmp_path / name).write_bytes(samples.docx(text))
    documents = json.loads(run(tmp_path, "scan", ".", "--format", "json").out)["documents"]
    size = (tmp_path / "a.docx").stat().st_size
    assert documents[0]["file_bytes"] == size != documents[0]["bytes"]
    assert f" {size / 1000:.2f} kB  " in run(tmp_path, "scan", ".").out


def test_copies_of_a_file_that_cannot_be_read_are_still_named(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(samples.pdf(TEXT, "secret"))
    reasons = [each.reason for each in copysift.scan(tmp_path).skipped]
    assert reasons[0] == "is protected by a password"
    assert reasons[1] == f"is protected by a password; it is equal to {tmp_path}/a.pdf byte for byte"


def test_devices_and_pipes_are_named(tmp_path):
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "a.txt").write_text(TEXT)
    result = copysift.scan([tmp_path, "/dev/zero"])
    assert {each.name: each.reason for each in result.skipped} == {
        f"{tmp_path}/pipe.pdf": "is a named pipe (FIFO), not a file",
        "/dev/zero": "is a character device, not a file",
    }


def test_a_mailbox_is_read_as_a_stream(tmp_path):
    message = samples.mail(TEXT, "Again")
    with open(tmp_path / "big.mbox", "wb") as file:
        for _ in range(1200):
            file.write(samples.mailbox(message))
    assert os.path.getsize(tmp_path / "big.mbox") > 2 << 20
    code = (  # in a process of its own, where nothing else takes memory
        "import sys, tracemalloc\n"
        "from copysift.model.document import Document\n"
        "from copysift.sources.inputs import members\n"
        "count = 0\n"
        "for each in members(sys.argv[1]):\n"
        "    if count == 10: tracemalloc.start()\n"
        "    count += isinstance(each, Document)\n"
        "print(count, tracemalloc.get_traced_memory()[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "big.mbox")], capture_output=True, text=True, check=True
    )
    count, peak = map(int, done.stdout.split())
    assert count == 1200
    assert peak < 1 << 20


def test_mails_attached_to_mails_to_a_great_depth(tmp_path):
    message = b"Subject: x\nMessage-ID: <1@a>\nFrom: a\n\nthe end\n"
    for _ in range(1000):
        message = b"Subject: x\nMessage-ID: <1@a>\nFrom: a\nContent-Type: message/rfc822\n\n" + message
    (tmp_path / "deep.eml").write_bytes(message)
    (tmp_path / "zzz.txt").write_text(TEXT)
    result = copysift.scan(tmp_path)
    assert f"{tmp_path}/zzz.txt" in {each.name for each in result.documents}
    assert len(result.documents) + len(result.skipped) == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.tex", b"\\label{" * 60_000),
        ("x.tex", b"{" * 300_000),
        ("x.tex", b"\\begin{a" * 60_000),
        ("x.1", b".de x\n" * 60_000),
        ("x.1", b".TH x\n" + b"\\[" * 100_000),
        ("x.md", b"<!--" * 60_000),
        ("x.md", b"[](" * 60_000),
        ("x.md", b"```\n" * 60_000),
        ("x.rst", b":" * 200_000),
        ("x.rst", b" " * 200_000 + b"<"),
        ("x.xml", b"<?xml?>" + b"<!DOCTYPE a [" * 20_000),
        ("x.xml", b"<?xml?>" + b"<a b='" * 40_000),
        ("x.xml", b"<?xml?><a " + b"'b' " * 60_000),
        ("x.json", b"[" + b"\\ud800" * 40_000),
        ("x.rtf", b"{\\rtf1" + b"{" * 200_000),
        ("x.ps", b"%!PS\n" + b"(" * 200_000),
        ("x.ps", b"%!PS\n" + b"%%BeginFont\n" * 20_000),
        ("x.srt", b"1\n00:00:01,0 --> 0\n" + b"{\\" * 100_000),
        ("x.vtt", b"WEBVTT\n\n" + b"NOTE\n" * 40_000),
        ("x.eml", b"Received: a\nFrom: b\nTo: c\n" + b"X: y\n" * 40_000),
    ],
)
def test_readers_take_time_in_proportion_to_the_file(tmp_path, name, data):
    def seconds(content):
        start = time.process_time()
        list(members(content, name=name))
        return time.process_time() - start

    seconds(data[: len(data) // 8])
    assert seconds(data) < 4


# what a separate process may do


def separate(monkeypatch, body, seconds=5.0, memory=2 << 30):
    """Let the reader of PDFs do something else in its process."""
    code = f"""
import sys
from copysift.runtime.watched import answer_requests
from copysift.sources.readers import pdf, worker
def extract(self, data, limits, budget):
    {body}
pdf.PdfReader.extract = extract
answer_requests(worker.answer)
"""
    monkeypatch.setattr(process.PROCESS, "command", [sys.executable, "-c", code])
    process.end()
    limits = TextLimits(1 << 20, seconds, memory)
    monkeypatch.setattr("copysift.sources.readers.reader.TextLimits", lambda *most: limits)
    found = list(PDF.open(Document("x.pdf", Memory(b"%PDF-")), Reading()))
    process.end()
    (only,) = found
    assert isinstance(only, Skipped)
    return only.reason


def test_a_reader_that_hangs_is_ended(monkeypatch):
    start = time.monotonic()
    assert "takes more than 1 second to" in separate(monkeypatch, "while True: pass", seconds=1)
    assert time.monotonic() - start < 20


def test_a_process_that_lost_its_caller_ends_by_itself():
    code = """
from copysift.runtime.watched import answer_requests
from copysift.sources.readers import pdf, worker
def extract(self, data, limits, budget):
    while True: pass
pdf.PdfReader.extract = extract
from copysift.runtime import watched
watched._GRACE = 1
answer_requests(worker.answer)
"""
    request = {"reader": "pdf", "size": 0, "text_bytes": 1, "memory": 2 << 30, "seconds": 0.5,
               "total_bytes": 1, "members": 1}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(request).encode() + b"\n", timeout=60, check=False
    )
    assert done.returncode == -signal.SIGALRM


def test_a_reader_that_crashes_costs_one_document(monkeypatch):
    assert "broke its reader" in separate(monkeypatch, "import os; os.abort()")


def test_a_reader_that_grows_is_stopped(monkeypatch):
    assert "memory" in separate(monkeypatch, "return bytes(1 << 30)", memory=700 << 20)


def test_a_reader_that_answers_with_too_much_is_not_believed(monkeypatch):
    body = "from copysift.sources.readers.reader import Extracted; return Extracted(bytes(8 << 20))"
    assert "more than 1,048,576 bytes of text" in separate(monkeypatch, body)


def test_a_reader_that_raises_anything_is_a_damaged_file(monkeypatch):
    assert "is damaged" in separate(monkeypatch, "raise KeyError('x')")


# filters


def script(tmp_path, body):
    path = tmp_path / "program"
    path.write_text(f"#!{sys.executable}\nimport sys, os, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def filtered(command, seconds=10.0):
    document = Document("x.doc", Memory(b"some content"))
    (found,) = FilterSource(str(command), seconds).open(document, Reading())
    return found


def test_a_filter_gives_the_text(tmp_path):
    found = filtered(script(tmp_path, "sys.stdout.write(sys.stdin.read().upper())"))
    assert found.content.data == b"SOME CONTENT"
    program = script(tmp_path, "sys.stdout.write(open(sys.argv[1]).read() + sys.argv[1][-4:])")
    assert filtered(f"{program} {{}}").content.data == b"some content.doc"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.stderr.write('no such format'); sys.exit(3)", "failed with status 3: no such format"),
        ("sys.stdin.read()", "printed nothing"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("time.sleep(60)", "took more than 1 seconds"),
        ("os.close(1); time.sleep(60)", "took more than 1 seconds"),
        ("os.fork() or time.sleep(60)", "took more than 1 seconds"),
        ("while True: os.write(1, bytes(1 << 20))", "printed more than 134,217,728 bytes"),
    ],
)
def test_a_filter_that_misbehaves_is_a_line(tmp_path, body, reason):
    start = time.monotonic()
    found = filtered(script(tmp_path, body), 1.0 if "took" in reason else 30.0)
    assert isinstance(found, Skipped)
    assert reason in found.reason
    assert time.monotonic() - start < 25


def test_a_filter_that_does_not_exist_is_a_line():
    assert "cannot be started" in filtered("/no/such/program -").reason


@pytest.mark.parametrize("given", ["*.doc", "=cat", "*.doc=", "*.doc='open"])
def test_a_filter_that_makes_no_sense_is_refused(tmp_path, given):
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(UsageError, match="filter"):
        copysift.scan(tmp_path, filter=[given])


def test_a_filter_works_in_every_command(tmp_path):
    (tmp_path / "in").mkdir()
    for name, text in (("a.rot", TEXT), ("b.rot", TEXT + " and a bit more"), ("c.rot", prose(77))):
        (tmp_path / "in" / name).write_bytes(bytes(255 - byte for byte in text.encode()))
    program = script(tmp_path, "os.write(1, bytes(255 - byte for byte in sys.stdin.buffer.read()))")
    option = ("--filter", f"*.rot={program}")
    content = json.loads(run(tmp_path, "scan", "in", *option, "--format", "json").out)
    assert {(each["left"], each["right"]) for each in content["pairs"]} == {("in/a.rot", "in/b.rot")}
    assert {each["kind"] for each in content["documents"]} == {"text"}
    assert "output of the filter" in content["documents"][0]["read_as"]
    assert run(tmp_path, "index", "add", "i.sift", "in", *option).out.startswith("3 added")
    queried = json.loads(run(tmp_path, "query", "i.sift", "in/a.rot", *option, "--format", "json").out)
    assert {each["right"] for each in queried["hits"]} == {"in/a.rot", "in/b.rot"}
    assert "3 documents, 1 cluster" in run(tmp_path, "cluster", "in", "-o", "run", *option).err
    assert "3 documents: 2 kept" in run(tmp_path, "dedup", "in", "-o", "out.jsonl", *option).out
    assert "3 documents: 3 new" in run(tmp_path, "sweep", "s.sift", "in", "--date", "2026-01-01", *option).out
    done = run(tmp_path, "compare", "in/a.rot", "in/b.rot", *option, "--format", "json")
    assert json.loads(done.out)["pairs"][0]["containment_left"] == 1.0
    (tmp_path / "copysift.toml").write_text(f"filter = [{json.dumps(option[1])}]\n")
    content = json.loads(run(tmp_path, "scan", "in", "--format", "json").out)
    assert len(content["pairs"]) == 1


def test_clients_of_a_server_cannot_set_filters():
    pytest.importorskip("fastapi")
    from copysift.serve.requests import checked

    with pytest.raises(UsageError, match="filter cannot be set by a client"):
        checked({"filter": ["*=sh"]})


def test_every_definition_is_in_the_table_of_what_is_known():
    from copysift.runtime import registry
    from copysift.sources.readers import known
    from copysift.sources.readers.reader import TextReader

    readers = {
        name for name in registry.built_in(registry.SOURCES)
        if isinstance(source(name), TextReader) or name == "mbox"
    }  # fmt: skip
    assert readers - {"7z"} == set(known.SUFFIXES)
