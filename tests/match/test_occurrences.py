"""sif's measure in a scan is what it is in a query: occurrences, not distinct fingerprints."""

import json
from collections import Counter

import pytest

import copysift
from copysift.cli.main import main
from copysift.errors import UsageError
from tests.cli.program import write
from tests.cli.submissions import essay

ONCE = essay(1, 120)
FILES = {"d/a.txt": ONCE, "d/b.txt": ONCE * 3 + essay(2, 40), "d/c.txt": essay(3, 90), "d/e.txt": ONCE[:300]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return tmp_path


def counted(text: str) -> Counter[int]:
    settings = copysift.scan("d").settings
    assert settings["scheme"] == "open-closed"
    return Counter(copysift.fingerprint(text).hashes.tolist())


def expected(left: str, right: str) -> float:
    one, other = counted(FILES[left]), counted(FILES[right])
    return sum(number for value, number in other.items() if value in one) / one.total()


def test_a_scan_counts_occurrences_of_the_right_document(here):
    result = copysift.scan("d", measure="sif", threshold=0.01)
    assert {(pair.left, pair.right) for pair in result.pairs} == {
        ("d/a.txt", "d/b.txt"), ("d/a.txt", "d/e.txt"), ("d/b.txt", "d/e.txt")
    }  # fmt: skip
    for pair in result.pairs:
        assert pair.sif == pytest.approx(expected(pair.left, pair.right))
    assert result.pairs[0].sif > 2.5  # it is there three times


def test_a_threshold_may_pass_100_percent(here, capsys):
    assert main(["scan", "d", "--measure", "sif", "--threshold", "200%", "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["left"], pair["right"]) == ("d/a.txt", "d/b.txt")
    assert main(["scan", "d", "--measure", "sif"]) == 0
    assert " sif " in capsys.readouterr().out


def test_query_and_scan_agree(here, capsys):
    main(["index", "add", "i.sift", "d/b.txt", "-q"])
    found = list(copysift.Index("i.sift").query("d/a.txt", measure="sif", threshold=0.01))
    pair = copysift.scan("d", measure="sif", threshold=0.01).pairs[0]
    assert found[0].sif == pytest.approx(pair.sif)


def test_a_saved_scan_knows_it_and_another_says_that_it_does_not(here, capsys):
    assert main(["scan", "d", "--measure", "sif", "--save", "run", "-q"]) == 0
    capsys.readouterr()
    assert main(["show", "run", "--measure", "sif", "--threshold", "2", "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert pair["sif"] == pytest.approx(expected("d/a.txt", "d/b.txt"), abs=1e-6)
    assert main(["scan", "d", "--save", "other", "-q"]) == 0
    assert main(["show", "other", "--measure", "sif"]) == 2
    assert "--measure sif needs occurrences, which other did not count" in capsys.readouterr().err


def test_compare_counts_occurrences(here):
    assert main(["compare", "d/a.txt", "d/b.txt", "--measure", "sif", "--threshold", "2", "-q"]) == 0
    assert main(["compare", "d/a.txt", "d/b.txt", "--measure", "sif", "--threshold", "9", "-q"]) == 1


def test_a_submission_has_the_occurrences_of_all_its_files(here):
    write(here, {"class/x/a.txt": ONCE, "class/y/1.txt": ONCE + "\n", "class/y/2.txt": ONCE + "\n\n"})
    (pair,) = copysift.scan("class", by="dir", measure="sif").pairs
    assert pair.sif == pytest.approx(2)


def test_base_code_does_not_occur(here):
    write(here, {"kit.txt": ONCE, "k/a.txt": ONCE + essay(5, 90), "k/b.txt": ONCE * 4 + essay(5, 90)})
    (pair,) = copysift.scan("k", base="kit.txt", measure="sif").pairs
    assert pair.sif == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod"])
def test_a_sketch_has_no_occurrences(here, scheme):
    with pytest.raises(UsageError, match="a sketch has everything once"):
        copysift.scan("d", measure="sif", scheme=scheme)


def test_every_table_has_it(here, capsys):
    result = copysift.scan("d", measure="sif", threshold=0.01)
    assert result.to_arrow()["sif"].to_pylist() == [pair.sif for pair in result.pairs]
    assert "sif" not in copysift.scan("d").to_arrow().column_names
    assert main(["scan", "d", "--measure", "sif", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(",bytes_right,sif")
