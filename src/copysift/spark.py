"""Clustering on Spark, from DataFrame to DataFrames: `cluster(df)` and `dedup(df)`."""

from __future__ import annotations

from copysift.engine.spark.deduping import Deduped, dedup
from copysift.engine.spark.frames import Clustering, cluster

__all__ = ["Clustering", "Deduped", "cluster", "dedup"]
