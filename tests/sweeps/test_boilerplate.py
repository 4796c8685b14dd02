"""What pages of a site share is boilerplate: it is no evidence that one is a version of another."""

import pytest

import copysift
from copysift.errors import UsageError
from tests.cli.texts import prose
from tests.sweeps.site import AFTER, BEFORE, GONE, PAGES, SITE, page, site
from tests.sweeps.web import edited


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    path = tmp_path_factory.mktemp("site") / "x.sift"
    before, after, _, _ = site()
    with copysift.Index(path) as index:
        index.sweep(before.items(), date=BEFORE)
        done = index.sweep(after.items(), date=AFTER)
        yield index, done


def test_a_page_that_is_gone_is_not_found_at_a_stranger(swept):
    index, _ = swept
    places = [index.locate(uri).now for uri in site()[2]]
    assert [place for place in places if place is not None] == []
    assert len(places) == GONE


def test_a_page_that_moved_and_was_edited_is_found(swept):
    index, _ = swept
    _, _, _, went = site()
    found = {uri: index.locate(uri) for uri in went}
    assert {uri: each.now and each.now.uri for uri, each in found.items()} == went
    assert {each.status for each in found.values()} == {"moved"}


def test_every_living_page_is_found_and_says_what_was_ignored(swept):
    index, _ = swept
    before, after, _, _ = site()
    living = [uri for uri in before if uri in after]
    assert {index.locate(uri).status for uri in living} == {"here"}
    assert 0.3 < index.locate(living[0]).ignored < 1
    assert len(living) + GONE + len(site()[3]) == PAGES


def test_a_page_from_outside_is_found_by_its_text_alone(swept):
    index, _ = swept
    navigation = prose(1, 400)
    assert index.seen(page(prose(9000, 80), navigation), text=True).status == "unseen"
    (uri, to), *_ = site()[3].items()
    assert index.seen(site()[0][uri] + "and a few words more", text=True).now.uri == to


def test_a_sweep_says_what_it_ignored(swept):
    _, done = swept
    assert done.ignored.limit == 10
    assert done.ignored.fingerprints > 100
    assert done.ignored.documents == len(site()[1])
    assert done.ignored.bare == 0
    assert 0.3 < done.ignored.share < 1


def test_near_copies_of_one_page_are_related_although_all_they_have_is_common(tmp_path):
    text = prose(3, 400)
    copies = {f"http://mirror{number}.example/": edited(text, 0.004, number) for number in range(60)}
    with copysift.Index(tmp_path / "x.sift") as index:
        done = index.sweep(copies.items(), date=BEFORE)
        assert done.ignored.bare == 60
        moved = dict(list(copies.items())[1:])
        moved["http://elsewhere.example/"] = edited(copies["http://mirror0.example/"], 0.004, 99)
        index.sweep(moved.items(), date=AFTER)
        found = index.locate("http://mirror0.example/")
        assert found.now.confidence > 0.7
        assert len(found.copies) > 20
        assert found.cluster == 61


def test_near_copies_below_a_template_are_related_and_its_pages_are_not(tmp_path):
    before, _, _, _ = site()
    text = prose(4, 300)
    copies = {
        f"{SITE}/copy/{number}": page(edited(text, 0.004, number), prose(1, 400)) for number in range(40)
    }
    stubs = {f"{SITE}/stub/{number}": page("", prose(1, 400)) + f"{number}" for number in range(3)}
    with copysift.Index(tmp_path / "x.sift") as index:
        done = index.sweep((before | copies | stubs).items(), date=BEFORE)
        assert done.ignored.bare == 43
        rest = dict(list(before.items())[1:]) | dict(list(copies.items())[1:]) | dict(list(stubs.items())[1:])
        index.sweep(rest.items(), date=AFTER)
        copy, stub = index.locate(f"{SITE}/copy/0"), index.locate(f"{SITE}/stub/0")
        assert {place.uri.rsplit("/", 1)[0] for place in (copy.now, *copy.copies)} == {f"{SITE}/copy"}
        assert stub.now is None, "a page that is nothing but a template is no version of others"
        assert index.locate(f"{SITE}/a/0").now is None


def test_what_becomes_boilerplate_later_is_left_out_of_older_pairs_too(tmp_path):
    before, after, _, _ = site()
    few = dict(list(before.items())[:8])
    with copysift.Index(tmp_path / "x.sift") as index, copysift.Index(tmp_path / "y.sift") as other:
        assert index.sweep(few.items(), date="2025-12-01").ignored is None
        assert index.locate(f"{SITE}/a/0").copies, "eight pages do not show what is a template"
        index.sweep(before.items(), date=BEFORE)
        assert index.locate(f"{SITE}/a/0").copies == ()
        assert index.locate(f"{SITE}/a/0").cluster == 1
        index.sweep(after.items(), date=AFTER)
        other.sweep(before.items(), date=BEFORE)  # the same sweeps in another order
        other.sweep(after.items(), date=AFTER)
        other.sweep(few.items(), date="2025-12-01")
        for uri in before:
            assert index.locate(uri) == other.locate(uri)


def test_another_number_relates_all_sweeps_again(tmp_path):
    before, after, gone, _ = site()
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(before.items(), date=BEFORE, max_shared=1000)
        index.sweep(after.items(), date=AFTER)
        assert any(index.locate(uri).now for uri in gone), "the number of the sweep before is kept"
        assert index.sweep(after.items(), date=AFTER, max_shared="20%").ignored.limit == 22
        assert not any(index.locate(uri).now for uri in gone)
        with pytest.raises(UsageError, match="at least 2"):
            index.sweep(after.items(), date=AFTER, max_shared=1)


def test_a_page_with_many_versions_is_no_boilerplate(tmp_path):
    text = prose(5, 300)
    versions = [edited(text, 0.01, number) for number in range(25)]
    with copysift.Index(tmp_path / "x.sift") as index:
        for number, version in enumerate(versions):
            uri = f"{SITE}/{number // 5}"  # it moves, too
            done = index.sweep(
                [(uri, version), (f"{SITE}/other", prose(6, 50))], date=f"2026-01-{number + 1:02}"
            )
        assert done.ignored is None
        assert index.locate(f"{SITE}/0").now.uri == f"{SITE}/4"
