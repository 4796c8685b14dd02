import json

import pyarrow as pa
import pytest

import copysift
from copysift.errors import UsageError
from tests.corpus.texts import text, write_jsonl


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_python_gives_back_what_it_was_given():
    base, other = text(50, 1), text(50, 2)
    assert copysift.dedup([base, other, base]) == [base, other]
    assert copysift.dedup(iter([{"text": base}, {"text": base}, {"no": 1}])) == [{"text": base}, {"no": 1}]
    table = pa.table({"text": [base, base, other], "n": [1, 2, 3]})
    assert copysift.dedup(table, keep="best:n")["n"].to_pylist() == [2, 3]
    found = copysift.cluster([base, other, base.upper()])
    assert [cluster.members for cluster in found.clusters] == [("0", "2")]
    reader = table.to_reader(max_chunksize=2)
    named = table.append_column("id", [["a", "b", "c"]])
    assert copysift.dedup(reader)["n"].to_pylist() == [1, 3]
    assert [cluster.members for cluster in copysift.cluster(named.to_reader()).clusters] == [("a", "b")]


@pytest.mark.parametrize("function", [copysift.cluster, copysift.dedup])
def test_what_is_not_several_documents_is_refused(function, tmp_path):
    for given, message in (
        ({"text": "x"}, "one document"),
        (b"a text", "one document"),
        ([tmp_path, "a text"], "paths and documents are mixed"),
        (7, "of type int"),
    ):
        with pytest.raises(UsageError, match=message):
            function(given)
    for given in ("a text", text(500, 1), tmp_path / "nothing", str(tmp_path / "*.jsonl")):
        with pytest.raises(copysift.InputError, match="file or folder not found"):
            function(given)


def test_a_pandas_frame_is_clustered_and_comes_back_as_one():
    pandas = pytest.importorskip("pandas")
    base, other = text(50, 1), text(50, 2)
    frame = pandas.DataFrame(
        {"id": ["a", "b", "c", "d"], "text": [base, base, other, None]}, index=[9, 8, 7, 6]
    )
    kept = copysift.dedup(frame)
    assert isinstance(kept, pandas.DataFrame)
    assert kept["id"].tolist() == ["a", "c", "d"]
    assert kept.index.tolist() == [9, 7, 6]
    assert [cluster.members for cluster in copysift.cluster(frame).clusters] == [("a", "b")]


def test_a_polars_frame_is_clustered_and_comes_back_as_one():
    polars = pytest.importorskip("polars")
    base, other = text(50, 1), text(50, 2)
    frame = polars.DataFrame({"id": ["a", "b", "c"], "text": [base, base, other]})
    kept = copysift.dedup(frame)
    assert isinstance(kept, polars.DataFrame)
    assert kept["id"].to_list() == ["a", "c"]
    assert [cluster.members for cluster in copysift.cluster(frame).clusters] == [("a", "b")]


def test_rows_that_are_not_utf_8_are_counted_as_rows():
    bad = pa.array([b"\xff " + text(50, 1).encode(), b"x"], pa.binary()).cast(pa.string(), safe=False)
    table = pa.table(
        {"text": pa.chunked_array([bad.slice(0, 1), pa.array([text(50, 2)] * 2)]), "n": [1, 2, 3]}
    )
    assert copysift.dedup(table)["n"].to_pylist() == [1, 2]


def test_a_lazy_frame_comes_back_as_one():
    polars = pytest.importorskip("polars")
    base, other = text(50, 1), text(50, 2)
    frame = polars.LazyFrame({"id": ["a", "b", "c"], "text": [base, base, other]})
    kept = copysift.dedup(frame)
    assert isinstance(kept, polars.LazyFrame)
    assert kept.collect()["id"].to_list() == ["a", "c"]
    assert len(copysift.cluster(frame).clusters) == 1


def test_a_relation_of_duckdb_comes_back_as_a_table():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute("create table pages (id text, text text)")
        connection.executemany(
            "insert into pages values (?, ?)",
            [("a", text(50, 1)), ("b", text(50, 2)), ("c", text(50, 1))],
        )
        assert copysift.dedup(connection.table("pages"))["id"].to_pylist() == ["a", "b"]
        (found,) = copysift.cluster(connection.sql("select * from pages")).clusters
    assert found.members == ("a", "c")


def test_data_sets_of_hugging_face_are_deduplicated():
    datasets = pytest.importorskip("datasets")
    rows = [{"id": name, "text": text(50, seed)} for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    whole = datasets.Dataset.from_list(rows)
    kept = copysift.dedup(whole)
    assert isinstance(kept, datasets.Dataset)
    assert kept["id"][:] == ["a", "c"]
    assert copysift.dedup(whole.select([2, 1]))["id"][:] == ["c", "b"]
    assert copysift.dedup(whole.to_iterable_dataset()) == [rows[0], rows[2]]
    assert len(copysift.cluster(whole.to_iterable_dataset()).clusters) == 1


def test_views_of_strings_are_texts():
    table = pa.table(
        {"id": ["a", "b", "c"], "text": pa.array([text(50, 1), text(50, 1), text(50, 2)], pa.string_view())}
    )
    assert copysift.dedup(table)["id"].to_pylist() == ["a", "c"]


def test_what_has_an_arrow_stream_is_a_table():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"text": [text(50, 1)] * 2}).__arrow_c_stream__(requested_schema)

    assert len(copysift.dedup(Stream())) == 1


def test_documents_and_named_texts_are_deduplicated():
    base = text(50, 1)
    items = [copysift.Document.of("a", base), ("b", base), ("c", text(50, 2))]
    assert copysift.dedup(items) == [items[0], items[2]]
    assert copysift.cluster(items).clusters == (copysift.Cluster(("a", "b")),)


def test_files_are_clustered_and_deduplicated_by_path_and_glob(tmp_path):
    write_jsonl(tmp_path / "a.jsonl", [{"id": "1", "text": text(50, 1)}, {"id": "2", "text": text(50, 2)}])
    write_jsonl(tmp_path / "b.jsonl", [{"id": "3", "text": text(50, 1), "lang": "en"}])
    for given in (
        tmp_path,
        str(tmp_path),
        f"{tmp_path}/*.jsonl",
        [tmp_path / "a.jsonl", tmp_path / "b.jsonl"],
    ):
        assert [len(each.members) for each in copysift.cluster(given).clusters] == [2]
        done = copysift.dedup(given)
        assert repr(done) == "<DedupResult: 3 documents, 2 kept, 1 removed>"
        assert done.reasons == {"identical": 1}
        assert done.to_arrow()["text"].to_pylist() == [text(50, 1), text(50, 2)]
        assert done.to_pandas("removed")["reason"].tolist() == ["identical"]
        assert "<td>identical</td><td>1</td>" in done._repr_html_()
    written = copysift.dedup(f"{tmp_path}/?.jsonl", output=tmp_path / "out.jsonl", keep="longest")
    assert [row["id"] for row in lines(tmp_path / "out.jsonl")] == ["1", "2"]
    assert written.to_polars()["id"].to_list() == ["1", "2"]
    assert written.to_arrow("removed")["document"].to_pylist() == ["3"]
    with pytest.raises(UsageError, match="output is for files"):
        copysift.dedup(["a", "b"], output=tmp_path / "x.jsonl")
