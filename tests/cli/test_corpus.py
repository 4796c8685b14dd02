import json
import os

import pytest

import copysift as package
from tests.cli.program import copysift, environment
from tests.corpus.texts import text, write_jsonl

BASE = text(200, "cli")
RECORDS = [
    {"id": "a", "text": BASE},
    {"id": "b", "text": BASE},
    {"id": "c", "text": BASE + " with a few more words"},
    {"id": "d", "text": text(200, "other")},
]


def test_a_corpus_from_records_to_clusters_and_back(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run")
    assert (done.status, done.out) == (0, "")
    assert done.err == "copysift: 4 documents, 1 cluster with 3 of them, 2 pairs (1 identical): run\n"
    assert copysift(tmp_path, "cluster-of", "run", "b").out == "a\trepresentative\nb\tidentical\nc\tsimilar\n"
    assert copysift(tmp_path, "cluster-of", "run", "d").status == 1
    assert copysift(tmp_path, "cluster-of", "run", "z").status == 2
    assert copysift(tmp_path, "recluster", "run", "--threshold", ".99").out == "1 cluster with 2 documents\n"
    assert copysift(tmp_path, "collapse", "run", stdin=b"b\nd\na\n").out == "b\ta\nd\n"
    for ranked in (b'{"id": "b"}\n{"url": "d"}\n{"uri": "a", "score": 1}\n', b"b\t0.9\nd\t0.8\na\t0.1\n"):
        done = copysift(tmp_path, "collapse", "run", stdin=ranked)
        assert (done.out, done.err) == ("b\ta\nd\n", "")
    done = copysift(tmp_path, "collapse", "run", stdin=b"b\nnone\n{broken\na\n")
    assert (done.out, done.err) == ("b\ta\nnone\n{broken\n", "copysift: 2 of 4 IDs are not in run\n")
    done = copysift(tmp_path, "collapse", "run", stdin=b"none\na\n")
    assert done.err == "copysift: 1 of 2 IDs is not in run\n"
    folded = copysift(tmp_path, "collapse", "run", stdin=b'[{"id": "b"}, {"url": "d"}, {"id": "a"}]')
    assert json.loads(folded.out) == [{"document": "b", "copies": ["a"]}, {"document": "d", "copies": []}]


def test_a_run_replaces_another_only_when_told_to(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q").err == ""
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q", "--shingle", "5")
    assert done.status == 2
    assert done.err == (
        "copysift: run already contains another run\nhint: choose another folder, or add --overwrite\n"
    )
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q", "--shingle", "5", "--overwrite")
    assert (done.status, done.err) == (0, "")
    assert copysift(tmp_path, "cluster", "none.jsonl", "-o", "run", "-q").status == 2
    assert copysift(tmp_path, "cluster-of", "run", "d").status == 1


def test_query_ranks_the_documents_of_a_run(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    (tmp_path / "part.txt").write_text(" ".join(BASE.split()[50:80]))
    found = json.loads(copysift(tmp_path, "query", "run", "part.txt", "--json").out)
    assert [pair["right"] for pair in found if pair["containment_left"] == 1.0][:2] == ["a", "b"]
    nothing = copysift(tmp_path, "query", "run", "d")
    assert (nothing.status, nothing.out) == (1, "d: 0 documents\n")


def test_an_id_that_is_an_address_is_not_opened(tmp_path):
    """Without the package that reads the web, as after a plain installation."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "fsspec.py").write_text("raise ImportError('not installed')\n")
    path = f"{tmp_path / 'without'}{os.pathsep}{environment()['PYTHONPATH']}"
    pages = [{**each, "id": f"http://example.org/{each['id']}"} for each in RECORDS]
    write_jsonl(tmp_path / "c.jsonl", pages)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    done = copysift(tmp_path, "query", "run", "http://example.org/a", "--json", PYTHONPATH=path)
    assert done.status == 0, done.err
    assert json.loads(done.out)[0]["right"] == "http://example.org/b"
    unknown = copysift(tmp_path, "query", "run", "http://example.org/none", PYTHONPATH=path)
    assert (unknown.status, "fsspec" in unknown.err) == (2, True)


def test_query_of_a_run_says_that_nothing_was_found(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    done = copysift(tmp_path, "query", "run", "--text", "of this nothing is known")
    assert (done.status, done.out) == (1, "of this nothing is known: 0 documents\n")
    done = copysift(tmp_path, "query", "run", "a", "d")
    assert done.out.splitlines()[1] == "a"
    assert done.out.splitlines()[-1] == "d: 0 documents"
    assert copysift(tmp_path, "query", "run", "d", "-q").out == ""


def test_dedup_never_writes_into_a_run_or_an_index(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    copysift(tmp_path, "index", "add", "all.sift", "c.jsonl")
    for target in ("run", "run/", "all.sift"):
        before = sorted((tmp_path / target).rglob("*"))
        for sources in (["c.jsonl"], ["--from", "run"]):
            done = copysift(tmp_path, "dedup", *sources, "-o", target)
            assert (done.status, done.out) == (2, "")
            assert f"{target.rstrip('/')} is a run or an index" in done.err
        assert sorted((tmp_path / target).rglob("*")) == before
    assert not (tmp_path / "run.removed.jsonl").exists()


def test_query_of_a_run_has_threshold_format_and_output_as_that_of_an_index(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    (tmp_path / "part.txt").write_text(" ".join(BASE.split()[50:80]))
    (tmp_path / "half.txt").write_text(" ".join([*BASE.split()[50:90], *(f"new{at}" for at in range(40))]))
    assert copysift(tmp_path, "query", "run", "half.txt", "--threshold", "20%").status == 0
    assert copysift(tmp_path, "query", "run", "half.txt", "--threshold", "90%").status == 1
    assert copysift(tmp_path, "query", "run", "half.txt", "--threshold", "2").status == 2
    shown = json.loads(copysift(tmp_path, "query", "run", "part.txt", "a", "--format", "json").out)
    assert [query["name"] for query in shown["queries"]] == ["part.txt", "a"]
    assert shown["queries"][0]["bytes"] == (tmp_path / "part.txt").stat().st_size
    assert shown["version"] == 1
    plain = json.loads(copysift(tmp_path, "query", "run", "part.txt", "a", "--json").out)
    measures = ("left", "right", "shared", "equal")
    assert [[hit[name] for name in measures] for hit in shown["hits"]] == [
        [pair[name] for name in measures] for pair in plain
    ]
    done = copysift(tmp_path, "query", "run", "a", "-o", "near.csv")
    assert (done.status, done.out) == (0, "")
    head, first, *_ = (tmp_path / "near.csv").read_text().splitlines()
    assert head.startswith("left,right,equal,resemblance")
    assert first.startswith("a,b,true,1.000000")
    table = copysift(tmp_path, "query", "run", "a").out
    copysift(tmp_path, "query", "run", "a", "-o", "near.txt")
    assert (tmp_path / "near.txt").read_text() == table
    assert copysift(tmp_path, "query", "run", "a", "--json", "--format", "csv").status == 2
    assert copysift(tmp_path, "query", "run", "a", "-o", "no/near.csv").status == 2


def test_show_says_by_which_measure_documents_belong_together(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    for measure, said in (
        ("shared", "at 10 shared shingles;"),
        ("longest", "at a common passage of 100 words;"),
    ):
        copysift(tmp_path, "cluster", "c.jsonl", "-o", measure, "-q", "--measure", measure)
        assert said in copysift(tmp_path, "show", measure).out


def test_show_gives_the_whole_run_as_text_page_or_pairs(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    shown = copysift(tmp_path, "show", "run").out
    assert shown.startswith("4 documents (")
    assert "1 cluster with 3 documents at a resemblance of 50%; 50.0% of the documents" in shown
    assert "against c:" in shown
    assert copysift(tmp_path, "show", "run", "-o", "r.html").status == 0
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "http" not in page
    assert "class=add" in page
    pairs = copysift(tmp_path, "show", "run", "--format", "csv", "--threshold", "50%").out.splitlines()
    assert [line.split(",")[:3] for line in pairs[1:]] == [["a", "b", "true"], ["a", "c", "false"]]


def test_dedup_says_what_it_did_and_names_what_it_could_not_read(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", [*RECORDS, {"id": "e"}])
    done = copysift(tmp_path, "dedup", "c.jsonl", "-o", "out.jsonl")
    assert done.status == 3
    assert done.out == "4 documents: 2 kept, 2 removed\n  1 identical\n  1 similar\n"
    assert done.err == "copysift: skipped c.jsonl:5: has no field 'text'\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "out.jsonl", "out.removed.jsonl"]
    piped = copysift(tmp_path, "dedup", "-", "-o", "two.jsonl", stdin=(tmp_path / "c.jsonl").read_bytes())
    assert piped.out == done.out
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_wrong_usage_is_told_in_one_line_and_a_hint(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    for arguments, message in (
        (("cluster", "c.jsonl"), "copysift: no output folder given\n"),
        (("cluster", "-o", "run"), "copysift: nothing to cluster\n"),
        (
            ("cluster", "c.jsonl", "-o", "r.html"),
            "copysift: -o r.html: a run is a folder, not a file\n"
            "hint: use -o RUN, then copysift show RUN -o r.html\n",
        ),
        (
            ("cluster", "c.jsonl", "-o", "run", "--policy", "foo"),
            "copysift: --policy has no choice 'foo'\nhint: choose from component, representative, complete\n",
        ),
        (("dedup", "c.jsonl", "-o", "out.xls"), "copysift: no format for out.xls\n"),
        (
            ("dedup", "c.jsonl", "-o", "o.jsonl", "--passages", "cut", "--max-copies", "3", "--near", ".6"),
            "copysift: --near compares whole lines, sentences or paragraphs\n",
        ),
        (("recluster", "nowhere"), "copysift: nowhere is not a run: No such file or directory\n"),
        (
            ("cluster", "c.jsonl", "-o", "run", "--features", "no.such:thing"),
            "copysift: cannot load --features",
        ),
    ):
        done = copysift(tmp_path, *arguments)
        assert done.status == 2
        assert done.err.startswith(message)


def test_scan_reads_records_and_gives_the_spans_of_a_passage(tmp_path):
    one, other = text(300, 1), text(300, 2)
    passage = " ".join(one.split()[100:160])
    host = f"{other[:500]}\n{passage}\n{other[500:]}"
    write_jsonl(tmp_path / "c.jsonl", [{"id": "one", "text": one}, {"id": "host", "text": host}])
    found = json.loads(copysift(tmp_path, "scan", "c.jsonl", "--min-match", "200", "--format", "json").out)
    (pair,) = found["pairs"]
    assert (pair["left"], pair["right"]) == ("one", "host")
    side = pair["regions"][0]["right"]
    assert passage in host[side["start"] : side["end"]]


def test_a_config_file_sets_what_the_command_line_does_not(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    (tmp_path / "c.toml").write_text('shingle = 7\nresemblance = ".99"\nkeep = "longest"\n')
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "--config", "c.toml").status == 0
    made = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert (made["shingle"], made["resemblance"]) == (7, 0.99)
    again = ("--config", "c.toml", "--shingle", "8", "--overwrite")
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", *again)
    assert (done.status, "copysift: --resemblance is now --threshold\n" in done.err) == (0, True)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["shingle"] == 8
    done = copysift(tmp_path, "dedup", "c.jsonl", "-o", "o.jsonl", "--config", "c.toml", "--threshold", ".5")
    assert done.status == 0
    kept = [json.loads(line)["id"] for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert kept == ["c", "d"]
    (tmp_path / "c.toml").write_text("shingel = 7\n")
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "--config", "c.toml")
    assert done.status == 2
    assert "there is no setting 'shingel'" in done.err


def test_dedup_never_writes_over_a_source(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    (tmp_path / "link.jsonl").symlink_to("c.jsonl")
    (tmp_path / "c.removed.jsonl").hardlink_to(tmp_path / "c.jsonl")
    before = (tmp_path / "c.jsonl").read_bytes()
    for source, target in (
        ("c.jsonl", "c.jsonl"),
        ("c.jsonl", "./link.jsonl"),
        ("link.jsonl", "c.jsonl"),
        ("c.removed.jsonl", "c.jsonl"),
    ):
        done = copysift(tmp_path, "dedup", source, "-o", target)
        assert (done.status, done.out) == (2, "")
        assert "is one of the sources" in done.err
        assert (tmp_path / "c.jsonl").read_bytes() == before


def test_dedup_replaces_output_only_where_it_is_asked_to(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    for command in (("dedup", "c.jsonl"), ("dedup", "--from", "run")):
        for target, file in (
            ("out.jsonl", "out.jsonl"),
            ("full/", "full/c.jsonl"),
            ("list.csv", "list.removed.csv"),
        ):
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text("mine")
            done = copysift(tmp_path, *command, "-o", target)
            assert (done.status, (tmp_path / file).read_text()) == (2, "mine")
            assert f"{file} exists already" in done.err
            assert copysift(tmp_path, *command, "-o", target, "--dry-run").status == 0
            assert copysift(tmp_path, *command, "-o", target, "--overwrite").status == 0
            assert (tmp_path / file).read_text() != "mine"
            (tmp_path / target).unlink() if target.endswith(".csv") else None
            assert copysift(tmp_path, *command, "-o", "-").status == 0
    with pytest.raises(package.UsageError, match="exists already"):
        package.dedup(tmp_path / "c.jsonl", output=tmp_path / "out.jsonl")
    package.dedup(tmp_path / "c.jsonl", output=tmp_path / "out.jsonl", overwrite=True)


def test_the_best_may_be_a_number_in_a_field_of_a_field(tmp_path):
    rows = [
        {**RECORDS[0], "id": name, "meta": {"score": score}} for name, score in (("a", 1), ("b", 5), ("c", 2))
    ]
    write_jsonl(tmp_path / "c.jsonl", rows)
    done = copysift(tmp_path, "dedup", "c.jsonl", "-o", "out.jsonl", "--keep", "best:meta.score")
    assert done.status == 0, done.err
    assert [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == ["b"]
    assert [row["id"] for row in package.dedup(rows, keep="best:meta.score")] == ["b"]


@pytest.mark.parametrize(
    "command", ["cluster nothing.jsonl -o run", "dedup nothing.jsonl --save run -o x.jsonl"]
)
def test_a_missing_source_is_named_before_a_run_that_exists(tmp_path, command):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    done = copysift(tmp_path, *command.split())
    assert (done.status, done.err.splitlines()[0]) == (2, "copysift: nothing.jsonl: no such file or folder")


def test_dedup_of_what_cannot_be_read_writes_nothing(tmp_path):
    write_jsonl(tmp_path / "run.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "run.jsonl", "-o", "run", "-q")
    (tmp_path / "c.parquet").write_bytes(b"no table")
    for more in ((), ("--against", "run"), ("--against", "run", "--passages", "cut")):
        done = copysift(tmp_path, "dedup", "c.parquet", "-o", "out.jsonl", *more)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith("copysift: nothing could be read: c.parquet is not a whole Parquet file")
        assert not list(tmp_path.glob("out*"))


def test_dedup_takes_long_integers(tmp_path):
    long = 12345678901234567890
    write_jsonl(tmp_path / "c.jsonl", [{**RECORDS[0], "n": 1}, {**RECORDS[3], "n": long}])
    for name in ("out.parquet", "out.jsonl"):
        assert copysift(tmp_path, "dedup", "c.jsonl", "-o", name).status == 0
    assert copysift(tmp_path, "dedup", "out.parquet", "-o", "again.jsonl").status == 0
    assert str(long) in (tmp_path / "out.jsonl").read_text()
    assert str(long) in (tmp_path / "again.jsonl").read_text()


def test_a_function_for_features_is_found_here_and_its_failure_names_the_record(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    (tmp_path / "feat.py").write_text(
        "def good(record):\n    return record['text'].split()\n"
        "def bad(record):\n    return [1 / (record['id'] != 'b')]\n"
    )
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "--features", "feat:good").status == 0
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "other", "--features", "feat:bad")
    assert done.status == 2
    message = "copysift: --features feat:bad failed for record b: ZeroDivisionError: division by zero\n"
    assert done.err.startswith(message)


def test_a_document_that_is_cut_away_whole_is_listed_as_removed(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    fresh = {"id": "f", "text": text(100, "fresh")}
    write_jsonl(tmp_path / "new.jsonl", [{"id": "e", "text": BASE}, fresh, {"id": "g"}])
    done = copysift(tmp_path, "dedup", "new.jsonl", "-o", "o.jsonl", "--against", "run", "--passages", "cut")
    assert (done.status, done.err) == (3, "copysift: skipped new.jsonl:3: has no field 'text'\n")
    assert [json.loads(line)["id"] for line in (tmp_path / "o.jsonl").read_text().splitlines()] == ["f"]
    removed = [json.loads(line) for line in (tmp_path / "o.removed.jsonl").read_text().splitlines()]
    assert removed[0] == {"document": "e", "kept": None, "reason": "nothing left after cutting"}
    assert [(row["document"], row["kept"]) for row in removed[1:]] == [("new.jsonl:3", None)]


def test_a_run_is_not_extended_with_other_settings_than_its_own(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    write_jsonl(tmp_path / "new.jsonl", [{"id": "e", "text": BASE}])
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q", "--shingle", "7")
    cut = ("--against", "run", "--passages", "cut")
    for shingle in ("5", "9"):  # 5 is what is used when nothing is said
        for arguments in (
            ("cluster", "new.jsonl", "--extend", "run", "-o", "both"),
            ("dedup", "new.jsonl", "-o", "o.jsonl", "--against", "run"),
            ("dedup", "new.jsonl", "-o", "o.jsonl", *cut),
        ):
            done = copysift(tmp_path, *arguments, "--shingle", shingle)
            assert done.status == 2
            assert f"run was created with --shingle 7; you gave --shingle {shingle}\n" in done.err
    assert copysift(tmp_path, "dedup", "new.jsonl", "-o", "o.jsonl", "--against", "run").status == 0
    assert copysift(tmp_path, "cluster", "new.jsonl", "--extend", "run", "--shingle", "7", "-q").status == 0


def test_show_refuses_what_the_overview_does_not_heed_and_lists_pairs_without_a_threshold(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    for option in (("--threshold", ".9"), ("--limit", "3"), ("--groups",), ("--same-suffix",)):
        done = copysift(tmp_path, "show", "run", *option)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"copysift: {option[0]} has no effect on the overview of run")
    rows = copysift(tmp_path, "show", "run", "--format", "csv").out.splitlines()
    assert [line.split(",")[:3] for line in rows[1:]] == [["a", "b", "true"], ["a", "c", "false"]]
    found = json.loads(copysift(tmp_path, "show", "run", "--format", "json").out)
    assert [(pair["left"], pair["right"]) for pair in found["pairs"]] == [("a", "b"), ("a", "c")]


def test_show_gives_the_text_of_html_without_fillers(tmp_path):
    page = "<!doctype html><html><body><p>In <b>bo</b>ld {}</p></body></html>"
    write_jsonl(tmp_path / "c.jsonl", [{"id": "a", "text": page.format(BASE)}] * 2)
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    assert done.err == "copysift: noted a~2: has the id of an earlier record; told apart by a number\n"
    shown = copysift(tmp_path, "show", "run").out
    assert "In bold " in shown
    assert "x7f" not in shown
    assert "\x7f" not in shown


def test_what_is_taken_with_replacement_characters_is_not_called_skipped(tmp_path):
    (tmp_path / "c.jsonl").write_bytes(b'{"id": "a", "text": "one \xff two"}\n{"id": "b"}\n')
    done = copysift(tmp_path, "dedup", "c.jsonl", "-o", "o.jsonl")
    assert done.err.splitlines() == [
        "copysift: noted c.jsonl:1: invalid UTF-8, taken with replacement characters",
        "copysift: skipped c.jsonl:2: has no field 'text'",
    ]


def test_records_that_are_only_noted_are_no_reason_for_status_3(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", [*RECORDS, {"id": "a", "text": text(50, "again")}])
    with (tmp_path / "c.jsonl").open("ab") as file:
        file.write(b'{"id": "e", "text": "caf\xe9 ' + text(50, "latin").encode() + b'"}\n')
    for command in (("cluster", "c.jsonl", "-o", "run"), ("dedup", "c.jsonl", "-o", "out.jsonl")):
        done = copysift(tmp_path, *command)
        assert done.status == 0, done.err
        assert "noted a~2" in done.err
        assert "invalid UTF-8" in done.err
    with (tmp_path / "c.jsonl").open("ab") as file:
        file.write(b"{broken\n")
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run").status == 3
    assert copysift(tmp_path, "dedup", "c.jsonl", "-o", "out.jsonl", "--overwrite").status == 3


def test_a_field_that_no_record_has_is_an_error_that_names_those_there_are(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", [{"url": "u", "body": BASE}, {"url": "v", "body": BASE}])
    for wrong in ((), ("--text-field", "txt"), ("--text-field", "body", "--id-field", "ident")):
        done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", *wrong)
        assert done.status == 2
        assert "no record of c.jsonl has a field '" in done.err
        option = "--id-field" if "--id-field" in wrong else "--text-field"
        assert f"hint: name one with {option}: url, body\n" in done.err
        assert not (tmp_path / "run").exists()
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "--text-field", "body").status == 0


def test_query_takes_several_documents_of_any_kind_and_builds_its_look_up_once(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    (tmp_path / "part.txt").write_text(" ".join(BASE.split()[50:80]))
    done = copysift(tmp_path, "query", "run", "part.txt", "-", "a", "--text", BASE, stdin=BASE.encode())
    assert done.status == 0
    heads = [line for line in done.out.splitlines() if "%" not in line]
    columns = "resemblance  of query  of document  document"
    row = "     100.0%    100.0%       100.0%  b"
    assert heads == [columns, "part.txt", "-", "a", " ".join(BASE.split())[:40]]
    assert done.out.count(f"{row}\n") == 3
    before = (tmp_path / "run" / "sketches" / "inverted.u64").stat().st_mtime_ns
    assert copysift(tmp_path, "query", "run", "a").out.startswith(f"{columns}\n{row}\n")
    assert (tmp_path / "run" / "sketches" / "inverted.u64").stat().st_mtime_ns == before
    assert copysift(tmp_path, "query", "run").status == 2


@pytest.mark.parametrize("harm", ["flipped", "cut", "empty"])
def test_damaged_facts_of_a_run_are_noticed_and_named(tmp_path, harm):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    assert copysift(tmp_path, "query", "run", "a").status == 0
    path = tmp_path / "run" / "sketches" / "documents-00000.arrow"
    whole = path.read_bytes()
    places = range(0, len(whole), len(whole) // 9) if harm == "flipped" else [len(whole) // 2]
    for at in places:
        flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        path.write_bytes({"flipped": flipped, "cut": whole[:at], "empty": b""}[harm])
        for command in (("query", "run", "a"), ("cluster", "c.jsonl", "--extend", "run", "-o", "new")):
            done = copysift(tmp_path, *command)
            assert (done.status, "documents-00000.arrow is damaged" in done.err) == (2, True), done.err
    path.write_bytes(whole)
    path.with_suffix(".sum").unlink()  # as earlier versions left it
    assert copysift(tmp_path, "query", "run", "a").status == 0


def test_damaged_shingles_of_a_run_are_noticed(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    path = tmp_path / "run" / "sketches" / "words-00000.bin"
    whole = path.read_bytes()
    path.write_bytes(whole[:80] + b"\x01\x02\x03\x04\x05\x06\x07\x08" + whole[88:])
    for command in (
        ("query", "run", "a"),
        ("cluster", "c.jsonl", "--extend", "run"),
        ("dedup", "c.jsonl", "--against", "run", "-o", "out.jsonl"),
        ("dedup", "c.jsonl", "--against", "run", "--passages", "flag", "-o", "out.jsonl"),
    ):
        done = copysift(tmp_path, *command)
        assert done.status == 2
        assert "is missing or damaged" in done.err


def test_show_names_members_of_the_largest_clusters(tmp_path):
    many = [{"id": f"copy-{number}", "text": BASE} for number in range(20)]
    write_jsonl(tmp_path / "c.jsonl", many)
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")
    shown = copysift(tmp_path, "show", "run").out
    assert "copy-11  identical" in shown
    assert "… 8 more" in shown
    copysift(tmp_path, "show", "run", "-o", "report.html")
    assert "<li>copy-11 <i>identical</i>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_old_names_work_and_print_one_line_each(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    old = ("--resemblance", ".9", "--contained", "--html", "never", "--method", "mod", "--input", "jsonl")
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "old", *old)
    assert done.status == 0
    assert sorted(done.err.splitlines()[:-1]) == [
        "copysift: --contained is now --measure containment",
        "copysift: --html is now --kind words",
        "copysift: --input is now --input-format",
        "copysift: --method is now --candidates shared",
        "copysift: --resemblance is now --threshold",
    ]
    new = ("--threshold", ".9", "--measure", "containment", "--kind", "words", "--input-format", "jsonl")
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "new", *new)
    made = [json.loads((tmp_path / name / "run.json").read_text())["settings"] for name in ("old", "new")]
    assert made[0] == made[1]
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "old", "-q", *old).err == ""
    shown = copysift(tmp_path, "cluster-of", "new", "a", "--json")
    assert shown.err == "copysift: --json is now --format json\n"
    assert shown.out == copysift(tmp_path, "cluster-of", "new", "a", "--format", "json").out
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "old", "--resemblance", ".9", "--threshold", ".9")
    assert (done.status, "--resemblance is an old name of --threshold" in done.err) == (2, True)


def test_what_makes_no_sense_in_a_corpus_is_said(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "--scheme", "winnow")
    assert done.status == 2
    assert done.err.startswith("copysift: --scheme winnow is not possible in cluster: ")


def test_a_finished_run_is_not_replaced_by_dedup_or_scan_unless_asked(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS)
    write_jsonl(tmp_path / "d.jsonl", RECORDS[:2])
    for command in (("dedup", "--dry-run"), ("scan",)):
        run = f"{command[0]}-run"
        assert copysift(tmp_path, *command, "c.jsonl", "--save", run).status == 0
        before = (tmp_path / run / "run.json").read_bytes()
        done = copysift(tmp_path, *command, "d.jsonl", "--save", run)
        assert (done.status, f"{run} already contains another run" in done.err) == (2, True)
        assert (tmp_path / run / "run.json").read_bytes() == before
        assert copysift(tmp_path, *command, "d.jsonl", "--save", run, "--overwrite").status == 0
        assert (tmp_path / run / "run.json").read_bytes() != before


def test_a_pattern_in_quotes_takes_files_in_order_unless_a_file_has_that_name(tmp_path):
    for name in ("b", "a", "[c]"):
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": name, "text": text(50, name)}])
    write_jsonl(tmp_path / "c.jsonl", [{"id": "c", "text": text(50, "not named")}])
    assert copysift(tmp_path, "dedup", "[ab].jsonl", "[c].jsonl", "-o", "out.jsonl").status == 0
    ids = [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert ids == ["a", "b", "[c]"]
    assert copysift(tmp_path, "cluster", "?.jsonl", "-o", "run").status == 0
    assert json.loads((tmp_path / "run" / "run.json").read_text())["sources"] == [
        "a.jsonl",
        "b.jsonl",
        "c.jsonl",
    ]
    missing = copysift(tmp_path, "cluster", "x*.jsonl", "-o", "none")
    assert missing.status == 2
    assert "x*.jsonl: no such file or folder" in missing.err


def test_counts_of_one_have_a_singular_noun(tmp_path):
    (tmp_path / "one.txt").write_text(text(40, 1))
    assert copysift(tmp_path, "dedup", "one.txt", "-o", "x.jsonl").out == "1 document: 1 kept, 0 removed\n"


def test_a_corpus_without_copies_has_no_clusters_and_none_of_it_is_in_one(tmp_path):
    write_jsonl(tmp_path / "c.jsonl", RECORDS[2:])
    done = copysift(tmp_path, "cluster", "c.jsonl", "-o", "run")
    assert done.err == "copysift: 2 documents, 0 clusters, 0 pairs: run\n"


def test_dedup_says_in_how_many_documents_passages_are_cut(tmp_path):
    write_jsonl(
        tmp_path / "c.jsonl", [RECORDS[3], {"id": "e", "text": f"{text(300, 'e')} {RECORDS[3]['text']}"}]
    )
    for how, wanted in (
        ("cut", "1 passage cut in 1 document: "),
        ("flag", "1 passage flagged in 1 document: "),
    ):
        done = copysift(tmp_path, "dedup", "c.jsonl", "--passages", how, "-o", f"{how}.jsonl")
        head, line = done.out.splitlines()
        assert (head, line.startswith(wanted)) == ("2 documents: 2 kept, 0 removed", True)
