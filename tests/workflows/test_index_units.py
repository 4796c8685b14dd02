"""An index holds submissions: they are listed, found, scanned, and serve as earlier years."""

import os
import zipfile

import pytest

import copysift
from copysift.errors import UsageError
from copysift.settings.index import Query
from tests.cli.program import copysift as program
from tests.cli.program import write
from tests.cli.submissions import essay

A, B, C, D, E, KIT = (essay(seed, 90) for seed in range(1, 7))


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)


@pytest.fixture
def years(tmp_path, monkeypatch):
    """Two years of submissions, one of them handed in as an archive, and a new one that copies of each."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {
        "2023/ada/one.txt": A, "2023/ada/two.txt": B + KIT, "2023/bob/one.txt": C,
        "2024/cem/one.txt": B, "new/eve/x.txt": KIT + A, "new/fay/y.txt": essay(50, 90) + KIT,
        "new/gil/z.txt": D, "kit/kit.txt": KIT,
    })  # fmt: skip
    zipped(tmp_path / "2024/dan.zip", {"main.txt": D, "more.txt": E})
    return tmp_path


def pairs(result):
    return {(pair.left, pair.right) for pair in result.pairs}


def rows(result):
    """Give what can be compared: from postings the evidence beside fingerprints is missing."""
    return {(pair.left, pair.right, pair.shared, round(pair.resemblance, 9)) for pair in result.pairs}


def added(path="years.sift", places=("2023", "2024"), **settings):
    with copysift.Index(path, kind="text", by="dir", **settings) as index:
        return index.add(list(places))


def test_documents_are_listed_with_their_submissions(years):
    assert added().added == 6
    with copysift.Index("years.sift") as index:
        units = {each.name: each.unit for each in index.documents()}
        assert units == {
            "2023/ada/one.txt": "2023/ada", "2023/ada/two.txt": "2023/ada", "2023/bob/one.txt": "2023/bob",
            "2024/cem/one.txt": "2024/cem", "2024/dan.zip!main.txt": "2024/dan.zip",
            "2024/dan.zip!more.txt": "2024/dan.zip",
        }  # fmt: skip
        assert index.info()["units"] == 4
        assert index.check() == ([], [])
        assert [(hit.right, hit.unit) for hit in index.query(D.encode())] == [
            ("2024/dan.zip!main.txt", "2024/dan.zip")
        ]
    assert "submissions   4\n" in program(years, "index", "info", "years.sift").out
    assert "2023/ada/one.txt  (of 2023/ada)\n" in program(years, "index", "list", "years.sift").out


def test_an_index_serves_as_earlier_years_as_their_folders_do(years):
    added()
    from_index = copysift.scan("new", by="dir", kind="text", earlier="years.sift")
    from_files = copysift.scan("new", by="dir", kind="text", earlier=["2023", "2024"])
    assert rows(from_index) == rows(from_files)
    assert ("new/gil", "2024/dan.zip") in pairs(from_index)
    assert ("2023/ada", "2024/cem") not in pairs(from_index), "earlier ones are not compared with each other"
    past = {each.name: each.earlier for each in from_index.submissions}
    assert past["2023/ada"]
    assert not past["new/eve"]
    done = program(years, "scan", "new", "--by", "dir", "--earlier", "years.sift", "--format", "csv")
    assert done.status == 0
    assert "new/gil,2024/dan.zip," in done.out


def test_base_code_is_left_out_of_an_index_of_submissions(years):
    added(places=["2023", "2024", "new"])
    with_kit, without = (copysift.scan("years.sift", **more) for more in ({}, {"base": "kit"}))
    assert ("new/eve", "new/fay") in pairs(with_kit)
    assert ("new/eve", "new/fay") not in pairs(without)
    assert rows(without) == rows(copysift.scan(["2023", "2024", "new"], by="dir", kind="text", base="kit"))
    documents = {each.name: each.fingerprints for each in without.documents}
    from_files = copysift.scan(["2023", "2024", "new"], by="dir", kind="text", base="kit")
    assert documents == {each.name: each.fingerprints for each in from_files.documents}


def test_base_code_is_left_out_of_an_index_of_single_files(years):
    with copysift.Index("files.sift", kind="text") as index:
        index.add("new")
    assert ("new/eve/x.txt", "new/fay/y.txt") in pairs(copysift.scan("files.sift"))
    assert ("new/eve/x.txt", "new/fay/y.txt") not in pairs(copysift.scan("files.sift", base="kit"))


def test_an_index_is_scanned_by_submissions_with_regions_as_its_files_are(years):
    added(keep_text=True)
    scanned = copysift.scan("years.sift", regions=True)
    from_files = copysift.scan(["2023", "2024"], by="dir", kind="text", regions=True)
    assert rows(scanned) == rows(from_files)
    assert [pair.regions for pair in scanned.pairs] == [pair.regions for pair in from_files.pairs]


def test_authors_of_the_metadata_are_kept_with_the_index(years):
    write(years, {"who.csv": "name,author,label\n2023/ada,Ada,first try\n2024/cem,Ada,second try\n"})
    added()
    assert ("2023/ada", "2024/cem") in pairs(copysift.scan("years.sift"))
    with copysift.Index("years.sift", by="dir", metadata="who.csv") as index:
        assert index.add(["2023", "2024"]).unchanged == 6
    told = copysift.scan("years.sift")
    assert ("2023/ada", "2024/cem") not in pairs(told), "both are of one author"
    assert {each.label for each in told.submissions} == {"first try", "second try", ""}


def test_files_that_are_removed_leave_their_submission_and_an_empty_one_goes(years):
    added()
    with copysift.Index("years.sift") as index:
        assert index.remove("2023/ada/one.txt") == 1
        assert index.info()["units"] == 4
        assert index.remove("2023/ada") == 1
        assert index.info()["units"] == 3
        assert index.check() == ([], [])


def test_files_that_were_added_alone_are_put_into_submissions_later(years):
    with copysift.Index("years.sift", kind="text") as index:
        index.add("2023")
        assert {each.unit for each in index.documents()} == {""}
    added(places=["2023"])
    with copysift.Index("years.sift") as index:
        assert {each.unit for each in index.documents()} == {"2023/ada", "2023/bob"}


def test_what_an_index_cannot_do_is_refused_with_the_reason(years):
    with copysift.Index("files.sift", kind="text") as index:
        index.add("2023")
    with pytest.raises(UsageError, match="has single files and no submissions"):
        copysift.scan("files.sift", by="dir")
    added()
    with pytest.raises(UsageError, match="is about the files that are read"):
        copysift.scan("years.sift", metadata="who.csv")


def test_a_changed_file_stays_in_its_submission_and_an_unchanged_archive_is_not_read_again(years):
    for each in years.rglob("*.*"):
        os.utime(each, (1e9, 1e9))
    added()
    (years / "2023/bob/one.txt").write_text(E, encoding="utf-8")
    with copysift.Index("years.sift") as index:
        done = index.update()
        assert (done.changed, done.unchanged) == (1, 5)
        assert {each.unit for each in index.documents() if "bob" in each.name} == {"2023/bob"}
    zipped(years / "2024/dan.zip", {"main.txt": D})
    done = added()
    assert (done.unchanged, done.removed) == (5, 1)
    with copysift.Index("years.sift") as index:
        assert "2024/dan.zip!more.txt" not in {each.name for each in index.documents()}
        assert index.check() == ([], [])


def test_programs_of_an_index_of_submissions_are_compared_by_their_tokens(years):
    body = "".join(f"    {{0}} = {{1}} * {number} + {{0}} - {number + 3}\n" for number in range(30))
    made = {
        who: f"def run({x}, {y}):\n" + body.format(x, y)
        for who, x, y in (("ada", "a", "b"), ("bob", "p", "q"))
    }
    write(years, {f"code/{who}/main.py": text for who, text in made.items()})
    with copysift.Index("code.sift", by="dir") as index:
        index.add("code")
    found, files = copysift.scan("code.sift"), copysift.scan("code", by="dir")
    assert rows(found) == rows(files)
    assert [pair.channel for pair in found.pairs] == ["code"]


def test_an_index_leaves_out_what_no_student_wrote_as_a_scan_does(years):
    write(
        years, {f"{name}/node_modules/lib/{name[-3:]}.txt": essay(70, 90) for name in ("new/eve", "new/fay")}
    )
    with copysift.Index("new.sift", by="dir") as index:
        (note,) = index.add("new").notes
        names = [each.name for each in index.documents()]
    found = copysift.scan("new", by="dir")
    assert (
        names
        == [each.name for each in found.documents]
        == ["new/eve/x.txt", "new/fay/y.txt", "new/gil/z.txt"]
    )
    assert note in found.notes
    assert copysift.scan("new.sift").pairs[0].shared == found.pairs[0].shared
    with copysift.Index("all.sift", by="dir", include=["*"]) as index:
        index.add("new")
        assert len(list(index.documents())) == 5


def test_a_submission_is_looked_up_without_what_no_student_wrote(years):
    write(years, {"new/eve/node_modules/lib/a.txt": essay(70, 400)})
    with copysift.Index("years.sift", by="dir") as index:
        index.add(["2023", "2024"])
        hits = {
            (hit.left, hit.unit or hit.right): hit.containment_left for hit in index.query("new", by="dir")
        }
        answer = index.answer(index.questions("new", Query(by="dir")), Query(by="dir"))
        again = index.answer(index.questions("new/fay", Query()), Query())
    assert hits["new/eve", "2023/ada"] > 0.4
    assert "1 file that no student wrote left out" in answer.notes[-1]
    assert again.notes == ()
