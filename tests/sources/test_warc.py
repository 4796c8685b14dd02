"""Pages in WARC files as crawlers write them: packed, in chunks, with the headers of many servers."""

import gzip
import json
import zlib

import pytest

from copysift.engines.dedup_steps import dedup
from copysift.model.values import ERROR_PAGE, REVISIT, Skipped
from copysift.settings.corpus import CorpusSettings
from copysift.sources import payload

pytest.importorskip("fastwarc")
brotli = pytest.importorskip("brotli")

PAGE = b"a page of words that is to be read, " * 40


def record(uri, block, kind="response", media="application/http; msgtype=response"):
    """Give a WARC record."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        f"WARC-Target-URI: {uri}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: {media}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(body, *headers, end=b"\r\n"):
    """Give an HTTP response."""
    lines = [b"HTTP/1.1 200 OK", b"Content-Type: text/plain", *(each.encode() for each in headers)]
    return end.join([*lines, b"", body])


def chunks(body, size=500):
    """Cut a body into chunks, as servers do."""
    cut = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;note=1\r\n%s\r\n" % (len(each), each) for each in cut) + b"0\r\n\r\n"


def raw_deflate(body):
    """Pack a body without the wrapping of zlib."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def read(tmp_path, *records, by="warc_records"):
    """Give the documents by address, and the notes by name."""
    from copysift.sources import warc

    path = tmp_path / "crawl.warc"
    path.write_bytes(b"".join(records))
    found = list(getattr(warc, by)(str(path)))
    notes = {each.name: each.reason for each in found if isinstance(each, Skipped)}
    return {each[0]: each[1] for each in found if not isinstance(each, Skipped)}, notes


@pytest.mark.parametrize("by", ["warc_records", "captures"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Content-Encoding: gzip"], gzip.compress(PAGE)),
        (["Content-Encoding: x-gzip"], gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:]) + b"\0\0"),
        (["content-encoding: DEFLATE"], zlib.compress(PAGE)),
        (["Content-Encoding: deflate"], raw_deflate(PAGE)),
        (["Content-Encoding: br"], brotli.compress(PAGE)),
        (["Content-Encoding: identity"], PAGE),
        (["Transfer-Encoding: chunked"], chunks(PAGE)),
        (["Transfer-Encoding: gzip, chunked"], chunks(gzip.compress(PAGE))),
        (["Transfer-Encoding: chunked", "Content-Encoding: gzip"], chunks(gzip.compress(PAGE), 50)),
        (["Content-Encoding: deflate", "Content-Encoding: gzip"], gzip.compress(zlib.compress(PAGE))),
    ],
)
def test_bodies_are_unpacked(tmp_path, headers, body, by):
    found, notes = read(tmp_path, record("http://a/1", page(body, *headers)), by=by)
    assert (found, notes) == ({"http://a/1": PAGE}, {})


def test_headers_may_end_in_a_bare_line_feed(tmp_path):
    body = gzip.compress(PAGE)
    found, notes = read(
        tmp_path,
        record("http://a/1", page(PAGE, end=b"\n")),
        record("http://a/2", page(body, "Content-Encoding: gzip", end=b"\n")),
    )
    assert (found, notes) == ({"http://a/1": PAGE, "http://a/2": PAGE}, {})


@pytest.mark.parametrize(
    ("headers", "body", "why"),
    [
        (["Content-Encoding: gzip"], PAGE, "cannot be unpacked by gzip"),
        (["Content-Encoding: gzip"], gzip.compress(PAGE)[:-20], "ends early"),
        (["Content-Encoding: deflate"], b"\xff" * 99, "cannot be unpacked by deflate"),
        (["Content-Encoding: br"], brotli.compress(PAGE)[:-3], "ends early"),
        (["Content-Encoding: br"], PAGE, "cannot be unpacked by brotli"),
        (["Content-Encoding: rot13"], PAGE, "'rot13'"),
        (["Transfer-Encoding: chunked"], PAGE, "chunks"),
        (["Transfer-Encoding: chunked"], chunks(PAGE)[:-300], "inside a chunk"),
    ],
)
def test_what_cannot_be_unpacked_is_named_and_no_document(tmp_path, headers, body, why):
    found, notes = read(
        tmp_path, record("http://a/1", page(body, *headers)), record("http://a/2", page(PAGE))
    )
    assert found == {"http://a/2": PAGE}
    assert list(notes) == ["http://a/1"]
    assert why in notes["http://a/1"]


@pytest.mark.parametrize(
    ("name", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate), ("br", brotli.compress)],
)
def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch, name, pack):
    monkeypatch.setattr(payload, "LARGEST", 100_000)
    just, more = pack(bytes(100_000)), pack(bytes(100_001))
    found, notes = read(
        tmp_path,
        record("http://a/just", page(just, f"Content-Encoding: {name}")),
        record("http://a/more", page(more, f"Content-Encoding: {name}")),
    )
    assert found == {"http://a/just": bytes(100_000)}
    assert notes == {"http://a/more": "is larger than 100,000 bytes when it is unpacked"}


def test_pictures_and_error_pages_are_not_unpacked(tmp_path):
    picture = page(b"no gzip", "Content-Encoding: gzip").replace(b"text/plain", b"image/png")
    missing = page(b"no gzip", "Content-Encoding: gzip").replace(b"200 OK", b"404 Not Found")
    found, notes = read(
        tmp_path,
        record("http://a/1", picture),
        record("http://a/2", missing),
        record("http://a/3", page(PAGE)),
        by="captures",
    )
    assert (found, notes) == ({"http://a/3": PAGE}, {})


def test_what_is_no_http_is_named(tmp_path):
    found, notes = read(
        tmp_path, record("http://a/1", b"junk"), record("http://a/2", PAGE, media="text/plain")
    )
    assert found == {"http://a/2": PAGE}
    assert notes == {"http://a/1": "does not start like an HTTP response"}


def test_angle_brackets_are_no_part_of_an_address_and_notes_of_wget_no_documents(tmp_path):
    log = record("metadata://gnu.org/software/wget/warc/wget.log", PAGE, "resource", "text/plain")
    again = record("<http://a/2>", b"", "revisit").replace(
        b"WARC-Date", b"WARC-Refers-To-Target-URI: <http://a/1>\r\nWARC-Date"
    )
    given = (record("<http://a/1>", page(PAGE)), log, again)
    assert read(tmp_path, *given) == ({"http://a/1": PAGE}, {"http://a/2": REVISIT})
    assert read(tmp_path, *given, by="captures") == ({"http://a/1": PAGE, "http://a/2": "http://a/1"}, {})


def test_error_pages_are_no_documents_unless_everything_is_wanted(tmp_path):
    missing = record("http://a/2", page(PAGE).replace(b"200 OK", b"404 Not Found"))
    given = (record("http://a/1", page(PAGE)), missing)
    from copysift.sources.warc import warc_records

    assert b"404" in missing
    assert read(tmp_path, *given) == ({"http://a/1": PAGE}, {"http://a/2": ERROR_PAGE})
    assert read(tmp_path, *given, by="captures") == ({"http://a/1": PAGE}, {})
    assert [name for name, *_ in warc_records(str(tmp_path / "crawl.warc"), binary=True)] == [
        "http://a/1",
        "http://a/2",
    ]


def packed(*records):
    """Pack every record by itself, as crawlers do."""
    return b"".join(map(gzip.compress, records))


ONE, TWO = record("http://a/1", page(PAGE)), record("http://a/2", page(PAGE))


@pytest.mark.parametrize("end", [0, 4, 9, 60, len(TWO) - len(PAGE) - 60, len(TWO) - 40, len(TWO) - 4])
def test_a_file_that_is_cut_is_noted(tmp_path, end):
    found, notes = read(tmp_path, ONE, TWO[:end])
    whole = end in (0, len(TWO) - 4)
    assert "http://a/1" in found
    assert ("http://a/2" in found) == (end == len(TWO) - 4)
    assert bool(notes) != whole
    _, refused = read(tmp_path, ONE, TWO[:end], by="captures")
    assert (str(tmp_path / "crawl.warc") in refused) != whole


@pytest.mark.parametrize("end", [1, 5, 40, -60, -9, -1])
@pytest.mark.parametrize("by", ["warc_records", "captures"])
def test_a_packed_file_that_is_cut_is_noted_and_gives_what_is_whole(tmp_path, end, by):
    found, notes = read(tmp_path, packed(ONE), packed(TWO)[:end], by=by)
    assert "http://a/1" in found
    assert notes
    assert by == "warc_records" or str(tmp_path / "crawl.warc") in notes
    assert read(tmp_path, packed(ONE, TWO), b"\0" * 9, by=by)[1] == {}


def test_a_packed_file_that_is_damaged_is_noted(tmp_path):
    data = bytearray(packed(ONE, TWO))
    data[len(packed(ONE)) + 60] ^= 0xFF
    found, notes = read(tmp_path, bytes(data), by="captures")
    assert list(found) == ["http://a/1"]
    assert "damaged" in notes[str(tmp_path / "crawl.warc")]


@pytest.mark.parametrize("by", ["warc_records", "captures"])
def test_a_record_that_does_not_start_like_one_is_noted_and_those_before_it_are_given(tmp_path, by):
    found, notes = read(tmp_path, ONE, TWO.replace(b"WARC/1.0", b"XARC/1.0"), by=by)
    assert list(found) == ["http://a/1"]
    assert "damaged after 1 records" in notes[str(tmp_path / "crawl.warc")]


@pytest.mark.parametrize(
    ("headers", "body", "said", "language"),
    [
        ([], PAGE, "", ""),
        (["Content-Language: de-AT"], PAGE, "", "de-AT"),
        ([], b"<!doctype html><HTML class=x lang='pt-BR'><p>Oi" + PAGE, "", "pt-BR"),
        (["Content-Language: de"], b"<html lang=fr>" + PAGE, "eng,deu", "eng,deu"),
    ],
)
def test_the_language_and_the_date_of_a_page_are_carried_to_the_output(
    tmp_path, headers, body, said, language
):
    written = record("http://a/", page(body, *headers))
    if said:
        more = f"\r\nWARC-Identified-Content-Language: {said}\r\nContent-Length"
        written = written.replace(b"\r\nContent-Length", more.encode(), 1)
    (tmp_path / "c.warc").write_bytes(written)
    dedup([str(tmp_path / "c.warc")], tmp_path / "out.jsonl", CorpusSettings())
    found = json.loads((tmp_path / "out.jsonl").read_text())
    assert found.get("content_language", "") == language
    assert found["date"] == "2026-01-01T00:00:00Z"
    assert found["id"] == "http://a/"
