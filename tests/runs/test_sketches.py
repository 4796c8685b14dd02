"""Files of sketches are what was written, or a named error."""

import os

import numpy as np
import pytest

from copysift.engines.company import NAME, company_of, read_company
from copysift.errors import RunError
from copysift.join.boilerplate import Boilerplate
from copysift.runs import sketches
from copysift.runs.sets import Sets
from copysift.settings.corpus import CorpusSettings

HASHES = np.arange(9, dtype=np.uint64) * np.uint64(2**40 + 3)
KNOWN = Boilerplate(HASHES, np.arange(9))
# file: how it is written and read
FILES = {
    "common.arrow": (
        lambda folder: sketches.write_common(folder, KNOWN),
        lambda folder: sketches.read_common(folder).hashes.tolist(),
    ),
    "base.u64": (
        lambda folder: sketches.write_base(folder, KNOWN),
        lambda folder: sketches.read_base(folder).hashes.tolist(),
    ),
    "templates.u64": (
        lambda folder: sketches.write_templates(folder, HASHES),
        lambda folder: sketches.read_templates(folder).hashes.tolist(),
    ),
    "order-00000.u32": (
        lambda folder: sketches.write_arrays(folder / "order-00000.u32", [HASHES.astype(np.uint32)] * 2),
        lambda folder: sketches.read_array(folder / "order-00000.u32", np.uint32).tolist(),
    ),
    NAME: (
        lambda folder: company_of(Sets(folder), CorpusSettings(), 7),
        lambda folder: read_company(folder).earlier,
    ),
}


def damaged(path, data):
    """Put other data where a file was, as a disk does: its size and time may be the same."""
    about = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1))


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_or_a_lost_end_is_named(tmp_path, name):
    write, read = FILES[name]
    write(tmp_path)
    expected = read(tmp_path)
    data = (tmp_path / name).read_bytes()
    for bit in range(0, 8 * len(data), 37):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        damaged(tmp_path / name, changed)
        with pytest.raises(RunError, match="damaged"):
            read(tmp_path)
    for left in (0, 3, len(data) - 1, len(data) - 8):
        damaged(tmp_path / name, data[:left])
        with pytest.raises(RunError, match="damaged"):
            read(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(RunError, match="missing or damaged"):
        read(tmp_path)
    (tmp_path / name).write_bytes(data)
    assert read(tmp_path) == expected


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_in_a_checksum_is_named_and_without_it_nothing_is_compared(tmp_path, name):
    write, read = FILES[name]
    write(tmp_path)
    expected = read(tmp_path)
    beside = (tmp_path / name).with_suffix(".sum")
    os.utime(tmp_path / name, ns=(0, 0))  # as when another process reads it
    data = beside.read_bytes()
    beside.write_bytes(bytes([data[0] ^ 1, *data[1:]]))
    with pytest.raises(RunError, match="damaged"):
        read(tmp_path)
    beside.unlink()
    assert read(tmp_path) == expected


def test_what_is_compared_is_compared_once(tmp_path, monkeypatch):
    sketches.write_base(tmp_path, KNOWN)
    monkeypatch.setattr("zlib.crc32", lambda *_: pytest.fail("compared again"))
    assert sketches.read_base(tmp_path).hashes.tolist() == HASHES.tolist()
