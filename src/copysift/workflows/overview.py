"""Gather what a report of a run shows: tables once over, and the texts of a few documents."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from copysift.clusters.classes import JOINED
from copysift.engines.texts import shown_text, texts_of
from copysift.errors import RunError
from copysift.report.corpus import Overview, Portrait
from copysift.runs.checksums import read_table
from copysift.runs.recall import measure_recall, recall_words
from copysift.runs.scan_run import TABLES, read_description
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import from_stored

LARGEST = 10
MEMBERS = 12  # of a cluster are named
SAMPLE = 300  # characters of the beginning of a document
DIFF = 20  # lines of a diff
WORDS = 12  # words in a line of it
EDGES = (2, 3, 5, 10, 30, 100, 300, 1000, 10_000, 100_000)


def overview(path: Path) -> Overview:
    """Read a run and the texts that its report shows."""
    described = read_description(path)
    documents = read_table(path, TABLES[0], ["document", "bytes"])
    clusters = read_table(path, TABLES[2])
    heads = clusters["cluster"].combine_chunks().dictionary_encode()
    codes = np.asarray(heads.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    sizes = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
    names = heads.dictionary.to_pylist()
    number = {name: place for place, name in enumerate(documents["document"].to_pylist())}
    weights = documents["bytes"].to_numpy()
    joined = clusters["joined"].to_pylist()
    members = clusters["document"].to_pylist()
    copies = np.array(
        [number[name] for name, how in zip(members, joined, strict=True) if how != JOINED[0]], np.int64
    )
    shown = []
    for code in np.lexsort((np.arange(len(sizes)), -sizes))[:LARGEST].tolist():
        inside = np.flatnonzero(codes == code).tolist()
        shown.append((names[code], [(members[place], joined[place]) for place in inside]))
    counts = described["counts"]
    return Overview(
        name=path.name,
        documents=counts["documents"],
        bytes=counts["bytes"],
        clusters=len(names),
        clustered=len(members),
        duplicate_bytes=int(weights[copies].sum()),
        pairs=counts["pairs"],
        kinds=tuple((word, joined.count(word)) for word in JOINED[1:] if word in joined),
        sizes=tuple(_sizes(sizes)),
        largest=tuple(_portraits(shown, number, described)),
        ignored=tuple((count, text) for _, count, text in described["ignored"]),
        ignored_count=counts["ignored"],
        notes=tuple(described.get("notes", ())),
        skipped=counts["skipped"],
        threshold=float(described["settings"]["resemblance"]),
        measure=described["settings"].get("measure", "resemblance"),
        found=tuple(_found(path, described)),
    )


def _found(path: Path, described: Mapping[str, Any]) -> Iterator[str]:
    """Say what was ignored, what was sampled, and which share of the pairs may be missing."""
    counts, settings = described["counts"], described["settings"]
    if counts["ignored"]:
        boilerplate = described.get("boilerplate", {})
        yield (
            f"Ignored as boilerplate: {counts['ignored']:,} shingles in more than "
            f"{settings['max_shared']} documents; {boilerplate.get('documents', 0):,} documents have some"
        )
    else:
        most = settings["max_shared"]
        yield f"Nothing was ignored as boilerplate: no shingle is in more than {most} documents"
    if counts.get("shingles") and "fingerprints" in counts:
        yield (
            f"Sampled: {counts['fingerprints']:,} of {counts['shingles']:,} shingles found the candidates "
            f"(--modulus {settings['modulus']}; all shingles of short documents); "
            f"{'their measures are estimates' if settings.get('estimate') else 'each was measured over all'}"
        )
    try:
        recall = measure_recall(open_corpus(path))
    except RunError as error:
        yield f"Recall cannot be measured: {error.message}"
        return
    if recall is None:
        yield "Recall cannot be measured: the run was made with --slim and has no shingles"
    else:
        yield from recall_words(recall)


def _sizes(sizes: np.ndarray[Any, np.dtype[np.int64]]) -> list[tuple[str, int]]:
    found = []
    for low, high in zip(EDGES, (*EDGES[1:], 2**62), strict=True):
        count = int(np.count_nonzero((sizes >= low) & (sizes < high)))
        label = (
            str(low)
            if high == low + 1
            else f"{low:,} or more"
            if high == 2**62
            else f"{low:,} to {high - 1:,}"
        )
        if count:
            found.append((label, count))
    return found


def _portraits(
    shown: list[tuple[str, list[tuple[str, str]]]], number: dict[str, int], described: dict[str, Any]
) -> list[Portrait]:
    others = [
        next((name for name, how in reversed(inside) if how in ("similar", "contained")), inside[-1][0])
        for _, inside in shown
    ]
    wanted = [number[name] for name, _ in shown] + [number[name] for name in others]
    settings = from_stored(described["settings"])
    texts = texts_of(described.get("sources", []), settings, wanted)
    found = []
    for (name, inside), other in zip(shown, others, strict=True):
        first, last = (shown_text(texts.get(number[each], b"")) for each in (name, other))
        how = [joined for _, joined in inside]
        found.append(
            Portrait(
                name,
                len(inside),
                tuple((word, how.count(word)) for word in JOINED[1:] if word in how),
                tuple(inside[:MEMBERS]),
                _beginning(first),
                other,
                tuple(_diff(first, last)),
            )
        )
    return found


def _beginning(text: str) -> str:
    """Give the first words of a text in one line."""
    words = text[: 4 * SAMPLE].split()
    if len(" ".join(words)) <= SAMPLE and len(text) <= 4 * SAMPLE:
        return " ".join(words)
    return " ".join(words)[:SAMPLE].rpartition(" ")[0] + " …"


def _diff(left: str, right: str) -> list[str]:
    """Give the words that differ, a few in a line, with a little around them."""
    a, b = left.split()[:5000], right.split()[:5000]
    out = []
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if i2 > i1:
            out.append("- " + _some(a, i1, i2))
        if j2 > j1:
            out.append("+ " + _some(b, j1, j2))
    return out[:DIFF] + ([f"… {len(out) - DIFF} more changes"] if len(out) > DIFF else [])


def _some(words: list[str], start: int, end: int) -> str:
    shown = " ".join(words[start : min(end, start + WORDS)])
    return f"{shown} … ({end - start} words)" if end - start > WORDS else shown
