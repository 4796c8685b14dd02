import gzip
import io
import json
import random
import subprocess
import sys
import zlib

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from copysift.engines.reading import records, segments_of
from copysift.errors import InputError
from copysift.model.values import REPLACED, Skipped
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.sources import detection, json_array
from copysift.sources.gunzip import Gunzip
from copysift.sources.record_files import open_source
from copysift.sources.records import TOO_DEEP, Fields
from copysift.sources.walk import WalkSettings
from tests.cli.program import copysift
from tests.corpus.texts import rows, run, text, write_jsonl

RECORDS = [{"id": f"d{n}", "text": text(40, n), "lang": "en", "n": n} for n in range(50)]


def read(place, wanted="auto", limit=2000, **fields):
    found, notes = [], []
    for item in open_source(str(place), wanted, Fields(**fields), WalkSettings(), limit):
        if isinstance(item, pa.RecordBatch):
            found += item.to_pylist()
        else:
            notes.append(item)
    return found, notes


def packed_zstd(path, content):
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, "zstd") as stream:
        stream.write(content)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".csv"])
def test_every_format_gives_the_same_records(tmp_path, suffix):
    path = tmp_path / f"c{suffix}"
    content = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(RECORDS), path)
    elif suffix == ".csv":
        pyarrow.csv.write_csv(pa.Table.from_pylist(RECORDS), path)
    elif suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(content))
    elif suffix.endswith(".zst"):
        packed_zstd(path, content)
    else:
        path.write_bytes(content)
    found, notes = read(path)
    assert notes == []
    assert [(each["id"], each["text"].decode()) for each in found] == [(r["id"], r["text"]) for r in RECORDS]
    assert {name: str(value) for name, value in json.loads(found[3]["other"]).items()} == {
        "lang": "en",
        "n": "3",
    }


def test_bad_lines_are_named_and_the_rest_goes_on(tmp_path):
    lines = [
        b'{"id": "ok", "text": "fine"}',
        b'{"id": "cut", "text": "no',
        b"",
        b'{"id": "none"}',
        b'{"id": "nil", "text": null}',
        b'{"id": "num", "text": 7}',
        b"[1, 2]",
        b'{"id": "raw", "text": "caf\xe9"}',
        b'{"id": "half", "text": "\\ud800 x"}',
        b'{"id": 12, "text": "last"}',
    ]
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"\n".join(lines))
    found, notes = read(path)
    assert [each["id"] for each in found] == ["ok", "raw", "half", "12"]
    assert [found[1]["text"].decode(), found[2]["text"].decode()] == ["caf\ufffd", "\ufffd x"]
    assert [note.name.rpartition(":")[2] for note in notes] == ["2", "4", "5", "6", "7", "8", "9"]
    assert [note.reason for note in notes] == [
        "broken JSON: Unterminated string starting at",
        "has no field 'text'",
        "its field 'text' is null",
        "its field 'text' is not text",
        "is not an object with fields",
        "invalid UTF-8, taken with replacement characters",
        "invalid UTF-8, taken with replacement characters",
    ]


def test_integers_of_any_length_and_nests_of_any_depth_do_not_stop_the_reading(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(
        '{"id": "a", "text": "x", "long": 123456789012345678901234567890, "not": NaN}\n'
        '{"id": "b", "text": "x", "deep": ' + "[" * 200_000 + "]" * 200_000 + "}\n"
        '{"id": "c", "text": "x", "half": [{"\\ud800": "\\udc00 y"}]}\n'
    )
    found, notes = read(path)
    assert [each["id"] for each in found] == ["a", "c"]
    assert json.loads(found[0]["other"])["long"] == 123456789012345678901234567890
    assert json.loads(found[1]["other"]) == {"half": [{"\ufffd": "\ufffd y"}]}
    assert [note.reason for note in notes] == [TOO_DEEP, "invalid UTF-8, taken with replacement characters"]


@pytest.mark.parametrize("more", ["", ', "lang": "en"'])
def test_a_byte_order_mark_does_not_cost_the_first_record(tmp_path, more):
    path = tmp_path / "c.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "text": "x"{more}}}\n' for n in "ab"), encoding="utf-8-sig")
    found, notes = read(path)
    assert [each["id"] for each in found] == ["a", "b"]
    assert notes == []


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_the_elements_of_one_json_array_are_records(tmp_path, indent):
    path, lines = tmp_path / "c.json", tmp_path / "c.jsonl"
    path.write_text(json.dumps(RECORDS, indent=indent))
    lines.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    assert read(path) == read(lines)


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_elements_are_found_wherever_the_blocks_of_an_array_end(size, monkeypatch):
    values = [{"text": 'a "quoted\\" ] } [ {', "n": [1, [2, {}]]}, {}, [1], {"é": "ü\n\\\\"}]
    data = json.dumps(values, indent=1, ensure_ascii=False).encode()
    stream = io.BytesIO(data[size:])
    monkeypatch.setattr(json_array, "BLOCK", size)
    found = list(json_array.elements(data[:size], stream.read))
    assert [json.loads(each.data) for each in found] == values
    assert [each.number for each in found] == [1, 2, 3, 4]
    assert not any(b"\n" in each.data for each in found)


@pytest.mark.parametrize(
    ("text", "ids", "reasons"),
    [
        ('[{"id": "a", "text": "x"}, 7, "[]", {"id": "b", "text": "y"}]', ["a", "b"], ["is not an object"]),
        ('[{"id": "a", "text": "x"}, {"id": "b", "te', ["a"], ["broken JSON"]),
        ('[{"id": "a", "text": "x"},', ["a"], ["the array has no end"]),
        ('[{"id": "a", "text": "x"}] {"id": "b"}', ["a"], ["more follows the array"]),
        ('[{"id": "a", "text": "x"}, {"id": oops}, {"id": "b", "text": "y"}]', ["a", "b"], ["broken JSON"]),
        ("[]", [], []),
    ],
)
def test_what_is_wrong_with_an_array_is_said_and_the_rest_is_read(tmp_path, text, ids, reasons):
    path = tmp_path / "c.json"
    path.write_text(text)
    found, notes = read(path)
    assert [each["id"] for each in found] == ids
    assert [note.reason.startswith(begin) for note, begin in zip(notes, reasons, strict=True)] == [
        True
    ] * len(reasons)


@pytest.mark.parametrize("first", ["[1, 2]", "[1, 2", "["])
def test_a_first_line_that_is_a_list_does_not_cost_the_others(tmp_path, first):
    path = tmp_path / "c.jsonl"
    path.write_text(f'{first}\n{{"id": "a", "text": "x"}}\n')
    found, notes = read(path)
    assert [each["id"] for each in found] == ["a"]
    assert notes


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".txt"])
def test_an_empty_file_is_an_empty_corpus(tmp_path, suffix):
    (tmp_path / f"c{suffix}").touch()
    assert read(tmp_path / f"c{suffix}") == ([], [])


def test_fields_are_chosen_by_name_and_a_missing_id_is_told(tmp_path):
    path = write_jsonl(tmp_path / "c.jsonl", [{"key": "a", "body": "x", "day": "2020"}, {"body": "y"}])
    found, notes = read(path, id="key", text="body", date="day")
    assert [(each["id"], each["date"]) for each in found] == [("a", "2020")]
    assert [note.reason for note in notes] == ["has no field 'key'"]
    assert [each["id"] for each in read(path, text="body")[0]] == [f"{path}:1", f"{path}:2"]


SPELLED = {
    "jsonl": lambda n: json.dumps({"id": str(n), "text": text(200, n)}),
    "fields.jsonl": lambda n: json.dumps({"id": str(n), "text": text(200, n), "lang": "en"}),
    "txt": lambda n: text(200, n),
    "csv": lambda n: f"{n},{text(200, n)}",
    "tsv": lambda n: f"{n}\t{text(200, n)}",
}
HEADS = {"csv": "id,text\n", "tsv": "id\ttext\n"}


def test_a_compressed_file_is_not_unpacked_further_than_its_kind_needs(tmp_path, monkeypatch):
    content = b"".join(json.dumps(RECORDS[0] | {"n": n}).encode() + b"\n" for n in range(4000))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(content))
    readinto, unpacked = Gunzip.readinto, []
    monkeypatch.setattr(Gunzip, "readinto", lambda *given: unpacked.append(readinto(*given)) or unpacked[-1])
    assert [each.place for each in segments_of([str(tmp_path)], CorpusSettings())] == [
        str(tmp_path / "c.jsonl.gz")
    ]
    assert 0 < sum(unpacked) <= 2 * (detection.HEAD + detection.PEEK) < len(content)


@pytest.mark.parametrize("packed", [".gz", ".zst"])
@pytest.mark.parametrize("form", SPELLED)
@pytest.mark.parametrize("limit", [2000, 2 << 20])
def test_a_packed_file_that_ends_early_gives_all_that_was_unpacked(tmp_path, form, packed, limit):
    lines = [SPELLED[form](n) for n in range(1500)]
    content = (HEADS.get(form, "") + "".join(f"{line}\n" for line in lines)).encode()
    path = tmp_path / f"c.{form}{packed}"
    if packed == ".gz":
        path.write_bytes(gzip.compress(content))
        cut = path.read_bytes()[:-100_000]
        whole = zlib.decompressobj(31).decompress(cut).count(b"\n") - (form in HEADS)
    else:
        packed_zstd(path, content)
        cut = path.read_bytes()[:-100_000]
        whole = 1000
    path.write_bytes(cut)
    found, notes = read(path, limit=limit)
    assert len(found) == whole if packed == ".gz" else len(found) > whole
    assert [each["text"].decode() for each in found] == [text(200, n) for n in range(len(found))]
    (note,) = notes
    assert note.name == str(path)
    assert note.reason.startswith("ends early or is damaged: ")


@pytest.mark.parametrize("frame", [1, 40_000, 400_000])
def test_of_zstd_nothing_that_stands_before_a_damage_is_lost(tmp_path, frame):
    path = tmp_path / "c.txt.zst"
    packed_zstd(path, b"".join(b"line %d\n" % n for n in range(frame)))
    whole = path.read_bytes()
    path.write_bytes(whole + b"no frame of zstd")
    found, notes = read(path)
    assert len(found) == frame
    assert len(notes) == 1


def test_a_truncated_parquet_file_is_named(tmp_path):
    path = tmp_path / "c.parquet"
    pq.write_table(pa.Table.from_pylist(RECORDS), path)
    path.write_bytes(path.read_bytes()[:-50])
    found, (note,) = read(path)
    assert found == []
    assert note.reason.startswith("is not a whole Parquet file")


def test_a_damaged_row_group_is_named_and_the_others_are_given(tmp_path):
    path = tmp_path / "c.parquet"
    table = pa.table({"text": [text(200, n) for n in range(60)]})
    pq.write_table(table, path, row_group_size=10, compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(3).column(0)
    damaged = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    damaged[start + 40 : start + column.total_compressed_size] = b"?" * (column.total_compressed_size - 40)
    path.write_bytes(damaged)
    found, (note,) = read(path)
    assert [each["id"] for each in found] == [f"{path}:{n}" for n in range(1, 61) if not 31 <= n <= 40]
    assert found[-1]["text"].decode() == text(200, 59)
    assert note.name == str(path)
    assert note.reason.startswith("row group 4 of 6 is damaged, 10 rows are lost: ")


def test_rows_of_the_wrong_width_are_named(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("id,text\na,one\nb,two,three\nc,four\n")
    found, (note,) = read(path)
    assert [each["id"] for each in found] == ["a", "c"]
    assert note.reason == "has 3 fields instead of 2"


def test_a_missing_column_and_a_missing_file_stop_before_the_work(tmp_path):
    (tmp_path / "c.csv").write_text("id,body\na,one\n")
    with pytest.raises(InputError, match="no column 'text'"):
        read(tmp_path / "c.csv")
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "nowhere.jsonl")


def test_lines_and_folders_are_documents(tmp_path):
    (tmp_path / "lines.txt").write_text("one line\n\nanother\n")
    assert [each["text"] for each in read(tmp_path / "lines.txt")[0]] == [b"one line", b"another"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("alpha")
    (tmp_path / "folder" / "b.html").write_text("<html>beta")
    assert [each["text"] for each in read(tmp_path / "folder")[0]] == [b"alpha", b"<html>beta"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".parquet"])
def test_invalid_utf_8_is_noted_wherever_it_stands(tmp_path, suffix):
    path = tmp_path / f"c{suffix}"
    texts = [b"sound \xef\xbf\xbd text", b"caf\xe9 one two", b"ok"]
    if suffix == ".parquet":
        column = pa.array(texts, pa.binary())
        kept = pa.Array.from_buffers(pa.string(), 3, column.buffers())
        pq.write_table(pa.table({"text": kept}), path)
    elif suffix == ".txt":
        path.write_bytes(b"\n".join(texts))
    else:
        mark = b"," if suffix == ".csv" else b"\t"
        path.write_bytes(
            mark.join([b"id", b"text\n"]) + b"".join(mark.join([b"a", b'"%s"\n' % each]) for each in texts)
        )
    found, notes = read(path)
    assert [each["text"].decode() for each in found] == ["sound \ufffd text", "caf\ufffd one two", "ok"]
    line = 3 if suffix in (".csv", ".tsv") else 2
    assert [(note.name, note.reason) for note in notes] == [(f"{path}:{line}", REPLACED)]


def test_a_folder_gives_texts_of_any_encoding_and_names_what_is_binary(tmp_path):
    german = "Grüße aus Köln: schöne Übung über die Brücke, später die Tür öffnen. "
    for name, data in {
        "bytes.dat": random.Random(1).randbytes(3000),
        "damaged.txt": german.encode() * 9 + b"\xff",
        "latin.txt": (german * 9).encode("latin-1"),
        "packed.gz": gzip.compress(german.encode()),
        "utf16.txt": (german * 9).encode("utf-16"),
        "utf8.txt": german.encode(),
    }.items():
        (tmp_path / name).write_bytes(data)
    found, notes = read(tmp_path)
    assert [each["id"].rpartition("/")[2] for each in found] == [
        "damaged.txt", "latin.txt", "packed.gz!packed", "utf16.txt", "utf8.txt",
    ]  # fmt: skip
    assert [(note.name.rpartition("/")[2], note.reason) for note in notes] == [
        ("bytes.dat", "is binary, not text"),
        ("damaged.txt", REPLACED),
    ]


def warc(count):
    out = io.BytesIO()
    for number in range(count):
        body = f"<html><script>x</script><body><p>{text(60, number % 3)}</p>".encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032d}>\r\n"
            f"WARC-Target-URI: http://h/{number}\r\nWARC-Date: 2020-01-01T00:00:0{number}Z\r\n"
            f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
        ).encode()
        out.write(gzip.compress(head + http + b"\r\n\r\n"))
    return out.getvalue()


def test_warc_responses_are_stripped_of_markup_and_named_by_their_address(tmp_path):
    pytest.importorskip("fastwarc")
    path = tmp_path / "c.warc.gz"
    path.write_bytes(warc(6))
    plain = write_jsonl(tmp_path / "p.jsonl", [{"id": "plain", "text": text(60, 0)}])
    run([str(path), str(plain)], tmp_path / "run")
    joined = {
        row["document"]: row["joined"]
        for row in rows(tmp_path / "run", "clusters")
        if row["cluster"] == "http://h/0"
    }
    assert joined == {
        "http://h/0": "representative",
        "http://h/3": "identical",
        "plain": "lexically equivalent",
    }


def test_a_warc_that_ends_early_gives_its_whole_records(tmp_path):
    pytest.importorskip("fastwarc")
    path = tmp_path / "c.warc.gz"
    path.write_bytes(warc(6)[:-120])
    found, notes = read(path)
    assert [each["id"] for each in found] == [f"http://h/{n}" for n in range(5)]
    assert notes


def test_standard_input_is_read_as_json_lines_or_lines(tmp_path):
    same = text(50, 1)
    for content in (
        json.dumps({"id": "a", "text": same}) + "\n" + json.dumps({"id": "b", "text": same}) + "\n",
        f"{same}\n{same}\n",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "copysift", "cluster", "-", "-o", str(tmp_path / "run")],
            input=content.encode(),
            check=False,
        )
        assert done.returncode == 0
        assert len(rows(tmp_path / "run", "clusters")) == 2


def written(form, path):
    """Write two equal documents and one more in a format."""
    records = [{"url": f"http://h/{n}", "text": text(60, n % 2)} for n in range(3)]
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    elif form == "zst":
        packed_zstd(path, content)
    elif form == "warc.gz":
        pytest.importorskip("fastwarc")
        path.write_bytes(warc(4)[:-120])
    elif form == "warc":
        pytest.importorskip("fastwarc")
        path.write_bytes(gzip.decompress(warc(4))[:-20])
    else:
        path.write_bytes(gzip.compress(content))
    return path.read_bytes()


@pytest.mark.parametrize("form", ["gz", "zst", "parquet", "warc", "warc.gz"])
def test_packed_and_binary_formats_are_known_on_standard_input(tmp_path, form):
    content = written(form, tmp_path / "source")
    damaged = form.startswith("warc")
    quiet = {"PYTHONWARNINGS": "ignore"} if damaged else {}  # fastwarc warns of itself
    done = copysift(tmp_path, "cluster", "-", "-o", "run", stdin=content, **quiet)
    assert (done.status, len(done.err.splitlines())) == (3 if damaged else 0, 2 if damaged else 1)
    documents = [row["document"] for row in rows(tmp_path / "run", "documents")]
    assert documents == [f"http://h/{n}" for n in range(3)]
    done = copysift(tmp_path, "dedup", "-", "-o", "out.jsonl", stdin=content, **quiet)
    assert done.status == (3 if damaged else 0)
    kept = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [each.get("url") or each["id"] for each in kept] == documents[: 3 if damaged else 2]


def test_a_format_that_was_asked_for_is_read_from_standard_input_or_refused(tmp_path):
    parquet = written("parquet", tmp_path / "source")
    done = copysift(tmp_path, "cluster", "-", "--input-format", "parquet", "-o", "run", stdin=parquet)
    assert done.status == 0
    assert len(rows(tmp_path / "run", "documents")) == 3
    packed = gzip.compress(b"id,text\na,one\n")
    done = copysift(tmp_path, "cluster", "-", "--input-format", "csv", "-o", "run2", stdin=packed)
    assert [row["document"] for row in rows(tmp_path / "run2", "documents")] == ["a"]
    for options, content in ((["--input-format", "folder"], b""), ([], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")):
        done = copysift(tmp_path, "cluster", "-", *options, "-o", "run3", stdin=content)
        assert done.status == 2
        assert done.err.startswith("copysift: standard input ")


def test_bad_records_are_counted_and_duplicate_ids_told_apart(tmp_path):
    records = [{"id": "a", "text": text(30, n)} for n in range(3)] + [{"id": "b"}]
    made = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    assert [row["document"] for row in rows(tmp_path / "run", "documents")] == ["a", "a~2", "a~3"]
    described = json.loads((tmp_path / "run" / "run.json").read_text())
    assert described["counts"]["skipped"] == made.described["counts"]["skipped"] == 3
    assert described["reasons"] == {"has no field 'text'": 1, "duplicate id": 2}


def test_chinese_and_japanese_copies_are_found(tmp_path):
    chinese = "".join(chr(0x4E00 + (n * 7919) % 20000) for n in range(300))
    japanese = "".join(chr(0x3042 + (n * 31) % 80) + chr(0x4E00 + (n * 104729) % 20000) for n in range(200))
    records = [
        {"id": "zh", "text": chinese},
        {"id": "ja", "text": japanese},
        {"id": "zh2", "text": chinese[:150] + "。" + chinese[150:]},
        {"id": "ja2", "text": japanese[:190] + "字" + japanese[190:]},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    assert [(row["cluster"], row["document"]) for row in rows(tmp_path / "run", "clusters")] == [
        ("zh", "zh"),
        ("zh", "zh2"),
        ("ja", "ja"),
        ("ja", "ja2"),
    ]


def test_links_are_followed_and_ignored_files_left_out_on_request(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "c.txt").write_text("one two three")
    (folder / "a.txt").write_text("four five six")
    (folder / "b.log").write_text("seven eight nine")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "link").symlink_to(tmp_path / "far")

    def names(**settings):
        found = records([str(folder)], make(CorpusSettings, settings))
        batches = [batch for batch in found if not isinstance(batch, Skipped)]
        return sorted(name.rpartition("/")[2] for each in batches for name in each["id"].to_pylist())

    assert names() == ["a.txt", "b.log"]
    assert names(gitignore=True, one_file_system=True) == ["a.txt"]
    assert names(follow=True) == ["a.txt", "b.log", "c.txt"]


def test_fields_inside_of_fields_are_read_in_every_format_of_records(tmp_path):
    nested = [
        {
            "key": {"id": each["id"]},
            "parts": [{"text": half} for half in each["text"].split(" ", 20)],
            "more": {"n": n},
        }
        for n, each in enumerate(RECORDS)
    ]
    places = [tmp_path / f"c{suffix}" for suffix in (".jsonl", ".json", ".parquet", ".arrow")]
    places[0].write_text("".join(json.dumps(each) + "\n" for each in nested))
    places[1].write_text(json.dumps(nested, indent=2))
    table = pa.Table.from_pylist(nested)
    pq.write_table(table, places[2])
    with pa.ipc.new_stream(places[3], table.schema) as stream:
        stream.write_table(table)
    wanted = [(each["id"], each["text"].replace(" ", "\n", 20).encode()) for each in RECORDS]
    for place in places:
        found, notes = read(place, id="key.id", text="parts[*].text")
        assert notes == []
        assert [(each["id"], each["text"]) for each in found] == wanted
        assert json.loads(found[3]["other"])["more"] == {"n": 3}
        assert "parts" not in json.loads(found[3]["other"])


def test_a_column_that_a_path_begins_with_must_be_there(tmp_path):
    pq.write_table(pa.table({"id": ["a"], "body": [{"x": "y"}]}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"has no column 'meta\.text'"):
        read(tmp_path / "c.parquet", text="meta.text")
    found, (note,) = read(tmp_path / "c.parquet", text="body.text")
    assert found == []
    assert note.reason == "has no field 'body.text'"


def test_a_data_set_that_hugging_face_saved_is_a_folder_of_records(tmp_path):
    for split in ("test", "train"):
        folder = tmp_path / "data" / split
        folder.mkdir(parents=True)
        for part in range(2):
            table = pa.table({"text": [f"{split} {part} {n}" for n in range(2)]})
            with pa.ipc.new_stream(folder / f"data-0000{part}-of-00002.arrow", table.schema) as stream:
                stream.write_table(table)
        (folder / "cache-0123456789abcdef.arrow").write_bytes(b"what a map left here")
        (folder / "state.json").write_text('{"_data_files": []}')
        (folder / "dataset_info.json").write_text('{"features": {}}')
    (tmp_path / "data" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    found, notes = read(tmp_path / "data")
    texts = [each["text"].decode() for each in found]
    assert texts == [f"{split} {part} {n}" for split in ("test", "train") for part in (0, 1) for n in (0, 1)]
    assert notes == []


@pytest.mark.parametrize("after", ['3,plain\n4,"quoted"\n', "3,plain\n4,plain\n", ""])
def test_a_quote_that_is_not_closed_costs_one_row_of_a_table(tmp_path, after):
    path = tmp_path / "c.csv"
    path.write_text(f'id,text\n1,"two\nlines, ""quoted"""\n2,"never closed\n{after}')
    found, notes = read(path)
    assert [each["id"] for each in found] == ["1", *[line[0] for line in after.splitlines()]]
    assert found[0]["text"] == b'two\nlines, "quoted"'
    assert [note.name for note in notes] == [f"{path}:4"]
    assert notes[0].reason.startswith("a quote is not closed")


def test_rows_after_a_quote_that_is_not_closed_keep_their_lines(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text('n,text\n1,"open\n2,a,b\n3,fine\n4,"two\nlines"\n5,too,many\n')
    found, notes = read(path)
    assert [each["text"] for each in found] == [b"fine", b"two\nlines"]
    assert [each["id"] for each in found] == [f"{path}:4", f"{path}:6"]
    assert [note.name for note in notes] == [f"{path}:{line}" for line in (2, 3, 7)]
