"""Who stays, decided in shuffles: the rules of engine/corpus/dedup.py, one component in a task.

Documents that are the same for every measure are one node, numbered by the first of them, as in
`cluster/keeping.py`. The table `removed` has `number`, `kept`, `reason`, `resemblance` and `containment`.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.clusters.preference import choice, no_date, no_number
from copysift.engines.spark import choices as choosing
from copysift.engines.spark import components as clustering
from copysift.engines.spark import limits
from copysift.engines.spark.checks import check, sets
from copysift.engines.spark.measures import MEASURES
from copysift.engines.spark.stars import components
from copysift.engines.spark.tables import word
from copysift.settings.corpus import CorpusSettings
from copysift.settings.selection import COUNTS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from copysift.engines.spark.corpus import SparkCorpus


def decide(corpus: SparkCorpus, keeping: str) -> DataFrame:
    """Decide which documents go, each for one that it is similar to."""
    with corpus.phase("decide") as left:
        if left is not None:
            scores = _scores(corpus, keeping)
            best = None if scores is None else corpus.store.keep(_best(corpus, scores), "best")
            _explain(corpus, _choose(corpus, scores, best), best, 0)
    return corpus.store.read("removed")


def against(corpus: SparkCorpus, before: int) -> DataFrame:
    """Decide which documents from number `before` on are in an earlier run: they go, all others stay."""
    with corpus.phase("decide") as left:
        if left is not None:
            crossing = _alike(corpus, corpus.measured).where(
                (F.col("left") < before) & (F.col("right") >= before)
            )
            most = F.max(F.struct("resemblance", (-F.col("left")).alias("of"))).alias("most")
            known = crossing.groupBy("right").agg(most)
            gone = known.select(F.col("right").alias("number"), (-F.col("most.of")).alias("kept"))
            found = Found(gone)
            if corpus.settings.estimate:
                gone = corpus.store.keep(gone, "gone")
                found = Found(gone, [_checked(corpus, gone)])
            _explain(corpus, found, None, before)
    return corpus.store.read("removed")


class Found(NamedTuple):
    """The nodes that go and those kept for them, and what had to be measured for that."""

    gone: DataFrame
    checked: list[DataFrame] = []  # noqa: RUF012 - never changed


def reasons(removed: DataFrame) -> dict[str, int]:
    """Count who goes, by reason, the commonest first."""
    counted = removed.groupBy("reason").agg(F.count("number").alias("of"), F.min("number").alias("first"))
    found = sorted(counted.collect(), key=lambda row: (-row["of"], row["first"]))
    return {row["reason"]: row["of"] for row in found}


# ---- the order of preference


def _scores(corpus: SparkCorpus, keeping: str) -> DataFrame | None:
    """Give (number, score) of all documents, the preferred highest; None: in order of numbers."""
    how, field = choice(keeping, corpus.settings.contained)
    if how == "first":
        return None
    if how == "longest":
        return corpus.facts("bytes").select("number", F.col("bytes").alias("score"))
    if how == "newest":
        found = corpus.facts("date").select("number", F.coalesce("date", F.lit("")).alias("score"))
        seen = corpus.store.write(found, "scores", some=F.count_if(F.col("score") != ""))
        if not seen["some"]:
            raise no_date()
    else:
        found = corpus.facts("other").mapInArrow(choosing.score_task(field), "number long, score double")
        some = F.count_if(F.col("score") != float("-inf"))
        seen = corpus.store.write(found, "scores", some=some)
        if not seen["some"] and corpus.counts["documents"]:
            raise no_number(field)
    return corpus.store.read("scores")


def _best(corpus: SparkCorpus, scores: DataFrame) -> DataFrame:
    """Give (node, best, score): the preferred document of each class of several, and its score."""
    members = corpus.same.select("number", "first").union(corpus.same.select("first", "first").distinct())
    scored = members.join(scores, "number")
    top = F.max(F.struct("score", (-F.col("number")).alias("of"))).alias("top")
    found = scored.groupBy("first").agg(top)
    return found.select(
        F.col("first").alias("node"), (-F.col("top.of")).alias("best"), F.col("top.score").alias("score")
    )


# ---- nodes


def _alike(corpus: SparkCorpus, pairs: DataFrame) -> DataFrame:
    settings = corpus.settings
    return pairs.mapInArrow(clustering.alike_task(settings, True), MEASURES)


def _choose(corpus: SparkCorpus, scores: DataFrame | None, best: DataFrame | None) -> Found:
    """Choose inside the components of nodes, and measure what no pair says."""
    store, settings = corpus.store, corpus.settings
    edges = _rooted(corpus)
    for side in ("left", "right"):
        edges = _ranked(edges, side, scores, best)
    if corpus.counts["pairs"] <= limits.TOGETHER:
        chosen = edges.coalesce(1).mapInArrow(choosing.together_task(settings), choosing.CHOSEN)
    else:
        divided = edges.repartition(corpus.parts(64 * corpus.counts["pairs"]), "root")
        ordered = divided.sortWithinPartitions("root")
        chosen = ordered.mapInArrow(choosing.keep_task(settings), choosing.CHOSEN)
    seen = store.write(chosen, "chosen", **{name: F.count_if(name) for name in ("ask", "large")})
    chosen = store.read("chosen")
    gone = chosen.where("not large and not ask").select("number", "kept")
    asked = chosen.where("ask").select("number", "kept")
    checked = []
    if seen["large"]:
        moved, again, led = _led(corpus, chosen.where("large"), seen["large"])
        gone, asked = gone.union(moved), asked.union(again)
        checked.append(led)
    if settings.estimate:  # known pairs were not measured exactly
        checked.append(_checked(corpus, gone.union(asked)))
    elif seen["ask"] or seen["large"]:
        checked.append(_checked(corpus, asked))
    if seen["ask"] or seen["large"]:
        agreed = _alike(corpus, checked[-1]).select("left", "right").toDF("number", "kept")
        gone = gone.union(asked.join(agreed, ["number", "kept"], "left_semi"))
        gone = store.keep(gone, "gone")
    return Found(gone, checked)


def _rooted(corpus: SparkCorpus) -> DataFrame:
    """Give the pairs that are similar with the components that they are in; of few pairs one task decides."""
    edges = _alike(corpus, corpus.measured).select("left", "right")
    if corpus.counts["pairs"] <= limits.TOGETHER:
        return edges.withColumn("root", F.lit(0))
    count = corpus.store.write(edges, "alike", edges=F.count("left"))["edges"]
    edges = corpus.store.read("alike")
    found, _ = components(edges, count, corpus.store, limits.TOGETHER)
    rooted = edges.join(found.toDF("left", "root"), "left", "left")
    return rooted.withColumn("root", F.coalesce("root", "left"))


def _ranked(edges: DataFrame, side: str, scores: DataFrame | None, best: DataFrame | None) -> DataFrame:
    """Give the documents of one side what orders them: `score`, then `best`."""
    if scores is None or best is None:
        return edges.withColumns({f"{side}_score": F.lit(0), f"{side}_best": F.col(side)})
    own = scores.toDF(side, "own")
    class_ = best.toDF(side, f"{side}_best", "shared")
    both = edges.join(own, side).join(class_, side, "left")
    return both.withColumns(
        {f"{side}_score": F.coalesce("shared", "own"), f"{side}_best": F.coalesce(f"{side}_best", side)}
    ).drop("own", "shared")


def _led(corpus: SparkCorpus, large: DataFrame, count: int) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Check those who stay of large components against their leaders.

    Give who goes, who must be checked again because the one kept for it goes now, and what was measured.
    """
    staying = large.where("number = kept").select("root", "place", "number")
    ordered = sets(corpus, staying, count).repartition("root").sortWithinPartitions("root", "place")
    found = ordered.select("root", "number", "values").mapInArrow(
        choosing.lead_task(corpus.settings), MEASURES
    )
    led = corpus.store.keep(found, "led")
    leaders = led.select("left", "right")
    following = large.where("number != kept").select("number", "kept")
    moved = following.join(leaders.toDF("kept", "leader"), "kept", "left")
    still = moved.where("leader is null").select("number", "kept")
    again = moved.where("leader is not null").select("number", F.col("leader").alias("kept"))
    return leaders.toDF("number", "kept").union(still), again, led


def _checked(corpus: SparkCorpus, asked: DataFrame) -> DataFrame:
    """Measure pairs that no earlier phase has measured."""
    count = corpus.store.write(asked.toDF("left", "right"), "asked", pairs=F.count("left"))["pairs"]
    return corpus.store.keep(check(corpus, corpus.store.read("asked"), count), "checked")


# ---- documents


def _explain(corpus: SparkCorpus, found: Found, best: DataFrame | None, first: int) -> None:
    """Write `removed`: the documents that go, why, and their measures."""
    gone = found.gone
    same = corpus.same.select("number", F.col("first").alias("node"), "how")
    heads = corpus.same.select("first").union(gone.select("number")).distinct().toDF("node")
    every = same.union(heads.select("node", F.col("node"), F.lit(0)))
    every = every.join(gone.toDF("node", "chosen"), "node", "left")
    every = every.withColumn("chosen", F.coalesce("chosen", "node")).withColumn("kept", F.col("chosen"))
    if best is not None:
        every = every.join(best.select(F.col("node").alias("chosen"), "best"), "chosen", "left")
        every = every.withColumn("kept", F.coalesce("best", "chosen")).drop("best")
    going = every.where((F.col("number") != F.col("kept")) & (F.col("number") >= first))
    theirs = corpus.same.select(F.col("number").alias("kept"), F.col("how").alias("other_how"))
    going = going.join(theirs, "kept", "left").join(
        _measures(corpus, found.checked), ["node", "chosen"], "left"
    )
    corpus.store.write(going.select("number", "kept", *_told(corpus.settings)), "removed")


def _measures(corpus: SparkCorpus, checked: list[DataFrame]) -> DataFrame:
    """Give the measures of all pairs that are known, in both directions."""
    exact = [] if corpus.settings.estimate else [corpus.measured]
    one, other = (f"containment_{side}" for side in ("left", "right"))
    found = [each.select("left", "right", "resemblance", one) for each in (*checked, *exact)]
    found += [each.select("right", "left", "resemblance", other) for each in exact]
    whole = reduce(lambda some, more: some.union(more), found)
    named = whole.toDF("node", "chosen", "resemblance", "containment")
    return named.dropDuplicates(["node", "chosen"])


def _told(settings: CorpusSettings) -> list[Column]:
    same = F.col("node") == F.col("chosen")
    how = F.greatest("how", F.coalesce("other_how", F.lit(0)))
    near = F.lit(True) if settings.measure in COUNTS else F.col("resemblance") >= settings.cut - 1e-12
    reason = F.when(same, word(how)).when(near, "similar").otherwise("contained").alias("reason")
    return [
        reason,
        *(
            F.when(same, F.lit(1.0)).otherwise(F.col(name)).alias(name)
            for name in ("resemblance", "containment")
        ),
    ]
