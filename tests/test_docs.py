"""Every option and error is documented, every command in the docs runs, generated pages are current."""

import re
import runpy
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from copysift import errors
from copysift.cli import formats
from copysift.cli.main import COMMANDS
from copysift.cli.options import declared
from copysift.runtime import registry
from copysift.settings.refusals import is_refused
from tests.cli.program import ROOT, environment

HOWTO = "".join(
    (ROOT / "docs" / f"howto-{name}.md").read_text(encoding="utf-8")
    for name in ("files", "folders", "teachers")
)
COMMAND_LINES = re.findall(r"^\$ (.+)$", HOWTO, re.MULTILINE)


def test_the_page_of_settings_is_current():
    page = runpy.run_path(str(ROOT / "scripts" / "make_settings_page.py"))["page"]
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page()


def test_the_page_of_languages_is_current_and_names_every_key():
    from dataclasses import fields

    from copysift.kinds.language import Language, Rule

    page = runpy.run_path(str(ROOT / "scripts" / "make_languages_page.py"))["page"]()
    assert (ROOT / "docs" / "languages.md").read_text(encoding="utf-8") == page
    for each in (*fields(Language), *fields(Rule)):
        assert each.name in ("rules", "kind", "symbol") or f"`{each.name}`" in page


def test_every_option_is_on_the_page_of_settings():
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        for entry in declared(command).values():
            for flag in entry.flags:
                assert is_refused(entry.name, command) or f"`{flag}`" in page


def test_every_command_is_in_the_readme_or_a_how_to():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("howto-*.md")]
    written = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in COMMANDS if f"copysift {name}" not in written] == []


def test_every_error_says_when_it_is_raised():
    for value in vars(errors).values():
        if isinstance(value, type) and issubclass(value, errors.CopysiftError):
            assert value.__doc__


def test_every_kind_scheme_and_report_is_described_by_formats():
    listed = CliRunner().invoke(formats.command, [], standalone_mode=False).output
    for group in (registry.KINDS, registry.SCHEMES, registry.REPORTS):
        for name in registry.names(group):
            assert re.search(rf"^  {name} +(\d+ / \d+ +)?\S.{{8,}}$", listed, re.MULTILINE), name


def test_every_folder_of_the_package_is_described_in_the_architecture():
    written = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for folder in (ROOT / "src" / "copysift").iterdir():
        if folder.is_dir() and not folder.name.startswith("_"):
            assert f"## `src/copysift/{folder.name}`" in written


def test_every_file_that_the_architecture_names_is_there():
    written = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    every = [path.as_posix() for path in (ROOT / "src").rglob("*.py")]
    for part in re.split(r"^#+ ", written, flags=re.MULTILINE):
        folder = match[1] if (match := re.match(r"`(src/copysift/\w+)`", part)) else "src"
        for name in re.findall(r"`([a-z_/]+\.py)`", part):
            inside = [path for path in every if path.endswith(f"/{name}") and f"/{folder}/" in path]
            assert inside or (ROOT / name).exists(), f"{name} in {part.splitlines()[0]}"


def test_the_bundled_example_is_what_its_script_makes(tmp_path):
    runpy.run_path(str(ROOT / "scripts" / "make_example.py"))["main"](tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    bundle = ROOT / "examples" / "essays"
    assert made == {
        path.relative_to(bundle): path.read_bytes() for path in bundle.rglob("*") if path.is_file()
    }


def test_the_bundled_class_is_what_its_script_makes(tmp_path):
    runpy.run_path(str(ROOT / "scripts" / "make_homework.py"))["main"](tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    bundle = ROOT / "examples" / "homework"
    assert made == {
        path.relative_to(bundle): path.read_bytes() for path in bundle.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the example, and a command `copysift`, where the how-to's commands run in order."""
    folder = tmp_path_factory.mktemp("howto")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "bin").mkdir()
    program = folder / "bin" / "copysift"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m copysift "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="the how-to is written for a Unix shell")
def test_every_command_of_the_how_to_runs_and_finds_something(place):
    assert len(COMMAND_LINES) > 10
    for line in COMMAND_LINES:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=place,
            env=environment(PATH=f"{place / 'bin'}:/usr/bin:/bin"),
            capture_output=True,
            text=True,
            check=False,
        )
        written = re.fullmatch(
            r"copysift: [\d,]+ equal sets?, [1-9][\d,]* similar pairs? of [\d,]+ \w+: \S+\n"
            r"|copysift: (?:[1-9][\d,]* (?:renamed|new|gone)(?:, )?)+: \S+\n",  # two folders
            done.stderr,
        )
        assert done.returncode == 0, line
        assert not done.stderr or written, line
        assert done.stdout or " -o " in line or "--save" in line, line
