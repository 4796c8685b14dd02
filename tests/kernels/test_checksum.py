"""Compiled checksums equal those of the standard library, in every edition."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kernels import _checksum as compiled
from copysift.kernels.reference import checksum as reference


@pytest.fixture(params=["avx2", "portable"], scope="module")
def edition(request):
    if request.param == "avx2" and not compiled.has_avx2():
        pytest.skip("this processor has no AVX2")
    compiled.use_avx2(request.param == "avx2")
    yield compiled
    compiled.use_avx2(True)


def test_every_length_around_the_blocks(edition):
    data = random.Random(1).randbytes(600)
    pieces = [data[:size] for size in range(600)]
    assert edition.checksums(pieces, 16) == reference.checksums(pieces, 16)
    for piece in pieces[::37]:
        assert edition.checksums([piece], 20) == reference.checksums([piece], 20)


@pytest.mark.parametrize("size", [1, 6, 8, 16, 33, 64])
def test_every_size_of_digest(edition, size):
    pieces = [b"", b"abc", bytes(128), bytes(129), b"x" * 1000]
    assert edition.checksums(pieces, size) == reference.checksums(pieces, size)


@given(st.lists(st.integers(0, 700), max_size=13), st.integers(0, 2**32))
def test_strings_of_any_lengths_side_by_side(edition, sizes, seed):
    chosen = random.Random(seed)
    pieces = [chosen.randbytes(size) for size in sizes]
    assert edition.checksums(pieces, 16) == reference.checksums(pieces, 16)


def test_what_is_no_bytes_or_no_digest_is_refused(edition):
    with pytest.raises(TypeError):
        edition.checksums(["text"], 16)
    with pytest.raises(ValueError, match="1 to 64"):
        edition.checksums([b""], 0)
    with pytest.raises(ValueError, match="1 to 64"):
        edition.checksums([b""], 65)
