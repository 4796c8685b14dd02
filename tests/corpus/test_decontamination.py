"""Items of benchmarks in a corpus: found, reported and cut."""

import csv
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import copysift as library
from copysift.engines.dedup_steps import dedup
from copysift.errors import InputError, UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.cli.program import copysift
from tests.corpus.texts import run, text, words, write_jsonl

PLANTED = 100


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Two benchmarks of 300 items in all, and 600 documents with 100 of them, every other with changes."""
    folder = tmp_path_factory.mktemp("planted")
    chance = random.Random(5)
    items = [words(chance.randint(20, 60), f"item {n}") for n in range(300)]
    documents = [words(150, f"document {n}") for n in range(600)]
    chosen = chance.sample(range(300), PLANTED)
    for number, item in enumerate(chosen):
        copy = [f"other{at}" if number % 2 and at % 15 == 12 else word for at, word in enumerate(items[item])]
        documents[3 * number][70:70] = copy
    write_jsonl(
        folder / "train.jsonl", [{"id": f"d{n}", "text": " ".join(d)} for n, d in enumerate(documents)]
    )
    asked = [{"id": f"q{n}", "question": " ".join(item)} for n, item in enumerate(items)]
    write_jsonl(folder / "one.jsonl", asked[:150])
    rows = [{"id": each["id"], "prompt": each["question"]} for each in asked[150:]]
    pq.write_table(pa.Table.from_pylist(rows), folder / "two.parquet")
    return folder, {f"q{item}": f"d{3 * number}" for number, item in enumerate(chosen)}


def job(folder, **given):
    settings = make(CorpusSettings, given, "dedup")
    tests = [str(folder / "one.jsonl"), str(folder / "two.parquet")]
    return dedup([str(folder / "train.jsonl")], folder / "clean.jsonl", settings, tests=tests)


def test_every_planted_item_is_found_in_its_document_and_no_other(planted):
    folder, where = planted
    found = job(folder).contamination
    assert {item.name: item.holders[0].document for item in found.items} == where
    assert all(item.documents == 1 for item in found.items)
    assert [(name, items) for name, items, _ in found.benchmarks] == [
        ("one.jsonl", 150),
        ("two.parquet", 150),
    ]
    assert sum(dirty for _, _, dirty in found.benchmarks) == PLANTED
    assert sum(item.share == 1 for item in found.items) == PLANTED // 2
    assert all(item.share > 0.3 for item in found.items)
    for item in found.items:
        covered = sum(len(item.text[start:end].split()) for start, end in item.covered)
        assert covered / item.words == pytest.approx(item.share)


def test_what_was_found_is_cut_and_every_cut_is_listed(planted):
    folder, where = planted
    before = {each["id"]: each["text"] for each in rows(folder / "train.jsonl")}
    done = job(folder)
    after = {each["id"]: each["text"] for each in rows(folder / "clean.jsonl")}
    audit = rows(folder / "clean.passages.jsonl")
    assert {row["document"] for row in audit} == set(where.values())
    assert len(audit) == done.passages
    for row in audit:
        assert before[row["document"]].encode()[row["start"] : row["end"]].decode() == row["text"]
        assert row["text"] not in after[row["document"]]
        assert where[row["item"]] == row["document"]
        assert row["benchmark"] in ("one.jsonl", "two.parquet")
        assert row["items"] == 1
    assert {name for name in before if before[name] != after[name]} == set(where.values())
    again = dedup(
        [str(folder / "clean.jsonl")],
        None,
        CorpusSettings(),
        tests=[str(folder / "one.jsonl"), str(folder / "two.parquet")],
    )
    assert again.contamination.items == ()


def test_the_audit_names_the_item_that_a_passage_has_most_of_and_counts_all(tmp_path):
    item = words(60, "item")
    parts = {"first": item[:25], "most": item[10:60], "other": words(40, "other")}
    write_jsonl(tmp_path / "t.jsonl", [{"id": name, "text": " ".join(some)} for name, some in parts.items()])
    text = " ".join([*words(20, "a"), *item, *words(20, "b")])
    source = write_jsonl(tmp_path / "train.jsonl", [{"id": "d", "text": text}])
    for unit in ("word", "paragraph"):
        settings = make(CorpusSettings, {"cut_at": unit}, "dedup")
        dedup([str(source)], tmp_path / f"{unit}.csv", settings, tests=[str(tmp_path / "t.jsonl")])
    assert not (tmp_path / "paragraph.passages.csv").read_text()  # not all of it is in an item
    (row,) = csv.DictReader(io.StringIO((tmp_path / "word.passages.csv").read_text()))
    assert (row["benchmark"], row["item"], row["items"]) == ("t.jsonl", "most", "2")
    assert row["text"] == " ".join(item)


def test_a_run_of_the_corpus_saves_reading_documents_that_have_nothing(planted):
    folder, where = planted
    run(folder / "train.jsonl", folder / "run")
    tests = [str(folder / "one.jsonl"), str(folder / "two.parquet")]
    done = dedup([], folder / "from.jsonl", CorpusSettings(), from_run=folder / "run", tests=tests)
    assert done.contamination.items == job(folder).contamination.items
    assert done.contamination.documents == len(where)
    assert 4 * done.text_bytes < done.corpus_bytes
    assert (folder / "from.jsonl").read_bytes() == (folder / "clean.jsonl").read_bytes()
    wide = make(CorpusSettings, {"min_passage": 8}, "dedup")  # shorter than the shingles of the run
    every = dedup([], None, wide, from_run=folder / "run", tests=tests)
    assert every.contamination.documents == 600


def test_passages_and_shares_that_are_too_small_do_not_count(tmp_path):
    item = words(40, "item")
    write_jsonl(tmp_path / "test.jsonl", [{"id": "q", "text": " ".join(item)}])
    pieces = {"whole": item, "half": item[:20], "dozen": item[5:17], "few": item[:8]}
    documents = [
        {"id": name, "text": " ".join([*words(30, name), *some, *words(30, name * 2)])}
        for name, some in pieces.items()
    ]
    source = write_jsonl(tmp_path / "train.jsonl", documents)

    def holders(**given):
        settings = make(CorpusSettings, given, "dedup")
        done = dedup([str(source)], None, settings, tests=[str(tmp_path / "test.jsonl")])
        return [(each.document, each.share) for item in done.contamination.items for each in item.holders]

    assert holders() == [("whole", 1), ("half", 0.5), ("dozen", 0.3)]
    assert holders(min_passage=15) == [("whole", 1), ("half", 0.5)]
    assert holders(min_passage=7) == [("whole", 1), ("half", 0.5), ("dozen", 0.3), ("few", 0.2)]
    assert holders(min_overlap=0.4) == [("whole", 1), ("half", 0.5)]
    assert holders(min_overlap=0.6) == [("whole", 1)]


def test_an_item_shorter_than_a_shingle_is_found_whole(tmp_path):
    items = [{"id": "short", "text": "how many legs has a spider"}, {"id": "tiny", "text": "why not"}]
    write_jsonl(tmp_path / "test.jsonl", items)
    documents = [
        {"id": "a", "text": f"{text(30, 1)} How many legs has a spider? {text(30, 2)} why not"},
        {"id": "b", "text": f"{text(30, 3)} how many legs has a beetle {text(30, 4)}"},
    ]
    source = write_jsonl(tmp_path / "train.jsonl", documents)
    found = dedup([str(source)], None, CorpusSettings(), tests=[str(tmp_path / "test.jsonl")]).contamination
    assert [(item.name, [each.document for each in item.holders]) for item in found.items] == [
        ("short", ["a"])
    ]
    assert found.too_short == (("test.jsonl", "tiny"),)


def test_what_all_items_begin_with_counts_for_none(tmp_path):
    task = text(25, "task")
    items = [{"id": f"q{n}", "text": f"{task} {text(20, n)}"} for n in range(150)]
    write_jsonl(tmp_path / "test.jsonl", items)
    documents = [{"id": "task", "text": f"{text(30, 'x')} {task} {text(30, 'y')}"}, {"id": "q7", **items[7]}]
    source = write_jsonl(tmp_path / "train.jsonl", documents)
    found = dedup([str(source)], None, CorpusSettings(), tests=[str(tmp_path / "test.jsonl")]).contamination
    assert [item.name for item in found.items] == ["q7"]
    assert found.items[0].share == 1
    assert found.ignored == 16


def test_items_can_have_several_fields_and_come_from_a_saved_data_set(tmp_path):
    folder = tmp_path / "mmlu"
    folder.mkdir()
    table = pa.table({"question": [text(8, "q")], "choices": [[text(6, "a"), text(7, "b")]], "answer": [1]})
    with pa.ipc.new_stream(folder / "data-00000-of-00001.arrow", table.schema) as stream:
        stream.write_table(table)
    for name in ("state.json", "dataset_info.json"):
        (folder / name).write_text("{}")
    whole = " ".join([text(8, "q"), text(6, "a"), text(7, "b")])
    source = write_jsonl(
        tmp_path / "train.jsonl", [{"id": "d", "text": f"{text(40, 1)} {whole} {text(40, 2)}"}]
    )
    settings = make(CorpusSettings, {"test_field": "question,choices[*]"}, "dedup")
    found = dedup([str(source)], None, settings, tests=[str(folder)]).contamination
    assert [(item.words, item.share) for item in found.items] == [(21, 1)]
    usual = dedup([str(source)], None, CorpusSettings(), tests=[str(folder)]).contamination
    assert [(item.words, item.share) for item in usual.items] == [(8, 1)]  # the question alone


def test_the_command_reports_in_every_format_and_changes_nothing_without_an_output(tmp_path, planted):
    folder, where = planted
    before = sorted(folder.iterdir())
    asked = ("--test", str(folder / "one.jsonl"), "--test", str(folder / "two.parquet"))
    for name in ("r.html", "r.json", "r.csv"):
        done = copysift(tmp_path, "dedup", str(folder / "train.jsonl"), *asked, "--report", name)
        assert done.status == 0, done.err
        assert "one.jsonl: " in done.out
        assert "would be cut" in done.out
    assert sorted(folder.iterdir()) == before
    made = json.loads((tmp_path / "r.json").read_bytes())
    assert {each["item"]: each["holders"][0]["document"] for each in made["items"]} == where
    table = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert {row["item"]: row["document"] for row in table} == where
    train = {each["id"]: each["text"] for each in rows(folder / "train.jsonl")}
    for row in table:
        assert train[row["document"]].encode()[int(row["start"]) : int(row["end"])].decode() == row["text"]
    page = (tmp_path / "r.html").read_text()
    assert page.count("<mark>") >= PLANTED
    assert "<script" not in page


def test_a_hostile_item_is_text_on_the_page(tmp_path):
    bad = "<script>alert(1)</script> " + text(20, 1)
    write_jsonl(tmp_path / "t.jsonl", [{"id": "<b>q</b>", "text": bad}])
    write_jsonl(tmp_path / "c.jsonl", [{"id": "<i>d</i>", "text": bad}, {"id": "e", "text": text(30, 2)}])
    copysift(tmp_path, "dedup", "c.jsonl", "--kind", "words", "--test", "t.jsonl", "--report", "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "script&gt;alert" in page
    assert "<script" not in page
    assert "<b>q" not in page
    assert "<i>d" not in page


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--report", "r.html"), "name it with --test"),
        (("--test", "t.jsonl", "--report", "r.pdf"), "name it .html, .json or .csv"),
        (("--test", "t.jsonl", "--save", "run", "--dry-run"), "leave out --against, --save"),
        (("--test", "no.jsonl", "--dry-run"), "no such file"),
        (("--test", "u.jsonl", "--dry-run"), "--test-field"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, arguments, reason):
    write_jsonl(tmp_path / "c.jsonl", [{"id": "a", "text": text(30, 1)}])
    write_jsonl(tmp_path / "t.jsonl", [{"id": "a", "text": text(30, 2)}])
    write_jsonl(tmp_path / "u.jsonl", [{"id": "a", "body": text(30, 2)}])
    done = copysift(tmp_path, "dedup", "c.jsonl", *arguments)
    assert done.status == 2
    assert reason in done.err


def test_a_corpus_that_is_nothing_but_the_benchmark_is_refused(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", [{"id": "a", "text": text(30, 1)}])
    with pytest.raises(UsageError, match="nothing would be left"):
        dedup([str(source)], tmp_path / "o.jsonl", CorpusSettings(), tests=[str(source)])
    assert not (tmp_path / "o.jsonl").exists()


def test_python_takes_benchmarks_for_files_and_for_documents(tmp_path):
    write_jsonl(tmp_path / "t.jsonl", [{"id": "q", "text": text(30, "q")}])
    documents = [{"id": "a", "text": f"{text(30, 1)} {text(30, 'q')}"}, {"id": "b", "text": text(30, 2)}]
    source = write_jsonl(tmp_path / "c.jsonl", documents)
    done = library.dedup(source, test=tmp_path / "t.jsonl", output=tmp_path / "o.jsonl")
    assert [item.holders[0].document for item in done.contamination.items] == ["a"]
    left = library.dedup(documents, test=[tmp_path / "t.jsonl"], report=tmp_path / "r.json")
    assert [each["text"].strip() for each in left] == [text(30, 1), text(30, 2)]
    assert json.loads((tmp_path / "r.json").read_bytes())["items"][0]["holders"][0]["document"] == "a"
    with pytest.raises(UsageError, match="name it with test"):
        library.dedup(documents, report=tmp_path / "r.json")
    with pytest.raises(InputError):
        library.dedup(documents, test=tmp_path / "missing.jsonl")


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
