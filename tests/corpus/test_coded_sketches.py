"""A run has the same answer whether its sketches keep words or sets, at hand or not, new or adopted."""

import random
from collections import Counter

import numpy as np
import pytest

from copysift.engines import cluster_run, pairing, phases, sketch_step
from copysift.errors import RunError
from copysift.runs import coded_part
from copysift.runs.sets import Sets
from copysift.runs.sketches import SUM
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import edited, mixed, rows, run, text, write_jsonl

TABLES = ("documents", "pairs", "clusters")


def tables(folder):
    return [rows(folder, name) for name in TABLES]


def stems(folder):
    return {path.name.partition("-")[0] for path in (folder / "sketches").iterdir()}


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Write documents with boilerplate in most, near-copies buried in it, and a template; parts are small."""
    monkeypatch.setattr(sketch_step, "PART", 1 << 18)
    monkeypatch.setattr("copysift.sources.jsonl.CHUNK", 20_000)
    chance, menu, page = random.Random(3), text(40, "menu"), text(60, "page").split()
    records = mixed(120, seed=6)
    for number, record in enumerate(records):
        if number % 3:
            record["text"] = f"{menu} {record['text']}"
    for number in range(40):
        field = text(25, ("field", number))
        records.append({"id": f"t{number}", "text": " ".join([*page[:30], field, *page[30:]])})
    for number in range(90):  # more than 16 MB have room for at hand
        long = text(3500, ("long", number // 3))
        records.append({"id": f"l{number}", "text": edited(long, 0.01, number)})
    near = f"{menu} {text(300, 'near')}"
    records += [{"id": f"n{number}", "text": edited(near, 0.01, number)} for number in range(30)]
    chance.shuffle(records)
    return write_jsonl(tmp_path / "c.jsonl", records)


@pytest.fixture
def plain(source, tmp_path, monkeypatch):
    """Make a run whose sketches have the sets themselves, as those of version 0.1 and of Spark."""
    with monkeypatch.context() as patch:
        real = phases.sketch
        patch.setattr(phases, "sketch", lambda *given, **_: real(*given))
        run(source, tmp_path / "plain", max_shared="20")
    assert {"shingles", "order", "rest"} <= stems(tmp_path / "plain")
    return tmp_path / "plain"


@pytest.mark.parametrize("memory", ["2GB", "16MB"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_words_or_sets_at_hand_or_not_give_the_same_tables(source, plain, tmp_path, memory, jobs):
    run(source, tmp_path / "run", max_shared="20", memory=memory, jobs=jobs)
    assert tables(tmp_path / "run") == tables(plain)
    assert "words" in stems(tmp_path / "run")
    assert not {"shingles", "order", "rest"} & stems(tmp_path / "run")
    ours, theirs = (Sets(folder / "sketches") for folder in (tmp_path / "run", plain))
    every = np.arange(int(ours.bounds()[-1]))
    for sets in (ours, theirs):
        assert sets.parts > 3
        for part in range(sets.parts):
            sets.checked(part)
    found, expected = (sets.texts(every) for sets in (ours, theirs))
    for name in ("values", "bounds", "words", "places", "order"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize("memory", ["2GB", "16MB"])
def test_documents_join_a_run_of_either_form(source, plain, tmp_path, memory):
    more = write_jsonl(
        tmp_path / "more.jsonl", [{**each, "id": f"m{each['id']}"} for each in mixed(60, seed=6)]
    )
    run(source, tmp_path / "run", max_shared="20")
    for name in ("run", "plain"):
        folder = tmp_path / f"onto {name}"
        settings = make(CorpusSettings, {"memory": memory, "max_shared": "20"})
        cluster_run.cluster([str(more)], folder, settings, onto=tmp_path / name)
    assert tables(tmp_path / "onto run") == tables(tmp_path / "onto plain")
    assert len(rows(tmp_path / "onto run", "pairs")) > len(rows(plain, "pairs"))


def test_a_run_with_a_secret_has_no_words(source, tmp_path):
    run(source, tmp_path / "run", seed="a secret")
    assert {"shingles", "order"} <= stems(tmp_path / "run")
    assert "words" not in stems(tmp_path / "run")


def test_programs_among_texts_have_parts_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.sources.jsonl.CHUNK", 20_000)
    records = mixed(60, seed=2)
    for number in range(3):
        code = "\n".join(f"def f{at}(x):\n    return x * {at}" for at in range(30))
        records[number] |= {"text": code, "language": "python"}
    for memory in ("2GB", "16MB"):
        run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / memory, memory=memory)
    assert tables(tmp_path / "2GB") == tables(tmp_path / "16MB")
    assert {"words", "shingles"} <= stems(tmp_path / "2GB")


def test_changed_words_are_named_when_sets_are_checked(source, tmp_path):
    run(source, tmp_path / "run")
    path = tmp_path / "run" / "sketches" / "words-00000.bin"
    content = bytearray(path.read_bytes())
    content[-9] ^= 1  # one of the last words is another one
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"words-00000.bin is missing or damaged"):
        Sets(tmp_path / "run" / "sketches").full(0)
    path.with_suffix(SUM).unlink()  # runs of earlier versions have none, but digests of the sets
    with pytest.raises(RunError, match=r"words-00000.bin is damaged"):
        Sets(tmp_path / "run" / "sketches").checked(0)


def test_the_blocks_of_a_part_are_looked_up_once_however_many_batches_of_pairs_there_are(
    source, tmp_path, monkeypatch
):
    looked = Counter()
    real, batch = coded_part._places, pairing.Measure.check

    def places(data):
        looked["blocks"] += 1
        return real(data)

    def check(step, pairs):
        looked["batches"] += 1
        return batch(step, pairs)

    monkeypatch.setattr(coded_part, "_places", places)
    monkeypatch.setattr(pairing.Measure, "check", check)
    monkeypatch.setattr(pairing, "BATCH", 1 << 14)
    run(source, tmp_path / "run", max_shared="20", memory="16MB", jobs=1)
    parts = len(list((tmp_path / "run" / "sketches").glob("words-*.bin")))
    assert looked["batches"] > 4 * parts
    assert 0 < looked["blocks"] <= parts
