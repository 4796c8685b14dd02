"""Starter code, submissions, measures and common text, in what is looked up and in what is compared."""

import json

import pytest

import copysift
from copysift.errors import StoreError, UsageError
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.cli.texts import prose

A, B, C, D, E, KIT = (essay(seed, 90) for seed in range(1, 7))


def found(hits):
    return {hit.right: round(hit.containment_left, 2) for hit in hits}


@pytest.fixture
def kit(here):
    """Two documents with starter code, one of them copied, and the starter code itself."""
    write(
        here,
        {"d/a.txt": KIT + A, "d/b.txt": KIT + B, "d/kit.txt": KIT, "kit.txt": KIT, "q.txt": KIT + A[:400]},
    )
    return here


def test_starter_code_of_a_query_counts_on_neither_side(kit):
    with copysift.Index("x.sift") as index:
        index.add(["d/a.txt", "d/b.txt"])
        assert set(found(index.query("q.txt"))) == {"d/a.txt", "d/b.txt"}
        (hit,) = index.query("q.txt", base="kit.txt", threshold=0, passages=True)
        plain = copysift.Index("plain.sift")
        with plain:
            plain.add([("a", A)])
            (expected,) = plain.query(A[:400], text=True)
    assert hit.right == "d/a.txt"
    assert hit.containment_left > 0.9
    assert hit.containment_right == pytest.approx(expected.containment_right, abs=0.05)
    assert [region.left.start >= len(KIT) - 30 for region in hit.regions] == [True]


def test_an_index_remembers_its_starter_code(kit):
    done = run(kit, "index", "add", "x.sift", "d", "--base", "kit.txt")
    assert (done.status, done.err) == (0, "")
    run(kit, "index", "add", "y.sift", "d")
    asked = ("q.txt", "--threshold", "0", "--format", "json")
    one = json.loads(run(kit, "query", "x.sift", *asked).out)["hits"]
    other = json.loads(run(kit, "query", "y.sift", *asked, "--base", "kit.txt").out)["hits"]
    assert [hit["right"] for hit in one] == ["d/a.txt"]
    assert one == other
    assert run(kit, "query", "x.sift", "kit.txt").status == 1  # nothing but starter code
    scans = [
        json.loads(run(kit, "scan", *given, "--format", "json").out)["pairs"]
        for given in (("x.sift",), ("y.sift", "--base", "kit.txt"), ("y.sift",))
    ]
    assert scans[0] == scans[1]
    assert len(scans[2]) > len(scans[0])
    assert json.loads(run(kit, "index", "info", "x.sift", "--format", "json").out)["base"] > 0


def test_starter_code_is_ignored_by_earlier_documents_and_added_to(kit):
    write(kit, {"new/q.txt": KIT + C, "more.txt": C[:600]})
    with copysift.Index("x.sift", base="kit.txt") as index:
        index.add("d")
    done = run(kit, "scan", "new", "--earlier", "x.sift", "--format", "json", "--threshold", "0")
    assert json.loads(done.out)["pairs"] == []
    with copysift.Index("x.sift") as index:
        before = index.info()["base"]
    with copysift.Index("x.sift", base="more.txt") as index:
        index.update("d")
        assert index.info()["base"] > before


def test_starter_code_that_cannot_be_read_is_an_error(kit):
    run(kit, "index", "add", "x.sift", "d")
    for command in (
        ("query", "x.sift", "q.txt"),
        ("index", "add", "x.sift", "d"),
        ("compare", "q.txt", "kit.txt"),
    ):
        done = run(kit, *command, "--base", "none.txt")
        assert (done.status, "--base none.txt" in done.err) == (2, True), done.err


def test_an_index_with_starter_code_is_not_resampled(kit):
    with copysift.Index("x.sift", base="kit.txt", keep_text=True, seed=1) as index:
        index.add("d")
        with pytest.raises(StoreError, match="ignores base code"):
            index.resample(2)


def test_sweeps_look_files_up_without_starter_code(kit):
    run(kit, "sweep", "s.sift", "d", "--date", "2026-01-01", "--keep-text")
    write(kit, {"new.txt": KIT + C, "half.txt": KIT + A + "more"})
    with copysift.Index("s.sift") as index:
        assert {each.uri for each in index.copies("new.txt").holders} >= {"a.txt", "b.txt"}
        assert index.copies("new.txt", base=["kit.txt"]).holders == ()
        assert [each.uri for each in index.copies("half.txt", base="kit.txt").holders] == ["a.txt"]
        assert [each.uri for each in index.copies_of("a.txt", base="kit.txt").holders] == []
        assert index.seen("new.txt", threshold=0.4).now is not None
        assert index.seen("new.txt", threshold=0.4, base="kit.txt").now is None
        assert index.seen("half.txt", base="kit.txt").now.uri == "a.txt"
    done = run(kit, "locate", "s.sift", "a.txt", "--base", "kit.txt")
    assert (done.status, "use sweep --base, or pass a file" in done.err) == (2, True)


def test_compare_leaves_starter_code_out(kit):
    plain = copysift.compare("d/a.txt", "d/b.txt")
    pair = copysift.compare("d/a.txt", "d/b.txt", base="kit.txt")
    assert plain.shared > 0
    assert (pair.shared, pair.regions) == (0, ())
    assert run(kit, "compare", "d/a.txt", "q.txt", "--base", "kit.txt").status == 0
    assert run(kit, "compare", "d/a.txt", "d/b.txt", "--base", "kit.txt").status == 1
    assert "byte for byte" in run(kit, "compare", "d/kit.txt", "kit.txt", "--base", "kit.txt").out


def test_compare_of_folders_leaves_starter_code_out(kit):
    write(kit, {"e/x.txt": KIT + C, "e/kit.txt": KIT, "e/a2.txt": KIT + A + "more"})
    done = json.loads(run(kit, "compare", "d", "e", "--format", "json", "--base", "kit.txt").out)
    assert [(pair["left"], pair["right"]) for pair in done["similar"]] == [("a.txt", "a2.txt")]
    assert [(pair["left"], pair["right"]) for pair in done["equal"]] == [("kit.txt", "kit.txt")]
    plain = json.loads(run(kit, "compare", "d", "e", "--format", "json").out)
    assert len(plain["similar"]) > 1


def test_a_submission_is_looked_up_with_all_its_files(here):
    write(here, {"d/ab.txt": A + B, "d/c.txt": C, "new/eve/1.txt": A, "new/eve/2.txt": B, "new/fay/3.txt": D})
    with copysift.Index("x.sift") as index:
        index.add("d")
        (hit,) = index.query("new", by="dir", passages=True)
        assert (hit.left, hit.right) == ("new/eve", "d/ab.txt")
        assert hit.containment_left > 0.95
        assert {region.left.file for region in hit.regions} == {"new/eve/1.txt", "new/eve/2.txt"}
        alone = {each.left: each.shared for each in index.query("new")}
        assert set(alone) == {"new/eve/1.txt", "new/eve/2.txt"}
        assert hit.shared == sum(alone.values())  # the files have nothing in common
    done = run(here, "query", "x.sift", "new", "--by", "dir", "--format", "json")
    assert {query["name"] for query in json.loads(done.out)["queries"]} == {"new/eve", "new/fay"}
    assert run(here, "query", "x.sift", "new", "--by", "dir", "--quick", "5").status == 2
    shown = run(here, "query", "x.sift", "new", "--by", "dir", "--passages", "2").out
    assert A[:20] in shown


def test_common_fingerprints_of_a_query_are_ignored_and_counted(here):
    write(here, {f"d/{number}.txt": KIT + essay(10 + number) for number in range(6)})
    write(here, {"q.txt": KIT + essay(12)})
    run(here, "index", "add", "x.sift", "d")
    assert len(run(here, "query", "x.sift", "q.txt").out.splitlines()) == 8
    done = run(here, "query", "x.sift", "q.txt", "--max-shared", "3", "--format", "json")
    assert [hit["right"] for hit in json.loads(done.out)["hits"]] == ["d/2.txt"]
    assert "fingerprints in more than 3 documents are ignored (--max-shared)" in done.err
    with copysift.Index("x.sift") as index:
        (hit,) = index.query("q.txt", max_shared="50%", threshold=0)
        assert (hit.right, hit.equal, hit.containment_left, hit.containment_right) == ("d/2.txt", True, 1, 1)
        assert len(list(index.query("q.txt", max_shared=6))) == 6
        with pytest.raises(UsageError, match="must be at least 2"):
            index.query("q.txt", max_shared=1)


def test_a_query_ranks_by_its_longest_passage(here):
    parts = [prose(5)[at : at + 80] + prose(20 + at)[:60] for at in range(0, 480, 80)]
    write(here, {"d/long.txt": prose(5)[:200] + prose(7), "d/many.txt": " ".join(parts), "q.txt": prose(5)})
    with copysift.Index("x.sift") as index:
        index.add("d")
        assert next(hit.right for hit in index.query("q.txt")) == "d/many.txt"
        hits = list(index.query("q.txt", measure="longest", threshold=40))
        assert [hit.right for hit in hits] == ["d/long.txt", "d/many.txt"]
        assert hits[0].longest > 120 > hits[1].longest
        assert hits[0].regions is None
        assert [hit.right for hit in index.query("q.txt", measure="longest")] == ["d/long.txt"]


@pytest.mark.parametrize(
    ("options", "of_scan"),
    [({}, {}), ({"max_shared": 2}, {"max_shared": 3}), ({"base": "kit.txt"}, {"base": "kit.txt"})],
    ids=str,
)  # in a scan, the query is one of those that share
def test_a_query_ranks_by_similarity_as_a_scan_of_the_index_does(here, options, of_scan):
    write(here, {
        "d/a.txt": KIT + A, "d/b.txt": KIT + B, "d/c.txt": KIT + A[:300] + C, "d/e.txt": A[200:500] + D,
        "kit.txt": KIT, "q.txt": KIT + A[:450] + E, "d/p.py": "x = 1\n" * 40,
    })  # fmt: skip
    with copysift.Index("x.sift") as index:
        index.add(["d/a.txt", "d/b.txt", "d/c.txt", "d/e.txt", "d/p.py"])
        hits = list(index.query("q.txt", measure="similarity", threshold=0, **options))
        assert all(hit.similarity is None for hit in index.query("q.txt"))
    pairs = copysift.scan("q.txt", earlier="x.sift", threshold=0, min_shared=2, **of_scan).pairs
    assert len(hits) > 1
    assert {hit.right: round(hit.similarity, 6) for hit in hits} == {
        pair.right: round(pair.similarity, 6) for pair in pairs
    }
    assert hits == sorted(hits, key=lambda hit: -hit.similarity)
    assert [hit.containment_left for hit in hits] != [hit.similarity for hit in hits]


def test_similarity_is_in_every_report_of_a_query_that_asks_for_it(here):
    write(here, {"d/a.txt": A + B, "d/b.txt": A[:400] + C, "q.txt": A})
    run(here, "index", "add", "x.sift", "d", "-q")
    asked = ("query", "x.sift", "q.txt", "--measure", "similarity", "--threshold", "0")
    (block, _, first, _) = run(here, *asked).out.splitlines()
    assert (block, first.split()[0]) == ("q.txt: 2 documents", "100%")
    best, other = json.loads(run(here, *asked, "--format", "json").out)["hits"]
    assert (best["similarity"], other["similarity"] < 1) == (1.0, True)
    assert run(here, *asked, "--format", "csv").out.splitlines()[1].endswith(",1.0")
    done = run(here, *asked, "--quick", "3")
    assert (done.status, "does not go with --quick" in done.err) == (2, True)


@pytest.mark.parametrize("measure", ["similarity", "longest"])
def test_a_run_says_which_measures_it_cannot_give(here, measure):
    write(here, {"d/a.txt": A, "d/b.txt": A + B})
    run(here, "cluster", "d", "-o", "run", "-q")
    done = run(here, "query", "run", "d/a.txt", "--measure", measure)
    assert done.status == 2
    assert f"--measure {measure} is not possible in a run: it does not keep" in done.err


def test_scan_and_show_rank_by_one_side(here):
    write(here, {"d/a.txt": prose(1)[:500], "d/b.txt": prose(1) + prose(2), "d/c.txt": prose(3)})
    for measure, threshold, expected in (
        ("containment-left", ".8", 1), ("containment-right", ".8", 0), ("containment-right", ".2", 1),
    ):  # fmt: skip
        given = ("--measure", measure, "--threshold", threshold, "--format", "json")
        made = json.loads(run(here, "scan", "d", *given, "--no-regions").out)["pairs"]
        assert len(made) == expected, measure
        run(here, "scan", "d", "--save", f"run-{measure}", "--overwrite", "-q")
        assert json.loads(run(here, "show", f"run-{measure}", *given, "--no-regions").out)["pairs"] == made
        assert len(copysift.scan("d", measure=measure, threshold=threshold).pairs) == expected
    done = run(here, "scan", "d", "--measure", "sif")
    assert (done.status, "d/a.txt" in done.out, "d/c.txt" in done.out) == (0, True, False)
