"""Boilerplate on Spark: the same is left out, of the same documents, as by the local engine."""

import copysift.spark
from copysift.engines.engine import cluster_with
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.test_base import course
from tests.corpus.test_boilerplate import templated, twins
from tests.corpus.texts import edited, mixed, rows, run, text, write_jsonl

__all__ = ["course"]  # a fixture
TABLES = ("documents", "pairs", "clusters")


def records():
    base = text(300, "base")
    copies = [{"text": edited(base, 0.005, number)} for number in range(90)]
    every = [*templated(60), *twins(20), *copies, *mixed(40, seed=3)]
    return [{"id": f"x{number:04d}", "text": each["text"]} for number, each in enumerate(every)]


def test_boilerplate_of_files_and_of_frames_is_that_of_the_local_engine(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.sources.SPLIT", 30_000)
    source = write_jsonl(tmp_path / "c.jsonl", records())
    local = run(source, tmp_path / "local", max_shared=50).described
    assert local["boilerplate"]["shingles"] > 400
    assert local["boilerplate"]["near_copies"] > 80
    for folder, slim in (("kept", False), ("slim", True)):
        settings = make(CorpusSettings, {"max_shared": 50, "slim": slim})
        made = cluster_with("spark")([str(source)], tmp_path / folder, settings).described
        for name in ("boilerplate", "notes", "ignored", "counts"):
            assert made[name] == local[name]
        for name in TABLES:
            assert rows(tmp_path / folder, name) == rows(tmp_path / "local", name)
    frame = spark.createDataFrame(
        [(each["id"], each["text"]) for each in records()], "id string, text string"
    )
    with copysift.spark.cluster(frame.repartition(3), max_shared=50) as found:
        pairs = {(row["left"], row["right"], row["shared"]) for row in found.pairs.collect()}
    assert pairs == {(row["left"], row["right"], row["shared"]) for row in rows(tmp_path / "local", "pairs")}


def test_pages_of_one_template_all_stay_on_spark(spark, tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", templated(80))
    frame = spark.read.json(str(source))
    with copysift.spark.cluster(frame, max_shared=20) as found:
        assert found.counts["pairs"] == 0
        assert found.counts["ignored"] == 191


def test_a_base_is_left_out_on_spark_as_by_the_local_engine(spark, tmp_path, course):
    folder, base = course
    local = run([str(folder)], tmp_path / "local", base=str(base)).described
    settings = make(CorpusSettings, {"base": str(base)})
    for target, onto in (("made", None), ("more", tmp_path / "made")):
        made = cluster_with("spark")([str(folder)], tmp_path / target, settings, onto=onto).described
        assert made["boilerplate"]["base"] == local["boilerplate"]["base"] > 100
    assert rows(tmp_path / "made", "clusters") == rows(tmp_path / "local", "clusters")
    assert rows(tmp_path / "made", "pairs") == rows(tmp_path / "local", "pairs")
    frame = spark.createDataFrame(
        [("a", "x " * 9 + text(60, "head")), ("b", "y " * 9 + text(60, "head"))], "id string, text string"
    )
    (tmp_path / "head.txt").write_text(text(60, "head"))
    with copysift.spark.cluster(frame, base=str(tmp_path / "head.txt")) as found:
        assert found.counts["pairs"] == 0


def test_small_templates_are_left_out_on_spark_as_by_the_local_engine(spark, tmp_path):
    base = text(300, "base")
    copies = [{"text": edited(base, 0.02, number)} for number in range(30)]
    every = [*templated(40), *twins(10), *copies, *mixed(60, seed=3)]
    every += [{"text": f"{each['text']} {text(20, 'more')}"} for each in templated(3)]
    every = [{"id": f"x{number:04d}", "text": each["text"]} for number, each in enumerate(every)]
    source = write_jsonl(tmp_path / "c.jsonl", every)
    local = run(source, tmp_path / "local", template=5).described
    assert local["boilerplate"]["template_pairs"] > 800
    for folder, slim in (("kept", False), ("slim", True)):
        settings = make(CorpusSettings, {"template": 5, "slim": slim})
        made = cluster_with("spark")([str(source)], tmp_path / folder, settings).described
        for name in ("boilerplate", "notes", "counts"):
            assert made[name] == local[name]
        for name in TABLES:
            assert rows(tmp_path / folder, name) == rows(tmp_path / "local", name)
