"""What one task of Spark holds at most, and what is sent to all of them."""

from __future__ import annotations

BUCKET = 1 << 20  # entries, or pairs, that one group of a task holds, about
CELL = 4096  # pairs that are measured together, about
FILTER = 64 << 20  # bytes of the filter that every task reads, at most
NEAR = 10_000_000  # documents whose sizes a task may hold, to find sets in files
PARTITION = 32 << 20  # bytes that a task takes from a shuffle, about
SENT = 100_000  # rows that Spark may send to all tasks, by way of the driver
TOGETHER = 2_000_000  # pairs that one task may put into cells, or into clusters, by itself
