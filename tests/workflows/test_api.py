from dataclasses import replace

import pyarrow as pa
import pytest

import copysift
from copysift import kernels
from copysift.kernels.reference import files as reference_files
from tests.cli.program import write
from tests.cli.texts import prose

A, B = prose(1), prose(2)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A[:700] + B, "c.txt": A, "d.txt": prose(4)})
    return tmp_path


def test_scan_takes_one_path_or_several_and_settings_as_keywords(folder, capsys):
    whole = copysift.scan(folder)
    assert [(pair.equal, pair.left[-5:], pair.right[-5:]) for pair in whole.pairs] == [
        (True, "a.txt", "c.txt"), (False, "a.txt", "b.txt"),
    ]  # fmt: skip
    assert whole.pairs[1].regions is None
    few = copysift.scan([folder / "a.txt", str(folder / "d.txt")], threshold="1%", noise=10, guarantee=12)
    assert few.pairs == ()
    assert len(few.documents) == 2
    assert capsys.readouterr() == ("", "")


def test_scan_takes_globs(folder):
    assert len(copysift.scan(f"{folder}/[ab].*").documents) == 2
    found = copysift.scan([f"{folder}/[ab].*", folder / "d.txt"])
    assert sorted(each.name[-5:] for each in found.documents) == ["a.txt", "b.txt", "d.txt"]
    with pytest.raises(copysift.InputError, match="no such file or folder"):
        copysift.scan(f"{folder}/*.none")


def test_scan_takes_documents_in_memory(folder):
    rows = [{"id": "a", "text": A}, {"id": "b", "text": A[:700] + B}, {"id": "c", "text": A}, {"id": "d"}]
    expected = [(True, "a", "c"), (False, "a", "b")]

    def pairs(found):
        return [(pair.equal, pair.left, pair.right) for pair in found.pairs]

    found = copysift.scan(rows, regions=True)
    assert pairs(found) == expected
    assert found.pairs[1].regions[0].left.file == "a"
    assert [each.reason for each in found.skipped] == ["has no field 'text'"]
    assert pairs(copysift.scan([(row["id"], row["text"]) for row in rows[:3]])) == expected
    assert pairs(copysift.scan(pa.Table.from_pylist(rows[:3]))) == expected
    assert (
        pairs(copysift.scan([copysift.Document.of(row["id"], row["text"]) for row in rows[:3]])) == expected
    )
    both = copysift.scan([folder / "d.txt", {"id": "e", "text": prose(4)}])
    assert [(pair.left[-5:], pair.right) for pair in both.pairs] == [("d.txt", "e")]
    twice = copysift.scan([("a", A), ("a", A)])
    assert pairs(twice) == [(True, "a", "a~2")]
    with pytest.raises(copysift.UsageError, match="one document"):
        copysift.scan(rows[0])


def test_documents_in_memory_are_compared_as_submissions_by_unit():
    documents = [
        replace(copysift.Document.of(name, content), unit=unit)
        for name, content, unit in (("x/1", A, "x"), ("x/2", A, "x"), ("y/1", A + B, "y"))
    ]
    (pair,) = copysift.scan(documents, by="dir").pairs
    assert (pair.left, pair.right) == ("x", "y")


def test_scan_gives_regions_when_asked(folder):
    pair = copysift.scan(folder, regions=True).pairs[1]
    assert pair.longest == max(region.length for region in pair.regions)
    region = pair.regions[0]
    assert (region.left.start, region.left.first_line) == (0, 1)
    assert region.left.end == region.right.end


def test_a_wrong_setting_is_a_usage_error(folder):
    with pytest.raises(copysift.UsageError, match="there is no setting 'thresold'"):
        copysift.scan(folder, thresold=0.5)
    with pytest.raises(copysift.UsageError, match="there is no scheme"):
        copysift.scan(folder, scheme="minhash")


def test_the_answer_depends_on_settings_alone(folder):
    first = copysift.scan(folder, regions=True, jobs=1)
    assert copysift.scan(folder, regions=True, jobs=4, memory="16MB") == first


def test_compare_gives_the_pair_of_two_files(folder):
    pair = copysift.compare(folder / "a.txt", folder / "b.txt")
    assert pair.regions
    assert pair.containment_left > pair.containment_right
    assert copysift.compare(folder / "a.txt", folder / "c.txt").equal
    assert copysift.compare(folder / "a.txt", folder / "a.txt").equal
    nothing = copysift.compare(folder / "a.txt", folder / "d.txt")
    assert (nothing.similarity, nothing.shared, nothing.regions) == (0.0, 0, ())


def test_compare_refuses_what_is_not_there(folder):
    with pytest.raises(copysift.InputError, match="no such file"):
        copysift.compare(folder / "a.txt", folder / "none.txt")


def test_compare_folders_pairs_files_by_content(tmp_path):
    write(tmp_path, {"l/a.txt": A, "r/z.txt": A, "l/b.txt": B, "r/b.txt": B + "more and more"})
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert found.equal == (("a.txt", "z.txt"),)
    assert [(pair.left, pair.right) for pair in found.similar] == [("b.txt", "b.txt")]
    assert (found.only_left, found.only_right) == ((), ())


def test_hard_links_and_a_folder_itself_are_equal_by_content(tmp_path):
    write(tmp_path, {"l/a.txt": A, "l/b.txt": B, "l/sub/empty.txt": "", "r/none": ""})
    (tmp_path / "l/again.txt").hardlink_to(tmp_path / "l/a.txt")
    for name in ("a.txt", "b.txt"):
        (tmp_path / "r" / name).hardlink_to(tmp_path / "l" / name)
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert found.equal == (("a.txt", "a.txt"), ("b.txt", "b.txt"))
    assert (found.only_left, found.only_right) == (("sub/empty.txt",), ("none",))
    assert next(each.like for each in found.changes if each.left == ("again.txt",)) == "a.txt"
    for same in (tmp_path / "l", f"{tmp_path}/r/../l"):
        found = copysift.compare_folders(tmp_path / "l", same)
        names = ["a.txt", "again.txt", "b.txt", "sub/empty.txt"]
        assert found.equal == tuple((name, name) for name in names)
        assert (found.similar, found.only_left, found.only_right) == ((), (), ())


def test_empty_files_at_the_same_path_are_equal_in_folders(tmp_path):
    write(tmp_path, {"l/__init__.py": "", "r/__init__.py": "", "l/x/old": "", "r/new": ""})
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert found.equal == (("__init__.py", "__init__.py"),)
    assert (found.only_left, found.only_right) == (("x/old",), ("new",))


def test_a_small_part_is_no_version_of_a_file(tmp_path):
    write(tmp_path, {"l/a.txt": A, "r/part.txt": A[100:300], "r/b.txt": A[:800] + B[:200]})
    found = copysift.compare_folders(tmp_path / "l", tmp_path / "r")
    assert [pair.right for pair in found.similar] == ["b.txt"]
    assert found.only_right == ("part.txt",)


def test_text_with_a_nul_is_compared_alike_on_both_sides(tmp_path):
    write(tmp_path, {"a.txt": A * 5, "nul.txt": A * 5 + "\0"})
    pair = copysift.compare(tmp_path / "a.txt", tmp_path / "nul.txt")
    assert pair.shared > 0
    assert pair.containment_left > 0.9
    asked = copysift.compare(tmp_path / "a.txt", tmp_path / "nul.txt", kind="text")
    assert asked.resemblance == 1.0
    assert {group.kind for group in copysift.scan(tmp_path, kind="text").documents} == {"text"}
    assert {group.kind for group in copysift.scan(tmp_path).documents} == {"text", "bytes"}


def test_a_program_and_a_text_are_compared_as_text(tmp_path):
    write(tmp_path, {"a.py": "def one(x):\n    return x + 1\n" * 3 + A, "a.txt": A})
    assert copysift.compare(tmp_path / "a.py", tmp_path / "a.txt").containment_right > 0.9


def test_an_unreadable_file_is_skipped_whoever_runs(folder, monkeypatch):
    import os

    opened = os.open

    def locked(path, *rest, **more):
        if os.fsdecode(path).endswith("d.txt"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *rest, **more)

    monkeypatch.setattr(os, "open", locked)
    monkeypatch.setattr(kernels, "files", reference_files)
    result = copysift.scan(folder)
    assert [(each.name[-5:], each.reason) for each in result.skipped] == [("d.txt", "permission denied")]
    assert len(result.pairs) == 2


def test_passages_of_bytes_are_shown_by_place_and_hex():
    from copysift.model.values import Side
    from copysift.report.passages import source_lines
    from copysift.report.view import View

    view = View(source=lambda name, start, end: bytes(range(200, 256)) * 2)
    (line,) = source_lines(Side("x", 5, 117, 1, 1), view)
    assert line == "bytes 5 to 117: c8 c9 ca cb cc cd ce cf d0 d1 d2 d3 d4 d5 d6 d7 …"


def test_nothing_to_scan_is_an_error(tmp_path):
    with pytest.raises(copysift.UsageError, match="nothing to scan"):
        copysift.scan([])
    with pytest.raises(copysift.InputError, match="nowhere: no such file or folder"):
        copysift.scan(tmp_path / "nowhere")
    assert copysift.scan([tmp_path, tmp_path / "nowhere"]).skipped


def test_texts_in_the_place_of_paths_and_no_content_are_told_in_words():
    with pytest.raises(copysift.InputError, match="compare takes paths") as raised:
        copysift.compare(A, B)
    assert len(str(raised.value)) < 200
    with pytest.raises(TypeError, match="content is str or bytes, not NoneType"):
        copysift.fingerprint(None)


@pytest.mark.parametrize("given", [{"anchor": "x"}, {"disjoint": True}, {"modulus": 7}])
def test_a_setting_that_the_scheme_does_not_heed_is_refused(given, tmp_path):
    with pytest.raises(copysift.UsageError, match="has no effect with the scheme open-closed"):
        copysift.scan(tmp_path, **given)


def test_more_than_the_whole_is_no_share(tmp_path):
    with pytest.raises(copysift.UsageError, match=r"threshold is 1\.5, but must be between 0 and 1"):
        copysift.scan(tmp_path, threshold="150%")


def test_show_answers_from_a_saved_run(folder, tmp_path_factory):
    from copysift.settings.comparison import Settings
    from copysift.workflows.scan import Scan

    run = tmp_path_factory.mktemp("runs") / "run"
    scan = Scan(Settings())
    scan.run([folder], keep=True)
    scan.save(run)
    assert copysift.show(run).pairs == copysift.scan(folder).pairs
    with pytest.raises(copysift.RunError, match="not a run"):
        copysift.show(folder)


def test_fingerprint_gives_hashes_with_their_spans():
    found = copysift.fingerprint(A)
    assert len(found.hashes) == len(found.starts) == len(found.ends) > 20
    assert found.grams == len(A.replace(" ", "").replace("\n", "")) - 24
    assert copysift.fingerprint(A.upper()).hashes.tolist() == found.hashes.tolist()
    assert copysift.fingerprint(A.encode()).hashes.tolist() == found.hashes.tolist()
    assert copysift.fingerprint(A, seed="secret").hashes.tolist() != found.hashes.tolist()
    assert len(copysift.fingerprint("").hashes) == 0


def test_fingerprint_of_a_text_with_lone_surrogates_does_not_raise():
    assert len(copysift.fingerprint("\ud800" + A).hashes) > 20


def test_resemblance_and_containment_are_those_of_ten_word_shingles():
    words = A.split()
    part = " ".join(words[:29])  # 20 shingles of the 111 of the whole
    assert copysift.containment(part, A) == 1.0
    assert copysift.containment(A, part) == pytest.approx(20 / 111)
    assert copysift.resemblance(A, part) == pytest.approx(20 / 111)
    assert copysift.resemblance(A, B) == 0.0
    assert copysift.resemblance(A, A) == 1.0


def test_contents_without_a_shingle_are_compared_by_their_words():
    assert copysift.resemblance("a few words", "A few, words!") == 1.0
    assert copysift.resemblance("a few words", "other words") == 0.0
    assert copysift.resemblance("", "") == 1.0
    assert copysift.containment("few words", "only a few words here") == 1.0
    assert copysift.containment("words few", "only a few words here") == 0.0
    assert copysift.containment(A, "few") == 0.0


def test_settings_of_resemblance_can_be_changed():
    assert copysift.resemblance("abcdef", "bcdefg", kind="text", noise=2) == pytest.approx(4 / 6)


PROGRAM = """def total(items, rate):
    result = 0
    for item in items:
        if item.price > rate:
            result += item.price * rate - item.discount
    return result / len(items) + rate ** 2
"""
RENAMED = PROGRAM.replace("item", "thing").replace("result", "s").replace("rate", "percentage")


def test_the_kind_of_a_string_is_the_one_that_was_named():
    words = copysift.fingerprint(A, kind="words", scheme="all")
    assert len(words.hashes) == len(A.split()) - 9
    assert len(copysift.fingerprint(A, kind="bytes", scheme="all").hashes) == len(A.encode()) - 49
    one, other = (copysift.fingerprint(each, language="python").hashes for each in (PROGRAM, RENAMED))
    assert one.tolist() == other.tolist()
    same = copysift.fingerprint(PROGRAM.encode(), kind="code", language="python")
    assert one.tolist() == same.hashes.tolist()


def test_bytes_in_another_encoding_are_fingerprinted_as_their_text():
    assert copysift.fingerprint(A.encode("utf-16")).hashes.tolist() == copysift.fingerprint(A).hashes.tolist()


def test_programs_resemble_each_other_by_their_tokens_where_a_language_is_named():
    for settings in ({"kind": "code", "language": "python"}, {"language": "python"}):
        assert copysift.resemblance(PROGRAM, RENAMED, **settings) == 1.0
        assert copysift.containment(PROGRAM[:100], RENAMED, **settings) > 0.8
    assert copysift.resemblance(PROGRAM, RENAMED) < 0.2


@pytest.mark.parametrize("measure", [copysift.fingerprint, copysift.containment, copysift.resemblance])
def test_a_program_without_a_name_needs_its_language(measure):
    contents = (PROGRAM,) if measure is copysift.fingerprint else (PROGRAM, RENAMED)
    with pytest.raises(copysift.UsageError, match="needs its language"):
        measure(*contents, kind="code")


def test_shingles_may_have_any_number_of_words():
    assert copysift.resemblance("a b c d e f", "a b c d e g", shingle=5) == pytest.approx(1 / 3)
    assert copysift.containment("a b c", "x a b c d", shingle=2, kind="words") == 1.0
    with pytest.raises(copysift.UsageError, match="shingle does not fit kind text"):
        copysift.resemblance(A, B, shingle=5, kind="text")
    with pytest.raises(copysift.UsageError, match="must be between 1 and"):
        copysift.resemblance(A, B, shingle=0)
