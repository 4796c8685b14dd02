"""The kit that every scheme must pass, built-in or added: call `check` with the scheme and its readable twin.

    from copysift.fingerprints.conformance import check
    check(Odd, lambda symbols, hashes, settings: [at for at, value in enumerate(hashes) if value % 2])

The twin is the definition of the scheme, without blocks and speed: it gets all symbols of a document, the
hashes of all its k-grams and the settings, and returns the places that are chosen, in order. `check` raises
AssertionError with the law that is broken.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.errors import UsageError
from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.stream import Fingerprinter
from copysift.model.traits import COUNTS, LEVELS, SCHEME_OPTIONS, SMALLEST, SchemeTraits
from copysift.model.values import Canonical, Fingerprints
from copysift.runtime import registry
from copysift.settings.comparison import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.fingerprints.schemes import Scheme
    from copysift.model.values import Symbols

Twin = Callable[[list[int], list[int], FingerprintSettings], list[int]]
_LETTERS = {"random": 26, "two letters": 2, "one letter": 1}
_SMALL = 9  # symbols of the longest documents of two letters, of which all are tried
# Another value of each option, for the stage and for a user.
_CHANGED: dict[str, dict[str, Any]] = {
    "modulus": {"modulus": 3}, "sketch": {"size": 7}, "anchor": {"anchors": (b"e",)},
    "disjoint": {"overlap": False},
}  # fmt: skip
_GIVEN: dict[str, Any] = {"modulus": 3, "sketch": 7, "anchor": ("e",), "disjoint": True}


class SchemeUnderTest:
    """A scheme and how to run it on symbols; every symbol is at its own number."""

    def __init__(self, scheme: Callable[[FingerprintSettings], Scheme]) -> None:
        self.scheme = scheme
        self.traits: SchemeTraits = getattr(scheme, "traits", None) or _no_traits(scheme)

    def settings(self, k: int = 12, w: int = 10, **others: Any) -> FingerprintSettings:
        """Give settings that every scheme accepts."""
        given = {"anchors": (b"a", b"be"), "inner": max(1, min(4, k - 2)), **others}
        return FingerprintSettings(self.traits.name, k, w, **given)

    def run(
        self, symbols: Symbols, settings: FingerprintSettings, cuts: tuple[int, ...] = ()
    ) -> Fingerprints:
        """Fingerprint a document, cut into blocks at these places."""
        edges = [0, *cuts, len(symbols)]
        blocks = [_canonical(symbols[a:b], a) for a, b in itertools.pairwise(edges)]
        return Fingerprinter(settings, self.scheme).fingerprint(blocks)


def check(scheme: Callable[[FingerprintSettings], Scheme], twin: Twin) -> None:
    """Check every law that the traits of a scheme promise."""
    tested = SchemeUnderTest(scheme)
    has_traits(tested)
    agrees_with_its_twin(tested, twin)
    chooses_k_grams(tested)
    ignores_where_blocks_end(tested)
    is_deterministic(tested)
    uses_its_options_only(tested)
    refuses_other_options(tested)
    if tested.traits.guarantee:
        finds_long_matches(tested)
    if tested.traits.windows is not None:
        coarser_windows_choose_a_subset(tested)
    if tested.traits.sketch:
        keeps_few(tested)


def has_traits(tested: SchemeUnderTest) -> None:
    """Its traits name it, describe it, and promise only what exists."""
    traits = tested.traits
    assert traits.name, "a scheme needs a name"
    assert traits.description, f"{traits.name} needs a description"
    unknown = set(traits.options) - set(SCHEME_OPTIONS)
    assert not unknown, f"{traits.name} uses unknown options: {', '.join(sorted(unknown))}"
    assert traits.learned in ("", *traits.options), f"{traits.name} learns what is not its option"
    assert traits.estimator in (COUNTS, SMALLEST, LEVELS), f"{traits.name} has an unknown estimator"


def agrees_with_its_twin(tested: SchemeUnderTest, twin: Twin) -> None:
    """It chooses what its readable twin chooses: in all documents of a few letters, and in longer ones."""
    small = (
        (np.array(letters, np.uint8), 3, w)
        for size in range(_SMALL + 1)
        for letters in itertools.product((97, 98), repeat=size)
        for w in (1, 3)
    )
    long = ((symbols, 12, 10) for symbols in _documents(700))
    for symbols, k, w in itertools.chain(small, long):
        settings = tested.settings(k, w, size=5)
        found = tested.run(symbols, settings)
        hashes = kernels.selection.hashes(symbols, k, settings.seed).tolist()
        expected = twin(symbols.tolist(), hashes, settings)
        where = f"{tested.traits.name}, k = {k}, w = {w}: {symbols[:40].tolist()}"
        assert found.starts.tolist() == expected, f"{where} gives {found.starts.tolist()}, not {expected}"


def chooses_k_grams(tested: SchemeUnderTest) -> None:
    """Each hash is that of the k-gram at its place, so that nothing shorter than k symbols ever matches."""
    for symbols in _documents(700):
        settings = tested.settings(seed=9)
        found = tested.run(symbols, settings)
        every = kernels.selection.hashes(symbols, settings.k, settings.seed)
        assert (np.diff(found.starts.astype(int)) > 0).all(), f"{tested.traits.name}: places go back"
        assert (found.ends - found.starts == settings.k).all(), f"{tested.traits.name}: not a k-gram"
        assert found.hashes.tolist() == every[found.starts].tolist(), f"{tested.traits.name}: another hash"
        assert found.grams == len(every), f"{tested.traits.name}: k-grams are counted wrongly"


def ignores_where_blocks_end(tested: SchemeUnderTest) -> None:
    """The answer is the same however a document is cut."""
    draw = np.random.default_rng(5)
    for symbols in _documents(160):
        settings = tested.settings(5, 7, size=11)
        whole = tested.run(symbols, settings)
        several = [tuple(sorted(draw.integers(0, len(symbols), 6).tolist())) for _ in range(20)]
        for cuts in [(at,) for at in range(len(symbols))] + several:
            cut = tested.run(symbols, settings, cuts)
            where = f"{tested.traits.name}, cut at {cuts}"
            assert cut.starts.tolist() == whole.starts.tolist(), f"{where}: other choices"
            assert cut.hashes.tolist() == whole.hashes.tolist(), f"{where}: other hashes"


def is_deterministic(tested: SchemeUnderTest) -> None:
    """Nothing remains from one document to the next, and the seed decides the hashes."""
    first, second = itertools.islice(_documents(700), 2)
    settings = tested.settings()
    alone = tested.run(second, settings).hashes.tolist()
    tested.run(first, settings)
    assert tested.run(second, settings).hashes.tolist() == alone, f"{tested.traits.name} has a memory"
    seeded = tested.run(first, replace(settings, seed=1)).hashes.tolist()
    same = set(seeded) & set(tested.run(first, settings).hashes.tolist())
    assert not same, f"{tested.traits.name}: hashes do not depend on the seed"


def uses_its_options_only(tested: SchemeUnderTest) -> None:
    """The options in its traits change what it chooses; the others change nothing."""
    settings = tested.settings()
    symbols = next(_documents(3000))
    usual = tested.run(symbols, settings).starts.tolist()
    for option, values in _CHANGED.items():
        changed = tested.run(symbols, replace(settings, **values)).starts.tolist() != usual
        name = f"{tested.traits.name} and the option {option}"
        if option in tested.traits.options:
            assert changed, f"{name}: it has no effect"
        else:
            assert not changed, f"{name}: it has an effect that the traits do not name"


def refuses_other_options(tested: SchemeUnderTest) -> None:
    """An option without effect is refused; a scheme that is not installed has no users."""
    name = tested.traits.name
    if name not in registry.names(registry.SCHEMES):
        return
    for option, value in _GIVEN.items():
        try:
            Settings(scheme=name, **{option: value})
        except UsageError:
            assert option not in tested.traits.options, f"--{option} is refused with the scheme {name}"
        else:
            assert option in tested.traits.options, f"--{option} is accepted with the scheme {name}"


def finds_long_matches(tested: SchemeUnderTest) -> None:
    """Two documents that share a run of the guarantee threshold, k + w − 1, share a fingerprint."""
    for seed in range(60):
        draw = np.random.default_rng(seed)
        k, w = int(draw.integers(3, 30)), int(draw.integers(1, 40))
        for letters in _LETTERS.values():
            passage = _text(letters, k + w - 1, draw)
            both = [
                np.concatenate([_text(letters, before, draw), passage, _text(letters, after, draw)])
                for before, after in draw.integers(0, 150, (2, 2)).tolist()
            ]
            left, right = (set(tested.run(each, tested.settings(k, w)).hashes.tolist()) for each in both)
            assert left & right, f"{tested.traits.name}: no match with k = {k}, w = {w}, seed {seed}"


def coarser_windows_choose_a_subset(tested: SchemeUnderTest) -> None:
    """F_w′ ⊆ F_w for w′ ≥ w (§3.2): hashes that a coarser window chooses, a finer one chooses too."""
    for symbols in _documents(700):
        for fine, coarse in ((1, 2), (5, 8), (10, 40)):
            few, many = (
                set(tested.run(symbols, tested.settings(5, w)).hashes.tolist()) for w in (coarse, fine)
            )
            assert few <= many, f"{tested.traits.name}: w = {coarse} chooses more than w = {fine}"


def keeps_few(tested: SchemeUnderTest) -> None:
    """A sketch has at most its size of distinct hashes, however long the document."""
    for size in (5, 50):
        found = tested.run(next(_documents(5000)), tested.settings(size=size))
        count = len(set(found.hashes.tolist()))
        assert 0 < count <= size, f"{tested.traits.name}: {count} hashes in a sketch of {size}"


def _no_traits(scheme: object) -> SchemeTraits:
    raise AssertionError(f"{scheme} has no traits")


def _documents(size: int) -> Iterator[Symbols]:
    draw = np.random.default_rng(3)
    for letters in _LETTERS.values():
        yield _text(letters, size, draw)
    yield np.resize(_text(26, 7, draw), size)  # periodic


def _text(letters: int, size: int, draw: np.random.Generator) -> NDArray[np.uint8]:
    return draw.integers(97, 97 + letters, size).astype(np.uint8)


class _Numbers:
    """Every symbol is at its own number: the plainest position map."""

    def __init__(self, first: int, count: int) -> None:
        self.starts = np.arange(first, first + count, dtype=np.uint32)
        self.ends = self.starts + np.uint32(1)

    def spans(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> Any:
        return self.starts[first], self.ends[last]


def _canonical(symbols: Symbols, first: int) -> Canonical:
    return Canonical(symbols, _Numbers(first, len(symbols)))
