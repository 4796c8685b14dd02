"""Compress a folder with tar and a compressor, in the order of names and in that of `copysift order`.

    python benches/order.py FOLDER

prints the bytes of both, for windows of 32 KiB (gzip), 2 MiB (zstd), 8 MiB (xz) and 128 MiB (zstd --long).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

COMPRESSORS = {
    "gzip": ["gzip", "-c"],
    "zstd": ["zstd", "-T1", "-qc"],
    "xz": ["xz", "-T1", "-c"],
    "zstd --long": ["zstd", "--long", "-T1", "-qc"],
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a part of the name of a compressor")
    given = parser.parse_args()
    folder = given.folder.resolve()
    listed = subprocess.run(["find", ".", "-print0"], cwd=folder, capture_output=True, check=True).stdout
    by_name = b"".join(sorted(each + b"\0" for each in listed.split(b"\0") if each))
    command = [sys.executable, "-m", "copysift", "order", "-0", "."]
    ordered = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout
    assert sorted(ordered.split(b"\0")) == sorted(by_name.split(b"\0")), "something is missing"
    for name, compressor in COMPRESSORS.items():
        if given.only in name:
            before, after = (packed(folder, names, compressor) for names in (by_name, ordered))
            print(f"{name:16} {before:>12,} → {after:>12,}  {100 * (after - before) / before:+.1f} %")


def packed(folder: Path, names: bytes, compressor: list[str]) -> int:
    """Give the size of the archive."""
    command = ["tar", "--null", "--no-recursion", "-T", "-", "-c"]
    tar = subprocess.run(command, cwd=folder, input=names, capture_output=True, check=True)
    return len(subprocess.run(compressor, input=tar.stdout, capture_output=True, check=True).stdout)


if __name__ == "__main__":
    main()
