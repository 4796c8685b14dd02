"""Which documents of a real corpus have a near-copy, by copysift and by every rival that installs.

    python experiments/dedup/run.py [FOLDER|WARC…]

The corpus is the text of HTML pages: of Debian's documentation, or of the folders and WARC files. The truth
is exact: the resemblance of shingles of five words (lower case, `\\w+`) of every two pages that share a
shingle. A tool is asked which documents have a near-copy at 50 % and at 80 %. Writes results.json.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bootstrap import interval
from data import cache, html_pages, named

HERE = Path(__file__).resolve().parent
RIVALS = HERE.parents[1] / "benches" / "corpus_others.py"
PACKAGES = {
    "datasketch": ["datasketch"],
    "gaoya": ["gaoya"],
    "rensa": ["rensa"],
    "text-dedup": ["text-dedup"],
    "datatrove": ["datatrove[io,processing]", "spacy"],
}
OURS: dict[str, tuple[str, ...]] = {
    "copysift": (),
    "copysift, templates count": ("--template", "0", "--max-shared", "1000000"),
}
SOURCES = ("python3.11-doc", "postgresql-doc-15", "openjdk-17-doc")
MOST = 1500  # pages of a source
WORDS = 5
THRESHOLDS = (0.5, 0.8)
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.S | re.I)
_TAG = re.compile(r"<[^>]*>")


def texts(sources: list[str]) -> list[str]:
    """Give the words of pages: the same number of each source, drawn evenly from its list."""
    found = []
    for folder in named(sources, SOURCES):
        pages = list(html_pages([str(folder)]))
        for path in pages[:: max(1, len(pages) // MOST)][:MOST]:
            text = html.unescape(_TAG.sub(" ", _HIDDEN.sub(" ", path.read_text("utf-8", "replace"))))
            if len(re.findall(r"\w+", text)) >= 50:
                found.append(" ".join(text.split()))
    return found


def highest(documents: list[str]) -> np.ndarray:
    """Give the highest resemblance of each document to any other, exactly."""
    numbers: dict[str, int] = {}
    sets, holders = [], defaultdict(list)
    for at, text in enumerate(documents):
        words = re.findall(r"\w+", text.lower())
        shingles = {" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)}
        own = [numbers.setdefault(each, len(numbers)) for each in shingles]
        sets.append(own)
        for each in own:
            holders[each].append(at)
    sizes = np.array([len(each) for each in sets])
    lists = {each: np.array(those) for each, those in holders.items() if len(those) > 1}
    best = np.zeros(len(documents))
    for at, own in enumerate(sets):
        met = [lists[each] for each in own if each in lists]
        if not met:
            continue
        shared = np.bincount(np.concatenate(met), minlength=len(documents))
        shared[at] = 0
        best[at] = (shared / (sizes + sizes[at] - shared)).max()
    return best


def ours(corpus: Path, threshold: float, *options: str) -> tuple[set[int], str]:
    """Give the documents in the clusters of copysift."""
    import pyarrow.parquet as pq

    import copysift

    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        words = ["cluster", str(corpus), "-o", str(run), "--shingle", str(WORDS), "--quiet"]
        words += ["--threshold", str(threshold), *options]
        subprocess.run([sys.executable, "-m", "copysift", *words], check=True)
        table = pq.read_table(run / "clusters.parquet")
        return {int(each) for each in table.column("document").to_pylist()}, copysift.__version__


def rival(tool: str, corpus: Path, threshold: float) -> tuple[set[int], str]:
    """Give the documents in which a tool sees a near-copy, and its version."""
    place = cache() / "tools" / tool
    python = str(place / "bin" / "python")
    if not (place / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
        packages = [*PACKAGES[tool], "orjson"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, capture_output=True)
        (place / "installed").touch()
    command = [python, str(RIVALS), tool, str(corpus), str(threshold), "--list"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=corpus.parent)
    asked = f"from importlib.metadata import version; print(version({tool!r}))"
    version = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout
    return set(json.loads(done.stdout.strip().splitlines()[-1])), version.strip()


def judged(found: set[int], best: np.ndarray, threshold: float) -> dict[str, Any]:
    """Give recall and precision, with intervals over the documents."""
    true = best >= threshold
    said = np.zeros(len(best), bool)
    said[sorted(found)] = True

    def recall(cases: np.ndarray) -> float:
        return float((true & said)[cases].sum() / max(1, true[cases].sum()))

    def precision(cases: np.ndarray) -> float:
        return float((true & said)[cases].sum() / max(1, said[cases].sum()))

    every, strata = np.arange(len(best)), [0] * len(best)
    return {
        "said": int(said.sum()),
        "missed": int((true & ~said).sum()),
        "wrong": int((said & ~true).sum()),
        "recall": recall(every),
        "recall_interval": interval(recall, strata),
        "precision": precision(every),
        "precision_interval": interval(precision, strata),
    }


def main() -> None:
    documents = texts(sys.argv[1:])
    best = highest(documents)
    rows: list[dict[str, Any]] = []
    missing = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        with corpus.open("w") as file:
            for number, text in enumerate(documents):
                file.write(json.dumps({"id": str(number), "text": text}) + "\n")
        for threshold in THRESHOLDS:
            for tool in (*OURS, *PACKAGES):
                try:
                    if tool in OURS:
                        found, version = ours(corpus, threshold, *OURS[tool])
                    else:
                        found, version = rival(tool, corpus, threshold)
                except subprocess.CalledProcessError as error:
                    said = error.stderr or b""
                    said = said.decode(errors="replace") if isinstance(said, bytes) else said
                    missing[tool] = (said.strip().splitlines() or ["failed"])[-1][:200]
                    continue
                row = {"tool": tool, "version": version, "threshold": threshold}
                rows.append(row | judged(found, best, threshold))
                print(
                    tool, threshold, {key: rows[-1][key] for key in ("said", "missed", "wrong")}, flush=True
                )
    results = {
        "date": time.strftime("%-d %B %Y"),
        "documents": len(documents),
        "copies": {str(each): int((best >= each).sum()) for each in THRESHOLDS},
        "sources": list(SOURCES) if not sys.argv[1:] else ["sources of one's own"],
        "missing": missing,
        "rows": rows,
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
