import os
import zlib

import numpy as np
import pytest

from copysift.errors import StoreError
from copysift.store.segment import (
    FEW_FINDS,
    HEADER_BYTES,
    Columns,
    Segment,
    encode,
    hashes_of,
    keys_of,
    sorted_columns,
)


def made(n, seed=1, documents=50):
    rng = np.random.default_rng(seed)
    return sorted_columns(
        Columns(
            rng.integers(0, 2**64, n, dtype=np.uint64),
            np.sort(rng.integers(0, documents, n)).astype(np.uint32),
            rng.integers(0, 9000, n).astype(np.uint32),
            rng.integers(25, 40, n).astype(np.uint32),
        )
    )


def written(path, columns):
    path.write_bytes(b"".join(encode(columns, 7)))
    return Segment(path)


def test_a_segment_gives_back_what_was_written(tmp_path):
    columns = made(3000)
    segment = written(tmp_path / "00000007.seg", columns)
    back, damages = segment.read(0, segment.pages)
    assert not damages
    for ours, theirs in zip(back, columns, strict=True):
        assert ours.tolist() == theirs.tolist()


def test_keys_and_hashes_turn_into_each_other():
    hashes = np.array([0, 1, 2**63, 2**64 - 1, 12345], np.uint64)
    assert hashes_of(keys_of(hashes)).tolist() == hashes.tolist()


def test_postings_are_sorted_by_key_then_document_whatever_came_first():
    columns = Columns(
        np.array([5, 5, 1, 5], np.uint64), np.array([9, 2, 7, 2], np.uint32),
        np.array([1, 8, 3, 4], np.uint32), np.array([1, 1, 1, 1], np.uint32),
    )  # fmt: skip
    rows = list(zip(*(column.tolist() for column in sorted_columns(columns)), strict=True))
    assert rows == [(1, 7, 3, 1), (5, 2, 4, 1), (5, 2, 8, 1), (5, 9, 1, 1)]


def test_only_keys_within_the_bounds_count(tmp_path):
    columns = made(2000)
    path = tmp_path / "00000007.seg"
    written(path, columns)
    half = Segment(path, 2**31, 2**32)
    upper = columns.keys >= 2**63
    found, _ = half.find(np.unique(columns.keys))
    assert len(found.which) == upper.sum()
    assert len(half.between(0, 2**32)[0].keys) == upper.sum()
    middle, _ = half.between(2**31 + 2**29, 2**31 + 2**30)
    inside = (columns.keys >= (2**31 + 2**29) << 32) & (columns.keys < (2**31 + 2**30) << 32)
    assert middle.keys.tolist() == columns.keys[inside].tolist()


def test_a_segment_stays_readable_when_its_file_is_removed(tmp_path):
    columns = made(500)
    segment = written(tmp_path / "00000007.seg", columns)
    (tmp_path / "00000007.seg").unlink()
    assert len(segment.find(np.unique(columns.keys))[0].which) == 500


@pytest.mark.parametrize("size", [0, 1, HEADER_BYTES - 1, HEADER_BYTES, -1, -17, -2000])
def test_a_segment_that_is_cut_short_is_refused_by_name(tmp_path, size):
    path = tmp_path / "00000007.seg"
    written(path, made(3000))
    os.truncate(path, size if size >= 0 else path.stat().st_size + size)
    with pytest.raises(StoreError, match=r"00000007\.seg is truncated"):
        Segment(path)


def test_every_changed_byte_of_the_header_is_noticed(tmp_path):
    path = tmp_path / "00000007.seg"
    written(path, made(300))
    sound = path.read_bytes()
    for at in range(HEADER_BYTES):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 64]) + sound[at + 1 :])
        with pytest.raises(StoreError, match=r"00000007\.seg"):
            Segment(path)


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (12, 0),
        (12, 65536),
        (16, 0),
        (24, 8),
        (24, 2**63),
        (24, 65),
        (48, 0),
        (48, 2**32 - 1),
        (56, 2**32 - 1),
    ],
    ids=[
        "no page",
        "a huge page",
        "no postings",
        "directory in the header",
        "far",
        "uneven",
        "no tables",
        "huge tables",
        "padding",
    ],
)
def test_an_impossible_header_with_a_true_checksum_is_refused(tmp_path, at, value):
    path = tmp_path / "00000007.seg"
    written(path, made(300))
    data = bytearray(path.read_bytes())
    size = 8 if at in (16, 24) else 4
    data[at : at + size] = value.to_bytes(size, "little")
    data[60:64] = zlib.crc32(data[:60]).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"00000007\.seg"):
        Segment(path)


def tables_of(data):
    """Give where the tables of a segment are: from and to."""
    at, size, padding = (int.from_bytes(data[a:b], "little") for a, b in ((24, 32), (48, 52), (56, 60)))
    return at - padding - size, at - padding


def test_every_changed_byte_of_the_tables_is_noticed(tmp_path):
    path = tmp_path / "00000007.seg"
    written(path, made(300))
    sound = path.read_bytes()
    first, last = tables_of(sound)
    assert last - first >= 12
    for at in range(first, last):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 64]) + sound[at + 1 :])
        with pytest.raises(StoreError, match=r"the tables of .*00000007\.seg fail their checksum"):
            Segment(path)


@pytest.mark.parametrize(("at", "value"), [(0, 64), (1, 33), (2, 57), (3, 33), (4, 99), (8, 200)])
def test_impossible_tables_with_a_true_checksum_are_refused(tmp_path, at, value):
    path = tmp_path / "00000007.seg"
    written(path, made(300))
    data = bytearray(path.read_bytes())
    first, last = tables_of(data)
    data[first + at] = value
    data[52:56] = zlib.crc32(data[first:last]).to_bytes(4, "little")
    data[60:64] = zlib.crc32(data[:60]).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"00000007\.seg is damaged: the tables are impossible"):
        Segment(path)


def test_a_segment_under_the_name_of_another_is_refused(tmp_path):
    written(tmp_path / "00000007.seg", made(300))
    (tmp_path / "00000007.seg").rename(tmp_path / "00000008.seg")
    with pytest.raises(
        StoreError, match=r"00000008\.seg is not the file that the catalog names, but segment 7"
    ):
        Segment(tmp_path / "00000008.seg")


def test_a_damaged_page_is_named_and_the_others_answer(tmp_path):
    path = tmp_path / "00000007.seg"
    columns = made(3000)
    written(path, columns)
    data = bytearray(path.read_bytes())
    data[HEADER_BYTES + 4000] ^= 1
    path.write_bytes(data)
    segment = Segment(path)
    found, damages = segment.find(np.unique(columns.keys))
    assert len(found.which) == 3000 - 96
    assert [damage.what for damage in damages] == ["page 4 of 32 fails its checksum"]
    assert damages[0].where.endswith("00000007.seg")


def test_a_newer_format_is_refused_with_a_word_on_what_to_do(tmp_path):
    import struct
    import zlib

    path = tmp_path / "00000007.seg"
    written(path, made(300))
    data = bytearray(path.read_bytes())
    data[8:12] = struct.pack("<I", 4)
    data[60:64] = struct.pack("<I", zlib.crc32(bytes(data[:60])))
    path.write_bytes(data)
    with pytest.raises(StoreError, match="has format 4, and this copysift reads formats up to 3"):
        Segment(path)


def test_a_fingerprint_takes_less_than_eight_bytes():
    """As many as a hundred million documents' worth: keys as dense as in the whole, in one slice of it."""
    rng = np.random.default_rng(3)
    n = 200_000
    columns = Columns(
        np.sort(rng.integers(0, 2**42 // 500, n, dtype=np.uint64)) << np.uint64(22),
        rng.integers(0, 1_000_000, n).astype(np.uint32),
        rng.integers(0, 20_000, n).astype(np.uint32),
        (25 + rng.geometric(0.2, n)).astype(np.uint32),
    )
    assert sum(len(part) for part in encode(columns, 1)) / n < 7.7


@pytest.mark.parametrize("damaged", [False, True])
def test_a_segment_that_is_asked_often_answers_from_the_mapped_file_in_the_same_way(tmp_path, damaged):
    columns = made(3000)
    segment = written(tmp_path / "00000007.seg", columns)
    if damaged:
        with (tmp_path / "00000007.seg").open("r+b") as file:
            file.seek(5000)
            file.write(b"\xff" * 40)
    wanted = np.unique(columns.keys[::7])
    answers = [segment.find(wanted) for _ in range(FEW_FINDS + 1)]
    assert bool(answers[0][1]) == damaged
    assert answers[0][1] == answers[-1][1]
    for first, last in zip(answers[0][0], answers[-1][0], strict=True):
        assert first.tolist() == last.tolist()
