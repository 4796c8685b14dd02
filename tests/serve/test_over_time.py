"""The pages of a swept index: the timeline of a document, and the changes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest

import copysift
from tests.cli.texts import prose
from tests.serve.running import Server
from tests.sweeps.web import DATES, A, sweeps

ODD = "http://a.example/<script>alert(1)</script>"

BYTES = "http://a.example/caf\udce9"  # an address that is no UTF-8


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("swept")
    with copysift.Index(folder / "web.sift", keep_text=True) as index:
        for date, pages in zip(DATES, sweeps(), strict=True):
            more = [
                (ODD, f"<b>{prose(1)}</b> {date}"),
                (BYTES if date == DATES[0] else BYTES + "2", prose(90)),
            ]
            index.sweep([*pages.items(), *more], date=date)
    with copysift.Index(folder / "plain.sift") as index:
        index.add([("a", prose(1))])
    options = ("--index", str(folder / "web.sift"), "--index", str(folder / "plain.sift"))
    with Server(folder / "data", *options) as running:
        yield running


def test_the_page_of_an_index_leads_to_its_timeline(served: Server) -> None:
    status, page = served.ask("GET", "/indexes/web")
    assert (status, "/indexes/web/timeline" in page) == (200, True)
    status, page = served.ask("GET", "/indexes/plain")
    assert (status, "/timeline" in page) == (200, False)


def test_a_timeline_shows_addresses_versions_and_changes(served: Server) -> None:
    status, page = served.ask("GET", f"/indexes/web/timeline?uri={quote(A + '/paper', safe='')}")
    assert status == 200
    for words in ("http://b.example/paper", "gone since 2026-02-01", "<svg", "2026-02-01 to now"):
        assert words in page
    status, page = served.ask("GET", f"/indexes/web/timeline?uri={quote(A + '/edit', safe='')}")
    assert (status, page.count("<del>") > 1, "3 versions" in page) == (200, True, True)


def test_the_page_of_changes_has_charts_and_moves(served: Server) -> None:
    status, page = served.ask("GET", "/indexes/web/changes")
    assert (status, page.count("<svg"), f"{A}/new/guide" in page) == (200, 2, True)


def test_addresses_lead_to_their_timelines(served: Server) -> None:
    paper = 'href="/indexes/web/timeline?uri=http%3A%2F%2Fb.example%2Fpaper"'
    for path in ("/indexes/web/changes", f"/indexes/web/timeline?uri={quote(A + '/paper', safe='')}"):
        _, page = served.ask("GET", path)
        assert paper in page


def test_an_address_that_is_no_utf8_can_be_opened(served: Server) -> None:
    link = "/indexes/web/timeline?uri=http%3A%2F%2Fa.example%2Fcaf%E9"
    status, page = served.ask("GET", link)
    assert (status, "gone since 2026-02-01" in page, f'href="{link}2"' in page) == (200, True, True)
    status, page = served.ask("GET", f"{link}2")
    assert (status, "there on 2026-05-01" in page) == (200, True)
    status, page = served.ask("GET", f"{link}%FF")
    assert (status, "address never seen" in page) == (200, True)
    status, page = served.ask("GET", "/indexes/web/changes")
    assert f'href="{link}' in page


def test_without_an_address_the_sweeps_are_listed_but_not_their_sources(served: Server) -> None:
    status, page = served.ask("GET", "/indexes/web/timeline")
    assert (status, "5 sweeps" in page) == (200, True)
    assert all(date in page for date in DATES)


def test_names_and_texts_are_never_markup(served: Server) -> None:
    status, page = served.ask("GET", f"/indexes/web/timeline?uri={quote(ODD, safe='')}")
    assert status == 200
    assert "<script>alert" not in page
    assert "<b>" not in page


def test_what_is_not_there_is_said(served: Server) -> None:
    status, page = served.ask("GET", "/indexes/web/timeline?uri=%3Cnone%3E")
    assert (status, "&lt;none&gt;: address never seen" in page) == (200, True)
    assert served.ask("GET", "/indexes/none/changes")[0] == 404
    status, page = served.ask("GET", "/indexes/plain/changes")
    assert (status < 500, "plain has no sweeps" in page) == (True, True)
    assert str(served.data.parent) not in page
