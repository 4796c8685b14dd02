"""Clustering on Spark, from DataFrame to DataFrames: `cluster(df)` and `dedup(df)`."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyspark") is None:
    raise ModuleNotFoundError("copysift.spark needs PySpark 4: pip install 'copysift[spark]'", name="pyspark")

from copysift.engines.spark.dedup_frames import Deduped, dedup
from copysift.engines.spark.frames import Clustering, cluster

__all__ = ["Clustering", "Deduped", "cluster", "dedup"]
