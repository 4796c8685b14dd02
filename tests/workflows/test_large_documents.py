"""Documents that are matched from temporary files give what they give in memory, in bounded memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import numpy as np
import pytest

import copysift
from copysift.kernels import _match
from copysift.kinds import positions
from copysift.match import exact
from copysift.model.values import Result
from copysift.workflows import hit_passages, matches

WORDS = ["rain", "größer", "stone", "über", "lamp", "forty", "grain", "Σίσυφος", "quick", "line", "two", "so"]

HANDED_OUT = "while (x < 3) { y = x ? f(x, y) : g[x]; do { x++; } while (y); }\n" * 3


def prose(seed, words):
    draw = random.Random(seed)
    return "".join(draw.choice(WORDS) + draw.choice(" \n,") for _ in range(words))


def program(seed, lines):
    draw = random.Random(seed)
    return "".join(
        f"int f{n}(int a) {{ return a {draw.choice('+-*/')} {draw.choice('abc')}[{draw.choice('ij')}]; }}\n"
        for n in range(lines)
    )


def write_pair(folder, suffix, make):
    shared = make(1, 900)
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate("ab"):
        parts = [make(10 + number, 200), shared, make(20 + number, 300), make(2, 150)]
        (folder / f"{name}.{suffix}").write_text("".join(parts), encoding="utf-8")


@pytest.mark.parametrize(("suffix", "make"), [("txt", prose), ("c", program), ("bin", prose)])
@pytest.mark.parametrize("seeds", [False, True])
def test_a_small_memory_gives_the_same_regions(tmp_path, monkeypatch, suffix, make, seeds):
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path / "in", suffix, make)
    if suffix == "bin":
        for file in (tmp_path / "in").iterdir():
            file.write_bytes(b"\0\1\2" + file.read_bytes())
    if seeds:
        monkeypatch.setattr(exact, "SIEVE_ROOM", 1000)
    kind = "code" if suffix == "c" else "auto"
    usual = copysift.scan("in", regions=True, threshold=0.01, kind=kind)
    assert usual.pairs[0].regions
    for share in ("LARGE", "SEEDS", "REGIONS"):
        monkeypatch.setattr(matches, share, 0.0)
    small = copysift.scan("in", regions=True, threshold=0.01, kind=kind)
    assert list(small.pairs) == list(usual.pairs)


@pytest.mark.parametrize("base", [False, True])
def test_large_submissions_of_several_files_give_the_same_regions(tmp_path, monkeypatch, base):
    monkeypatch.chdir(tmp_path)
    for name in "xyz":
        write_pair(
            tmp_path / "in" / name, "c", lambda seed, n, name=name: program(f"{seed}{name * (n < 250)}", n)
        )
    (tmp_path / "base.c").write_text(HANDED_OUT)
    for file in (tmp_path / "in").rglob("*.c"):
        file.write_text(HANDED_OUT + file.read_text())
    given = {"base": ["base.c"]} if base else {}
    usual = copysift.scan("in", by="dir", regions=True, threshold=0.01, **given)
    assert usual.pairs[0].regions
    monkeypatch.setattr(matches, "LARGE", 0.0)
    assert list(copysift.scan("in", by="dir", regions=True, threshold=0.01, **given).pairs) == list(
        usual.pairs
    )


def test_offsets_beyond_32_bits_are_those_of_the_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path, "txt", prose)
    (tmp_path / "a.html").write_text("<p>&eacute;" + prose(1, 900) + "</p>", encoding="utf-8")
    (tmp_path / "b.html").write_text("<p>x " + prose(1, 900) + "&auml;</p>", encoding="utf-8")
    monkeypatch.setattr(exact, "SIEVE_ROOM", 100)
    usual = copysift.scan(".", regions=True, threshold=0.01)
    monkeypatch.setattr(positions, "NARROW", 1000)
    monkeypatch.setattr(_match, "WIDE", 1000)
    monkeypatch.setattr(matches, "LARGE", 0.0)
    assert list(copysift.scan(".", regions=True, threshold=0.01).pairs) == list(usual.pairs)


def peak_of(*command):
    """Run a command in a process of its own; give what it printed and its peak memory in bytes."""
    measure = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.stdout.buffer.write(done.stdout)"
    )
    run = [sys.executable, "-c", measure, sys.executable, "-m", "copysift", *command]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    peak, _, printed = found.stdout.partition("\n")
    return printed, int(peak) * 1024


@pytest.mark.slow
def test_two_binaries_are_matched_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random_bytes = np.random.default_rng(1).integers(0, 256, (2, 120_000_000), np.uint8)
    random_bytes[1, 5_000_000:65_000_000] = random_bytes[0, 40_000_000:100_000_000]
    for name, data in zip("ab", random_bytes, strict=True):
        data.tofile(f"{name}.bin")
    printed, peak = peak_of("scan", "a.bin", "b.bin", "--memory", "256MB", "--format", "json")
    (pair,) = json.loads(printed)["pairs"]
    assert max(pair["regions"], key=lambda each: each["length"])["left"]["start"] == 40_000_000
    assert pair["longest"] == 60_000_000
    assert peak < 400_000_000  # both take 240 MB, and took 1.4 GB


@pytest.mark.slow
def test_files_of_over_4_gib_are_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beyond = random.Random(1).randbytes(1 << 20)
    for name in "ab":
        with open(f"{name}.bin", "wb") as file:  # sparse: little of the disk is used
            file.seek(2**32)
            file.write(beyond)
    (tmp_path / "c.bin").write_bytes(beyond)
    found: Result = copysift.scan(".", regions=True, max_bytes_per_file=1 << 33)
    assert not found.skipped
    assert found.equal == (("./a.bin", "./b.bin"),)
    assert found.documents[0].bytes == 2**32 + (1 << 20)
    (pair,) = (pair for pair in found.pairs if not pair.equal)
    (region,) = pair.regions
    assert (region.left.start, region.left.end, region.right.start) == (2**32, 2**32 + (1 << 20), 0)


def test_passages_of_a_query_do_not_depend_on_whether_they_are_streamed(tmp_path, monkeypatch):
    chance = random.Random(11)
    words = [f"{'bdfgklmn'[at % 8]}{'aeiou'[at % 5]}{at}" for at in range(400)]
    lines = [" ".join(chance.choices(words, k=9)) for _ in range(300)]
    asked = tmp_path / "asked.txt"
    asked.write_text("\r\n".join(lines[:80] + lines[150:170]))
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "long.txt").write_text("\n".join(lines[40:]))
    (tmp_path / "held" / "program.py").write_text(
        "".join(f"x{at} = '{line}'\n" for at, line in enumerate(lines))
    )
    with copysift.Index(tmp_path / "held.sift") as index:
        index.add(tmp_path / "held")
        expected = list(index.query(asked, passages=True))
        monkeypatch.setattr(hit_passages, "LARGE", 0)
        monkeypatch.setattr(hit_passages, "SEEDS", 0)
        found = list(index.query(asked, passages=True))
    assert found == expected
    assert max(len(hit.regions) for hit in found) > 1
