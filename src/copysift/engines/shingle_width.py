"""How many words a shingle has where --shingle does not say: fewer in a corpus of tweets, titles, questions.

One word that differs changes w of the n − w + 1 shingles of a document. Two documents of n words that differ
in one have resemblance (n − 2w + 1) / (n + 1), which is at least one half up to w = (n + 1) / 4. A run has
one width, so every measure is of shingles of one length: a sample of the documents decides it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift.engines import phases
from copysift.engines.reading import Batches, records, segment_records, whole_files
from copysift.model.values import Skipped
from copysift.runs.workspace import Work
from copysift.settings.corpus import WIDTH, CorpusSettings
from copysift.sources.inputs import ReadAs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

SAMPLE = 1000  # documents that are looked at, at least if there are as many
PLACES = 16  # files that they are from, at most
NARROWEST = 2  # single words say nothing of their order
FEW = 0.1  # share of documents that may be too short for the width
KEPT = "width"  # the file of a work folder
BATCH = 16 << 20  # bytes of memory by which batches of the sample are small

Given = Callable[[], Batches]


def long_enough(width: int) -> int:
    """Give the words that a document needs to be near its copy with one word changed."""
    return 4 * width - 1


def fitting(words: Int64s) -> int:
    """Give the width for documents with this many words: the usual one unless most are too short for it."""
    if len(words) < 2 or np.median(words) >= long_enough(WIDTH):
        return WIDTH
    return _width_for(words, WIDTH)


def _width_for(words: Int64s, widest: int) -> int:
    """Give the largest width that all but a few documents with this many words are long enough for."""
    shortest = int(np.quantile(words, FEW, method="lower"))
    return max(NARROWEST, min(widest, (shortest + 1) // 4))


def settled(
    work: Work, names: list[str], settings: CorpusSettings, given: Given | None = None
) -> tuple[CorpusSettings, Given | None]:
    """Give what `with_width` gives; a job that is resumed has the width with which it was begun."""
    known = work.done(KEPT)
    if known is not None and not settings.shingle:
        return dataclasses.replace(settings, shingle=int(known["width"])), given
    settings, given = with_width(names, settings, given)
    work.keep(KEPT, {"width": settings.width})
    return settings, given


def with_width(
    names: list[str], settings: CorpusSettings, given: Given | None = None
) -> tuple[CorpusSettings, Given | None]:
    """Give settings with a width that fits the documents, and what gives all of these.

    `given` is called once; standard input, which comes once too, is given so.
    """
    if settings.shingle or settings.features:
        return settings, given
    if given is None and names == ["-"]:
        given = _standard_input(settings)
    words: list[Int64s] = []
    if given is None:
        long = 0
        for batch in _sampled(names, settings):
            words.append(_words(batch, settings))
            long += int(np.count_nonzero(words[-1] >= long_enough(WIDTH)))
            if long > (SAMPLE + PLACES) // 2:  # whatever the others are, most are long enough
                break
    else:
        batches = iter(given())
        seen: list[pa.RecordBatch | Skipped] = []
        for batch in batches:
            seen.append(batch)
            if not isinstance(batch, Skipped):
                words.append(_words(batch, settings))
            if sum(map(len, words)) >= SAMPLE:
                break
        rest: Batches = chain(seen, batches)
        given = lambda: rest  # noqa: E731 - a name would say no more
    width = fitting(np.concatenate([np.zeros(0, np.int64), *words]))
    return dataclasses.replace(settings, shingle=width), given


def _standard_input(settings: CorpusSettings) -> Given:
    return lambda: records(["-"], settings)


def _sampled(names: Iterable[str], settings: CorpusSettings) -> Iterable[pa.RecordBatch]:
    """Give some records of the first batches of some files."""
    small = dataclasses.replace(settings, memory=min(settings.memory, BATCH))
    files = whole_files((name for name in names if name != "-" and "://" not in name), small)
    some = files[:: -(-len(files) // PLACES)] if files else []
    for segment in some:
        left = -(-SAMPLE // len(some))
        for batch in segment_records(segment, small, ReadAs()):
            if isinstance(batch, Skipped):
                continue
            yield batch.slice(0, left)
            left -= len(batch)
            if left <= 0:
                break


def _words(batch: pa.RecordBatch, settings: CorpusSettings) -> Int64s:
    """Count the words of documents that are compared by words."""
    facts = phases.sketch(batch.slice(0, SAMPLE), settings).table
    counts: Int64s = facts["words"].to_numpy()
    by_words: Int64s = counts[facts["kind"].to_numpy() == "words"]
    return by_words


def notes(words: Int64s, settings: CorpusSettings) -> list[str]:
    """Say that the width follows the documents, or that many of them are too short for it."""
    width = settings.width
    if settings.features or len(words) < 2:
        return []
    said = []
    if width < WIDTH and fitting(words) == width:
        said.append(
            f"most documents have fewer than {long_enough(WIDTH)} words: they were compared by shingles of "
            f"{width} words instead of {WIDTH} (--shingle)"
        )
    short = words[words < long_enough(width)]
    share = len(short) / len(words)
    narrow = _width_for(short, width - 1) if share > FEW else width
    if narrow < width:
        said.append(
            f"{share:.0%} of the documents have fewer than {long_enough(width)} words: one word that differs "
            f"changes most of their {width}-word shingles, so near-copies among them are missed; "
            f"cluster them with --shingle {narrow}"
        )
    return said
