"""sif's random test (Manber 1994, section 5): python experiments/sif/random_test.py FOLDER…

Fifty times: a C file of about 30 KB gets 300 random substitutions of 50 bytes each (with repetition),
and is looked for among 4,000 other files. Found means that the pair is reported; "and only it" that
no other file is reported with the changed one, but for files that are versions of the original itself;
"alone" that not even those are.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TIMES, OTHERS, SUBSTITUTIONS, LENGTH = 50, 4000, 300, 50


def files_of(tree: Path) -> list[Path]:
    return [p for p in sorted(tree.rglob("*")) if p.is_file() and not p.is_symlink()]


def substituted(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(SUBSTITUTIONS):
        at = rng.randrange(0, len(out) - LENGTH)
        out[at : at + LENGTH] = bytes(rng.choices(range(32, 127), k=LENGTH))
    return bytes(out)


def random_test(trees: list[Path]) -> list[dict[str, object]]:
    """Run the test on the files of some trees, at two thresholds."""
    rng = random.Random(1994)
    files = [path for tree in trees for path in files_of(tree)]
    originals = [p for p in files if p.suffix in (".c", ".h") and 27_000 <= p.stat().st_size <= 33_000]
    seen: set[str] = set()
    chosen: list[Path] = []
    for path in rng.sample(originals, len(originals)):  # one version of each header
        if path.name not in seen and len(chosen) < TIMES:
            seen.add(path.name)
            chosen.append(path)
    others = [p for p in rng.sample(files, len(files)) if p.name not in seen][:OTHERS]
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / "files").mkdir()
        (top / "changed").mkdir()
        for number, path in enumerate([*chosen, *others]):
            shutil.copyfile(path, top / "files" / f"{number}-{path.name}")
        for number, path in enumerate(chosen):
            (top / "changed" / f"{number}-{path.name}").write_bytes(substituted(path.read_bytes(), rng))
        run = str(top / "run")
        scan = [sys.executable, "-m", "copysift", "scan", "-q", str(top), "--save", run]
        subprocess.run(scan, stdout=subprocess.DEVNULL)
        names = [f"{number}-{path.name}" for number, path in enumerate(chosen)]
        return [judged(run, top, threshold, names) for threshold in ("25%", "5%")]


def judged(run: str, top: Path, threshold: str, names: list[str]) -> dict[str, object]:
    show = [sys.executable, "-m", "copysift", "show", run, "--threshold", threshold, "--format", "json"]
    shown = subprocess.run(show, capture_output=True, text=True)
    near: dict[str, dict[str, float]] = {name: {} for name in names}
    versions: dict[str, set[str]] = {name: set() for name in names}
    for pair in json.loads(shown.stdout)["pairs"]:
        for one, two in ((pair["left"], pair["right"]), (pair["right"], pair["left"])):
            if one.startswith(str(top / "changed")):
                near[Path(one).name][two] = pair["similarity"]
            elif Path(one).name in versions:
                versions[Path(one).name].add(two)
    found = [n for n in names if str(top / "files" / n) in near[n]]
    only = [n for n in found if set(near[n]) - versions[n] == {str(top / "files" / n)}]
    alone = [n for n in found if set(near[n]) == {str(top / "files" / n)}]
    scores = sorted(near[n][str(top / "files" / n)] for n in found)
    return {
        "threshold": threshold,
        "times": len(names),
        "found": len(found),
        "only": len(only),
        "alone": len(alone),
        "lowest": scores[0] if scores else 0.0,
        "highest": scores[-1] if scores else 0.0,
        "mean": sum(scores) / len(scores) if scores else 0.0,
    }


if __name__ == "__main__":
    print(json.dumps(random_test([Path(each) for each in sys.argv[1:]]), indent=1))
