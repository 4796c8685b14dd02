"""Real material for the experiments: Debian packages and WARC files, unpacked once.

The folder that keeps them is $COPYSIFT_DATA, or `copysift-experiments` in the user's cache folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from copysift.sources.warc import Page, warc_records

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


def named(sources: list[str], packages: Iterable[str]) -> list[Path]:
    """Give the folders that were named, WARC files as folders of their pages; else those of packages."""
    places = [Path(each) for each in sources]
    if absent := [str(place) for place in places if not place.exists()]:
        raise SystemExit(f"not found: {', '.join(absent)}")
    return [pages_of(each) if each.is_file() else each for each in places] or [*map(unpacked, packages)]


def pages_of(archive: Path) -> Path:
    """Give a folder with the pages of a WARC file, numbered as they come; unpack it where it is missing."""
    about = archive.stat()
    place = cache() / "warc" / f"{archive.name}-{about.st_size}-{about.st_mtime_ns}"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        (place / "files").mkdir(parents=True)
        pages = (each for each in warc_records(str(archive)) if isinstance(each, Page))
        count = 0
        for count, page in enumerate(pages, 1):
            (place / "files" / f"{count:08d}.html").write_bytes(page.content)
        if not count:
            raise SystemExit(f"{archive} has no pages: name a folder or a WARC file")
        (place / "complete").touch()
    return place / "files"


def html_pages(sources: list[str], limit: int = 0) -> Iterator[Path]:
    """Give the HTML pages of folders and WARC files, or of Debian's documentation where none is named."""
    given = 0
    for top in named(sources, PAGES):
        for path in sorted(top.rglob("*.html")):
            if path.is_file() and not path.is_symlink():
                yield path
                given += 1
                if given == limit:
                    return
