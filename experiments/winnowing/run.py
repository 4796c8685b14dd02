"""The experiments of the winnowing paper: python experiments/winnowing/run.py [FOLDER|WARC…]

Without a source the pages are those of Debian's documentation packages. Writes results.json beside this file.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from data import html_pages
from intervals import coverage, edges

from copysift import kernels
from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.stream import Fingerprinter
from copysift.kinds.markup import Html, blank_markup
from copysift.kinds.text import Text
from copysift.match.estimators import ESTIMATORS
from copysift.model.traits import scheme_traits

if TYPE_CHECKING:
    from copysift.model.values import Symbols

HERE = Path(__file__).parent
PAPER = json.loads((HERE / "paper.json").read_text())
K, W, MODULUS = PAPER["k"], PAPER["w"], PAPER["modulus"]
PAGES = 50_000
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)


def settings(scheme: str, w: int = W, modulus: int = 0) -> FingerprintSettings:
    return FingerprintSettings(scheme=scheme, k=K, w=w, modulus=modulus, size=400)


def density(symbols: Symbols, chosen: FingerprintSettings) -> float:
    """The share of all k-grams that a scheme chooses."""
    found = Fingerprinter(chosen).fingerprint([Text().whole(symbols.tobytes())], spans=False)
    return len(found.hashes) / found.grams


def letters(count: int, seed: int) -> Symbols:
    return np.random.default_rng(seed).choice(LETTERS, count)


def bound(w: int) -> float:
    """The best known lower bound on the density of forward schemes (Kille and others 2025)."""
    return math.ceil((w + K) / w) / (w + K)


def on_random_text() -> dict[str, object]:
    """8 MB of random letters: the densities of the paper, and those of every scheme for several windows."""
    text = letters(8_000_000, 2003)
    rows = []
    for w in (5, 10, 20, 50, 100, 200, 400):
        row: dict[str, float] = {
            "w": w,
            "winnowing_theory": 2 / (w + 1),
            "local_bound": 1.5 / (w + 1),
            "bound": bound(w),
        }
        for scheme in ("winnow", "robust", "open-closed", "mod", "safe-mod"):
            row[scheme] = density(text[:2_000_000], settings(scheme, w))
        rows.append(row)
    return {
        "bytes": len(text),
        "winnowing": density(text, settings("winnow")),
        "robust": density(text, settings("robust")),
        "mod": density(text, settings("mod", modulus=MODULUS)),
        "safe_mod": density(text, settings("safe-mod")),
        "safe_mod_theory": (1 + math.log(W)) / W,
        "schemes": rows,
    }


def misses(hashes: np.ndarray, modulus: float) -> float:
    """The share of windows of w hashes without one that is 0 mod p, for the p of winnowing's density."""
    chosen = hashes < np.uint64(2**64 / modulus)  # well mixed hashes: below a bound is as good as 0 mod p
    before = np.concatenate(([0], np.cumsum(chosen)))
    return float(np.mean(before[W:] == before[:-W]))


def on_low_entropy() -> list[dict[str, object]]:
    """Strings with few different k-grams, where ties decide."""
    rng = random.Random(2003)
    zeros = b"0" * 1_000_000
    sensor = bytes(48 if rng.random() > 0.001 else rng.randrange(49, 58) for _ in range(1_000_000))
    periodic = b"documentwrite" * 80_000
    rows: list[dict[str, object]] = []
    for name, data in (
        ("0000…", zeros),
        ("zeros with 1 ‰ other digits", sensor),
        ("documentwrite…", periodic),
    ):
        symbols = np.frombuffer(data, np.uint8)
        schemes = ("winnow", "robust", "open-closed", "mod", "safe-mod")
        rows.append({"text": name, **{scheme: density(symbols, settings(scheme)) for scheme in schemes}})
    return rows


class Tally:
    """Figure 3: counts over pages, as one long text in which no k-gram crosses a page."""

    def __init__(self) -> None:
        self.pages = self.total = self.text = self.hashes = 0
        self.chosen = {"winnow": 0, "robust": 0, "open-closed": 0, "mod": 0, "safe-mod": 0}
        self.longest, self.windows, self.missed = 0, 0, 0.0
        self._makers = {
            name: Fingerprinter(settings(name, modulus=MODULUS if name == "mod" else 0))
            for name in self.chosen
        }

    def add(self, data: bytes) -> None:
        canonical = Html(Text()).whole(data)
        self.pages += 1
        self.total += len(data)
        self.text += len(canonical.symbols)
        hashes = kernels.selection.hashes(canonical.symbols, K)
        self.hashes += len(hashes)
        for name, maker in self._makers.items():
            self.chosen[name] += len(maker.fingerprint([canonical], spans=False).hashes)
        if len(hashes) == 0:
            return
        at = np.concatenate(([-1], np.flatnonzero(hashes % np.uint64(MODULUS) == 0), [len(hashes)]))
        self.longest = max(self.longest, int(np.diff(at).max()) - 1)
        if len(hashes) >= W:
            self.windows += len(hashes) - W + 1
            self.missed += misses(hashes, (W + 1) / 2) * (len(hashes) - W + 1)

    def results(self) -> dict[str, object]:
        return {
            "pages": self.pages,
            "total_bytes": self.total,
            "text_bytes": self.text,
            "hashes": self.hashes,
            "fingerprints": self.chosen,
            "densities": {name: count / self.hashes for name, count in self.chosen.items()},
            "longest_run": self.longest,
            "missed_windows": self.missed / self.windows,
        }


def ranks(counts: np.ndarray) -> dict[str, object]:
    """Figure 4: the end points of each plateau of frequencies, the slope of a line through them, shares."""
    frequencies, sizes = np.unique(counts, return_counts=True)
    frequencies, sizes = frequencies[::-1], sizes[::-1]
    right = np.cumsum(sizes)
    left = right - sizes + 1
    points = np.stack((np.concatenate((left, right)), np.concatenate((frequencies, frequencies))))
    slope, height = np.polyfit(np.log10(points[0]), np.log10(points[1]), 1)
    total = int(right[-1])
    share = {int(f): int(s) / total for f, s in zip(frequencies, sizes, strict=True)}
    return {
        "different": total,
        "once": share.get(1, 0.0),
        "twice": share.get(2, 0.0),
        "three": share.get(3, 0.0),
        "most": int(frequencies[0]),
        "slope": float(slope),
        "height": float(height),
        "left": left.tolist(),
        "right": right.tolist(),
        "frequency": frequencies.tolist(),
    }


def frequencies(pages: Iterable[Path]) -> dict[str, object]:
    every, chosen = [], []
    fingerprinter = Fingerprinter(settings("robust"))
    for page in pages:
        canonical = Html(Text()).whole(page.read_bytes())
        every.append(kernels.selection.hashes(canonical.symbols, K))
        chosen.append(fingerprinter.fingerprint([canonical], spans=False).hashes)
    found: dict[str, object] = {"pages": len(every)}
    for name, parts in (("all", every), ("fingerprints", chosen)):
        values = np.concatenate(parts)
        values.sort()
        edges = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1], [True])))
        found[name] = ranks(np.diff(edges))
        del values
    return found


def edited(text: bytes, share: float, rng: random.Random) -> bytes:
    """Replace, insert or delete words until about so large a share of them has changed."""
    words = text.split()
    for _ in range(int(len(words) * share)):
        at = rng.randrange(len(words))
        action = rng.randrange(3)
        if action == 0:
            words[at] = rng.choice(words)
        elif action == 1:
            words.insert(at, rng.choice(words))
        else:
            del words[at]
    return b" ".join(words)


def texts(pages: Iterable[Path], count: int) -> Iterator[bytes]:
    """Give the words of long pages."""
    for page in pages:
        words = b" ".join(blank_markup(page.read_bytes()).split())
        if 8_000 <= len(words) <= 200_000:
            yield words[:20_000]
            count -= 1
            if not count:
                return


def estimators(pages: list[Path]) -> list[dict[str, object]]:
    """Sixty pairs of a page and an edited copy: estimated resemblance beside the one of all k-grams."""
    rng = random.Random(60)
    chosen = list(texts(rng.sample(pages, min(len(pages), 3000)), 60))
    pairs = [(text, edited(text, (n % 12 + 1) / 150, rng)) for n, text in enumerate(chosen)]
    rows: list[dict[str, object]] = []
    for scheme in ("all", "open-closed", "robust", "winnow", "mod", "safe-mod", "min", "adaptive-mod"):
        maker = Fingerprinter(FingerprintSettings(scheme=scheme, k=25, w=26, size=1500))
        values = [resemblance(maker, *pair) for pair in pairs]
        kept = sum(len(maker.fingerprint([Text().whole(text)], spans=False).hashes) for text in chosen)
        rows.append({"scheme": scheme, "values": values, "fingerprints": kept})
    exact = np.array(rows[0]["values"])
    for row in rows:
        error = np.array(row["values"]) - exact
        row |= {"mean": float(np.mean(row["values"])), "bias": float(error.mean())}
        row["rmse"] = float(np.sqrt((error**2).mean()))
    return rows


def resemblance(maker: Fingerprinter, left: bytes, right: bytes) -> float:
    one, two = (
        np.unique(maker.fingerprint([Text().whole(each)], spans=False).hashes) for each in (left, right)
    )
    traits = scheme_traits(maker.settings.scheme)
    if traits.sketch:  # Broder's estimators: the s smallest of both together, or the coarser of two levels
        return ESTIMATORS[traits.estimator](one, two, maker.settings.size)[0]
    return len(np.intersect1d(one, two)) / len(np.union1d(one, two))


def main() -> None:
    pages = list(html_pages(sys.argv[1:]))
    rng = random.Random(1)
    tally = Tally()
    for page in pages if len(pages) <= PAGES else rng.sample(pages, PAGES):
        tally.add(page.read_bytes())
    some = rng.sample(pages, min(len(pages), PAPER["frequency"]["pages"]))
    results = {
        "random": on_random_text(),
        "miss": misses(kernels.selection.hashes(letters(8_000_000, 7), K), (W + 1) / 2),
        "low_entropy": on_low_entropy(),
        "pages": tally.results(),
        "frequency": frequencies(some),
        "estimators": estimators(pages),
        "edges": edges(),
        "intervals": coverage(list(texts(rng.sample(pages, min(len(pages), 3000)), 200))),
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
