"""One file that costs too much is one named skip, in every command: --max-seconds-per-file, --max-bytes."""

import gzip
import io
import json
import threading
import time
import zipfile

import pytest

import copysift
from copysift.cli.main import main
from copysift.report import highlight
from copysift.runtime import timing
from copysift.sources import container_limits
from tests.cli.program import Done, write
from tests.cli.program import copysift as run
from tests.cli.texts import prose
from tests.law.test_limits_and_formats import COMMANDS, LARGE

LIMIT = ("--max-seconds-per-file", "0.01")
SAID = "takes more than 0.01 seconds to read (--max-seconds-per-file)"
ORDER = {"order": ("order", "d")}
HUGE = 24 << 20
TICK = 2.0**-11  # seconds that a look at the clock takes: 20 looks are the limit; sums are exact


def docx(text: str) -> bytes:
    """Make a Word document of a text."""
    made = io.BytesIO()
    body = f"<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", body)
    return made.getvalue()


class Ticks(threading.local):
    """A clock that goes on at every look, so that time is a number of blocks and no machine is too slow."""

    now = 0.0

    def thread_time(self) -> float:
        self.now += TICK
        return self.now


@pytest.fixture
def ticking(monkeypatch):
    """Let the processor time of a thread be counted in looks at the clock."""
    clock = Ticks()
    for module in (timing, container_limits):
        monkeypatch.setattr(module, "time", clock)


@pytest.fixture(scope="module")
def slow_tree(tmp_path_factory):
    """Small texts, files of all sorts with many blocks, and one that a process of its own must read."""
    here = tmp_path_factory.mktemp("slow")
    words = "".join(prose(seed) for seed in range(5)).encode()
    huge = words * (HUGE // len(words))
    write(here, {"d/a.txt": prose(1), "d/b.txt": prose(1) + prose(2), "x/a.txt": prose(1)})
    (here / "d/huge.txt").write_bytes(huge)
    (here / "d/word.docx").write_bytes(docx(prose(3)))
    with zipfile.ZipFile(here / "d/z.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("first.txt", prose(4))
        archive.writestr("big.txt", huge)
        archive.writestr("last.txt", prose(5))
    (here / "d/p.txt.gz").write_bytes(gzip.compress(huge, 1))
    run(here, "index", "add", "x.sift", "x")
    return here


@pytest.mark.parametrize("command", [*COMMANDS, "order"])
def test_a_document_that_takes_too_long_is_a_named_skip(slow_tree, ticking, monkeypatch, capsys, command):
    monkeypatch.chdir(slow_tree)
    status = main([*{**COMMANDS, **ORDER}[command], *LIMIT])
    done = Done(status, *capsys.readouterr())
    assert done.status == 3, done.err
    skipped = [line for line in done.err.splitlines() if SAID in line]
    opened = command != "order"  # which lists files as they are
    slow = {"huge.txt", "word.docx", "big.txt", "p.txt"} if opened else {"huge.txt", "word.docx", "p.txt"}
    assert {each for each in slow if any(each in line for line in skipped)} == slow, done.err
    if command == "index":
        assert "4 added" in done.out
    if command in ("cluster", "sweep"):
        assert "4 document" in done.err + done.out
    if command == "dedup":
        kept = (slow_tree / "clean.jsonl").read_text()
        assert "last.txt" in kept  # which comes behind the slow member of the archive
    if command == "scan":
        assert {"d/a.txt", "d/z.zip!last.txt"} <= {each["name"] for each in json.loads(done.out)["documents"]}


@pytest.mark.parametrize("command", COMMANDS)  # not order, which orders files as they are
def test_a_filter_that_takes_too_long_is_a_named_skip(here, command):
    write(here, {"d/a.txt": prose(1), "d/b.txt": prose(1), "d/c.doc": "x", "x/a.txt": prose(1)})
    run(here, "index", "add", "x.sift", "x")
    done = run(
        here, *COMMANDS[command], "--filter", "*.doc=sleep 60", "--max-seconds-per-file", "0.2", timeout=50
    )
    assert done.status == 3, done.err
    assert "took more than 0.2 seconds (--max-seconds-per-file)" in done.err


def test_python_takes_the_limit_too(slow_tree, ticking, monkeypatch):
    monkeypatch.chdir(slow_tree)
    found = copysift.scan("d", max_seconds_per_file=0.01)
    assert len(found.skipped) == 4
    assert all("--max-seconds-per-file" in each.reason for each in found.skipped)
    assert not copysift.scan("d", max_seconds_per_file=600).skipped


def test_a_text_that_is_large_only_when_it_was_read_is_too_large(here):
    write(here, {"d/a.txt": prose(1)})
    (here / "d/word.docx").write_bytes(docx(LARGE * 40))
    assert (here / "d/word.docx").stat().st_size < 100_000 < len(LARGE * 40)
    done = run(here, "scan", "d", "--max-bytes-per-file", "100KB")
    assert "word.docx: is larger than 100,000 bytes (--max-bytes-per-file)" in done.err


def test_the_short_name_of_the_limit_on_bytes_works(here):
    write(here, {"d/a.txt": prose(1), "d/large.txt": LARGE})
    done = run(here, "scan", "d", "--max-bytes", "5KB")
    assert "large.txt: is larger than 5,000 bytes" in done.err


# ---- Pygments: half of its lexers take minutes for 20 KB of the right text


@pytest.mark.parametrize("command", ["scan", "index", "cluster", "dedup"])
def test_a_program_that_holds_its_lexer_is_one_named_skip(here, command):
    write(here, {"d/a.txt": prose(1), "d/b.txt": prose(1), "d/evil.abap": '"' * 60_000, "x/a.txt": "x"})
    done = run(here, *COMMANDS[command], "--kind", "code", "--max-seconds-per-file", "1", timeout=100)
    assert done.status == 3, done.err
    assert "evil.abap: takes more than 1 second to read" in done.err


def test_a_report_leaves_a_source_plain_whose_lexer_does_not_end(monkeypatch):
    monkeypatch.setattr(highlight, "SECONDS", 1.0)
    monkeypatch.setattr(highlight, "_failures", [])
    text = '"' * 60_000
    assert highlight.coloured("evil.abap", text) == highlight.ColouredSource(text, (0, len(text)))
    assert len(highlight.coloured("x.abap", "DATA: a TYPE i.\n").runs) > 2
    monkeypatch.setattr(highlight, "FAILURES", 1)
    assert highlight.coloured("x.abap", "DATA: a TYPE i.\n").runs == (0, 16)


def test_time_is_checked_between_blocks(ticking):
    assert list(timing.timed([1, 2], None)) == [1, 2]
    assert list(timing.timed([1, 2], 60)) == [1, 2]
    read = []
    with pytest.raises(timing.TooSlowDocumentError, match=r"takes more than 0\.00244141 seconds"):
        read.extend(timing.timed(range(9), 5 * TICK))
    assert read == [0, 1, 2, 3, 4]


def test_a_limit_of_one_is_a_second_and_others_are_seconds():
    assert timing.too_slow(1) == "takes more than 1 second to read (--max-seconds-per-file)"
    assert timing.too_slow(2) == "takes more than 2 seconds to read (--max-seconds-per-file)"


def test_what_comes_after_the_last_block_counts(ticking):
    with pytest.raises(timing.TooSlowDocumentError):
        list(timing.timed(range(5), 5 * TICK))
    assert list(timing.timed(range(4), 5 * TICK)) == [0, 1, 2, 3]


def test_the_clock_is_the_processor_time_of_the_thread():
    with pytest.raises(timing.TooSlowDocumentError):
        list(timing.timed((sum(range(200_000)) for _ in range(9)), 0.001))
    slept = (time.sleep(0.05) for _ in range(3))
    assert len(list(timing.timed(slept, 0.1))) == 3  # another program has the machine
