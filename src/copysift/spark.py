"""Clustering on Spark, from DataFrame to DataFrames: `copysift.spark.cluster(df)`."""

from __future__ import annotations

from copysift.engine.spark.frames import Clustering, cluster

__all__ = ["Clustering", "cluster"]
