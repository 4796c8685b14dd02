import pyarrow as pa
import pytest

import copysift
from tests.cli.program import write
from tests.cli.texts import prose

A, B = prose(1), prose(2)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A[:700] + B, "c.txt": A, "<d>.txt": A + B})
    return tmp_path


def test_a_result_is_a_table_in_every_library(folder):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    result = copysift.scan(folder)
    table = result.to_arrow()
    assert table["left"].to_pylist() == [pair.left for pair in result.pairs]
    assert table["resemblance"].to_pylist() == [pair.resemblance for pair in result.pairs]
    assert table["longest"].null_count == len(table) == len(result.pairs) > 2
    assert result.to_pandas()["right"].tolist() == result.to_polars()["right"].to_list()
    assert result.to_arrow("documents")["name"].to_pylist() == [each.name for each in result.documents]
    clusters = result.to_arrow("clusters")
    assert set(clusters["cluster"].to_pylist()) == set(range(len(result.clusters)))
    assert clusters["document"].to_pylist() == [name for each in result.clusters for name in each.members]
    with pytest.raises(copysift.UsageError, match="there is no table 'regions'"):
        result.to_arrow("regions")


def test_an_empty_result_has_tables_with_the_same_columns(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": B})
    result = copysift.scan(tmp_path)
    assert len(result.to_arrow()) == 0
    assert "containment_left" in result.to_arrow().column_names


def test_a_name_that_is_not_utf_8_is_spelled_out_in_tables(folder):
    (folder / "\udcff.txt").write_text(A)
    assert any(name.endswith("\\xff.txt") for name in copysift.scan(folder).to_arrow()["right"].to_pylist())


def test_a_result_shows_counts_and_an_escaped_table(folder):
    result = copysift.scan(folder)
    assert repr(result) == f"<Result: 4 documents, {len(result.pairs)} pairs (1 identical), 1 cluster>"
    shown = result._repr_html_()
    assert "&lt;d&gt;.txt" in shown
    assert "<d>" not in shown
    assert shown.count("<tr>") == 1 + len(result.pairs)


def test_fingerprints_and_an_index_say_what_they_are_in_a_line(tmp_path):
    found = copysift.fingerprint(A)
    assert repr(found) == f"<Fingerprints: {len(found.hashes)} of {found.grams} k-grams>"
    assert repr(copysift.Index(tmp_path / "x.sift")) == f"<Index {tmp_path / 'x.sift'}>"


def test_a_run_has_documents_pairs_clusters_and_tables(tmp_path):
    result = copysift.cluster([A, B, A.upper(), A, A + "and more"], run=tmp_path / "run")
    run = copysift.Run(tmp_path / "run")
    assert run.documents == result.documents
    assert run.pairs == result.pairs
    assert [(pair.left, pair.right) for pair in run.pairs if pair.equal] == [("0", "3")]
    assert run.clusters == result.clusters == (copysift.Cluster(("0", "2", "3", "4")),)
    assert len(run.to_arrow()) == len(run.pairs)
    assert run.to_arrow("documents")["document"].to_pylist() == ["0", "1", "2", "3", "4"]
    assert run.to_polars("clusters")["document"].to_list() == ["0", "2", "3", "4"]
    assert (
        repr(run) == f"<Run {tmp_path / 'run'}: 5 documents, {len(run.pairs)} pairs (1 identical), 1 cluster>"
    )
    assert run._repr_html_().count("<tr>") == 1 + len(run.pairs)
    run.recluster(threshold=1.0)
    assert run.clusters == (copysift.Cluster(("0", "2", "3")),)
    with pytest.warns(DeprecationWarning, match="is now Run.clusters"):
        assert run.clusters() == run.clusters


def test_an_index_takes_tables_and_frames_and_globs(tmp_path):
    rows = [{"id": "a", "text": A}, {"id": "b", "text": B}]
    table = pa.Table.from_pylist(rows)
    pytest.importorskip("pandas")
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    frame = polars.from_arrow(table)
    relation = duckdb.from_arrow(table)
    for number, given in enumerate([table, table.to_pandas(), frame, frame.lazy(), relation]):
        with copysift.Index(tmp_path / f"{number}.sift") as index:
            assert index.add(given).added == 2
            assert [each.name for each in index.documents()] == ["a", "b"]
            assert next(index.query(B, text=True)).right == "b"
    (tmp_path / "a.txt").write_text(A)
    (tmp_path / "b.txt").write_text(B)
    with copysift.Index(tmp_path / "glob.sift") as index:
        assert index.add(str(tmp_path / "*.txt")).added == 2


def test_rows_without_names_are_not_added_to_an_index(tmp_path):
    table = pa.table({"text": [A, B], "title": ["one", "other"]})
    with copysift.Index(tmp_path / "x.sift") as index, pytest.raises(copysift.UsageError, match="no names"):
        index.add(table)
    with copysift.Index(tmp_path / "x.sift", id_field="title") as index:
        assert index.add(table).added == 2
