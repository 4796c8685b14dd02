"""Many texts or programs at once give what each gives alone, as the readable twin defines it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift import kernels
from copysift.kernels import _batch as compiled
from copysift.kernels.reference import batch as reference
from copysift.kinds import languages
from copysift.kinds.lexemes import lengths, separators
from tests import strategies
from tests.kernels.remembered import Remembered

twins = Remembered(reference)
PIECES = [
    b"a", b"b", b"Z9", b" ", b"<b>", b"<p>", b"</p>", b"<!--", b"-->", b"&amp;", b"&eacute", b"&#x41;",
    b"<script>", b"</script>", "é".encode(), "中".encode(), "\u1100\u1161".encode(), b"\xff", b"\0",
    b"some plain words, ",
]  # fmt: skip

TOKENS = [
    "x",
    "name",
    " ",
    "\n",
    "  ",
    "1",
    '"a b"',
    "'",
    "(",
    ")",
    "{",
    "}",
    ";",
    "= ",
    "# y\n",
    "/* */",
    "if ",
    "é",
]


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
    ours, twin = compiled.winnow_texts(texts, marked, *rule), twins.winnow_texts(texts, marked, *rule)
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
        symbols = kernels.text.unicode_block(source, True)[0]
        alone = kernels.selection.winnow(symbols, 25, 26)[1]
        assert hashes[bounds[number] : bounds[number + 1]].tolist() == alone.tolist()


def test_no_texts_have_no_hashes():
    hashes, bounds = compiled.winnow_texts([], [], 5, 5)
    assert (hashes.tolist(), bounds.tolist()) == ([], [0])


def test_what_is_no_bytes_is_refused():
    with pytest.raises(TypeError):
        compiled.winnow_texts([bytearray(b"abc")], [False], 5, 5)


def programs_agree(name, sources, *rule):
    entry = languages().find(name)
    told = entry.table.arrays(), separators(entry.language), entry.language.lines
    ours, twin = (
        [part.tolist() for each in module.winnow_programs(sources, *told, *rule) for part in each]
        for module in (compiled, twins)
    )
    assert ours == twin, (name, sources, rule)
    return ours


@pytest.mark.parametrize("name", ["python", "c", "javascript", "ruby"])
def test_all_small_programs_equal_the_twin(edition, name):
    pieces = ["x", " ", "\n", '"abc"', "(", ";", "#"]
    sources = ["".join(each).encode() for n in range(5) for each in itertools.product(pieces, repeat=n)]
    for robust in (False, True):
        programs_agree(name, sources, 1, 2, 2, 2, 7, robust)


BRIEF = ["c", "cpp", "java", "python", "javascript", "go", "sql", "lua"]


def brief_agrees(name, sources, *rule, most=0):
    """Both give the same distinct hashes, which are those of the first tokens."""
    entry = languages().find(name)
    told = entry.table.arrays(), separators(entry.language), entry.language.lines, 2, 2, *rule
    given = lengths(entry.language.keywords), most
    (ours, bounds), *rest = compiled.winnow_programs(sources, *told, True, 0, *given)
    (theirs, ends), *_ = reference.winnow_programs(sources, *told, True, 0, *given)
    assert (ours.tolist(), bounds.tolist()) == (theirs.tolist(), ends.tolist()), (name, sources, most)
    assert not any(len(values) for values, _ in rest)


@pytest.mark.parametrize("name", ["c", "java", "python"])
def test_distinct_hashes_of_all_small_programs_equal_the_twin(edition, name):
    for pieces in (
        ["x", " ", "\n", '"', "u8", "#", "1"],
        ["if", "L", "'", "/", "*", "\\", "\n"],
        ["1e", "+", ".", "-", ">", "é", "$"],
        ["#error", "#if 0", "\n#endif", "\n", " ", "x", "("],
    ):
        sources = ["".join(each).encode() for n in range(4) for each in itertools.product(pieces, repeat=n)]
        brief_agrees(name, sources, 2, 2, 7)
        brief_agrees(name, sources, 1, 1, 7, most=2)


@given(
    st.sampled_from(BRIEF),
    st.lists(st.lists(st.sampled_from([*TOKENS, "_Static_assert", "w" * 40, "->", "<<=", "0x1p-3", "\r\n"]))),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(0, 30),
)
def test_distinct_hashes_of_random_programs_equal_the_twin(name, sources, k, w, most):
    brief_agrees(name, ["".join(each).encode() for each in sources], k, w, 0, most=most)


def test_long_keywords_have_one_bit():
    assert len(lengths(("if", "w" * 40))) == 256
    assert lengths(("if", "w" * 40))[ord("w")] == 1 << 31


@given(
    st.sampled_from(["python", "c", "javascript", "ruby", "perl"]),
    st.lists(st.lists(st.sampled_from(TOKENS), max_size=60), max_size=5),
    st.integers(1, 4),
    st.integers(1, 6),
    st.integers(1, 12),
    st.integers(1, 12),
    strategies.seeds,
    st.booleans(),
)
def test_random_programs_equal_the_twin(name, sources, shortest, longest, k, w, seed, robust):
    programs = ["".join(each).encode() for each in sources]
    for wanted in (True, False):
        compiled.use_avx2(wanted)
        programs_agree(name, programs, shortest, longest, k, w, seed, robust)
        if k >= 3:
            programs_agree(name, programs, shortest, longest, k, w, seed, True, 2)
    compiled.use_avx2(True)


def test_a_program_after_one_that_ends_within_something_is_what_it_is_alone(edition):
    within = [
        b"def f(:\n        x = [1,\n", b"/* never closed", b"`${ {", b"cat <<END\nx", b"if x:\n  y\n z(", b"",
    ]  # fmt: skip
    after = b"if x:\n    y = 'text'\nelse:\n    print(f'{x} of {y}', 1.5)\n" * 200
    for name in ("python", "javascript", "ruby", "bash"):
        for first in within:
            whole = programs_agree(name, [first, after], 3, 40, 8, 5)
            alone = programs_agree(name, [after], 3, 40, 8, 5)
            for at in (0, 2, 4):
                assert whole[at][whole[at + 1][1] :] == alone[at]
        assert len(alone[0]) > 100


def test_no_programs_have_nothing():
    empty = [[], [0]]
    assert programs_agree("c", [], 3, 40, 8, 5) == empty * 3


def test_what_is_no_program_or_no_language_is_refused():
    entry = languages().find("c")
    told = entry.table.arrays(), separators(entry.language), True
    with pytest.raises(TypeError):
        compiled.winnow_programs([bytearray(b"abc")], *told, 3, 40, 8, 5)
    with pytest.raises(ValueError, match="no language table"):
        compiled.winnow_programs([b"abc"], *told, 0, 40, 8, 5)
    with pytest.raises(ValueError, match="no language table"):
        compiled.winnow_programs([b"abc"], (np.zeros(3, np.uint8), *told[0][1:]), *told[1:], 3, 40, 8, 5)
