"""Compiled pages of packed postings equal their readable twin."""

from __future__ import annotations

import itertools
import struct
import tempfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kernels import _packed as compiled
from copysift.kernels.reference import packed as reference
from copysift.kernels.reference import places

KEYS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 6),
    st.integers(0, 2**44 - 1).map(lambda value: value << 20),
    st.sampled_from([0, 2**64 - 1, 2**63, 2**57, 2**56, 2**56 - 1]),
)
NUMBERS = st.one_of(st.integers(0, 9), st.integers(0, 9000), st.integers(0, 2**32 - 1))
ROWS = st.lists(st.tuples(KEYS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=60).map(sorted)
SPARE = np.zeros(8, np.uint8)
FORMATS = st.sampled_from([2, 3])


def columns(rows):
    kinds = (np.uint64, np.uint32, np.uint32, np.uint32)
    return [np.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)]


def filed(rows, page, version=3):
    """Give the arguments of a file with these postings, as both editions take them."""
    packed, tables, directory = compiled.pack(*columns(rows), page, 64, version)
    data = np.concatenate([np.full(64, 7, np.uint8), packed, SPARE])
    contents = [row[1] for row in rows]
    extent = (np.concatenate([tables, SPARE]), min(contents), max(contents))
    return data, 64, 64 + len(packed), *extent, directory.view(np.uint8), page, len(rows), version


def same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        assert mine.tolist() == other.tolist()


def listed(found):
    return list(zip(*(column.tolist() for column in found[:4]), strict=True))


def both_pack(rows, page, version=3):
    ours, theirs = (kernel.pack(*columns(rows), page, 64, version) for kernel in (compiled, reference))
    assert [part.tobytes() for part in ours] == [part.tobytes() for part in theirs]


@given(ROWS, st.integers(1, 9), FORMATS)
def test_pages_are_packed_to_the_same_bytes_and_unpacked_to_the_same_postings(rows, page, version):
    both_pack(rows, page, version)
    arguments = filed(rows, page, version)
    found = compiled.unpack(*arguments, 0, 10**6)
    same(found, reference.unpack(*arguments, 0, 10**6))
    assert listed(found) == rows
    same(compiled.unpack(*arguments, 1, 3), reference.unpack(*arguments, 1, 3))


def test_every_small_file_is_packed_to_the_same_bytes_and_found_again():
    kinds = [(key, content, start, 3 + start % 2) for key in (0, 4) for content in (5, 7) for start in (0, 9)]
    for size in range(1, 5):
        for rows in itertools.combinations_with_replacement(kinds, size):
            for page, version in itertools.product((1, 3), (2, 3)):
                both_pack(rows, page, version)
                arguments = filed(rows, page, version)
                assert listed(compiled.unpack(*arguments, 0, 9)) == list(rows)
                wanted = np.array([0, 2, 4, 9], np.uint64)
                found = compiled.find(*arguments, wanted)
                same(found, reference.find(*arguments, wanted))
                assert listed(found) == [(row[0] // 2, *row[1:]) for row in rows]


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 66, 127, 128, 129, 130, 193])
@pytest.mark.parametrize("edition", [True, False])
@pytest.mark.parametrize("version", [2, 3])
def test_pages_of_any_size_with_any_marks_are_the_same_in_both_editions(count, edition, version):
    random = np.random.default_rng(count)
    compiled.use_avx2(edition)
    try:
        for share in (0, 0.1, 0.5, 1):
            keys = np.cumsum(np.where(random.random(count) < share, random.integers(1, 2**34, count), 0))
            rest = zip(*(random.integers(0, top, count).tolist() for top in (40, 9000, 60)), strict=True)
            rows = sorted((key << 20, *each) for key, each in zip(keys.tolist(), rest, strict=True))
            both_pack(rows, 128, version)
            arguments = filed(rows, 128, version)
            assert listed(compiled.unpack(*arguments, 0, 9)) == rows
            same(compiled.unpack(*arguments, 0, 9), reference.unpack(*arguments, 0, 9))
    finally:
        compiled.use_avx2(True)


def test_a_start_of_every_size_comes_back():
    edges = [room + more for room in places.CLASSES for more in (-1, 0)]
    for contents in (1, 3):
        rows = sorted(
            (number << 20, number % contents, min(start, 2**32 - 1), 25)
            for number, start in enumerate(edges[: len(edges) if contents > 1 else 100])
        )
        assert listed(compiled.unpack(*filed(rows, 7), 0, 10**6)) == rows
    for start in edges:
        rows = [(1, 8, 0, 1), (1, 9, min(start, 2**32 - 1), 1)]
        both_pack(rows, 7)
        assert listed(compiled.unpack(*filed(rows, 7), 0, 9)) == rows


@given(ROWS, st.integers(1, 9), st.lists(KEYS, max_size=8), FORMATS)
def test_a_look_up_gives_every_posting_of_a_key_and_nothing_else(rows, page, more, version):
    wanted = np.unique(np.array([row[0] for row in rows[::2]] + more, np.uint64))
    arguments = filed(rows, page, version)
    found = compiled.find(*arguments, wanted)
    same(found, reference.find(*arguments, wanted))
    assert listed(found) == [
        (number, *row[1:]) for number, key in enumerate(wanted.tolist()) for row in rows if row[0] == key
    ]


@given(ROWS, st.integers(1, 9), st.lists(KEYS, max_size=8), st.integers(0, 500), FORMATS)
def test_a_look_up_in_a_file_is_that_in_memory_and_one_that_is_cut_short_is_damaged(
    rows, page, more, cut, version
):
    wanted = np.unique(np.array([row[0] for row in rows[::2]] + more, np.uint64))
    data, *shape = filed(rows, page, version)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data.tobytes())
        for kernel in (compiled, reference):
            same(kernel.find_in(file.fileno(), *shape, wanted), compiled.find(data, *shape, wanted))
        file.truncate(min(cut, len(data)))
        ours, theirs = (kernel.find_in(file.fileno(), *shape, wanted) for kernel in (compiled, reference))
        same(ours, theirs)
        if cut < shape[1] and wanted[-1] >= rows[-1][0]:
            assert len(ours[4])


@given(ROWS, st.integers(1, 9), st.data(), FORMATS)
def test_a_changed_byte_is_noticed_by_whoever_reads_it_and_spoils_its_page_only(rows, page, data, version):
    bytes_, begin, end, tables, low, high, directory, *rest = filed(rows, page, version)
    whole = np.concatenate([bytes_[begin:end], directory])
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    bytes_[begin:end], directory = whole[: end - begin], np.ascontiguousarray(whole[end - begin :])
    arguments = (bytes_, begin, end, tables, low, high, directory, *rest)
    found = compiled.unpack(*arguments, 0, 10**6)
    same(found, reference.unpack(*arguments, 0, 10**6))
    assert 1 <= len(found[4]) <= 2  # the page, or the one before when an offset was hit
    assert set(listed(found)) <= set(rows)
    wanted = np.unique(np.array([row[0] for row in rows], np.uint64))
    ours = compiled.find(*arguments, wanted)
    keys = np.frombuffer(directory.tobytes(), reference.ENTRY)["key"]
    if (keys[1:] >= keys[:-1]).all():  # else the two may look for a key in different pages
        same(ours, reference.find(*arguments, wanted))
        assert len(ours[4]) >= 1
    assert {(wanted[w].item(), d) for w, d in zip(ours[0], ours[1], strict=True)} <= {row[:2] for row in rows}


def forged(arguments, page, change):
    """Change a page and its place in the directory, and give it the checksum that it has then."""
    data, begin, end, tables, low, high, directory, *rest = arguments
    data, entries = data.copy(), directory.copy().view(compiled.ENTRY)
    change(data, entries)
    after = int(entries["offset"][page + 1]) if page + 1 < len(entries) else end
    start = int(entries["offset"][page])
    stamped = entries[page : page + 1].tobytes()[:12] + data[start:after].tobytes()
    entries["crc"][page] = zlib.crc32(stamped)
    return data, begin, end, tables, low, high, entries.view(np.uint8), *rest


@pytest.mark.parametrize("page", [0, 1, 2])
@pytest.mark.parametrize(("version", "at"), [*((2, at) for at in range(12)), *((3, at) for at in range(12))])
def test_a_page_with_an_impossible_head_or_mark_and_a_true_checksum_is_the_same_to_both(page, at, version):
    rows = [((number + 1) // 2 << 40, number % 5, 10 * number, 25 + number % 3) for number in range(12)]
    arguments = filed(rows, 5, version)
    wanted = np.array(sorted({row[0] for row in rows}), np.uint64)
    refused = 0
    for value in range(0, 256, 3):

        def change(data, entries, value=value):
            data[int(entries["offset"][page]) + at] = value

        made = forged(arguments, page, change)
        same(compiled.unpack(*made, 0, 9), reference.unpack(*made, 0, 9))
        found = compiled.find(*made, wanted)
        same(found, reference.find(*made, wanted))
        refused += page in found[4].tolist()
    if at < 4:  # new keys and widths
        assert refused >= (84 if version == 2 else 70)


@given(ROWS.filter(lambda rows: len(rows) > 6), st.integers(1, 4), st.data(), FORMATS)
def test_any_forged_page_gives_the_same_from_both_editions(rows, size, data, version):
    arguments = filed(rows, size, version)
    entries = arguments[6].view(compiled.ENTRY)
    page = data.draw(st.integers(0, len(entries) - 1))
    start = int(entries["offset"][page])
    after = int(entries["offset"][page + 1]) if page + 1 < len(entries) else arguments[2]
    at = data.draw(st.integers(start, after - 1))
    value = data.draw(st.integers(0, 255))

    def change(raw, entries):
        raw[at] = value

    made = forged(arguments, page, change)
    same(compiled.unpack(*made, 0, 99), reference.unpack(*made, 0, 99))
    wanted = np.unique(np.array([row[0] for row in rows], np.uint64))
    same(compiled.find(*made, wanted), reference.find(*made, wanted))


@given(ROWS, st.integers(1, 9), st.data(), FORMATS)
def test_any_forged_tables_are_refused_by_both_editions_or_give_the_same(rows, size, data, version):
    arguments = list(filed(rows, size, version))
    tables = arguments[3].copy()
    for _ in range(data.draw(st.integers(1, 3))):
        tables[data.draw(st.integers(0, len(tables) - 9))] = data.draw(st.integers(0, 255))
    arguments[3] = tables[: data.draw(st.sampled_from([len(tables), len(tables) - 1]))]
    wanted = np.unique(np.array([row[0] for row in rows], np.uint64))
    outcomes = []
    for kernel in (compiled, reference):
        try:
            outcomes.append([*kernel.unpack(*arguments, 0, 99), *kernel.find(*arguments, wanted)])
        except ValueError as error:
            outcomes.append(str(error))
    if isinstance(outcomes[0], str):
        assert outcomes[0] == outcomes[1]
    else:
        same(*outcomes)


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("version", [2, 3])
def test_keys_beyond_64_bits_are_damage(repeats, version):
    rows = [(number // repeats << 40, 1, number, 25) for number in range(12)]

    def change(raw, entries):
        entries["key"][-1] = 2**64 - 2**40

    made = forged(filed(rows, 5 if repeats == 1 else 4, version), 2, change)
    found = compiled.unpack(*made, 0, 9)
    same(found, reference.unpack(*made, 0, 9))
    assert found[4].tolist() == [2]


def test_a_content_beyond_the_last_one_of_the_file_is_damage():
    tables = np.frombuffer(struct.pack("<4BH2xIIIB", 0, 255, 2, 8, 1, 1, 3, 1, 2) + bytes(8), np.uint8)
    page = struct.pack("<HBBIB", 0, 0, 0, 25, 3)  # place 3: the content that is 2 after the first, start 3
    entry = np.array([(7, 0, zlib.crc32(struct.pack("<QI", 7, 0) + page))], compiled.ENTRY).view(np.uint8)
    data = np.frombuffer(page + bytes(8), np.uint8)
    for kernel in (compiled, reference):
        for last, postings in ((12, [(7, 12, 3, 25)]), (11, []), (10, [])):
            found = kernel.unpack(data, 0, len(page), tables, 10, last, entry, 9, 1, 2, 0, 1)
            assert listed(found) == postings
            assert found[4].tolist() == [0] * (not postings)


@pytest.mark.parametrize(("classes", "possible"), [((8, 12), True), ((8, 8), False), ((12, 8), False)])
def test_classes_of_tables_ascend_and_places_of_huge_ones_are_found(classes, possible):
    """Contents of no bits are all the first one: lists of any length, as nobody writes them."""
    count = 2**31 - 1
    tables = struct.pack("<4BH2xI", 0, 255, 40, 0, 2, 2 * count)
    tables += b"".join(struct.pack("<II", number, count) for number in classes)
    slots = [places.CLASSES[number] for number in classes]
    wanted = [0, 8, 2**28 * 9 + 5, 9 * count - 1, 9 * count, 9 * count + slots[1] * 2**29 + 3]
    placed = sum(place << 40 * at for at, place in enumerate(wanted)).to_bytes(5 * len(wanted), "little")
    page = struct.pack("<HBBI", 0, 0, 0, 25) + placed
    entry = np.array([(7, 0, zlib.crc32(struct.pack("<QI", 7, 0) + page))], compiled.ENTRY).view(np.uint8)
    data = np.frombuffer(page + bytes(8), np.uint8)
    table = np.frombuffer(tables + bytes(8), np.uint8)
    for kernel in (compiled, reference):
        arguments = (data, 0, len(page), table, 3, 3, entry, 9, len(wanted), 2, 0, 1)
        if not possible:
            with pytest.raises(ValueError, match="tables are impossible"):
                kernel.unpack(*arguments)
            continue
        starts = [0, 8, 5, 8, 0, 3]
        assert listed(kernel.unpack(*arguments)) == [(7, 3, start, 25) for start in starts]


@pytest.mark.parametrize("kernel", [compiled, reference])
def test_what_does_not_fit_together_is_refused(kernel):
    made = columns([(1, 2, 3, 4)])
    with pytest.raises(ValueError, match="differ in length"):
        kernel.pack(made[0], made[1][:0], made[2], made[3], 4, 64, 3)
    for version, most in ((2, 65535), (3, 256)):
        for page in (0, most + 1):
            with pytest.raises(ValueError, match=f"1 to {most} postings"):
                kernel.pack(*made, page, 64, version)
    with pytest.raises(ValueError, match="format 2 or 3"):
        kernel.pack(*made, 4, 64, 4)
    with pytest.raises(ValueError, match="no postings"):
        kernel.pack(*columns([]), 4, 64, 3)
    data, begin, end, *tables, directory, page, count, version = filed([(1, 2, 3, 4)], 4)
    with pytest.raises(ValueError, match="inside the data"):
        kernel.find(data, begin, end + 1, *tables, directory, page, count, version, made[0])
    with pytest.raises(ValueError, match="directory"):
        kernel.unpack(data, begin, end, *tables, directory, page, 9, version, 0, 1)
    with pytest.raises(ValueError, match="tables"):
        kernel.unpack(data, begin, end, SPARE, 2, 2, directory, page, count, version, 0, 1)


@pytest.mark.parametrize("count", [1, 2, 3, 255, 256])
def test_the_largest_page_has_room_for_every_new_key_and_exception(count):
    random = np.random.default_rng(count)
    for top in (1, 2**16, (2**64 - 1) // count):
        for rare in (1, 2, 9):
            keys = itertools.accumulate(random.integers(1, top, count, np.uint64, endpoint=True).tolist())
            lengths = [
                25 + (int(random.integers(0, 2**31)) if at % rare == 0 else at % 4) for at in range(count)
            ]
            rows = [
                (int(key), 7, at, length) for at, (key, length) in enumerate(zip(keys, lengths, strict=True))
            ]
            rows = sorted(rows)
            both_pack(rows, 256)
            arguments = filed(rows, 256)
            assert listed(compiled.unpack(*arguments, 0, 9)) == rows
            same(compiled.unpack(*arguments, 0, 9), reference.unpack(*arguments, 0, 9))


def test_a_long_length_among_short_ones_takes_little_room():
    rows = [(number << 40, 1, number, 25 + number % 8 + 1000 * (number == 50)) for number in range(128)]
    usual = [(*row[:3], 25 + row[2] % 8) for row in rows]
    sizes = [len(compiled.pack(*columns(each), 128, 64, 3)[0]) for each in (usual, rows)]
    assert sizes[1] - sizes[0] <= 4
    old = [len(compiled.pack(*columns(each), 128, 64, 2)[0]) for each in (usual, rows)]
    assert old[1] - old[0] > 100
