"""How well copies of programs are told from independent ones: at the defaults, one scan a class.

    python experiments/plagiarism/run.py --irplag irplag.zip [-o results.json]

First IR-Plag: in each of its seven cases the original against every other program. Then disguises put on
by a program (obfuscate.py): the independent solutions of each case stay as they are, every second one
gets a disguised copy, and the copy is compared with its source and with all other solutions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import copysift

sys.path.insert(0, str(Path(__file__).parent))
from judge import average_precision, roc_auc
from obfuscate import DISGUISES, part

ALIKE = "15"  # of the independent submissions, 13 and 15 are alike in five cases: one of them is enough
Judged = list[tuple[str, str, int]]  # two files, and whether one is a copy of the other


def cases(archive: Path) -> Iterator[tuple[dict[str, str], Judged]]:
    """Give the programs of each case by name, and the pairs to judge."""
    with zipfile.ZipFile(archive) as content:
        names = sorted(
            name for name in content.namelist() if name.endswith(".java") and "/case-" in f"/{name}"
        )
        for case in sorted({_parts(name)[0] for name in names}):
            inside = [name for name in names if _parts(name)[0] == case]
            files = {
                "-".join(_parts(name)[1:]): content.read(name).decode("utf-8", "replace") for name in inside
            }
            (original,) = (name for name in files if name.startswith("original"))
            others = [name for name in files if name != original]
            yield files, [(original, name, int(name.startswith("plagiarized"))) for name in others]


def _parts(name: str) -> list[str]:
    """Give the path of a program from its case on."""
    parts = Path(name).parts
    return list(parts[next(at for at, part in enumerate(parts) if part.startswith("case-")) :])


def disguised(files: dict[str, str], disguise: str, chance: random.Random) -> tuple[dict[str, str], Judged]:
    """Give the independent programs with disguised copies of every second one, and the pairs to judge."""
    own = [name for name in files if not name.startswith("plagiarized") and f"-{ALIKE}-" not in name]
    made, pairs = {name: files[name] for name in own}, []
    for at in range(0, len(own), 2):
        host = own[(at + 3) % len(own)]
        if disguise == "part":
            copy = part(files[own[at]], chance, files[host])
        else:
            copy = DISGUISES[disguise](files[own[at]], chance)
        made[f"copy-{at}.java"] = copy
        skip = {host} if disguise == "part" else set()
        pairs += [(name, f"copy-{at}.java", int(name == own[at])) for name in own if name not in skip]
    return made, pairs


def scores_of(result: copysift.Result) -> Callable[[str, str], float]:
    """Give the score of any two files by name: equal files score as the first of them, which is listed."""
    first = {Path(name).name: Path(same[0]).name for same in result.equal for name in same}
    found = {frozenset((Path(p.left).name, Path(p.right).name)): p.similarity for p in result.pairs}

    def score(left: str, right: str) -> float:
        one, other = first.get(left, left), first.get(right, right)
        return 1.0 if one == other else found.get(frozenset((one, other)), 0.0)

    return score


def judge(classes: list[tuple[dict[str, str], Judged]], **settings: object) -> tuple[float, float, int]:
    """Scan each class by itself and judge all pairs as one list; a pair that is not listed scores 0."""
    scores: list[float] = []
    labels: list[int] = []
    for files, pairs in classes:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, name).write_text(text, "utf-8")
            result = copysift.scan(folder, threshold=0, **settings)
        score = scores_of(result)
        scores += [score(left, right) for left, right, _ in pairs]
        labels += [label for *_, label in pairs]
    return roc_auc(scores, labels), average_precision(scores, labels), len(labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--irplag", type=Path, required=True, help="irplag.zip")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    given = parser.parse_args()
    classes = list(cases(given.irplag))
    found = {"IR-Plag": judge(classes)}
    for disguise in (*DISGUISES, "part"):
        chance = random.Random(disguise)
        found[disguise] = judge([disguised(files, disguise, chance) for files, _ in classes])
    results = {
        name: {"roc_auc": round(auc, 3), "average_precision": round(precision, 3), "pairs": pairs}
        for name, (auc, precision, pairs) in found.items()
    }
    if given.output:
        given.output.write_text(json.dumps(results, indent=1) + "\n")
    from render import table

    print(table(results))


if __name__ == "__main__":
    main()
