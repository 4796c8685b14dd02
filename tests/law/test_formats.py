"""What was written counts, not the format it is in; every file says how it was read."""

import io
import json
import os
import shutil
import subprocess
import zipfile

import pytest

import copysift
from copysift.sources.inputs import Inputs
from tests.cli.program import copysift as run
from tests.cli.texts import prose
from tests.law.contents import page
from tests.sources import samples
from tests.sources.packing import zipped

ESSAY, OTHER = ("\n\n".join(prose(seed * 100 + each, 120) for each in range(12)) for seed in (1, 2))
MAKERS = {
    "txt": str.encode,
    "html": lambda text: page(text).encode(),
    "docx": samples.docx,
    "odt": samples.odf,
    "fodt": samples.flat_odf,
    "pptx": samples.pptx,
    "epub": samples.epub,
    "rtf": samples.rtf,
    "pdf": samples.pdf,
    "ps": samples.postscript,
    "tex": samples.tex,
    "man": lambda text: (".TH ESSAY 7\n.SH TEXT\n" + text.replace(" t", " \\[dq]\\f[I]t")).encode(),
    "eml": lambda text: samples.mail(text, "Essay"),
    "md": lambda text: "\n\n".join(
        f"_{each[:12]}_{each[12:]} ![](http://site.example/{each[:3]})" for each in samples.paragraphs(text)
    ).encode(),
    "json": lambda text: json.dumps({"body": text}).encode(),
    "xml": lambda text: f"<?xml version='1.0'?><a>{text.replace(' ', ' <b/>')}</a>".encode(),
}  # fmt: skip


def scanned(folder, *arguments):
    return json.loads(run(folder, "scan", *arguments, "--format", "json", "--no-regions").out)


def resemblances(content):
    return {frozenset((pair["left"], pair["right"])): pair["resemblance"] for pair in content["pairs"]}


def test_one_essay_is_alike_in_every_format_and_another_one_in_none(tmp_path):
    for suffix, make in MAKERS.items():
        (tmp_path / f"essay.{suffix}").write_bytes(make(ESSAY))
        (tmp_path / f"other.{suffix}").write_bytes(make(OTHER))
    content = scanned(tmp_path, ".", "--threshold", "0", "--max-shared", "1000")
    assert content["skipped"] == []
    found = resemblances(content)
    for first in MAKERS:
        for second in MAKERS:
            if first != second:
                assert found[frozenset((f"./essay.{first}", f"./essay.{second}"))] >= 0.9, (first, second)
            assert found.get(frozenset((f"./essay.{first}", f"./other.{second}")), 0) < 0.05, (first, second)


def test_unrelated_documents_with_one_template_are_not_alike(tmp_path):
    for suffix in ("docx", "odt", "fodt", "tex", "ps", "pdf"):
        (tmp_path / f"one.{suffix}").write_bytes(MAKERS[suffix](ESSAY))
        (tmp_path / f"two.{suffix}").write_bytes(MAKERS[suffix](OTHER))
    found = resemblances(scanned(tmp_path, ".", "--threshold", "0"))
    for suffix in ("docx", "odt", "fodt", "tex", "ps", "pdf"):
        assert found.get(frozenset((f"./one.{suffix}", f"./two.{suffix}")), 0) < 0.05


def test_the_same_word_file_packed_again_is_the_same_text_but_not_an_equal_file(tmp_path):
    (tmp_path / "a.docx").write_bytes(samples.docx(ESSAY))
    (tmp_path / "b.docx").write_bytes(samples.docx(ESSAY, zipfile.ZIP_STORED))
    (tmp_path / "c.docx").write_bytes(samples.docx(ESSAY))
    content = scanned(tmp_path, ".")
    assert [each["members"] for each in content["equal"]] == [["./a.docx", "./c.docx"]]
    assert resemblances(content)[frozenset(("./a.docx", "./b.docx"))] == 1.0
    done = run(tmp_path, "compare", "a.docx", "b.docx", "--format", "json")
    pair = json.loads(done.out)["pairs"][0]
    assert (pair["resemblance"], pair["equal"]) == (1.0, False)


def test_every_file_says_how_it_was_read(tmp_path):
    for suffix in ("pdf", "docx", "tex", "txt", "html"):
        (tmp_path / f"a.{suffix}").write_bytes(MAKERS[suffix](ESSAY))
    cell = {"cell_type": "markdown", "metadata": {}, "source": [ESSAY]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "a.bin").write_bytes(bytes(range(256)))
    (tmp_path / "a.py").write_text("print(1)\n")
    content = scanned(tmp_path, ".")
    assert {each["name"]: each["read_as"] for each in content["documents"]} == {
        "./a.bin": "raw bytes",
        "./a.docx": "docx text, 12 paragraphs",
        "./a.html": "HTML without its markup",
        "./a.ipynb": "cells of a notebook",
        "./a.pdf": "pdf text (pypdfium2), 4 pages",
        "./a.py": "a program: text, and tokens",
        "./a.tex": "LaTeX without its commands",
        "./a.txt": "plain text",
    }
    said = run(tmp_path, "scan", ".", "-v").err
    assert "./a.txt: read as plain text" in said
    assert "./a.pdf: read as pdf text (pypdfium2), 4 pages" in said


def test_attachments_are_opened_like_files_in_archives(tmp_path):
    first = samples.mail("See the file.\n", "One", essay_docx=samples.docx(ESSAY))
    second = samples.mail(OTHER, "Two", more_zip=zipped({"deep/essay.txt": ESSAY.encode()}))
    (tmp_path / "mail.mbox").write_bytes(samples.mailbox(first, second))
    content = scanned(tmp_path, "mail.mbox")
    names = [each["name"] for each in content["documents"]]
    assert names == [
        "mail.mbox!1", "mail.mbox!1!essay.docx", "mail.mbox!2", "mail.mbox!2!more.zip!deep/essay.txt",
    ]  # fmt: skip
    assert resemblances(content)[frozenset((names[1], names[3]))] >= 0.9


def test_a_debian_package_gives_its_files(tmp_path):
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        info = tarfile.TarInfo("./usr/share/doc/x/README")
        info.size = len(ESSAY)
        archive.addfile(info, io.BytesIO(ESSAY.encode()))
    (tmp_path / "x.deb").write_bytes(samples.ar({"debian-binary": b"2.0\n", "data.tar.xz": out.getvalue()}))
    content = scanned(tmp_path, "x.deb")
    assert [each["name"] for each in content["documents"]] == [
        "x.deb!debian-binary", "x.deb!data.tar.xz!usr/share/doc/x/README",
    ]  # fmt: skip


def test_passages_of_a_document_are_places_in_its_text(tmp_path):
    (tmp_path / "a.tex").write_bytes(samples.tex(ESSAY))
    (tmp_path / "b.txt").write_bytes(ESSAY.encode())
    data = (tmp_path / "a.tex").read_bytes()
    content = json.loads(run(tmp_path, "scan", ".", "--format", "json").out)
    (pair,) = content["pairs"]
    region = max(pair["regions"], key=lambda each: each["left"]["end"] - each["left"]["start"])
    sides = {pair[side]: data_of for side, data_of in (("left", None), ("right", None))}
    assert set(sides) == {"./a.tex", "./b.txt"}
    side = "left" if pair["left"] == "./a.tex" else "right"
    piece = data[region[side]["start"] : region[side]["end"]].decode()
    words = [word for word in piece.split() if "\\" not in word and "{" not in word and "}" not in word]
    assert len(words) > 500
    assert set(words) <= set(ESSAY.split())


def test_dedup_writes_marked_up_texts_as_they_are(tmp_path):
    (tmp_path / "in").mkdir()
    source = "\n\n".join(f"[{each}](http://site.example)" for each in samples.paragraphs(ESSAY))
    (tmp_path / "in/a.md").write_text(source)
    (tmp_path / "in/b.txt").write_text(OTHER)
    run(tmp_path, "dedup", "in", "-o", "out.jsonl")
    kept = {
        each["id"]: each["text"]
        for each in map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    }
    assert kept["in/a.md"] == source


def test_an_index_keeps_documents_by_their_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.docx").write_bytes(samples.docx(ESSAY))
    (tmp_path / "in/m.eml").write_bytes(samples.mail("Look.", "Hi", b_docx=samples.docx(OTHER)))
    for path in (tmp_path / "in").iterdir():
        os.utime(path, (1e9, 1e9))
    with copysift.Index("i.sift") as index:
        assert index.add("in").added == 3
        with monkeypatch.context() as patch:
            patch.setattr(Inputs, "members", None)  # nothing is opened again
            assert index.update().unchanged == 3
        assert index.source("in/a.docx").startswith(ESSAY[:40].encode())
        hits = {hit.right for hit in index.query(OTHER, text=True)}
        assert hits == {"in/m.eml!b.docx"}
        (tmp_path / "in/a.docx").unlink()
        assert index.update().removed == 1
        (tmp_path / "in/m.eml").write_bytes(samples.mail(OTHER, "Hi"))
        done = index.update()
        assert (done.changed, done.removed) == (1, 1)


def test_a_missing_reader_says_which_extra_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.sources.readers.pdf.PdfReader.library", "no_such_library")
    (tmp_path / "a.pdf").write_bytes(samples.pdf(ESSAY))
    (tmp_path / "b.txt").write_text(ESSAY)
    result = copysift.scan(tmp_path)
    assert [each.name for each in result.documents] == [f"{tmp_path}/b.txt"]
    (skipped,) = result.skipped
    assert "pip install 'copysift[pdf]'" in skipped.reason


def test_no_containers_compares_files_as_they_are(tmp_path):
    (tmp_path / "a.docx").write_bytes(samples.docx(ESSAY))
    (tmp_path / "a.tex").write_bytes(samples.tex(ESSAY))
    content = scanned(tmp_path, ".", "--no-containers")
    assert {each["name"]: (each["kind"], each["read_as"]) for each in content["documents"]} == {
        "./a.docx": ("bytes", "raw bytes"),
        "./a.tex": ("text", "plain text"),
    }


REAL = {
    "docx": ["pandoc", "-o", "essay.docx", "essay.txt"],
    "odt": ["pandoc", "-o", "essay.odt", "essay.txt"],
    "fodt": ["soffice", "--headless", "--convert-to", "fodt", "essay.txt"],
    "epub": ["pandoc", "-o", "essay.epub", "essay.txt", "--metadata", "title=Essay"],
    "rtf": ["pandoc", "-s", "-o", "essay.rtf", "essay.txt"],
    "tex": ["pandoc", "-s", "-o", "essay.tex", "essay.txt"],
    "1": ["pandoc", "-s", "-t", "man", "-o", "essay.1", "essay.txt"],
    "html": ["pandoc", "-s", "-o", "essay.html", "essay.txt", "--metadata", "title=Essay"],
    "rst": ["pandoc", "-o", "essay.rst", "essay.txt"],
    "pdf": ["sh", "-c", "groff -Tpdf essay.txt > essay.pdf"],
    "ps": ["sh", "-c", "groff -Tps essay.txt > essay.ps"],
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", REAL)
def test_files_of_the_programs_that_people_use_are_alike_to_the_text(tmp_path, suffix):
    program = "groff" if REAL[suffix][0] == "sh" else REAL[suffix][0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / "essay.txt").write_text(ESSAY)
    made = subprocess.run(REAL[suffix], cwd=tmp_path, check=False, capture_output=True, text=True)
    if program == "groff" and "can't find 'DESC' file" in made.stderr:
        pytest.skip(f"{program} is installed without the device {suffix}")
    made.check_returncode()
    content = scanned(tmp_path, ".", "--threshold", "0")
    assert resemblances(content)[frozenset(("./essay.txt", f"./essay.{suffix}"))] >= 0.85
    assert content["pairs"][0]["containment_left"] >= 0.9
