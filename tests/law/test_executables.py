"""What linkers put into executables is weighed by the programs that have it, in every command."""

import json
import random

import pytest

import copysift
from copysift.engines import pair_values
from copysift.kinds.executable import LISTING
from tests.cli.program import copysift as run

OWN, LIBRARY = 300, 500  # instructions


def instructions(seed, count):
    chosen = random.Random(seed)
    return [f"{chosen.choice(('mov', 'add', 'xor', 'cmp'))} {chosen.randrange(250)}" for _ in range(count)]


def listing(*parts):
    lines = [f"{LISTING.decode()}x86", *(line for part in parts for line in part), ""]
    return "\n".join(lines)


@pytest.fixture
def programs(here):
    """Six programs with one library, two builds of one of them, and another with half of the library."""
    library = instructions("library", LIBRARY)
    made = {f"p{at}": listing(instructions(at, OWN), library) for at in range(6)}
    made["p0b"] = listing(instructions(0, OWN - 20), instructions("patch", 20), library)
    made["half"] = listing(instructions("half", OWN), library[: LIBRARY // 2])
    (here / "bin").mkdir()
    for name, text in made.items():
        (here / "bin" / name).write_text(text)
    return sorted(f"bin/{name}" for name in made)


def by_scan(sources, **more):
    found = copysift.scan(sources, scheme="all", threshold=0.01, **more)
    return {frozenset((pair.left, pair.right)): round(pair.similarity, 6) for pair in found.pairs}


def test_code_of_many_programs_says_little_in_a_scan(programs):
    found = by_scan("bin")
    assert found[frozenset({"bin/p0", "bin/p0b"})] > 0.7
    assert found[frozenset({"bin/p1", "bin/p2"})] < 0.1


def test_query_weighs_as_a_scan_of_the_index_and_the_file(programs):
    expected = by_scan("bin")
    for name in ("bin/p0", "bin/p3", "bin/half"):
        with copysift.Index(f"{name.replace('/', '-')}.sift", scheme="all") as index:
            index.add([each for each in programs if each != name])
            hits = index.query(name, measure="similarity", threshold=0.01, limit=0)
            found = {frozenset((name, hit.right)): round(hit.similarity, 6) for hit in hits}
        assert found == {pair: value for pair, value in expected.items() if name in pair}


@pytest.mark.parametrize("entry", [40, 20_000], ids=["at once", "in ranges"])
def test_cluster_weighs_as_a_scan(programs, entry, monkeypatch):
    monkeypatch.setattr(pair_values, "ENTRY", entry)
    expected = by_scan("bin")
    found = copysift.cluster("bin", run="run", measure="similarity", floor=0.01, threshold=0.5, memory="16MB")
    assert [each.members for each in found.clusters] == [("bin/p0", "bin/p0b")]
    pairs = {
        frozenset((pair.left, pair.right)): round(pair.similarity, 6) for pair in copysift.Run("run").pairs
    }
    assert {pair: value for pair, value in pairs.items() if value >= 0.01} == expected


def test_a_program_without_instructions_is_like_none(programs, here):
    (here / "bin" / "zz").write_text(f"{LISTING.decode()}of an unknown machine\n")
    expected = by_scan("bin")
    found = copysift.cluster("bin", measure="similarity", floor=0.01, threshold=0.01)
    pairs = {frozenset((pair.left, pair.right)) for pair in found.pairs}
    assert {pair for pair, value in expected.items() if value >= 0.02} <= pairs
    with copysift.Index("x.sift") as index:
        index.add("bin")
        assert {hit.right for hit in index.query("bin/p0", measure="similarity")} == {"bin/p0", "bin/p0b"}


def test_dedup_keeps_programs_with_one_library(programs, here):
    limits = ("--threshold", "0.5", "--floor", "0.01")
    assert run(here, "dedup", "bin", "-o", "out.jsonl", "--measure", "similarity", *limits).status == 0
    kept = [json.loads(line)["id"] for line in (here / "out.jsonl").read_text().splitlines()]
    assert kept == [name for name in programs if name != "bin/p0b"]


def test_what_a_text_shares_is_weighed_as_in_a_text(programs, here):
    """Also where the query is a text and the index has programs."""
    page = listing(instructions("library", LIBRARY)).partition("\n")[2]
    (here / "t.txt").write_text(page)
    with copysift.Index("x.sift") as index:
        index.add("bin")
        assert list(index.query("t.txt", measure="similarity")) == []
    assert by_scan(["bin", "t.txt"]) == by_scan("bin")
