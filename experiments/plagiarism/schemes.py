"""Whether `open-closed` tells copies better than `robust`: python experiments/plagiarism/schemes.py [ARCHIVE]

Both schemes judge the same pairs, so the interval is that of the difference, with the same pairs drawn for
both: if it has no 0 in it, one is better. Then what a scan at the defaults reports where nobody copied, and
how many fingerprints it keeps. Writes schemes.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import copysift

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from bootstrap import interval
from data import cache
from judge import average_precision, roc_auc
from run import ALIKE, cases, scores_of

HERE = Path(__file__).parent
SCHEMES = ("robust", "open-closed")
Class = tuple[dict[str, str], list[tuple[str, str, int]]]


def scanned(files: dict[str, str], **settings: object) -> copysift.Result:
    """Scan programs as a class."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, "utf-8")
        return copysift.scan(folder, **settings)


def compared(classes: list[Class]) -> dict[str, object]:
    """Judge the pairs of all classes by each scheme; give the figures, and how far they differ."""
    truth = np.array([pair[2] for _, pairs in classes for pair in pairs])
    strata = [2 * at + pair[2] for at, (_, pairs) in enumerate(classes) for pair in pairs]
    scores = {
        scheme: np.array(
            [
                score(*pair[:2])
                for files, pairs in classes
                for score in [scores_of(scanned(files, threshold=0, scheme=scheme))]
                for pair in pairs
            ]
        )
        for scheme in SCHEMES
    }
    row: dict[str, object] = {"pairs": len(truth)}
    for figure in (roc_auc, average_precision):

        def gain(drawn: np.ndarray, judge=figure) -> float:
            old, new = (judge(scores[scheme][drawn], truth[drawn]) for scheme in SCHEMES)
            return new - old

        row[figure.__name__] = [figure(scores[scheme], truth) for scheme in SCHEMES]
        row[f"{figure.__name__}_gain"] = interval(gain, strata)
    return row


def independent(files: dict[str, str]) -> dict[str, str]:
    """Give the programs of a class that nobody copied."""
    return {
        name: text
        for name, text in files.items()
        if not name.startswith("plagiarized") and f"-{ALIKE}-" not in name
    }


def main() -> None:
    archive = Path(sys.argv[1]) if len(sys.argv) > 1 else cache() / "irplag.zip"
    if not archive.exists():
        print(f"plagiarism: {archive} is missing, the results that are there are kept", file=sys.stderr)
        return
    classes = list(cases(archive))
    alone = [independent(files) for files, _ in classes]
    reported = [sum(len(scanned(files, scheme=scheme).pairs) for files in alone) for scheme in SCHEMES]
    kept = [
        sum(
            len(copysift.fingerprint(text, kind="code", language="java", scheme=scheme).hashes)
            for files, _ in classes
            for text in files.values()
        )
        for scheme in SCHEMES
    ]
    result = {
        "schemes": SCHEMES,
        "IR-Plag": compared(classes),
        "reported without copies": reported,
        "fingerprints": kept,
    }
    (HERE / "schemes.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
