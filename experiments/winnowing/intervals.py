"""How often the confidence intervals of sampled measures hold: pages and edited copies, exact value known.

The copies differ in three ways, since the bias of windowed schemes depends on it: words here and there, a few
long passages, or text put before and behind. An interval holds if the measure of all k-grams is in it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.stream import Fingerprinter
from copysift.kinds.text import Text
from copysift.match.estimators import ESTIMATORS
from copysift.match.intervals import Sampling, ends, sampling_of
from copysift.model.traits import scheme_traits

SCHEMES = ("robust", "winnow", "open-closed", "safe-mod", "mod", "min", "adaptive-mod")
THRESHOLDS = ((25, 26), (50, 100), (12, 20))  # k and w
SIZE = 200  # of a sketch
Edit = Callable[[list[bytes], random.Random], list[bytes]]


def words_here_and_there(words: list[bytes], rng: random.Random) -> list[bytes]:
    """Replace, insert or delete up to a tenth of the words."""
    words = list(words)
    for _ in range(int(len(words) * rng.uniform(0.002, 0.1))):
        at = rng.randrange(len(words))
        kind = rng.randrange(3)
        words[at : at + (kind != 1)] = [] if kind == 2 else [rng.choice(words)]
    return words


def long_passages(words: list[bytes], rng: random.Random) -> list[bytes]:
    """Put other words in place of one to four passages."""
    words = list(words)
    for _ in range(rng.randint(1, 4)):
        length = int(len(words) * rng.uniform(0.02, 0.2))
        at = rng.randrange(len(words) - length)
        words[at : at + length] = rng.choices(words, k=length)
    return words


def more_text(words: list[bytes], rng: random.Random) -> list[bytes]:
    """Put text before and behind, up to the length of the page."""
    before, behind = (rng.choices(words, k=int(len(words) * rng.random() / 2)) for _ in range(2))
    return before + words + behind


EDITS: dict[str, Edit] = {
    "words": words_here_and_there,
    "passages": long_passages,
    "more text": more_text,
}


def pairs(pages: list[bytes], seed: int = 95) -> list[tuple[str, bytes, bytes]]:
    """Give pages of different lengths, each with a copy that is edited in each way."""
    rng = random.Random(seed)
    made = []
    for page in pages:
        words = page.split()[: rng.choice((150, 500, 2000, 10_000))]
        if len(words) >= 100:
            made += [(name, b" ".join(words), b" ".join(edit(words, rng))) for name, edit in EDITS.items()]
    return made


def measures(one: np.ndarray, two: np.ndarray) -> tuple[int, float, float, float]:
    shared = len(np.intersect1d(one, two, assume_unique=True))
    return shared, shared / (len(one) + len(two) - shared), shared / len(one), shared / len(two)


def coverage(pages: list[bytes]) -> list[dict[str, object]]:
    """Count how often the intervals of each scheme hold, and how wide they are, beside Wilson's alone."""
    cases = pairs(pages)
    rows: list[dict[str, object]] = []
    for k, w in THRESHOLDS:
        every = Fingerprinter(FingerprintSettings(scheme="all", k=k, w=w))
        exact = np.array([measures(*_sets(every, *texts))[1:] for _, *texts in cases])
        for scheme in SCHEMES if (k, w) == THRESHOLDS[0] else SCHEMES[:5]:
            held = _held(scheme, k, w, cases, exact)
            rows.append({"k": k, "w": w, "scheme": scheme, "pairs": len(cases), **held})
    return rows


def _held(scheme: str, k: int, w: int, cases: list, exact: np.ndarray) -> dict[str, object]:
    maker = Fingerprinter(FingerprintSettings(scheme=scheme, k=k, w=w, size=SIZE))
    traits = scheme_traits(scheme)
    sampling = Sampling(traits.estimator, size=SIZE) if traits.sketch else sampling_of(scheme, k, w, 0)
    assert sampling is not None
    rows = []
    for _, *texts in cases:
        one, two = _sets(maker, *texts)
        shared, *shares = measures(one, two)
        if traits.sketch:
            shares = list(ESTIMATORS[traits.estimator](one, two, SIZE))
        rows.append((shared, *shares))
    columns = np.array(rows, np.float64).T
    inside, width = _judged(sampling, columns, exact)
    plain, narrow = _judged(sampling._replace(hidden=0.0), columns, exact)
    which = np.array([name for name, *_ in cases])
    return {
        "holds": [float(each) for each in inside.mean(axis=0)],
        "by_edit": {name: float(inside[which == name].mean()) for name in EDITS},
        "width": float(width.mean()),
        "wilson_holds": [float(each) for each in plain.mean(axis=0)],
        "wilson_width": float(narrow.mean()),
        "bias": float((columns[1] - exact[:, 0]).mean()),
        "words_bias": float((columns[1] - exact[:, 0])[which == "words"].mean()),
    }


def _judged(sampling: Sampling, columns: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = ends(sampling, *columns)
    inside = (found[:, :, 0] - 1e-12 <= exact) & (exact <= found[:, :, 1] + 1e-12)
    return inside, found[:, :, 1] - found[:, :, 0]


def _sets(maker: Fingerprinter, *texts: bytes) -> list[np.ndarray]:
    return [np.unique(maker.fingerprint([Text().whole(each)], spans=False).hashes) for each in texts]


def edges() -> list[dict[str, object]]:
    """Measure how many fingerprints a difference hides beside it: random letters with one in far places."""
    rng = np.random.default_rng(1)
    rows: list[dict[str, object]] = []
    for k, w in ((25, 26), (50, 100), (10, 20), (12, 9), (25, 10)):
        row: dict[str, object] = {"k": k, "w": w}
        for scheme in SCHEMES[:5]:
            text = rng.integers(97, 122, 400_000).astype(np.uint8)
            places = np.arange(200, len(text) - 200, 4 * (k + w) + 37)
            other = text.copy()
            other[places] += 1
            maker = Fingerprinter(FingerprintSettings(scheme=scheme, k=k, w=w))
            one, two = _sets(maker, text.tobytes(), other.tobytes())
            kept = 1 - len(places) * k / (len(text) - k + 1)
            lost = (len(one) * kept - len(np.intersect1d(one, two))) / len(places)
            density = len(one) / (len(text) - k + 1)
            row[scheme] = float(lost / (density * (w + 1) / 2))
        rows.append(row)
    return rows
