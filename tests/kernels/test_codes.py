"""Documents by the numbers of their words have the shingles of their texts, in every edition."""

import itertools

import numpy as np
import pytest

from copysift.kernels import _codes as compiled
from copysift.kernels import _shingle as compiled_shingle
from copysift.kernels.reference import codes as readable
from copysift.kernels.reference import shingle as readable_shingle
from tests.kernels.test_shingle import TEXTS, packed, same

WORDS = np.array([0, 7, 2**64 - 1], np.uint64)


@pytest.fixture(params=[True, False])
def avx2(request):
    """Run a test with and without vectors."""
    compiled.use_avx2(request.param)
    compiled_shingle.use_avx2(request.param)
    yield request.param
    compiled.use_avx2(True)
    compiled_shingle.use_avx2(True)
    compiled_shingle.use_avx512(True)


@pytest.mark.usefixtures("avx2")
@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
@pytest.mark.parametrize("w", [1, 2, 3])
def test_all_sequences_of_three_words_have_the_shingles_of_the_definition(w, kind):
    every = [each for length in range(6) for each in itertools.product(range(3), repeat=length)]
    numbers = np.array([number for each in every for number in each], kind)
    ends = np.cumsum([len(each) for each in every])
    starts = ends - [len(each) for each in every]
    for name in ("sets", "in_order"):
        found, defined = (
            getattr(kernel, name)(numbers, WORDS, starts, ends, w) for kernel in (compiled, readable)
        )
        same(found, defined)


@pytest.mark.parametrize("kernel", [compiled, readable])
@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
@pytest.mark.parametrize(
    ("numbers", "starts", "ends"), [([0, 1, 3], [0], [3]), ([0, 1], [0], [3]), ([0, 1], [1], [0])]
)
def test_a_word_that_is_not_there_is_refused(kernel, kind, numbers, starts, ends):
    for ask in (kernel.sets, kernel.in_order):
        with pytest.raises(IndexError):
            ask(np.array(numbers, kind), WORDS, np.array(starts), np.array(ends), 2)


@pytest.mark.usefixtures("avx2")
@pytest.mark.parametrize("w", [1, 3, 10])
def test_encoded_documents_have_the_words_and_shingles_of_the_definition(w):
    data, offsets = packed(TEXTS)
    found = compiled_shingle.coded_shingles(data, offsets, w)
    same(found, readable_shingle.coded_shingles(data, offsets, w))
    values, bounds, counts, _, _, words, numbers = found
    assert numbers.dtype == np.uint16
    ends = np.cumsum(counts)
    same(compiled.sets(numbers, words, ends - counts, ends, w), (values, bounds))
    order = compiled_shingle.shingles(data, offsets, w)[5]
    assert (
        compiled.in_order(numbers, words, ends - counts, ends, w)[0].astype(np.uint32).tolist()
        == order.tolist()
    )


def test_more_words_than_16_bits_can_number_get_32():
    text = " ".join(f"w{number * 7919 % 70_001}" for number in range(90_000))
    for count, kind in ((1 << 16, np.uint16), (1 << 16 | 1, np.uint32)):
        data, offsets = packed([" ".join(text.split()[:count])])
        values, bounds, counts, _, _, words, numbers = compiled_shingle.coded_shingles(data, offsets, 3)
        assert numbers.dtype == kind
        assert len(words) == count == counts[0]
        same(compiled.sets(numbers, words, np.zeros(1, np.int64), counts, 3), (values, bounds))
