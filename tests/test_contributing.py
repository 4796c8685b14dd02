"""The examples of CONTRIBUTING.md for languages, kinds, schemes and formats work as they are written."""

import json
import os
import re

import pytest

from tests.cli.program import ROOT, write
from tests.cli.program import copysift as run
from tests.cli.texts import prose

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def blocks(title: str, kind: str) -> list[str]:
    """Give the examples of one kind in a section."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def with_package(tmp_path):
    """Install an example as pip would, and give a function that runs copysift with it."""

    def install(source: str, entry: str):
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib/my_package.py").write_text(source)
        info = tmp_path / "lib/my_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
        written = entry.replace('"', "").replace("project.entry-points.", "")
        (info / "entry_points.txt").write_text(written)
        path = f"{ROOT / 'src'}{os.pathsep}{tmp_path / 'lib'}"
        return lambda *arguments: run(tmp_path, *arguments, PYTHONPATH=path)

    return install


def test_the_language_passes_the_kit_and_is_used(tmp_path, monkeypatch):
    language, _ = blocks("Add a language", "toml")
    (checked,) = blocks("Add a language", "python")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zed.toml").write_text(language)
    scope: dict[str, bytes] = {}
    exec(compile(checked, "checked.py", "exec"), scope)
    program = scope["sample"].decode() * 8
    write(tmp_path, {"in/a.zed": program, "in/b.zed": program.replace("double", "twice").replace("y", "z")})
    done = run(tmp_path, "scan", "in", "--language-file", "zed.toml", "--kind", "code", "--format", "csv")
    assert "in/a.zed,in/b.zed" in done.out


def test_the_language_of_a_package_is_listed(with_package):
    language, entry = blocks("Add a language", "toml")
    copysift = with_package(f"ZED = {language!r}\n", entry)
    assert "zed" in copysift("languages").out


def in_scope(*sources: str) -> dict:
    """Run the examples of a section in order, as one module."""
    scope: dict = {"__name__": "my_package"}
    for source in sources:
        exec(compile(source, "my_package.py", "exec"), scope)
    return scope


def test_the_kind_passes_the_kit_and_is_used_everywhere(tmp_path, with_package):
    (source, checked), (entry,) = blocks("Add a kind", "python"), blocks("Add a kind", "toml")
    in_scope(source, checked)
    copysift = with_package(source, entry)
    log = "".join(f"{prose(line, words=4)}\n" for line in range(40))
    write(tmp_path, {"in/a.log": log, "in/b.log": log.upper().replace("\n", "  \n"), "in/c.txt": prose(99)})
    assert "lines           3 / 6    lines of logs and lists\n" in copysift("formats").out
    found = json.loads(copysift("scan", "in", "--format", "json").out)
    assert [each["kind"] for each in found["documents"]] == ["lines", "lines", "text"]
    assert [(each["left"], each["similarity"]) for each in found["pairs"]] == [("in/a.log", 1.0)]
    assert copysift("index", "add", "i.sift", "in", "--kind", "lines").status == 0
    assert "in/b.log" in copysift("query", "i.sift", "in/a.log", "--format", "csv").out
    assert copysift("cluster", "in", "-o", "run", "--kind", "lines").status == 0
    assert "in/a.log,in/b.log" in copysift("show", "run", "--format", "csv").out


def test_the_scheme_passes_the_kit_and_finds_a_copy(tmp_path, with_package):
    (source, checked), (entry,) = blocks("Add a scheme", "python"), blocks("Add a scheme", "toml")
    in_scope(source, checked)
    copysift = with_package(source, entry)
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": prose(1) + prose(2), "in/c.txt": prose(3)})
    assert "  odd           hashes that are odd\n" in copysift("formats").out
    assert "in/a.txt,in/b.txt" in copysift("scan", "in", "--scheme", "odd", "--format", "csv").out
    assert copysift("index", "add", "i.sift", "in", "--scheme", "odd").status == 0
    done = copysift("scan", "in", "--scheme", "odd", "--modulus", "3")
    assert "--modulus has no effect with the scheme odd" in done.err


def test_the_format_passes_the_kit_and_lists_the_pairs(tmp_path, with_package):
    section = "Add an output format"
    (source, checked), (entry,) = blocks(section, "python"), blocks(section, "toml")
    in_scope(source, checked)
    copysift = with_package(source, entry)
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": prose(1) + prose(2)})
    assert "  shout         names of pairs, in capitals\n" in copysift("formats").out
    assert copysift("scan", "in", "--format", "shout").out == "'IN/A.TXT' = 'IN/B.TXT'\n"
    copysift("scan", "in", "-o", "pairs.shout")
    assert (tmp_path / "pairs.shout").read_text() == "'IN/A.TXT' = 'IN/B.TXT'\n"
    assert "choose one of table, json" in copysift("query", "x.sift", "a", "--format", "shout").err


def test_plug_ins_of_version_0_1_still_work(tmp_path, with_package):
    source = """
from copysift.fingerprints.schemes import Choice
from copysift.kinds import Words
import numpy as np
from copysift import kernels

class Every:
    def __init__(self, settings):
        self.k, self.seed = settings.k, settings.seed
    def feed(self, symbols, last):
        hashes = kernels.selection.hashes(symbols, self.k, self.seed)
        return Choice(np.arange(len(hashes), dtype=np.uint32), hashes, max(0, len(symbols) - self.k + 1))
    def settle(self, hashes):
        return None

def report(result, view):
    return "".join(f"{pair.left}+{pair.right}" for pair in result.pairs)
"""
    groups = {"schemes": "every = my_package:Every", "kinds": "terms = my_package:Words"}
    groups["reports"] = "plus = my_package:report"
    copysift = with_package(source, "".join(f"[copysift.{name}]\n{line}\n" for name, line in groups.items()))
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": prose(1)[:-50] + prose(2)})
    done = copysift(
        "scan", "in", "--scheme", "every", "--kind", "terms", "--format", "plus", "--modulus", "2"
    )
    assert done.out == "in/a.txt+in/b.txt"
    assert copysift("formats").out.count("plug-in") == 3
