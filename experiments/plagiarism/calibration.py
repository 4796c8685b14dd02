"""Whether the model of chance holds in classes without copies: its p-values should be uniform there.

    python experiments/plagiarism/calibration.py FOLDER...

Each folder is a class: one independent program each for one task, 20 at least. A row has, for several
chances, how many pairs have that chance or a smaller one, divided by how many the model expects: 1 is
perfect, less is cautious. The last row has all classes together.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import copysift

CHANCES = (0.5, 0.2, 0.1, 0.05, 0.01, 0.001)
STEP = 1 / 254  # of a score that is kept in a byte


def chances(folder: Path) -> tuple[np.ndarray, int]:
    """Give the chance of every pair of a class by its own model, and how many pairs are reported."""
    result = copysift.scan(folder, by="dir", regions=True)
    found = result.distribution
    if found is None or found.chance(0.5) is None:
        raise SystemExit(f"{folder}: too small for the model of chance")
    levels, which = np.unique(np.frombuffer(found.scores, np.uint8), return_inverse=True)
    shares = np.maximum(levels * STEP - STEP / 2, 0)
    return np.array([found.chance(float(share)) for share in shares])[which], len(result.pairs)


def row(name: str, values: np.ndarray, reported: int) -> str:
    """Write a row of the table."""
    cells = [f"{(values <= chance).mean() / chance:.2f}" for chance in CHANCES]
    return f"| {name} | {len(values):,} | " + " | ".join(cells) + f" | {reported} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    print("| class | pairs | " + " | ".join(f"{chance:g}" for chance in CHANCES) + " | reported |")
    print("|---" * (len(CHANCES) + 3) + "|")
    every, total = [], 0
    for folder in parser.parse_args().folders:
        values, reported = chances(folder)
        every.append(values)
        total += reported
        print(row(folder.name, values, reported), flush=True)
    print(row("all", np.concatenate(every), total))


if __name__ == "__main__":
    main()
