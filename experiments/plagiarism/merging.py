"""Whether merging matches across small gaps tells copies from independent programs better; it does not.

    python experiments/plagiarism/merging.py --irplag irplag.zip

Subsequence match merging joins two matches that follow each other on both sides with a few tokens between
them, and counts those tokens as matched. Here the share of the smaller program that is matched, merged or
not, is judged by itself and as half of the score, on IR-Plag and on disguises (obfuscate.py).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import copysift
from copysift import kinds
from copysift.kinds.code import Code

sys.path.insert(0, str(Path(__file__).parent))
from judge import average_precision, roc_auc
from run import cases, disguised

GAPS = (0, 4, 8, 16)
DISGUISED = ("insert 50 % + rename", "extract", "everything")


def matched_share(pair: copysift.Pair, starts: dict[str, np.ndarray], gap: int) -> float:
    """Give the share of the smaller program's tokens in matches, and in gaps of at most so many tokens."""
    left, right = (starts[Path(name).name] for name in (pair.left, pair.right))
    rows = sorted(
        (
            int(np.searchsorted(left, each.left.start)),
            int(np.searchsorted(right, each.right.start)),
            each.length,
        )
        for each in pair.regions or ()
    )
    total, ends = 0, None
    for here, there, length in rows:
        if ends and 0 <= here - ends[0] <= gap and 0 <= there - ends[1] <= gap:
            total += here - ends[0]
        total += length
        ends = here + length, there + length
    return min(1.0, total / max(1, min(len(left), len(right))))


def scores(classes) -> dict[str, tuple[float, float]]:
    """Scan each class by itself; give ROC-AUC and average precision of every score."""
    code = Code(kinds.languages().find("java"))
    found: dict[str, list[float]] = {}
    labels: list[int] = []
    for files, pairs in classes:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, name).write_text(text, "utf-8")
            result = copysift.scan(folder, threshold=0, regions=True, kind="code")
        starts = {name: code.whole(text.encode()).starts for name, text in files.items()}
        known = {frozenset((Path(each.left).name, Path(each.right).name)): each for each in result.pairs}
        for left, right, label in pairs:
            labels.append(label)
            pair = known.get(frozenset((left, right)))
            same = float(files[left] == files[right])
            similarity = pair.similarity if pair else same
            found.setdefault("similarity", []).append(similarity)
            for gap in GAPS:
                share = matched_share(pair, starts, gap) if pair else same
                found.setdefault(f"matched, gaps of {gap}", []).append(share)
                found.setdefault(f"half similarity, half matched, gaps of {gap}", []).append(
                    (similarity + share) / 2
                )
    return {name: (roc_auc(each, labels), average_precision(each, labels)) for name, each in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--irplag", type=Path, required=True, help="irplag.zip")
    classes = list(cases(parser.parse_args().irplag))
    columns = {"IR-Plag": scores(classes)}
    for disguise in DISGUISED:
        chance = random.Random(disguise)
        columns[disguise] = scores([disguised(files, disguise, chance) for files, _ in classes])
    print("| score | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in columns["IR-Plag"]:
        cells = ("{:.3f} / {:.3f}".format(*each[name]) for each in columns.values())
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
