"""Measures, schemes and shares of a corpus, and what it refuses with a reason."""

import json

import pytest

from copysift.cli.main import main
from copysift.engines.cluster_run import recluster
from copysift.errors import UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.refusals import REFUSALS
from tests.corpus.test_boilerplate import templated
from tests.corpus.texts import mixed, rows, run, text, write_jsonl

WHOLE = text(200, "whole")
PART = " ".join(WHOLE.split()[:80])


@pytest.fixture
def excerpts(tmp_path):
    """A document before an excerpt of it, and an excerpt before its document."""
    other = text(200, "other")
    texts = {"whole": WHOLE, "part": PART, "piece": " ".join(other.split()[:80]), "all": other}
    return write_jsonl(tmp_path / "c.jsonl", [{"id": name, "text": each} for name, each in texts.items()])


def heads(folder):
    return sorted({row["cluster"] for row in rows(folder, "clusters")})


@pytest.mark.parametrize(
    ("measure", "threshold", "expected"),
    [
        ("resemblance", 0.9, []),
        ("containment", 0.9, ["piece", "whole"]),
        ("containment-left", 0.9, ["piece"]),
        ("containment-right", 0.9, ["whole"]),
        ("shared", 70, ["piece", "whole"]),
        ("shared", 72, []),
    ],
)
def test_left_is_the_earlier_document(tmp_path, excerpts, measure, threshold, expected):
    settings = {"measure": measure, "threshold": threshold}
    run(excerpts, tmp_path / "run", **settings)
    assert heads(tmp_path / "run") == expected
    run(excerpts, tmp_path / "again")
    recluster(tmp_path / "again", make(CorpusSettings, settings, "recluster"))
    assert heads(tmp_path / "again") == expected


def test_dedup_removes_by_the_measure_whichever_document_it_keeps(tmp_path, excerpts):
    out = tmp_path / "out.jsonl"
    arguments = [
        "dedup",
        str(excerpts),
        "-o",
        str(out),
        "--measure",
        "containment-left",
        "--threshold",
        "90%",
    ]
    assert main([*arguments, "--keep", "longest", "--policy", "component"]) == 0
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["whole", "part", "all"]


def test_a_share_of_the_documents_makes_boilerplate(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", templated(80))
    number = run(source, tmp_path / "number", max_shared=20).described
    share = run(source, tmp_path / "share", max_shared="25%").described
    assert share["boilerplate"] == number["boilerplate"]
    assert share["notes"] == number["notes"]
    assert "more than 20 documents" in share["notes"][0]
    assert share["settings"]["max_shared"] == 0.25
    assert rows(tmp_path / "share", "pairs") == rows(tmp_path / "number", "pairs") == []
    more = run(source, tmp_path / "most", max_shared="100%").described
    assert more["boilerplate"]["shingles"] == 0


def test_all_shingles_find_every_pair_that_samples_find(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed())
    run(source, tmp_path / "mod")
    run(source, tmp_path / "all", scheme="all")
    sampled, every = (
        {(row["left"], row["right"]) for row in rows(tmp_path / name, "pairs")} for name in ("mod", "all")
    )
    assert sampled <= every
    with pytest.raises(UsageError, match="scheme all takes every shingle"):
        make(CorpusSettings, {"scheme": "all", "modulus": 7})


VALUES = {"scheme": "robust", "anchor": "x", "disjoint": True, "guarantee": 20, "sketch": 7, "earlier": "x"}
VALUES |= {"by": "dir", "metadata": "x"}


@pytest.mark.parametrize("row", [each for each in REFUSALS if "dedup" in each.commands.split()])
def test_what_has_no_meaning_in_a_corpus_is_refused_with_the_reason(row):
    value = row.values[0] if row.values else VALUES[row.option]
    if row.when is not None:
        value = next(each for each in ("robust", "min") if row.when(each))
    for command in row.commands.split():
        with pytest.raises(UsageError, match=f"is not possible in {command}: {row.reason}") as caught:
            make(CorpusSettings, {row.option: value}, command)
        assert caught.value.hint == row.hint
