"""Common shingles, identical documents and one large cluster cost linear work."""

import pytest

from tests.corpus.texts import edited, rows, run, text, write_jsonl


def near_copies(count):
    base = text(300, "base")
    return [
        {"id": str(n), "text": f"{base} {text(3, n)}"}
        if n % 2
        else {"id": str(n), "text": edited(base, 0.005, n)}
        for n in range(count)
    ]


def identical(count):
    return [{"id": str(n), "text": BASE} for n in range(count)]


def one_shingle(count):
    head = text(10, "head")
    return [{"id": str(n), "text": f"{head} {text(40, n)}"} for n in range(count)]


BASE = text(300, "base")


@pytest.mark.parametrize("count", [600, pytest.param(50_000, marks=pytest.mark.slow)])
def test_a_cluster_of_near_copies_is_whole_and_its_pairs_are_few(tmp_path, count):
    made = run(
        write_jsonl(tmp_path / "c.jsonl", near_copies(count)),
        tmp_path / "run",
        max_shared=min(1000, count // 6),
    )
    found = rows(tmp_path / "run", "clusters")
    assert len(found) == count
    assert {row["cluster"] for row in found} == {"0"}
    assert made.described["counts"]["pairs"] < 150 * count


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_identical_documents_are_one_class(tmp_path, count):
    made = run(write_jsonl(tmp_path / "c.jsonl", identical(count)), tmp_path / "run")
    assert made.described["counts"]["identical"] == count - 1
    assert made.described["counts"]["pairs"] == 0
    assert len(rows(tmp_path / "run", "clusters")) == count


@pytest.mark.parametrize("count", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_one_shingle_in_every_document_joins_nothing(tmp_path, count):
    made = run(write_jsonl(tmp_path / "c.jsonl", one_shingle(count)), tmp_path / "run")
    assert made.described["counts"]["ignored"] == 1
    assert made.described["counts"]["pairs"] == 0
    assert made.described["ignored"][0][1:] == [count, text(10, "head")]
