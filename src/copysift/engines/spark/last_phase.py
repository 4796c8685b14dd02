"""The last phase of a run that Spark has made, on this machine: measures and clusters that it does not make.

The pairs of the run and the folder of its shingles are read here, as `recluster` reads them.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from copysift.clusters.classes import ALONE
from copysift.engines.cluster_run import Summary, recluster
from copysift.engines.pair_values import ValuedPairs, values_of
from copysift.runs import tables
from copysift.runs.scan_run import TABLES, read_description
from copysift.runs.sets import Sets, drop_sets
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import CorpusSettings


def finish(made: Summary, settings: CorpusSettings) -> Summary:
    """Give the pairs of a run the measure that is wanted, and make its clusters by it."""
    path, folder = made.path, made.path / "sketches"
    opened = open_corpus(path)
    values = values_of(folder, settings, opened.first == np.arange(len(opened.first)))
    if values is not None:
        shingles = Sets(folder).column("shingles")[opened.how != ALONE]
        pairs = ValuedPairs(opened.parts, values)
        part = path / "pairs.part"
        tables.write_pairs(part, opened.ids, opened.first, opened.how, shingles, pairs, settings.measure)
        part.replace(path / TABLES[1])
        described = {key: value for key, value in opened.described.items() if key != "files"}
        tables.write_description(path, described)
    recluster(path, settings)
    if settings.slim:
        drop_sets(path / "sketches")
    return dataclasses.replace(made, described=read_description(path))
