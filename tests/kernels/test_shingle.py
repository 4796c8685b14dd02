import itertools
import random

import numpy as np
import pytest

from copysift.kernels import _shingle as compiled
from copysift.kernels.reference import shingle as readable

TEXTS = [
    "",
    "a",
    "a rose is a rose is a rose",
    "One two THREE four five_5 six seven " * 30,
    "中文字符很多 and かな too " * 20,
    "naïve café Straße ﬁn " * 9,
    "x" * 70_000 + " y " + "z " * 40,
    "ab " * 3000,
    " ".join(f"{number * 7919 % 4001}" for number in range(5000)),  # more than are scattered at once
    " ".join(f"{number % 700}" for number in range(9000)),
    "\x00\xff broken \xe4\xb8 bytes",
]


def packed(texts):
    raw = [each.encode("utf-8", "surrogateescape") for each in texts]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in raw])]).astype(np.int64)
    return np.frombuffer(b"".join(raw), np.uint8), offsets


def same(left, right):
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("w", [1, 2, 3, 10])
@pytest.mark.parametrize("avx512", [True, False])
@pytest.mark.parametrize("avx2", [True, False])
def test_shingles_are_those_of_the_definition(w, avx2, avx512):
    compiled.use_avx2(avx2)
    compiled.use_avx512(avx512 and avx2)
    data, offsets = packed(TEXTS)
    same(compiled.shingles(data, offsets, w, 5), readable.shingles(data, offsets, w, 5))
    assert (
        compiled.content_digests(data, offsets).tolist() == readable.content_digests(data, offsets).tolist()
    )
    compiled.use_avx2(True)
    compiled.use_avx512(True)


def test_a_document_of_many_blocks_has_the_shingles_of_its_words():
    word_list = [f"w{number * 7919 % 90_001}" for number in range(400_000)]
    data, offsets = packed([" ".join(word_list)])
    assert len(data) > 2 << 20
    values, _, words, _, _, order = compiled.shingles(data, offsets, 3)
    assert words.tolist() == [400_000]
    assert len(order) == 399_998
    assert len(values) == len({tuple(word_list[at : at + 3]) for at in range(399_998)})
    assert (np.diff(values.astype(np.object_)) > 0).all()


@pytest.mark.parametrize("avx2", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 20, 1000, 4096, 4097, 9000])
@pytest.mark.parametrize("bits", [64, 50, 20, 3])
def test_keys_that_share_their_top_bits_are_sorted_all_the_same(count, bits, avx2):
    """Super shingles of one key each, made so that only their lowest bits differ and their order is any."""
    compiled.use_avx2(avx2)
    chance = random.Random(count)
    wanted = {chance.randrange(2**bits) for _ in range(count)}
    inverse = pow(0xFF51AFD7ED558CCD, -1, 2**64)
    made = sorted(((each ^ each >> 32) * inverse % 2**64) ^ 1 for each in wanted)
    values, bounds = np.array(made, np.uint64), np.array([0, len(made)])
    moduli = np.ones((1, 1), np.uint32)
    found = compiled.super_shingles(values, bounds, moduli, 1)
    assert found[0].tolist() == sorted(wanted)
    same(found, readable.super_shingles(values, bounds, moduli, 1))
    compiled.use_avx2(True)
    compiled.use_avx512(True)


@pytest.fixture(params=["avx512", "avx2"])
def edition(request):
    """Run a test with the compiled edition named."""
    compiled.use_avx512(request.param == "avx512")
    yield request.param
    compiled.use_avx512(True)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("modulus", [1, 2, 3, 5, 6, 24, 25, 2**31])
def test_samples_are_the_multiples_and_what_the_filter_knows(modulus):
    chance = random.Random(modulus)
    values = np.array(
        sorted({chance.randrange(2**64) for _ in range(3000)} | {0, modulus, 2**64 - 1}), np.uint64
    )
    bounds = np.array([0, 1000, 1000, len(values)])
    moduli = np.array([modulus] * 3, np.uint32)
    same(compiled.samples(values, bounds, moduli), readable.samples(values, bounds, moduli))
    filters = [np.zeros(64, np.uint64), np.zeros(64, np.uint64)]
    for kernel, bits in zip((compiled, readable), filters, strict=True):
        kernel.note(bits, values[::40].copy())
    assert filters[0].tolist() == filters[1].tolist()
    found = compiled.samples(values, bounds, moduli, filters[0])
    same(found, readable.samples(values, bounds, moduli, filters[0]))
    assert set(values[::40].tolist()) <= set(found[0].tolist())


@pytest.mark.usefixtures("edition")
def test_small_sets_of_every_size_are_sampled_marked_and_counted_as_defined():
    chance = random.Random(7)
    keys = np.array(sorted(chance.randrange(2**64) for _ in range(19)), np.uint64)
    keys[::3] -= keys[::3] % np.uint64(6)
    bits = np.zeros(16, np.uint64)
    compiled.note(bits, keys[1::4].copy())
    marks = np.array([chance.getrandbits(64)], np.uint64)
    one = np.ones(1, np.uint8)
    for start in range(len(keys)):
        for end in range(start, len(keys) + 1):
            values, bounds = keys[start:end].copy(), np.array([0, end - start])
            same(*(kernel.marked(marks, values, bounds, one) for kernel in (compiled, readable)))
            same(*([kernel.held(values, bounds, keys[1::4].copy(), bits)] for kernel in (compiled, readable)))
            for modulus in (1, 2, 3, 6):
                places = [keys], np.zeros(1, np.int64), np.array([start]), np.array([end])
                by = np.array([modulus], np.uint32)
                for known in (None, bits):
                    same(*(kernel.samples_among(*places, by, known) for kernel in (compiled, readable)))


@pytest.mark.parametrize("documents", range(7))
def test_texts_of_any_sizes_have_the_digests_of_the_definition(documents):
    chance = np.random.default_rng(documents)
    for sizes in ([0, 8, 16, 7, 9, 1, 40], [40, 3, 8, 0, 0, 17, 24], [64] * 7, [1, 2, 3, 4, 5, 6, 500]):
        offsets = np.concatenate([[3], 3 + np.cumsum(sizes[:documents])]).astype(np.int64)
        data = chance.integers(0, 256, int(offsets[-1]), np.uint8)
        same(*([kernel.content_digests(data, offsets)] for kernel in (compiled, readable)))


@pytest.mark.parametrize("avx2", [True, False])
def test_every_pair_of_small_sets_is_intersected(avx2):
    compiled.use_avx2(avx2)
    sets = [list(each) for size in range(10) for each in itertools.combinations(range(9), size)]
    sets += [list(range(0, 400, 3)), list(range(0, 4000, 7)), [3999]]
    values = np.array([key for each in sets for key in each], np.uint64)
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    lefts, rights = (
        np.array(side) for side in zip(*itertools.product(range(len(sets)), repeat=2), strict=True)
    )
    same([compiled.shared(values, bounds, lefts, rights)], [readable.shared(values, bounds, lefts, rights)])
    compiled.use_avx2(True)
    compiled.use_avx512(True)


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_pieces_are_gathered_one_after_another_and_never_from_outside(kernel):
    source = np.arange(10, dtype=np.uint64)
    out = np.zeros(8, np.uint64)
    kernel.gather(source, np.array([7, 2, 4, 0]), np.array([10, 2, 6, 1]), out)
    assert out.tolist() == [7, 8, 9, 4, 5, 0, 0, 0]
    for starts, ends in (([9], [11]), ([-1], [2]), ([3], [2]), ([0], [9])):
        with pytest.raises(IndexError):
            kernel.gather(source, np.array(starts), np.array(ends), out)


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_strings_are_gathered_by_number_and_never_from_outside(kernel):
    data, ends = np.frombuffer(b"onetwothree", np.uint8), np.array([0, 3, 6, 6, 11], np.int32)
    got, bounds = kernel.gather_strings(data, ends, np.array([3, -1, 0, 2, 3]))
    assert got.tobytes() == b"threeonethree"
    assert bounds.tolist() == [0, 5, 5, 8, 8, 13]
    with pytest.raises(IndexError):
        kernel.gather_strings(data, ends, np.array([4]))
    with pytest.raises(IndexError):
        kernel.gather_strings(data[:9], ends, np.array([3]))


@pytest.mark.parametrize("seed", range(20))
def test_words_beside_what_two_documents_share_are_counted_alike(seed):
    chance = np.random.default_rng(seed)
    orders = [chance.integers(0, 9, chance.integers(0, 12)).astype(np.uint32) for _ in range(5)]
    sets = [np.unique(each).astype(np.uint64) | np.uint64(5 << 40) for each in orders]
    bounds, places = (np.cumsum([0, *map(len, each)]).astype(np.int64) for each in (sets, orders))
    words = np.array([len(each) + 3 for each in orders])
    left, right = (np.ascontiguousarray(each) for each in np.indices((5, 5)).reshape(2, -1))
    columns = (np.concatenate(sets), bounds, np.concatenate(orders), places, words, left, right)
    same(*([kernel.uncovered_by(*columns).ravel()] for kernel in (compiled, readable)))
    with pytest.raises(IndexError):
        compiled.uncovered_by(*columns[:-1], right + 3)


@pytest.mark.parametrize("avx2", [False, True])
@pytest.mark.parametrize("halves", [100, 2**32])
def test_words_beside_what_documents_with_large_sets_share_are_counted_alike(halves, avx2):
    """Sets in a table, one whose rows overflow, and sets where two keys have the same low half."""
    chance = np.random.default_rng(halves)
    pool = chance.integers(0, 2**64, 400, dtype=np.uint64)
    pool[:40] >>= np.uint64(6)  # more keys than a row of the table has places for
    pool = (pool >> np.uint64(32) << np.uint64(32)) | (pool % np.uint64(halves))
    texts = [np.repeat(chance.permutation(pool)[: 60 * size], 2)[1:] for size in range(1, 6)]
    sets = [np.unique(each) for each in texts]
    bounds, places = (np.cumsum([0, *map(len, each)]).astype(np.int64) for each in (sets, texts))
    words = np.array([len(each) + 3 for each in texts])
    left, right = (np.ascontiguousarray(each) for each in np.indices((5, 5)).reshape(2, -1))
    order = np.concatenate(texts).astype(np.uint32)
    order[::17] = 7  # boilerplate, which no set has
    columns = (np.concatenate(sets), bounds, order, places, words, left, right)
    compiled.use_avx2(avx2)
    try:
        same(*([kernel.uncovered_by(*columns).ravel()] for kernel in (compiled, readable)))
    finally:
        compiled.use_avx2(True)


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_sets_of_several_sources_are_intersected_and_never_from_outside(kernel):
    sources = [np.arange(0, 60, 2, dtype=np.uint64), np.arange(0, 60, 3, dtype=np.uint64)]
    source, starts, ends = np.array([0, 1, 1, 0]), np.array([0, 0, 5, 3]), np.array([30, 20, 5, 9])
    lefts, rights = np.array([0, 0, 3, 3]), np.array([1, 2, 1, 0])
    found = kernel.shared_among(sources, source, starts, ends, lefts, rights)
    assert found.tolist() == [10, 0, 2, 6]
    for bad in ((2, 0, 1), (-1, 0, 1), (0, 0, 31), (1, 3, 2), (0, -1, 2)):
        with pytest.raises(IndexError):
            kernel.shared_among(sources, *(np.array([each]) for each in bad), np.array([0]), np.array([0]))
    with pytest.raises(IndexError):
        kernel.shared_among(sources, source, starts, ends, np.array([4]), np.array([0]))


@pytest.mark.parametrize("avx2", [True, False])
@pytest.mark.parametrize("top", [64, 58, 50])
def test_one_set_with_many_is_the_intersection(avx2, top):
    """Sets below, at and above the sizes of a table; keys below 2^top crowd its first rows."""
    compiled.use_avx2(avx2)
    chance = random.Random(top)
    pool = [0, 2**top - 1, *(chance.randrange(2**top) for _ in range(7000))]
    counts = [0, 1, 31, 32, 33, 40, 500, 700, 1024, 2047, 2048, 4095, 4096, 4097, 6000]
    sets = [np.array(sorted(set(chance.sample(pool, count))), np.uint64) for count in counts]
    ends = np.cumsum([len(each) for each in sets])
    told = ([np.concatenate(sets)], np.zeros(len(sets), np.int64), ends - [len(each) for each in sets], ends)
    lefts, rights = (side.ravel() for side in np.indices((len(sets), len(sets))))
    found = compiled.shared_among(*told, lefts, rights)
    assert found.tolist() == readable.shared_among(*told, lefts, rights).tolist()
    compiled.use_avx2(True)
    compiled.use_avx512(True)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_super_shingles_are_those_of_the_definition(size):
    chance = random.Random(size)
    sets = [sorted({chance.randrange(2**64) // 5 * 5 for _ in range(count)}) for count in range(40)]
    sets += [sorted({chance.randrange(2**64) for _ in range(count)}) for count in (300, 2000)]
    values = np.array([key for each in sets for key in each], np.uint64)
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    for rows in ([1, 0], [1, 5], [25, 5], [5, 0], [0, 0], [25, 1]):
        moduli = np.array([rows] * len(sets), np.uint32)
        same(
            compiled.super_shingles(values, bounds, moduli, size),
            readable.super_shingles(values, bounds, moduli, size),
        )


def sets_of(chance, count):
    sets = [sorted({chance.randrange(2**64) for _ in range(chance.randrange(40))}) for _ in range(count)]
    shared = [chance.randrange(2**64) for _ in range(10)]
    sets = [sorted({*each, *chance.sample(shared, 4)}) for each in sets]
    values = np.array([key for each in sets for key in each], np.uint64)
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    return values, bounds, np.array(sorted(shared), np.uint64)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("seed", range(5))
def test_a_census_counts_cells_and_leaves_common_keys_out_as_defined(seed):
    chance = random.Random(seed)
    values, bounds, shared = sets_of(chance, 50)
    wanted = np.array([chance.random() < 0.8 for _ in range(50)], np.uint8)
    cells = [np.zeros(64, np.uint32), np.zeros(64, np.uint32)]
    for kernel, each in zip((compiled, readable), cells, strict=True):
        kernel.count(each, values, bounds, wanted)
    same(cells[:1], cells[1:])
    marks = np.packbits(cells[0] > 12, bitorder="little").view(np.uint64)
    same(*(kernel.marked(marks, values, bounds, wanted) for kernel in (compiled, readable)))
    bits = np.zeros(16, np.uint64)
    compiled.note(bits, shared)
    same(*([kernel.held(values, bounds, shared, bits)] for kernel in (compiled, readable)))
    same(*(kernel.without(values, bounds, shared, bits) for kernel in (compiled, readable)))
    assert compiled.held(values, bounds, shared, bits).tolist() == [4] * 50


def test_words_that_only_own_shingles_cover_are_counted_on_every_small_case():
    for length in range(8):
        for chosen in itertools.product((False, True), repeat=length):
            for w in (1, 2, 3):
                order = np.arange(length, dtype=np.uint32)
                own = np.flatnonzero(chosen).astype(np.uint64) | np.uint64(7 << 40)
                ends, marks = np.array([0, length]), np.array([0, len(own)])
                words = np.array([length + w - 1])
                same(
                    *(
                        [kernel.uncovered(order, ends, own, marks, words).ravel()]
                        for kernel in (compiled, readable)
                    )
                )


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_sets_of_several_sources_are_sampled_and_gathered_and_never_from_outside(kernel):
    sources = [np.arange(10, dtype=np.uint64), np.arange(20, 26, dtype=np.uint64)]
    places = np.array([1, 0, 1, 0]), np.array([0, 3, 2, 0]), np.array([2, 9, 6, 10])
    assert kernel.gather_among(sources, *places).tolist() == [
        20,
        21,
        *range(3, 9),
        *range(22, 26),
        *range(10),
    ]
    moduli = np.array([1, 5, 2, 0], np.uint32)
    bits = np.zeros(4, np.uint64)
    kernel.note(bits, np.array([7], np.uint64))
    found, ends, own = kernel.samples_among(sources, *places, moduli, bits)
    assert own.tolist()[:3] == [2, 1, 2]
    assert {20, 21, 5, 7, 22, 24} <= {*found.tolist()}
    assert ends[-1] == ends[-2] == len(found)
    for starts, stops in (([0], [7]), ([-1], [2]), ([3], [2])):
        with pytest.raises(IndexError):
            kernel.gather_among(sources, np.array([1]), np.array(starts), np.array(stops))


@pytest.mark.parametrize("bounds", [[0, 4], [-1, 3], [0, 2, 1, 3], [0, 9, 3], []])
def test_bounds_outside_of_the_values_are_refused(bounds):
    cuts, some = np.array(bounds, np.int64), np.zeros(max(len(bounds) - 1, 0), np.uint8)
    keys, known = np.arange(3, dtype=np.uint64), np.zeros(8, np.uint64)
    for call, *arguments in (
        (compiled.content_digests, np.zeros(3, np.uint8), cuts),
        (compiled.shingles, np.zeros(3, np.uint8), cuts, 2),
        (compiled.set_digests, keys, cuts),
        (compiled.samples, keys, cuts, some.astype(np.uint32) + np.uint32(1)),
        (compiled.count, np.zeros(64, np.uint32), keys, cuts, some),
        (compiled.marked, known, keys, cuts, some),
        (compiled.held, keys, cuts, keys, known),
        (compiled.without, keys, cuts, keys, known),
    ):
        with pytest.raises((IndexError, ValueError), match=r"outside of the values|ascend|no bounds"):
            call(*arguments)


def test_each_set_has_a_modulus_which_is_not_0():
    keys, bounds = np.arange(3, dtype=np.uint64), np.array([0, 1, 3])
    for moduli in ([1], [1, 0], [1, 2, 3]):
        with pytest.raises(ValueError, match="one modulus"):
            compiled.samples(keys, bounds, np.array(moduli, np.uint32))
    for call in (compiled.count, compiled.marked):
        room = np.zeros(64, np.uint32 if call is compiled.count else np.uint64)
        with pytest.raises(ValueError, match="different lengths"):
            call(room, keys, bounds, np.ones(1, np.uint8))
