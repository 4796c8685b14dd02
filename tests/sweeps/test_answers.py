"""Five sweeps of a small web in which everything that happens is known: every answer is checked."""

import pytest

import copysift
from copysift.errors import InputError, UsageError
from copysift.model.sweeps import Lost
from tests.cli.texts import prose
from tests.sweeps import web
from tests.sweeps.web import DATES, A, B, sweeps

D1, D2, D3, D4, D5 = DATES


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "x.sift"
    with copysift.Index(path, keep_text=True) as made:
        for date, pages in zip(DATES, sweeps(), strict=True):
            made.sweep(pages.items(), date=date)
        yield made


# address → status, where it is now, how that is known, gone since, further copies
PLACES = {
    f"{A}/stay": ("here", f"{A}/stay", "here", "", [f"{B}/mirror"]),
    f"{A}/edit": ("here", f"{A}/edit", "here", "", []),
    f"{A}/old/guide": ("moved", f"{A}/new/guide", "same", D3, []),
    f"{A}/new/guide": ("here", f"{A}/new/guide", "here", "", []),
    f"{A}/paper": ("moved", f"{B}/paper", "resembles", D2, []),
    f"{B}/paper": ("here", f"{B}/paper", "here", "", []),
    f"{A}/news": ("moved", f"{B}/archive/news", "resembles", D4, []),
    f"{B}/archive/news": ("here", f"{B}/archive/news", "here", "", []),
    f"{A}/dead": ("gone", None, None, D3, []),
    f"{A}/long": ("moved", f"{A}/long-1", "resembles", D3, [f"{A}/long-2"]),
    f"{A}/long-1": ("here", f"{A}/long-1", "here", "", []),
    f"{A}/long-2": ("here", f"{A}/long-2", "here", "", []),
    f"{A}/one": ("moved", f"{A}/both", "within", D4, []),
    f"{A}/two": ("moved", f"{A}/both", "resembles", D4, []),
    f"{A}/both": ("here", f"{A}/both", "here", "", []),
    f"{A}/returns": ("here", f"{A}/returns", "here", "", []),
    f"{B}/mirror": ("here", f"{B}/mirror", "here", "", [f"{A}/stay"]),
    f"{B}/late": ("here", f"{B}/late", "here", "", []),
}


def test_every_address_is_known():
    assert set(PLACES) == {uri for pages in sweeps() for uri in pages}


@pytest.mark.parametrize("uri", PLACES)
def test_locate_finds_every_document(index, uri):
    status, now, relation, gone, copies = PLACES[uri]
    found = index.locate(uri)
    assert (found.status, found.gone_since, found.as_of) == (status, gone, D5)
    assert (found.now and found.now.uri, found.now and found.now.relation) == (now, relation)
    assert [copy.uri for copy in found.copies] == copies


def test_locate_is_as_sure_as_the_contents_are_alike(index):
    assert index.locate(f"{A}/old/guide").now.confidence == 1
    assert 0.75 < index.locate(f"{A}/paper").now.confidence < 0.95
    assert index.locate(f"{A}/one").now.confidence == 1
    assert index.locate(f"{A}/news", threshold="95%").status == "gone"


def test_locate_tells_the_addresses_and_dates(index):
    stays = index.locate(f"{A}/paper").addresses
    assert [(each.uri, each.first, each.last, each.alive) for each in stays] == [
        (f"{A}/paper", D1, D1, False), (f"{B}/paper", D2, D5, True),
    ]  # fmt: skip
    stays = index.locate(f"{A}/returns").addresses
    assert [(each.first, each.last, each.alive) for each in stays] == [(D1, D2, False), (D4, D5, True)]


def test_a_page_that_drifted_is_found_by_the_versions_in_between(tmp_path):
    texts = [prose(1, 300)]
    for number in range(5):
        texts.append(web.edited(texts[-1], 0.2, 100 + number))
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("a", texts[0])], date="2026-01-01")
        for day, text in enumerate(texts, 2):
            index.sweep([("b", text)], date=f"2026-01-{day:02}")
        found = index.locate("a")
        assert found.now.uri == "b"
        assert found.now.steps > 1
        assert found.now.confidence < 0.5


def test_has_anyone_seen_this(index, tmp_path):
    (tmp_path / "guide.txt").write_text(web.GUIDE)
    found = index.seen(tmp_path / "guide.txt")
    assert (found.status, found.now.uri, found.now.relation) == ("found", f"{A}/new/guide", "same")
    assert [each.uri for each in found.addresses] == [f"{A}/old/guide", f"{A}/new/guide"]
    found = index.seen(web.DEAD, text=True)
    assert (found.status, found.gone_since, found.seen) == ("gone", D3, D2)
    found = index.seen(web.edited(web.LATE, 0.1, 9), text=True)
    assert (found.status, found.now.uri, found.now.relation) == ("found", f"{B}/late", "resembles")
    assert index.seen(prose(77), text=True).status == "unseen"


def test_history_has_every_version(index):
    found = index.history(f"{A}/edit", diff=True)
    first, second, third = found.versions
    assert [(each.first, each.last) for each in found.versions] == [(D1, D1), (D2, D3), (D4, D5)]
    assert [each.alive for each in found.versions] == [False, False, True]
    assert (first.to_previous, first.to_first, first.changes) == (None, None, None)
    assert second.to_previous == second.to_first
    assert 0.8 < second.to_previous < 1
    assert 0.4 < third.to_previous < 0.7
    assert 0.4 < third.to_first < 0.7
    assert found.gone_since == ""
    (passage,) = third.changes
    assert passage.before == tuple(web.EDIT_2.splitlines())
    assert passage.after == tuple(web.EDIT_4.splitlines())
    gone = index.history(f"{A}/dead")
    assert (len(gone.versions), gone.gone_since) == (1, D3)
    assert [each.first for each in index.history(f"{A}/returns").versions] == [D1, D4]


def test_history_of_what_shares_nothing_is_nought(tmp_path):
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("a", prose(1))], date="2026-01-01")
        index.sweep([("a", prose(2))], date="2026-01-02")
        assert index.history("a").versions[1].to_previous == 0
        with pytest.raises(InputError, match="stores no texts"):
            index.history("a", diff=True)


def test_changes_count_everything(index):
    found = index.changes()
    rows = [
        (turn.after, turn.documents, turn.appeared, turn.died, turn.between_hosts, turn.between_folders,
         turn.renamed, turn.changed, turn.unchanged)
        for turn in found.turns
    ]  # fmt: skip
    assert rows == [
        (D2, 11, 1, 0, 1, 0, 0, 1, 8),  # mirror; paper; edit
        (D3, 10, 1, 2, 0, 1, 1, 0, 7),  # long-2; dead, returns; guide; long as long-1
        (D4, 10, 1, 1, 1, 0, 1, 2, 5),  # returns; one; news; two as both; edit, paper
        (D5, 11, 1, 0, 0, 0, 0, 0, 10),  # late
    ]
    moves = {(each.date, each.uri, each.to, each.kind) for each in found.moves}
    assert moves == {
        (D2, f"{A}/paper", f"{B}/paper", "hosts"), (D3, f"{A}/old/guide", f"{A}/new/guide", "folders"),
        (D3, f"{A}/long", f"{A}/long-1", "name"), (D4, f"{A}/news", f"{B}/archive/news", "hosts"),
        (D4, f"{A}/two", f"{A}/both", "name"),
    }  # fmt: skip
    assert found.resemblances == (0, 0, 0, 0, 0, 1, 0, 1, 1, 0)
    lives = [(each.sweeps, each.died, each.alive) for each in found.lives]
    # dead and returns ended after 2 sweeps, one after 3; 7 live from the start on
    assert lives == [(1, 0, 1), (2, 2, 1), (3, 1, 1), (4, 0, 1), (5, 0, 7)]
    assert found.days_lived == pytest.approx((31 + 31 + 59) / 3)


def test_changes_of_some_sweeps(index):
    (turn,) = index.changes(since=D1, until=D2).turns
    assert (turn.before, turn.after, turn.changed) == (D1, D2, 1)
    (turn,) = index.changes(since="2026-04-15").turns or [None]
    assert turn is None
    with pytest.raises(UsageError, match="no sweep between"):
        index.changes(since="2027-01-01")


def test_a_threshold_below_what_is_kept_is_refused(index):
    for ask in (index.changes, lambda **asked: index.locate(f"{A}/stay", **asked)):
        with pytest.raises(UsageError, match="stores only pairs of at least 30%"):
            ask(threshold="10%")


def test_a_file_is_asked_for_at_any_threshold(index):
    little = web.LATE[: len(web.LATE) // 10] + prose(900, 250)
    assert index.seen(little, text=True).status == "unseen"
    found = index.seen(little, text=True, threshold="5%")
    assert (found.status, found.now.uri) == ("found", f"{B}/late")


def test_holders_are_all_who_have_it(index):
    found = index.copies(web.STAY, text=True)
    (holder,) = found.holders
    assert (found.original, found.as_of, found.before) == (f"{A}/stay", D5, D4)
    assert (holder.uri, holder.group, holder.state, holder.share) == (
        f"{B}/mirror",
        "b.example",
        "identical",
        1,
    )
    assert (holder.since, holder.version, holder.new) == (D2, 1, False)
    (holder,) = index.copies(web.ONE, text=True).holders
    assert (holder.uri, holder.state, holder.share) == (f"{A}/both", "whole", 1)
    found = index.copies(web.NEWS, text=True)
    (holder,) = found.holders
    assert (holder.uri, holder.state) == (f"{B}/archive/news", "altered")
    (where,) = holder.alterations
    removed = set(web.NEWS.split()) - set(web.NEWS_4.split())
    assert removed
    assert removed <= set(where.before.split())
    lines = web.NEWS.splitlines()
    assert where.before.splitlines()[0] in lines[where.first_line - 1]
    assert where.before.splitlines()[-1] in lines[where.last_line - 1]
    assert not index.copies(prose(78), text=True).holders


def test_holders_of_part_and_their_versions(tmp_path):
    licence = prose(1, 200)
    second = licence.replace(licence.splitlines()[8], prose(500, 12).strip())
    pages = {
        "http://o/licence": licence, "http://x/all": prose(3, 50) + licence + prose(4, 50),
        "http://y/half": prose(5, 50) + licence[: len(licence) // 2],
        "http://z/none": prose(6, 200),
    }  # fmt: skip
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as index:
        index.sweep(pages.items(), date="2026-01-01")
        pages |= {"http://o/licence": second, "http://y/new": second + prose(7, 5)}
        index.sweep(pages.items(), date="2026-02-01")
        found = index.copies(second, text=True)
        told = {each.uri: (each.state, each.version, each.since, each.new) for each in found.holders}
        assert told == {
            "http://x/all": ("altered", 1, "2026-01-01", False),
            "http://y/half": ("part", 1, "2026-01-01", False),
            "http://y/new": ("whole", 2, "2026-02-01", True),
        }
        assert [each.group for each in found.holders] == ["x", "y", "y"]
        watched = index.copies(second, text=True, watch=True)
        assert [each.uri for each in watched.holders] == ["http://y/new"]
        assert watched.lost == ()
        del pages["http://x/all"]
        index.sweep(pages.items(), date="2026-03-01")
        watched = index.copies_of("http://o/licence", watch=True)
        assert (watched.holders, watched.lost) == (
            (),
            (Lost("http://x/all", "x", gone_since="2026-03-01", last_seen="2026-02-01"),),
        )


@pytest.mark.parametrize(
    ("grouping", "groups"),
    [
        ("host", ["a.example", "docs/", "docs/", "."]),
        ("folder", ["http://a.example/x/", "docs/one/", "docs/one/two/", "."]),
        ("none", ["", "", "", ""]),
    ],
)
def test_holders_are_grouped_as_asked(tmp_path, grouping, groups):
    places = ["http://a.example/x/1", "docs/one/2", "docs/one/two/3", "4"]
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("original", web.ONE), *((place, web.ONE) for place in places)], date="2026-01-01")
        found = index.copies(web.ONE, text=True, group_by=grouping)
        told = {each.uri: each.group for each in found.holders}
        assert [told[place] for place in places] == groups


def test_holders_without_texts_say_so(tmp_path):
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("a", web.NEWS), ("b", web.NEWS_4)], date="2026-01-01")
        found = index.copies(web.NEWS, text=True)
        assert not found.kept
        assert [(each.uri, each.alterations) for each in found.holders] == [("b", None)]
        with pytest.raises(InputError, match="stores no texts"):
            index.copies_of("a")
