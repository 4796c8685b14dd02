"""Documents for tests of a corpus: reproducible words, edits of them, and runs in empty folders."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from copysift.engines.cluster_run import Summary, cluster
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make


def words(count: int, seed: object) -> list[str]:
    chance = random.Random(f"words {seed}")
    return [f"w{chance.randrange(100_000)}" for _ in range(count)]


def text(count: int, seed: object) -> str:
    return " ".join(words(count, seed))


def edited(source: str, share: float, seed: object) -> str:
    chance = random.Random(f"edit {seed}")
    return " ".join(
        f"e{chance.randrange(10**9)}" if chance.random() < share else word for word in source.split()
    )


def write_jsonl(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def mixed(count: int = 120, seed: int = 7) -> list[dict[str, Any]]:
    """Long and short documents, copies, near-copies, excerpts and documents of a few words."""
    chance = random.Random(seed)
    found: list[str] = []
    for number in range(count):
        kind = chance.randrange(8)
        if kind < 3 or not found:
            found.append(text(chance.choice([5, 30, 90, 150, 400, 700, 1500]), (seed, number)))
        elif kind == 3:
            found.append(chance.choice(found))
        elif kind == 4:
            found.append(chance.choice(found).upper() + " !")
        elif kind == 5:
            source = chance.choice(found).split()
            start = chance.randrange(len(source))
            found.append(" ".join(source[start : start + chance.choice([12, 60, 200])]) or "x")
        else:
            found.append(edited(chance.choice(found), chance.choice([0.005, 0.02, 0.05]), (seed, number)))
    return [{"id": f"d{number}", "text": each} for number, each in enumerate(found)]


def run(source: Path | list[str], folder: Path, **settings: object) -> Summary:
    sources = [str(source)] if isinstance(source, Path) else source
    return cluster(sources, folder, make(CorpusSettings, settings))


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / f"{name}.parquet").to_pylist()
