"""Real material for the experiments: Debian packages, unpacked once into a folder that is kept.

The folder is $COPYSIFT_DATA, or `copysift-experiments` in the user's cache folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PAGES = (
    "openjdk-17-doc",
    "rust-doc",
    "python3.11-doc",
    "postgresql-doc-15",
    "linux-doc-6.1",
    "libboost1.74-doc",
)


def cache() -> Path:
    """Give the folder that keeps unpacked packages."""
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    place = Path(os.environ.get("COPYSIFT_DATA", home / "copysift-experiments"))
    place.mkdir(parents=True, exist_ok=True)
    return place


def unpacked(package: str, version: str = "") -> Path:
    """Give the folder of an unpacked Debian package; download it with apt-get where it is missing."""
    wanted = f"{package}={version}" if version else package
    place = cache() / wanted.replace("=", "_").replace("~", "-")
    if (place / "complete").exists():
        return place / "files"
    place.mkdir(exist_ok=True)
    print(f"downloading {wanted}", file=sys.stderr)
    subprocess.run(["apt-get", "download", "-qq", wanted], cwd=place, check=True, stdout=subprocess.DEVNULL)
    (archive,) = place.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive.name, "files"], cwd=place, check=True)
    archive.unlink()
    (place / "complete").touch()
    return place / "files"


def versions(package: str) -> list[str]:
    """Give the versions of a package that apt-get can download, newest first."""
    shown = subprocess.run(["apt-cache", "madison", package], capture_output=True, text=True, check=True)
    return list(dict.fromkeys(line.split("|")[1].strip() for line in shown.stdout.splitlines()))


def html_pages(folders: list[str], limit: int = 0) -> Iterator[Path]:
    """Give the HTML pages of some folders, or of Debian's documentation where none is named."""
    given = 0
    for top in [Path(each) for each in folders] or [unpacked(each) for each in PAGES]:
        for path in sorted(top.rglob("*.html")):
            if path.is_file() and not path.is_symlink():
                yield path
                given += 1
                if given == limit:
                    return
