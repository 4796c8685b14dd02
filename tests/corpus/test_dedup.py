import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import copysift
from copysift.cli.main import main
from copysift.clusters.retention import keep
from copysift.engines.dedup_steps import dedup
from copysift.errors import UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import edited, mixed, run, text, write_jsonl


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def clean(source, target, settings=None, **given):
    return dedup([str(source)], target, make(CorpusSettings, settings or {}), **given)


def chain(count=6, share=0.03):
    """Documents of which only neighbours are alike."""
    found = [text(400, "chain")]
    for number in range(count - 1):
        found.append(edited(found[-1], share, number))
    return [{"id": f"c{n}", "text": each, "score": n % 4} for n, each in enumerate(found)]


def test_one_of_each_cluster_stays_and_the_removed_name_it(tmp_path):
    base = text(100, 1)
    records = [
        {"id": 1, "text": base, "lang": "en"},
        {"id": 2, "text": text(100, 2), "tags": ["x", {"y": None}]},
        {"id": 3, "text": base},
        {"id": 4, "text": base.upper()},
        {"id": 5, "text": base + " more words"},
    ]
    done = clean(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "out.jsonl")
    assert (done.documents, done.kept, done.removed) == (5, 2, 3)
    assert lines(tmp_path / "out.jsonl") == records[:2]
    removed = {row["document"]: (row["kept"], row["reason"]) for row in lines(tmp_path / "out.removed.jsonl")}
    assert removed == {"3": ("1", "identical"), "4": ("1", "lexically equivalent"), "5": ("1", "similar")}


def test_every_record_of_the_sources_is_kept_or_listed_with_the_reason(tmp_path):
    base = text(100, 1)
    given = [{"id": "a", "text": base}, {"id": "b", "text": None}, {"id": "c"}, {"id": "d", "text": base}]
    source = write_jsonl(tmp_path / "c.jsonl", given)
    source.write_bytes(source.read_bytes() + b'{"id": "e", "text": "\xff"}\n{broken\n')
    clean(source, tmp_path / "out.jsonl")
    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == ["a", "e"]
    listed = [(row["document"], row["kept"], row["reason"]) for row in lines(tmp_path / "out.removed.jsonl")]
    skipped = [
        (f"{source}:2", None, "its field 'text' is null"),
        (f"{source}:3", None, "has no field 'text'"),
        (f"{source}:6", None, listed[-1][2]),
    ]
    assert listed == [("d", "a", "identical"), *skipped]
    assert listed[-1][2].startswith("broken JSON")
    clean(source, tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.removed.parquet").to_pylist()
    assert [(row["document"], row["kept"], row["reason"]) for row in found] == listed
    run(write_jsonl(tmp_path / "t.jsonl", [{"id": "q", "text": base}]), tmp_path / "run")
    clean(source, tmp_path / "cut.jsonl", against=tmp_path / "run", passages="cut")
    assert [row["document"] for row in lines(tmp_path / "cut.removed.jsonl")] == [
        "a",
        "d",
        *(name for name, _, _ in skipped),
    ]


@pytest.mark.parametrize("policy", ["component", "representative", "complete"])
@pytest.mark.parametrize("keeping", ["first", "longest", "best:score"])
def test_no_document_goes_that_is_not_alike_to_the_one_kept(tmp_path, policy, keeping):
    records = [{"score": n, **each} for n, each in enumerate(chain() + mixed(60, seed=6))]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    done = clean(source, tmp_path / "out.jsonl", {"policy": policy}, keeping=keeping)
    texts = {record["id"]: record["text"] for record in records}
    kept = {record["id"] for record in lines(tmp_path / "out.jsonl")}
    removed = lines(tmp_path / "out.removed.jsonl")
    assert len(kept) == done.kept
    assert {row["document"] for row in removed} == texts.keys() - kept
    for row in removed:
        assert row["kept"] in kept
        truth = copysift.resemblance(texts[row["document"]], texts[row["kept"]])
        assert row["resemblance"] == pytest.approx(truth)
        assert truth >= 0.5


def test_keep_chooses_by_length_date_or_a_field(tmp_path):
    base = text(100, 1)
    records = [
        {"id": "a", "text": base, "when": "2020", "q": 3},
        {"id": "b", "text": base + " and more", "when": "2019", "q": 1},
        {"id": "c", "text": base, "when": "2021", "q": 2},
    ]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    for keeping, best in (("first", "a"), ("longest", "b"), ("newest", "c"), ("best:q", "a")):
        clean(source, tmp_path / "out.jsonl", {"date_field": "when"}, keeping=keeping)
        assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == [best]
    with pytest.raises(UsageError, match="no record has a number in the field 'zz'"):
        clean(source, tmp_path / "out.jsonl", keeping="best:zz")


def test_shards_together_hold_what_stays_and_a_dry_run_writes_nothing(tmp_path):
    records = [{"id": str(n), "text": text(30, n)} for n in range(10)]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    clean(source, tmp_path / "out.parquet", shards=4)
    shards = sorted(tmp_path.glob("out-*-of-00004.parquet"))
    assert [pq.read_metadata(path).num_rows for path in shards] == [2, 3, 2, 3]
    assert [row["id"] for path in shards for row in pq.read_table(path).to_pylist()] == [
        r["id"] for r in records
    ]
    before = set(tmp_path.iterdir())
    assert clean(source, tmp_path / "none.jsonl", dry_run=True).kept == 10
    assert set(tmp_path.iterdir()) == before


def test_against_drops_only_what_the_run_has(tmp_path):
    base, fresh = text(200, 1), text(200, 2)
    run(write_jsonl(tmp_path / "old.jsonl", [{"id": "o", "text": base}]), tmp_path / "run")
    new = [
        {"id": "n1", "text": base},
        {"id": "n2", "text": edited(base, 0.01, 1)},
        {"id": "n3", "text": fresh},
        {"id": "n4", "text": fresh},
    ]
    done = clean(write_jsonl(tmp_path / "new.jsonl", new), tmp_path / "out.jsonl", against=tmp_path / "run")
    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == ["n3", "n4"]
    assert (done.documents, done.removed) == (4, 2)
    assert {row["kept"] for row in lines(tmp_path / "out.removed.jsonl")} == {"o"}


@pytest.mark.parametrize("how", ["cut", "flag"])
def test_passages_of_a_test_set_are_cut_or_flagged(tmp_path, how):
    question = text(30, "question")
    run(write_jsonl(tmp_path / "test.jsonl", [{"id": "q", "text": question}]), tmp_path / "run")
    before, after = text(50, "before"), text(50, "after")
    new = [
        {"id": "a", "text": f"{before} {question} {after}", "x": 1},
        {"id": "b", "text": before},
        {"id": "c", "text": question},
    ]
    clean(
        write_jsonl(tmp_path / "new.jsonl", new),
        tmp_path / "out.jsonl",
        against=tmp_path / "run",
        passages=how,
    )
    found = {record["id"]: record for record in lines(tmp_path / "out.jsonl")}
    if how == "cut":
        assert found["a"] == {"id": "a", "text": f"{before}  {after}", "x": 1}
        assert found.keys() == {"a", "b"}
    else:
        ((start, end),) = found["a"]["passages"]
        assert found["a"]["text"][start:end] == question
        assert "passages" not in found["b"]


def test_a_large_component_is_led_by_the_best_although_not_all_pairs_are_known():
    rank = np.array([5, 4, 3, 2, 1, 0])
    star = np.zeros(5, np.int64), np.arange(1, 6)
    everyone = lambda left, right: np.ones(len(left), np.bool_)  # noqa: E731 - says it all
    nobody = lambda left, right: np.zeros(len(left), np.bool_)  # noqa: E731
    assert keep(rank, *star, "representative", everyone, 3).tolist() == [5] * 6
    assert keep(rank, *star, "representative", nobody, 3).tolist() == [5, 1, 2, 3, 4, 5]
    assert keep(rank, *star, "component", everyone, 3).tolist() == [5] * 6
    assert keep(rank, *star, "component", nobody, 3).tolist() == [5, 1, 2, 3, 4, 5]


def test_records_keep_their_fields_their_names_and_their_order(tmp_path):
    records = [
        {"score": 7, "url": "http://x/1", "text": text(60, 1), "when": "2024", "id": None},
        {"text": text(60, 2), "url": "http://x/2", "score": "high"},
        {"text": text(60, 2), "url": "http://x/3"},
        {"url": "http://x/4", "text": text(60, 4), "meta": {"b": 1, "a": [1, 2]}, "score": 1.5},
        {"url": "http://x/5", "text": text(60, 5), "meta": {"c": 3}, "score": 10**30},
    ]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    clean(source, tmp_path / "out.jsonl")
    kept = [records[n] for n in (0, 1, 3, 4)]
    written = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert written == [json.dumps(record) for record in kept]
    clean(source, tmp_path / "out.parquet")
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["url"] for row in rows] == [record["url"] for record in kept]
    assert "id" not in {name for row in rows for name, value in row.items() if value is not None}
    for row, record in zip(rows, kept, strict=True):
        spare = json.loads(row.pop("other") or "{}")
        back = {name: value for name, value in (row | spare).items() if value is not None}
        wanted = {name: value for name, value in record.items() if value is not None}
        if isinstance(back.get("meta"), dict) and "meta" not in spare:
            back["meta"] = {name: value for name, value in back["meta"].items() if value is not None}
        assert back == wanted


def test_a_table_keeps_its_columns_in_their_order(tmp_path):
    table = pa.table(
        {"n": [3, 1, 2], "text": [text(50, 1), text(50, 1), text(50, 2)], "uri": ["a", "b", "c"]}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    clean(tmp_path / "t.parquet", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.names[:3] == ["n", "text", "uri"]
    assert found.select(["n", "text", "uri"]).to_pylist() == table.take([0, 2]).to_pylist()


def test_passages_that_go_across_tags_are_found_and_the_tags_stay(tmp_path):
    secret = text(30, "secret").split()
    run(write_jsonl(tmp_path / "test.jsonl", [{"id": "t", "text": " ".join(secret)}]), tmp_path / "RUN")
    body = " ".join(secret[:14]) + "</b> <p class='x'>" + " ".join(secret[14:])
    page = f"<html><body>Before all of it <b>{body}</p> and after all of it</body></html>"
    source = write_jsonl(tmp_path / "c.jsonl", [{"id": "p", "text": page}])
    clean(source, tmp_path / "out.jsonl", against=tmp_path / "RUN", passages="cut")
    (left,) = lines(tmp_path / "out.jsonl")
    assert left["text"] == (
        "<html><body>Before all of it <b></b><p class='x'></p> and after all of it</body></html>"
    )
    clean(source, tmp_path / "flag.jsonl", against=tmp_path / "RUN", passages="flag")
    (flagged,) = lines(tmp_path / "flag.jsonl")
    ((start, end),) = flagged["passages"]
    assert page.encode()[start:end].decode() == body


@pytest.mark.parametrize("passages", ["", "flag"])
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_half_a_surrogate_pair_is_replaced_where_it_must_be_encoded(tmp_path, suffix, passages):
    half, pair = "\\ud800", "\\ud83d\\ude00"
    source = tmp_path / "c.jsonl"
    source.write_text(
        f'{{"id":"a","text":"{text(60, 1)} {half} end {pair}"}}\n'
        f'{{"id":"b","text":"{text(60, 2)}","{half}k":["{half}",{{"x":"y{half}"}}]}}\n'
    )
    given = {}
    if passages:
        run(source, tmp_path / "RUN")
        given = {"against": tmp_path / "RUN", "passages": passages}
    target = tmp_path / f"out.{suffix}"
    assert clean(source, target, **given).kept == 2
    if suffix == "jsonl" and not passages:
        assert target.read_bytes() == source.read_bytes()
        return
    first, second = lines(target) if suffix == "jsonl" else pq.read_table(target).to_pylist()
    assert first["text"] == f"{text(60, 1)} \ufffd end \U0001f600"
    assert second["id"] == "b"
    assert "\ufffd" in str(second)


def test_a_finished_run_is_applied_at_any_threshold_without_comparing_again(tmp_path, monkeypatch):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(100, seed=8))
    assert main(["cluster", str(source), "-q", "-o", str(tmp_path / "run")]) == 0
    for threshold, keeping in ((".5", "first"), (".9", "longest")):
        asked = ["-q", "--overwrite", "--threshold", threshold, "--keep", keeping, "-o"]
        assert main(["dedup", str(source), *asked, str(tmp_path / "anew.jsonl")]) == 0
        with monkeypatch.context() as patched:
            patched.setattr("copysift.engines.phases.sketch", None)
            assert (
                main(["dedup", "--from", str(tmp_path / "run"), *asked, str(tmp_path / "applied.jsonl")]) == 0
            )
        assert (tmp_path / "applied.jsonl").read_text() == (tmp_path / "anew.jsonl").read_text()


def test_a_run_is_not_applied_below_its_floor_or_to_sources_that_changed(tmp_path, capsys):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(30, seed=8))
    assert main(["cluster", str(source), "-q", "-o", str(tmp_path / "run")]) == 0
    applied = ["dedup", "--from", str(tmp_path / "run"), "-q", "-o", str(tmp_path / "out.jsonl")]
    assert main([*applied, "--threshold", ".1"]) == 2
    assert "below the --floor 0.3" in capsys.readouterr().err
    source.write_text(source.read_text() + '{"id": "new", "text": "one more"}\n')
    assert main(applied) == 2
    assert "have changed since" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_python_drops_what_a_run_has(tmp_path):
    base, other = text(50, 1), text(50, 2)
    copysift.cluster([base], run=tmp_path / "run")
    assert copysift.dedup([base, other, other], against=tmp_path / "run") == [other, other]
    write_jsonl(tmp_path / "c.jsonl", [{"id": "1", "text": base}, {"id": "2", "text": other}])
    done = copysift.dedup(tmp_path / "c.jsonl", against=tmp_path / "run")
    assert done.to_arrow()["id"].to_pylist() == ["2"]
    with pytest.raises(UsageError, match="shingle"):
        copysift.dedup([base, other], against=tmp_path / "run", shingle=5)


@pytest.mark.parametrize("how", ["cut", "flag"])
def test_python_cuts_or_flags_passages_that_a_run_has(tmp_path, how):
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    datasets = pytest.importorskip("datasets")
    secret, before, after = text(30, "secret"), text(20, "before"), text(20, "after")
    copysift.cluster([secret], run=tmp_path / "run")
    given = {"against": tmp_path / "run", "passages": how}
    rows = [{"id": "a", "text": f"{before} {secret} {after}"}, {"id": "b", "text": after}]
    rows += [{"id": "c", "text": secret}] if how == "cut" else []
    if how == "cut":
        field, expected = "text", [f"{before}  {after}", after]
        assert copysift.dedup([row["text"] for row in rows], **given) == expected
    else:
        field, expected = "passages", [[[len(before) + 1, len(before) + 1 + len(secret)]], None]
        with pytest.raises(UsageError, match="only records can be flagged"):
            copysift.dedup(["a", "b"], **given)
    assert [row.get(field) for row in copysift.dedup(rows, **given)] == expected
    table = pa.Table.from_pylist(rows)
    assert copysift.dedup(table, **given)[field].to_pylist() == expected
    assert copysift.dedup(polars.DataFrame(rows), **given)[field].to_list() == expected
    assert copysift.dedup(polars.LazyFrame(rows), **given).collect()[field].to_list() == expected
    assert copysift.dedup(pandas.DataFrame(rows), **given)[field].tolist() == expected
    assert copysift.dedup(datasets.Dataset.from_list(rows), **given)[field][:] == expected
    source = write_jsonl(tmp_path / "c.jsonl", rows)
    assert copysift.dedup(source, **given).to_arrow()[field].to_pylist() == expected


def test_a_run_is_applied_as_it_was_clustered_last_unless_asked_otherwise(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(60, seed=8))
    copysift.cluster(source, run=tmp_path / "run")
    assert main(["recluster", str(tmp_path / "run"), "--threshold", "90%", "-q"]) == 0
    applied = copysift.dedup(from_run=tmp_path / "run").removed
    assert applied == copysift.dedup(from_run=tmp_path / "run", threshold=0.9).removed
    assert applied < copysift.dedup(from_run=tmp_path / "run", threshold=0.5, policy="component").removed


def test_python_applies_a_finished_run(tmp_path, monkeypatch):
    records = [{"id": f"r{number}", "text": row["text"]} for number, row in enumerate(mixed(60, seed=8))]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    expected = [row["id"] for row in copysift.dedup(records, threshold=0.8, keep="longest")]
    assert 0 < len(expected) < len(records)
    copysift.cluster(source, run=tmp_path / "files")
    copysift.cluster(records, run=tmp_path / "memory")
    monkeypatch.setattr("copysift.engines.phases.sketch", None)
    asked = {"threshold": 0.8, "keep": "longest"}
    done = copysift.dedup(from_run=tmp_path / "files", **asked)
    assert done.to_arrow()["id"].to_pylist() == expected
    kept = copysift.dedup(records, from_run=tmp_path / "memory", **asked)
    assert [row["id"] for row in kept] == expected
    with pytest.raises(copysift.InputError, match="was made of other documents"):
        copysift.dedup([*records[1:], records[0]], from_run=tmp_path / "memory")
    with pytest.raises(UsageError, match="below the floor"):
        copysift.dedup(records, from_run=tmp_path / "memory", threshold=0.1)
    with pytest.raises(UsageError, match="nothing to deduplicate"):
        copysift.dedup()


def letters(record):
    return record["text"].split()


def test_features_may_be_a_function():
    tags = ["a b c d e", "e d c b a", "x y z"]
    assert copysift.dedup(tags, features=lambda record: record["text"].split()) == [tags[0], tags[2]]
    found = copysift.cluster(tags, features=letters)
    assert found.settings["features"] == f"{__name__}:letters"
    assert found.clusters == (copysift.Cluster(("0", "1")),)

    def wrong(record):
        raise ValueError("no")

    with pytest.raises(UsageError, match="wrong failed for record 0: ValueError: no"):
        copysift.cluster(tags, features=wrong)


def test_a_run_that_was_made_as_usual_keeps_what_dedup_of_its_sources_keeps(tmp_path):
    records = chain()
    source = write_jsonl(tmp_path / "c.jsonl", records)
    copysift.cluster(source, run=tmp_path / "run")
    kept = [record["id"] for record in copysift.dedup(records)]
    done = copysift.dedup(from_run=tmp_path / "run", output=tmp_path / "out.jsonl")
    assert [row["id"] for row in lines(tmp_path / "out.jsonl")] == kept
    assert done.kept == len(kept) > 1
    assert main(["recluster", str(tmp_path / "run"), "--policy", "component", "-q"]) == 0
    chained = [record["id"] for record in copysift.dedup(records, policy="component")]
    copysift.dedup(from_run=tmp_path / "run", output=tmp_path / "out.jsonl", overwrite=True)
    assert [row["id"] for row in lines(tmp_path / "out.jsonl")] == chained != kept


def test_by_containment_the_document_stays_that_has_the_other_in_it(tmp_path):
    whole = text(300, "whole")
    part = " ".join(whole.split()[:90])
    records = [{"id": "part", "text": part}, {"id": "whole", "text": whole}]
    assert len(copysift.dedup(records)) == 2
    assert [row["id"] for row in copysift.dedup(records, measure="containment")] == ["whole"]
    assert [row["id"] for row in copysift.dedup(records, measure="containment", keep="first")] == ["part"]
    copysift.cluster(write_jsonl(tmp_path / "c.jsonl", records), run=tmp_path / "run", measure="containment")
    copysift.dedup(from_run=tmp_path / "run", output=tmp_path / "out.jsonl", overwrite=True)
    assert [row["id"] for row in lines(tmp_path / "out.jsonl")] == ["whole"]


def test_the_list_of_removed_names_records_by_their_own_ids(tmp_path):
    said, again = text(40, "said"), text(40, "again")
    old = write_jsonl(tmp_path / "old.jsonl", [{"id": "7", "text": said}, {"id": "8", "text": again}])
    rows = [{"id": "8", "text": said}, {"id": "7", "text": text(40, "new")}, {"id": "9", "text": again}]
    new = write_jsonl(tmp_path / "new.jsonl", [*rows, {"id": "10", "text": rows[1]["text"]}])
    out = tmp_path / "out.jsonl"
    assert main(["dedup", str(new), "--earlier", str(old), "-o", str(out), "-q"]) == 0
    removed = [
        (row["document"], row["kept"], row["earlier"]) for row in lines(tmp_path / "out.removed.jsonl")
    ]
    assert removed == [("8", "7", True), ("9", "8", True), ("10", "7", False)]
