"""A flipped bit in a table of a run is harmless or a named error: never another answer, never a traceback."""

import random
import re
import shutil
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import copysift
from copysift.errors import CopysiftError, RunError
from copysift.runs import checksums
from copysift.runs.run_browser import RunBrowser
from copysift.runs.scan_run import TABLES, open_run
from copysift.runs.tables import cluster_of, collapse, members

WORDS = [f"word{number}" for number in range(2000)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flips")
    rows = []
    for number in range(60):
        start = number // 3 * 90
        words = WORDS[start : start + 80 - number % 3]
        rows.append((f"essay {number}", " ".join(words)))
    copysift.cluster(rows, run=folder / "run", threshold=0.3)
    return folder / "run"


def answers(path):
    """Ask a run by every way that reads its tables; an answer for each."""
    opened = copysift.Run(path)
    found = []
    for ask in (
        lambda: [(each.left, each.right, each.resemblance) for each in opened.pairs],
        lambda: [each.members for each in opened.clusters],
        lambda: [opened.to_arrow(table).to_pylist() for table in ("pairs", "documents", "clusters")],
        lambda: members(path),
        lambda: [cluster_of(path, f"essay {number}") for number in range(0, 60, 7)],
        lambda: collapse(path, ["essay 4", "essay 5", "essay 50"]),
        lambda: RunBrowser(path).listed("", 0, 100),
        lambda: RunBrowser(path).members("essay 3", 0, 100),
        lambda: open_run(path),
        lambda: repr(opened),
    ):
        try:
            found.append(re.sub("0x[0-9a-f]+", "", repr(ask())))  # where an object is does not matter
        except CopysiftError as error:
            found.append(error)
    return found


@pytest.mark.parametrize(("name", "flips"), [*((name, 70) for name in TABLES), ("run.json", 70)])
def test_a_flipped_bit_of_a_run_is_harmless_or_named(run, tmp_path, name, flips):
    expected = answers(run)
    assert not any(isinstance(each, CopysiftError) for each in expected)
    data = (run / name).read_bytes()
    named = 0
    for bit in random.Random(17).sample(range(8 * len(data)), flips):
        broken = tmp_path / str(bit) / "run"
        shutil.copytree(run, broken)
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        (broken / name).write_bytes(changed)
        with suppress(CopysiftError):
            got = [repr(each).replace(str(broken), str(run)) for each in answers(broken)]
            for one, other in zip(got, map(repr, expected), strict=True):
                assert one == other or one.startswith("RunError"), f"bit {bit}"
            named -= not any(one.startswith("RunError") for one in got)
        named += 1
        shutil.rmtree(broken.parent)
    assert named >= (flips if name in TABLES else flips // 2)


def test_tables_have_checksums_of_their_pages(tmp_path):
    path = tmp_path / "run"
    path.mkdir()
    table = pa.table({"document": [f"essay {number}" for number in range(2000)]})
    checksums.write_table(table, path / TABLES[0])
    assert checksums.read_table(path, TABLES[0]) == table
    data = bytearray((path / TABLES[0]).read_bytes())
    start = pq.read_metadata(path / TABLES[0]).row_group(0).column(0).total_compressed_size // 2
    data[start] ^= 1
    (path / TABLES[0]).write_bytes(data)
    with pytest.raises(RunError, match="damaged"):
        checksums.read_table(path, TABLES[0])


def test_a_table_is_compared_once_as_long_as_it_stays_the_same(run, monkeypatch):
    cluster_of(run, "essay 1")
    monkeypatch.setattr(checksums, "checksum", lambda path: pytest.fail("compared again"))
    cluster_of(run, "essay 2")


@pytest.mark.parametrize("name", ["inverted.u64", "inverted.u32", "inverted.json"])
def test_a_flipped_bit_in_what_questions_look_up_is_no_other_answer(run, tmp_path, name):
    """It is noticed by its checksum, and made again from the sets."""

    def asked(path):
        found = copysift.Run(path).query(text=" ".join(WORDS[:60]))
        return [(hit.right, hit.shared, hit.resemblance) for hit in found]

    expected = asked(run)
    assert expected
    data = (run / "sketches" / name).read_bytes()
    for bit in random.Random(18).sample(range(8 * len(data)), 40):
        broken = tmp_path / str(bit)
        shutil.copytree(run, broken)
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        (broken / "sketches" / name).write_bytes(changed)
        assert asked(broken) == expected, f"bit {bit}"
        shutil.rmtree(broken)


def test_a_census_that_cannot_be_is_a_named_error(run, tmp_path):
    for number, content in enumerate((b"", bytes(8), b"\xff" * 8 * 60, b"\x7f" * 8 * 60)):
        broken = tmp_path / str(number)
        shutil.copytree(run, broken)
        (broken / "sketches/census-00000.u64").write_bytes(content)
        with pytest.raises(RunError, match="damaged"):
            list(copysift.Run(broken).query(text=" ".join(WORDS[:60])))
