import os

import numpy as np
import pyarrow as pa

from copysift.engines.spark.kept_sets import FACTS, SetsWriter
from copysift.runs.sets import Sets
from copysift.runs.sketches import SketchedPart


def sketched(values):
    facts = {field.name: [None if field.type == pa.string() else 0] for field in FACTS}
    facts |= {"id": ["a"], "shingles": [len(values)], "sampled": [1]}
    facts = {name: facts[name] for name in FACTS.names}
    order = np.arange(len(values), dtype=np.uint32)
    return SketchedPart(pa.table(facts, FACTS), np.array(values, np.uint64), order)


def test_two_attempts_at_one_part_do_not_write_into_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)  # as on two machines, or in two containers
    whole = sketched(range(1000))
    with SetsWriter(tmp_path, 0) as first:
        first.add(whole)
        second = SetsWriter(tmp_path, 0)
        second.add(sketched([1]))
        second.__exit__(RuntimeError, RuntimeError("this attempt is stopped"), None)
    assert (tmp_path / "shingles-00000.u64").read_bytes() == whole.values.tobytes()
    assert (tmp_path / "order-00000.u32").read_bytes() == whole.order.tobytes()
    assert Sets(tmp_path).table(0, FACTS.names).equals(whole.table)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".arrow", ".sum", ".u32", ".u64"]
