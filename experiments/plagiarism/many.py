"""Whether a copy is found no matter how many others copied the same original.

    python experiments/plagiarism/many.py FOLDER... [--class-size 100] [--seed 1] [--scheme robust]

Each folder has independent programs for one task, the more the better. A class is a random sample of them;
one program gets 1, 3 or 15 disguised copies (obfuscate.py). Every pair with a member of that family is
judged: two members are a copy, a member and another program are not. Then come the pairs of each class
without copies that a scan at the default threshold reports, on average. The last column has how far the
score of the original and its first copy falls at most while up to 15, then up to 60 others copy it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import copysift
from copysift.model.traits import DEFAULT_SCHEME

sys.path.insert(0, str(Path(__file__).parent))
from obfuscate import DISGUISES, insert
from run import judge, scores_of

HARD = ("extract", "loops", "reorder", "insert 50 % + rename", "everything")
COPIES = (1, 3, 15)
CROWDS = (0, 1, 3, 8, 15, 30, 60)  # of further copies of one original
FEW = 15


def sample(folder: Path, size: int, chance: random.Random) -> list[str]:
    """Give the sources of some programs of a folder, none of them the shortest."""
    texts = sorted({path.read_text("utf-8", "replace") for path in folder.iterdir() if path.is_file()})
    texts = [text for text in texts if len(text) >= 400]
    return chance.sample(texts, min(size, len(texts)))


def heavily(source: str, chance: random.Random) -> str:
    """Put two disguises on a program, one over the other, then more dead statements."""
    for name in chance.sample(HARD, 2):
        source = DISGUISES[name](source, chance)
    return insert(source, chance, 0.5)


def with_family(texts: list[str], copies: int, chance: random.Random, suffix: str = ".cpp"):
    """Put disguised copies of the first program into a class; give the files and the pairs to judge."""
    files = {f"own-{at}{suffix}": text for at, text in enumerate(texts)}
    family = [f"own-0{suffix}"]
    for at in range(copies):
        family.append(f"copy-{at}{suffix}")
        files[family[-1]] = heavily(texts[0], chance)
    pairs = [(one, other, 1) for at, one in enumerate(family) for other in family[at + 1 :]]
    pairs += [(one, other, 0) for one in family for other in files if other not in family]
    return files, pairs


def falls(texts: list[str], chance: random.Random, suffix: str = ".cpp", **settings: object):
    """Give how far the score of an original and a copy falls with up to FEW further copies, then with all."""
    most = few = highest = 0.0
    copies = [heavily(texts[0], chance) for _ in range(max(CROWDS) + 1)]
    for crowd in CROWDS:
        made = {f"copy-{at:02}{suffix}": text for at, text in enumerate(copies[: crowd + 1])}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {
                f"own-{at}{suffix}": text for at, text in enumerate(texts)
            }.items() | made.items():
                Path(folder, name).write_text(text, "utf-8")
            result = copysift.scan(folder, threshold=0, kind="code", **settings)
        score = scores_of(result)(f"own-0{suffix}", f"copy-00{suffix}")
        most = max(most, highest - score)
        few = most if crowd <= FEW else few
        highest = max(highest, score)
    return few, most


def reported(texts: list[str], suffix: str = ".cpp", scheme: str = DEFAULT_SCHEME) -> int:
    """Count the pairs that a scan of a class reports at the defaults."""
    with tempfile.TemporaryDirectory() as folder:
        for at, text in enumerate(texts):
            Path(folder, f"own-{at}{suffix}").write_text(text, "utf-8")
        return len(copysift.scan(folder, by="file", scheme=scheme).pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--class-size", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=4, help="classes of each folder")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--scheme", default=DEFAULT_SCHEME)
    given = parser.parse_args()
    print("| class | " + " | ".join(f"{n} copies" for n in COPIES) + " | reported without copies | falls |")
    print("|---" * (len(COPIES) + 3) + "|")
    for folder in given.folders:
        cells, chance = [], random.Random(f"{given.seed} {folder.name}")
        suffix = next(path.suffix for path in folder.iterdir() if path.is_file())
        drawn = [sample(folder, given.class_size, chance) for _ in range(given.rounds)]
        for copies in COPIES:
            classes = [with_family(texts, copies, chance, suffix) for texts in drawn]
            auc, precision, _ = judge(classes, scheme=given.scheme)
            cells.append(f"{auc:.3f} / {precision:.3f}")
        found = sum(reported(texts, suffix, given.scheme) for texts in drawn) / len(drawn)
        few, most = map(
            max, zip(*(falls(each, chance, suffix, scheme=given.scheme) for each in drawn), strict=True)
        )
        print(
            f"| {folder.name} | " + " | ".join(cells) + f" | {found:.1f} | {few:.3f}, {most:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
