"""The source that CONTRIBUTING.md adds works in every command."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from copysift.runtime import registry
from copysift.sources.conformance import check
from copysift.sources.source import added
from tests.cli.program import copysift as run
from tests.cli.texts import prose
from tests.sources.packing import zipped

ROOT = Path(__file__).resolve().parents[2]


def blocks():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("## Add a source")[2].partition("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL), re.findall(
        r"```toml\n(.*?)```", section, re.DOTALL
    )


@pytest.fixture
def installed(tmp_path):
    """Install the example beside the tests, as pip would."""
    (source, _), (entry,) = blocks()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/my_package.py").write_text(source)
    info = tmp_path / "lib/my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    group, _, line = entry.replace('"', "").partition("\n")
    (info / "entry_points.txt").write_text(f"{group.replace('project.entry-points.', '')}\n{line}")
    return str(tmp_path / "lib")


def test_the_example_passes_the_kit():
    (source, checked), _ = blocks()
    scope = {"__name__": "my_package"}
    exec(compile(source, "my_package.py", "exec"), scope)
    exec(compile(checked, "checked.py", "exec"), scope)


def test_the_example_works_in_every_command(tmp_path, installed):
    messages = [f"=== x\nSubject: number {n}\n\n{prose(n // 2)}\n" for n in range(4)]
    (tmp_path / "in").mkdir()
    (tmp_path / "in/box").write_text("\n".join(messages))
    (tmp_path / "in/x.zip").write_bytes(zipped({"inner": "\n".join(messages[:2]).encode()}))
    names = {f"in/box!{n + 1} number {n}" for n in range(4)}
    names |= {f"in/x.zip!inner!{n + 1} number {n}" for n in range(2)}

    def with_it(*arguments):
        return run(tmp_path, *arguments, PYTHONPATH=f"{ROOT / 'src'}{os.pathsep}{installed}")

    content = json.loads(with_it("scan", "in", "--format", "json").out)
    assert {each["name"] for each in content["documents"]} == names
    assert {each["read_as"] for each in content["documents"]} == {"mail message"}
    assert with_it("index", "add", "i.sift", "in").out.startswith("6 added")
    assert len(json.loads(with_it("query", "i.sift", "in/box", "--format", "json").out)["queries"]) == 4
    assert "6 documents, 2 clusters" in with_it("cluster", "in", "-o", "run").err
    assert "6 documents: 2 kept" in with_it("dedup", "in", "-o", "out.jsonl").out
    assert "6 documents: 6 new" in with_it("sweep", "s.sift", "in", "--date", "2026-01-01").out


@pytest.fixture
def built_in(tmp_path):
    """Give a function that builds an example into a copy of the package, by its file alone, and runs that."""

    def build(section, file):
        page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        source = re.findall(r"```python\n(.*?)```", page.partition(f"## {section}\n")[2], re.DOTALL)[0]
        copy = tmp_path / "package" / "copysift"
        ignored = shutil.ignore_patterns("*.c", "*.pyx", "__pycache__", "static")
        shutil.copytree(ROOT / "src" / "copysift", copy, copy_function=os.symlink, ignore=ignored)
        (copy / "sources" / file).write_text(source)
        return lambda *arguments: run(tmp_path, *arguments, PYTHONPATH=str(copy.parent))

    return build


def test_a_source_is_built_in_by_its_file_alone(tmp_path, built_in):
    copysift = built_in("Add a source", "digest_source.py")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/box").write_text("".join(f"=== x\nSubject: {n}\n\n{prose(1)}\n\n" for n in range(2)))
    (tmp_path / "in/a.txt").write_text(prose(2))
    found = json.loads(copysift("scan", "in", "--format", "json").out)
    assert [each["name"] for each in found["documents"]] == ["in/a.txt", "in/box!1 0", "in/box!2 1"]
    assert "Digests" in copysift("formats").out


def test_a_reader_is_built_in_by_its_file_alone(tmp_path, built_in):
    copysift = built_in("Add a reader of a document format", "readers/list_source.py")
    (tmp_path / "x").write_text("LIST\n* milk\n")
    found = json.loads(copysift("scan", "x", "--format", "json").out)
    assert [each["read_as"] for each in found["documents"]] == ["shopping list, 1 things"]


def test_the_marks_of_a_source_are_known_before_it_is_loaded():
    for each in added():
        traits = registry.load(registry.SOURCES, each.name).traits
        assert (each.name, each.magic, each.suffixes) == (traits.name, traits.magic, traits.suffixes)
    assert {"ar", "cpio"} <= {each.name for each in added()}


def test_the_reader_of_a_format_passes_the_kit():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("## Add a reader of a document format")[2].partition("\n## ")[0]
    scope = {"__name__": "my_package"}
    exec(compile(re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0], "my_package.py", "exec"), scope)
    check(scope["SOURCE"], "x", b"LIST\nfor today\n* milk\n* bread\n", {"x": b"milk\nbread"})
