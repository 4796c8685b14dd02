"""Removing comments and renaming every identifier changes nothing: tree-sitter says what those are."""

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip(
    "tree_sitter_language_pack", reason="not installed: pip install 'tree-sitter-language-pack<1'"
)

from copysift import kinds
from copysift.kinds.code import Code
from tests.cli.program import ROOT
from tests.kinds.oracle import GRAMMARS, disguised
from tests.kinds.test_languages import SAMPLES

KNOWN = kinds.languages()
SUFFIXES = {
    suffix: language
    for language in GRAMMARS
    for suffix in KNOWN.find(language).language.extensions
    if suffix not in (".h", ".v", ".F90", ".t")  # of several languages, or not what tree-sitter reads
} | {".m": "objectivec"}
EACH = 80  # programs of a language
FEWEST, LANGUAGES = 1000, 25


def differing(code, language, data):
    """Give what changes the symbols of a source: nothing, comments or names; None if it cannot be judged."""
    made = disguised(language, data)
    if made is None:
        return None
    before = code.whole(data).symbols.tolist()
    for what, other in zip(("comments", "names"), made, strict=True):
        if code.whole(other).symbols.tolist() != before:
            return what
    return ""


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_a_sample_without_comments_and_with_other_names_is_the_same(language):
    path = SAMPLES / f"{language}.txt"
    data = path.read_bytes()
    found = differing(Code(KNOWN.find(language)), language, data)
    if found is None:
        pytest.skip("tree-sitter does not read this sample whole")
    assert found == ""


def test_the_oracle_does_rename_and_remove():
    plain, renamed = disguised("c", b"/* words */ int total = other(3); // end\n")
    assert plain == b"            int total = other(3);       \n"
    assert renamed == b"            int zqaa = zqab(3);       \n"
    assert disguised("c", b"int (((") is None
    assert disguised("javascript", b"a.catch(b)")[1] == b"zqaa.zqab(zqac)"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Give a folder of real programs: that of COPYSIFT_PROGRAMS, or source packages of Debian."""
    if named := os.environ.get("COPYSIFT_PROGRAMS"):
        return Path(named)
    if not shutil.which("apt-get"):
        pytest.skip("there is no apt-get to download programs; set COPYSIFT_PROGRAMS to a folder of them")
    folder = tmp_path_factory.mktemp("programs")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "real_programs.py", folder], check=False)
    if done.returncode:
        pytest.skip("programs could not be downloaded; set COPYSIFT_PROGRAMS to a folder of them")
    return folder


@pytest.mark.slow
def test_a_thousand_real_programs_without_comments_and_with_other_names_are_the_same(programs):
    site = Path(
        pytest.__file__
    ).parent.parent  # Python, and what JavaScript and style sheets its packages bring
    files = {language: [] for language in GRAMMARS}
    for path in sorted([*programs.rglob("*"), *site.rglob("*")]):
        language = SUFFIXES.get(path.suffix.lower())
        if language and path.is_file() and 500 < path.stat().st_size < 60_000:
            files[language].append(path)
    judged, wrong = Counter(), []
    for language, paths in files.items():
        random.Random(language).shuffle(paths)
        code = Code(KNOWN.find(language))
        for path in paths:
            if judged[language] == EACH:
                break
            data = path.read_bytes()
            if b"\0" in data or data.decode("utf-8", "replace").encode() != data:
                continue
            found = differing(code, language, data)
            if found is not None:
                judged[language] += 1
            if found:
                wrong.append(f"{path}: {found}")
    assert wrong == []
    assert sum(judged.values()) >= FEWEST, judged
    assert sum(count > 0 for count in judged.values()) >= LANGUAGES, judged
