"""What comes again: pages that a crawler did not fetch twice, and contents whose fingerprints were lost."""

import pytest

import copysift
from tests.cli.texts import prose
from tests.sweeps.test_sweep import response, state
from tests.sweeps.web import A, B


def revisit(uri, *, of="", when="", digest="", profile="identical-payload-digest"):
    """Give a record that says that a page was as it was before."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    head = (
        "WARC/1.1\r\nWARC-Type: revisit\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        f"WARC-Target-URI: {uri}\r\nWARC-Date: 2026-02-01T00:00:00Z\r\n"
        f"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/{profile}\r\n"
    )
    if of:
        head += f"WARC-Refers-To-Target-URI: {of}\r\n"
    if when:
        head += f"WARC-Refers-To-Date: {when}\r\n"
    if digest:
        head += f"WARC-Payload-Digest: {digest}\r\n"
    head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"


@pytest.fixture
def swept(tmp_path):
    """An index with one crawl of two pages, and a function that sweeps another one."""
    pytest.importorskip("fastwarc")
    (tmp_path / "1.warc").write_bytes(
        response(f"{A}/1", "200 OK", prose(1)) + response(f"{A}/2", "200 OK", prose(2))
    )
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(tmp_path / "1.warc", date="2026-01-01")

        def sweep(date, *records):
            (tmp_path / f"{date}.warc").write_bytes(b"".join(records))
            return index.sweep(tmp_path / f"{date}.warc", date=date)

        yield index, sweep


@pytest.mark.parametrize("profile", ["identical-payload-digest", "server-not-modified"])
def test_a_page_that_was_not_fetched_again_is_as_before(swept, profile):
    index, sweep = swept
    done = sweep(
        "2026-02-01",
        revisit(f"{A}/1", profile=profile),
        revisit(f"{B}/copy", of=f"{A}/2", when="2026-01-01T00:00:00Z", profile=profile),
    )
    assert (done.documents, done.new, done.unchanged, done.gone, done.sketched) == (2, 1, 1, 1, 0)
    assert (done.skipped, len(index.history(f"{A}/1").versions)) == ((), 1)
    assert index.locate(f"{A}/2").now.uri == f"{B}/copy"


def test_a_revisit_of_the_same_crawl_is_found_by_address_or_digest(swept):
    index, sweep = swept
    page = response(f"{A}/new", "200 OK", prose(3)).replace(
        b"WARC-Date", b"WARC-Payload-Digest: sha1:ABC\r\nWARC-Date", 1
    )
    done = sweep(
        "2026-02-01",
        page,
        revisit(f"{B}/one", of=f"{A}/new"),
        revisit(f"{B}/two", digest="sha1:ABC"),
        revisit(f"{A}/new"),
    )
    assert (done.documents, done.new, done.sketched, done.repeated, done.skipped) == (3, 3, 1, 1, ())
    assert {copy.uri for copy in index.locate(f"{A}/new").copies} == {f"{B}/one", f"{B}/two"}


def test_a_revisit_refers_to_the_version_of_its_date(swept):
    index, sweep = swept
    sweep("2026-02-01", response(f"{A}/1", "200 OK", prose(9)))
    sweep("2026-03-01", revisit(f"{B}/old", of=f"{A}/1", when="2026-01-01T10:00:00Z"))
    assert index.seen(prose(1), text=True, threshold="90%").now.uri == f"{B}/old"
    sweep("2026-04-01", revisit(f"{B}/late", of=f"{A}/1", when="2026-02-01T10:00:00Z"))
    assert index.seen(prose(9), text=True, threshold="90%").now.uri == f"{B}/late"


def test_a_revisit_of_what_nobody_knows_is_named_and_counted(swept):
    _, sweep = swept
    done = sweep(
        "2026-02-01",
        revisit(f"{A}/1"),
        revisit(f"{B}/1", of="http://nowhere/", when="2025-01-01T00:00:00Z"),
        revisit(f"{A}/2", of="http://nowhere/"),
    )
    assert [each.name for each in done.skipped] == [f"{B}/1", f"{A}/2"]
    assert done.skipped[0].reason == (
        "is said to be what http://nowhere/ was on 2025-01-01T00:00:00Z, which is not in any sweep: "
        "add the missing sweep, then repeat this one with --overwrite"
    )
    assert (done.documents, done.new, done.unchanged, done.gone) == (2, 0, 2, 0)  # A/2 counts as it was


def test_revisits_of_an_older_sweep_are_put_in_their_place(swept, tmp_path):
    index, sweep = swept
    sweep("2026-03-01", revisit(f"{A}/1"), revisit(f"{A}/2"))
    done = sweep("2026-02-01", revisit(f"{A}/1"), revisit(f"{A}/3", of=f"{A}/1"))
    assert (done.documents, done.new, done.gone) == (2, 1, 1)
    assert [(each.first, each.last) for each in index.history(f"{A}/2").versions] == [
        ("2026-01-01", "2026-01-01"),
        ("2026-03-01", "2026-03-01"),
    ]
    assert sweep("2026-02-01", revisit(f"{A}/1"), revisit(f"{A}/3", of=f"{A}/1")).same


def test_a_revisit_that_came_before_what_it_refers_to_is_right_when_it_is_swept_again(tmp_path):
    pytest.importorskip("fastwarc")
    page, again = response(f"{A}/1", "200 OK", prose(1)), revisit(f"{A}/1", when="2026-01-01T00:00:00Z")
    (tmp_path / "1.warc").write_bytes(page + response(f"{A}/2", "200 OK", prose(2)))
    (tmp_path / "2.warc").write_bytes(again + response(f"{A}/2", "200 OK", prose(2)))
    for name, order in (("usual", "12"), ("late", "212")):
        with copysift.Index(tmp_path / name) as index:
            told = [
                index.sweep(tmp_path / f"{number}.warc", date=f"2026-0{number}-01", overwrite=True).skipped
                for number in order
            ]
            assert not told[-1]
            assert name == "usual" or "--overwrite" in told[0][0].reason
            assert index.locate(f"{A}/1").status == "here"
    assert state(tmp_path / "late") == state(tmp_path / "usual")


def test_contents_that_lost_their_fingerprints_are_read_when_they_come_again(tmp_path):
    pages = [("a", prose(1, 600)), ("b", prose(2, 600)), ("c", prose(1, 600))]
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(pages, date="2026-01-01")
    usual = state(tmp_path / "x.sift")
    for path in (tmp_path / "x.sift" / "postings").iterdir():
        path.unlink()
    with copysift.Index(tmp_path / "x.sift") as index:
        damages, lost = index.check(repair=True)
        assert (len(damages) > 0, {each.name for each in lost}) == (True, {"a", "b", "c"})
        assert not list(index.query(prose(1, 600), text=True, threshold=0.9))
        done = index.sweep(pages, date="2026-02-01")
        assert (done.new, done.changed, done.unchanged, done.sketched) == (0, 0, 3, 2)
        assert {hit.right for hit in index.query(prose(1, 600), text=True, threshold=0.9)} == {"a", "c"}
        assert index.check() == ([], [])
        assert len(index.history("a").versions) == 1
    times, versions, _, _ = state(tmp_path / "x.sift")
    assert (versions, len(times)) == (usual[1], 2)
