"""Download real programs of many languages: source packages of Debian, for the slow test of the lexers.

    python scripts/real_programs.py FOLDER

It needs apt-get and the network, and takes about 250 MB. The system's own package lists are not changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGES = (
    "lua5.4", "leveldb", "elixir-lang", "erlang-cowlib", "golang-github-spf13-cobra", "ocaml-re",
    "libmoose-perl", "r-cran-dplyr", "ruby-rack", "rust-serde", "bash-completion", "libcommons-lang3-java",
    "nunit", "haskell-aeson", "gnustep-base", "iverilog", "phpunit", "kotlin", "scala", "lapack", "ghdl",
    "fpc",
)  # fmt: skip
SYSTEM = Path("/etc/apt")


def _sources_of_the_system(folder: Path) -> None:
    """Write the archives that this machine installs from as archives of source packages."""
    for path in (SYSTEM / "sources.list", *(SYSTEM / "sources.list.d").glob("*")):
        if not path.is_file() or path.suffix not in (".list", ".sources"):
            continue
        form = r"^Types:.*" if path.suffix == ".sources" else r"^deb(?=\s)"
        kind = "Types: deb-src" if path.suffix == ".sources" else "deb-src"
        text = re.sub(form, kind, path.read_text(), flags=re.MULTILINE)
        (folder / path.name).write_text(text)


def main(folder: Path) -> None:
    """Fetch and unpack every package that is not there yet; name those that cannot be had."""
    lists = folder / ".lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    source = folder / ".sources"
    source.mkdir(exist_ok=True)
    _sources_of_the_system(source)
    options = [
        "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={source.resolve()}",
        "-o", f"Dir::State::lists={lists.resolve()}", "-o", "APT::Sandbox::User=root", "-qq",
    ]  # fmt: skip
    subprocess.run(["apt-get", *options, "update"], check=True)
    for package in PACKAGES:
        place = folder / package
        if place.exists():
            continue
        place.mkdir()
        command = ["apt-get", *options, "source", "--download-only", package]
        done = subprocess.run(command, cwd=place, check=False, capture_output=True)
        for archive in place.glob("*.tar.*"):
            if archive.suffix != ".asc":
                with tarfile.open(archive) as opened:
                    opened.extractall(place, filter="data")
            archive.unlink()
        print(package if done.returncode == 0 else f"{package}: could not be had", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
