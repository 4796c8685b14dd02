"""Segments of a file give every line once, wherever it is cut and however little is read at a time."""

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'copysift[spark]'")

from copysift.engines.spark.sources import Lines, Segment


def read(place, start, end, room):
    stream = Lines(Segment(str(place), "jsonl", start, end))
    held, buffer = b"", bytearray(room)
    while got := stream.readinto(memoryview(buffer)):
        held += buffer[:got]
    stream.close()
    return held


@pytest.mark.parametrize("data", [b"one\ntwo\n\nthree\n", b"one\ntwo, which is longer\nx", b"\n\n", b"alone"])
@pytest.mark.parametrize("room", [1, 3, 100])
def test_every_line_is_in_the_segment_where_it_begins(tmp_path, data, room):
    place = tmp_path / "lines"
    place.write_bytes(data)
    begins = [0, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n") and at + 1 < len(data))]
    lines = data.splitlines(keepends=True)
    for start in range(len(data) + 1):
        for end in range(start, len(data) + 1):
            wanted = b"".join(line for at, line in zip(begins, lines, strict=True) if start <= at < end)
            assert read(place, start, end, room) == wanted, (start, end)
