import gzip
import json
from pathlib import Path

import pytest

import copysift
from copysift.engines import local, pairing, sketch_step
from copysift.engines.cluster_run import cluster, recluster
from copysift.errors import InputError, RunError, UsageError
from copysift.join.spill import Spill
from copysift.runs import workspace as work
from copysift.runs.scan_run import VERSION
from copysift.runs.stored_run import open_corpus
from copysift.runs.tables import cluster_of, collapse
from copysift.runs.workspace import making
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.workflows.run_query import query
from tests.corpus.texts import edited, mixed, rows, run, text, write_jsonl

PHASES = {"sketch": "_entries", "entries": "_join", "join": "_measure"}


class StopError(Exception):
    """Stands for a kill: nothing of the run is told to clean up."""


@pytest.mark.parametrize(("done", "next_phase"), PHASES.items())
def test_a_run_that_was_cut_off_goes_on_after_the_last_phase_that_was_done(
    tmp_path, monkeypatch, done, next_phase
):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(80, seed=2))
    run(source, tmp_path / "whole")

    def stop(self):
        raise StopError

    with monkeypatch.context() as patched:
        patched.setattr(local.Corpus, next_phase, stop)
        with pytest.raises(StopError):
            run(source, tmp_path / "run")
    assert (tmp_path / "run" / "work" / f"{done}.json").exists()

    def read_nothing(*_):
        raise AssertionError("a source was read again")

    if done != "sketch":
        monkeypatch.setattr("copysift.engines.phases.entries", read_nothing)
    monkeypatch.setattr("copysift.engines.phases.sketch", read_nothing)
    made = run(source, tmp_path / "run")
    assert made.described["seconds"].keys() == {"sketch", "census", "entries", "join", "measure", "cluster"}
    assert not (tmp_path / "run" / "work").exists()
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "whole", name) == rows(tmp_path / "run", name)


@pytest.mark.parametrize("during", ["sketch", "write", "check"])
def test_a_run_that_was_cut_off_inside_a_phase_begins_that_phase_again(tmp_path, monkeypatch, during):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(80, seed=2))
    run(source, tmp_path / "whole")
    monkeypatch.setattr("copysift.sources.jsonl.CHUNK", 9000)
    monkeypatch.setattr(sketch_step, "PART", 1 << 16)
    calls = []

    def later(real):
        def stop(*given):
            calls.append(1)
            if len(calls) == 3:
                raise StopError
            return real(*given)

        return stop

    where = {
        "sketch": (local.phases, "sketch"),
        "write": (Spill, "write"),
        "check": (pairing.Measure, "check"),
    }[during]
    monkeypatch.setattr(pairing, "BATCH", 4096)
    with monkeypatch.context() as patched:
        patched.setattr(*where, later(getattr(*where)))
        with pytest.raises(StopError):
            run(source, tmp_path / "run", jobs=1, memory="16MB")
    run(source, tmp_path / "run", jobs=1, memory="16MB")
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "whole", name) == rows(tmp_path / "run", name)


def test_other_settings_begin_a_run_anew(tmp_path, monkeypatch):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(40))
    with monkeypatch.context() as patched:
        patched.setattr(local.Corpus, "_entries", lambda self: (_ for _ in ()).throw(StopError))
        with pytest.raises(StopError):
            run(source, tmp_path / "run", shingle=3)
    assert run(source, tmp_path / "run").described["settings"]["shingle"] == 10


@pytest.mark.parametrize(
    "slip", [{"text_field": "body"}, {"features": "no.such:thing"}, {"features": "os:stat"}, None]
)
def test_a_command_that_fails_leaves_a_finished_run_whole(tmp_path, slip):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(20))
    run(source, tmp_path / "run")

    def files():
        found = sorted(each for each in (tmp_path / "run").rglob("*") if each.is_file())
        return {each.relative_to(tmp_path): each.read_bytes() for each in found}

    before = files()
    with pytest.raises((InputError, UsageError)):
        run(source if slip else tmp_path / "none.jsonl", tmp_path / "run", **(slip or {}))
    assert files() == before
    with pytest.raises((InputError, UsageError)):
        run(source if slip else tmp_path / "none.jsonl", tmp_path / "other", **(slip or {}))
    assert not (tmp_path / "other").exists()


def test_a_finished_run_stands_until_the_one_that_replaces_it_is_complete(tmp_path, monkeypatch):
    old = write_jsonl(tmp_path / "old.jsonl", mixed(40, seed=1))
    new = write_jsonl(tmp_path / "new.jsonl", mixed(60, seed=2))
    run(old, tmp_path / "run")
    (tmp_path / "run" / "mine.parquet").write_text("mine")
    run(new, tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr(local.Corpus, "_join", lambda self: (_ for _ in ()).throw(StopError))
        with pytest.raises(StopError):
            run(new, tmp_path / "run")
    assert len(rows(tmp_path / "run", "documents")) == 40
    assert query(tmp_path / "run", None, "d0", 0.3) is not None
    with monkeypatch.context() as patched:
        patched.setattr(local.phases, "sketch", lambda *_: pytest.fail("a source was read again"))
        assert run(new, tmp_path / "run").path == tmp_path / "run"
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "whole", name) == rows(tmp_path / "run", name)
    left = {each.name for each in (tmp_path / "run").iterdir()}
    assert left == {each.name for each in (tmp_path / "whole").iterdir()} | {"mine.parquet"}


@pytest.mark.parametrize("cut_at", range(7))
def test_a_run_cut_off_while_it_is_put_in_place_gets_there(tmp_path, monkeypatch, cut_at):
    old = write_jsonl(tmp_path / "old.jsonl", mixed(40, seed=1))
    new = write_jsonl(tmp_path / "new.jsonl", mixed(60, seed=2))
    run(new, tmp_path / "whole")
    run(old, tmp_path / "run")
    real, moved = Path.replace, []

    def cut(self, target):
        if self.parent.name == "new" and self.name != "run.part":
            if len(moved) == cut_at:
                raise StopError
            moved.append(self)
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", cut)
        try:
            run(new, tmp_path / "run")
        except StopError:
            assert not (tmp_path / "run" / "run.json").exists()
    with making(tmp_path / "run") as place:
        assert place == tmp_path / "run" / "new"
        for name in ("documents", "pairs", "clusters"):
            assert rows(tmp_path / "whole", name) == rows(tmp_path / "run", name)
        run(old, place)
    assert len(rows(tmp_path / "run", "documents")) == 40
    assert not (tmp_path / "run" / "new").exists()


def test_onto_gives_the_answer_of_one_run_and_reads_only_new_texts(tmp_path, monkeypatch):
    records = mixed(120, seed=9)
    old = write_jsonl(tmp_path / "old.jsonl", records[:70])
    new = write_jsonl(tmp_path / "new.jsonl", records[70:])
    run([str(old), str(new)], tmp_path / "both")
    run(old, tmp_path / "run")
    old.unlink()
    for target in ("more", "run"):
        cluster([str(new)], tmp_path / target, CorpusSettings(), onto=tmp_path / "run")
        for name in ("documents", "pairs", "clusters"):
            assert rows(tmp_path / "both", name) == rows(tmp_path / target, name)


def test_onto_a_slim_run_or_with_another_seed_is_refused(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(20))
    run(source, tmp_path / "slim", slim=True)
    kept = (tmp_path / "slim" / "sketches").iterdir()
    assert {path.name.partition("-")[0] for path in kept} == {"documents"}
    with pytest.raises(RunError, match="no shingles"):
        cluster([str(source)], tmp_path / "x", CorpusSettings(), onto=tmp_path / "slim")
    run(source, tmp_path / "run")
    with pytest.raises(UsageError, match="another seed"):
        cluster(
            [str(source)], tmp_path / "y", make(CorpusSettings, {"seed": "secret"}), onto=tmp_path / "run"
        )


def test_recluster_equals_a_run_with_that_threshold(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(150, seed=4))
    run(source, tmp_path / "run")
    for resemblance, contained, policy in (
        (0.8, False, "component"),
        (0.4, True, "representative"),
        (0.5, False, "complete"),
    ):
        measure = "containment" if contained else "resemblance"
        settings = {"threshold": resemblance, "measure": measure, "policy": policy}
        run(source, tmp_path / "own", **settings)
        recluster(tmp_path / "run", make(CorpusSettings, settings), tmp_path / "beside.parquet")
        recluster(tmp_path / "run", make(CorpusSettings, settings))
        assert (
            rows(tmp_path, "beside")
            == rows(tmp_path / "own", "clusters")
            == rows(tmp_path / "run", "clusters")
        )
    with pytest.raises(UsageError, match=r"no pairs below 0\.3"):
        recluster(tmp_path / "run", CorpusSettings(threshold=0.2, floor=0.2))


def test_look_ups_and_folding_of_a_ranked_list(tmp_path):
    base, other = text(100, 1), text(100, 2)
    records = [{"id": "u1", "text": base}, {"id": "u2", "text": other}, {"id": "u3", "text": base}]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    assert cluster_of(tmp_path / "run", "u3") == [("u1", "representative"), ("u3", "identical")]
    assert cluster_of(tmp_path / "run", "u2") == [("u2", "alone")]
    assert cluster_of(tmp_path / "run", "u9") is None
    assert collapse(tmp_path / "run", ["u3", "u9", "u2", "u1"]) == [("u3", ["u1"]), ("u9", []), ("u2", [])]


def test_the_pairs_of_a_run_are_shown_with_its_own_counts_settings_and_clusters(tmp_path):
    base = text(800, 1)
    records = [
        {"id": "a", "text": base},
        {"id": "b", "text": base},
        {"id": "c", "text": edited(base, 0.05, 1)},
        {"id": "d", "text": text(800, 2)},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", threshold=0.9, shingle=8)
    found = copysift.show(tmp_path / "run")
    pairs = {(row["left"], row["right"]): row["shared"] for row in rows(tmp_path / "run", "pairs")}
    assert pairs.keys() == {("a", "b"), ("a", "c")}
    assert {(pair.left, pair.right): pair.shared for pair in found.pairs} == pairs
    assert [cluster.members for cluster in found.clusters] == [("a", "b")]
    described = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert found.settings == described | {"threshold": 0.3, "measure": found.settings["measure"]}
    assert [pair.right for pair in copysift.show(tmp_path / "run", threshold="99%").pairs] == ["b"]
    with pytest.raises(UsageError, match="no pairs below 30%"):
        copysift.show(tmp_path / "run", threshold="20%")


def test_query_finds_what_a_run_would_for_known_and_for_new_documents(tmp_path):
    base = text(2000, 1)
    records = [
        {"id": "long", "text": base},
        {"id": "near", "text": edited(base, 0.01, 1)},
        {"id": "far", "text": text(500, 3)},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run")
    (pair,) = rows(tmp_path / "run", "pairs")
    (known,) = query(tmp_path / "run", None, "long", 0.3)
    assert (known.right, known.resemblance, known.shared) == ("near", pair["resemblance"], pair["shared"])
    excerpt = " ".join(base.split()[500:530])
    found = query(tmp_path / "run", excerpt.encode(), "new", 0.3)
    assert found[0].containment_left == 1.0
    assert {each.right for each in found} == {"long", "near"}
    with pytest.raises(UsageError, match="no document nobody"):
        query(tmp_path / "run", None, "nobody", 0.3)


def test_query_of_a_run_of_features_takes_ids_and_no_texts(tmp_path):
    records = [
        {"id": "x", "tags": list("abcdefghij")},
        {"id": "y", "tags": list("abcdefghiz")},
        {"id": "z", "tags": list("qrstuvw")},
    ]
    run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", features="tags")
    (pair,) = query(tmp_path / "run", None, "x", 0.3)
    assert (pair.right, pair.shared, pair.resemblance) == ("y", 9, 9 / 11)
    with pytest.raises(UsageError, match="compares features, not texts"):
        query(tmp_path / "run", b"a b c", "new", 0.3)


@pytest.mark.parametrize("field", ["nowhere", "text"])
def test_a_field_in_which_no_record_has_features_is_refused(tmp_path, field):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(5))
    with pytest.raises(InputError, match=f"c.jsonl has a list in the field '{field}'") as refused:
        run(source, tmp_path / "run", features=field)
    assert refused.value.hint.endswith(": id, text")
    assert not (tmp_path / "run").exists()


def test_progress_of_reading_plain_files_has_a_total(tmp_path):
    class Told:
        def __init__(self):
            self.totals, self.done = {}, {}

        def phase(self, name, total):
            self.name, self.totals[name], self.done[name] = name, total, 0

        def advance(self, count=1):
            self.done[self.name] += count

    source = write_jsonl(tmp_path / "c.jsonl", mixed(60))
    told = Told()
    cluster([str(source)], tmp_path / "run", CorpusSettings(), progress=told)
    assert told.totals["sketching"] == source.stat().st_size
    assert 0.9 < told.done["sketching"] / told.totals["sketching"] <= 1.1
    packed = tmp_path / "c.jsonl.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    cluster([str(packed)], tmp_path / "other", CorpusSettings(), progress=told)
    assert (told.totals["sketching"], told.done["sketching"]) == (None, 60)


def test_a_folder_that_is_no_run_is_never_written_to(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(5))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(RunError, match="not a run"):
        run(source, tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_run_of_another_version_says_so(tmp_path):
    run(write_jsonl(tmp_path / "c.jsonl", mixed(5)), tmp_path / "run")
    described = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(described | {"version": 99}))
    with pytest.raises(RunError, match="version 99") as refused:
        recluster(tmp_path / "run", CorpusSettings())
    assert refused.value.hint == "recreate the run with copysift cluster"


def test_an_empty_corpus_is_a_run_without_documents(tmp_path):
    made = run(write_jsonl(tmp_path / "c.jsonl", []), tmp_path / "run")
    assert made.described["counts"]["documents"] == 0
    assert (
        rows(tmp_path / "run", "clusters")
        == rows(tmp_path / "run", "pairs")
        == rows(tmp_path / "run", "documents")
        == []
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_named_and_the_run_can_go_on(tmp_path, monkeypatch):
    source = write_jsonl(tmp_path / "c.jsonl", mixed(60))
    with monkeypatch.context() as patched:
        real = Spill.__init__

        def full(self, path, *given):
            real(self, Path("/dev/full") if path.name.startswith("entries-") else path, *given)

        patched.setattr(Spill, "__init__", full)
        with pytest.raises(RunError, match="No space left"):
            run(source, tmp_path / "run")
    assert run(source, tmp_path / "run").described["counts"]["documents"] == 60


def test_a_folder_in_which_a_file_was_changed_is_another_job(tmp_path):
    folder = tmp_path / "f" / "below"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("some words")
    settings = CorpusSettings()
    before = work.job_of([str(tmp_path / "f")], settings)
    assert work.job_of([str(tmp_path / "f")], settings) == before
    (folder / "a.txt").write_text("other words, and more of them")
    assert work.job_of([str(tmp_path / "f")], settings) != before


def test_tables_that_spark_wrote_to_a_uri_are_told_from_damage(tmp_path):
    described = {"version": VERSION, "copysift": "1", "made_by": "cluster", "floor": 0.3, "files": {}}
    (tmp_path / "run.json").write_text(json.dumps(described))
    with pytest.raises(RunError, match="folders that Spark wrote"):
        open_corpus(tmp_path)
