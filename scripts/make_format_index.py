"""Make the tiny index that tests/store/formats keeps of each released format; an old one is never made again.

Usage: python scripts/make_format_index.py tests/store/formats/vN
"""

import shutil
import sys
import tempfile
from pathlib import Path

from copysift.workflows.index import Index

HUNDRED = " ".join(f"word{number}" for number in range(100))
TEXTS = [
    ("first", HUNDRED),
    ("second", HUNDRED + " and a few more words that the first one does not have"),
    ("third", HUNDRED[::-1]),
]


def main() -> None:
    """Write the index: three documents in two commits, one of them replaced, texts kept; v2 by sweeps.

    v3 has two: one of sweeps that know their boilerplate, and one of submissions.
    """
    folder = Path(sys.argv[1])
    if folder.name == "v3":
        make_submissions(folder)
    with Index(folder / "tiny.sift", keep_text=True) as index:
        if folder.name == "v1":
            index.add(TEXTS[:2])
            index.add([TEXTS[2], ("second", TEXTS[1][1] + " at the end")])
        else:
            index.sweep(TEXTS[:2], date="2026-01-01")
            index.sweep(
                [TEXTS[0], ("second", TEXTS[1][1] + " at the end"), TEXTS[2]],
                date="2026-02-01",
                **({"max_shared": 2} if folder.name == "v3" else {}),
            )
    for lock in folder.glob("*.sift/writer.lock"):
        lock.unlink()


def make_submissions(folder: Path) -> None:
    """Write an index of two submissions with three files, as metadata tells of them."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        for name, (_, text) in zip(("ada/one.txt", "ada/two.txt", "bob/one.txt"), TEXTS, strict=True):
            (work / "class" / name).parent.mkdir(parents=True, exist_ok=True)
            (work / "class" / name).write_text(text, encoding="utf-8")
        (work / "who.csv").write_text("name,author,label\nclass/ada,Ada,first\n", encoding="utf-8")
        with Index(work / "units.sift", keep_text=True, by="dir", metadata=str(work / "who.csv")) as index:
            index.add(work / "class")
        shutil.copytree(work / "units.sift", folder / "units.sift")


if __name__ == "__main__":
    main()
