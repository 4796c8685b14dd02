"""Targets for the kernels, each with its readable twin as the judge of small inputs."""

from __future__ import annotations

import os
import tempfile

import numpy as np
from join_targets import fuzz_alike, fuzz_join, fuzz_lists  # noqa: F401
from taken import SMALL, Taken, judged, same

from copysift.kernels import (
    _batch,
    _checksum,
    _codes,
    _files,
    _jsonl,
    _lex,
    _match,
    _packed,
    _postings,
    _selection,
    _shingle,
    _text,
)
from copysift.kernels.reference import (
    batch,
    checksum,
    codes,
    jsonl,
    lex,
    match,
    packed,
    postings,
    selection,
    shingle,
    text,
)
from copysift.kinds.catalog import languages
from copysift.kinds.lexemes import lengths, separators

LANGUAGES = [entry for entry in languages().entries if not entry.language.text]
TABLES = [entry.table for entry in LANGUAGES]


def edition(wanted: int) -> None:
    """Run another edition of the vector code from now on."""
    for module in (_text, _shingle):
        module.use_avx2(wanted > 0)
        module.use_avx512(wanted > 1)
    for module in (_jsonl, _selection, _batch, _checksum):
        module.use_avx2(wanted > 0)


def fuzz_text(data: bytes) -> None:
    """Canonical text, words, and whether it is UTF-8."""
    taken = Taken(data)
    edition(taken.number(2))
    final, offset, body = bool(taken.number(1)), taken.number(999), taken.rest
    names = [("unicode_block", (body, final)), ("words_block", (body, offset, final))]
    for name, arguments in names:
        ours = getattr(_text, name)(*arguments)
        if judged(body):
            same(ours, getattr(text, name)(*arguments))
    symbols, *places, used = _text.unicode_block(body, final)
    which = np.arange(len(symbols))
    starts, ends = _text.character_spans(*places, offset, which, which)
    assert not len(which) or (offset <= starts[0] and int(ends.max()) <= offset + used)
    assert (starts < ends).all()
    if judged(body):
        same((starts, ends), text.character_spans(*places, offset, which, which))
    plain = _text.plain_block(body, final)
    if plain is not None and len(plain[0]):
        _text.positions(plain[1], plain[2], offset)
    assert len(_text.sound([body, body[1:]], 64)) == 2


def fuzz_markup(data: bytes) -> None:
    """Markup that is overwritten, cut at any place."""
    taken = Taken(data)
    edition(taken.number(2))
    cut, body = taken.number(999), taken.rest
    state = 0
    first, second = body[:cut], body[cut:]
    out, *_, used, state = _text.markup_block(first, 0, state, False)
    assert len(out) <= len(first) + 8
    _text.markup_block(first[used:] + second, used, state, True)
    if judged(body):
        same(_text.markup_block(body, 0, 0, True), text.markup_block(body, 0, 0, True))


def fuzz_lex(data: bytes) -> None:
    """Every language, on any source."""
    taken = Taken(data)
    table = TABLES[taken.number(len(TABLES) - 1)]
    body = taken.rest
    symbols, starts, ends, raws = found = _lex.lex(body, *table.arrays())
    assert (starts <= ends).all()
    assert not len(ends) or int(ends.max()) <= len(body)
    _lex.strings(symbols, starts, ends, raws, 40)
    _lex.statements(
        body, symbols, starts, ends, raws, symbols[:3] if len(symbols) else np.zeros(1, np.uint32), True, 3
    )
    if judged(body):
        same(found, lex.lex(body, *table.arrays()))


def fuzz_jsonl(data: bytes) -> None:
    """Lines of JSON with two strings."""
    taken = Taken(data)
    edition(taken.number(2))
    ours = _jsonl.two_strings(taken.rest, b"id", b"text")
    theirs = jsonl.two_strings(taken.rest, b"id", b"text") if judged(taken.rest[: 4 * SMALL : 4]) else None
    if ours is not None:
        names, name_ends, texts, text_ends = ours
        assert name_ends[-1] <= len(names)
        assert text_ends[-1] <= len(texts)
        if theirs is not None:
            same(names[: name_ends[-1]].tobytes(), bytes(theirs[0])[: theirs[1][-1]])
            same(texts[: text_ends[-1]].tobytes(), bytes(theirs[2])[: theirs[3][-1]])


def fuzz_selection(data: bytes) -> None:
    """Winnowing, all orders, samples and minima, of symbols of every width."""
    taken = Taken(data)
    edition(taken.number(2))
    k, w, robust = 1 + taken.number(60), 1 + taken.number(40), bool(taken.number(1))
    inner, modulus, skip = taken.number(k), 1 + taken.number(9), 1 + taken.number(3)
    symbols = taken.array((np.uint8, np.uint32, np.uint64)[taken.number(2)])
    small = judged(symbols.tobytes())
    calls = [
        ("hashes", (symbols, k, 7)), ("winnow", (symbols, k, w, 7, robust, inner if inner < k else 0)),
        ("sample", (symbols, k, modulus, 7, skip)), ("minima", (symbols.astype(np.uint64), w, robust)),
    ]  # fmt: skip
    for name, arguments in calls:
        ours = getattr(_selection, name)(*arguments)
        if small:
            same(ours, getattr(selection, name)(*arguments))


def fuzz_batch(data: bytes) -> None:
    """Many texts at once."""
    taken = Taken(data)
    edition(taken.number(2))
    k, w, cut = 1 + taken.number(40), 1 + taken.number(30), taken.number(999)
    body = taken.rest
    sources = [body[:cut], body[cut:], b"", body]
    arguments = (sources, [True, False, True, False], k, w, 3)
    ours = _batch.winnow_texts(*arguments)
    if judged(body):
        same(ours, batch.winnow_texts(*arguments))


def fuzz_programs(data: bytes) -> None:
    """Many programs of any language at once, whole and in short."""
    taken = Taken(data)
    edition(taken.number(2))
    entry = LANGUAGES[taken.number(len(LANGUAGES) - 1)]
    k, w, cut, most = 1 + taken.number(12), 1 + taken.number(12), taken.number(300), taken.number(40)
    body = taken.rest
    arguments = (
        [body[:cut], body[cut:], b"", body[:cut]], entry.table.arrays(), separators(entry.language),
        entry.language.lines, 3, 40, k, w, 3, True, 0,
    )  # fmt: skip
    for brief in ((), (lengths(entry.language.keywords), most)):
        ours = _batch.winnow_programs(*arguments, *brief)
        if judged(body):
            same(ours, batch.winnow_programs(*arguments, *brief))


def fuzz_shingle(data: bytes) -> None:
    """Shingles of documents, and what is done with sets of them."""
    taken = Taken(data)
    edition(taken.number(2))
    w, cut = 1 + taken.number(20), taken.number(999)
    body = np.frombuffer(taken.rest, np.uint8)
    offsets = np.array([0, min(cut, len(body)), len(body)], np.int64)
    ours = _shingle.shingles(body, offsets, w, 5)
    if judged(body):
        same(ours, shingle.shingles(body, offsets, w, 5))
    values, bounds = ours[0], ours[1]
    moduli = np.array([1, 3], np.uint32)
    same(_shingle.samples(values, bounds, moduli), shingle.samples(values, bounds, moduli))
    pair = (np.array([0], np.int64), np.array([1], np.int64))
    same(_shingle.shared(values, bounds, *pair), shingle.shared(values, bounds, *pair))
    same(_shingle.content_digests(body, offsets), shingle.content_digests(body, offsets))


def fuzz_match(data: bytes) -> None:
    """Runs that two sequences share."""
    taken = Taken(data)
    k, cut, stride = 1 + taken.number(12), taken.number(999), 1 + taken.number(4)
    kind = (np.uint8, np.uint32, np.uint64)[taken.number(2)]
    both = taken.array(np.uint8).astype(kind)
    left, right = np.ascontiguousarray(both[:cut]), np.ascontiguousarray(both[cut:])
    ours = _match.tiles(left, right, k)
    for a, b, length in zip(*ours, strict=True):
        assert (left[a : a + length] == right[b : b + length]).all()
    if judged(both.tobytes()):
        same(ours, match.tiles(left, right, k))
        same(_match.seed_tiles(left, right, k, stride), match.seed_tiles(left, right, k, stride))
    else:
        _match.seed_tiles(left, right, k, stride)
    same(_match.line_starts(data), match.line_starts(data))


def fuzz_postings(data: bytes) -> None:
    """Forged pages with a true checksum: no kernel reads beyond its buffer."""
    taken = Taken(data)
    page, pages = 1 + taken.number(9), 1 + taken.number(3)
    length = taken.number(299)
    count = max(1, pages * page - taken.number(page - 1))
    pages = (count + page - 1) // page
    body = taken.rest
    begin = 16
    file = np.frombuffer(bytes(begin) + body + bytes(8), np.uint8).copy()
    end = begin + len(body)
    directory = np.zeros(pages, _postings.ENTRY)
    for number in range(pages):
        start = min(begin + number * length, end)
        stop = min(start + length, end) if number + 1 < pages else end
        key = int.from_bytes(body[number * 8 : number * 8 + 8], "little")
        crc = postings.page_crc(key, start, file[start:stop].tobytes())
        directory[number] = (key, start, crc)
    arguments = (file, begin, end, directory.view(np.uint8), page, count)
    wanted = np.unique(np.frombuffer(body[: len(body) // 8 * 8], np.uint64))
    same(_postings.unpack(*arguments, 0, pages), postings.unpack(*arguments, 0, pages))
    found = _postings.find(*arguments, wanted)
    if (directory["key"][1:] >= directory["key"][:-1]).all():  # else a look-up may miss a key
        same(found, postings.find(*arguments, wanted))


def fuzz_packed(data: bytes) -> None:
    """Forged tables and pages of formats 2 and 3 with a true checksum, and postings packed and read."""
    taken = Taken(data)
    version, page, pages = 2 + taken.number(1), 1 + taken.number(9), 1 + taken.number(3)
    low, count = taken.number(999), max(1, pages * page - taken.number(page - 1))
    pages = (count + page - 1) // page
    high, length, size = low + taken.number(255), taken.number(99), taken.number(60)
    body, begin = taken.rest, 16
    tables = np.frombuffer(body[:size] + bytes(8), np.uint8).copy()
    body = body[size:]
    file = np.frombuffer(bytes(begin) + body + bytes(8), np.uint8).copy()
    end = begin + len(body)
    directory = np.zeros(pages, _packed.ENTRY)
    for number in range(pages):
        start = min(begin + number * length, end)
        stop = min(start + length, end) if number + 1 < pages else end
        key = int.from_bytes(body[number * 8 : number * 8 + 8], "little")
        directory[number] = (key, start, postings.page_crc(key, start, file[start:stop].tobytes()))
    arguments = (file, begin, end, tables, low, high, directory.view(np.uint8), page, count, version)
    try:
        expected = packed.unpack(*arguments, 0, pages)
    except ValueError:
        expected = None
    try:
        found = _packed.unpack(*arguments, 0, pages)
    except ValueError:
        found = None
    assert (found is None) == (expected is None)
    wanted = np.unique(np.frombuffer(body[: len(body) // 8 * 8], np.uint64))
    if found is not None:
        same(found, expected)
        ours = _packed.find(*arguments, wanted)
        if (directory["key"][1:] >= directory["key"][:-1]).all():  # else a look-up may miss a key
            same(ours, packed.find(*arguments, wanted))
    _packed_and_read_again(body, page, low, version)


def _packed_and_read_again(body: bytes, page: int, low: int, version: int) -> None:
    """Pack what an input says, as both do it, and read it."""
    rows = np.frombuffer(body[: len(body) // 6 * 6], np.uint16).reshape(-1, 3)
    if not len(rows):
        return
    keys = (rows[:, 0].astype(np.uint64) // 8) << np.uint64(len(body) % 50)
    documents = low + rows[:, 1].astype(np.uint32) % 40 * (1 + 5000 * (len(body) % 2))
    starts = rows[:, 1].astype(np.uint32) ** (1 + len(body) % 2)
    order = np.lexsort((starts, documents, keys))
    columns = tuple(
        np.ascontiguousarray(each[order], kind)
        for each, kind in zip(
            (keys, documents, starts, rows[:, 2]), (np.uint64, np.uint32, np.uint32, np.uint32), strict=True
        )
    )
    made = _packed.pack(*columns, page, 16, version)
    same(made, packed.pack(*columns, page, 16, version))
    pages, tables, directory = made
    file = np.concatenate([np.zeros(16, np.uint8), pages, np.zeros(8, np.uint8)])
    again = _packed.unpack(
        file, 16, 16 + len(pages), np.concatenate([tables, np.zeros(8, np.uint8)]), int(columns[1].min()),
        int(columns[1].max()), directory.view(np.uint8), page, len(keys), version, 0, len(directory),
    )  # fmt: skip
    same(again[:4], columns)
    assert not len(again[4])


def fuzz_checksum(data: bytes) -> None:
    """Checksums of many pieces."""
    taken = Taken(data)
    edition(taken.number(2))
    cut, size = taken.number(999), 1 + taken.number(31)
    pieces = [taken.rest[:cut], taken.rest[cut:], b"", taken.rest]
    same(_checksum.checksums(pieces, size), checksum.checksums(pieces, size))


def fuzz_codes(data: bytes) -> None:
    """Shingles of documents by the numbers of their words, some of which no list of words has."""
    taken = Taken(data)
    _codes.use_avx2(bool(taken.number(1)))
    w, words, kind = 1 + taken.number(5), taken.number(40), (np.uint16, np.uint32)[taken.number(1)]
    edges = taken.array(np.uint8, 2 * taken.number(6)).astype(np.int64) - 1
    starts, ends = edges[: len(edges) // 2], edges[len(edges) // 2 : len(edges) // 2 * 2]
    body = np.frombuffer(taken.rest, np.uint8)
    numbers = np.where(body == 255, 1 << 15, body % 50).astype(kind)
    asked = numbers, np.arange(words, dtype=np.uint64) * 0x9E3779B97F4A7C15, starts, ends, w
    for name in ("sets", "in_order"):
        found = []
        for module in (_codes, codes):
            try:
                found.append(getattr(module, name)(*asked))
            except IndexError:
                found.append(None)
        if found[0] is None:
            assert found[1] is None
        else:
            same(found[0], found[1])


_FOLDER = tempfile.mkdtemp(prefix="copysift-fuzz-")


def fuzz_files(data: bytes) -> None:
    """Files that are read together, some of them missing or too large."""
    taken = Taken(data)
    most = taken.number(999)
    path = os.path.join(_FOLDER, "file").encode()  # noqa: PTH118
    with open(path, "wb") as file:
        file.write(taken.rest)
    found = _files.read_files(
        [path, path + b"-none", _FOLDER.encode(), path], [True, False, True, False], most
    )
    assert [each is None for each in found] == [len(taken.rest) > most, True, True, len(taken.rest) > most]
    if found[0] is not None:
        assert found[0][0] == taken.rest


KERNELS = {
    name.removeprefix("fuzz_"): function
    for name, function in sorted(globals().items())
    if name.startswith("fuzz_")
}
