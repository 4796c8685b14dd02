"""Readable twins of the schemes: what each chooses, by its definition, without blocks and speed."""

import math

import numpy as np

from copysift.kernels.reference import selection


def winnowed(robust=True, inner=False):
    """Give the twin of a scheme that chooses in windows: definitions 1 and 3 of the winnowing paper."""

    def twin(symbols, hashes, settings):
        inner_symbols = max(0, min(settings.inner, settings.k - 2)) if inner else 0
        chosen, _ = selection.winnow(
            np.array(symbols), settings.k, settings.w, settings.seed, robust, inner_symbols
        )
        return chosen.tolist()

    return twin


def mod(symbols, hashes, settings):
    modulus, chosen, at = settings.modulus or (settings.w + 1) // 2, [], 0
    while at < len(hashes):
        taken = hashes[at] % modulus == 0
        chosen += [at] * taken
        at += settings.k if taken and not settings.overlap else 1
    return chosen


def safe_mod(symbols, hashes, settings):
    w = settings.w
    modulus = settings.modulus or (max(1, round(w / math.log(w))) if w > 1 else 1)
    good = [value % modulus == 0 for value in hashes]
    return [
        at for at in range(len(hashes)) if good[at] or (at >= w - 1 and not any(good[at - w + 1 : at + 1]))
    ]


def smallest(symbols, hashes, settings):
    kept = sorted(set(hashes))[: settings.size]
    return sorted(hashes.index(value) for value in kept)


def adaptive_mod(symbols, hashes, settings):
    modulus = settings.modulus or 1
    while len({value for value in hashes if value % modulus == 0}) > settings.size:
        modulus *= 2
    return [at for at, value in enumerate(hashes) if value % modulus == 0]


def anchored(symbols, hashes, settings):
    text = bytes(symbols)
    return [at for at in range(len(hashes)) if text.startswith(settings.anchors, at)]


def every(symbols, hashes, settings):
    return list(range(len(hashes)))


TWINS = {
    "adaptive-mod": adaptive_mod,
    "all": every,
    "anchor": anchored,
    "min": smallest,
    "mod": mod,
    "open-closed": winnowed(inner=True),
    "robust": winnowed(),
    "safe-mod": safe_mod,
    "winnow": winnowed(robust=False),
}
