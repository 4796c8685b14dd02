"""Headers are programs of their own: a renamed one is found in any folder; declarations are no copy."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import copysift
from copysift.join.alike import HEADERS, AlikeRows
from copysift.join.memory import Join
from copysift.join.rows import NO_FLOOR, RowRange
from copysift.kinds import header
from copysift.match.measures import weights
from copysift.settings.comparison import Settings
from copysift.workflows.reading import Reader
from tests.cli.texts import prose

TYPES = ["int", "unsigned long", "char *", "const struct node *", "void", "struct item", "double", "short"]
WORDS = {"int", "unsigned", "long", "char", "const", "struct", "void", "double", "short", "static", "inline"}
WORDS |= {"return", "if", "else", "for", "while", "define", "ifndef", "endif", "include", "enum", "union"}


def declarations(seed, count=60):
    """Give a header that nobody else writes: structs, prototypes, inline functions and macros by chance."""
    chance = random.Random(seed)
    name = iter(f"{chance.choice('abcdefgh')}name{seed}_{number}" for number in range(100_000))
    lines = [f"/* {prose(seed, words=30)} */", f"#ifndef {next(name)}"]
    for _ in range(count):
        kind = chance.randrange(4)
        if kind == 0:
            lines.append(f"struct {next(name)} {{")
            for _ in range(chance.randrange(1, 6)):
                lines.append(f"\t{chance.choice(TYPES)} {next(name)}{chance.choice(['', '[4]', ':3'])};")
            lines.append("};")
        elif kind == 1:
            given = ", ".join(f"{chance.choice(TYPES)} {next(name)}" for _ in range(chance.randrange(1, 5)))
            lines.append(f"{chance.choice(TYPES)} {next(name)}({given});")
        elif kind == 2:
            a, b = next(name), next(name)
            lines.append(f"static inline {chance.choice(TYPES)} {next(name)}({chance.choice(TYPES)} {a}) {{")
            lines.append(
                f"\tif ({a} {chance.choice(['<', '==', '&'])} {b}) return {a} {chance.choice('+-|')} 1;"
            )
            lines.append(f"\t{chance.choice(['while', 'for'])} ({b}) {next(name)}({a}); return {b}; }}")
        else:
            lines.append(f"#define {next(name)} ({chance.choice(['1 <<', '-', '~'])} {chance.randrange(99)})")
    return "\n".join([*lines, "#endif", ""])


def renamed(text):
    """Give every name another one, and the comment another text."""
    text = re.sub(r"/\*.*?\*/", "/* something else */", text)
    return re.sub(
        r"[A-Za-z_]\w*", lambda found: found[0] if found[0] in WORDS else f"other_{found[0][::-1]}", text
    )


def put(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def found(*paths, **settings):
    result = copysift.scan(list(paths), **settings)
    return {frozenset(pair_name(side) for side in (pair.left, pair.right)): pair for pair in result.pairs}


def pair_name(path):
    return path.replace("\\", "/").rpartition("/")[2]


COPY = frozenset({"old.h", "new.h"})
TWO = {"a/old.h": declarations(1), "b/new.h": renamed(declarations(1))}
OTHERS = {f"c/{number}.h": declarations(number) for number in range(2, 12)}
MIXED = {f"d/{number}.txt": prose(100 + number) for number in range(5)} | {
    "e/sum.py": "def total(a):\n    return a + 1\n",
    "e/main.c": "int main(void) { return 0; }\n",
}


@pytest.mark.parametrize(
    "others", [{}, OTHERS, MIXED, OTHERS | MIXED], ids=["alone", "headers", "mixed", "all"]
)
def test_a_renamed_header_is_found_whatever_is_beside_it(tmp_path, others):
    pairs = found(put(tmp_path, TWO | others))
    assert set(pairs) == {COPY}
    pair = pairs[COPY]
    assert (pair.channel, pair.resemblance) == ("code", 1.0)


def test_a_renamed_header_is_found_in_an_index(tmp_path):
    put(
        tmp_path,
        {"in/old.h": TWO["a/old.h"], "new.h": TWO["b/new.h"]} | {f"in/{n}": t for n, t in OTHERS.items()},
    )
    with copysift.Index(tmp_path / "x.sift") as index:
        index.add(tmp_path / "in")
        (hit,) = index.query(tmp_path / "new.h")
        assert (pair_name(hit.right), hit.channel, hit.resemblance) == ("old.h", "code", 1.0)
    assert set(found(tmp_path / "x.sift", tmp_path / "new.h")) == {COPY}


def test_a_renamed_header_in_an_index_of_which_files_are_scanned_is_found(tmp_path):
    put(tmp_path, {name.partition("/")[2]: text for name, text in TWO.items()} | MIXED)
    with copysift.Index(tmp_path / "x.sift") as index:
        index.add(tmp_path)
    assert set(found(tmp_path / "x.sift")) == {COPY}


def test_an_edited_and_renamed_header_is_found(tmp_path):
    text = declarations(1).splitlines(keepends=True)
    edited = "".join(line for number, line in enumerate(text) if number % 30)
    pair = found(put(tmp_path, {"old.h": "".join(text), "new.h": renamed(edited)}))[COPY]
    assert 0.6 < pair.resemblance < 1


def test_declarations_of_the_same_form_are_no_copy(tmp_path):
    forms = [[f"#define {name}_{number} {number}\n" for number in range(60)] for name in ("CLOCK", "RESET")]
    assert found(put(tmp_path, {"old.h": "".join(forms[0]), "new.h": "".join(forms[1])})) == {}


def test_headers_are_compared_with_each_other_alone(tmp_path):
    """What a program is like does not depend on the headers beside it."""
    files = {"old.h": TWO["a/old.h"], "new.c": TWO["b/new.h"]}
    assert found(put(tmp_path, files)) == {}
    with copysift.Index(tmp_path / "x.sift") as index:
        index.add(tmp_path / "old.h")
        assert list(index.query(tmp_path / "new.c")) == []


def test_where_programs_are_compared_a_header_is_one(tmp_path):
    files = {"ann/old.h": declarations(1, 25), "bob/new.c": renamed(declarations(1, 25))}
    folder = put(tmp_path, files)
    for settings in ({"by": "dir"}, {"kind": "code"}):
        (pair,) = copysift.scan(folder, **settings).pairs
        assert pair.channel == "code", settings


def test_two_renamed_headers_are_compared_by_tokens(tmp_path):
    folder = put(tmp_path, TWO)
    pair = copysift.compare(*(folder / name for name in TWO))
    assert (pair.channel, pair.resemblance) == ("code", 1.0)


def test_passages_of_a_renamed_header_are_found_to_its_end(tmp_path):
    text = declarations(1, count=400)
    pairs = found(put(tmp_path, {"old.h": text, "new.h": renamed(text)}), regions=True)
    assert pairs[COPY].regions[0].length > header.MOST


def test_the_measures_that_need_occurrences_find_it_too(tmp_path):
    folder = put(tmp_path, TWO | OTHERS)
    for settings in (
        {"measure": "sif"},
        {"measure": "longest"},
        {"min_match": 100},
        {"measure": "containment"},
    ):
        assert set(found(folder, **settings)) == {COPY}, settings


def test_little_memory_changes_nothing(tmp_path):
    folder = put(tmp_path, TWO | OTHERS | {f"f/{each}": text for each, text in TWO.items()})
    names = lambda result: [(pair.left, pair.right, pair.similarity) for pair in result.pairs]  # noqa: E731
    assert names(copysift.scan(folder)) == names(copysift.scan(folder, memory="16MB", jobs=1))


@pytest.mark.parametrize("count", [0, 1, 5, 60, 200])
def test_a_header_has_the_same_fingerprints_whole_and_in_chunks(count):
    data = declarations(4, count).encode() if count else b"/* nothing */"
    reader = Reader(Settings())
    whole = reader.fingerprints(header.KIND, [data])
    cut = reader.fingerprints(header.KIND, [data[:100], data[100:]])
    for name in ("hashes", "starts", "ends"):
        assert getattr(whole, name).tolist() == getattr(cut, name).tolist()
    assert whole.grams == cut.grams < header.MOST
    assert len(set(whole.hashes.tolist())) == len(whole.hashes)


def test_a_floor_needs_more_hashes_the_less_two_headers_resemble_each_other():
    assert HEADERS.passes(16, 1.0)
    assert not HEADERS.passes(15, 1.0)
    assert HEADERS.passes(49, 0.8)
    assert not HEADERS.passes(48, 0.8)
    assert not HEADERS.passes(10_000, 0.49)


def test_pairs_that_are_formed_in_parts_are_the_same():
    chance = np.random.default_rng(1)
    hashes = chance.integers(0, 2**60, 40).astype(np.uint64)
    with Join() as join:
        for group in range(12):
            join.add(group, hashes[: 40 - group % 5])
        rows = AlikeRows(join.finish(0, weights), HEADERS)
    whole = rows.pairs((0, 12), "resemblance", 0.95)
    assert 0 < len(whole) < len(rows.pairs((0, 12), "resemblance", 0.0))
    for most in (1, 5, 20):
        cut, first = [], 0
        while first < 12:
            within = RowRange(first, 12, most)
            part = within.pairs(rows, "resemblance", 0.95, 1, NO_FLOOR).before(within.last)
            cut += list(part)
            first = within.last
        assert cut == list(whole), most
