"""Runs that version 0.1 made still work: scripts/make_format_runs.py made those in formats/."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.program import copysift


@pytest.fixture
def kept(tmp_path):
    shutil.copytree(Path(__file__).parent / "formats", tmp_path, dirs_exist_ok=True)
    assert json.loads((tmp_path / "cluster-v1" / "run.json").read_text())["copysift"] == "0.1.0"
    return tmp_path


def test_a_scan_of_version_0_1_is_shown(kept):
    found = json.loads(copysift(kept, "show", "scan-v1", "--format", "json").out)
    assert [(pair["left"], pair["right"]) for pair in found["pairs"]] == [
        ("bread", "shouting"), ("market", "reader"), ("bees-rearranged", "bees"), ("canals", "reader"),
    ]  # fmt: skip
    assert found["settings"]["scheme"] == "robust"  # its own, not today's default


def test_clusters_of_version_0_1_are_shown_and_formed_again(kept):
    done = copysift(kept, "show", "cluster-v1")
    assert (done.status, "2 clusters with 4 documents" in done.out) == (0, True)
    assert copysift(kept, "cluster-of", "cluster-v1", "bees").out.split() == [
        "bees-rearranged", "representative", "bees", "similar",
    ]  # fmt: skip
    done = copysift(kept, "recluster", "cluster-v1", "--threshold", "95%")
    assert (done.status, done.out) == (0, "1 cluster with 2 documents\n")
    assert pq.read_table(kept / "cluster-v1" / "clusters.parquet")["document"].to_pylist() == [
        "bread",
        "shouting",
    ]


def test_a_run_of_version_0_1_is_asked_and_extended(kept):
    done = copysift(kept, "query", "cluster-v1", "bees")
    assert (done.status, done.out.split()[-1]) == (0, "bees-rearranged")
    (kept / "new.jsonl").write_text(
        (kept / "essays.jsonl").read_text().splitlines()[0].replace('"id": "bees-rearranged"', '"id": "late"')
    )
    done = copysift(kept, "cluster", "new.jsonl", "--extend", "cluster-v1", "-o", "more")
    assert (done.status, "10 documents, 2 clusters with 5 of them" in done.err) == (0, True)


def test_a_run_of_version_0_1_is_applied_to_its_sources(kept):
    done = copysift(kept, "dedup", "--from", "cluster-v1", "-o", "out.jsonl")
    assert (done.status, done.out.splitlines()[0]) == (0, "9 documents: 7 kept, 2 removed")
    names = [json.loads(line)["id"] for line in (kept / "out.jsonl").read_text().splitlines()]
    assert len(names) == 7
    assert "bees" not in names
