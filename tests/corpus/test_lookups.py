import pyarrow.parquet as pq
import pytest

import copysift
from tests.corpus.texts import rows, run, text, write_jsonl


@pytest.fixture
def opened(tmp_path):
    base = text(200, 1)
    records = [
        {"id": "a", "text": base},
        {"id": "b", "text": text(200, 2)},
        {"id": "c", "text": base},
        {"id": "d", "text": base + " and some more words"},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", seed="secret")
    return copysift.Run(tmp_path / "run", seed="secret")


def test_a_run_is_looked_up_from_python(opened):
    assert opened.clusters == (copysift.Cluster(("a", "c", "d")),)
    assert opened.cluster_of("c") == [("a", "representative"), ("c", "identical"), ("d", "similar")]
    assert opened.cluster_of("b") == [("b", "alone")]
    assert opened.collapse(iter(["d", "b", "a"])) == [("d", ["a"]), ("b", [])]
    assert opened.described["counts"]["documents"] == 4
    with pytest.raises(copysift.UsageError, match="no document z"):
        opened.cluster_of("z")


def test_a_run_is_asked_for_its_documents_and_for_texts(opened):
    assert [pair.right for pair in opened.query("a")] == ["c", "d"]
    passage = " ".join(text(200, 2).split()[20:60])
    (pair,) = opened.query(text=passage, threshold=0.9, limit=3)
    assert (pair.right, pair.containment_left) == ("b", 1.0)
    for given in ({}, {"document": "a", "text": passage}):
        with pytest.raises(copysift.UsageError, match="name a document of the run, or give a text"):
            opened.query(**given)
    with pytest.raises(copysift.UsageError, match="another seed"):
        copysift.Run(opened.path).query("a")


def test_a_run_is_clustered_anew_in_place_or_beside(opened, tmp_path):
    counts = opened.recluster(threshold="99%", output=tmp_path / "o.parquet")
    assert counts == {"clusters": 1, "clustered": 2, "duplicates": 1}
    assert pq.read_table(tmp_path / "o.parquet")["document"].to_pylist() == ["a", "c"]
    assert len(rows(opened.path, "clusters")) == 3
    assert opened.recluster(threshold=0.99, policy="complete") == counts
    assert opened.cluster_of("d") == [("d", "alone")]
    assert opened.described["settings"]["resemblance"] == 0.99
    with pytest.raises(copysift.UsageError, match=r"no pairs below 0\.3"):
        opened.recluster(threshold=0.1)


def test_a_run_of_scan_is_not_one_of_cluster(tmp_path):
    from copysift.cli.main import main

    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.txt").write_text(text(50, 1))
    main(["scan", str(tmp_path / "x"), "--save", str(tmp_path / "run"), "-q"])
    with pytest.raises(copysift.RunError, match="not made by copysift cluster"):
        copysift.Run(tmp_path / "run")
