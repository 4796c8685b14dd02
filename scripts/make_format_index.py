"""Make the tiny index that tests/store/formats keeps of each released format; an old one is never made again.

Usage: python scripts/make_format_index.py tests/store/formats/vN
"""

import sys
from pathlib import Path

from copysift.workflows.index import Index

HUNDRED = " ".join(f"word{number}" for number in range(100))
TEXTS = [
    ("first", HUNDRED),
    ("second", HUNDRED + " and a few more words that the first one does not have"),
    ("third", HUNDRED[::-1]),
]


def main() -> None:
    """Write the index: three documents in two commits, one of them replaced, texts kept; v2 by sweeps."""
    folder = Path(sys.argv[1])
    with Index(folder / "tiny.sift", keep_text=True) as index:
        if folder.name == "v1":
            index.add(TEXTS[:2])
            index.add([TEXTS[2], ("second", TEXTS[1][1] + " at the end")])
        else:
            index.sweep(TEXTS[:2], date="2026-01-01")
            index.sweep([TEXTS[0], ("second", TEXTS[1][1] + " at the end"), TEXTS[2]], date="2026-02-01")
    (folder / "tiny.sift" / "writer.lock").unlink()


if __name__ == "__main__":
    main()
