"""Every canonicaliser keeps the same promises: chunks, positions, empty and hostile input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.errors import UsageError
from copysift.kinds import canonicaliser, positions
from copysift.kinds import canonicaliser as make
from copysift.kinds.kind import stream
from copysift.runtime import registry

ALL = sorted(registry.names(registry.KINDS))
PIECES = [
    "a", "Zx", "9", "_", " ", "\n", "\x7f", "é", "e\u0301", "ß", "中文", "がか\u3099", "각", "“",
    "\u1100\u1161\u11a8", "😀", "≠", "Σίσυφος", "plain words of ASCII, one after the other; ", "<b>", "</b>",
    "<p>", "<!-- x > -->", "&eacute;", "&amp;", "&nGt;", "&#233", "<script>if (a<b) x</script>",
    "<title>t</title>", "<a href='>'>", "<", "&",
]  # fmt: skip
documents = st.lists(st.sampled_from(PIECES), max_size=40).map("".join).map(str.encode)


def columns(blocks):
    parts = [(block.symbols.astype(np.uint64), block.starts, block.ends) for block in blocks]
    return [np.concatenate(column).tolist() for column in zip(*parts, strict=True)] if parts else [[], [], []]


def cut(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 70 bytes, just above what HTML may hold back, so that small documents have many."""
    monkeypatch.setattr(stream, "__defaults__", (70, False))


@pytest.mark.parametrize("kind", ALL)
@given(data=documents, places=st.lists(st.integers(0, 10**6), max_size=8), damage=st.binary(max_size=3))
@settings(max_examples=120)
def test_blocks_do_not_depend_on_how_the_document_is_cut(kind, data, places, damage):
    data = data[: len(data) // 2] + damage + data[len(data) // 2 :]
    whole = columns([make(kind).whole(data)])
    assert columns(make(kind).blocks(cut(data, places))) == whole


@pytest.mark.parametrize("kind", ["bytes", "html", "text"])  # a word may be longer than a small block
def test_blocks_join_seamlessly_where_the_document_has_many(kind, small_blocks):
    for shift in range(0, 70, 3):
        data = b"." * shift + "".join(PIECES[:-2] * 4).encode()
        whole = columns([make(kind).whole(data)])
        assert columns(make(kind).blocks([data])) == whole
        assert columns(make(kind).blocks(data[i : i + 1] for i in range(len(data)))) == whole


@pytest.mark.parametrize("kind", ALL)
def test_a_document_of_many_blocks_equals_the_whole(kind):
    data = ("".join(PIECES[:-2]) * 2000 + "x" * 200_000 + "é" * 100_000).encode()
    whole = columns([make(kind).whole(data)])
    assert columns(make(kind).blocks([data])) == whole
    assert columns(make(kind).blocks([data[i : i + 9999] for i in range(0, len(data), 9999)])) == whole


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("data", [b"", b"a", b"\x00", b"\xff", b".", b"\xe4\xb8"])
def test_documents_of_no_or_few_bytes_are_fine(kind, data):
    found = make(kind).whole(data)
    assert len(found.symbols) == len(found.starts) == len(found.ends) <= len(data)
    blocks = list(make(kind).blocks([data]))
    assert all(len(block.symbols) for block in blocks)
    assert columns(blocks) == columns([found])
    assert list(make(kind).blocks([])) == []


@pytest.mark.parametrize("kind", ALL)
@given(data=documents, damage=st.binary(max_size=4), ends=st.tuples(st.integers(0, 999), st.integers(0, 999)))
def test_the_source_of_a_run_of_symbols_gives_that_run_again(kind, data, damage, ends):
    if "title" in data.decode() and kind.startswith("html"):
        data = data.replace(b"title", b"p")  # a run inside a title: a named exception
    if kind.startswith("html"):
        data = data.replace(b"script", b"style")
    data += damage
    found = make(kind).whole(data)
    if not len(found.symbols):
        return
    first, last = sorted(end % len(found.symbols) for end in ends)
    # One character folded to several symbols gives all of them: a named exception, so take them all.
    while first and found.starts[first - 1] == found.starts[first]:
        first -= 1
    while last + 1 < len(found.symbols) and found.starts[last + 1] == found.starts[last]:
        last += 1
    start, end = (part[0] for part in found.positions.spans(np.array([first]), np.array([last])))
    again = make(kind).whole(data[start:end])
    assert again.symbols.tolist() == found.symbols[first : last + 1].tolist()


@pytest.mark.parametrize("kind", ALL)
@given(data=documents)
def test_spans_of_runs_are_the_starts_and_ends_of_their_symbols(kind, data):
    found = make(kind).whole(data)
    count = len(found.symbols)
    first, last = np.arange(count), np.minimum(np.arange(count) + 3, count - 1)
    starts, ends = found.positions.spans(first, last)
    assert starts.dtype == ends.dtype == found.starts.dtype == np.uint32
    assert np.array_equal(starts, found.starts[first])
    assert np.array_equal(ends, found.ends[last])
    assert np.all(found.starts[1:] >= found.starts[:-1])
    assert np.all(found.starts < found.ends)
    assert not count or found.ends[-1] <= len(data)


@pytest.mark.parametrize("kind", ALL)
def test_a_large_document_streams_in_bounded_memory(kind):
    import tracemalloc

    chunks = (b"a" * 100_000 for _ in range(300))
    tracemalloc.start()
    count = sum(len(block.symbols) for block in make(kind).blocks(chunks))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000
    cut = kind.endswith("words") or kind == "executable"
    assert count == (-(-30_000_000 // 65536) if cut else 30_000_000)


def test_an_unclosed_comment_streams_in_bounded_memory():
    import tracemalloc

    chunks = itertools.chain([b"<p>shown<!-- "], (b"> hidden " * 10_000 for _ in range(300)))
    tracemalloc.start()
    found = list(make("html").blocks(chunks))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert bytes(found[0].symbols) == b"shown"
    assert len(found) == 1
    assert peak < 8_000_000


@pytest.mark.parametrize("kind", ALL)
@given(data=documents)
@settings(max_examples=20)
def test_offsets_beyond_32_bits_count_on(kind, data):
    data = (data + b" ") * (5000 // (len(data) + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "__defaults__", (1000, False))
        expected = columns(make(kind).blocks([data]))
        patch.setattr(positions, "NARROW", 2500)
        found = list(make(kind).blocks([data]))
    assert columns(found) == expected


def test_the_last_byte_of_over_4_gib_has_its_offset():
    last = None
    for block in make("bytes").blocks(bytes(64 << 20) for _ in range(65)):
        last = block
    assert last.ends[-1:].tolist() == [65 * (64 << 20)]


def test_an_unknown_kind_is_refused_with_the_kinds_there_are():
    with pytest.raises(UsageError, match="kinds: text, words, code, html, html-words, bytes"):
        canonicaliser("poetry")
