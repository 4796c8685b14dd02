"""The examples of CONTRIBUTING.md for languages, schemes and reports work as they are written."""

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


def test_the_scheme_finds_a_copy_and_does_not_depend_on_blocks(tmp_path, with_package):
    (source,), (entry,) = blocks("Add a scheme", "python"), blocks("Add a scheme", "toml")
    copysift = with_package(source, entry)
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": prose(1) + prose(2), "in/c.txt": prose(3)})
    assert "in/a.txt,in/b.txt" in copysift("scan", "in", "--scheme", "odd", "--format", "csv").out
    assert copysift("index", "add", "i.sift", "in", "--scheme", "odd").status == 0

    import numpy as np

    from copysift.fingerprints import FingerprintSettings

    scope: dict[str, type] = {}
    exec(compile(source, "my_package.py", "exec"), scope)
    symbols = np.random.default_rng(1).integers(97, 123, 500).astype(np.uint8)
    whole = scope["Odd"](FingerprintSettings()).feed(symbols, True)
    cut = scope["Odd"](FingerprintSettings())
    first = cut.feed(symbols[:200], False)
    second = cut.feed(symbols[first.keep :], True)
    assert [*first.hashes, *second.hashes] == [*whole.hashes]


def test_the_report_lists_the_pairs(tmp_path, with_package):
    (source,), (entry,) = blocks("Add a report format", "python"), blocks("Add a report format", "toml")
    copysift = with_package(source, entry)
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": prose(1) + prose(2)})
    assert copysift("scan", "in", "--format", "shout").out == "IN/A.TXT = IN/B.TXT\n"
    copysift("scan", "in", "-o", "pairs.shout")
    assert (tmp_path / "pairs.shout").read_text() == "IN/A.TXT = IN/B.TXT\n"
