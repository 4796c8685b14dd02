import dataclasses
import gc
import os

import numpy as np
import pytest

import copysift
from copysift.errors import InputError, StoreError, UsageError
from copysift.workflows.stored_settings import Places
from tests.cli.program import write
from tests.cli.texts import prose


def names(hits):
    return [hit.right for hit in hits]


def test_an_index_answers_who_shares_how_much_with_a_file(here):
    write(here, {"a.txt": prose(1), "b.txt": prose(1) + prose(2), "c.txt": prose(3)})
    with copysift.Index("x.sift") as index:
        index.add(["a.txt", "b.txt", "c.txt"])
        equal, part = index.query("a.txt")
        assert (equal.right, equal.equal, equal.resemblance, equal.containment_left) == (
            "a.txt",
            True,
            1.0,
            1.0,
        )
        assert (part.right, part.equal) == ("b.txt", False)
        assert 0.9 < part.containment_left <= 1
        assert 0.4 < part.containment_right < 0.6
        assert 0.4 < part.resemblance < 0.6
        assert part.left == "a.txt"
        assert part.bytes == (here / "b.txt").stat().st_size
        whole = copysift.fingerprint(prose(1))
        assert part.shared >= 0.9 * len(np.unique(whole.hashes))


def test_the_measures_are_those_of_a_scan(here):
    write(here, {"a.txt": prose(1) + prose(4), "b.txt": prose(1) + prose(2)})
    (pair,) = copysift.scan(".", threshold=0.01).pairs
    with copysift.Index("x.sift") as index:
        index.add("b.txt")
        (hit,) = index.query("a.txt", threshold=0.01)
    for name in ("resemblance", "containment_left", "containment_right", "shared"):
        assert getattr(hit, name) == pytest.approx(getattr(pair, name))


def test_the_percentage_of_sif_counts_occurrences_and_may_pass_100(here):
    with copysift.Index("x.sift") as index:
        index.add([("twice", prose(1) + prose(5) + prose(1)), ("once", prose(1) + prose(5))])
        twice, once = index.query(prose(1), text=True)
    assert twice.right == "twice"
    assert twice.sif > 1.8  # "this ratio can be greater than 1", says the paper (section 3); no other can
    assert all(
        0 <= share <= 1
        for hit in (twice, once)
        for share in (hit.containment_left, hit.containment_right, hit.resemblance)
    )
    assert once.sif <= 1


def test_equal_files_are_known_by_their_checksum_however_short(here):
    write(here, {"tiny": "x", "same": "x", "other": "y"})
    with copysift.Index("x.sift") as index:
        index.add(["tiny", "other"])
        (hit,) = index.query("same")
        assert (hit.right, hit.equal) == ("tiny", True)


def test_a_quarter_is_enough_unless_a_threshold_is_given(here):
    with copysift.Index("x.sift") as index:
        index.add([("third", prose(1)[:260] + prose(2))])
        assert names(index.query(prose(1), text=True)) == []
        assert names(index.query(prose(1), text=True, threshold="15%")) == ["third"]
        assert names(index.query(prose(1), text=True, measure="shared")) == ["third"]
        assert names(index.query(prose(1), text=True, measure="shared", threshold=500)) == []
        with pytest.raises(UsageError, match="between 0 and 1"):
            index.query(prose(1), text=True, threshold=3)


def test_the_measure_decides_which_direction_counts(here):
    with copysift.Index("x.sift") as index:
        index.add([("small", prose(1)), ("large", "".join(map(prose, range(1, 6))))])
        question = prose(1) + prose(2)
        assert names(index.query(question, text=True, threshold=0.9)) == ["large"]
        right = index.query(question, text=True, threshold=0.9, measure="containment-right")
        assert names(right) == ["small"]
        assert sorted(names(index.query(question, text=True, threshold=0.9, measure="containment"))) == [
            "large",
            "small",
        ]
        assert names(index.query(question, text=True, threshold=0.4, measure="resemblance", limit=1)) == [
            "small"
        ]


def test_a_coarser_window_looks_up_fewer_and_estimates_the_same(here):
    with copysift.Index("x.sift") as index:
        index.add([("a", prose(1, 900) + prose(2, 900))])
        (fine,) = index.query(prose(1, 900), text=True)
        (coarse,) = index.query(prose(1, 900), text=True, window=100)
        assert coarse.shared < fine.shared / 2
        for name in ("containment_left", "containment_right", "resemblance"):
            assert getattr(coarse, name) == pytest.approx(getattr(fine, name), abs=0.1)
        with pytest.raises(
            UsageError, match="window is 20, but the index was created with windows of 26 for text"
        ):
            index.query(prose(1), text=True, window=20)
    with copysift.Index("mod.sift", scheme="mod") as index:
        index.add([("a", prose(1))])
        with pytest.raises(UsageError, match="created with mod"):
            index.query(prose(1), text=True, window=50)


@pytest.mark.parametrize("scheme", ["robust", "open-closed", "mod"])
def test_quick_looks_up_the_smallest_only(here, scheme):
    with copysift.Index("x.sift", scheme=scheme) as index:
        index.add([("a", prose(1, 900)), ("b", prose(2, 900))])
        (hit,) = index.query(prose(1, 900) + prose(3, 100), text=True, quick=20)
        assert hit.right == "a"
        assert 10 < hit.shared <= 20
        assert hit.containment_left == hit.shared / 20
        (all_,) = index.query(prose(1, 900) + prose(3, 100), text=True, quick=10**6)
        (plain,) = index.query(prose(1, 900) + prose(3, 100), text=True)
        assert all_ == plain


def test_passages_are_exact_where_the_file_is_the_same(here):
    write(here, {"a.txt": prose(2) + prose(1) + prose(3)})
    with copysift.Index("x.sift") as index:
        index.add("a.txt")
        (hit,) = index.query(("head " * 9 + "\n" + prose(1)).encode(), passages=True)
        assert len(hit.regions) == 1
        (region,) = hit.regions
        text = (here / "a.txt").read_text()
        assert text[region.right.start : region.right.end].strip() == prose(1).strip()
        assert (region.right.first_line, region.right.last_line) == (11, 20)
        assert (region.left.first_line, region.left.last_line) == (2, 11)
        assert hit.longest == region.length


@pytest.mark.parametrize("gone", ["removed", "changed"])
def test_kept_texts_show_passages_when_the_file_is_gone(here, gone):
    write(here, {"a.txt": prose(2) + prose(1) + prose(3)})
    with copysift.Index("x.sift", keep_text=True) as index:
        index.add("a.txt")
        (before,) = index.query(prose(1), text=True, passages=True)
    (here / "a.txt").unlink()
    if gone == "changed":
        write(here, {"a.txt": prose(9)})
    with copysift.Index("x.sift") as index:
        (after,) = index.query(prose(1), text=True, passages=True)
    assert after == before


def test_without_kept_texts_the_spans_of_fingerprints_show_where_it_stood(here):
    write(here, {"a.txt": prose(2) + prose(1) + prose(3)})
    with copysift.Index("x.sift") as index:
        index.add("a.txt")
        (exact,) = index.query(prose(1), text=True, passages=True)
        (here / "a.txt").unlink()
        (hit,) = index.query(prose(1), text=True, passages=True)
    (whole,) = exact.regions
    covered = sum(region.right.end - region.right.start for region in hit.regions)
    assert 0.9 < covered / (whole.right.end - whole.right.start) <= 1
    for region in hit.regions:
        assert whole.right.start <= region.right.start < region.right.end <= whole.right.end
        assert region.right.first_line == 0  # not known without the text
        assert region.left.first_line >= 1


def test_documents_come_as_pairs_mappings_or_values(here):
    data = prose(3).encode()
    value = copysift.Document.of("value", data, kind="text")
    with copysift.Index("x.sift") as index:
        done = index.add(iter([("pair", prose(1)), {"id": "map", "text": prose(2)}, value]))
        assert done.added == 3
        assert [each.name for each in index.documents()] == ["pair", "map", "value"]
        assert names(index.query(prose(2), text=True)) == ["map"]
        assert index.add([("pair", prose(9))]).changed == 1
        assert names(index.query(prose(1), text=True)) == []
        assert names(index.query(prose(9), text=True)) == ["pair"]
        with pytest.raises(UsageError, match="no name"):
            index.add([{"text": "nameless"}])


def test_documents_may_be_removed_while_they_are_listed(here):
    with copysift.Index("x.sift") as index:
        index.add((f"page {number}", prose(number)) for number in range(4))
        for document in index.documents():
            index.remove(document.name)
        assert list(index.documents()) == []


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_an_iterator_may_be_left_unfinished(here):
    with copysift.Index("x.sift") as index:
        index.add((f"page {number}", prose(number)) for number in range(4))
        listed = index.documents()
        assert next(listed).name == "page 0"
    del listed
    gc.collect()


def test_the_index_does_not_index_itself(here):
    write(here, {"a.txt": prose(1)})
    with copysift.Index("x.sift") as index:
        index.add(".")
        index.add(".")
        assert [each.name for each in index.documents()] == ["a.txt"]


def test_other_settings_are_refused_with_a_message_that_shows_both(here):
    write(here, {"a.txt": prose(1)})
    with copysift.Index("x.sift", noise=20, guarantee=40) as index:
        index.add("a.txt")
    with pytest.raises(StoreError) as caught:
        copysift.Index("x.sift", noise=21, scheme="mod")
    assert caught.value.message == (
        "x.sift was created with --noise 20, --scheme open-closed; you gave --noise 21, --scheme mod"
    )
    with copysift.Index("x.sift", noise="20") as index:
        assert index.settings.guarantee == 40
        assert index.info()["settings"]["noise"] == 20
    with pytest.raises(UsageError, match="created without keep_text"):
        copysift.Index("x.sift", keep_text=True)


def test_thresholds_by_kind_that_have_changed_since_are_refused(here, monkeypatch):
    from copysift.model.traits import Thresholds, default_thresholds
    from copysift.workflows import stored_settings

    with copysift.Index("x.sift") as index:
        index.add([("a", prose(1))])
    with copysift.Index("own.sift", noise=20, guarantee=40) as index:
        index.add([("a", prose(1))])
    changed = {**default_thresholds(), "text": Thresholds(30, 60)}
    monkeypatch.setattr(stored_settings, "default_thresholds", lambda: changed)
    with pytest.raises(StoreError, match="made with thresholds 25 / 50 for text, and they are now 30 / 60"):
        copysift.Index("x.sift")
    copysift.Index("own.sift").close()


def test_a_seed_is_needed_but_never_stored(here):
    secret = 0x1234_5678_9ABC_DEF0
    with copysift.Index("x.sift", seed=secret) as index:
        index.add([("a", prose(1))])
        assert names(index.query(prose(1), text=True)) == ["a"]
    for path in here.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert secret.to_bytes(8, "little") not in content
            assert secret.to_bytes(8, "big") not in content
            assert str(secret).encode() not in content
    with copysift.Index("x.sift") as index:
        assert len(list(index.documents())) == 1  # looking after it needs no seed
        with pytest.raises(StoreError, match="was created with a secret seed"):
            index.query(prose(1), text=True)
        with pytest.raises(StoreError, match="was created with a secret seed"):
            index.add([("b", prose(2))])
    with pytest.raises(StoreError, match="wrong seed"):
        copysift.Index("x.sift", seed=5)
    with copysift.Index("plain.sift") as index:
        index.add([("a", prose(1))])
    with pytest.raises(StoreError, match="without a seed"):
        copysift.Index("plain.sift", seed=5)


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod", "anchor"])
def test_schemes_that_cannot_be_looked_up_are_refused_before_anything_is_made(here, scheme):
    with pytest.raises(UsageError):
        copysift.Index("x.sift", scheme=scheme)
    assert not (here / "x.sift").exists()


@pytest.mark.parametrize("scheme", ["winnow", "open-closed", "mod", "safe-mod", "all"])
def test_the_other_schemes_find_a_copy(here, scheme):
    with copysift.Index("x.sift", scheme=scheme) as index:
        index.add([("a", prose(1)), ("b", prose(2))])
        assert names(index.query(prose(1) + prose(3)[:200], text=True)) == ["a"]


def test_all_pairs_come_from_the_index_alone(here):
    write(here, {"a.txt": prose(1), "b.txt": prose(1) + prose(2), "c.txt": prose(3), "copy.txt": prose(1)})
    with copysift.Index("x.sift") as index:
        index.add(["a.txt", "b.txt", "c.txt", "copy.txt"])
        expected = copysift.scan(["a.txt", "b.txt", "c.txt", "copy.txt"])
        assert index.scan() == dataclasses.replace(expected, settings=index.scan().settings)
        for path in here.glob("*.txt"):
            path.unlink()
        assert tuple(index.pairs()) == expected.pairs
        assert tuple(index.pairs(threshold=1.0, measure="resemblance")) == expected.pairs[:1]


def test_pairs_leave_removed_documents_out_and_match_exactly_when_asked(here):
    write(here, {"a.txt": prose(1), "b.txt": prose(1) + prose(2), "c.txt": prose(1) + prose(3)})
    with copysift.Index("x.sift", keep_text=True) as index:
        index.add(["a.txt", "b.txt", "c.txt"])
        index.remove("b.txt")
        (here / "a.txt").unlink()
        (pair,) = index.pairs(regions=True)
        assert (pair.left, pair.right, len(pair.regions)) == ("a.txt", "c.txt", 1)


def test_an_index_and_its_files_may_move_together(here, monkeypatch):
    write(here, {"one/a.txt": prose(1)})
    monkeypatch.chdir(here / "one")
    with copysift.Index("x.sift") as index:
        index.add("a.txt")
    (here / "one").rename(here / "two")
    monkeypatch.chdir(here)
    with copysift.Index("two/x.sift") as index:
        (hit,) = index.query(prose(1) + prose(4)[:60], text=True, passages=True)
        assert hit.right == "two/a.txt"
        assert hit.lines
        assert index.update().unchanged == 1


def test_files_outside_the_folder_of_the_index_are_known_by_their_whole_path(here):
    places = Places(here / "deep" / "x.sift")
    assert places.stored(str(here / "a.txt")) == str(here / "a.txt")
    assert places.stored(str(here / "deep" / "b.txt")) == "b.txt"
    assert places.located("b.txt") == str(here / "deep" / "b.txt")


def test_files_that_cannot_be_read_are_named_and_the_rest_goes_on(here):
    write(here, {"a.txt": prose(1)})
    os.mkfifo(here / "pipe")
    with copysift.Index("x.sift") as index:
        done = index.add(["a.txt", "none.txt", "pipe"])
        assert done.added == 1
        assert [each.name for each in done.skipped] == ["none.txt", "pipe"]
        with pytest.raises(InputError, match="no such file"):
            index.query("none.txt")


def test_a_document_becomes_visible_with_its_add_and_not_before(here):
    with copysift.Index("x.sift") as index:
        index.add([("a", prose(1))])
        with copysift.Index("x.sift") as reader:
            assert names(reader.query(prose(2), text=True)) == []
            index.add([("b", prose(2))])
            assert names(reader.query(prose(2), text=True)) == []  # one snapshot
            reader.refresh()
            assert names(reader.query(prose(2), text=True)) == ["b"]


def test_asking_an_index_makes_none(here):
    with copysift.Index("x.sift") as index, pytest.raises(StoreError, match="is not an index"):
        index.query(prose(1), text=True)
    assert not (here / "x.sift").exists()
