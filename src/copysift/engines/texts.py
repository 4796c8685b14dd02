"""The texts of documents again: sources are read a second time, as far as needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from copysift import kernels
from copysift.engines.reading import records
from copysift.engines.submissions import count_of, is_unit
from copysift.errors import CopysiftError
from copysift.kinds import blank_markup, canonicaliser, detect_kind, to_utf8
from copysift.model.values import Ignored, Skipped
from copysift.settings.corpus import CorpusSettings

SHOWN = 20  # of the ignored shingles, the commonest, are shown with their text
LENGTH = 200
FILLER = b"\x7f"  # stands for markup inside of words, so that offsets stay


def texts_of(sources: Iterable[str], settings: CorpusSettings, numbers: Iterable[int]) -> dict[int, bytes]:
    """Give the readable texts of documents by number, as far as the sources can be read again."""
    wanted = sorted(set(numbers))
    found: dict[int, bytes] = {}
    names = list(sources)
    if not wanted or "-" in names or settings.features:
        return found
    first, last = 0, wanted[-1]
    try:
        for batch in records(names, settings):
            if isinstance(batch, Skipped):
                continue
            for number in wanted:
                if first <= number < first + count_of(batch):
                    texts = (
                        batch["text"].to_pylist()
                        if is_unit(batch)
                        else [batch["text"][number - first].as_py()]
                    )
                    found[number] = b"\n\n".join(readable(each, settings.html) for each in texts)
            first += count_of(batch)
            if first > last:
                break
    except (CopysiftError, OSError):
        return found
    return found


def readable(text: bytes, html: str) -> bytes:
    """Give a text as UTF-8, its markup blanked."""
    text = to_utf8(text)[0]
    if html == "always" or (html == "auto" and detect_kind("", text[:4096]) == "html"):
        return blank_markup(text)
    return text


def shown_text(text: bytes) -> str:
    """Give a text as it is shown: without what blanked markup is filled with."""
    return text.replace(FILLER, b"").decode("utf-8", "replace")


def ignored_texts(
    ignored: Sequence[tuple[int, int, int]], sources: Iterable[str], settings: CorpusSettings
) -> list[Ignored]:
    """Give the commonest ignored shingles with the text of the first document that has them."""
    told = ignored[:SHOWN]
    if not told:
        return []

    texts = texts_of(sources, settings, [holder for _, _, holder in told])
    words = canonicaliser("words")
    out = []
    for value, count, holder in told:
        shown = ""
        if holder in texts:
            canonical = words.whole(texts[holder])
            hashes = kernels.selection.hashes(canonical.symbols, settings.width, settings.seed)
            places = np.flatnonzero(hashes == np.uint64(value))
            if len(places):
                at = int(places[0])
                start, end = int(canonical.starts[at]), int(canonical.ends[at + settings.width - 1])
                shown = shown_text(texts[holder][start : min(end, start + LENGTH)])
        out.append(Ignored(value, count, shown))
    return out
