"""Real trees, and places made of them with the names that the README and the how-tos use."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.program import ROOT

TREES = Path(os.environ.get("COPYSIFT_TREES", ROOT / "build/trees"))
SHARE = int(os.environ.get("COPYSIFT_TREES_SHARE", "1"))  # one file in so many is taken
PACKAGES = {
    "linux-doc": ("linux-doc-6.1",),
    "openjdk-doc": ("openjdk-17-doc",),
    "texlive-doc": ("texlive-latex-base-doc", "texlive-latex-recommended-doc", "texlive-metapost-doc"),
}
WHEELS = 200
RECORDS, LONGEST = 2000, 100_000  # of a corpus, and bytes of one


def fetched(name: str) -> Path:
    """Give the folder of a tree, fetched if it is not there."""
    place = TREES / name
    if place.is_dir():
        return place
    part = TREES / f"{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        if name == "wheels":
            fetch_wheels(part)
        else:
            subprocess.run(
                ["apt-get", "download", *PACKAGES[name]],
                cwd=part,
                check=True,
                timeout=600,
                capture_output=True,
            )
            for package in part.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, part], check=True, timeout=600)
                package.unlink()
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{name} cannot be fetched: {error}")
    part.rename(place)
    return place


def fetch_wheels(folder: Path) -> None:
    """Fetch wheels: what is installed here, and what that names, until there are enough."""
    import importlib.metadata as installed

    names = {each.metadata["Name"].lower() for each in installed.distributions()}
    for each in installed.distributions():
        names |= {re.split(r"[^\w.-]", required)[0].lower() for required in each.requires or ()}
    for name in sorted(names - {"copysift"}):
        if len(list(folder.iterdir())) >= WHEELS:
            return
        subprocess.run(  # some have no wheel
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d",
             folder, name],
            capture_output=True, timeout=600, check=False,
        )  # fmt: skip
    if len(list(folder.iterdir())) < WHEELS // 2:
        raise OSError("too few wheels")


class Stage:
    """A folder with every file that the pages name, made of a real tree by hard links."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self.folder, self._tree = folder, tree
        every = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
        self.files = every[::SHARE] if len(every) > 1000 else every
        sizes = [path for path in self.files if 2000 < path.stat().st_size < 1_000_000]
        self.one, self.other = sizes[len(sizes) // 2], sizes[len(sizes) // 3]

    def make(self) -> None:
        """Put everything down."""
        self._folders()
        self._corpora()
        self._repository()

    def _link(self, name: str, files: Iterable[Path]) -> None:
        for path in files:
            self._one(f"{name}/{path.relative_to(self._tree)}", path)

    def _one(self, name: str, path: Path) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        os.link(path, place)

    def _folders(self) -> None:
        files, third = self.files, len(self.files) // 3 + 1
        for name in ("FOLDER", "CRAWL", "examples/essays", "march"):
            self._link(name, files)
        for name, part in (
            ("A", files[::4]), ("B", files[::6]), ("examples/essays/drafts", files[::4]),
            ("examples/essays/web", files[::6]), ("2023", files[:third]), ("2024", files[third : 2 * third]),
            ("2025", files[2 * third :]), ("new", files[::10]), ("january", files[::2]),
            ("examples/homework/starter", files[::50]), ("examples/homework/earlier/2025", files[::20]),
            ("starter", files[::50]),
        ):  # fmt: skip
            self._link(name, part)
        for name in (
            "FILE", "new/essay.txt", "page.html", "draft.txt", "old.txt", "licence.txt",
            "examples/essays/reader.txt", "examples/homework/submissions/mira/loans.py",
            "january/guide/install.txt", "march/start/install.txt",
        ):  # fmt: skip
            self._one(name, self.one)
        for name in ("examples/essays/drafts/tides-1.txt", "examples/homework/submissions/nele/loans.py"):
            self._one(name, self.other)
        groups = [f"group{number}" for number in range(20)]
        for path, group in zip(files, itertools.cycle(groups)):
            self._one(f"examples/homework/submissions/{group}/{path.relative_to(self._tree)}", path)
        rows = [f"{name},{name},,,," for name in (*groups, "mira", "nele")]
        table = "\n".join(["name,label,author,team,time,attempt", *rows]) + "\n"
        (self.folder / "examples/homework/submissions.csv").write_text(table)
        shutil.make_archive(
            str(self.folder / "submissions"), "zip", self.folder / "examples/homework/submissions"
        )

    def _corpora(self) -> None:
        texts = [(str(path.relative_to(self._tree)), self._text(path)) for path in self.files[:RECORDS]]
        rows = [{"id": name, "text": text, "score": len(text)} for name, text in texts]
        rows.append({"id": "http://example.org/page", "text": self._text(self.one), "score": 1})
        programs = [{"path": name, "content": text} for name, text in texts]
        items = [{"id": row["id"], "question": row["text"][:300], "answer": "?"} for row in rows[::40]]
        for name, some in (
            ("pages.jsonl", rows), ("corpus.jsonl", rows), ("new.jsonl", rows[::3]),
            ("train.jsonl", rows[::2]),
            ("code.jsonl", programs), ("gsm8k.jsonl", [{**item, "text": item["question"]} for item in items]),
            ("february.jsonl", [{"uri": row["id"], "text": row["text"]} for row in rows]),
            ("ranked-list", []),
        ):  # fmt: skip
            (self.folder / name).write_text("".join(json.dumps(row) + "\n" for row in some))
        (self.folder / "ranked-list").write_text("".join(f"{row['id']}\n" for row in rows))
        (self.folder / "pages.jsonl.gz").write_bytes(
            gzip.compress((self.folder / "pages.jsonl").read_bytes(), 1)
        )
        (self.folder / "more").mkdir()
        for name, some in (("pages", rows), ("more/m", rows[::5]), ("mmlu", rows[::100])):
            pq.write_table(pa.Table.from_pylist(some), self.folder / f"{name}.parquet")

    def _text(self, path: Path) -> str:
        data = path.read_bytes()[: 1 << 20]
        opened = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else data
        return opened[:LONGEST].decode("utf-8", "replace")

    def _repository(self) -> None:
        """Make a git repository whose branch has a copy more than main."""
        place = self.folder / "repository"
        self._link("repository/src", self.files[::5])
        self._git(place, "init", "-q", "-b", "main")
        self._git(place, "add", "-A")
        self._git(place, "commit", "-q", "-m", "all")
        self._git(place, "checkout", "-q", "-b", "branch")
        self._one("repository/src/new.py", self.one)
        self._git(place, "add", "-A")
        self._git(place, "commit", "-q", "-m", "one more")

    def _git(self, place: Path, *words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True)
