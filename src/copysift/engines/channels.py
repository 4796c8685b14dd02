"""Which documents of a batch are compared by something else than words, and their shingles.

A program is compared by its tokens, k = 8 of them in a shingle, as in a scan: by its language field, its file
name or --language. Names do not count, literals do. One that a tool made keeps its words, unless --kind code
is given: nobody renames it to hide a copy, and tokens have nothing of the names in which two generated files
differ. Hashes of different channels never meet: each has a constant mixed in. How a document is read depends
on it alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.errors import UsageError
from copysift.fingerprints.shingles import ShingleSets
from copysift.join.boilerplate import bounds_of
from copysift.kinds import Languages, Text, canonicaliser, header, languages, notebook, to_utf8
from copysift.kinds.choice import detect_language, kind_by_magic, kind_of_text
from copysift.kinds.lextable import NUMBER, REGEX
from copysift.kinds.pygments_code import Foreign
from copysift.model.traits import is_raw, kind_traits
from copysift.model.values import Canonical, Skipped
from copysift.runtime.arrays import distinct
from copysift.runtime.timing import TooSlowDocumentError
from copysift.settings.corpus import CorpusSettings
from copysift.sources.records import RAW
from copysift.sources.vendored import machine_made, vendored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

NAMES = ("path", "file_name", "filename")  # fields that hold the name of a file
LANGUAGE = "language"
WORDS = "words"


def kinds_of(
    batch: pa.RecordBatch, settings: CorpusSettings, known: Languages | None = None
) -> list[str] | None:
    """Name the kind of every document; None: all are compared by words. `known` are the languages."""
    asked = None if settings.kind == "auto" else kind_traits(settings.kind)
    if settings.features or (asked and asked.symbols == WORDS):
        return None
    if asked and asked.magic:
        found = [kind_by_magic(_head(batch, at)) or WORDS for at in range(len(batch))]
        return found if any(each != WORDS for each in found) else None
    if asked and not asked.languages:
        return [settings.kind] * len(batch)
    raw = batch.schema.metadata == RAW
    if not (raw or settings.language or batch["other"].null_count < len(batch)):
        return None
    known = known or languages()
    wanted = settings.language
    if wanted:
        known.find(wanted)  # refuses a language that there is not
        return [_code(wanted, known)] * len(batch)
    code = settings.kind == "code"
    found = _by_names(batch, known, code) if raw else _by_fields(batch, known, code)
    return found if any(each != WORDS for each in found) else None


def _head(batch: pa.RecordBatch, at: int) -> bytes:
    text = batch["text"][at].as_py()[:4096]
    return text.encode("utf-8", "replace") if isinstance(text, str) else text


def _code(language: str, known: Languages) -> str:
    kind = f"code:{language}"
    return WORDS if isinstance(canonicaliser(kind, known), Text) else kind


def _by_names(batch: pa.RecordBatch, known: Languages, code: bool) -> list[str]:
    texts, names = batch["text"], batch["id"].to_pylist()
    return [_by_name(name, texts[at].as_py()[:4096], known, code) for at, name in enumerate(names)]


def _by_name(name: str, head: bytes, known: Languages, code: bool) -> str:
    """Choose as a scan of files does, where pages are texts; `code`: whatever has a language is a program."""
    if code:
        language = detect_language(name, head, known)
        return WORDS if language is None else _code(language, known)
    kind = kind_of_text(name, head, known, every=False)
    if kind_traits(kind).magic:
        return kind
    if not kind.startswith("code:") or kind == header.KIND or _is_machine_made(name, head):
        return WORDS
    return _code(kind.removeprefix("code:"), known)


def _is_machine_made(name: str, head: bytes) -> bool:
    """Say whether a tool made a program, by its name or its first bytes."""
    leaf = name.replace("\\", "/").rpartition("/")[2]
    return bool(vendored([leaf]) or machine_made(leaf, head))


def _by_fields(batch: pa.RecordBatch, known: Languages, code: bool) -> list[str]:
    """Look into the other fields of records, where any may have what is looked for."""
    found = [WORDS] * len(batch)
    others = batch["other"]
    import pyarrow.compute as pc  # takes 20 ms, and most corpora have no other fields

    likely = pc.match_substring_regex(others, f'"({"|".join((LANGUAGE, *NAMES))})"').fill_null(False)
    for at in np.flatnonzero(likely.to_numpy(zero_copy_only=False)).tolist():
        fields = json.loads(others[at].as_py())
        found[at] = _of_record(fields, batch["text"][at].as_py()[:4096], known, code)
    return found


def _of_record(fields: dict[str, object], head: bytes, known: Languages, code: bool) -> str:
    named = fields.get(LANGUAGE)
    name = next((each for each in map(fields.get, NAMES) if isinstance(each, str) and each), "")
    if isinstance(named, str) and named:
        try:
            language = known.find(named.lower()).name
        except UsageError:
            return WORDS  # of a language that people speak, as corpora have it
        return WORDS if not code and _is_machine_made(name, head) else _code(language, known)
    return _by_name(name, head, known, code) if name else WORDS


def with_channels(
    found: ShingleSets,
    kinds: list[str],
    batch: pa.RecordBatch,
    settings: CorpusSettings,
    known: Languages | None = None,
) -> tuple[ShingleSets, list[Skipped]]:
    """Give documents that are not compared by words the shingles of their kind.

    One whose lexer does not finish keeps its words, and is named; its kind in `kinds` is changed.
    """
    unread: list[Skipped] = []
    sets = [found.values[a:b] for a, b in pairwise(found.bounds)]
    marks = bounds_of(found.places)
    orders = [found.order[a:b] for a, b in pairwise(marks)]
    words, places, lexical = found.words.copy(), found.places.copy(), found.lexical.copy()
    raw = batch.schema.metadata == RAW
    for at, kind in enumerate(kinds):
        if kind == WORDS:
            continue
        source = batch["text"][at].as_py()
        readable = to_utf8(source)[0] if raw and not is_raw(kind) else source
        if kind == notebook.KIND and (cells := notebook.readable(readable)) is not None:
            readable = cells
        try:
            symbols = _symbols(kind, known, readable, settings.max_seconds_per_file)
        except TooSlowDocumentError as error:
            unread.append(Skipped(batch["id"][at].as_py(), f"{error.message}; it was compared by words"))
            kinds[at] = WORDS
            continue
        hashes = shingles_of(symbols, kind, settings)
        words[at], places[at] = len(symbols), len(hashes)
        keys = np.ascontiguousarray(symbols, dtype=np.uint64)
        lexical[at] = kernels.shingle.set_digests(keys, np.array([0, len(keys)]))[0]
        sets[at], orders[at] = distinct(hashes), hashes.astype(np.uint32)
    values = np.concatenate([np.zeros(0, np.uint64), *sets])
    bounds = bounds_of(np.array([len(each) for each in sets], np.int64))
    made = replace(
        found,
        values=values,
        bounds=bounds,
        words=words,
        places=places,
        lexical=lexical,
        sets=kernels.shingle.set_digests(values, bounds),
        order=np.concatenate([np.zeros(0, np.uint32), *orders]),
    )
    return made, unread


def _symbols(
    kind: str, known: Languages | None, readable: bytes, seconds: float | None
) -> NDArray[np.unsignedinteger]:
    made = canonicaliser(kind, known)
    if isinstance(made, Foreign) and seconds is not None:
        made.seconds = seconds
    canonical = made.whole(readable)
    return with_literals(canonical, readable) if kind.startswith("code:") else canonical.symbols


def with_literals(canonical: Canonical, source: bytes) -> NDArray[np.unsignedinteger]:
    """Give the symbols of a program, with those of literals made of their text.

    Otherwise a table of colours is like any other table, and `dedup` would remove it. In a class literals do
    not count, because they are changed to hide a copy; in a corpus nobody hides anything.
    """
    symbols = canonical.symbols
    which = np.flatnonzero((symbols >= NUMBER) & (symbols <= REGEX))
    if not len(which):
        return symbols
    offsets = np.stack([canonical.starts[which], canonical.ends[which]], 1).astype(np.int64).ravel()
    offsets = np.maximum.accumulate(offsets)  # a literal inside of another has no text of its own
    digests = kernels.shingle.content_digests(np.frombuffer(source, np.uint8), offsets)[::2]
    symbols = symbols.copy()
    symbols[which] = (digests >> np.uint64(32)).astype(symbols.dtype)
    return symbols


def shingles_of(symbols: NDArray[np.unsignedinteger], kind: str, settings: CorpusSettings) -> UInt64s:
    """Give the shingles of symbols in order, distinguished from those of other channels."""
    traits = kind_traits(kind)
    noise = traits.thresholds.noise if settings.noise is None else settings.noise
    hashes: UInt64s = kernels.selection.hashes(symbols, noise, settings.seed)
    return hashes ^ np.uint64(traits.mark)
