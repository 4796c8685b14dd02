"""Many texts at once give what each gives alone, as the readable twin defines it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift import kernels
from copysift.kernels import _batch as compiled
from copysift.kernels.reference import batch as reference
from tests import strategies

PIECES = [
    b"a", b"b", b"Z9", b" ", b"<b>", b"<p>", b"</p>", b"<!--", b"-->", b"&amp;", b"&eacute", b"&#x41;",
    b"<script>", b"</script>", "é".encode(), "中".encode(), "\u1100\u1161".encode(), b"\xff", b"\0",
    b"some plain words, ",
]  # fmt: skip


@pytest.fixture(params=["avx2", "vector", "portable"])
def edition(request):
    if not {"avx2": compiled.has_avx2(), "vector": compiled.has_vector()}.get(request.param, True):
        pytest.skip(f"this processor has no {request.param}")
    compiled.use_avx2(request.param == "avx2")
    if request.param == "vector":
        compiled.use_vector(True)
    yield request.param
    compiled.use_avx2(True)


def agree(texts, marked, *rule):
    ours, twin = compiled.winnow_texts(texts, marked, *rule), reference.winnow_texts(texts, marked, *rule)
    assert [each.tolist() for each in ours] == [each.tolist() for each in twin], (texts, marked, rule)


def test_every_small_text_equals_the_twin(edition):
    letters = [b"a", b"B", b"<", b">", "é".encode(), b"&"]
    texts = [b"".join(each) for length in range(5) for each in itertools.product(letters, repeat=length)]
    for marked, robust in itertools.product((False, True), (False, True)):
        agree(texts, [marked] * len(texts), 2, 2, 7, robust)


@given(
    st.lists(st.tuples(st.lists(st.sampled_from(PIECES), max_size=60), st.booleans()), max_size=5),
    st.integers(1, 12),
    st.integers(1, 12),
    strategies.seeds,
    st.booleans(),
)
def test_random_texts_equal_the_twin(sources, k, w, seed, robust):
    texts, marked = [b"".join(pieces) for pieces, _ in sources], [html for _, html in sources]
    for wanted in (True, False):
        compiled.use_avx2(wanted)
        agree(texts, marked, k, w, seed, robust)
        if k >= 5:
            agree(texts, marked, k, w, seed, True, 4)
    compiled.use_avx2(True)


def test_a_long_text_after_a_short_one_and_a_wide_one_is_what_it_is_alone(edition):
    rng = np.random.default_rng(5)
    long = rng.integers(97, 101, 60_000, np.uint8).tobytes()
    texts = [b"short", "wide é ".encode() * 5000, long, b"", long[:20_000], b"<p>" + long + "é".encode()]
    marked = [False, False, False, True, True, True]
    hashes, bounds = compiled.winnow_texts(texts, marked, 25, 26)
    for number, (text, html) in enumerate(zip(texts, marked, strict=True)):
        source = kernels.text.markup_block(text, 0, 0, True)[0] if html else text
        symbols = kernels.text.unicode_block(source, 0, True)[0]
        alone = kernels.selection.winnow(symbols, 25, 26)[1]
        assert hashes[bounds[number] : bounds[number + 1]].tolist() == alone.tolist()


def test_no_texts_have_no_hashes():
    hashes, bounds = compiled.winnow_texts([], [], 5, 5)
    assert (hashes.tolist(), bounds.tolist()) == ([], [0])


def test_what_is_no_bytes_is_refused():
    with pytest.raises(TypeError):
        compiled.winnow_texts([bytearray(b"abc")], [False], 5, 5)
