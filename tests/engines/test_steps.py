"""Tasks run in any order, twice, in other processes; a run that was killed goes on."""

import multiprocessing
import random
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from copysift.engines import phases
from copysift.engines.cluster_run import cluster
from copysift.engines.dedup_steps import dedup
from copysift.engines.pairing import Entries, Join, Measure
from copysift.engines.reading import segments_of
from copysift.engines.sketch_step import Sketch, readers_of
from copysift.engines.steps import Collapse, Job, Plan
from copysift.engines.template_steps import STEPS
from copysift.errors import UsageError
from copysift.match.sets import MeasuredPairs
from copysift.runs.checksums import read_table
from copysift.runs.scan_run import TABLES
from copysift.runs.sets import Sets
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.test_boilerplate import templated
from tests.corpus.texts import mixed, rows, run, write_jsonl

PLAN = Plan(least=3, tasks=3, share=1 << 20, memory=1 << 20)
SETTINGS = {"max_shared": 6, "modulus": 5, "template": 2}  # some shingles are boilerplate


def settings() -> CorpusSettings:
    return make(CorpusSettings, SETTINGS)


def sketch_of(folder: Path, source: Path) -> Sketch:
    readers = readers_of(segments_of([str(source)], settings()), settings())
    return Sketch(Job(folder, settings(), PLAN), readers, phases.OptionFiles())


def do(folder: Path, source: Path, number: int, task: int) -> None:
    """Do one task as a process that knows nothing else would."""
    step = sketch_of(folder, source) if number < 0 else STEPS[number](Job(folder, settings(), PLAN))
    step.run(task)


@pytest.fixture
def shards(tmp_path):
    folder = tmp_path / "shards"
    folder.mkdir()
    records = mixed(115, seed=3) + [{**each, "id": f"t{each['id']}"} for each in templated(5)]
    for number in range(4):
        write_jsonl(folder / f"{number}.jsonl", records[number * 30 : number * 30 + 30])
    return folder


@pytest.mark.parametrize("seed", [1, 2])
def test_tasks_run_in_any_order_and_twice_in_separate_processes_give_the_same_pairs(tmp_path, shards, seed):
    chance = random.Random(seed)
    run(shards, tmp_path / "local", **SETTINGS)
    expected = open_corpus(tmp_path / "local")
    assert expected.described["boilerplate"]["shingles"] > 0
    assert expected.described["boilerplate"]["template_pairs"] > 0
    folder = tmp_path / "array"
    (folder / "work").mkdir(parents=True)
    (folder / "sketches").mkdir()
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        for number in range(-1, len(STEPS)):
            step = sketch_of(folder, shards) if number < 0 else STEPS[number](Job(folder, settings(), PLAN))
            assert step.left() == list(range(step.tasks))
            tasks = [*range(step.tasks)] * 2
            chance.shuffle(tasks)
            for done in [pool.submit(do, folder, shards, number, task) for task in tasks]:
                done.result()
            assert step.left() == []
            if isinstance(step, Sketch):
                assert step.tasks == 4
                step.collect()
            elif isinstance(step, Entries | Join | Measure):
                assert step.tasks > 1
    stored = step.found()[0]
    assert len(stored) == len(expected.pairs) > 20
    found = MeasuredPairs.joined([*stored])
    ids = expected.ids.to_pylist()
    key = [(ids[left], ids[right]) for left, right in zip(found.left, found.right, strict=True)]
    measures = dict(zip(key, found.resemblance.tolist(), strict=True))
    theirs = expected.pairs
    named = [(ids[left], ids[right]) for left, right in zip(theirs.left, theirs.right, strict=True)]
    assert measures == dict(zip(named, theirs.resemblance.tolist(), strict=True))
    assert not list(folder.rglob("*.part"))


KILLED = """
import os, signal, sys
from pathlib import Path
from copysift.engines import sketch_step
from copysift.runs.checksums import read_table
from copysift.runs.scan_run import TABLES
from copysift.runs.sets import Sets
sketch_step.PART = 1
real, written = Sets.write, []
def write(self, part):
    real(self, part)
    written.append(part)
    if len(written) == {parts}:
        os.kill(os.getpid(), signal.SIGKILL)
Sets.write = write
from copysift.sources import jsonl
jsonl.CHUNK = 9000
from tests.corpus.texts import run
run(Path(sys.argv[1]), Path(sys.argv[2]), jobs=1, memory="16MB")
"""


def killed(script: str, *given: object) -> None:
    done = subprocess.run([sys.executable, "-c", script, *map(str, given)], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def left_in(folder: Path) -> set[str]:
    return {each.name for each in folder.rglob("*") if "part" in each.suffix or each.name.startswith(".")}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_run_killed_with_half_of_its_sketches_written_loses_one_part_at_most(tmp_path, monkeypatch):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(160, seed=2))
    run(source, tmp_path / "whole")
    killed(KILLED.format(parts=6), source, tmp_path / "run")
    kept = Sets(tmp_path / "run" / "work" / "sketch-00000")
    assert kept.parts == 6
    documents = int(kept.bounds()[-1])
    sketched = []
    real = phases.sketch

    def noted(batch, *given, **named):
        sketched.append(len(batch))
        return real(batch, *given, **named)

    monkeypatch.setattr(phases, "sketch", noted)
    monkeypatch.setattr("copysift.sources.jsonl.CHUNK", 7000)  # batches that end elsewhere than parts do
    made = run(source, tmp_path / "run")
    assert sum(sketched) == 160 - documents > 0
    assert documents > 40
    assert "continued an interrupted run: 6 parts had been sketched" in made.notes
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "whole", name) == rows(tmp_path / "run", name)
    names = {each.name for each in (tmp_path / "run").iterdir()}
    assert names == {each.name for each in (tmp_path / "whole").iterdir()}
    assert left_in(tmp_path) == set()


EARLY = """
import os, signal, sys
from pathlib import Path
folder, wanted, seen = sys.argv[2], int(sys.argv[3]), []
events = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "open")
def hook(event, given):
    if event in events and folder in str(given[0]):
        if event == "open" and not given[2] & (os.O_WRONLY | os.O_RDWR):
            return
        seen.append(event)
        if len(seen) == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
from tests.corpus.texts import run
sys.addaudithook(hook)
run(Path(sys.argv[1]), Path(folder), jobs=1)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("moment", [1, 2, 3, 4, 5, 6, 8, 14, 25])
def test_a_run_killed_at_any_moment_is_taken_up_or_replaced(tmp_path, moment):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(40, seed=2))
    other = write_jsonl(tmp_path / "d.jsonl", mixed(20, seed=5))
    for name in ("again", "other"):
        killed(EARLY, source, tmp_path / name, moment)
    assert run(source, tmp_path / "again").described["counts"]["documents"] == 40
    assert run(other, tmp_path / "other").described["counts"]["documents"] == 20
    assert left_in(tmp_path) == set()


def test_files_of_others_are_no_leftovers(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(10))
    (tmp_path / "mine" / "work").mkdir(parents=True)
    (tmp_path / "mine" / "work" / "thesis.txt").write_text("mine")
    with pytest.raises(Exception, match="exists and is not a run"):
        run(source, tmp_path / "mine")
    assert (tmp_path / "mine" / "work" / "thesis.txt").read_text() == "mine"


def test_when_one_segment_fails_the_others_stop_and_nothing_is_left(tmp_path, shards, monkeypatch):
    real = phases.sketch

    def fail(batch, *given):
        if batch["id"][0].as_py() == "d60":
            raise OSError(5, "broken")
        return real(batch, *given)

    monkeypatch.setattr(phases, "sketch", fail)
    with pytest.raises(OSError, match="broken"):
        cluster([str(shards)], tmp_path / "run", settings())
    monkeypatch.setattr(phases, "sketch", real)
    assert run(shards, tmp_path / "run", **SETTINGS).described["counts"]["documents"] == 120


def test_shards_are_read_by_several_threads_and_numbered_in_order(tmp_path, shards):
    whole = tmp_path / "c.jsonl"
    whole.write_text("".join(each.read_text() for each in sorted(shards.iterdir())))
    made = run(shards, tmp_path / "many", jobs=3)
    run(whole, tmp_path / "one", jobs=1)
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "many", name) == rows(tmp_path / "one", name)
    assert any("read as 4 record files with 120 records" in note for note in made.notes)


DEDUP = """
import os, signal, sys
from pathlib import Path
from copysift.engines import dedup_steps
dedup_steps.write_removed = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from copysift.settings.corpus import CorpusSettings
dedup_steps.dedup([sys.argv[1]], Path(sys.argv[2]), CorpusSettings())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_what_a_killed_dedup_left_is_found_named_and_removed(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(40, seed=2))
    killed(DEDUP, source, tmp_path / "kept.jsonl")
    assert (tmp_path / "kept.jsonl.work").is_dir()
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]
    done = dedup([str(source)], tmp_path / "kept.jsonl", CorpusSettings())
    assert any("kept.jsonl.work, which an interrupted command left" in note for note in done.notes)
    assert {each.name for each in tmp_path.iterdir()} == {"c.jsonl", "kept.jsonl", "kept.removed.jsonl"}


def test_a_folder_that_is_not_ours_is_not_removed(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(10))
    (tmp_path / "kept.jsonl.work").mkdir()
    with pytest.raises(UsageError, match="is in the way"):
        dedup([str(source)], tmp_path / "kept.jsonl", CorpusSettings())


def test_tables_that_are_written_in_pieces_say_the_same(tmp_path, shards, monkeypatch):
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    cluster([str(shards)], whole, settings())
    monkeypatch.setattr("copysift.runs.tables.ROWS", 3)
    cluster([str(shards)], pieces, settings())
    for name in TABLES:
        assert read_table(pieces, name) == read_table(whole, name)
        assert len(read_table(whole, name)) > 6
    assert pq.read_metadata(pieces / TABLES[2]).num_row_groups > 2


def test_a_number_of_a_document_takes_four_bytes_while_a_run_is_made(tmp_path, shards):
    for part in ("work", "sketches"):
        (tmp_path / "job" / part).mkdir(parents=True)
    step = sketch_of(tmp_path / "job", shards)
    for task in range(step.tasks):
        step.run(task)
    step.collect()
    Collapse(step.job).run(0)
    first, how = step.job.classes()
    found = phases.clustered([], first, how, settings())
    assert (found.root.itemsize, found.joined.itemsize, first.itemsize) == (4, 1, 4)
    assert found.root.tolist() == first.tolist()
