"""Sources that end before they should: what they do not tell of must not count as gone."""

import gzip
import json

import pytest

import copysift
from copysift.errors import InputError
from tests.cli.program import copysift as command
from tests.cli.program import write
from tests.cli.texts import prose
from tests.sweeps.test_sweep import response, state
from tests.sweeps.web import A


def lines(*numbers):
    """Give pages as JSON lines."""
    rows = (json.dumps({"uri": f"{A}/{number}", "text": prose(number)}) for number in numbers)
    return "\n".join(rows).encode()


def crawl(*numbers):
    """Give pages as a WARC file."""
    return b"".join(response(f"{A}/{number}", "200 OK", prose(number)) for number in numbers)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cut.jsonl", lines(1, 2, 3)[:-100]),
        ("cut.jsonl", lines(1, 2, 3) + b'\n{"uri": "'),
        ("cut.jsonl.gz", gzip.compress(lines(1, 2, 3)[:-100])),
        ("cut.jsonl.gz", gzip.compress(lines(1, 2, 3))[:-100]),
        ("cut.warc", crawl(1, 2, 3)[:-100]),
        ("cut.warc", crawl(1, 2) + crawl(3)[:120]),
        ("cut.warc", crawl(1, 2) + crawl(3)[:7]),
        ("cut.warc.gz", gzip.compress(crawl(1, 2)) + gzip.compress(crawl(3))[:100]),
        ("cut.warc.gz", gzip.compress(crawl(1, 2)) + gzip.compress(crawl(3))[:-4]),
        ("damaged.warc.gz", gzip.compress(crawl(1, 2)) + bytes([31, 139, 8, *range(90)])),
    ],
)
def test_a_source_that_is_cut_is_refused_by_name_and_changes_nothing(tmp_path, name, data):
    pytest.importorskip("fastwarc")
    (tmp_path / "whole.jsonl").write_bytes(lines(1, 2, 3))
    (tmp_path / name).write_bytes(data)
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(tmp_path / "whole.jsonl", date="2026-01-01")
    before = state(tmp_path / "x.sift")
    with copysift.Index(tmp_path / "x.sift") as index, pytest.raises(InputError) as caught:
        index.sweep(tmp_path / name, date="2026-02-01")
    assert str(tmp_path / name) in caught.value.message
    assert "the index was not changed" in caught.value.hint
    assert state(tmp_path / "x.sift") == before


def test_a_last_line_without_an_end_is_a_line(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(lines(1, 2))
    with copysift.Index(tmp_path / "x.sift") as index:
        assert index.sweep(tmp_path / "a.jsonl", date="2026-01-01").documents == 2


def test_it_is_said_that_a_line_that_was_skipped_counts_as_gone(tmp_path):
    write(tmp_path, {"a.jsonl": lines(1, 2).decode(), "b.jsonl": "{broken\n" + lines(2).decode()})
    command(tmp_path, "sweep", "x.sift", "a.jsonl", "--date", "2026-01-01")
    done = command(tmp_path, "sweep", "x.sift", "b.jsonl", "--date", "2026-02-01")
    assert "1 gone, 1 skipped" in done.out
    assert "skipped documents without an address count as gone" in done.out
    assert "b.jsonl:1" in done.err


def test_a_page_that_is_taken_with_replacement_characters_is_not_lost(tmp_path):
    page = json.dumps({"uri": f"{A}/1", "text": prose(1) + " \ud800 "})
    write(tmp_path, {"day.jsonl": page.encode() + b"\n" + lines(2)})
    done = command(tmp_path, "sweep", "idx.sift", "day.jsonl", "--date", "2026-01-01")
    assert (done.status, done.err) == (0, "")
    assert "2 documents: 2 new" in done.out
