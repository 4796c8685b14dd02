"""A document that moves more than once is one document: its addresses are told from each of them."""

import pytest

import copysift
from copysift.report import sweeps, timeline
from copysift.report.view import View
from tests.cli.texts import prose
from tests.sweeps import web

FIRST = prose(1, 300)
SECOND = web.edited(FIRST, 0.1, 1)
THIRD = web.edited(SECOND, 0.1, 2)
STAYS = [
    ("a/x", "2026-01-01", "2026-01-01"),
    ("b/x", "2026-01-02", "2026-01-03"),
    ("c/x", "2026-01-04", "2026-01-04"),
]
OTHER = ("other", prose(9, 300))


@pytest.fixture
def index(tmp_path):
    """A page that moves twice, is edited as it moves, and dies."""
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as made:
        pages = [("a/x", FIRST)], [("b/x", FIRST)], [("b/x", SECOND)], [("c/x", THIRD)], [], [("d", prose(5))]
        for day, met in enumerate(pages, 1):
            made.sweep([*met, OTHER], date=f"2026-01-0{day}")
        yield made


@pytest.mark.parametrize("uri", ["a/x", "b/x", "c/x"])
def test_what_moved_and_died_is_dated_by_its_last_address(index, uri):
    found = index.locate(uri)
    assert (found.status, found.gone_since, found.seen) == ("gone", "2026-01-05", "2026-01-04")
    assert [(each.uri, each.first, each.last) for each in found.addresses] == STAYS
    assert found.seen_at == ("" if uri == "c/x" else "c/x")
    told = sweeps.located(found, View())
    assert ("last seen on 2026-01-04 at c/x" in told) == (uri != "c/x")
    page = timeline.body(found, index.history(uri), index.sweeps())
    assert all(f">{name}</text>" in page for name, *_ in STAYS)


def test_the_end_of_a_move_knows_where_it_came_from(index):
    index.sweep([OTHER, ("d", prose(5)), ("e", THIRD)], date="2026-01-07")
    index.sweep([OTHER, ("d", prose(5)), ("f", THIRD)], date="2026-01-08")
    found = index.locate("f")
    assert (found.status, found.now.uri, found.gone_since) == ("here", "f", "")
    assert [each.uri for each in found.addresses] == ["c/x", "e", "f"]  # it was nowhere in between
    assert index.locate("a/x").now.uri == "f"


def test_a_page_beside_which_another_one_came_has_not_moved(tmp_path):
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("a", FIRST), ("b", FIRST)], date="2026-01-01")
        index.sweep([("a", FIRST), ("c", web.edited(FIRST, 0.1, 5))], date="2026-01-02")
        index.sweep([("c", web.edited(FIRST, 0.1, 5))], date="2026-01-03")
        assert [each.uri for each in index.locate("c").addresses] == ["b", "c"]
