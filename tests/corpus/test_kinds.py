"""Programs of a corpus are compared by their tokens, everything else by words."""

import json
import random

import numpy as np
import pytest

from copysift.cli.main import main
from copysift.engines.channels import shingles_of
from copysift.errors import UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.workflows.run_query import query
from tests.corpus.texts import rows, run, text, write_jsonl

PROGRAM = """
def total(items, tax):
    result = 0
    for item in items:
        if item.price > 10 and item.kind != "gift":
            result += item.price * (1 + tax)
        else:
            result += item.price
    while result > 1000:
        result = result - 100
        print("discount", result)
    return round(result, 2)
"""
NAMES = {"total": "sum_up", "items": "things", "item": "thing", "result": "amount", "tax": "rate"}


def renamed():
    out = PROGRAM
    for old, new in NAMES.items():
        out = out.replace(old, new)
    return "# my own work\n" + out


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "ren"
    source.mkdir()
    (source / "a.py").write_text(PROGRAM)
    (source / "b.py").write_text(renamed())
    (source / "notes.txt").write_text(text(40, "notes"))
    (source / "more.txt").write_text(text(40, "notes") + " and more")
    return source


def members(run_folder):
    found = {}
    for row in rows(run_folder, "clusters"):
        found.setdefault(row["cluster"], []).append(row["document"].rpartition("/")[2])
    return sorted(map(sorted, found.values()))


def test_a_renamed_program_of_a_folder_is_found_beside_texts(tmp_path, folder):
    run([str(folder)], tmp_path / "run")
    assert members(tmp_path / "run") == [["a.py", "b.py"], ["more.txt", "notes.txt"]]
    kinds = {row["document"].rpartition("/")[2]: row["kind"] for row in rows(tmp_path / "run", "documents")}
    assert kinds == {"a.py": "code:python", "b.py": "code:python", "notes.txt": "words", "more.txt": "words"}


def test_a_renamed_notebook_of_a_corpus_is_found(tmp_path):
    source = tmp_path / "notebooks"
    source.mkdir()
    for name, program in (("a", PROGRAM), ("b", renamed())):
        cells = [{"cell_type": "code", "source": program}, {"cell_type": "markdown", "source": "My notes"}]
        (source / f"{name}.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    (source / "broken.ipynb").write_text("no notebook")
    run([str(source)], tmp_path / "run")
    assert members(tmp_path / "run") == [["a.ipynb", "b.ipynb"]]


def page(words):
    cells = "".join(f"<li class='i'><a href='#{n}'>{word}</a></li>" for n, word in enumerate(words.split()))
    return f"<!DOCTYPE html><html><body><ul>{cells}</ul></body></html>"


def test_pages_are_compared_by_their_words_unless_code_is_asked_for(tmp_path):
    """Two pages of one layout have the same tokens of markup and nothing to say to each other."""
    source = tmp_path / "site"
    source.mkdir()
    (source / "a.html").write_text(page(text(60, "first")))
    (source / "b.html").write_text(page(text(60, "second")))
    (source / "c.html").write_text(page(text(60, "first") + " end"))
    run([str(source)], tmp_path / "run")
    assert members(tmp_path / "run") == [["a.html", "c.html"]]
    assert {row["kind"] for row in rows(tmp_path / "run", "documents")} == {"words"}
    run([str(source)], tmp_path / "code", kind="code")
    assert members(tmp_path / "code") == [["a.html", "b.html", "c.html"]]


def test_words_are_compared_when_they_are_asked_for(tmp_path, folder):
    run([str(folder)], tmp_path / "run", kind="words")
    assert members(tmp_path / "run") == [["more.txt", "notes.txt"]]


@pytest.mark.parametrize(
    "fields", [{"language": "Python"}, {"path": "src/a.py"}, {"file_name": "a.py"}, {"filename": "a.py"}]
)
def test_records_with_a_language_or_a_file_name_are_programs(tmp_path, fields):
    records = [{"id": "a", "text": PROGRAM, **fields}, {"id": "b", "text": renamed(), **fields}]
    records += [{"id": "c", "text": renamed(), "language": "en"}]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    assert main(["dedup", str(source), "-q", "-o", str(tmp_path / "kept.jsonl")]) == 0
    kept = [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert kept == ["a", "c"]


def test_a_language_that_is_given_holds_for_all_and_an_unknown_one_is_refused(tmp_path):
    records = [{"id": "a", "text": PROGRAM}, {"id": "b", "text": renamed()}]
    source = write_jsonl(tmp_path / "c.jsonl", records)
    run(source, tmp_path / "words")
    assert members(tmp_path / "words") == []
    run(source, tmp_path / "code", language="python")
    assert members(tmp_path / "code") == [["a", "b"]]
    with pytest.raises(UsageError):
        run(source, tmp_path / "unknown", language="klingon")


def test_bytes_are_compared_when_they_are_asked_for(tmp_path):
    raw = text(400, "raw").encode()
    source = tmp_path / "blobs"
    source.mkdir()
    (source / "a.txt").write_bytes(raw)
    (source / "b.txt").write_bytes(raw[:2000] + raw[2100:])
    run([str(source)], tmp_path / "run", kind="bytes")
    (pair,) = rows(tmp_path / "run", "pairs")
    assert pair["resemblance"] > 0.9


def test_a_question_is_read_as_a_document_of_the_run(tmp_path, folder):
    run([str(folder)], tmp_path / "run")
    hits = query(tmp_path / "run", renamed().encode(), "asked.py", 0.5)
    assert {hit.right.rpartition("/")[2] for hit in hits} == {"a.py", "b.py"}
    assert query(tmp_path / "run", renamed().encode(), "asked.txt", 0.5) == []


def test_shingles_of_different_channels_never_meet():
    symbols = np.arange(100, dtype=np.uint32)
    settings = make(CorpusSettings, {"noise": 5})
    sets = [{*shingles_of(symbols, kind, settings).tolist()} for kind in ("code:c", "bytes", "text")]
    assert [len(each) for each in sets] == [96] * 3
    assert len(set.union(*sets)) == 96 * 3


def test_a_language_of_your_own_is_known_to_a_corpus_and_to_its_queries(tmp_path):
    language = tmp_path / "blub.toml"
    language.write_text('name = "blub"\ntitle = "Blub"\nextends = "python"\nextensions = [".blub"]\n')
    source = tmp_path / "course"
    source.mkdir()
    (source / "a.blub").write_text(PROGRAM)
    (source / "b.blub").write_text(renamed())
    run([str(source)], tmp_path / "words")
    assert members(tmp_path / "words") == []
    run([str(source)], tmp_path / "run", language_file=str(language))
    assert members(tmp_path / "run") == [["a.blub", "b.blub"]]
    assert len(query(tmp_path / "run", renamed().encode(), "c.blub", 0.9)) == 2


def table(seed: int) -> str:
    """A program that is nothing but data, of the same shape for every seed."""
    chance = random.Random(seed)
    rows = (
        f"    Token.Name{at}: 'bold #{chance.randrange(1 << 24):06x}', # {at}\n    {chance.random()}: {at},\n"
        for at in range(40)
    )
    return f"class Style{seed}(Base):\n  styles = {{\n{''.join(rows)}  }}\n"


def test_programs_that_differ_in_their_data_are_distinct_and_renamed_ones_are_not(tmp_path):
    programs = {"a.py": table(1), "b.py": table(2), "c.py": table(1).replace("Token", "Symbol")}
    records = [{"id": name, "path": name, "text": text} for name, text in programs.items()]
    run(write_jsonl(tmp_path / "code.jsonl", records), tmp_path / "run")
    assert members(tmp_path / "run") == [["a.py", "c.py"]]


def accessors(names: list[str], head: str) -> str:
    """What a tool writes for a list of names."""
    return head + "".join(
        f"    public String get{name}() {{ return this.{name.lower()}; }}\n"
        f"    public void set{name}(String {name.lower()}) {{ this.{name.lower()} = {name.lower()}; }}\n"
        for name in names
    )


@pytest.mark.parametrize("field", ["path", "language"])
def test_generated_programs_are_compared_by_words_unless_code_is_asked_for(tmp_path, field):
    things = {"a": "Order", "b": "Person", "c": "Order"}
    for made, found in (("// Code generated by jtool. DO NOT EDIT.\n", 2), ("// by hand\n", 3)):
        records = [
            {"id": name, field: {"path": f"src/{name}.java", "language": "Java"}[field]}
            | {"text": accessors([f"{thing}{at}" for at in range(30)], made) + f"// {name}\n"}
            for name, thing in things.items()
        ]
        source = write_jsonl(tmp_path / "code.jsonl", records)
        for kind, count in (("auto", found), ("code", 3)):
            run(source, tmp_path / f"{kind}{found}", kind=kind)
            assert [len(each) for each in members(tmp_path / f"{kind}{found}")] == [count]


def test_a_licence_in_a_comment_makes_no_programs_similar(tmp_path):
    licence = "".join(f"# {text(12, f'licence{line}')}\n" for line in range(30))
    other = (
        "import sys\n\nprint(*(line.strip() for line in sys.stdin if line.startswith('x')), sep=chr(10))\n"
    )
    programs = {"a.py": PROGRAM, "b.py": other, "c.py": renamed()}
    records = [{"id": name, "path": name, "text": licence + text} for name, text in programs.items()]
    run(write_jsonl(tmp_path / "code.jsonl", records), tmp_path / "run")
    assert members(tmp_path / "run") == [["a.py", "c.py"]]
