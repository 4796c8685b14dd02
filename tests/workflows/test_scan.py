"""What scan promises beyond the command line: equal files, races, sketches, small collections."""

import dataclasses
import shutil

import numpy as np
import pytest

import copysift
from copysift.fingerprints.stream import mostly_distinct
from copysift.settings.comparison import Settings
from copysift.workflows.scan import Scan
from tests.cli.program import write
from tests.cli.texts import prose

A, B = prose(1), prose(2)


def names(pairs):
    return [(pair.left[-5:], pair.right[-5:]) for pair in pairs]


def test_five_versions_that_share_most_are_all_reported(tmp_path):
    write(tmp_path, {f"{n}.txt": A + prose(10 + n, words=50) for n in range(5)})
    assert len(copysift.scan(tmp_path).pairs) == 10


def test_equal_files_stand_once_by_the_first_of_them_and_have_one_pair_each(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A, "c.txt": A, "d.txt": A[:-100] + B[:50]})
    result = copysift.scan(tmp_path)
    assert names(result.pairs) == [("a.txt", "b.txt"), ("a.txt", "c.txt"), ("a.txt", "d.txt")]
    assert [pair.equal for pair in result.pairs] == [True, True, False]
    assert [len(members) for members in result.equal] == [3]
    assert [len(cluster.members) for cluster in result.clusters] == [4]
    assert len({document.fingerprints for document in result.documents[:3]}) == 1


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_first_of_equal_files_has_the_fingerprints_whichever_thread_was_first(tmp_path, jobs):
    write(tmp_path, {f"{n:03}.txt": A for n in range(200)} | {"other.txt": A + B})
    result = copysift.scan(tmp_path, jobs=jobs)
    assert len(result.pairs) == 200
    assert result.pairs[-1].left.endswith("000.txt")
    assert result.documents[0].fingerprints > 20


def test_equal_bytes_under_names_of_different_kinds_are_equal(tmp_path):
    write(tmp_path, {"a.html": A, "b.txt": A, "c.txt": A + B})
    result = copysift.scan(tmp_path)
    assert names(result.pairs) == [(".html", "b.txt"), (".html", "c.txt")]


def test_of_equal_files_of_different_kinds_the_first_is_the_one_that_counts(tmp_path):
    page = "".join(f"<p class=some-long-name-{n}>{line}</p>" for n, line in enumerate(A.splitlines()))
    write(tmp_path, {"a.html": page, "b.txt": page})
    alone = copysift.scan(tmp_path / "a.html").documents[0]
    assert [each.fingerprints for each in copysift.scan(tmp_path).documents] == [alone.fingerprints] * 2


def test_hard_links_are_one_file(tmp_path):
    write(tmp_path, {"a.txt": A})
    (tmp_path / "b.txt").hardlink_to(tmp_path / "a.txt")
    result = copysift.scan(tmp_path)
    assert (len(result.documents), result.equal) == (1, ())


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod"])
def test_sketches_estimate_what_all_k_grams_say(tmp_path, scheme):
    write(tmp_path, {"a.txt": prose(1, words=900), "b.txt": prose(1, words=900)[:2600] + prose(2, words=600)})
    exact = copysift.scan(tmp_path, scheme="all", threshold=0).pairs[0]
    estimate = copysift.scan(tmp_path, scheme=scheme, threshold=0, sketch=800).pairs[0]
    assert estimate.resemblance == pytest.approx(exact.resemblance, abs=0.05)
    assert estimate.containment_left == pytest.approx(exact.containment_left, abs=0.08)
    assert estimate.containment_right == pytest.approx(exact.containment_right, abs=0.08)


def test_adaptive_sketches_compare_a_small_and_a_large_document_at_the_coarser_level(tmp_path):
    write(tmp_path, {"large.txt": prose(1, words=20_000), "small.txt": prose(1, words=20_000)[:30_000]})
    pair = copysift.scan(tmp_path, scheme="adaptive-mod", sketch=400, threshold=0, min_shared=1).pairs[0]
    assert pair.containment_right == pytest.approx(1.0, abs=0.02)
    assert pair.containment_left < 0.4


def test_anchors_are_learned_from_the_files_when_none_are_given(tmp_path):
    write(tmp_path, {f"{n}.txt": prose(n, words=3000) for n in range(4)} | {"copy.txt": prose(1, words=2500)})
    found = copysift.scan(tmp_path, scheme="anchor")
    assert names(found.pairs) == [("1.txt", "y.txt")]


def test_memory_that_is_too_small_spills_to_disk_and_changes_nothing(tmp_path):
    write(tmp_path, {f"{n}.txt": prose(n % 7, words=4000) + prose(50 + n, words=500) for n in range(20)})
    settings = Settings(scheme="all", threshold=0.0)
    small = dataclasses.replace(settings, memory=16_000_000)
    assert Scan(small).run([tmp_path]) == Scan(settings).run([tmp_path])


def test_binary_files_are_not_treated_as_text_unless_told(tmp_path):
    data = bytes(range(256)) * 40
    write(tmp_path, {"a.bin": data, "b.bin": data + b"end", "c.txt": A})
    result = copysift.scan(tmp_path)
    assert [document.kind for document in result.documents] == ["bytes", "bytes", "text"]
    told = copysift.scan(tmp_path, kind="text")
    assert [document.kind for document in told.documents] == ["text", "text", "text"]


def test_a_large_file_has_the_kind_of_its_first_bytes(tmp_path):
    large = (A * (9_500_000 // len(A))).encode()
    write(tmp_path, {"a.bin": b"\0\1\2" + large, "b.txt": large, "c.txt": large.decode().encode("utf-16")})
    result = copysift.scan(tmp_path)
    assert [document.kind for document in result.documents] == ["bytes", "text", "text"]
    assert [pair.resemblance for pair in result.pairs] == [1.0]


def test_a_large_document_gives_repeated_hashes_once_and_others_as_they_are():
    same = [np.full(200_000, 7, np.uint64)] * 5
    assert [piece.tolist() for piece in mostly_distinct(same)] == [[7], [7], [7]]
    varied = [np.arange(at, at + 100_000, dtype=np.uint64) for at in range(0, 500_000, 100_000)]
    assert np.concatenate(list(mostly_distinct(varied))).tolist() == list(range(500_000))
    assert list(mostly_distinct([])) == []


def test_words_of_a_web_page_are_those_of_its_text(tmp_path):
    write(tmp_path, {"a.txt": A, "a.html": f"<html><body class=x>{A.replace(' ', ' <b></b>')}</body></html>"})
    pair = copysift.scan(tmp_path, kind="words").pairs[0]
    assert pair.resemblance == 1.0


@pytest.mark.parametrize("broken_part", ["claims", "read_loaded"])
def test_a_broken_kernel_or_setting_is_an_error_not_a_skipped_file(tmp_path, monkeypatch, broken_part):
    from copysift.workflows.reading import Reader

    def broken(self, *given):
        raise ZeroDivisionError

    write(tmp_path, {"a.txt": A})
    monkeypatch.setattr(Reader, broken_part, broken)
    (tmp_path / "latin.txt").write_bytes(A.encode() + b"\xe9")  # read by itself
    with pytest.raises(ZeroDivisionError):
        copysift.scan(tmp_path)


def test_members_of_archives_have_the_suffix_of_their_names(tmp_path):
    """An archive of submissions has pairs with the same suffix as the folder has."""
    for name in ("ann", "bob"):
        write(tmp_path, {f"class/{name}/a.txt": prose(1), f"class/{name}/b.md": prose(1) + name})
    shutil.make_archive(str(tmp_path / "class"), "zip", tmp_path / "class")
    for by in ("dir", "file"):
        found = [
            copysift.scan(tmp_path / source, by=by, same_suffix=True).pairs
            for source in ("class", "class.zip")
        ]
        assert len(found[0]) == len(found[1]) > 0
