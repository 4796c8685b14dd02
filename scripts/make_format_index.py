"""Make the tiny indexes that tests/store/formats keeps of a format; old ones are never made again.

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


PROGRAM = """\
def total(values, most):
    result = 0
    for value in values:
        if value < most:
            result += value * value
        else:
            result -= most
    return result


def average(values, most):
    if not values:
        return None
    return total(values, most) / len(values)
"""
CHANGED = ("second", TEXTS[1][1] + " at the end")


def main() -> None:
    """Write the indexes of the present format: of documents, of sweeps, and of submissions; texts are kept.

    Of documents: three in two commits, one of them replaced.
    """
    folder = Path(sys.argv[1])
    with Index(folder / "tiny.sift", keep_text=True) as index:
        index.add(TEXTS[:2])
        index.add([TEXTS[2], CHANGED])
    with Index(folder / "sweeps.sift", keep_text=True) as index:
        index.sweep(TEXTS[:2], date="2026-01-01")
        index.sweep([TEXTS[0], CHANGED, TEXTS[2]], date="2026-02-01", max_shared=2)
    make_submissions(folder)
    for lock in folder.glob("*.sift/writer.lock"):
        lock.unlink()


def make_submissions(folder: Path) -> None:
    """Write an index of two submissions with four files, one of them a program, and with metadata."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        for name, (_, text) in zip(("ada/one.txt", "ada/two.txt", "bob/one.txt"), TEXTS, strict=True):
            (work / "class" / name).parent.mkdir(parents=True, exist_ok=True)
            (work / "class" / name).write_text(text, encoding="utf-8")
        (work / "class/bob/sum.py").write_text(PROGRAM, encoding="utf-8")
        (work / "who.csv").write_text("name,author,label\nclass/ada,Ada,first\n", encoding="utf-8")
        with Index(work / "units.sift", keep_text=True, by="dir", metadata=str(work / "who.csv")) as index:
            index.add(work / "class")
        shutil.copytree(work / "units.sift", folder / "units.sift")


if __name__ == "__main__":
    main()
