import itertools
import re
import subprocess
import sys

import pytest

from copysift.errors import UsageError
from copysift.sources.globs import Globs


def takes(glob: str, path: str, folder: bool = False) -> bool:
    prefix, slash, name = path.rpartition("/")
    return Globs([glob]).matches(prefix + slash, name, folder=folder)


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.c", ["a.c", "d/a.c", ".c"], ["a.cc", "a.c/b"]),
        ("a?c", ["abc", "d/abc"], ["ac", "abbc"]),
        ("[ab].c", ["a.c", "b.c"], ["c.c", "[ab].c"]),
        ("[!ab].c", ["c.c"], ["a.c"]),
        ("[]x].c", ["].c", "x.c"], ["y.c"]),
        ("[a-c]", ["b"], ["d", "-"]),
        ("[a-c-]", ["b", "-"], ["d"]),
        (r"[\]\-x]", ["]", "-", "x"], ["\\"]),
        ("[[:digit:]x]", ["7", "x"], [":", "d"]),
        ("[^/]", ["a"], []),
        ("d[/]a", [], ["d/a"]),
        ("d/*.c", ["d/a.c"], ["e/d/a.c", "d/e/a.c", "a.c"]),
        ("/d/*.c", ["d/a.c"], ["e/d/a.c"]),
        ("/top", ["top"], ["d/top"]),
        ("**/d/*.c", ["d/a.c", "e/d/a.c"], ["d/e/a.c"]),
        ("d/**", ["d/a", "d/e/f"], ["d", "e/d/a"]),
        ("d/**/x", ["d/x", "d/a/x", "d/a/b/x"], ["dx", "d/ax"]),
        ("d/**x", ["d/abx"], ["d/a/x"]),
        (r"\*", ["*"], ["a"]),
        ("a.c", ["a.c"], ["abc"]),
        ("a*b", ["a\nb"], []),
    ],
)
def test_globs_take_what_they_should(glob, yes, no):
    assert [path for path in yes if not takes(glob, path)] == []
    assert [path for path in no if takes(glob, path)] == []


def test_a_glob_that_ends_in_a_slash_takes_folders_only():
    assert takes("build/", "build", folder=True)
    assert not takes("build/", "build")


def test_no_globs_take_nothing():
    assert Globs([]).empty
    assert not Globs([]).matches("", "a", folder=False)


@pytest.mark.parametrize("glob", ["", "/", "[z-a]", "[a", "x[", "[[:none:]]", "end\\"])
def test_a_glob_without_sense_is_refused(glob):
    with pytest.raises(UsageError):
        Globs([glob])


def test_globs_of_several_stars_take_every_path_that_backtracking_finds():
    plain = {"**/": "(?:.*/)?", "*": "[^/]*"}
    paths = [
        "/".join(each) for n in (1, 2, 3, 4) for each in itertools.product(("a", "b", "ab", "aba"), repeat=n)
    ]
    for pieces in itertools.product(("**/", "*", "a", "b/", "*b/", "a*"), repeat=4):
        glob = "/" + "".join(pieces).removesuffix("/")
        if re.search(r"[^/]\*\*|\*\*$|\*\*\*", glob):
            continue
        searched = re.sub(r"\*\*/|\*", lambda found: plain[found[0]], glob[1:])
        for path in paths:
            assert takes(glob, path) == (re.fullmatch(searched, path) is not None), (glob, path)


@pytest.mark.parametrize(
    ("glob", "prefix", "name"), [("*a" * 30 + "b", "", "a" * 250), ("**/a/" * 30 + "b", "a/" * 400, "a")]
)
def test_many_stars_on_a_long_name_take_no_time(glob, prefix, name):
    asked = f"Globs([{glob!r}]).matches({prefix!r}, {name!r}, folder=False)"
    code = f"from copysift.sources.globs import Globs; print({asked})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"False\n"
