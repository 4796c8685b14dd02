"""Patched builds of Debian packages among unrelated binaries: what copysift finds, and what TLSH finds.

    python benches/executables.py [--folder FOLDER] [--ways WAY…]

Downloads two builds of each package with apt into FOLDER (Debian 12 with its security archive, or any release
that has two of them), once. The unrelated binaries are those of this machine of up to 4 MiB, 900 of them. A
pair of binaries of different source packages is false. TLSH is `pip install py-tlsh`. The ways
`resemblance` and `tlsh` compare like with like.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import copysift

PACKAGES = (  # noqa: SIM905
    "libssl3 openssl libcurl4 curl libxml2 libexpat1 libpng16-16 bind9-libs libglib2.0-0 libarchive13 "
    "libxslt1.1 openssh-client sudo git perl-base libnss3 libssh2-1 libssh-4 liblzma5 libpoppler126 "
    "postgresql-client-15 libpq5"
).split()
PLACES = ("/usr/bin", "/usr/sbin", "/usr/lib/x86_64-linux-gnu")
UNRELATED = 900
LARGEST = 4 << 20  # bytes of an unrelated binary
DISTANCE = 50  # of TLSH
SHOWN = 12  # false pairs, of each way


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache/copysift-executables")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    given = parser.parse_args()
    folder: Path = given.folder
    found = {source_of(name): pair for name in PACKAGES if (pair := builds(name, folder))}
    pairs = list(found.values())
    others = unrelated({pair[0].name for pair in pairs})
    source = {**{str(path): name for name, pair in found.items() for path in pair}, **others}
    files = sorted(source)
    print(f"{len(pairs)} pairs of patched builds, {len(others)} unrelated binaries", flush=True)
    wanted = {tuple(sorted(map(str, pair))) for pair in pairs}
    for name in given.ways:
        find = WAYS[name]
        started = cpu()
        made = find(files)
        false = [pair for pair in made if source[pair[0]] != source[pair[1]]]
        seconds = cpu() - started
        right = len(wanted & set(made))
        print(
            f"{name}: {right} of {len(wanted)} pairs found, {len(false)} false pairs, {seconds:.0f} CPU s",
            flush=True,
        )
        least = min((made[pair] for pair in wanted & set(made)), default=0.0)
        strict = sum(made[pair] >= least for pair in false)
        print(f"  at {least:.1%}, where the last of these pairs is found: {strict} false pairs", flush=True)
        for pair in sorted(wanted) if find is by_resemblance else ():
            print(f"  {made.get(pair, 0):6.1%}  {Path(pair[0]).name}")
        for pair in sorted(false, key=lambda each: -made[each])[:SHOWN]:
            print(f"  false: {made[pair]:6.1%}  {pair[0]}  {pair[1]}")


def cpu() -> float:
    """Give the CPU seconds of this process and of those that read executables for it."""
    return sum(os.times()[:4])


def builds(package: str, folder: Path) -> tuple[Path, Path] | None:
    """Give the largest binary that differs between the two newest builds of a package."""
    said = subprocess.run(
        ["apt-cache", "madison", package], capture_output=True, text=True, check=True
    ).stdout
    versions = sorted({line.split("|")[1].strip() for line in said.splitlines()}, key=_Version)[-2:]
    if len(versions) < 2:
        return None
    trees = []
    for version in versions:
        tree = folder / f"{package}_{version.replace(':', '_')}"
        if not tree.is_dir():
            tree.mkdir(parents=True)
            subprocess.run(["apt-get", "download", "-qq", f"{package}={version}"], cwd=tree, check=True)
            subprocess.run(["dpkg", "-x", str(next(tree.glob("*.deb"))), str(tree)], check=True)
        trees.append({str(path.relative_to(tree)): path for path in sorted(tree.rglob("*")) if is_elf(path)})
    old, new = trees
    differing = [(old[name], new[_alike(name, new)]) for name in old if _alike(name, new)]
    differing = [pair for pair in differing if pair[0].read_bytes() != pair[1].read_bytes()]
    return max(differing, key=lambda pair: pair[0].stat().st_size, default=None)


def _alike(name: str, others: dict[str, Path]) -> str:
    """Find the same file in the other build, also where its version is part of the name."""
    stem = name.rpartition("/")[2].partition(".so")[0].partition("-9.")[0]
    return name if name in others else next((each for each in others if f"/{stem}" in each), "")


def source_of(package: str) -> str:
    """Name the source package of a package."""
    said = subprocess.run(["apt-cache", "show", package], capture_output=True, text=True, check=True).stdout
    named = [line.split()[1] for line in said.splitlines() if line.startswith("Source: ")]
    return named[0] if named else package


class _Version:
    """A version of Debian, as dpkg orders them."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __lt__(self, other: _Version) -> bool:
        return not subprocess.run(
            ["dpkg", "--compare-versions", self.text, "lt", other.text], check=False
        ).returncode


def is_elf(path: Path) -> bool:
    """Say whether a file is a program or library."""
    try:
        return path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"
    except OSError:
        return False


def unrelated(taken: set[str]) -> dict[str, str]:
    """Give binaries of this machine with their source packages."""
    found = sorted(str(path) for place in PLACES for path in Path(place).iterdir() if is_elf(path))
    random.Random(1994).shuffle(found)
    owners = {}
    for start in range(0, len(found), 200):
        paths = found[start : start + 200]
        wanted = paths + [path.removeprefix("/usr") for path in paths]
        said = subprocess.run(["dpkg", "-S", *wanted], capture_output=True, text=True, check=False).stdout
        for line in said.splitlines():
            package, _, path = line.rpartition(": ")
            owners[path if path.startswith("/usr") else f"/usr{path}"] = package.split(",")[0]
    form = "${Package}:${Architecture} ${Package} ${source:Package}\n"
    said = subprocess.run(["dpkg-query", "-Wf", form], capture_output=True, text=True, check=True).stdout
    sources: dict[str, str] = {}
    for line in said.splitlines():
        full, short, source = line.split()
        sources[full] = sources[short] = source
    kept = {}
    for path in found:
        source = sources.get(owners.get(path, ""), "")
        if source and Path(path).name not in taken and Path(path).stat().st_size < LARGEST:
            kept[path] = source
        if len(kept) == UNRELATED:
            break
    return kept


def by_similarity(files: list[str]) -> dict[tuple[str, str], float]:
    """Give the pairs of a scan with the settings that people get."""
    result = copysift.scan(files)
    return {tuple(sorted((pair.left, pair.right))): pair.similarity for pair in result.pairs}


def by_resemblance(files: list[str]) -> dict[tuple[str, str], float]:
    """Give the pairs of a scan for files that are alike as a whole, as TLSH sees them."""
    result = copysift.scan(files, measure="resemblance")
    return {tuple(sorted((pair.left, pair.right))): pair.resemblance for pair in result.pairs}


def by_bytes(files: list[str]) -> dict[tuple[str, str], float]:
    """Give the pairs of a scan of raw bytes."""
    result = copysift.scan(files, kind="bytes")
    return {tuple(sorted((pair.left, pair.right))): pair.similarity for pair in result.pairs}


def by_tlsh(files: list[str]) -> dict[tuple[str, str], float]:
    """Give the pairs within the distance that TLSH's authors call near-identical at most."""
    import tlsh

    made = [(path, tlsh.hash(Path(path).read_bytes())) for path in files]
    hashes = [(path, value) for path, value in made if value not in ("", "TNULL")]
    found: dict[tuple[str, str], float] = defaultdict(float)
    for (one, left), (other, right) in combinations(hashes, 2):
        distance = tlsh.diff(left, right)
        if distance <= DISTANCE:
            found[tuple(sorted((one, other)))] = 1 - distance / 300
    return found


WAYS = {
    "similarity": by_similarity, "tlsh": by_tlsh, "resemblance": by_resemblance, "bytes": by_bytes,
}  # fmt: skip


if __name__ == "__main__":
    main()
